//! Feedback posts.

use crate::attributes::{Attributes, AttributesPatch, TooManyAttributes};
use crate::edit::{Patch, replace};
use crate::erasure::{CannotRestore, EraseAfter};
use crate::fold::{self, Folded};
use crate::id::{BoardId, CategoryId, CompanyId, PostId, RoadmapPostId, StatusId, TagId, UserId};
use crate::millis::days;
use crate::moderation::Audience;
use crate::slug::Slug;
use crate::spend::Spend;
use crate::status::StatusGroup;
use crate::text::{ExternalId, LongText, Title};
use crate::{ClosedSet, Time};

/// A piece of feedback on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackPost {
    /// The identifier.
    pub id: PostId,
    /// The title.
    pub title: String,
    /// The description, or empty.
    pub description: String,
    /// The slug, unique among the organization's feedback posts.
    pub slug: Slug,
    /// The board.
    pub board_id: BoardId,
    /// The author.
    pub author_id: UserId,
    /// The user who is responsible for the post.
    pub owner_id: Option<UserId>,
    /// The status.
    pub status_id: StatusId,
    /// The category.
    pub category_id: Option<CategoryId>,
    /// The expected date of completion.
    pub eta: Option<Time>,
    /// Whether the portal shows the expected date.
    pub eta_is_public: bool,
    /// Whether the portal shows the post before the others.
    pub is_pinned: bool,
    /// The state of moderation.
    pub moderation: Moderation,
    /// The tags, in the order given.
    pub tag_ids: Vec<TagId>,
    /// The values that the organization keeps with the post.
    pub attributes: Attributes,
    /// The post that this one was merged into. That post may be merged, too.
    pub merged_into_id: Option<PostId>,
    /// The user who filed the post for the author.
    pub created_by_id: Option<UserId>,
    /// The identifier that another tool gave the post, unique among the organization's active posts.
    pub external_id: Option<String>,
    /// `false` if the post is deleted.
    pub is_active: bool,
    /// When the post was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
    /// When the status last changed.
    pub status_changed_at: Time,
}

impl FeedbackPost {
    /// The folded title and description, in which a search looks.
    pub fn search_text(&self) -> String {
        fold::search_text([self.title.as_str(), self.description.as_str()])
    }

    /// Whether the post stands for itself, and its board shows it: it is not deleted, not merged,
    /// and accepted.
    pub fn is_open(&self) -> bool {
        self.is_active && self.merged_into_id.is_none() && self.moderation == Moderation::Accepted
    }
}

/// The fields of `/feedback-posts/create`, but for the author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostDraft {
    /// The board.
    pub board_id: BoardId,
    /// The title.
    pub title: Title,
    /// The description.
    pub description: LongText,
    /// The slug. `None`: one derived from the title.
    pub slug: Option<Slug>,
    /// The status. `None`: the default status.
    pub status_id: Option<StatusId>,
    /// The category.
    pub category_id: Option<CategoryId>,
    /// The tags, in the order given, without duplicates.
    pub tag_ids: Vec<TagId>,
    /// The user who is responsible for the post.
    pub owner_id: Option<UserId>,
    /// The expected date of completion.
    pub eta: Option<Time>,
    /// Whether the portal shows the expected date.
    pub eta_is_public: bool,
    /// Whether the portal shows the post before the others.
    pub is_pinned: bool,
    /// The state of moderation.
    pub moderation: Moderation,
    /// The values that the organization keeps with the post.
    pub attributes: Attributes,
    /// The user who filed the post for the author.
    pub created_by_id: Option<UserId>,
    /// The identifier that another tool gave the post.
    pub external_id: Option<ExternalId>,
    /// When the post was made, if it comes from another tool.
    pub created_at: Option<Time>,
}

impl PostDraft {
    /// The given or derived slug. The post gets a derived one unless it is taken.
    pub fn slug(&self) -> Slug {
        self.slug.clone().unwrap_or_else(|| Slug::derive(self.title.as_str(), "post"))
    }

    /// Makes the post. `status` is the default status.
    pub fn create(
        self,
        id: PostId,
        slug: Slug,
        author: UserId,
        status: StatusId,
        now: Time,
    ) -> FeedbackPost {
        let created_at = self.created_at.unwrap_or(now);
        FeedbackPost {
            id,
            title: self.title.into(),
            description: self.description.into(),
            slug,
            board_id: self.board_id,
            author_id: author,
            owner_id: self.owner_id,
            status_id: self.status_id.unwrap_or(status),
            category_id: self.category_id,
            eta: self.eta,
            eta_is_public: self.eta_is_public,
            is_pinned: self.is_pinned,
            moderation: self.moderation,
            tag_ids: self.tag_ids,
            attributes: self.attributes,
            merged_into_id: None,
            created_by_id: self.created_by_id,
            external_id: self.external_id.map(String::from),
            is_active: true,
            created_at,
            updated_at: created_at,
            status_changed_at: created_at,
        }
    }
}

/// The new values of `/feedback-posts/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostPatch {
    /// The title.
    pub title: Option<Title>,
    /// The description.
    pub description: Option<LongText>,
    /// The slug.
    pub slug: Option<Slug>,
    /// The board.
    pub board_id: Option<BoardId>,
    /// The status.
    pub status_id: Option<StatusId>,
    /// The category.
    pub category_id: Patch<CategoryId>,
    /// All tags, in the order given, without duplicates.
    pub tag_ids: Option<Vec<TagId>>,
    /// The user who is responsible for the post.
    pub owner_id: Patch<UserId>,
    /// The expected date of completion.
    pub eta: Patch<Time>,
    /// Whether the portal shows the expected date.
    pub eta_is_public: Option<bool>,
    /// Whether the portal shows the post before the others.
    pub is_pinned: Option<bool>,
    /// The state of moderation.
    pub moderation: Option<Moderation>,
    /// New values of attributes.
    pub attributes: Patch<AttributesPatch>,
    /// The user who filed the post for the author.
    pub created_by_id: Option<UserId>,
    /// The identifier that another tool gave the post.
    pub external_id: Patch<ExternalId>,
}

/// The reasons to refuse a change of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostRefusal {
    /// The post is merged into another one.
    Merged,
    /// The post would have too many attributes.
    Attributes,
}

impl From<TooManyAttributes> for PostRefusal {
    fn from(TooManyAttributes: TooManyAttributes) -> Self {
        Self::Attributes
    }
}

impl PostPatch {
    /// The post with the new values.
    pub fn edit(self, mut post: FeedbackPost) -> Result<FeedbackPost, PostRefusal> {
        if post.merged_into_id.is_some() {
            return Err(PostRefusal::Merged);
        }
        replace(&mut post.title, self.title);
        replace(&mut post.description, self.description);
        replace(&mut post.slug, self.slug);
        replace(&mut post.board_id, self.board_id);
        replace(&mut post.status_id, self.status_id);
        self.category_id.apply(&mut post.category_id);
        replace(&mut post.tag_ids, self.tag_ids);
        self.owner_id.apply(&mut post.owner_id);
        self.eta.apply(&mut post.eta);
        replace(&mut post.eta_is_public, self.eta_is_public);
        replace(&mut post.is_pinned, self.is_pinned);
        if self.created_by_id.is_some() {
            post.created_by_id = self.created_by_id;
        }
        replace(&mut post.moderation, self.moderation);
        post.attributes = self.attributes.edit(post.attributes)?;
        self.external_id.apply(&mut post.external_id);
        Ok(post)
    }
}

impl FeedbackPost {
    /// The post with a tag behind the others.
    pub fn with_tag(mut self, tag: TagId) -> Self {
        if !self.tag_ids.contains(&tag) {
            self.tag_ids.push(tag);
        }
        self
    }

    /// The post without a tag.
    pub fn without_tag(mut self, tag: TagId) -> Self {
        self.tag_ids.retain(|id| *id != tag);
        self
    }

    /// The deleted post as it was before. A merged post stays deleted.
    pub fn restored(self, after: EraseAfter, now: Time) -> Result<Self, CannotRestore> {
        after.check(self.is_active, self.updated_at, now)?;
        if self.merged_into_id.is_some() {
            return Err(CannotRestore);
        }
        Ok(Self { is_active: true, ..self })
    }
}

/// A post with its counts and its links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostDetails {
    /// The post.
    pub post: FeedbackPost,
    /// The number of votes.
    pub vote_count: i64,
    /// The number of active comments, of any visibility and moderation.
    pub comment_count: i64,
    /// The sum of the `monthly_spend` of the voters' active companies, each company once.
    pub monthly_spend: Spend,
    /// The active roadmap posts that are linked to it, in the order of the links: by the times of
    /// these, then by their identifiers.
    pub roadmap_post_ids: Vec<RoadmapPostId>,
}

impl PostDetails {
    /// Whether others have voted or commented on the post, so that its author does not delete it any
    /// more.
    pub fn is_taken_up(&self) -> bool {
        self.vote_count > 1 || self.comment_count > 0
    }
}

/// Selects the posts of a list. An identifier that the organization does not have matches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostFilter {
    /// Only posts of this board.
    pub board_id: Option<BoardId>,
    /// Only posts of these boards, if they are active. `None`: posts of all boards.
    pub board_ids: Option<Vec<BoardId>>,
    /// Only posts with this status.
    pub status_id: Option<StatusId>,
    /// Only posts whose title or description contains this text.
    pub search: Option<Folded>,
    /// Only posts with a status of this group.
    pub status_group: Option<StatusGroup>,
    /// Only posts with this category.
    pub category_id: Option<CategoryId>,
    /// Only posts with one of these tags. All posts if there is none.
    pub tag_ids: Vec<TagId>,
    /// Only posts of this author.
    pub author_id: Option<UserId>,
    /// Only posts that this user is responsible for.
    pub owner_id: Option<UserId>,
    /// Only posts that have the vote of a linked user of this company.
    pub company_id: Option<CompanyId>,
    /// Only posts in this state of moderation.
    pub moderation: Option<Moderation>,
    /// Only the post that has this identifier in another tool.
    pub external_id: Option<String>,
    /// Only posts that are merged, or only others.
    pub is_merged: Option<bool>,
    /// Only posts that are merged into this one.
    pub merged_into_id: Option<PostId>,
    /// Only posts that were created after this time.
    pub created_after: Option<Time>,
    /// Only posts that were created before this time.
    pub created_before: Option<Time>,
    /// Only posts that changed then or later.
    pub updated_after: Option<Time>,
    /// Whether deleted posts are included.
    pub include_deleted: bool,
    /// Only posts with all of these attributes.
    pub attributes: Attributes,
    /// Only posts that this audience sees.
    pub audience: Audience,
}

impl PostFilter {
    /// Whether the filter has conditions beside those on board, status and text, so that a list may
    /// have to walk all posts. The posts that are merged into one are looked up.
    pub fn is_narrow(&self) -> bool {
        let Self { board_id, status_id, ref search, merged_into_id, .. } = *self;
        merged_into_id.is_none()
            && *self != Self { board_id, status_id, search: search.clone(), ..Self::default() }
    }

    /// Whether the filter admits a post by the values of the post itself. The boards, the status with
    /// its group, the category and the tags must also exist, and the company must have a vote.
    pub fn admits(&self, post: &FeedbackPost) -> bool {
        (post.is_active || self.include_deleted)
            && self.board_id.is_none_or(|id| post.board_id == id)
            && self.board_ids.as_ref().is_none_or(|ids| ids.contains(&post.board_id))
            && self.status_id.is_none_or(|id| post.status_id == id)
            && self.search.as_ref().is_none_or(|text| post.search_text().contains(text.as_str()))
            && self.category_id.is_none_or(|id| post.category_id == Some(id))
            && (self.tag_ids.is_empty() || self.tag_ids.iter().any(|id| post.tag_ids.contains(id)))
            && self.author_id.is_none_or(|id| post.author_id == id)
            && self.owner_id.is_none_or(|id| post.owner_id == Some(id))
            && self.moderation.is_none_or(|state| post.moderation == state)
            && self.external_id.as_ref().is_none_or(|id| post.external_id.as_ref() == Some(id))
            && self.is_merged.is_none_or(|is_merged| post.merged_into_id.is_some() == is_merged)
            && self.merged_into_id.is_none_or(|id| post.merged_into_id == Some(id))
            && self.created_after.is_none_or(|time| post.created_at > time)
            && self.created_before.is_none_or(|time| post.created_at < time)
            && self.updated_after.is_none_or(|time| post.updated_at >= time)
            && post.attributes.include(&self.attributes)
            && self.audience.sees(post.moderation, post.author_id)
    }
}

/// The orders of a list of posts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PostSort {
    /// `newest`: by `created_at`, newest first.
    #[default]
    Newest,
    /// `oldest`: by `created_at`, oldest first.
    Oldest,
    /// `votes`: by the number of votes, most first.
    Votes,
    /// `trending`: by the number of recent votes, most first, then by the number of all votes.
    Trending,
    /// `updated`: by `updated_at`, newest first.
    Updated,
    /// `spend`: by `monthly_spend`, most first.
    Spend,
    /// By `updated_at`, oldest first: the order in which a mirror follows changes. The API has no
    /// code for it.
    Changes,
}

/// The time for which a vote is recent, in milliseconds: 30 days.
pub const RECENT_MILLIS: i64 = days(30);

impl ClosedSet for PostSort {
    const ALL: &'static [Self] =
        &[Self::Newest, Self::Oldest, Self::Votes, Self::Trending, Self::Updated, Self::Spend];

    fn code(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Votes => "votes",
            Self::Trending => "trending",
            Self::Updated => "updated",
            Self::Spend => "spend",
            Self::Changes => "changes",
        }
    }
}

/// The states of moderation of a post or comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moderation {
    /// `pending`
    Pending,
    /// `accepted`
    Accepted,
    /// `rejected`
    Rejected,
    /// `spam`
    Spam,
}

impl ClosedSet for Moderation {
    const ALL: &'static [Self] = &[Self::Pending, Self::Accepted, Self::Rejected, Self::Spam];

    fn code(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Spam => "spam",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::Attribute;
    use crate::record::examples;
    use crate::told::tests::{id, post};

    #[test]
    fn a_filter_is_narrow_unless_it_has_indexes_of_its_own() {
        let indexed = PostFilter {
            board_id: Some(id(1)),
            status_id: Some(id(1)),
            search: Some(Folded::new("dark")),
            ..PostFilter::default()
        };
        assert!(!indexed.is_narrow());
        let owned = PostFilter { owner_id: Some(id(1)), ..indexed };
        assert!(owned.is_narrow());
        assert!(!PostFilter { merged_into_id: Some(id(1)), ..owned }.is_narrow());
    }

    #[test]
    fn each_condition_of_a_filter_refuses_the_posts_that_differ_in_it() {
        let time = |millis| Time::from_unix_millis(millis).unwrap();
        let post = FeedbackPost {
            owner_id: Some(id(8)),
            category_id: Some(id(9)),
            merged_into_id: Some(id(10)),
            external_id: Some("a".to_owned()),
            created_at: time(5),
            updated_at: time(5),
            ..post()
        };
        type Set = fn(&mut PostFilter, bool);
        // Each sets a condition that the post meets, or one that it does not.
        let conditions: [Set; 16] = [
            |it, is_met| it.board_id = Some(id(if is_met { 2 } else { 0 })),
            |it, is_met| it.board_ids = Some(vec![id(if is_met { 2 } else { 0 }), id(20)]),
            |it, is_met| it.status_id = Some(id(if is_met { 4 } else { 0 })),
            |it, is_met| it.search = Some(Folded::new(if is_met { "DARK" } else { "light" })),
            |it, is_met| it.category_id = Some(id(if is_met { 9 } else { 0 })),
            |it, is_met| it.tag_ids = vec![id(if is_met { 7 } else { 0 }), id(20)],
            |it, is_met| it.author_id = Some(id(if is_met { 3 } else { 0 })),
            |it, is_met| it.owner_id = Some(id(if is_met { 8 } else { 0 })),
            |it, is_met| {
                it.moderation =
                    Some(if is_met { Moderation::Accepted } else { Moderation::Pending });
            },
            |it, is_met| it.external_id = Some(if is_met { "a" } else { "b" }.to_owned()),
            |it, is_met| it.is_merged = Some(is_met),
            |it, is_met| it.merged_into_id = Some(id(if is_met { 10 } else { 0 })),
            |it, is_met| it.created_after = Time::from_unix_millis(if is_met { 4 } else { 5 }).ok(),
            |it, is_met| {
                it.created_before = Time::from_unix_millis(if is_met { 6 } else { 5 }).ok()
            },
            |it, is_met| it.updated_after = Time::from_unix_millis(if is_met { 5 } else { 6 }).ok(),
            |it, is_met| {
                let plan = ("plan".to_owned(), Attribute::Text("pro".to_owned()));
                it.attributes = [plan].into_iter().filter(|_| !is_met).collect();
            },
        ];
        let mut all = PostFilter::default();
        assert!(all.admits(&post));
        for condition in conditions {
            condition(&mut all, true);
            assert!(all.admits(&post), "{all:?}");
        }
        for condition in conditions {
            let (mut one, mut others) = (PostFilter::default(), all.clone());
            condition(&mut one, false);
            condition(&mut others, false);
            assert!(!one.admits(&post) && !others.admits(&post), "{one:?}");
        }
        let deleted = FeedbackPost { is_active: false, ..post.clone() };
        assert!(!all.admits(&deleted));
        assert!(PostFilter { include_deleted: true, ..all.clone() }.admits(&deleted));
        let pending = FeedbackPost { moderation: Moderation::Pending, ..post };
        let seen_by = |user| PostFilter {
            audience: Audience::Visitor(Some(id(user))),
            ..PostFilter::default()
        };
        assert!(seen_by(3).admits(&pending) && !seen_by(8).admits(&pending));
    }

    #[test]
    fn a_post_is_taken_up_by_a_second_vote_or_a_comment() {
        let of = |vote_count, comment_count| PostDetails {
            post: examples::post(),
            vote_count,
            comment_count,
            monthly_spend: Spend::default(),
            roadmap_post_ids: vec![],
        };
        let taken_up = [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1)]
            .map(|(votes, comments)| of(votes, comments).is_taken_up());
        assert_eq!(taken_up, [false, false, true, true, true, true]);
    }

    #[test]
    fn a_deleted_post_is_restored_and_a_merged_one_is_not() {
        let deleted = FeedbackPost { merged_into_id: None, is_active: false, ..examples::post() };
        let restored = deleted.clone().restored(EraseAfter::default(), Time::MIN);
        assert_eq!(restored, Ok(FeedbackPost { is_active: true, ..deleted }));
        let merged = FeedbackPost { is_active: false, ..examples::post() };
        assert_eq!(merged.restored(EraseAfter::default(), Time::MIN), Err(CannotRestore));
    }

    #[test]
    fn a_post_gets_a_tag_once_and_loses_it() {
        let [present, new] = [examples::post().tag_ids[0], id(77)];
        let post = examples::post().with_tag(present).with_tag(new).with_tag(new);
        assert_eq!(post.tag_ids, [present, new]);
        assert_eq!(post.without_tag(present).tag_ids, [new]);
    }
}
