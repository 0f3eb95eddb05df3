//! Changelog entries.

use crate::error::store_error;
use crate::sql::{by_first, json_array};
use crate::stored::{Stored, finds, inserts, updates};
use crate::{SqliteStore, mail_queue};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryFilter, EntrySort, EntryStatus, Publication, ScheduledEntry,
};
use hearback_domain::id::{ChangelogEntryId, OrganizationId};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use hearback_ports::{ChangelogEntryRepository, StoreError};
use hearback_store_rows::changelog_entries::ScheduledRow;
use hearback_store_rows::rows::{ChangelogEntryRow, Listed};
use hearback_store_rows::schema::{changelog_entries, changelog_entry_labels, sqlite_json_each};
use hearback_store_rows::{Edited, Id, Stamp, all};

#[async_trait]
impl ChangelogEntryRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: EntryFilter,
        sort: EntrySort,
        skip: u64,
        page: PageRequest<ByOptionalTime>,
    ) -> Result<Page<ChangelogEntry, ByOptionalTime>, StoreError> {
        let limit = page.limit;
        let doing = "listing changelog entries";
        // An offset walks the entries that it skips, and a filter those that it excludes: perhaps
        // all entries.
        let found = if skip > 0 || filter != EntryFilter::default() {
            let query = move |connection: &mut SqliteConnection| {
                listed(connection, organization, &filter, sort, skip, &page)
            };
            self.slow_readers.snapshot(doing, query).await?
        } else {
            self.readers.snapshot(doing, |connection| {
                listed(connection, organization, &filter, sort, skip, &page)
            })?
        };
        let entries: Vec<ChangelogEntry> = all(found)?;
        Ok(Page::cut(entries, limit, |entry| ByOptionalTime {
            at: sort.time(entry),
            id: entry.id.0,
        }))
    }

    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ScheduledEntry>, StoreError> {
        let rows: Vec<ScheduledRow> =
            self.readers.read("listing entries to publish", |connection| {
                changelog_entries::table
                    .filter(changelog_entries::organization_id.eq(Id::of(organization)))
                    .filter(IsScheduled::new(changelog_entries::status_code))
                    .filter(changelog_entries::is_active)
                    .filter(changelog_entries::scheduled_at.le(Stamp::of(now)))
                    .order((changelog_entries::scheduled_at, changelog_entries::id))
                    .limit(limit)
                    .select((
                        changelog_entries::id,
                        changelog_entries::scheduled_at.assume_not_null(),
                        changelog_entries::notify,
                        changelog_entries::show_on_portal,
                    ))
                    .load(connection)
            })?;
        Ok(all(rows)?)
    }

    async fn publish(
        &self,
        organization: OrganizationId,
        publications: Vec<Publication>,
    ) -> Result<usize, StoreError> {
        let doing = "publishing entries";
        let work = move |connection: &mut SqliteConnection| {
            publish(connection, organization, &publications)
        };
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }
}

/// The entries of a page and the first entry behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    filter: &EntryFilter,
    sort: EntrySort,
    skip: u64,
    page: &PageRequest<ByOptionalTime>,
) -> QueryResult<Vec<Listed<ChangelogEntryRow<'static>>>> {
    let limit = page.limit.and_one();
    let all = in_order(matching(organization, filter), sort);
    let query = match page.after {
        // No list is longer than `i64::MAX`, so a larger offset has the same effect.
        None => all.offset(i64::try_from(skip).unwrap_or(i64::MAX)),
        Some(after) => behind(all, sort, after),
    };
    let mut rows = query.limit(limit).select(ChangelogEntryRow::as_select()).load(connection)?;
    let rest = limit.saturating_sub_unsigned(rows.len() as u64);
    if sort == EntrySort::Published
        && page.after.is_some_and(|after| after.at.is_some())
        && rest > 0
    {
        // The entries that were never published come behind all others. Each part is a range of the
        // index.
        let unpublished =
            matching(organization, filter).filter(changelog_entries::published_at.is_null());
        let last = in_order(unpublished, sort)
            .limit(rest)
            .select(ChangelogEntryRow::as_select())
            .load(connection)?;
        rows.extend(last);
    }
    rows.into_iter().map(|row| with_labels(connection, organization, row)).collect()
}

type Entries = changelog_entries::BoxedQuery<'static, Sqlite>;

fn matching(organization: OrganizationId, filter: &EntryFilter) -> Entries {
    let mut query = changelog_entries::table
        .filter(changelog_entries::organization_id.eq(Id::of(organization)))
        .filter(changelog_entries::is_active)
        .into_boxed();
    if let Some(entry_type) = filter.entry_type {
        query = query.filter(changelog_entries::entry_type.eq(entry_type.code()));
    }
    if !filter.label_ids.is_empty() {
        // All labels are one parameter, because a statement has at most 32,766 parameters.
        let wanted = sqlite_json_each::table
            .filter(sqlite_json_each::json.eq(json_array(&filter.label_ids)));
        query = query.filter(exists(
            changelog_entry_labels::table
                .filter(changelog_entry_labels::organization_id.eq(Id::of(organization)))
                .filter(changelog_entry_labels::changelog_entry_id.eq(changelog_entries::id))
                .filter(
                    changelog_entry_labels::label_id
                        .eq_any(wanted.select(unhex(sqlite_json_each::value))),
                ),
        ));
    }
    query
}

#[declare_sql_function]
extern "SQL" {
    /// The bytes that hexadecimal digits stand for.
    fn unhex(digits: diesel::sql_types::Text) -> hearback_store_rows::SqlId;
}

/// Sorts entries. Entries without a time come last in a descending order: SQLite sorts NULL as the
/// smallest value.
fn in_order(query: Entries, sort: EntrySort) -> Entries {
    match sort {
        EntrySort::Newest => {
            query.order((changelog_entries::created_at.desc(), changelog_entries::id.desc()))
        }
        EntrySort::Oldest => query.order((changelog_entries::created_at, changelog_entries::id)),
        EntrySort::Published => {
            query.order((changelog_entries::published_at.desc(), changelog_entries::id.desc()))
        }
    }
}

/// Limits a query to the entries behind a key. With [`EntrySort::Published`] and a key that has a
/// time, entries without a time are excluded too.
fn behind(query: Entries, sort: EntrySort, after: ByOptionalTime) -> Entries {
    let (at, id) = (after.at.map(Stamp::of), Id(after.id));
    // The first condition of each lets SQLite enter the index at the key. With the OR alone, it
    // would walk all rows before the key.
    match (sort, at) {
        (EntrySort::Newest, Some(at)) => query
            .filter(changelog_entries::created_at.le(at))
            .filter(changelog_entries::created_at.lt(at).or(changelog_entries::id.lt(id))),
        (EntrySort::Oldest, Some(at)) => query
            .filter(changelog_entries::created_at.ge(at))
            .filter(changelog_entries::created_at.gt(at).or(changelog_entries::id.gt(id))),
        (EntrySort::Published, Some(at)) => query
            .filter(changelog_entries::published_at.le(at))
            .filter(changelog_entries::published_at.lt(at).or(changelog_entries::id.lt(id))),
        // Only entries that were never published have no time.
        (_, None) => query
            .filter(changelog_entries::published_at.is_null())
            .filter(changelog_entries::id.lt(id)),
    }
}

fn with_labels(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    row: ChangelogEntryRow<'static>,
) -> QueryResult<Listed<ChangelogEntryRow<'static>>> {
    // Each entry takes a statement, which is prepared once. One statement for all entries would be
    // prepared on every call.
    let ids = changelog_entry_labels::table
        .filter(changelog_entry_labels::organization_id.eq(Id::of(organization)))
        .filter(changelog_entry_labels::changelog_entry_id.eq(row.id))
        .order(changelog_entry_labels::place)
        .select(changelog_entry_labels::label_id)
        .load(connection)?;
    Ok(Listed { row, ids })
}

// The status is a literal, because the index contains scheduled entries only. The planner cannot
// know that a parameter meets the condition of the index.
diesel::postfix_operator!(IsScheduled, " = 'scheduled'");

fn publish(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    publications: &[Publication],
) -> QueryResult<usize> {
    let mut published = 0;
    for publication in publications {
        let count = diesel::update(changelog_entries::table)
            .filter(changelog_entries::organization_id.eq(Id::of(organization)))
            .filter(changelog_entries::id.eq(Id::of(publication.id)))
            .filter(changelog_entries::status_code.eq(EntryStatus::Scheduled.code()))
            .filter(changelog_entries::is_active)
            // An entry that was postponed after it was found due waits for its new time.
            .filter(changelog_entries::scheduled_at.le(Stamp::of(publication.at)))
            .set((
                changelog_entries::status_code.eq(EntryStatus::Published.code()),
                changelog_entries::published_at.eq(Stamp::of(publication.at)),
                changelog_entries::updated_at.eq(Stamp::of(publication.at)),
            ))
            .execute(connection)?;
        if count > 0 && publication.is_announced {
            mail_queue::announce(connection, organization, publication.id, publication.at)?;
        }
        published += count;
    }
    Ok(published)
}

/// Finds an entry, active or not.
pub(crate) fn find(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: ChangelogEntryId,
) -> QueryResult<Option<Listed<ChangelogEntryRow<'static>>>> {
    let row = changelog_entries::table
        .filter(changelog_entries::organization_id.eq(Id::of(organization)))
        .filter(changelog_entries::id.eq(Id::of(id)))
        .select(ChangelogEntryRow::as_select())
        .first(connection)
        .optional()?;
    row.map(|row| with_labels(connection, organization, row)).transpose()
}

impl Stored for ChangelogEntry {
    inserts!(
        changelog_entries,
        |entry| (changelog_entries::slug_key.eq(entry.slug.key()), ChangelogEntryRow::from(entry),),
        label
    );
    updates!(
        changelog_entries,
        |entry| (
            changelog_entries::slug_key.eq(entry.after.slug.key()),
            entry
                .changed(|entry| entry.content.clone())
                .map(|text| changelog_entries::content.eq(text)),
            ChangelogEntryRow::from(entry.after),
        ),
        label_anew
    );
    finds!(
        changelog_entries.id,
        ChangelogEntryRow::as_select() => ChangelogEntryRow<'static>,
        labelled
    );
}

/// Writes the labels of an entry.
fn label(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    entry: &ChangelogEntry,
) -> QueryResult<()> {
    for (place, &label) in (0..).zip(&entry.label_ids) {
        diesel::insert_into(changelog_entry_labels::table)
            .values((
                changelog_entry_labels::organization_id.eq(Id::of(organization)),
                changelog_entry_labels::changelog_entry_id.eq(Id::of(entry.id)),
                changelog_entry_labels::label_id.eq(Id::of(label)),
                changelog_entry_labels::place.eq(place),
            ))
            .execute(connection)?;
    }
    Ok(())
}

/// Replaces the labels of an entry, if they change.
fn label_anew(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    entry: Edited<'_, ChangelogEntry>,
) -> QueryResult<()> {
    if entry.before.label_ids == entry.after.label_ids {
        return Ok(());
    }
    diesel::delete(changelog_entry_labels::table)
        .filter(changelog_entry_labels::organization_id.eq(Id::of(organization)))
        .filter(changelog_entry_labels::changelog_entry_id.eq(Id::of(entry.after.id)))
        .execute(connection)?;
    label(connection, organization, entry.after)
}

/// Adds the labels to `rows`, which are in the order of their identifiers.
fn labelled(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    rows: Vec<ChangelogEntryRow<'static>>,
) -> QueryResult<Vec<Listed<ChangelogEntryRow<'static>>>> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(Vec::new()) };
    let labels = changelog_entry_labels::table
        .filter(changelog_entry_labels::organization_id.eq(Id::of(organization)))
        .filter(changelog_entry_labels::changelog_entry_id.between(first.id, last.id))
        .order((changelog_entry_labels::changelog_entry_id, changelog_entry_labels::place))
        .select((changelog_entry_labels::changelog_entry_id, changelog_entry_labels::label_id))
        .load(connection)?;
    let mut labels = by_first(labels);
    Ok(rows
        .into_iter()
        .map(|row| Listed { ids: labels.remove(&row.id).unwrap_or_default(), row })
        .collect())
}
