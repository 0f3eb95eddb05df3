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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, call, id, mocks, time};
    use hearback_domain::position::Position;
    use hearback_domain::status::StatusGroup;
    use serde_json::json;

    fn planned() -> Status {
        Status {
            id: id(1),
            name: "Planned".to_owned(),
            code: "planned".to_owned(),
            color: "#00ff00".to_owned(),
            group: StatusGroup::InProgress,
            is_default_status: true,
            show_on_feedback: true,
            show_on_roadmap: false,
            is_active: true,
            seq_number: Position::START,
            created_at: time("2026-03-01T09:30:00Z"),
        }
    }

    #[actix_web::test]
    async fn statuses_are_listed() {
        let mut mocks = mocks();
        mocks
            .statuses
            .expect_list()
            .withf(|of| *of == ORGANIZATION)
            .returning(|_| Ok(vec![planned()]));
        assert_eq!(
            call(mocks, "/statuses/list", json!({})).await.shown(),
            (
                200,
                concat!(
                    r##"[{"id":"00000000-0000-0000-0000-000000000001","name":"Planned","code":"planned","color":"#00ff00","##,
                    r##""status_group_code":"in-progress","is_default_status":true,"show_on_feedback":true,"##,
                    r##""show_on_roadmap":false,"created_at":"2026-03-01T09:30:00.000Z"}]"##
                )
            )
        );
    }
}
