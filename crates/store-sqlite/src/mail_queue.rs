//! The queue of mails.

use crate::SqliteStore;
use crate::error::store_error;
use crate::organizations::is_there;
use async_trait::async_trait;
use diesel::dsl::not;
use diesel::prelude::*;
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
use hearback_store_rows::schema::{mailings, mails, users};
use hearback_store_rows::{Id, Stamp, all, one};

#[async_trait]
impl MailQueue for SqliteStore {
    async fn next(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Option<Draft>, StoreError> {
        let found = self
            .slow_readers
            .read("finding recipients", move |connection| next(connection, organization, limit));
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
        let doing = "writing mails";
        let work = move |connection: &mut SqliteConnection| {
            write(connection, organization, &draft, &mails, now)
        };
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }

    async fn claim(
        &self,
        organization: OrganizationId,
        lease: Lease,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ClaimedMail>, StoreError> {
        let doing = "claiming mails";
        let work = move |connection: &mut SqliteConnection| {
            claim(connection, organization, lease, now, limit)
        };
        let claimed =
            self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))?;
        Ok(claimed.into_iter().map(ClaimedMail::try_from).collect::<Result<_, _>>()?)
    }

    async fn settle(
        &self,
        organization: OrganizationId,
        holder: Uuid,
        mails: Vec<SettledMail>,
        now: Time,
    ) -> Result<(), StoreError> {
        let doing = "settling mails";
        let work = move |connection: &mut SqliteConnection| {
            settle(connection, organization, holder, &mails, now)
        };
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }

    async fn readers(
        &self,
        organization: OrganizationId,
        entry: ChangelogEntryId,
        most: i64,
    ) -> Result<Readers, StoreError> {
        let query = move |connection: &mut SqliteConnection| {
            count_readers::<()>(organization, entry, most).get_result(connection)
        };
        let (all, voters) = self.slow_readers.read("counting readers", query).await?;
        Ok(Readers { all, voters })
    }
}

/// The mailing, the last recipient before, whether these are the last, and the recipients.
type DraftRow = (Mailing, Option<Id>, bool, Vec<UserRow<'static>>);

fn next(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    limit: i64,
) -> QueryResult<Option<DraftRow>> {
    if !is_there(connection, organization)? {
        return Ok(None);
    }
    let unfinished = mailings::table
        .filter(mailings::organization_id.eq(Id::of(organization)))
        .filter(mailings::expanded_at.is_null())
        .order(mailings::id)
        .select((MailingRow::as_select(), mailings::last_user_id))
        .first::<(MailingRow, Option<Id>)>(connection)
        .optional()?;
    let Some((row, after)) = unfinished else { return Ok(None) };
    let mailing = row.read()?;
    let found: Vec<Id> =
        next_recipients::<()>(organization, &mailing, after, limit).load(connection)?;
    let is_last = i64::try_from(found.len()).is_ok_and(|count| count < limit);
    let users = users::table
        .filter(users::organization_id.eq(Id::of(organization)))
        .filter(users::user_id.eq_any(found))
        .order(users::user_id)
        .select(UserRow::as_select())
        .load(connection)?;
    Ok(Some((mailing, after, is_last, users)))
}

/// Writes a batch within a transaction. It holds the write lock, so that no other process goes on
/// with the mailing.
fn write(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    draft: &Draft,
    mails: &[(UserId, Delivery)],
    now: Time,
) -> QueryResult<Written> {
    if !is_there(connection, organization)? {
        return Ok(Written::Nothing);
    }
    if proceed::<()>(organization, draft, now).execute(connection)? == 0 {
        return Ok(Written::Nothing);
    }
    let mut written = 0;
    for mail in mails {
        written += diesel::insert_into(mails::table)
            .values(NewMail::of(organization, draft.mailing.id, *mail, now))
            .on_conflict_do_nothing()
            .execute(connection)?;
    }
    Ok(Written::Batch(written))
}

fn claim(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    lease: Lease,
    now: Time,
    limit: i64,
) -> QueryResult<Vec<ClaimedRow>> {
    if !is_there(connection, organization)? {
        return Ok(Vec::new());
    }
    let interrupted = mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::leased_until.lt(Stamp::of(now)))
        .order(mails::leased_until)
        .limit(limit)
        .select((mails::mailing_id, mails::user_id))
        .load::<(Id, Id)>(connection)?;
    for (mailing, user) in interrupted {
        diesel::update(mails::table)
            .filter(mails::organization_id.eq(Id::of(organization)))
            .filter(mails::mailing_id.eq(mailing))
            .filter(mails::user_id.eq(user))
            .set(MailStage::failed(MailFailure::Interrupted, now))
            .execute(connection)?;
    }
    let mut due = mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::next_attempt_at.le(Stamp::of(now)))
        .filter(not(mails::in_digest))
        .order((mails::next_attempt_at, mails::mailing_id, mails::user_id))
        .limit(limit)
        .select(DUE)
        .load::<DueRow>(connection)?;
    let rest = limit - i64::try_from(due.len()).unwrap_or(limit);
    let users: Vec<Id> = due_digests::<()>(organization, now, rest).load(connection)?;
    shorten_digests::<()>(organization, users.iter().copied(), now).execute(connection)?;
    let digests = mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::user_id.eq_any(users))
        .filter(mails::next_attempt_at.le(Stamp::of(now)))
        .filter(mails::in_digest)
        .order((mails::user_id, mails::created_at, mails::mailing_id))
        .select(DUE);
    due.extend(digests.load::<DueRow>(connection)?);
    let hand_out = |(mailing, user, attempts, in_digest): DueRow| {
        let attempt = attempts + 1;
        diesel::update(mails::table)
            .filter(mails::organization_id.eq(Id::of(organization)))
            .filter(mails::mailing_id.eq(mailing))
            .filter(mails::user_id.eq(user))
            .set((mails::attempt_count.eq(attempt), MailStage::sending(lease)))
            .execute(connection)?;
        let row: MailingRow = one!(mailings, organization, mailing)
            .select(MailingRow::as_select())
            .first(connection)?;
        let mailing = row.read()?;
        let recipient: Option<RecipientRow> =
            recipients_among::<()>(organization, &mailing, [user])
                .get_result(connection)
                .optional()?;
        let recipient = recipient.map(|(_, name, address)| (name, address));
        Ok(ClaimedRow { mailing, user, attempt, in_digest, recipient })
    };
    due.into_iter().map(hand_out).collect()
}

/// The mailing, the user and the number of attempts of a mail, and whether it is in a digest.
type DueRow = (Id, Id, i32, bool);

const DUE: (mails::mailing_id, mails::user_id, mails::attempt_count, mails::in_digest) =
    (mails::mailing_id, mails::user_id, mails::attempt_count, mails::in_digest);

/// The identifier, the name and the address of a user.
type RecipientRow = (Id, String, Option<String>);

fn settle(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    holder: Uuid,
    mails: &[SettledMail],
    now: Time,
) -> QueryResult<()> {
    for mail in mails {
        diesel::update(mails::table)
            .filter(mails::organization_id.eq(Id::of(organization)))
            .filter(mails::mailing_id.eq(Id::of(mail.mailing)))
            .filter(mails::user_id.eq(Id::of(mail.user)))
            .filter(mails::state.eq(SENDING))
            .filter(mails::lease_holder.eq(Id(holder)))
            .set(MailStage::of(mail.outcome, now))
            .execute(connection)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MIGRATIONS;
    use crate::connection::Role;
    use crate::stored::Stored;
    use diesel_migrations::MigrationHarness;
    use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
    use hearback_domain::organization::{HelpCenter, Organization};
    use hearback_domain::person::{Email, Handle};
    use hearback_domain::portal::PortalSettings;
    use hearback_domain::slug::Slug;
    use hearback_domain::user::User;
    use hearback_ports::Schema;
    use hearback_store_rows::mails::announce;

    /// The version of the migration that creates the tables of mailings and mails anew.
    const MAILINGS_WITHOUT_LEASES: &str = "20261121040000";

    type StoredMailing = (Id, Id, Option<Id>, Option<Id>, Stamp, Option<Stamp>);
    type MailRow = (
        (Id, Id, Id),
        (String, i32, Option<Stamp>),
        (Option<Id>, Option<Stamp>),
        (Option<String>, Option<Stamp>),
    );

    /// All mailings and mails.
    fn stored(connection: &mut SqliteConnection) -> (Vec<StoredMailing>, Vec<MailRow>) {
        let mailings = mailings::table.order(mailings::id).select((
            mailings::organization_id,
            mailings::id,
            mailings::changelog_entry_id,
            mailings::last_user_id,
            mailings::created_at,
            mailings::expanded_at,
        ));
        let mails = mails::table.order(mails::user_id).select((
            (mails::organization_id, mails::mailing_id, mails::user_id),
            (mails::state, mails::attempt_count, mails::next_attempt_at),
            (mails::lease_holder, mails::leased_until),
            (mails::error_class, mails::ended_at),
        ));
        (mailings.load(connection).unwrap(), mails.load(connection).unwrap())
    }

    #[tokio::test]
    async fn mailings_and_mails_survive_migrations_down_and_up() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        store.migrate().await.unwrap();
        let mut connection = store.database.connect(Role::Bulk).unwrap();
        let (id, at) = (OrganizationId(Uuid::from_u128(1)), Time::MIN);
        let slug = |number: u128| Slug::parse(&number.to_string()).unwrap();
        let organization = Organization {
            id,
            name: String::new(),
            slug: slug(1),
            help_center: HelpCenter::from_flag(true),
            events_ledger: false,
            portal: PortalSettings::default(),
            created_at: at,
        };
        Organization::insert(&mut connection, id, &organization).unwrap();
        for number in 1..=3 {
            let handle = Handle::Email(Email::parse(&format!("{number}@acme.example")).unwrap());
            let [user, person] = [(); 2].map(|()| Uuid::from_u128(number));
            let user = handle.user(None, user.into(), person.into(), at);
            let user = User { is_subscribed: true, ..user };
            User::insert(&mut connection, id, &user).unwrap();
        }
        for number in 1..=2 {
            let entry = ChangelogEntry {
                id: Uuid::from_u128(number).into(),
                title: String::new(),
                content: String::new(),
                slug: slug(number),
                status: EntryStatus::Published,
                show_on_portal: true,
                featured_image_url: None,
                author_id: None,
                scheduled_at: None,
                published_at: Some(at),
                entry_type: None,
                label_ids: vec![],
                notify: true,
                notify_voters: false,
                external_id: None,
                is_active: true,
                created_at: at,
                updated_at: at,
            };
            ChangelogEntry::insert(&mut connection, id, &entry).unwrap();
            let mailing = Mailing::of_entry(entry.id);
            announce::<()>(id, mailing, at).execute(&mut connection).unwrap();
        }
        // One mail in each state except `sent`, of a mailing that is partly written, and a mailing
        // that is not begun.
        let (mailing, after, is_last, found) = next(&mut connection, id, 3).unwrap().unwrap();
        let users: Vec<User> = all(found).unwrap();
        let mails = users.iter().map(|user| (user.user_id, Delivery::Mail(at))).collect::<Vec<_>>();
        let draft = Draft { mailing, after: after.map(Id::to), users, is_last };
        write(&mut connection, id, &draft, &mails, at).unwrap();
        let lease = |number| Lease { holder: Uuid::from_u128(number), until: at.plus_millis(1) };
        claim(&mut connection, id, lease(1), at, 1).unwrap();
        claim(&mut connection, id, lease(2), at.plus_millis(2), 1).unwrap();
        let before = stored(&mut connection);
        assert_eq!(
            before.0.iter().map(|(.., expanded_at)| expanded_at.is_some()).collect::<Vec<_>>(),
            [false, false]
        );
        assert_eq!(
            before.1.iter().map(|(_, (state, ..), ..)| state.as_str()).collect::<Vec<_>>(),
            ["failed", "sending", "pending"]
        );

        while connection.revert_last_migration(MIGRATIONS).unwrap().to_string()
            != MAILINGS_WITHOUT_LEASES
        {}
        store.migrate().await.unwrap();
        assert_eq!(stored(&mut connection), before);
    }
}
