//! Tags.

use crate::SqliteStore;
use crate::error::BadRow;
use crate::rows::{Id, Origin, all};
use crate::schema::tags;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::id::OrganizationId;
use hearback_domain::tag::Tag;
use hearback_ports::{StoreError, TagRepository};
use std::borrow::Cow;

#[async_trait]
impl TagRepository for SqliteStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Tag>, StoreError> {
        let rows: Vec<TagRow<'_>> = self.readers.read("listing tags", |connection| {
            tags::table
                .filter(tags::organization_id.eq(Id::of(organization)))
                .filter(tags::is_active)
                .order((tags::name, tags::id))
                .select(TagRow::as_select())
                .load(connection)
        })?;
        Ok(all(rows)?)
    }
}

/// Writes one as it is.
pub(crate) fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    tag: &Tag,
) -> QueryResult<()> {
    diesel::insert_into(tags::table)
        .values((tags::organization_id.eq(Id::of(organization)), TagRow::from(tag)))
        .execute(connection)?;
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) fn export(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    after: Option<Id>,
    limit: i64,
) -> QueryResult<Vec<TagRow<'static>>> {
    let mut query = tags::table
        .filter(tags::organization_id.eq(Id::of(organization)))
        .order(tags::id)
        .limit(limit)
        .select(TagRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(tags::id.gt(after));
    }
    query.load(connection)
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = tags, check_for_backend(Sqlite), treat_none_as_default_value = false)]
pub(crate) struct TagRow<'a> {
    id: Id,
    name: Cow<'a, str>,
    code: Option<Cow<'a, str>>,
    color: Cow<'a, str>,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    is_active: bool,
    created_at: i64,
}

impl<'a> From<&'a Tag> for TagRow<'a> {
    fn from(tag: &'a Tag) -> Self {
        Self {
            id: Id::of(tag.id),
            name: Cow::from(&tag.name),
            code: tag.code.as_deref().map(Cow::from),
            color: Cow::from(&tag.color),
            show_on_feedback: tag.show_on_feedback,
            show_on_roadmap: tag.show_on_roadmap,
            is_active: tag.is_active,
            created_at: tag.created_at.unix_millis(),
        }
    }
}

impl TryFrom<TagRow<'_>> for Tag {
    type Error = BadRow;

    fn try_from(row: TagRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("tags", row.id);
        Ok(Self {
            id: row.id.to(),
            name: row.name.into_owned(),
            code: row.code.map(Cow::into_owned),
            color: row.color.into_owned(),
            show_on_feedback: row.show_on_feedback,
            show_on_roadmap: row.show_on_roadmap,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
