//! Changelog entries.

use crate::error::{BadRow, store_error};
use crate::rows::{Id, Origin, all, by_first, json_array};
use crate::schema::{changelog_entries, changelog_entry_labels, sqlite_json_each};
use crate::stored::{Edited, Stored, finds, inserts, updates};
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
use std::borrow::Cow;

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
        // An offset walks what it skips, and a filter what it holds back: perhaps all there is.
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
                    .filter(changelog_entries::scheduled_at.le(now.unix_millis()))
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

/// The entries of a page and the one behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    filter: &EntryFilter,
    sort: EntrySort,
    skip: u64,
    page: &PageRequest<ByOptionalTime>,
) -> QueryResult<Vec<StoredEntry>> {
    let limit = page.limit.and_one();
    let all = in_order(matching(organization, filter), sort);
    let query = match page.after {
        // More than a number holds is as good as the largest.
        None => all.offset(i64::try_from(skip).unwrap_or(i64::MAX)),
        Some(after) => behind(all, sort, after),
    };
    let mut rows = query.limit(limit).select(ChangelogEntryRow::as_select()).load(connection)?;
    let rest = limit.saturating_sub_unsigned(rows.len() as u64);
    if sort == EntrySort::Published
        && page.after.is_some_and(|after| after.at.is_some())
        && rest > 0
    {
        // What was never published comes behind all that was: a range of the index for each.
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
        // One parameter, however many labels: a statement takes 32,766.
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
    fn unhex(digits: diesel::sql_types::Text) -> diesel::sql_types::Binary;
}

/// What has no time comes last where the order is descending: SQLite takes NULL for the smallest value.
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

/// Those behind a key: of [`EntrySort::Published`] with a time, only those that have one too.
fn behind(query: Entries, sort: EntrySort, after: ByOptionalTime) -> Entries {
    let (at, id) = (after.at.map(Time::unix_millis), Id(after.id));
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

fn with_labels(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    row: ChangelogEntryRow<'static>,
) -> QueryResult<StoredEntry> {
    // A statement for each entry: it is prepared once, where one for all of them would be prepared on every call.
    let label_ids = changelog_entry_labels::table
        .filter(changelog_entry_labels::organization_id.eq(Id::of(organization)))
        .filter(changelog_entry_labels::changelog_entry_id.eq(row.id))
        .order(changelog_entry_labels::place)
        .select(changelog_entry_labels::label_id)
        .load(connection)?;
    Ok(StoredEntry { row, label_ids })
}

// A parameter would prove nothing to the planner, which has an index of the scheduled ones alone.
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
            // One that was put off since it was found due waits for its new time.
            .filter(changelog_entries::scheduled_at.le(publication.at.unix_millis()))
            .set((
                changelog_entries::status_code.eq(EntryStatus::Published.code()),
                changelog_entries::published_at.eq(publication.at.unix_millis()),
                changelog_entries::updated_at.eq(publication.at.unix_millis()),
            ))
            .execute(connection)?;
        if count > 0 && publication.is_announced {
            mail_queue::announce(connection, organization, publication.id, publication.at)?;
        }
        published += count;
    }
    Ok(published)
}

/// One, active or not.
pub(crate) fn find(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: ChangelogEntryId,
) -> QueryResult<Option<StoredEntry>> {
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

/// Adds the labels to entries, which are in the order of their identifiers.
fn labelled(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    rows: Vec<ChangelogEntryRow<'static>>,
) -> QueryResult<Vec<StoredEntry>> {
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
        .map(|row| StoredEntry { label_ids: labels.remove(&row.id).unwrap_or_default(), row })
        .collect())
}

#[derive(Queryable)]
struct ScheduledRow {
    id: Id,
    scheduled_at: i64,
    notify: bool,
    show_on_portal: bool,
}

impl TryFrom<ScheduledRow> for ScheduledEntry {
    type Error = BadRow;

    fn try_from(row: ScheduledRow) -> Result<Self, BadRow> {
        let origin = Origin::new("changelog_entries", row.id);
        Ok(Self {
            id: row.id.to(),
            scheduled_at: origin.time("scheduled_at", row.scheduled_at)?,
            notify: row.notify,
            show_on_portal: row.show_on_portal,
        })
    }
}

/// A row with what stands in another table.
pub(crate) struct StoredEntry {
    row: ChangelogEntryRow<'static>,
    label_ids: Vec<Id>,
}

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = changelog_entries,
    check_for_backend(Sqlite),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct ChangelogEntryRow<'a> {
    id: Id,
    title: Cow<'a, str>,
    #[diesel(skip_update)]
    content: Cow<'a, str>,
    slug: Cow<'a, str>,
    status_code: Cow<'a, str>,
    show_on_portal: bool,
    featured_image_url: Option<Cow<'a, str>>,
    author_id: Option<Id>,
    scheduled_at: Option<i64>,
    published_at: Option<i64>,
    entry_type: Option<Cow<'a, str>>,
    notify: bool,
    is_active: bool,
    created_at: i64,
    updated_at: i64,
}

impl<'a> From<&'a ChangelogEntry> for ChangelogEntryRow<'a> {
    fn from(entry: &'a ChangelogEntry) -> Self {
        Self {
            id: Id::of(entry.id),
            title: Cow::from(&entry.title),
            content: Cow::from(&entry.content),
            slug: Cow::from(entry.slug.as_str()),
            status_code: Cow::from(entry.status.code()),
            show_on_portal: entry.show_on_portal,
            featured_image_url: entry.featured_image_url.as_deref().map(Cow::from),
            author_id: entry.author_id.map(Id::of),
            scheduled_at: entry.scheduled_at.map(Time::unix_millis),
            published_at: entry.published_at.map(Time::unix_millis),
            entry_type: entry.entry_type.map(|value| Cow::from(value.code())),
            notify: entry.notify,
            is_active: entry.is_active,
            created_at: entry.created_at.unix_millis(),
            updated_at: entry.updated_at.unix_millis(),
        }
    }
}

impl TryFrom<StoredEntry> for ChangelogEntry {
    type Error = BadRow;

    fn try_from(StoredEntry { row, label_ids }: StoredEntry) -> Result<Self, BadRow> {
        let origin = Origin::new("changelog_entries", row.id);
        Ok(Self {
            id: row.id.to(),
            title: row.title.into_owned(),
            content: row.content.into_owned(),
            slug: origin.slug(&row.slug)?,
            status: origin.code("status_code", &row.status_code)?,
            show_on_portal: row.show_on_portal,
            featured_image_url: row.featured_image_url.map(Cow::into_owned),
            author_id: row.author_id.map(Id::to),
            scheduled_at: origin.optional_time("scheduled_at", row.scheduled_at)?,
            published_at: origin.optional_time("published_at", row.published_at)?,
            entry_type: row.entry_type.map(|code| origin.code("entry_type", &code)).transpose()?,
            label_ids: label_ids.into_iter().map(Id::to).collect(),
            notify: row.notify,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
