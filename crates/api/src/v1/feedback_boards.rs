//! `/feedback-boards/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, boolean, bounded, by_id, slug, web_url};
use hearback_app::feedback_boards::{self, UpdateBoard};
use hearback_app::{Missing, Precondition};
use hearback_domain::Uuid;
use hearback_domain::feedback_board::{BoardDraft, BoardPatch, FeedbackBoard};
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
    write(
        "/feedback-boards/create",
        "Create a feedback board",
        handler!(created: draft => feedback_boards::create),
    ),
    write(
        "/feedback-boards/update",
        "Change a feedback board",
        handler!(success: patch => feedback_boards::update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackBoard)),
        Refused(Precondition::SlugTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
];

fn draft(fields: &mut Fields<'_>) -> Result<BoardDraft, Noted> {
    let name = fields.required("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon_url = fields.optional("icon_url", web_url);
    let is_voting_enabled = fields.optional("is_voting_enabled", boolean);
    let is_commenting_enabled = fields.optional("is_commenting_enabled", boolean);
    let show_post_dates = fields.optional("show_post_dates", boolean);
    let external_id = fields.optional("external_id", bounded);
    Ok(BoardDraft {
        name: name?,
        slug: slug?,
        description: description?,
        icon_url: icon_url?,
        is_voting_enabled: is_voting_enabled?.unwrap_or(true),
        is_commenting_enabled: is_commenting_enabled?.unwrap_or(true),
        show_post_dates: show_post_dates?.unwrap_or(true),
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<UpdateBoard, Noted> {
    let id = fields.id("board_id");
    let name = fields.optional("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.clearable("description", bounded);
    let icon_url = fields.clearable("icon_url", web_url);
    let is_voting_enabled = fields.optional("is_voting_enabled", boolean);
    let is_commenting_enabled = fields.optional("is_commenting_enabled", boolean);
    let show_post_dates = fields.optional("show_post_dates", boolean);
    let external_id = fields.clearable("external_id", bounded);
    let cleared = fields.clear();
    let patch = BoardPatch {
        name: name?,
        slug: slug?,
        description: description?,
        icon_url: icon_url?,
        is_voting_enabled: is_voting_enabled?,
        is_commenting_enabled: is_commenting_enabled?,
        show_post_dates: show_post_dates?,
        external_id: external_id?,
    };
    cleared?;
    Ok(UpdateBoard::new(id?, patch))
}

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
    external_id: Option<&'a str>,
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
            external_id: board.external_id.as_deref(),
        }
    }
}
