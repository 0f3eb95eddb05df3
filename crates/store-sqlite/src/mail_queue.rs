//! The queue of mails.

use crate::SqliteStore;
use crate::error::store_error;
use crate::organizations::is_there;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::id::OrganizationId;
use hearback_domain::mail::MailFailure;
use hearback_domain::{Time, Uuid};
use hearback_ports::mail_queue::{ClaimedMail, SettledMail, Written};
use hearback_ports::{Lease, MailQueue, StoreError};
use hearback_store_rows::mails::{
    ClaimedRow, MailStage, MailingRow, SENDING, next_recipients, recipients_among,
};
use hearback_store_rows::schema::{mailings, mails};
use hearback_store_rows::{Id, Stamp, one};

#[async_trait]
impl MailQueue for SqliteStore {
    async fn write(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Written, StoreError> {
        let doing = "writing mails";
        let work =
            move |connection: &mut SqliteConnection| write(connection, organization, now, limit);
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
}

/// The identifier, the name and the address of a user.
type UserRow = (Id, String, Option<String>);

fn write(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> QueryResult<Written> {
    if !is_there(connection, organization)? {
        return Ok(Written::Nothing);
    }
    let unfinished = mailings::table
        .filter(mailings::organization_id.eq(Id::of(organization)))
        .filter(mailings::expanded_at.is_null())
        .order(mailings::id)
        .select((MailingRow::as_select(), mailings::last_user_id))
        .first::<(MailingRow, Option<Id>)>(connection)
        .optional()?;
    let Some((row, last_user)) = unfinished else { return Ok(Written::Nothing) };
    let mailing = row.read()?;
    let recipients: Vec<UserRow> =
        next_recipients::<()>(organization, &mailing, last_user, limit).load(connection)?;
    let mut written = 0;
    for &(user, ..) in &recipients {
        written += diesel::insert_into(mails::table)
            .values((
                mails::organization_id.eq(Id::of(organization)),
                mails::mailing_id.eq(Id::of(mailing.id)),
                mails::user_id.eq(user),
                mails::attempt_count.eq(0),
                MailStage::pending(now),
            ))
            .on_conflict_do_nothing()
            .execute(connection)?;
    }
    let is_last = i64::try_from(recipients.len()).is_ok_and(|count| count < limit);
    diesel::update(mailings::table)
        .filter(mailings::organization_id.eq(Id::of(organization)))
        .filter(mailings::id.eq(Id::of(mailing.id)))
        .set((
            mailings::last_user_id.eq(recipients.last().map(|(user, ..)| *user).or(last_user)),
            mailings::expanded_at.eq(is_last.then(|| Stamp::of(now))),
        ))
        .execute(connection)?;
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
    let due = mails::table
        .filter(mails::organization_id.eq(Id::of(organization)))
        .filter(mails::next_attempt_at.le(Stamp::of(now)))
        .order((mails::next_attempt_at, mails::mailing_id, mails::user_id))
        .limit(limit)
        .select((mails::mailing_id, mails::user_id, mails::attempt_count))
        .load::<(Id, Id, i32)>(connection)?;
    let hand_out = |(mailing, user, attempts): (Id, Id, i32)| {
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
        let recipient: Option<UserRow> = recipients_among::<()>(organization, &mailing, [user])
            .get_result(connection)
            .optional()?;
        let recipient = recipient.map(|(_, name, address)| (name, address));
        Ok(ClaimedRow { mailing, user, attempt, recipient })
    };
    due.into_iter().map(hand_out).collect()
}

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
    use hearback_domain::mail::Mailing;
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
        write(&mut connection, id, at, 3).unwrap();
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
