//! `/statuses/…`

use crate::answer::{StatusGroupCode, Timestamp};
use crate::endpoint::{Endpoint, handler, read};
use hearback_app::statuses;
use hearback_domain::Uuid;
use hearback_domain::status::Status;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] =
    &[read("/statuses/list", "List the statuses", handler!(array<StatusView>: statuses::list))];

#[derive(Serialize, ToSchema)]
#[schema(as = Status)]
pub(crate) struct StatusView<'a> {
    id: Uuid,
    name: &'a str,
    code: &'a str,
    color: &'a str,
    #[schema(inline)]
    status_group_code: StatusGroupCode,
    is_default_status: bool,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    created_at: Timestamp,
}

impl<'a> From<&'a Status> for StatusView<'a> {
    fn from(status: &'a Status) -> Self {
        Self {
            id: status.id.0,
            name: &status.name,
            code: &status.code,
            color: &status.color,
            status_group_code: status.group.into(),
            is_default_status: status.is_default_status,
            show_on_feedback: status.show_on_feedback,
            show_on_roadmap: status.show_on_roadmap,
            created_at: status.created_at.into(),
        }
    }
}
