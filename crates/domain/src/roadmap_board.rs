//! Roadmap boards.

use crate::access::Access;
use crate::draft::{Draft, Patches};
use crate::edit::{Patch, replace};
use crate::id::RoadmapBoardId;
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{ExternalId, LongText, Name};
use crate::web_url::WebUrl;
use crate::{Time, Uuid};

/// A board that shows plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapBoard {
    /// The identifier.
    pub id: RoadmapBoardId,
    /// The name.
    pub name: String,
    /// The slug, unique among the organization's roadmap boards.
    pub slug: Slug,
    /// The description.
    pub description: Option<String>,
    /// The URL of an icon.
    pub icon_url: Option<String>,
    /// Whether votes on the board's posts are accepted.
    pub is_voting_enabled: bool,
    /// Who may see the board.
    pub access: Access,
    /// The identifier that another tool gave the board, unique among the organization's active roadmap
    /// boards.
    pub external_id: Option<String>,
    /// `false` if the board is deleted.
    pub is_active: bool,
    /// The position among the organization's roadmap boards.
    pub seq_number: Position,
    /// When the board was made.
    pub created_at: Time,
}

/// The fields of `/roadmap-boards/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapBoardDraft {
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
    /// Who may see the board.
    pub access: Access,
    /// The identifier that another tool gave the board.
    pub external_id: Option<ExternalId>,
}

impl Draft for RoadmapBoardDraft {
    type Record = RoadmapBoard;
    type Name = Slug;

    fn name(&self) -> Slug {
        self.slug.clone().unwrap_or_else(|| Slug::derive(self.name.as_str(), "board"))
    }

    fn create(self, id: Uuid, slug: Slug, now: Time) -> RoadmapBoard {
        RoadmapBoard {
            id: id.into(),
            name: self.name.into(),
            slug,
            description: self.description.map(String::from),
            icon_url: self.icon_url.map(String::from),
            is_voting_enabled: self.is_voting_enabled,
            access: self.access,
            external_id: self.external_id.map(String::from),
            is_active: true,
            seq_number: Position::START,
            created_at: now,
        }
    }
}

/// The new values of `/roadmap-boards/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoadmapBoardPatch {
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
    /// Who may see the board.
    pub access: Option<Access>,
    /// The identifier that another tool gave the board.
    pub external_id: Patch<ExternalId>,
}

impl Patches for RoadmapBoardPatch {
    type Record = RoadmapBoard;

    fn edit(self, mut board: RoadmapBoard) -> RoadmapBoard {
        replace(&mut board.name, self.name);
        replace(&mut board.slug, self.slug);
        self.description.apply(&mut board.description);
        self.icon_url.apply(&mut board.icon_url);
        replace(&mut board.is_voting_enabled, self.is_voting_enabled);
        replace(&mut board.access, self.access);
        self.external_id.apply(&mut board.external_id);
        board
    }
}
