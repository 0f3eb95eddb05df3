//! Changelog entries.

use crate::SqliteStore;
use crate::error::store_error;
use crate::organizations::is_there;
use crate::sql::json_array;
use crate::stored::{Stored, finds, inserts, lists, updates};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryFilter, EntrySort, EntryStatus, Publication, ScheduledEntry,
};
use hearback_domain::id::OrganizationId;
use hearback_domain::mail::Mailing;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use hearback_ports::{ChangelogEntryRepository, StoreError};
use hearback_store_rows::changelog_entries::ScheduledRow;
use hearback_store_rows::rows::{ChangelogEntryRow, EditedRow, Listed};
use hearback_store_rows::schema::{changelog_entries, changelog_entry_labels, sqlite_json_each};
use hearback_store_rows::sqlite::lists::{Entries, entries, entries_behind};
use hearback_store_rows::{Id, Stamp, all, mails, one, queries};

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
                queries::due(Id::of(organization), Stamp::of(now), limit).load(connection)
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
        Some(after) => entries_behind(all, sort, after),
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

fn matching(organization: OrganizationId, filter: &EntryFilter) -> Entries {
    let mut query = entries(organization, filter);
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

fn publish(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    publications: &[Publication],
) -> QueryResult<usize> {
    if !is_there(connection, organization)? {
        return Ok(0);
    }
    let mut published = 0;
    for publication in publications {
        let count = diesel::update(one!(changelog_entries, organization, Id::of(publication.id)))
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
            let mailing = Mailing::of_entry(publication.id);
            mails::announce::<()>(organization, mailing, publication.at).execute(connection)?;
        }
        published += count;
    }
    Ok(published)
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
            entry.changed(|it| it.slug.key()).map(|key| changelog_entries::slug_key.eq(key)),
            entry
                .changed(|entry| entry.content.clone())
                .map(|text| changelog_entries::content.eq(text)),
            EditedRow::changes(&entry),
        ),
        label_anew
    );
    finds!(
        changelog_entries.id,
        ChangelogEntryRow::as_select() => ChangelogEntryRow<'static>,
        labelled
    );
}

lists!(
    ChangelogEntry.label_ids in changelog_entry_labels.changelog_entry_id.label_id:
    label, label_anew, labelled(ChangelogEntryRow<'static>)
);
