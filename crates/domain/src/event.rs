//! Events: the changes that webhook subscriptions receive.

use crate::changelog_entry::{ChangelogEntry, EntryType};
use crate::id::{
    BoardId, ChangelogEntryId, CommentId, EventId, HelpArticleId, HelpCategoryId, HelpCollectionId,
    MembershipId, PostId, RoadmapBoardId, RoadmapPostId, StatusId, TagId, UserId, VoteId,
};
use crate::millis::days;
use crate::slug::Slug;
use crate::status::StatusGroup;
use crate::user::User;
use crate::{ClosedSet, Time, Uuid};

/// A change that subscriptions receive. It is recorded with the change itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The identifier: the same on every attempt to deliver the event.
    pub id: EventId,
    /// When the change was made.
    pub at: Time,
    /// The change.
    pub what: Happening,
    /// Whether the event is kept in the organization's ledger, also if no subscription receives it.
    pub in_ledger: bool,
}

/// The time for which the ledger keeps events, in milliseconds: 90 days.
pub const LEDGER_KEPT: i64 = days(90);

/// Selects events of the ledger. An event matches if it matches every member that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerFilter {
    /// The types. Empty: all.
    pub event_types: Vec<EventType>,
    /// The event was recorded after this time.
    pub created_after: Option<Time>,
}

/// A change, with the facts of its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A feedback post was made.
    PostCreated(PostFacts),
    /// These fields of a feedback post were changed.
    PostEdited(PostFacts, Vec<PostField>),
    /// A feedback post was deleted.
    PostDeleted(PostFacts),
    /// A feedback post got a tag.
    PostTagAdded(TagFacts),
    /// A feedback post lost a tag.
    PostTagRemoved(TagFacts),
    /// A feedback post got a status of another group.
    PostStatusChanged(StatusFacts),
    /// A comment was made.
    CommentCreated(CommentFacts),
    /// A comment was changed.
    CommentEdited(CommentFacts),
    /// A comment was deleted.
    CommentDeleted(CommentFacts),
    /// A vote was cast on a feedback post.
    VoteCreated(VoteFacts),
    /// A vote on a feedback post was withdrawn.
    VoteDeleted(VoteFacts),
    /// A deleted feedback post was restored.
    PostRestored(PostFacts),
    /// A feedback post was merged into another one.
    PostMerged(MergeFacts),
    /// A merge of a feedback post was undone.
    PostUnmerged(MergeFacts),
    /// A roadmap post was made.
    RoadmapPostCreated(RoadmapFacts),
    /// These fields of a roadmap post were changed.
    RoadmapPostEdited(RoadmapFacts, Vec<RoadmapField>),
    /// A roadmap post was deleted.
    RoadmapPostDeleted(RoadmapFacts),
    /// A roadmap post got a status of another group.
    RoadmapPostStatusChanged(RoadmapFacts, StatusChange),
    /// A user was made, or linked to the organization again.
    UserCreated(UserFacts),
    /// A user was changed.
    UserUpdated(UserFacts),
    /// A user is no longer linked to the organization.
    UserDeleted(MembershipId, UserId),
    /// A post or comment waits for moderation.
    ModerationQueued(QueueFacts),
    /// An internal comment was made.
    InternalCommentCreated(CommentFacts),
    /// An entry of the changelog was published.
    EntryPublished(EntryFacts),
    /// A published entry of the changelog became a draft, or was deleted.
    EntryUnpublished(EntryFacts),
    /// A help article was published.
    ArticlePublished(ArticleFacts),
}

impl Happening {
    /// The user whose name and address the event tells.
    pub fn person(&self) -> Option<UserId> {
        match self {
            Self::UserCreated(user) | Self::UserUpdated(user) => Some(user.user_id),
            _ => None,
        }
    }

    /// The feedback board of the event.
    pub fn board(&self) -> Option<BoardId> {
        match self {
            Self::PostCreated(post)
            | Self::PostEdited(post, _)
            | Self::PostDeleted(post)
            | Self::PostRestored(post)
            | Self::PostStatusChanged(StatusFacts { post, .. })
            | Self::PostMerged(MergeFacts { post, .. })
            | Self::PostUnmerged(MergeFacts { post, .. }) => Some(post.board_id),
            Self::PostTagAdded(tag) | Self::PostTagRemoved(tag) => Some(tag.board_id),
            Self::CommentCreated(comment)
            | Self::CommentEdited(comment)
            | Self::CommentDeleted(comment)
            | Self::InternalCommentCreated(comment) => Some(comment.board_id),
            Self::VoteCreated(vote) | Self::VoteDeleted(vote) => Some(vote.board_id),
            Self::ModerationQueued(queued) => Some(queued.board_id),
            Self::RoadmapPostCreated(_)
            | Self::RoadmapPostEdited(..)
            | Self::RoadmapPostDeleted(_)
            | Self::RoadmapPostStatusChanged(..)
            | Self::UserCreated(_)
            | Self::UserUpdated(_)
            | Self::UserDeleted(..)
            | Self::EntryPublished(_)
            | Self::EntryUnpublished(_)
            | Self::ArticlePublished(_) => None,
        }
    }

    /// The type of the event.
    pub fn event_type(&self) -> EventType {
        match self {
            Self::PostCreated(_) => EventType::PostCreated,
            Self::PostEdited(..) => EventType::PostEdited,
            Self::PostDeleted(_) => EventType::PostDeleted,
            Self::PostTagAdded(_) => EventType::PostTagAdded,
            Self::PostTagRemoved(_) => EventType::PostTagRemoved,
            Self::PostStatusChanged(_) => EventType::PostStatusChanged,
            Self::CommentCreated(_) => EventType::CommentCreated,
            Self::CommentEdited(_) => EventType::CommentEdited,
            Self::CommentDeleted(_) => EventType::CommentDeleted,
            Self::VoteCreated(_) => EventType::VoteCreated,
            Self::VoteDeleted(_) => EventType::VoteDeleted,
            Self::PostRestored(_) => EventType::PostRestored,
            Self::PostMerged(_) => EventType::PostMerged,
            Self::PostUnmerged(_) => EventType::PostUnmerged,
            Self::RoadmapPostCreated(_) => EventType::RoadmapPostCreated,
            Self::RoadmapPostEdited(..) => EventType::RoadmapPostEdited,
            Self::RoadmapPostDeleted(_) => EventType::RoadmapPostDeleted,
            Self::RoadmapPostStatusChanged(..) => EventType::RoadmapPostStatusChanged,
            Self::UserCreated(_) => EventType::UserCreated,
            Self::UserUpdated(_) => EventType::UserUpdated,
            Self::UserDeleted(..) => EventType::UserDeleted,
            Self::ModerationQueued(_) => EventType::ModerationQueued,
            Self::InternalCommentCreated(_) => EventType::InternalCommentCreated,
            Self::EntryPublished(_) => EventType::EntryPublished,
            Self::EntryUnpublished(_) => EventType::EntryUnpublished,
            Self::ArticlePublished(_) => EventType::ArticlePublished,
        }
    }
}

/// The facts of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostFacts {
    /// The post.
    pub id: PostId,
    /// The title of the post.
    pub title: String,
    /// The description of the post.
    pub details: String,
    /// The board of the post.
    pub board_id: BoardId,
    /// The name of the board.
    pub board_name: String,
}

/// The fields of a post that `post.edited` names. A change of tags, or to a status of another
/// group, has events of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostField {
    /// `title`
    Title,
    /// `details`
    Details,
    /// `board_id`
    Board,
    /// `category_id`
    Category,
    /// `owner_id`
    Owner,
    /// `eta`
    Eta,
    /// `status_id`, if the new status is of the same group
    Status,
}

impl ClosedSet for PostField {
    const ALL: &'static [Self] = &[
        Self::Title,
        Self::Details,
        Self::Board,
        Self::Category,
        Self::Owner,
        Self::Eta,
        Self::Status,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Details => "details",
            Self::Board => "board_id",
            Self::Category => "category_id",
            Self::Owner => "owner_id",
            Self::Eta => "eta",
            Self::Status => "status_id",
        }
    }
}

/// The facts of a tag that a post got or lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagFacts {
    /// The post.
    pub id: PostId,
    /// The title of the post.
    pub title: String,
    /// The board of the post.
    pub board_id: BoardId,
    /// The name of the board.
    pub board_name: String,
    /// The tag.
    pub tag_id: TagId,
    /// The name of the tag.
    pub tag_name: String,
}

/// The facts of a change of status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusFacts {
    /// The post.
    pub post: PostFacts,
    /// The new status.
    pub status: PostStatus,
    /// The former status.
    pub previous: PostStatus,
}

/// The new status of a post, and the former one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusChange {
    /// The new status.
    pub status: PostStatus,
    /// The former status.
    pub previous: PostStatus,
}

/// The facts of a merge, or of its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeFacts {
    /// The post that is or was merged.
    pub post: PostFacts,
    /// The post that it is or was merged into.
    pub into_post_id: PostId,
    /// The user who did so. `None` if nobody is named.
    pub merger_id: Option<UserId>,
}

/// The facts of a roadmap post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapFacts {
    /// The post.
    pub id: RoadmapPostId,
    /// The title of the post.
    pub title: String,
    /// The description of the post.
    pub details: String,
    /// The board of the post.
    pub roadmap_board_id: RoadmapBoardId,
    /// The name of the board.
    pub roadmap_board_name: String,
}

/// The fields of a roadmap post that `roadmap_post.edited` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoadmapField {
    /// `title`
    Title,
    /// `details`
    Details,
    /// `roadmap_board_id`
    Board,
    /// `category_id`
    Category,
    /// `tag_ids`
    Tags,
    /// `owner_id`
    Owner,
    /// `eta`
    Eta,
    /// `status_id`, if the new status is of the same group
    Status,
}

impl ClosedSet for RoadmapField {
    const ALL: &'static [Self] = &[
        Self::Title,
        Self::Details,
        Self::Board,
        Self::Category,
        Self::Tags,
        Self::Owner,
        Self::Eta,
        Self::Status,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Details => "details",
            Self::Board => "roadmap_board_id",
            Self::Category => "category_id",
            Self::Tags => "tag_ids",
            Self::Owner => "owner_id",
            Self::Eta => "eta",
            Self::Status => "status_id",
        }
    }
}

/// The facts of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserFacts {
    /// The user.
    pub id: MembershipId,
    /// The person.
    pub user_id: UserId,
    /// The identifier that another tool gave the user.
    pub external_id: Option<String>,
    /// The email address, or empty.
    pub email: String,
    /// The name.
    pub name: String,
}

impl From<&User> for UserFacts {
    fn from(user: &User) -> Self {
        Self {
            id: user.id,
            user_id: user.user_id,
            external_id: user.external_id.clone(),
            email: user.email.clone(),
            name: user.name.clone(),
        }
    }
}

/// The facts of a post or comment that waits for moderation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFacts {
    /// Whether it is a post or a comment.
    pub kind: Moderated,
    /// The post or comment.
    pub id: Uuid,
    /// The board of the post.
    pub board_id: BoardId,
    /// The author.
    pub author_id: UserId,
}

/// The records that moderation accepts or rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moderated {
    /// `post`
    Post,
    /// `comment`
    Comment,
}

impl ClosedSet for Moderated {
    const ALL: &'static [Self] = &[Self::Post, Self::Comment];

    fn code(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Comment => "comment",
        }
    }
}

/// A status and its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostStatus {
    /// The status.
    pub id: StatusId,
    /// The group of the status.
    pub group: StatusGroup,
}

/// The facts of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentFacts {
    /// The comment.
    pub id: CommentId,
    /// The text of the comment.
    pub content: String,
    /// The post.
    pub post_id: PostId,
    /// The title of the post.
    pub post_title: String,
    /// The board of the post.
    pub board_id: BoardId,
    /// The author of the comment.
    pub author_id: UserId,
    /// The comment that this one replies to.
    pub parent_comment_id: Option<CommentId>,
}

/// The facts of an entry of the changelog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryFacts {
    /// The entry.
    pub id: ChangelogEntryId,
    /// The title.
    pub title: String,
    /// The slug.
    pub slug: Slug,
    /// The classification.
    pub entry_type: Option<EntryType>,
    /// When the entry was published. `None` if it is not published any more.
    pub published_at: Option<Time>,
}

impl From<&ChangelogEntry> for EntryFacts {
    fn from(entry: &ChangelogEntry) -> Self {
        Self {
            id: entry.id,
            title: entry.title.clone(),
            slug: entry.slug.clone(),
            entry_type: entry.entry_type,
            published_at: entry.published_at,
        }
    }
}

/// The facts of a help article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleFacts {
    /// The article.
    pub id: HelpArticleId,
    /// The title.
    pub title: String,
    /// The slug.
    pub slug: Slug,
    /// The collection of the article, or of its category.
    pub collection_id: Option<HelpCollectionId>,
    /// The category, if the article is in one.
    pub category_id: Option<HelpCategoryId>,
}

/// The facts of a vote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoteFacts {
    /// The vote.
    pub id: VoteId,
    /// The post.
    pub post_id: PostId,
    /// The title of the post.
    pub post_title: String,
    /// The board of the post.
    pub board_id: BoardId,
}

/// Declares the types of events. The contract names the first ones.
macro_rules! event_types {
    (contract { $($first:ident = $first_code:literal,)+ } further { $($type:ident = $code:literal,)+ }) => {
        /// The types of events that a subscription may name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventType {
            $(#[doc = concat!("`", $first_code, "`")] $first,)+
            $(#[doc = concat!("`", $code, "`")] $type,)+
        }

        impl EventType {
            /// The types of the contract. A subscription that names no type receives these.
            pub const CONTRACT: &'static [Self] = &[$(Self::$first,)+];
        }

        impl ClosedSet for EventType {
            const ALL: &'static [Self] = &[$(Self::$first,)+ $(Self::$type,)+];

            fn code(self) -> &'static str {
                match self {
                    $(Self::$first => $first_code,)+
                    $(Self::$type => $code,)+
                }
            }
        }
    };
}

event_types! {
    contract {
        PostCreated = "post.created",
        PostEdited = "post.edited",
        PostDeleted = "post.deleted",
        PostTagAdded = "post.tag_added",
        PostTagRemoved = "post.tag_removed",
        PostStatusChanged = "post.status_changed",
        CommentCreated = "comment.created",
        CommentEdited = "comment.edited",
        CommentDeleted = "comment.deleted",
        VoteCreated = "vote.created",
        VoteDeleted = "vote.deleted",
    }
    further {
        PostRestored = "post.restored",
        PostMerged = "post.merged",
        PostUnmerged = "post.unmerged",
        RoadmapPostCreated = "roadmap_post.created",
        RoadmapPostEdited = "roadmap_post.edited",
        RoadmapPostDeleted = "roadmap_post.deleted",
        RoadmapPostStatusChanged = "roadmap_post.status_changed",
        UserCreated = "user.created",
        UserUpdated = "user.updated",
        UserDeleted = "user.deleted",
        ModerationQueued = "moderation.queued",
        InternalCommentCreated = "comment.internal_created",
        EntryPublished = "changelog.published",
        EntryUnpublished = "changelog.unpublished",
        ArticlePublished = "help_article.published",
    }
}

impl EventType {
    /// The given types, each once, in the order of the catalogue.
    pub fn each_once(given: &[Self]) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|event_type| given.contains(event_type)).collect()
    }

    /// Whether a subscription that names no type receives events of the type.
    pub fn is_in_contract(self) -> bool {
        Self::CONTRACT.contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_taken_once_and_in_the_order_of_the_catalogue() {
        let [first, second] = [EventType::ALL[0], EventType::ALL[1]];
        assert_eq!(EventType::each_once(&[second, first, second]), [first, second]);
        assert_eq!(EventType::each_once(&[]), []);
    }
}
