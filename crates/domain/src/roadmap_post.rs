//! Roadmap posts.

use crate::Time;
use crate::draft::Patches;
use crate::edit::{Patch, replace};
use crate::id::{CategoryId, PostId, RoadmapBoardId, RoadmapPostId, StatusId, TagId, UserId};
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{ExternalId, LongText, Title};

/// A plan on a roadmap board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapPost {
    /// The identifier.
    pub id: RoadmapPostId,
    /// The title.
    pub title: String,
    /// The description, or empty.
    pub description: String,
    /// The slug, unique among the organization's roadmap posts.
    pub slug: Slug,
    /// The board.
    pub roadmap_board_id: RoadmapBoardId,
    /// The author.
    pub author_id: Option<UserId>,
    /// The user who is responsible for the post.
    pub owner_id: Option<UserId>,
    /// The status.
    pub status_id: StatusId,
    /// The category.
    pub category_id: Option<CategoryId>,
    /// The expected date of completion.
    pub eta: Option<Time>,
    /// The tags, in the order given.
    pub tag_ids: Vec<TagId>,
    /// The identifier that another tool gave the post, unique among the organization's active
    /// roadmap posts.
    pub external_id: Option<String>,
    /// `false` if the post is deleted.
    pub is_active: bool,
    /// The position on the board.
    pub seq_number: Position,
    /// When the post was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

/// The fields of `/roadmap-posts/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapPostDraft {
    /// The board.
    pub roadmap_board_id: RoadmapBoardId,
    /// The title.
    pub title: Title,
    /// The description.
    pub description: LongText,
    /// The slug. `None`: one derived from the title.
    pub slug: Option<Slug>,
    /// The author.
    pub author_id: Option<UserId>,
    /// The user who is responsible for the post.
    pub owner_id: Option<UserId>,
    /// The status. `None`: the default status.
    pub status_id: Option<StatusId>,
    /// The category.
    pub category_id: Option<CategoryId>,
    /// The expected date of completion.
    pub eta: Option<Time>,
    /// The tags, in the order given, without duplicates.
    pub tag_ids: Vec<TagId>,
    /// The identifier that another tool gave the post.
    pub external_id: Option<ExternalId>,
}

impl RoadmapPostDraft {
    /// The given or derived slug. The post gets a derived one unless it is taken.
    pub fn slug(&self) -> Slug {
        self.slug.clone().unwrap_or_else(|| Slug::derive(self.title.as_str(), "post"))
    }

    /// Makes the post. `status` is the default status. The store puts the post behind the others.
    pub fn create(self, id: RoadmapPostId, slug: Slug, status: StatusId, now: Time) -> RoadmapPost {
        RoadmapPost {
            id,
            title: self.title.into(),
            description: self.description.into(),
            slug,
            roadmap_board_id: self.roadmap_board_id,
            author_id: self.author_id,
            owner_id: self.owner_id,
            status_id: self.status_id.unwrap_or(status),
            category_id: self.category_id,
            eta: self.eta,
            tag_ids: self.tag_ids,
            external_id: self.external_id.map(String::from),
            is_active: true,
            seq_number: Position::START,
            created_at: now,
            updated_at: now,
        }
    }
}

/// The new values of `/roadmap-posts/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoadmapPostPatch {
    /// The board. The post goes to its end.
    pub roadmap_board_id: Option<RoadmapBoardId>,
    /// The title.
    pub title: Option<Title>,
    /// The description.
    pub description: Option<LongText>,
    /// The slug.
    pub slug: Option<Slug>,
    /// The author.
    pub author_id: Patch<UserId>,
    /// The user who is responsible for the post.
    pub owner_id: Patch<UserId>,
    /// The status.
    pub status_id: Option<StatusId>,
    /// The category.
    pub category_id: Patch<CategoryId>,
    /// The expected date of completion.
    pub eta: Patch<Time>,
    /// All tags, in the order given, without duplicates.
    pub tag_ids: Option<Vec<TagId>>,
    /// The identifier that another tool gave the post.
    pub external_id: Patch<ExternalId>,
}

impl Patches for RoadmapPostPatch {
    type Record = RoadmapPost;

    fn edit(self, mut post: RoadmapPost) -> RoadmapPost {
        replace(&mut post.roadmap_board_id, self.roadmap_board_id);
        replace(&mut post.title, self.title);
        replace(&mut post.description, self.description);
        replace(&mut post.slug, self.slug);
        self.author_id.apply(&mut post.author_id);
        self.owner_id.apply(&mut post.owner_id);
        replace(&mut post.status_id, self.status_id);
        self.category_id.apply(&mut post.category_id);
        self.eta.apply(&mut post.eta);
        replace(&mut post.tag_ids, self.tag_ids);
        self.external_id.apply(&mut post.external_id);
        post
    }
}

/// A roadmap post with the feedback posts that are linked to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapPostDetails {
    /// The post.
    pub post: RoadmapPost,
    /// The linked feedback posts, in the order of the links.
    pub feedback_post_ids: Vec<PostId>,
    /// The number of votes.
    pub vote_count: i64,
}

/// The time of a plan among the columns of a roadmap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// Before the present quarter.
    Earlier,
    /// A quarter of a year.
    Quarter {
        /// The year.
        year: i32,
        /// 1 to 4.
        quarter: u8,
    },
    /// At no certain time.
    Later,
}

impl Term {
    /// The term of a plan with an ETA, or without one.
    pub fn of(eta: Option<Time>, now: Time) -> Self {
        let quarter = |time: Time| {
            let moment = time.to_offset();
            (moment.year(), u8::from(moment.month()).div_ceil(3))
        };
        match eta.map(quarter) {
            None => Self::Later,
            Some(at) if at < quarter(now) => Self::Earlier,
            Some((year, quarter)) => Self::Quarter { year, quarter },
        }
    }
}

/// Selects the roadmap posts of a list. An identifier that the organization does not have matches
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoadmapFilter {
    /// Only posts of this board.
    pub roadmap_board_id: Option<RoadmapBoardId>,
    /// Only posts with this status.
    pub status_id: Option<StatusId>,
    /// Only posts of this category.
    pub category_id: Option<CategoryId>,
    /// Only posts of this owner.
    pub owner_id: Option<UserId>,
    /// Only posts that changed then or later. The list has the order of changes.
    pub updated_after: Option<Time>,
    /// Whether deleted posts are included.
    pub include_deleted: bool,
}

impl RoadmapFilter {
    /// Whether the filter admits a post. The board must also exist.
    pub fn admits(&self, post: &RoadmapPost) -> bool {
        (post.is_active || self.include_deleted)
            && self.roadmap_board_id.is_none_or(|id| post.roadmap_board_id == id)
            && self.status_id.is_none_or(|id| post.status_id == id)
            && self.category_id.is_none_or(|id| post.category_id == Some(id))
            && self.owner_id.is_none_or(|id| post.owner_id == Some(id))
            && self.updated_after.is_none_or(|time| post.updated_at >= time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::told::tests::id;

    #[test]
    fn a_plan_is_in_the_quarter_of_its_eta() {
        let time = |text: &str| Time::parse(text).unwrap();
        let now = time("2026-11-26T12:00:00Z");
        let term = |eta: &str| Term::of(Some(time(eta)), now);
        let quarter = |year, quarter| Term::Quarter { year, quarter };
        for (eta, expected) in [
            ("2026-09-30T23:59:59.999Z", Term::Earlier),
            ("2026-10-01T00:00:00Z", quarter(2026, 4)),
            ("2026-12-31T23:59:59Z", quarter(2026, 4)),
            ("2027-01-01T00:00:00Z", quarter(2027, 1)),
            ("2027-06-30T00:00:00Z", quarter(2027, 2)),
        ] {
            assert_eq!(term(eta), expected, "{eta}");
        }
        assert_eq!(Term::of(None, now), Term::Later);
        assert!(Term::Earlier < quarter(2026, 4) && quarter(2027, 2) < Term::Later);
    }

    #[test]
    fn each_condition_of_a_filter_refuses_the_posts_that_differ_in_it() {
        let plan = RoadmapPost {
            id: id(1),
            title: "Offline".to_owned(),
            description: String::new(),
            slug: Slug::parse("offline").unwrap(),
            roadmap_board_id: id(2),
            author_id: None,
            owner_id: Some(id(3)),
            status_id: id(4),
            category_id: Some(id(5)),
            eta: None,
            tag_ids: vec![],
            external_id: None,
            is_active: true,
            seq_number: Position::START,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        };
        let none = RoadmapFilter::default;
        for (met, unmet) in [
            (
                RoadmapFilter { roadmap_board_id: Some(id(2)), ..none() },
                RoadmapFilter { roadmap_board_id: Some(id(0)), ..none() },
            ),
            (
                RoadmapFilter { status_id: Some(id(4)), ..none() },
                RoadmapFilter { status_id: Some(id(0)), ..none() },
            ),
            (
                RoadmapFilter { category_id: Some(id(5)), ..none() },
                RoadmapFilter { category_id: Some(id(0)), ..none() },
            ),
            (
                RoadmapFilter { owner_id: Some(id(3)), ..none() },
                RoadmapFilter { owner_id: Some(id(0)), ..none() },
            ),
            (
                RoadmapFilter { updated_after: Some(Time::MIN), ..none() },
                RoadmapFilter { updated_after: Time::from_unix_millis(0).ok(), ..none() },
            ),
        ] {
            assert!(met.admits(&plan) && !unmet.admits(&plan), "{unmet:?}");
        }
        let deleted = RoadmapPost { is_active: false, ..plan };
        assert!(!none().admits(&deleted));
        assert!(RoadmapFilter { include_deleted: true, ..none() }.admits(&deleted));
    }
}
