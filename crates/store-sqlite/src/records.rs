//! Changes of records.

use crate::SqliteStore;
use crate::error::{Undone, store_error};
use crate::stored::Stored;
use crate::{audit, counts, events, follow_ups, positions, receipts, sessions};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::fold::name_key;
use hearback_domain::follow_up::{Affected, FollowUp};
use hearback_domain::help_redirect::Written;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::record::{Key, Known, OfKind, Parent, Step};
use hearback_domain::{Time, Uuid, with_kind, with_record};
use hearback_ports::records::Name;
use hearback_ports::{Change, Kind, Record, RecordRepository, Recorded, StoreError, Unique};
use hearback_store_rows::schema::help_redirects;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::statement::{self, Need};
use hearback_store_rows::{Edited, Id, erasure, mails};

#[async_trait]
impl RecordRepository for SqliteStore {
    async fn load(
        &self,
        organization: OrganizationId,
        keys: Vec<Key>,
    ) -> Result<Known, StoreError> {
        let found = self.readers.snapshot("finding records", |connection| {
            keys.iter().map(|&key| find(connection, organization, key)).collect::<QueryResult<_>>()
        });
        Ok(Known::new(Vec::into_iter(found?).flatten()))
    }

    async fn named(
        &self,
        organization: OrganizationId,
        kind: Kind,
        name: Name,
        names: Vec<String>,
    ) -> Result<Vec<(String, Uuid)>, StoreError> {
        let table = with_kind!(kind, R => R::TABLE);
        self.readers.snapshot("looking for taken names", |connection| {
            let mut found = Vec::new();
            for value in names {
                let named = statement::named::<()>(table, organization, name).text(&value);
                let named: Option<(String, Id)> = named.get_result(connection).optional()?;
                found.extend(named.map(|(_, id)| (value, id.0)));
            }
            Ok(found)
        })
    }

    async fn ids(
        &self,
        organization: OrganizationId,
        kind: Kind,
        after: Option<Uuid>,
        limit: i64,
    ) -> Result<Vec<Uuid>, StoreError> {
        let table = with_kind!(kind, R => R::TABLE);
        let ids: Vec<Id> = self.readers.read("listing identifiers", |connection| {
            statement::ids::<()>(table, organization, after, limit).load(connection)
        })?;
        Ok(ids.into_iter().map(|id| id.0).collect())
    }

    async fn apply(
        &self,
        organization: OrganizationId,
        change: Change,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| apply(connection, organization, change);
        self.writer.record("recording a change", work).await
    }

    async fn next_follow_up(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Option<(FollowUp, Vec<Key>)>, StoreError> {
        let doing = "looking for unfinished changes";
        let work = move |connection: &mut SqliteConnection| {
            follow_ups::next(connection, organization, limit)
        };
        let next = self.writer.write(doing, work).await?;
        next.map_err(|error| store_error(doing, error))
    }

    async fn affected(
        &self,
        organization: OrganizationId,
        follow_up: FollowUp,
        limit: i64,
    ) -> Result<Vec<Key>, StoreError> {
        self.readers.snapshot("looking for the records of a change", |connection| {
            follow_ups::affected(connection, organization, follow_up, limit)
        })
    }

    async fn erasable(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<Vec<Key>, StoreError> {
        const MOVED: &str = "instr(merges.moved_user_ids, votes.user_id) > 0";
        let query = move |connection: &mut SqliteConnection| {
            for (kind, find) in erasure::erasable::<()>(organization, before, limit, MOVED) {
                let found: Vec<Id> = find.load(connection)?;
                if !found.is_empty() {
                    return Ok(found.into_iter().map(|id| (kind, id.0)).collect());
                }
            }
            QueryResult::Ok(Vec::new())
        };
        self.slow_readers.read("looking for deleted records", query).await
    }

    async fn count(
        &self,
        organization: OrganizationId,
        affected: Affected,
        value: Uuid,
    ) -> Result<i64, StoreError> {
        self.readers.snapshot("counting records", |connection| {
            follow_ups::count(connection, organization, affected, value)
        })
    }

    async fn shared(
        &self,
        organization: OrganizationId,
        kind: Kind,
        users: (UserId, UserId),
    ) -> Result<i64, StoreError> {
        self.readers.read("counting shared posts", |connection| {
            statement::shared::<()>(kind, organization, users).get_result(connection)
        })
    }

    async fn siblings(
        &self,
        organization: OrganizationId,
        kind: Kind,
        parent: Parent,
    ) -> Result<Vec<Uuid>, StoreError> {
        let found: Vec<Id> = self.readers.read("listing records by position", |connection| {
            positions::list(organization, kind, parent).records::<()>().load(connection)
        })?;
        Ok(found.into_iter().map(Uuid::from).collect())
    }
}

fn find(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    (kind, key): Key,
) -> QueryResult<Option<Record>> {
    with_kind!(kind, R => Ok(R::find(connection, organization, key)?.map(OfKind::into_record)))
}

/// Stores a change within a transaction. The transaction holds the write lock until the commit.
fn apply(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    change: Change,
) -> Result<(), Undone> {
    let counted = change.counted();
    let Change { steps, needs, unused, follow_ups, events, audit, mailings, receipt, at, .. } =
        change;
    for before in steps.iter().filter_map(Step::before) {
        match find(connection, organization, before.key())? {
            Some(stored) if stored.is_unchanged(before) => {}
            _ => return Err(Undone::Stale),
        }
    }
    let makes_it = steps.iter().any(|step| matches!(step, Step::Make(Record::Organization(_))));
    let whole = (!makes_it).then_some((Kind::Organization, organization.0));
    let needs: Vec<Key> = needs.into_iter().chain(whole).collect();
    match missing(connection, organization, &needs)? {
        Some((Kind::Organization, _)) => return Err(Undone::Stale),
        Some(need) => return Err(Undone::Missing(need)),
        None => {}
    }
    follow_ups::insert(connection, organization, follow_ups)?;
    for user in steps.iter().filter_map(Step::unlinks) {
        sessions::unlink(connection, organization, user)?;
    }
    for user in steps.iter().filter_map(Step::blocks) {
        sessions::end_all(connection, organization, user, None)?;
    }
    for step in &steps {
        write(connection, organization, step, at)?;
    }
    if let Some(redirects) = Written::by(&steps) {
        let chained = lists::chained(organization, &redirects).select(help_redirects::id);
        if !chained.load::<Id>(connection)?.is_empty() {
            return Err(Undone::Stale);
        }
    }
    for key in unused {
        if follow_ups::uses(connection, organization, key)? > 0 {
            return Err(Undone::InUse(key));
        }
    }
    for event in &events {
        events::record(connection, organization, event)?;
    }
    for erased in steps.iter().filter_map(Step::erased) {
        erasure::forget_values::<()>(organization, erased).execute(connection)?;
    }
    audit::insert(connection, organization, &audit)?;
    for mailing in mailings {
        mails::announce::<()>(organization, mailing, at).execute(connection)?;
    }
    receipts::insert(connection, organization, receipt.as_ref())?;
    Ok(counts::add(connection, organization, counted)?)
}

/// The first of the records that is missing or not active.
fn missing(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    needs: &[Key],
) -> QueryResult<Option<Key>> {
    for some in needs.chunks(statement::NEEDS) {
        let needed = some.iter().map(|&(kind, key)| {
            let (table, column) = with_kind!(kind, R => (R::TABLE, R::KEY));
            Need { table, column, key, lock: "" }
        });
        let numbers: Vec<i64> = statement::active::<()>(organization, needed).load(connection)?;
        let active: Vec<Key> = statement::numbered(some, numbers).collect();
        if let Some(need) = some.iter().find(|need| !active.contains(need)) {
            return Ok(Some(*need));
        }
    }
    Ok(None)
}

fn write(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    step: &Step,
    at: Time,
) -> Result<(), Undone> {
    let Some(after) = step.after() else {
        let Some(gone) = step.before() else { return Ok(()) };
        let table = with_kind!(gone.kind(), R => R::TABLE);
        statement::remove::<()>(table, organization, gone.id()).execute(connection)?;
        return Ok(());
    };
    let mut after = after.clone();
    if let Some((parent, reached)) = step.placement() {
        let end = positions::give(connection, organization, after.kind(), parent, reached)?;
        if reached.is_none() {
            after.put_at(end);
        }
    }
    let written = with_record!(&after, after => match step.before().map(OfKind::of_record) {
        None => insert(connection, organization, after),
        Some(Some(before)) => {
            Stored::update(connection, organization, Edited { before, after, at })
        }
        Some(None) => return Err(Undone::Stale),
    });
    written.map_err(Undone::inserting)?;
    // The name is checked last. A record with the same external identifier usually has the same
    // name too, and the identifier is the better reason to return.
    match step.new_name() {
        Some(name) => refuse_second_name(connection, organization, &after, &name),
        None => Ok(()),
    }
}

/// Inserts a record with its links.
fn insert<R: Stored>(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    record: &R,
) -> QueryResult<()> {
    R::insert(connection, organization, record)?;
    R::link(connection, organization, record)
}

/// Refuses a name that another active record of the kind has, if the kind's names are unique.
fn refuse_second_name(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    record: &Record,
    key: &str,
) -> Result<(), Undone> {
    let table = with_kind!(record.kind(), R => R::TABLE);
    let names = statement::other_names::<()>(table, organization, record.id());
    let names: Vec<String> = names.load(connection)?;
    if names.iter().any(|name| name_key(name) == key) {
        return Err(Undone::Taken(Unique::Name));
    }
    Ok(())
}
