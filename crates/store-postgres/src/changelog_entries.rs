//! Changelog entries.

use crate::error::BadRow;
use crate::import::ROWS;
use crate::rows::{Origin, timestamp};
use crate::schema::{changelog_entries, changelog_entry_labels};
use diesel::dsl::array;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::id::OrganizationId;
use hearback_domain::{ClosedSet, Uuid};
use std::borrow::Cow;

/// Writes them as they are, their labels included.
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[ChangelogEntry],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|entry| {
                (
                    changelog_entries::organization_id.eq(organization.0),
                    changelog_entries::slug_key.eq(entry.slug.key()),
                    ChangelogEntryRow::from(entry),
                )
            })
            .collect();
        diesel::insert_into(changelog_entries::table).values(rows).execute(connection).await?;
    }
    let labels: Vec<_> = all
        .iter()
        .flat_map(|entry| entry.label_ids.iter().zip(0_i32..).map(|(label, place)| (entry.id, label, place)))
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

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<StoredEntry>> {
    let label_ids = changelog_entry_labels::table
        .filter(changelog_entry_labels::organization_id.eq(changelog_entries::organization_id))
        .filter(changelog_entry_labels::changelog_entry_id.eq(changelog_entries::id))
        .order(changelog_entry_labels::place)
        .select(changelog_entry_labels::label_id);
    let mut query = changelog_entries::table
        .filter(changelog_entries::organization_id.eq(organization.0))
        .order(changelog_entries::id)
        .limit(limit)
        .select((ChangelogEntryRow::as_select(), array(label_ids)))
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(changelog_entries::id.gt(after));
    }
    query.load(connection).await
}

/// A row with what stands in another table.
#[derive(Queryable)]
pub(crate) struct StoredEntry {
    row: ChangelogEntryRow<'static>,
    label_ids: Vec<Uuid>,
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = changelog_entries, check_for_backend(Pg), treat_none_as_default_value = false)]
pub(crate) struct ChangelogEntryRow<'a> {
    id: Uuid,
    title: Cow<'a, str>,
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
