//! Changelog entries.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::{Stored, finds, inserts, lists, stored, updates};
use async_trait::async_trait;
use diesel::dsl::{array, auto_type, exists};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::Time;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryDetails, EntryFilter, EntrySort};
use hearback_domain::entry_link::EntryLink;
use hearback_domain::id::{ChangelogEntryId, OrganizationId};
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use hearback_ports::{ChangelogEntryRepository, StoreError};
use hearback_store_rows::changelog_entries::details;
use hearback_store_rows::postgres::lists::{Entries, entries, entries_behind};
use hearback_store_rows::rows::{ChangelogEntryRow, EntryLinkRow, Listed};
use hearback_store_rows::schema::{changelog_entries, changelog_entry_labels, entry_links};
use hearback_store_rows::{Id, Stamp, all, one, queries};

/// The columns of a [`Row`].
macro_rules! details_of {
    ($organization:expr) => {
        (
            ChangelogEntryRow::as_select(),
            array(label_ids(Id::of($organization))),
            array(post_ids(Id::of($organization))),
        )
    };
}

#[async_trait]
impl ChangelogEntryRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: ChangelogEntryId,
    ) -> Result<Option<EntryDetails>, StoreError> {
        let query = || {
            one!(changelog_entries, organization, Id::of(id))
                .filter(changelog_entries::is_active)
                .select(details_of!(organization))
        };
        let row: Option<Row> = self.readers.row("finding a changelog entry", query).await?;
        Ok(row.map(details).transpose()?)
    }

    async fn links(
        &self,
        organization: OrganizationId,
        id: ChangelogEntryId,
    ) -> Result<Vec<EntryLink>, StoreError> {
        let query = || {
            entry_links::table
                .filter(entry_links::organization_id.eq(Id::of(organization)))
                .filter(entry_links::changelog_entry_id.eq(Id::of(id)))
                .order(entry_links::id)
                .select(EntryLinkRow::as_select())
        };
        let rows: Vec<EntryLinkRow<'_>> = self.readers.rows("listing entry links", query).await?;
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
        let PageRequest { after, limit } = page;
        // An offset walks the entries that it skips, and a filter those that it excludes: perhaps
        // all entries.
        let reach =
            if skip > 0 || filter != EntryFilter::default() { Reach::Long } else { Reach::Short };
        let query = || {
            let all = in_order(matching(organization, &filter), sort);
            match after {
                // No list is so long, so a larger offset has the same effect. Citus adds the limit
                // to the offset.
                None => all.offset(i64::from(u32::try_from(skip).unwrap_or(u32::MAX))),
                Some(after) => entries_behind(all, sort, after),
            }
        };
        let mut rows = self.entries(organization, reach, limit.and_one(), query).await?;
        let rest = limit.and_one().saturating_sub_unsigned(rows.len() as u64);
        if sort == EntrySort::Published && after.is_some_and(|after| after.at.is_some()) && rest > 0
        {
            // The entries that were never published come behind all others. Each part is a range of
            // the index.
            let unpublished = || {
                in_order(
                    matching(organization, &filter)
                        .filter(changelog_entries::published_at.is_null()),
                    sort,
                )
            };
            rows.extend(self.entries(organization, reach, rest, unpublished).await?);
        }
        let entries = rows.into_iter().map(details);
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        Ok(Page::cut(entries, limit, |EntryDetails { entry, .. }| ByOptionalTime {
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
        let rows: Vec<Id> = self
            .readers
            .rows("listing entries to publish", || {
                queries::due(Id::of(organization), Stamp::of(now), limit)
            })
            .await?;
        Ok(rows.into_iter().map(Id::to).collect())
    }
}

impl PgStore {
    async fn entries(
        &self,
        organization: OrganizationId,
        reach: Reach,
        limit: i64,
        query: impl Fn() -> Entries + Send + Sync,
    ) -> Result<Vec<Row>, StoreError> {
        let query = || query().limit(limit).select(details_of!(organization));
        self.list_rows(reach, "listing changelog entries", query).await
    }
}

/// An entry with its labels, and the posts that are linked to it.
type Row = (ChangelogEntryRow<'static>, Vec<Id>, Vec<Id>);

fn matching(organization: OrganizationId, filter: &EntryFilter) -> Entries {
    let mut query = entries(organization, filter);
    if !filter.label_ids.is_empty() {
        let wanted: Vec<Id> = filter.label_ids.iter().map(|label| Id::of(*label)).collect();
        query = query.filter(exists(
            changelog_entry_labels::table
                .filter(changelog_entry_labels::organization_id.eq(Id::of(organization)))
                .filter(changelog_entry_labels::changelog_entry_id.eq(changelog_entries::id))
                .filter(changelog_entry_labels::label_id.eq_any(wanted)),
        ));
    }
    query
}

/// Sorts entries. Entries that were never published come last, as in the index.
fn in_order(query: Entries, sort: EntrySort) -> Entries {
    match sort {
        EntrySort::Newest => {
            query.order((changelog_entries::created_at.desc(), changelog_entries::id.desc()))
        }
        EntrySort::Oldest => query.order((changelog_entries::created_at, changelog_entries::id)),
        EntrySort::Published => query.order((
            changelog_entries::published_at.desc().nulls_last(),
            changelog_entries::id.desc(),
        )),
    }
}

#[auto_type]
fn label_ids(organization: Id) -> _ {
    changelog_entry_labels::table
        .filter(changelog_entry_labels::organization_id.eq(organization))
        .filter(changelog_entry_labels::changelog_entry_id.eq(changelog_entries::id))
        .order(changelog_entry_labels::place)
        .select(changelog_entry_labels::label_id)
}

/// The posts that are linked to an entry.
#[auto_type]
fn post_ids(organization: Id) -> _ {
    entry_links::table
        .filter(entry_links::organization_id.eq(organization))
        .filter(entry_links::changelog_entry_id.eq(changelog_entries::id))
        .order(entry_links::id)
        .select(entry_links::feedback_post_id)
}

impl Stored for ChangelogEntry {
    inserts!(
        slugged changelog_entries,
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
        |organization| (ChangelogEntryRow::as_select(), array(label_ids(organization)))
            => Listed<ChangelogEntryRow<'static>>,
        listed
    );
}

lists!(
    ChangelogEntry.label_ids in changelog_entry_labels.changelog_entry_id.label_id:
    label, label_anew
);

stored!(EntryLink: entry_links.id as EntryLinkRow<'static>);
