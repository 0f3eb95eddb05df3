//! Changelog entries.

use crate::SqliteStore;
use crate::sql::json_array;
use crate::stored::{Stored, finds, inserts, lists, stored, updates};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryDetails, EntryFilter, EntrySort};
use hearback_domain::entry_link::EntryLink;
use hearback_domain::id::{ChangelogEntryId, OrganizationId};
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use hearback_ports::{ChangelogEntryRepository, StoreError};
use hearback_store_rows::changelog_entries::details;
use hearback_store_rows::rows::{ChangelogEntryRow, EditedRow, EntryLinkRow};
use hearback_store_rows::schema::{
    changelog_entries, changelog_entry_labels, entry_links, sqlite_json_each,
};
use hearback_store_rows::sqlite::lists::{Entries, entries, entries_behind};
use hearback_store_rows::{Id, Stamp, all, one, queries};

#[async_trait]
impl ChangelogEntryRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: ChangelogEntryId,
    ) -> Result<Option<EntryDetails>, StoreError> {
        self.readers.snapshot("finding a changelog entry", |connection| {
            let row: Option<ChangelogEntryRow<'_>> =
                one!(changelog_entries, organization, Id::of(id))
                    .filter(changelog_entries::is_active)
                    .select(ChangelogEntryRow::as_select())
                    .first(connection)
                    .optional()?;
            row.map(|row| with_links(connection, organization, row)).transpose()
        })
    }

    async fn links(
        &self,
        organization: OrganizationId,
        id: ChangelogEntryId,
    ) -> Result<Vec<EntryLink>, StoreError> {
        let rows: Vec<EntryLinkRow<'_>> =
            self.readers.read("listing entry links", |connection| {
                entry_links::table
                    .filter(entry_links::organization_id.eq(Id::of(organization)))
                    .filter(entry_links::changelog_entry_id.eq(Id::of(id)))
                    .order(entry_links::id)
                    .select(EntryLinkRow::as_select())
                    .load(connection)
            })?;
        Ok(all(rows)?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: EntryFilter,
        sort: EntrySort,
        skip: u64,
        page: PageRequest<ByOptionalTime>,
    ) -> Result<Page<EntryDetails, ByOptionalTime>, StoreError> {
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
        Ok(Page::cut(found, limit, |EntryDetails { entry, .. }| ByOptionalTime {
            at: sort.time(entry),
            id: entry.id.0,
        }))
    }

    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ChangelogEntryId>, StoreError> {
        let rows: Vec<Id> = self.readers.read("listing entries to publish", |connection| {
            queries::due(Id::of(organization), Stamp::of(now), limit).load(connection)
        })?;
        Ok(rows.into_iter().map(Id::to).collect())
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
) -> QueryResult<Vec<EntryDetails>> {
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
    rows.into_iter().map(|row| with_links(connection, organization, row)).collect()
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

/// Adds the labels of an entry, and the posts that are linked to it.
fn with_links(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    row: ChangelogEntryRow<'static>,
) -> QueryResult<EntryDetails> {
    // Each entry takes two statements, which are prepared once. One statement for all entries would
    // be prepared on every call.
    let ids = changelog_entry_labels::table
        .filter(changelog_entry_labels::organization_id.eq(Id::of(organization)))
        .filter(changelog_entry_labels::changelog_entry_id.eq(row.id))
        .order(changelog_entry_labels::place)
        .select(changelog_entry_labels::label_id)
        .load(connection)?;
    let posts = entry_links::table
        .filter(entry_links::organization_id.eq(Id::of(organization)))
        .filter(entry_links::changelog_entry_id.eq(row.id))
        .order(entry_links::id)
        .select(entry_links::feedback_post_id)
        .load(connection)?;
    Ok(details((row, ids, posts))?)
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

stored!(EntryLink: entry_links.id as EntryLinkRow<'static>);
