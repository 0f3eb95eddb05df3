//! Feedback boards.

use crate::Time;
use crate::edit::{Patch, replace};
use crate::id::BoardId;
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{ExternalId, LongText, Name};
use crate::web_url::WebUrl;

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
    /// The identifier that another tool gave the board.
    pub external_id: Option<ExternalId>,
}

impl BoardDraft {
    /// The given or derived slug. The board gets a derived one unless it is taken.
    pub fn slug(&self) -> Slug {
        self.slug.clone().unwrap_or_else(|| Slug::derive(self.name.as_str(), "board"))
    }

    /// Makes the board. The store puts it behind the others.
    pub fn create(self, id: BoardId, slug: Slug, now: Time) -> FeedbackBoard {
        FeedbackBoard {
            id,
            name: self.name.into(),
            slug,
            description: self.description.map(String::from),
            icon_url: self.icon_url.map(String::from),
            is_voting_enabled: self.is_voting_enabled,
            is_commenting_enabled: self.is_commenting_enabled,
            show_post_dates: self.show_post_dates,
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
    /// The identifier that another tool gave the board.
    pub external_id: Patch<ExternalId>,
}

impl BoardPatch {
    /// The board with the new values.
    pub fn edit(self, mut board: FeedbackBoard) -> FeedbackBoard {
        replace(&mut board.name, self.name);
        replace(&mut board.slug, self.slug);
        self.description.apply(&mut board.description);
        self.icon_url.apply(&mut board.icon_url);
        replace(&mut board.is_voting_enabled, self.is_voting_enabled);
        replace(&mut board.is_commenting_enabled, self.is_commenting_enabled);
        replace(&mut board.show_post_dates, self.show_post_dates);
        self.external_id.apply(&mut board.external_id);
        board
    }
}
