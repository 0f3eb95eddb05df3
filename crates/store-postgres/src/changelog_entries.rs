//! Changelog entries.

use crate::PgStore;
use crate::error::BadRow;
use crate::readers::Walk;
use crate::rows::{Origin, ROWS, all, timestamp};
use crate::schema::{changelog_entries, changelog_entry_labels};
use crate::stored::{Edited, Stored, finds, inserts, updates};
use crate::{mail_queue, organizations};
use async_trait::async_trait;
use diesel::dsl::{array, auto_type, exists};
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryFilter, EntrySort, EntryStatus, Publication, ScheduledEntry,
};
use hearback_domain::id::OrganizationId;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use hearback_ports::{ChangelogEntryRepository, StoreError};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::slice;

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
        // An offset walks what it skips, and a filter what it holds back: perhaps all there is.
        let walk =
            if skip > 0 || filter != EntryFilter::default() { Walk::Long } else { Walk::Short };
        let query = || {
            let all = in_order(matching(organization, &filter), sort);
            match after {
                // More than a number holds is as good as the largest.
                None => all.offset(i64::try_from(skip).unwrap_or(i64::MAX)),
                Some(after) => behind(all, sort, after),
            }
        };
        let mut rows = self.entries(walk, limit.and_one(), query).await?;
        let rest = limit.and_one().saturating_sub_unsigned(rows.len() as u64);
        if sort == EntrySort::Published && after.is_some_and(|after| after.at.is_some()) && rest > 0
        {
            // What was never published comes behind all that was: a range of the index for each.
            let unpublished = || {
                in_order(
                    matching(organization, &filter)
                        .filter(changelog_entries::published_at.is_null()),
                    sort,
                )
            };
            rows.extend(self.entries(walk, rest, unpublished).await?);
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
                changelog_entries::table
                    .filter(changelog_entries::organization_id.eq(organization.0))
                    .filter(IsScheduled::new(changelog_entries::status_code))
                    .filter(changelog_entries::is_active)
                    .filter(changelog_entries::scheduled_at.le(timestamp(now)))
                    .order((changelog_entries::scheduled_at, changelog_entries::id))
                    .limit(limit)
                    .select((
                        changelog_entries::id,
                        changelog_entries::scheduled_at.assume_not_null(),
                        changelog_entries::notify,
                        changelog_entries::show_on_portal,
                    ))
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
        // Where others were faster, they published.
        Ok(published.await?.unwrap_or(0))
    }
}

impl PgStore {
    async fn entries(
        &self,
        walk: Walk,
        limit: i64,
        query: impl Fn() -> Entries + Send + Sync,
    ) -> Result<Vec<StoredEntry>, StoreError> {
        let query =
            || query().limit(limit).select((ChangelogEntryRow::as_select(), array(label_ids())));
        self.list_rows(walk, "listing changelog entries", query).await
    }
}

type Entries = changelog_entries::BoxedQuery<'static, Pg>;

fn matching(organization: OrganizationId, filter: &EntryFilter) -> Entries {
    let mut query = changelog_entries::table
        .filter(changelog_entries::organization_id.eq(organization.0))
        .filter(changelog_entries::is_active)
        .into_boxed();
    if let Some(entry_type) = filter.entry_type {
        query = query.filter(changelog_entries::entry_type.eq(entry_type.code()));
    }
    if !filter.label_ids.is_empty() {
        let wanted: Vec<Uuid> = filter.label_ids.iter().map(|label| label.0).collect();
        query = query.filter(exists(
            changelog_entry_labels::table
                .filter(changelog_entry_labels::organization_id.eq(organization.0))
                .filter(changelog_entry_labels::changelog_entry_id.eq(changelog_entries::id))
                .filter(changelog_entry_labels::label_id.eq_any(wanted)),
        ));
    }
    query
}

/// What was never published comes last, where the index has it.
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

/// Those behind a key: of [`EntrySort::Published`] with a time, only those that have one too.
fn behind(query: Entries, sort: EntrySort, after: ByOptionalTime) -> Entries {
    let (at, id) = (after.at.map(timestamp), after.id);
    // These forms, so that the index is entered at the key: all before it would be walked for an OR alone.
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
        // Only what was never published has no time.
        (_, None) => query
            .filter(changelog_entries::published_at.is_null())
            .filter(changelog_entries::id.lt(id)),
    }
}

#[auto_type]
pub(crate) fn label_ids() -> _ {
    changelog_entry_labels::table
        .filter(changelog_entry_labels::organization_id.eq(changelog_entries::organization_id))
        .filter(changelog_entry_labels::changelog_entry_id.eq(changelog_entries::id))
        .order(changelog_entry_labels::place)
        .select(changelog_entry_labels::label_id)
}

// A parameter would prove nothing to the planner, which has an index of the scheduled ones alone.
diesel::postfix_operator!(IsScheduled, " = 'scheduled'");

async fn publish(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    publications: Vec<Publication>,
) -> QueryResult<usize> {
    if !organizations::try_hold(connection, organization).await? {
        return Ok(0);
    }
    let ids: Vec<Uuid> = publications.iter().map(|publication| publication.id.0).collect();
    // Those that somebody else holds are being published or deleted.
    let mut scheduled: HashMap<Uuid, PgTimestamp> = changelog_entries::table
        .filter(changelog_entries::organization_id.eq(organization.0))
        .filter(changelog_entries::id.eq_any(ids))
        .filter(IsScheduled::new(changelog_entries::status_code))
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
        // One that was put off since it was found due waits for its new time.
        if scheduled
            .remove(&publication.id.0)
            .is_some_and(|scheduled_at| scheduled_at <= timestamp(publication.at))
        {
            by_time.entry(publication.at).or_default().push(publication);
        }
    }
    let mut published = 0;
    for (at, publications) in by_time {
        let ids: Vec<Uuid> = publications.iter().map(|publication| publication.id.0).collect();
        published += diesel::update(changelog_entries::table)
            .filter(changelog_entries::organization_id.eq(organization.0))
            .filter(changelog_entries::id.eq_any(ids))
            .set((
                changelog_entries::status_code.eq(EntryStatus::Published.code()),
                changelog_entries::published_at.eq(timestamp(at)),
                changelog_entries::updated_at.eq(timestamp(at)),
            ))
            .execute(connection)
            .await?;
        let announced: Vec<Uuid> = publications
            .iter()
            .filter(|publication| publication.is_announced)
            .map(|publication| publication.id.0)
            .collect();
        mail_queue::announce(connection, organization, &announced, at).await?;
    }
    Ok(published)
}

#[derive(Queryable)]
struct ScheduledRow {
    id: Uuid,
    scheduled_at: PgTimestamp,
    notify: bool,
    show_on_portal: bool,
}

impl TryFrom<ScheduledRow> for ScheduledEntry {
    type Error = BadRow;

    fn try_from(row: ScheduledRow) -> Result<Self, BadRow> {
        let origin = Origin::new("changelog_entries", row.id);
        Ok(Self {
            id: row.id.into(),
            scheduled_at: origin.time("scheduled_at", row.scheduled_at)?,
            notify: row.notify,
            show_on_portal: row.show_on_portal,
        })
    }
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
        (ChangelogEntryRow::as_select(), array(label_ids())) => StoredEntry,
        listed
    );
}

/// Replaces the labels of an entry, if they change.
async fn label_anew(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    entry: Edited<'_, ChangelogEntry>,
) -> QueryResult<()> {
    if entry.before.label_ids == entry.after.label_ids {
        return Ok(());
    }
    diesel::delete(changelog_entry_labels::table)
        .filter(changelog_entry_labels::organization_id.eq(organization.0))
        .filter(changelog_entry_labels::changelog_entry_id.eq(entry.after.id.0))
        .execute(connection)
        .await?;
    label(connection, organization, slice::from_ref(entry.after)).await
}

/// Writes the labels of entries.
async fn label(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[ChangelogEntry],
) -> QueryResult<()> {
    let labels: Vec<_> = all
        .iter()
        .flat_map(|entry| {
            entry.label_ids.iter().zip(0_i32..).map(|(label, place)| (entry.id, label, place))
        })
        .map(|(entry, label, place)| {
            (
                changelog_entry_labels::organization_id.eq(organization.0),
                changelog_entry_labels::changelog_entry_id.eq(entry.0),
                changelog_entry_labels::label_id.eq(label.0),
                changelog_entry_labels::place.eq(place),
            )
        })
        .collect();
    for some in labels.chunks(ROWS) {
        diesel::insert_into(changelog_entry_labels::table).values(some).execute(connection).await?;
    }
    Ok(())
}

/// A row with what stands in another table.
#[derive(Queryable)]
pub(crate) struct StoredEntry {
    row: ChangelogEntryRow<'static>,
    label_ids: Vec<Uuid>,
}

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = changelog_entries,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct ChangelogEntryRow<'a> {
    id: Uuid,
    title: Cow<'a, str>,
    #[diesel(skip_update)]
    content: Cow<'a, str>,
    slug: Cow<'a, str>,
    status_code: Cow<'a, str>,
    show_on_portal: bool,
    featured_image_url: Option<Cow<'a, str>>,
    author_id: Option<Uuid>,
    scheduled_at: Option<PgTimestamp>,
    published_at: Option<PgTimestamp>,
    entry_type: Option<Cow<'a, str>>,
    notify: bool,
    is_active: bool,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
}

impl<'a> From<&'a ChangelogEntry> for ChangelogEntryRow<'a> {
    fn from(entry: &'a ChangelogEntry) -> Self {
        Self {
            id: entry.id.0,
            title: Cow::from(&entry.title),
            content: Cow::from(&entry.content),
            slug: Cow::from(entry.slug.as_str()),
            status_code: Cow::from(entry.status.code()),
            show_on_portal: entry.show_on_portal,
            featured_image_url: entry.featured_image_url.as_deref().map(Cow::from),
            author_id: entry.author_id.map(Uuid::from),
            scheduled_at: entry.scheduled_at.map(timestamp),
            published_at: entry.published_at.map(timestamp),
            entry_type: entry.entry_type.map(|entry_type| Cow::from(entry_type.code())),
            notify: entry.notify,
            is_active: entry.is_active,
            created_at: timestamp(entry.created_at),
            updated_at: timestamp(entry.updated_at),
        }
    }
}

impl TryFrom<StoredEntry> for ChangelogEntry {
    type Error = BadRow;

    fn try_from(StoredEntry { row, label_ids }: StoredEntry) -> Result<Self, BadRow> {
        let origin = Origin::new("changelog_entries", row.id);
        Ok(Self {
            id: row.id.into(),
            title: row.title.into_owned(),
            content: row.content.into_owned(),
            slug: origin.slug(&row.slug)?,
            status: origin.code("status_code", &row.status_code)?,
            show_on_portal: row.show_on_portal,
            featured_image_url: row.featured_image_url.map(Cow::into_owned),
            author_id: row.author_id.map(Into::into),
            scheduled_at: origin.optional_time("scheduled_at", row.scheduled_at)?,
            published_at: origin.optional_time("published_at", row.published_at)?,
            entry_type: row.entry_type.map(|code| origin.code("entry_type", &code)).transpose()?,
            label_ids: label_ids.into_iter().map(Into::into).collect(),
            notify: row.notify,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
