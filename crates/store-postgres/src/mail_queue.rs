//! The queue of mails.

use crate::PgStore;
use crate::organizations::try_hold;
use crate::readers::Reach;
use crate::sql::ROWS;
use async_trait::async_trait;
use diesel::dsl::not;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::id::{ChangelogEntryId, OrganizationId, UserId};
use hearback_domain::mail::{Delivery, MailFailure, Mailing};
use hearback_domain::{Time, Uuid};
use hearback_ports::mail_queue::{ClaimedMail, Draft, Readers, SettledMail, Written};
use hearback_ports::{Lease, MailQueue, StoreError};
use hearback_store_rows::mails::{
    ClaimedRow, MailStage, MailingRow, NewMail, SENDING, count_readers, due_digests,
    next_recipients, proceed, recipients_among, shorten_digests,
};
use hearback_store_rows::rows::UserRow;
use hearback_store_rows::schema::{mailings, mails, organizations, users};
use hearback_store_rows::{Id, Stamp, all, one, queries};
use std::collections::{BTreeMap, HashMap, HashSet};

#[async_trait]
impl MailQueue for PgStore {
    async fn next(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Option<Draft>, StoreError> {
        let found = self.writer.read("finding recipients", move |connection| {
            async move { next(connection, organization, limit).await }.boxed()
        });
        let Some((mailing, after, is_last, users)) = found.await? else { return Ok(None) };
        Ok(Some(Draft { mailing, after: after.map(Id::to), users: all(users)?, is_last }))
    }

    async fn write(
        &self,
        organization: OrganizationId,
        draft: Draft,
        mails: Vec<(UserId, Delivery)>,
        now: Time,
    ) -> Result<Written, StoreError> {
        let written = self.writer.write("writing mails", move |connection| {
            async move { write(connection, organization, &draft, &mails, now).await }.boxed()
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

    async fn readers(
        &self,
        organization: OrganizationId,
        entry: ChangelogEntryId,
        most: i64,
    ) -> Result<Readers, StoreError> {
        let query = || count_readers::<()>(organization, entry, most);
        let mut rows = self.list_rows(Reach::Long, "counting readers", query).await?;
        let (all, voters) = rows.pop().unwrap_or_default();
        Ok(Readers { all, voters })
    }
}

/// The mailing, the last recipient before, whether these are the last, and the recipients.
type DraftRow = (Mailing, Option<Id>, bool, Vec<UserRow<'static>>);

async fn next(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    limit: i64,
) -> QueryResult<Option<DraftRow>> {
    let is_there = queries::present().filter(organizations::id.eq(Id::of(organization)));
    if is_there.select(organizations::id).execute(connection).await? == 0 {
        return Ok(None);
    }
    let unfinished = mailings::table
        .filter(mailings::organization_id.eq(Id::of(organization)))
        .filter(mailings::expanded_at.is_null())
        .order(mailings::id)
        .limit(1)
        .select((MailingRow::as_select(), mailings::last_user_id))
        .first::<(MailingRow, Option<Id>)>(connection)
        .await
        .optional()?;
    let Some((row, after)) = unfinished else { return Ok(None) };
    let mailing = row.read()?;
    let found: Vec<Id> =
        next_recipients::<()>(organization, &mailing, after, limit).load(connection).await?;
    let is_last = i64::try_from(found.len()).is_ok_and(|count| count < limit);
    let users = users::table
        .filter(users::organization_id.eq(Id::of(organization)))
        .filter(users::user_id.eq_any(found))
        .order(users::user_id)
        .select(UserRow::as_select())
        .load(connection)
        .await?;
    Ok(Some((mailing, after, is_last, users)))
}

async fn write(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    draft: &Draft,
    mails: &[(UserId, Delivery)],
    now: Time,
) -> QueryResult<Written> {
    if !try_hold(connection, organization).await? {
        return Ok(Written::Nothing);
    }
    // Another process that goes on with the mailing holds it until it has written the same batch.
    if proceed::<()>(organization, draft, now).execute(connection).await? == 0 {
        return Ok(Written::Nothing);
    }
    let mut written = 0;
    for some in mails.chunks(ROWS) {
        let new =
            |mail: &(UserId, Delivery)| NewMail::of(organization, draft.mailing.id, *mail, now);
        let rows: Vec<NewMail> = some.iter().map(new).collect();
        written += diesel::insert_into(mails::table)
            .values(rows)
            .on_conflict_do_nothing()
            .execute(connection)
            .await?;
    }
    Ok(Written::Batch(written))
}

/// The identifier, the name and the address of a user.
type RecipientRow = (Id, String, Option<String>);

/// The key of a mail: its mailing and its user.
type MailKey = (Id, Id);

async fn claim(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    lease: Lease,
    now: Time,
    limit: i64,
) -> QueryResult<Vec<ClaimedRow>> {
    if !try_hold(connection, organization).await? {
        return Ok(Vec::new());
    }
    // A transaction that holds a mail is giving it up, handing it out, settling or deleting it. The
    // claim does not wait for it.
    let interrupted = mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::leased_until.lt(Stamp::of(now)))
        .order(mails::leased_until)
        .limit(limit)
        .select((mails::mailing_id, mails::user_id))
        .for_no_key_update()
        .skip_locked()
        .load::<MailKey>(connection)
        .await?;
    let failed = MailStage::failed(MailFailure::Interrupted, now);
    for (mailing, users) in by_mailing(&interrupted) {
        diesel::update(mails::table)
            .filter(mails::organization_id.eq(Id::of(organization)))
            .filter(mails::mailing_id.eq(mailing))
            .filter(mails::user_id.eq_any(users))
            .set(failed)
            .execute(connection)
            .await?;
    }
    let mut due = mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::next_attempt_at.le(Stamp::of(now)))
        .filter(not(mails::in_digest))
        .order((mails::next_attempt_at, mails::mailing_id, mails::user_id))
        .limit(limit)
        .select((mails::mailing_id, mails::user_id, mails::attempt_count, mails::in_digest))
        .for_no_key_update()
        .skip_locked()
        .load::<DueRow>(connection)
        .await?;
    let rest = limit - i64::try_from(due.len()).unwrap_or(limit);
    due.extend(claim_digests(connection, organization, now, rest).await?);
    let keys: Vec<MailKey> = due.iter().map(|(mailing, user, ..)| (*mailing, *user)).collect();
    let mut claimed = HashMap::new();
    for (mailing, users) in by_mailing(&keys) {
        let row: MailingRow = one!(mailings, organization, mailing)
            .select(MailingRow::as_select())
            .first(connection)
            .await?;
        let read = row.read()?;
        let still: Vec<RecipientRow> =
            recipients_among::<()>(organization, &read, users.clone()).load(connection).await?;
        let recipients: HashMap<_, _> =
            still.into_iter().map(|(user, name, address)| (user, (name, address))).collect();
        claimed.insert(mailing, (read, recipients));
        diesel::update(mails::table)
            .filter(mails::organization_id.eq(Id::of(organization)))
            .filter(mails::mailing_id.eq(mailing))
            .filter(mails::user_id.eq_any(users))
            .set((mails::attempt_count.eq(mails::attempt_count + 1), MailStage::sending(lease)))
            .execute(connection)
            .await?;
    }
    let row = |(mailing, user, attempts, in_digest)| {
        let (mailing, recipients) = claimed.get(&mailing)?;
        let (mailing, recipient) = (*mailing, recipients.get(&user).cloned());
        Some(ClaimedRow { mailing, user, attempt: attempts + 1, in_digest, recipient })
    };
    Ok(due.into_iter().filter_map(row).collect())
}

/// The mailing, the user and the number of attempts of a mail, and whether it is in a digest.
type DueRow = (Id, Id, i32, bool);

/// Locks the due mails in the digests of up to `limit` users. A user is locked first, so that no
/// other claim takes a part of the digest.
async fn claim_digests(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> QueryResult<Vec<DueRow>> {
    let found: Vec<Id> = due_digests::<()>(organization, now, limit).load(connection).await?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let held: Vec<Id> = users::table
        .filter(users::organization_id.eq(Id::of(organization)))
        .filter(users::user_id.eq_any(found))
        .order(users::user_id)
        .select(users::user_id)
        .for_no_key_update()
        .skip_locked()
        .load(connection)
        .await?;
    shorten_digests::<()>(organization, held.iter().copied(), now).execute(connection).await?;
    mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::user_id.eq_any(held))
        .filter(mails::next_attempt_at.le(Stamp::of(now)))
        .filter(mails::in_digest)
        .order((mails::user_id, mails::created_at, mails::mailing_id))
        .select((mails::mailing_id, mails::user_id, mails::attempt_count, mails::in_digest))
        .for_no_key_update()
        .load(connection)
        .await
}

async fn settle(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    holder: Uuid,
    mails: &[SettledMail],
    now: Time,
) -> QueryResult<()> {
    // The mails of an organization that is being deleted go with it.
    if !try_hold(connection, organization).await? {
        return Ok(());
    }
    let users: Vec<Id> = mails.iter().map(|mail| Id::of(mail.user)).collect();
    let mailings: HashSet<Id> = mails.iter().map(|mail| Id::of(mail.mailing)).collect();
    // This waits if another transaction has locked one of the mails. That may be a claim that found
    // the mail before it was handed out, and now leaves it alone. If the settlement skipped a mail
    // that was sent, the mail would be given up as interrupted.
    let held: HashSet<MailKey> = mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::mailing_id.eq_any(Vec::from_iter(mailings)))
        .filter(mails::user_id.eq_any(users))
        .filter(mails::state.eq(SENDING))
        .filter(mails::lease_holder.eq(Id(holder)))
        .order((mails::mailing_id, mails::user_id))
        .select((mails::mailing_id, mails::user_id))
        .for_no_key_update()
        .load(connection)
        .await?
        .into_iter()
        .collect();
    let mut stages: Vec<(MailStage, Vec<MailKey>)> = Vec::new();
    for mail in
        mails.iter().filter(|mail| held.contains(&(Id::of(mail.mailing), Id::of(mail.user))))
    {
        let (stage, key) =
            (MailStage::of(mail.outcome, now), (Id::of(mail.mailing), Id::of(mail.user)));
        match stages.iter_mut().find(|(other, _)| *other == stage) {
            Some((_, keys)) => keys.push(key),
            None => stages.push((stage, vec![key])),
        }
    }
    for (stage, keys) in stages {
        for (mailing, users) in by_mailing(&keys) {
            diesel::update(mails::table)
                .filter(mails::organization_id.eq(Id::of(organization)))
                .filter(mails::mailing_id.eq(mailing))
                .filter(mails::user_id.eq_any(users))
                .set(stage)
                .execute(connection)
                .await?;
        }
    }
    Ok(())
}

/// The users of each mailing. One statement can name the mails of one mailing.
fn by_mailing(mails: &[MailKey]) -> BTreeMap<Id, Vec<Id>> {
    let mut users_of: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    for &(mailing, user) in mails {
        users_of.entry(mailing).or_default().push(user);
    }
    users_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery_queue::tests::waits_for;
    use crate::tests::store;
    use hearback_domain::id::MailingId;
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
             INSERT INTO mailings (organization_id, id, changelog_entry_id, created_at) VALUES ('{id}', '{id}', '{id}', 'epoch'); \
             INSERT INTO mails (organization_id, mailing_id, user_id, state, attempt_count, next_attempt_at) \
             VALUES ('{id}', '{id}', '{id}', 'pending', 0, 'epoch')"
        );
        database.run(&fill).await;
        let at = |millis| Time::from_unix_millis(millis).unwrap();
        let (organization, lease) = (OrganizationId(id), Lease { holder: id, until: at(1_000) });
        assert_eq!(store.claim(organization, lease, at(0), 10).await.unwrap().len(), 1);
        let (late, observer) = (database.connect().await, database.connect().await);
        // A claim locks a row that it found before it sees that another claim has taken it.
        late.batch_execute("BEGIN; SELECT FROM mails FOR NO KEY UPDATE").await.unwrap();
        let sent =
            SettledMail { mailing: MailingId(id), user: UserId(id), outcome: MailOutcome::Sent };
        waits_for(&late, &observer, store.settle(organization, id, vec![sent], at(1)))
            .await
            .unwrap();
        let state = observer.query_one("SELECT state FROM mails", &[]).await.unwrap();
        assert_eq!(state.get::<_, String>(0), "sent");
    }
}
