//! Changelog entries.

use crate::error::BadRow;
use crate::rows::{Id, Origin, by_first};
use crate::schema::{changelog_entries, changelog_entry_labels};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::id::OrganizationId;
use hearback_domain::{ClosedSet, Time};
use std::borrow::Cow;

/// Writes one as it is, with its labels.
pub(crate) fn insert(connection: &mut SqliteConnection, organization: OrganizationId, entry: &ChangelogEntry) -> QueryResult<()> {
    diesel::insert_into(changelog_entries::table)
        .values((
            changelog_entries::organization_id.eq(Id::of(organization)),
            changelog_entries::slug_key.eq(entry.slug.key()),
            ChangelogEntryRow::from(entry),
        ))
        .execute(connection)?;
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

/// Those behind `after`, by id.
pub(crate) fn export(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    after: Option<Id>,
    limit: i64,
) -> QueryResult<Vec<StoredEntry>> {
    let mut query = changelog_entries::table
        .filter(changelog_entries::organization_id.eq(Id::of(organization)))
        .order(changelog_entries::id)
        .limit(limit)
        .select(ChangelogEntryRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(changelog_entries::id.gt(after));
    }
    let rows = query.load(connection)?;
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(Vec::new()) };
    let labels = changelog_entry_labels::table
        .filter(changelog_entry_labels::organization_id.eq(Id::of(organization)))
        .filter(changelog_entry_labels::changelog_entry_id.between(first.id, last.id))
        .order((changelog_entry_labels::changelog_entry_id, changelog_entry_labels::place))
        .select((changelog_entry_labels::changelog_entry_id, changelog_entry_labels::label_id))
        .load(connection)?;
    let mut labels = by_first(labels);
    Ok(rows.into_iter().map(|row| StoredEntry { label_ids: labels.remove(&row.id).unwrap_or_default(), row }).collect())
}

/// A row with what stands in another table.
pub(crate) struct StoredEntry {
    row: ChangelogEntryRow<'static>,
    label_ids: Vec<Id>,
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = changelog_entries, check_for_backend(Sqlite), treat_none_as_default_value = false)]
pub(crate) struct ChangelogEntryRow<'a> {
    id: Id,
    title: Cow<'a, str>,
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
