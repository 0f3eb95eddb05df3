//! Feedback boards.

use crate::access::{Access, Domain, Guests, Moderating};
use crate::draft::{Draft, Patches};
use crate::edit::{Patch, replace};
use crate::id::{BoardId, UserId};
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{ExternalId, LongText, Name};
use crate::web_url::WebUrl;
use crate::{Time, Uuid};

/// A board that collects feedback posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackBoard {
    /// The identifier.
    pub id: BoardId,
    /// The name.
    pub name: String,
    /// The slug, unique among the organization's feedback boards.
    pub slug: Slug,
    /// The description.
    pub description: Option<String>,
    /// The URL of an icon.
    pub icon_url: Option<String>,
    /// Whether votes on the board's posts are accepted.
    pub is_voting_enabled: bool,
    /// Whether the portal invites comments on the board's posts.
    pub is_commenting_enabled: bool,
    /// Whether the portal shows the dates of posts.
    pub show_post_dates: bool,
    /// Who may see the board.
    pub access: Access,
    /// The domains of the addresses of users who may see a board with custom access.
    pub allowed_email_domains: Vec<String>,
    /// The users who may see a board with custom access.
    pub allowed_user_ids: Vec<UserId>,
    /// Which posts of the portal wait for moderation.
    pub post_moderation: Moderating,
    /// Which comments of the portal wait for moderation.
    pub comment_moderation: Moderating,
    /// What visitors who have not signed in may write.
    pub guests: Guests,
    /// The text with which the portal begins a new post.
    pub post_template: Option<String>,
    /// The identifier that another tool gave the board, unique among the organization's active feedback
    /// boards.
    pub external_id: Option<String>,
    /// `false` if the board is deleted.
    pub is_active: bool,
    /// The position among the organization's feedback boards.
    pub seq_number: Position,
    /// When the board was made.
    pub created_at: Time,
}

/// The fields of `/feedback-boards/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardDraft {
    /// The name.
    pub name: Name,
    /// The slug. `None`: one derived from the name.
    pub slug: Option<Slug>,
    /// The description.
    pub description: Option<LongText>,
    /// The URL of an icon.
    pub icon_url: Option<WebUrl>,
    /// Whether votes on the board's posts are accepted.
    pub is_voting_enabled: bool,
    /// Whether public comments on the board's posts are accepted.
    pub is_commenting_enabled: bool,
    /// Whether the portal shows the dates of posts.
    pub show_post_dates: bool,
    /// Who may see the board.
    pub access: Access,
    /// The domains of the addresses of users who may see a board with custom access.
    pub allowed_email_domains: Vec<Domain>,
    /// The users who may see a board with custom access.
    pub allowed_user_ids: Vec<UserId>,
    /// Which posts of the portal wait for moderation.
    pub post_moderation: Moderating,
    /// Which comments of the portal wait for moderation.
    pub comment_moderation: Moderating,
    /// What visitors who have not signed in may write.
    pub guests: Guests,
    /// The text with which the portal begins a new post.
    pub post_template: Option<LongText>,
    /// The identifier that another tool gave the board.
    pub external_id: Option<ExternalId>,
}

impl BoardDraft {
    /// The board with which a new organization begins.
    pub fn usual() -> Self {
        Self {
            name: Name::literal("Feedback"),
            slug: None,
            description: None,
            icon_url: None,
            is_voting_enabled: true,
            is_commenting_enabled: true,
            show_post_dates: true,
            access: Access::Public,
            allowed_email_domains: vec![],
            allowed_user_ids: vec![],
            post_moderation: Moderating::Off,
            comment_moderation: Moderating::Off,
            guests: Guests::None,
            post_template: None,
            external_id: None,
        }
    }
}

impl Draft for BoardDraft {
    type Record = FeedbackBoard;
    type Name = Slug;

    fn name(&self) -> Slug {
        self.slug.clone().unwrap_or_else(|| Slug::derive(self.name.as_str(), "board"))
    }

    fn create(self, id: Uuid, slug: Slug, now: Time) -> FeedbackBoard {
        FeedbackBoard {
            id: id.into(),
            name: self.name.into(),
            slug,
            description: self.description.map(String::from),
            icon_url: self.icon_url.map(String::from),
            is_voting_enabled: self.is_voting_enabled,
            is_commenting_enabled: self.is_commenting_enabled,
            show_post_dates: self.show_post_dates,
            access: self.access,
            allowed_email_domains: self.allowed_email_domains.into_iter().map(Into::into).collect(),
            allowed_user_ids: self.allowed_user_ids,
            post_moderation: self.post_moderation,
            comment_moderation: self.comment_moderation,
            guests: self.guests,
            post_template: self.post_template.map(String::from),
            external_id: self.external_id.map(String::from),
            is_active: true,
            seq_number: Position::START,
            created_at: now,
        }
    }
}

/// The new values of `/feedback-boards/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardPatch {
    /// The name.
    pub name: Option<Name>,
    /// The slug.
    pub slug: Option<Slug>,
    /// The description.
    pub description: Patch<LongText>,
    /// The URL of an icon.
    pub icon_url: Patch<WebUrl>,
    /// Whether votes on the board's posts are accepted.
    pub is_voting_enabled: Option<bool>,
    /// Whether public comments on the board's posts are accepted.
    pub is_commenting_enabled: Option<bool>,
    /// Whether the portal shows the dates of posts.
    pub show_post_dates: Option<bool>,
    /// Who may see the board.
    pub access: Option<Access>,
    /// The domains of the addresses of users who may see a board with custom access.
    pub allowed_email_domains: Option<Vec<Domain>>,
    /// The users who may see a board with custom access.
    pub allowed_user_ids: Option<Vec<UserId>>,
    /// Which posts of the portal wait for moderation.
    pub post_moderation: Option<Moderating>,
    /// Which comments of the portal wait for moderation.
    pub comment_moderation: Option<Moderating>,
    /// What visitors who have not signed in may write.
    pub guests: Option<Guests>,
    /// The text with which the portal begins a new post.
    pub post_template: Patch<LongText>,
    /// The identifier that another tool gave the board.
    pub external_id: Patch<ExternalId>,
}

impl Patches for BoardPatch {
    type Record = FeedbackBoard;

    fn edit(self, mut board: FeedbackBoard) -> FeedbackBoard {
        replace(&mut board.name, self.name);
        replace(&mut board.slug, self.slug);
        self.description.apply(&mut board.description);
        self.icon_url.apply(&mut board.icon_url);
        replace(&mut board.is_voting_enabled, self.is_voting_enabled);
        replace(&mut board.is_commenting_enabled, self.is_commenting_enabled);
        replace(&mut board.show_post_dates, self.show_post_dates);
        replace(&mut board.access, self.access);
        let domains = |domains: Vec<Domain>| Vec::from_iter(domains.into_iter().map(String::from));
        replace(&mut board.allowed_email_domains, self.allowed_email_domains.map(domains));
        replace(&mut board.allowed_user_ids, self.allowed_user_ids);
        replace(&mut board.post_moderation, self.post_moderation);
        replace(&mut board.comment_moderation, self.comment_moderation);
        replace(&mut board.guests, self.guests);
        self.post_template.apply(&mut board.post_template);
        self.external_id.apply(&mut board.external_id);
        board
    }
}
