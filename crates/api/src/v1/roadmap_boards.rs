//! `/roadmap-boards/…`

use crate::answer::Timestamp;
use crate::endpoint::{Endpoint, handler, read};
use hearback_app::roadmap_boards;
use hearback_domain::Uuid;
use hearback_domain::roadmap_board::RoadmapBoard;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[read(
    "/roadmap-boards/list",
    "List the roadmap boards",
    handler!(array<RoadmapBoardView>: roadmap_boards::list),
)];

#[derive(Serialize, ToSchema)]
#[schema(as = RoadmapBoard)]
pub(crate) struct RoadmapBoardView<'a> {
    id: Uuid,
    name: &'a str,
    slug: &'a str,
    description: Option<&'a str>,
    icon_url: Option<&'a str>,
    is_voting_enabled: bool,
    created_at: Timestamp,
}

impl<'a> From<&'a RoadmapBoard> for RoadmapBoardView<'a> {
    fn from(board: &'a RoadmapBoard) -> Self {
        Self {
            id: board.id.0,
            name: &board.name,
            slug: board.slug.as_str(),
            description: board.description.as_deref(),
            icon_url: board.icon_url.as_deref(),
            is_voting_enabled: board.is_voting_enabled,
            created_at: board.created_at.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, call, id, mocks, time};
    use hearback_domain::position::Position;
    use hearback_domain::slug::Slug;
    use serde_json::json;

    fn product() -> RoadmapBoard {
        RoadmapBoard {
            id: id(1),
            name: "Product".to_owned(),
            slug: Slug::parse("product").unwrap(),
            description: None,
            icon_url: Some("https://example.com/p.png".to_owned()),
            is_voting_enabled: true,
            is_active: true,
            seq_number: Position::START,
            created_at: time("2026-03-01T09:30:00Z"),
        }
    }

    #[actix_web::test]
    async fn roadmap_boards_are_listed() {
        let mut mocks = mocks();
        mocks
            .roadmap_boards
            .expect_list()
            .withf(|of| *of == ORGANIZATION)
            .returning(|_| Ok(vec![product()]));
        assert_eq!(
            call(mocks, "/roadmap-boards/list", json!({})).await.shown(),
            (
                200,
                concat!(
                    r#"[{"id":"00000000-0000-0000-0000-000000000001","name":"Product","slug":"product","description":null,"#,
                    r#""icon_url":"https://example.com/p.png","is_voting_enabled":true,"created_at":"2026-03-01T09:30:00.000Z"}]"#
                )
            )
        );
    }
}
