//! `/feedback-boards/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::NotFound;
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::by_id;
use hearback_app::{Missing, feedback_boards};
use hearback_domain::Uuid;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::BoardId;
use hearback_domain::record::Kind;
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
    .refusing(&[NotFound(Missing::Record(Kind::FeedbackBoard))]),
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
