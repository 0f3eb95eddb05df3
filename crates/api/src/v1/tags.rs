//! `/tags/…`

use crate::answer::Timestamp;
use crate::endpoint::{Endpoint, handler, read};
use hearback_app::tags;
use hearback_domain::Uuid;
use hearback_domain::tag::Tag;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] =
    &[read("/tags/list", "List the tags", handler!(array<TagView>: tags::list))];

#[derive(Serialize, ToSchema)]
#[schema(as = Tag)]
pub(crate) struct TagView<'a> {
    id: Uuid,
    name: &'a str,
    code: Option<&'a str>,
    color: &'a str,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    created_at: Timestamp,
}

impl<'a> From<&'a Tag> for TagView<'a> {
    fn from(tag: &'a Tag) -> Self {
        Self {
            id: tag.id.0,
            name: &tag.name,
            code: tag.code.as_deref(),
            color: &tag.color,
            show_on_feedback: tag.show_on_feedback,
            show_on_roadmap: tag.show_on_roadmap,
            created_at: tag.created_at.into(),
        }
    }
}
