//! `/feedback-boards/…`

use crate::answer::{AccessCode, GuestCode, ModeratingCode, Timestamp, as_uuids};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, boolean, bounded, by_id, domain, one_of, slug, uuid, web_url};
use crate::v1::content::deletion;
use hearback_app::content::DeleteWithContent;
use hearback_app::feedback_boards;
use hearback_app::reorder::{Order, reorder};
use hearback_app::write::Update;
use hearback_app::{Missing, Precondition, crud};
use hearback_domain::Uuid;
use hearback_domain::feedback_board::{BoardDraft, BoardPatch, FeedbackBoard};
use hearback_domain::id::{BoardId, UserId};
use hearback_domain::record::{Kind, Parent};
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
        handler!(object<BoardView>: by_id::<BoardId> => crud::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::FeedbackBoard))]),
    write(
        "/feedback-boards/create",
        "Create a feedback board",
        handler!(created: draft => crud::create),
    )
    .refusing(&[Refused(Precondition::UnknownOf("allowed_user_ids"))]),
    write(
        "/feedback-boards/update",
        "Change a feedback board",
        handler!(success: patch => crud::update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackBoard)),
        Refused(Precondition::UnknownOf("allowed_user_ids")),
        Refused(Precondition::SlugTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
    write(
        "/feedback-boards/delete",
        "Delete a feedback board",
        handler!(tried: delete => feedback_boards::delete),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackBoard)),
        Refused(Precondition::BoardHasPosts),
    ]),
    write(
        "/feedback-boards/reorder",
        "Put the feedback boards in another order",
        handler!(success: order => reorder::<FeedbackBoard>),
    )
    .refusing(&[Refused(Precondition::NotEveryOne)]),
];

fn delete(fields: &mut Fields<'_>) -> Result<DeleteWithContent<BoardId>, Noted> {
    let id = fields.required("board_id", uuid);
    let rule = "posts cannot move to the deleted board";
    let to = fields.optional_other("move_posts_to_board_id", &id, rule);
    let exclusive = "move_posts_to_board_id and delete_posts exclude each other";
    deletion(fields, id, ("move_posts_to_board_id", to), ("delete_posts", exclusive))
}

fn order(fields: &mut Fields<'_>) -> Result<Order, Noted> {
    Ok(Order { parent: Parent::Organization, ids: fields.order()? })
}

fn draft(fields: &mut Fields<'_>) -> Result<BoardDraft, Noted> {
    let name = fields.required("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon_url = fields.optional("icon_url", web_url);
    let is_voting_enabled = fields.optional("is_voting_enabled", boolean);
    let is_commenting_enabled = fields.optional("is_commenting_enabled", boolean);
    let show_post_dates = fields.optional("show_post_dates", boolean);
    let access = fields.optional("access_code", one_of);
    let domains = fields.list_of("allowed_email_domains", Some(MOST_DOMAINS), domain);
    let users = fields.some_ids("allowed_user_ids");
    let post_moderation = fields.optional("post_moderation_code", one_of);
    let comment_moderation = fields.optional("comment_moderation_code", one_of);
    let guests = fields.optional("guest_code", one_of);
    let post_template = fields.optional("post_template", bounded);
    let external_id = fields.optional("external_id", bounded);
    Ok(BoardDraft {
        name: name?,
        slug: slug?,
        description: description?,
        icon_url: icon_url?,
        is_voting_enabled: is_voting_enabled?.unwrap_or(true),
        is_commenting_enabled: is_commenting_enabled?.unwrap_or(true),
        show_post_dates: show_post_dates?.unwrap_or(true),
        access: access?.unwrap_or_default(),
        allowed_email_domains: domains?.unwrap_or_default(),
        allowed_user_ids: users?.unwrap_or_default(),
        post_moderation: post_moderation?.unwrap_or_default(),
        comment_moderation: comment_moderation?.unwrap_or_default(),
        guests: guests?.unwrap_or_default(),
        post_template: post_template?,
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<Update<BoardId, BoardPatch>, Noted> {
    let id = fields.id("board_id");
    let name = fields.optional("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.clearable("description", bounded);
    let icon_url = fields.clearable("icon_url", web_url);
    let is_voting_enabled = fields.optional("is_voting_enabled", boolean);
    let is_commenting_enabled = fields.optional("is_commenting_enabled", boolean);
    let show_post_dates = fields.optional("show_post_dates", boolean);
    let access = fields.optional("access_code", one_of);
    let domains = fields.list_of("allowed_email_domains", Some(MOST_DOMAINS), domain);
    let users = fields.some_ids("allowed_user_ids");
    let post_moderation = fields.optional("post_moderation_code", one_of);
    let comment_moderation = fields.optional("comment_moderation_code", one_of);
    let guests = fields.optional("guest_code", one_of);
    let post_template = fields.clearable("post_template", bounded);
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
        access: access?,
        allowed_email_domains: domains?,
        allowed_user_ids: users?,
        post_moderation: post_moderation?,
        comment_moderation: comment_moderation?,
        guests: guests?,
        post_template: post_template?,
        external_id: external_id?,
    };
    cleared?;
    Ok(Update::new(id?, patch))
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
    #[schema(inline)]
    access_code: AccessCode,
    allowed_email_domains: &'a [String],
    #[serde(serialize_with = "as_uuids")]
    #[schema(value_type = Vec<Uuid>)]
    allowed_user_ids: &'a [UserId],
    #[schema(inline)]
    post_moderation_code: ModeratingCode,
    #[schema(inline)]
    comment_moderation_code: ModeratingCode,
    #[schema(inline)]
    guest_code: GuestCode,
    post_template: Option<&'a str>,
}

/// The most domains of a board.
const MOST_DOMAINS: usize = 100;

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
            access_code: board.access.into(),
            allowed_email_domains: &board.allowed_email_domains,
            allowed_user_ids: &board.allowed_user_ids,
            post_moderation_code: board.post_moderation.into(),
            comment_moderation_code: board.comment_moderation.into(),
            guest_code: board.guests.into(),
            post_template: board.post_template.as_deref(),
        }
    }
}
