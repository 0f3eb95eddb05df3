//! The queue of mails.

use crate::changelog_entries::label_ids;
use crate::sql::ROWS;
use crate::{PgStore, organizations};
use async_trait::async_trait;
use diesel::dsl::array;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::id::{ChangelogEntryId, OrganizationId};
use hearback_domain::mail::MailFailure;
use hearback_domain::{Time, Uuid};
use hearback_ports::mail_queue::{Announcement, ClaimedMail, SettledMail, Written};
use hearback_ports::{Lease, MailQueue, StoreError};
use hearback_store_rows::mails::{ClaimedRow, MailStage, SENDING};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::rows::{ChangelogEntryRow, Listed};
use hearback_store_rows::schema::{
    changelog_entries, mailings, mails, organizations as organizations_table, users,
};
use hearback_store_rows::{Id, Stamp};
use std::collections::{BTreeMap, HashMap, HashSet};

#[async_trait]
impl MailQueue for PgStore {
    async fn write(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Written, StoreError> {
        let written = self.writer.write("writing mails", move |connection| {
            async move { write(connection, organization, now, limit).await }.boxed()
        });
        // `None`: another transaction was faster, and wrote the mails.
        Ok(written.await?.unwrap_or(Written::Nothing))
    }

    async fn claim(
        &self,
        organization: OrganizationId,
        lease: Lease,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ClaimedMail>, StoreError> {
        let claimed = self.writer.write("claiming mails", move |connection| {
            async move { claim(connection, organization, lease, now, limit).await }.boxed()
        });
        // `None`: another transaction was faster, and claimed them.
        let claimed = claimed.await?.unwrap_or_default();
        Ok(claimed.into_iter().map(ClaimedMail::try_from).collect::<Result<_, _>>()?)
    }

    async fn announcement(
        &self,
        organization: OrganizationId,
        entry: ChangelogEntryId,
    ) -> Result<Option<Announcement>, StoreError> {
        let row: Option<(String, Listed<ChangelogEntryRow<'static>>)> = self
            .readers
            .row("finding an announced entry", || {
                organizations_table::table
                    .inner_join(
                        changelog_entries::table
                            .on(changelog_entries::organization_id.eq(organizations_table::id)),
                    )
                    .filter(organizations_table::id.eq(Id::of(organization)))
                    .filter(organizations_table::is_active)
                    .filter(changelog_entries::organization_id.eq(Id::of(organization)))
                    .filter(changelog_entries::id.eq(Id::of(entry)))
                    .select((
                        organizations_table::name,
                        (ChangelogEntryRow::as_select(), array(label_ids(Id::of(organization)))),
                    ))
            })
            .await?;
        let Some((organization_name, stored)) = row else { return Ok(None) };
        Ok(Some(Announcement { organization_name, entry: ChangelogEntry::try_from(stored)? }))
    }

    async fn settle(
        &self,
        organization: OrganizationId,
        holder: Uuid,
        mails: Vec<SettledMail>,
        now: Time,
    ) -> Result<(), StoreError> {
        let settled = self.writer.write("settling mails", move |connection| {
            async move { settle(connection, organization, holder, &mails, now).await }.boxed()
        });
        settled.await?.ok_or(StoreError::Busy)
    }
}

/// Queues the mailings of entries, in the transaction that publishes them. An entry has at most one
/// mailing, ever.
pub(crate) async fn announce(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    entries: &[Id],
    at: Time,
) -> QueryResult<()> {
    for some in entries.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|entry| {
                (
                    mailings::organization_id.eq(Id::of(organization)),
                    mailings::changelog_entry_id.eq(*entry),
                    mailings::created_at.eq(Stamp::of(at)),
                )
            })
            .collect();
        diesel::insert_into(mailings::table)
            .values(rows)
            .on_conflict_do_nothing()
            .execute(connection)
            .await?;
    }
    Ok(())
}

async fn write(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> QueryResult<Written> {
    if !organizations::try_hold(connection, organization).await? {
        return Ok(Written::Nothing);
    }
    let unfinished = mailings::table
        .filter(mailings::organization_id.eq(Id::of(organization)))
        .filter(mailings::expanded_at.is_null())
        .order(mailings::changelog_entry_id)
        .limit(1)
        .select((mailings::changelog_entry_id, mailings::last_user_id))
        .for_no_key_update()
        .skip_locked()
        .first::<(Id, Option<Id>)>(connection)
        .await
        .optional()?;
    let Some((entry, last_user)) = unfinished else { return Ok(Written::Nothing) };
    let receivers: Vec<Id> = lists::mail_receivers(organization, last_user, limit)
        .select(users::user_id)
        .load(connection)
        .await?;
    let mut written = 0;
    for some in receivers.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|user| {
                (
                    mails::organization_id.eq(Id::of(organization)),
                    mails::changelog_entry_id.eq(entry),
                    mails::user_id.eq(*user),
                    mails::attempt_count.eq(0),
                    MailStage::pending(now),
                )
            })
            .collect();
        written += diesel::insert_into(mails::table)
            .values(rows)
            .on_conflict_do_nothing()
            .execute(connection)
            .await?;
    }
    let is_last = i64::try_from(receivers.len()).is_ok_and(|count| count < limit);
    diesel::update(mailings::table)
        .filter(mailings::organization_id.eq(Id::of(organization)))
        .filter(mailings::changelog_entry_id.eq(entry))
        .set((
            mailings::last_user_id.eq(receivers.last().copied().or(last_user)),
            mailings::expanded_at.eq(is_last.then(|| Stamp::of(now))),
        ))
        .execute(connection)
        .await?;
    Ok(Written::Batch(written))
}

/// The key of a mail: its entry and its user.
type MailKey = (Id, Id);

async fn claim(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    lease: Lease,
    now: Time,
    limit: i64,
) -> QueryResult<Vec<ClaimedRow>> {
    if !organizations::try_hold(connection, organization).await? {
        return Ok(Vec::new());
    }
    // A transaction that holds a mail is giving it up, handing it out, settling or deleting it. The
    // claim does not wait for it.
    let interrupted = mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::leased_until.lt(Stamp::of(now)))
        .order(mails::leased_until)
        .limit(limit)
        .select((mails::changelog_entry_id, mails::user_id))
        .for_no_key_update()
        .skip_locked()
        .load::<MailKey>(connection)
        .await?;
    let failed = MailStage::failed(MailFailure::Interrupted, now);
    for (entry, users) in by_entry(&interrupted) {
        diesel::update(mails::table)
            .filter(mails::organization_id.eq(Id::of(organization)))
            .filter(mails::changelog_entry_id.eq(entry))
            .filter(mails::user_id.eq_any(users))
            .set(failed)
            .execute(connection)
            .await?;
    }
    let due = mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::next_attempt_at.le(Stamp::of(now)))
        .order((mails::next_attempt_at, mails::changelog_entry_id, mails::user_id))
        .limit(limit)
        .select((mails::changelog_entry_id, mails::user_id, mails::attempt_count))
        .for_no_key_update()
        .skip_locked()
        .load::<(Id, Id, i32)>(connection)
        .await?;
    let keys: Vec<MailKey> = due.iter().map(|(entry, user, _)| (*entry, *user)).collect();
    for (entry, users) in by_entry(&keys) {
        diesel::update(mails::table)
            .filter(mails::organization_id.eq(Id::of(organization)))
            .filter(mails::changelog_entry_id.eq(entry))
            .filter(mails::user_id.eq_any(users))
            .set((mails::attempt_count.eq(mails::attempt_count + 1), MailStage::sending(lease)))
            .execute(connection)
            .await?;
    }
    let users: HashSet<Id> = keys.iter().map(|(_, user)| *user).collect();
    let recipients: HashMap<Id, (String, Option<String>)> = users::table
        .filter(users::organization_id.eq(Id::of(organization)))
        .filter(users::user_id.eq_any(Vec::from_iter(users)))
        .filter(users::is_subscribed)
        .filter(users::is_active)
        .select((users::user_id, (users::name, users::email)))
        .load(connection)
        .await?
        .into_iter()
        .collect();
    let row = |(entry, user, attempts)| ClaimedRow {
        entry,
        user,
        attempt: attempts + 1,
        recipient: recipients.get(&user).cloned(),
    };
    Ok(due.into_iter().map(row).collect())
}

async fn settle(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    holder: Uuid,
    mails: &[SettledMail],
    now: Time,
) -> QueryResult<()> {
    // The mails of an organization that is being deleted go with it.
    if !organizations::try_hold(connection, organization).await? {
        return Ok(());
    }
    let users: Vec<Id> = mails.iter().map(|mail| Id::of(mail.user)).collect();
    let entries: HashSet<Id> = mails.iter().map(|mail| Id::of(mail.entry)).collect();
    // This waits if another transaction has locked one of the mails. That may be a claim that found
    // the mail before it was handed out, and now leaves it alone. If the settlement skipped a mail
    // that was sent, the mail would be given up as interrupted.
    let held: HashSet<MailKey> = mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::changelog_entry_id.eq_any(Vec::from_iter(entries)))
        .filter(mails::user_id.eq_any(users))
        .filter(mails::state.eq(SENDING))
        .filter(mails::lease_holder.eq(Id(holder)))
        .order((mails::changelog_entry_id, mails::user_id))
        .select((mails::changelog_entry_id, mails::user_id))
        .for_no_key_update()
        .load(connection)
        .await?
        .into_iter()
        .collect();
    let mut stages: Vec<(MailStage, Vec<MailKey>)> = Vec::new();
    for mail in mails.iter().filter(|mail| held.contains(&(Id::of(mail.entry), Id::of(mail.user))))
    {
        let (stage, key) =
            (MailStage::of(mail.outcome, now), (Id::of(mail.entry), Id::of(mail.user)));
        match stages.iter_mut().find(|(other, _)| *other == stage) {
            Some((_, keys)) => keys.push(key),
            None => stages.push((stage, vec![key])),
        }
    }
    for (stage, keys) in stages {
        for (entry, users) in by_entry(&keys) {
            diesel::update(mails::table)
                .filter(mails::organization_id.eq(Id::of(organization)))
                .filter(mails::changelog_entry_id.eq(entry))
                .filter(mails::user_id.eq_any(users))
                .set(stage)
                .execute(connection)
                .await?;
        }
    }
    Ok(())
}

/// The users of each entry. One statement can name the mails of one entry.
fn by_entry(mails: &[MailKey]) -> BTreeMap<Id, Vec<Id>> {
    let mut users_of: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    for &(entry, user) in mails {
        users_of.entry(entry).or_default().push(user);
    }
    users_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery_queue::tests::waits_for;
    use crate::tests::store;
    use hearback_domain::id::UserId;
    use hearback_domain::mail::MailOutcome;

    #[tokio::test]
    async fn the_settlement_of_a_sent_mail_waits_for_a_late_claim_and_takes_effect() {
        let (store, database) = store().await;
        let id = Uuid::from_u128(1);
        let fill = format!(
            "INSERT INTO organizations VALUES ('{id}', '', 'acme', true, 'epoch'); \
             INSERT INTO users VALUES ('{id}', '{id}', '{id}', 'a@b.example', '', '', '', '', '', true, true, 'epoch'); \
             INSERT INTO changelog_entries (organization_id, id, title, content, slug, slug_key, status_code, show_on_portal, \
             notify, is_active, created_at, updated_at) \
             VALUES ('{id}', '{id}', '', '', '', '', 'draft', true, true, true, 'epoch', 'epoch'); \
             INSERT INTO mailings (organization_id, changelog_entry_id, created_at) VALUES ('{id}', '{id}', 'epoch'); \
             INSERT INTO mails (organization_id, changelog_entry_id, user_id, state, attempt_count, next_attempt_at) \
             VALUES ('{id}', '{id}', '{id}', 'pending', 0, 'epoch')"
        );
        database.run(&fill).await;
        let at = |millis| Time::from_unix_millis(millis).unwrap();
        let (organization, lease) = (OrganizationId(id), Lease { holder: id, until: at(1_000) });
        assert_eq!(store.claim(organization, lease, at(0), 10).await.unwrap().len(), 1);
        let (late, observer) = (database.connect().await, database.connect().await);
        // A claim locks a row that it found before it sees that another claim has taken it.
        late.batch_execute("BEGIN; SELECT FROM mails FOR NO KEY UPDATE").await.unwrap();
        let sent = SettledMail {
            entry: ChangelogEntryId(id),
            user: UserId(id),
            outcome: MailOutcome::Sent,
        };
        waits_for(&late, &observer, store.settle(organization, id, vec![sent], at(1)))
            .await
            .unwrap();
        let state = observer.query_one("SELECT state FROM mails", &[]).await.unwrap();
        assert_eq!(state.get::<_, String>(0), "sent");
    }
}
