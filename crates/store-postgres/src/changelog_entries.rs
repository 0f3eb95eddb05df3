//! Changelog entries.

use crate::PgStore;
use crate::organizations;
use crate::readers::Reach;
use crate::stored::{Stored, finds, inserts, lists, updates};
use async_trait::async_trait;
use diesel::dsl::{array, auto_type, exists};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryFilter, EntrySort, EntryStatus, Publication, ScheduledEntry,
};
use hearback_domain::id::OrganizationId;
use hearback_domain::mail::Mailing;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use hearback_ports::{ChangelogEntryRepository, StoreError};
use hearback_store_rows::changelog_entries::ScheduledRow;
use hearback_store_rows::postgres::lists::{Entries, entries, entries_behind};
use hearback_store_rows::rows::{ChangelogEntryRow, Listed};
use hearback_store_rows::schema::{changelog_entries, changelog_entry_labels};
use hearback_store_rows::{Id, Stamp, all, mails, queries};
use std::collections::{BTreeMap, HashMap};

#[async_trait]
impl ChangelogEntryRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: EntryFilter,
        sort: EntrySort,
        skip: u64,
        page: PageRequest<ByOptionalTime>,
    ) -> Result<Page<ChangelogEntry, ByOptionalTime>, StoreError> {
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
        Ok(Page::cut(all(rows)?, limit, |entry: &ChangelogEntry| ByOptionalTime {
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
        let rows: Vec<ScheduledRow> = self
            .readers
            .rows("listing entries to publish", || {
                queries::due(Id::of(organization), Stamp::of(now), limit)
            })
            .await?;
        Ok(all(rows)?)
    }

    async fn publish(
        &self,
        organization: OrganizationId,
        publications: Vec<Publication>,
    ) -> Result<usize, StoreError> {
        let published = self.writer.write("publishing entries", move |connection| {
            async move { publish(connection, organization, publications).await }.boxed()
        });
        // `None`: another transaction was faster, and published them.
        Ok(published.await?.unwrap_or(0))
    }
}

impl PgStore {
    async fn entries(
        &self,
        organization: OrganizationId,
        reach: Reach,
        limit: i64,
        query: impl Fn() -> Entries + Send + Sync,
    ) -> Result<Vec<Listed<ChangelogEntryRow<'static>>>, StoreError> {
        let query = || {
            query()
                .limit(limit)
                .select((ChangelogEntryRow::as_select(), array(label_ids(Id::of(organization)))))
        };
        self.list_rows(reach, "listing changelog entries", query).await
    }
}

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

async fn publish(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    publications: Vec<Publication>,
) -> QueryResult<usize> {
    if !organizations::try_hold(connection, organization).await? {
        return Ok(0);
    }
    let ids: Vec<Id> = publications.iter().map(|publication| Id::of(publication.id)).collect();
    // An entry that another transaction holds is being published or deleted.
    let mut scheduled: HashMap<Id, Stamp> = changelog_entries::table
        .filter(changelog_entries::organization_id.eq(Id::of(organization)))
        .filter(changelog_entries::id.eq_any(ids))
        .filter(queries::is_scheduled())
        .filter(changelog_entries::is_active)
        .order(changelog_entries::id)
        .select((changelog_entries::id, changelog_entries::scheduled_at.assume_not_null()))
        .for_no_key_update()
        .skip_locked()
        .load(connection)
        .await?
        .into_iter()
        .collect();
    let mut by_time: BTreeMap<Time, Vec<Publication>> = BTreeMap::new();
    for publication in publications {
        // An entry that was postponed after it was found due waits for its new time.
        if scheduled
            .remove(&Id::of(publication.id))
            .is_some_and(|scheduled_at| scheduled_at <= Stamp::of(publication.at))
        {
            by_time.entry(publication.at).or_default().push(publication);
        }
    }
    let mut published = 0;
    for (at, publications) in by_time {
        let ids: Vec<Id> = publications.iter().map(|publication| Id::of(publication.id)).collect();
        published += diesel::update(changelog_entries::table)
            .filter(changelog_entries::organization_id.eq(Id::of(organization)))
            .filter(changelog_entries::id.eq_any(ids))
            .set((
                changelog_entries::status_code.eq(EntryStatus::Published.code()),
                changelog_entries::published_at.eq(Stamp::of(at)),
                changelog_entries::updated_at.eq(Stamp::of(at)),
            ))
            .execute(connection)
            .await?;
        for announced in publications.iter().filter(|publication| publication.is_announced) {
            let mailing = Mailing::of_entry(announced.id);
            mails::announce::<()>(organization, mailing, at).execute(connection).await?;
        }
    }
    Ok(published)
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
