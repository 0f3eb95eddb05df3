//! `/feedback-boards/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::NotFound;
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::by_id;
use hearback_app::{Missing, feedback_boards};
use hearback_domain::Uuid;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::BoardId;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/feedback-boards/list",
        "List the feedback boards",
        handler!(array<BoardView>: feedback_boards::list),
    ),
    read(
        "/feedback-boards/retrieve",
        "Retrieve a feedback board",
        handler!(object<BoardView>: by_id::<BoardId> => feedback_boards::retrieve),
    )
    .refusing(&[NotFound(Missing::FeedbackBoard)]),
];

#[derive(Serialize, ToSchema)]
#[schema(as = FeedbackBoard)]
pub(crate) struct BoardView<'a> {
    id: Uuid,
    name: &'a str,
    slug: &'a str,
    description: Option<&'a str>,
    icon_url: Option<&'a str>,
    is_voting_enabled: bool,
    is_commenting_enabled: bool,
    show_post_dates: bool,
    created_at: Timestamp,
}

impl<'a> From<&'a FeedbackBoard> for BoardView<'a> {
    fn from(board: &'a FeedbackBoard) -> Self {
        Self {
            id: board.id.0,
            name: &board.name,
            slug: board.slug.as_str(),
            description: board.description.as_deref(),
            icon_url: board.icon_url.as_deref(),
            is_voting_enabled: board.is_voting_enabled,
            is_commenting_enabled: board.is_commenting_enabled,
            show_post_dates: board.show_post_dates,
            created_at: board.created_at.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, call, id, mocks, time};
    use hearback_domain::id::BoardId;
    use hearback_domain::position::Position;
    use hearback_domain::slug::Slug;
    use serde_json::json;

    const IDEAS: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-000000000001","name":"Ideas","slug":"Ideas","description":"What next?","#,
        r#""icon_url":"https://example.com/i.png","is_voting_enabled":true,"is_commenting_enabled":false,"#,
        r#""show_post_dates":true,"created_at":"2026-03-01T09:30:00.000Z"}"#
    );
    const BUGS: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-000000000002","name":"Bugs","slug":"bugs","description":null,"icon_url":null,"#,
        r#""is_voting_enabled":false,"is_commenting_enabled":true,"show_post_dates":false,"#,
        r#""created_at":"2026-03-01T09:30:00.000Z"}"#
    );

    fn ideas() -> FeedbackBoard {
        FeedbackBoard {
            id: id(1),
            name: "Ideas".to_owned(),
            slug: Slug::parse("Ideas").unwrap(),
            description: Some("What next?".to_owned()),
            icon_url: Some("https://example.com/i.png".to_owned()),
            is_voting_enabled: true,
            is_commenting_enabled: false,
            show_post_dates: true,
            is_active: true,
            seq_number: Position::START,
            created_at: time("2026-03-01T09:30:00Z"),
        }
    }

    fn bugs() -> FeedbackBoard {
        FeedbackBoard {
            id: id(2),
            name: "Bugs".to_owned(),
            slug: Slug::parse("bugs").unwrap(),
            description: None,
            icon_url: None,
            is_voting_enabled: false,
            is_commenting_enabled: true,
            show_post_dates: false,
            ..ideas()
        }
    }

    #[actix_web::test]
    async fn boards_are_listed_as_the_store_orders_them() {
        let mut some = mocks();
        some.feedback_boards
            .expect_list()
            .withf(|of| *of == ORGANIZATION)
            .returning(|_| Ok(vec![ideas(), bugs()]));
        let reply = call(some, "/feedback-boards/list", json!({})).await;
        assert_eq!(reply.shown(), (200, &*format!("[{IDEAS},{BUGS}]")));
        let mut none = mocks();
        none.feedback_boards.expect_list().returning(|_| Ok(vec![]));
        assert_eq!(call(none, "/feedback-boards/list", json!({})).await.shown(), (200, "[]"));
    }

    #[actix_web::test]
    async fn a_board_is_retrieved_by_its_id() {
        let mut mocks = mocks();
        let board = (ORGANIZATION, BoardId::from(Uuid::from_u128(1)));
        mocks
            .feedback_boards
            .expect_find()
            .withf(move |of, id| (*of, *id) == board)
            .returning(|_, _| Ok(Some(ideas())));
        let reply =
            call(mocks, "/feedback-boards/retrieve", json!({"id": Uuid::from_u128(1)})).await;
        assert_eq!(reply.shown(), (200, IDEAS));
    }

    #[actix_web::test]
    async fn an_unknown_board_is_not_found() {
        let mut mocks = mocks();
        mocks.feedback_boards.expect_find().returning(|_, _| Ok(None));
        let reply = call(mocks, "/feedback-boards/retrieve", json!({"id": Uuid::nil()})).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"feedback board not found"}}"#));
    }
}
