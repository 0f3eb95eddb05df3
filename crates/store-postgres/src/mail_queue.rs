//! Mails on their way.

use crate::changelog_entries::{ChangelogEntryRow, StoredEntry, label_ids};
use crate::error::BadRow;
use crate::rows::{Origin, ROWS, timestamp};
use crate::schema::{
    changelog_entries, mailings, mails, organizations as organizations_table, users,
};
use crate::{PgStore, organizations};
use async_trait::async_trait;
use diesel::dsl::array;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::id::{ChangelogEntryId, OrganizationId};
use hearback_domain::mail::{MailFailure, MailOutcome};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::mail_queue::{Announcement, ClaimedMail, SettledMail, Written};
use hearback_ports::mailer::Recipient;
use hearback_ports::{Lease, MailQueue, StoreError};
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
        // Where others were faster, they wrote.
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
        // Where others were faster, they have them.
        let claimed = claimed.await?.unwrap_or_default();
        Ok(claimed.into_iter().map(ClaimedMail::try_from).collect::<Result<_, _>>()?)
    }

    async fn announcement(
        &self,
        organization: OrganizationId,
        entry: ChangelogEntryId,
    ) -> Result<Option<Announcement>, StoreError> {
        let row: Option<(String, StoredEntry)> = self
            .readers
            .row("finding an announced entry", || {
                organizations_table::table
                    .inner_join(
                        changelog_entries::table
                            .on(changelog_entries::organization_id.eq(organizations_table::id)),
                    )
                    .filter(organizations_table::id.eq(organization.0))
                    .filter(changelog_entries::organization_id.eq(organization.0))
                    .filter(changelog_entries::id.eq(entry.0))
                    .select((
                        organizations_table::name,
                        (ChangelogEntryRow::as_select(), array(label_ids())),
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

/// Queues the mailings of entries, in the transaction that publishes them. An entry has one, ever.
pub(crate) async fn announce(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    entries: &[Uuid],
    at: Time,
) -> QueryResult<()> {
    for some in entries.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|entry| {
                (
                    mailings::organization_id.eq(organization.0),
                    mailings::changelog_entry_id.eq(*entry),
                    mailings::created_at.eq(timestamp(at)),
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
        .filter(mailings::organization_id.eq(organization.0))
        .filter(mailings::expanded_at.is_null())
        .order(mailings::changelog_entry_id)
        .limit(1)
        .select((mailings::changelog_entry_id, mailings::last_user_id))
        .for_no_key_update()
        .skip_locked()
        .first::<(Uuid, Option<Uuid>)>(connection)
        .await
        .optional()?;
    let Some((entry, last_user)) = unfinished else { return Ok(Written::Nothing) };
    let receivers = receivers(connection, organization, last_user, limit).await?;
    let mut written = 0;
    for some in receivers.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|user| {
                (
                    mails::organization_id.eq(organization.0),
                    mails::changelog_entry_id.eq(entry),
                    mails::user_id.eq(*user),
                    mails::attempt_count.eq(0),
                    Stage::pending(now),
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
        .filter(mailings::organization_id.eq(organization.0))
        .filter(mailings::changelog_entry_id.eq(entry))
        .set((
            mailings::last_user_id.eq(receivers.last().copied().or(last_user)),
            mailings::expanded_at.eq(is_last.then(|| timestamp(now))),
        ))
        .execute(connection)
        .await?;
    Ok(Written::Batch(written))
}

/// Those behind `after` who receive mail, by `user_id`.
async fn receivers(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<Uuid>> {
    let mut query = users::table
        .filter(users::organization_id.eq(organization.0))
        .filter(users::is_subscribed)
        .filter(users::is_active)
        .filter(users::email.is_not_null())
        .order(users::user_id)
        .limit(limit)
        .select(users::user_id)
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(users::user_id.gt(after));
    }
    query.load(connection).await
}

/// A mail by its entry and user.
type Key = (Uuid, Uuid);

async fn claim(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    lease: Lease,
    now: Time,
    limit: i64,
) -> QueryResult<Vec<ClaimedRow>> {
    // Whoever holds a mail is giving it up, handing it out, settling or deleting it. Nobody waits for that here.
    let interrupted = mails::table
        .filter(mails::organization_id.eq(organization.0))
        .filter(mails::leased_until.lt(timestamp(now)))
        .order(mails::leased_until)
        .limit(limit)
        .select((mails::changelog_entry_id, mails::user_id))
        .for_no_key_update()
        .skip_locked()
        .load::<Key>(connection)
        .await?;
    let failed = Stage::failed(MailFailure::Interrupted, now);
    for (entry, users) in by_entry(&interrupted) {
        diesel::update(mails::table)
            .filter(mails::organization_id.eq(organization.0))
            .filter(mails::changelog_entry_id.eq(entry))
            .filter(mails::user_id.eq_any(users))
            .set(failed)
            .execute(connection)
            .await?;
    }
    let due = mails::table
        .filter(mails::organization_id.eq(organization.0))
        .filter(mails::next_attempt_at.le(timestamp(now)))
        .order((mails::next_attempt_at, mails::changelog_entry_id, mails::user_id))
        .limit(limit)
        .select((mails::changelog_entry_id, mails::user_id, mails::attempt_count))
        .for_no_key_update()
        .skip_locked()
        .load::<(Uuid, Uuid, i32)>(connection)
        .await?;
    let keys: Vec<Key> = due.iter().map(|(entry, user, _)| (*entry, *user)).collect();
    for (entry, users) in by_entry(&keys) {
        diesel::update(mails::table)
            .filter(mails::organization_id.eq(organization.0))
            .filter(mails::changelog_entry_id.eq(entry))
            .filter(mails::user_id.eq_any(users))
            .set((mails::attempt_count.eq(mails::attempt_count + 1), Stage::sending(lease)))
            .execute(connection)
            .await?;
    }
    let users: HashSet<Uuid> = keys.iter().map(|(_, user)| *user).collect();
    let recipients: HashMap<Uuid, (String, Option<String>)> = users::table
        .filter(users::organization_id.eq(organization.0))
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
    // What belongs to an organization that is being deleted goes with it.
    if !organizations::try_hold(connection, organization).await? {
        return Ok(());
    }
    let users: Vec<Uuid> = mails.iter().map(|mail| mail.user.0).collect();
    let entries: HashSet<Uuid> = mails.iter().map(|mail| mail.entry.0).collect();
    // Waits for whoever has one of them: that may be a claim which found it before it was handed out, and leaves it alone now.
    // A mail that was sent and is passed over here would be given up as interrupted.
    let held: HashSet<Key> = mails::table
        .filter(mails::organization_id.eq(organization.0))
        .filter(mails::changelog_entry_id.eq_any(Vec::from_iter(entries)))
        .filter(mails::user_id.eq_any(users))
        .filter(mails::state.eq(SENDING))
        .filter(mails::lease_holder.eq(holder))
        .order((mails::changelog_entry_id, mails::user_id))
        .select((mails::changelog_entry_id, mails::user_id))
        .for_no_key_update()
        .load(connection)
        .await?
        .into_iter()
        .collect();
    let mut stages: Vec<(Stage, Vec<Key>)> = Vec::new();
    for mail in mails.iter().filter(|mail| held.contains(&(mail.entry.0, mail.user.0))) {
        let (stage, key) = (Stage::of(mail.outcome, now), (mail.entry.0, mail.user.0));
        match stages.iter_mut().find(|(other, _)| *other == stage) {
            Some((_, keys)) => keys.push(key),
            None => stages.push((stage, vec![key])),
        }
    }
    for (stage, keys) in stages {
        for (entry, users) in by_entry(&keys) {
            diesel::update(mails::table)
                .filter(mails::organization_id.eq(organization.0))
                .filter(mails::changelog_entry_id.eq(entry))
                .filter(mails::user_id.eq_any(users))
                .set(stage)
                .execute(connection)
                .await?;
        }
    }
    Ok(())
}

/// The users of each entry: what one statement can name.
fn by_entry(mails: &[Key]) -> BTreeMap<Uuid, Vec<Uuid>> {
    let mut users_of: BTreeMap<Uuid, Vec<Uuid>> = BTreeMap::new();
    for &(entry, user) in mails {
        users_of.entry(entry).or_default().push(user);
    }
    users_of
}

/// Where a mail is on its way: all of its row that changes, but for the number of tries.
#[derive(Clone, Copy, Default, PartialEq, Eq, Insertable, AsChangeset)]
#[diesel(table_name = mails, treat_none_as_null = true, treat_none_as_default_value = false)]
struct Stage {
    state: &'static str,
    next_attempt_at: Option<PgTimestamp>,
    lease_holder: Option<Uuid>,
    leased_until: Option<PgTimestamp>,
    error_class: Option<&'static str>,
    ended_at: Option<PgTimestamp>,
}

/// The state of a mail that is to be sent.
const PENDING: &str = "pending";

/// The state of a mail that is handed out.
const SENDING: &str = "sending";

impl Stage {
    fn pending(at: Time) -> Self {
        Self { state: PENDING, next_attempt_at: Some(timestamp(at)), ..Self::default() }
    }

    fn sending(lease: Lease) -> Self {
        Self {
            state: SENDING,
            lease_holder: Some(lease.holder),
            leased_until: Some(timestamp(lease.until)),
            ..Self::default()
        }
    }

    fn failed(failure: MailFailure, now: Time) -> Self {
        Self {
            state: "failed",
            error_class: Some(failure.code()),
            ended_at: Some(timestamp(now)),
            ..Self::default()
        }
    }

    fn of(outcome: MailOutcome, now: Time) -> Self {
        match outcome {
            MailOutcome::Sent => {
                Self { state: "sent", ended_at: Some(timestamp(now)), ..Self::default() }
            }
            MailOutcome::Retry { at, failure } => {
                Self { error_class: Some(failure.code()), ..Self::pending(at) }
            }
            MailOutcome::Failed { failure } => Self::failed(failure, now),
        }
    }
}

/// A mail that was handed out, with the recipient's name and address unless the user receives no mail.
struct ClaimedRow {
    entry: Uuid,
    user: Uuid,
    attempt: i32,
    recipient: Option<(String, Option<String>)>,
}

impl TryFrom<ClaimedRow> for ClaimedMail {
    type Error = BadRow;

    fn try_from(row: ClaimedRow) -> Result<Self, BadRow> {
        let origin = Origin::new("mails", row.user);
        Ok(Self {
            entry: row.entry.into(),
            user: row.user.into(),
            attempt: u32::try_from(row.attempt).map_err(|_| origin.bad("attempt_count"))?,
            recipient: row
                .recipient
                .and_then(|(name, address)| Some(Recipient { name, address: address? })),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery_queue::tests::waits_for;
    use crate::tests::store;
    use hearback_domain::id::UserId;

    #[tokio::test]
    async fn a_sent_mail_that_a_claim_came_too_late_for_is_settled_when_the_claim_lets_go() {
        let (store, database) = store().await;
        let id = Uuid::from_u128(1);
        let fill = format!(
            "INSERT INTO organizations VALUES ('{id}', '', 'acme', 'acme', true, 'epoch'); \
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
        // A claim locks what it finds before it sees that somebody else has it by now.
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
