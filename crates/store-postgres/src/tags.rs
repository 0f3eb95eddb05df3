//! Tags.

use crate::PgStore;
use crate::error::BadRow;
use crate::readers::Walk;
use crate::rows::{Origin, all, timestamp};
use crate::schema::tags;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::tag::Tag;
use hearback_ports::{StoreError, TagRepository};
use std::borrow::Cow;

#[async_trait]
impl TagRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Tag>, StoreError> {
        let rows: Vec<TagRow<'_>> = self
            .list_rows(Walk::Short, "listing tags", || {
                tags::table
                    .filter(tags::organization_id.eq(organization.0))
                    .filter(tags::is_active)
                    .order((tags::name, tags::id))
                    .select(TagRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }
}

stored!(Tag: tags.id as TagRow<'static>);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = tags,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct TagRow<'a> {
    id: Uuid,
    name: Cow<'a, str>,
    code: Option<Cow<'a, str>>,
    color: Cow<'a, str>,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    is_public: bool,
    external_id: Option<Cow<'a, str>>,
    is_active: bool,
    created_at: PgTimestamp,
}

impl<'a> From<&'a Tag> for TagRow<'a> {
    fn from(tag: &'a Tag) -> Self {
        Self {
            id: tag.id.0,
            name: Cow::from(&tag.name),
            code: tag.code.as_deref().map(Cow::from),
            color: Cow::from(&tag.color),
            show_on_feedback: tag.show_on_feedback,
            show_on_roadmap: tag.show_on_roadmap,
            is_public: tag.is_public,
            external_id: tag.external_id.as_deref().map(Cow::from),
            is_active: tag.is_active,
            created_at: timestamp(tag.created_at),
        }
    }
}

impl TryFrom<TagRow<'_>> for Tag {
    type Error = BadRow;

    fn try_from(row: TagRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("tags", row.id);
        Ok(Self {
            id: row.id.into(),
            name: row.name.into_owned(),
            code: row.code.map(Cow::into_owned),
            color: row.color.into_owned(),
            show_on_feedback: row.show_on_feedback,
            show_on_roadmap: row.show_on_roadmap,
            is_public: row.is_public,
            external_id: row.external_id.map(Cow::into_owned),
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
