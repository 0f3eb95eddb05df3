//! Events: the changes that webhook subscriptions receive.

use crate::id::{BoardId, CommentId, EventId, PostId, StatusId, TagId, UserId, VoteId};
use crate::status::StatusGroup;
use crate::{ClosedSet, Time};

/// A change that subscriptions receive. It is recorded with the change itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The identifier: the same on every attempt to deliver the event.
    pub id: EventId,
    /// When the change was made.
    pub at: Time,
    /// The change.
    pub what: Happening,
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
}

impl Happening {
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

/// The types of events that a subscription may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// `post.created`
    PostCreated,
    /// `post.edited`
    PostEdited,
    /// `post.deleted`
    PostDeleted,
    /// `post.tag_added`
    PostTagAdded,
    /// `post.tag_removed`
    PostTagRemoved,
    /// `post.status_changed`
    PostStatusChanged,
    /// `comment.created`
    CommentCreated,
    /// `comment.edited`
    CommentEdited,
    /// `comment.deleted`
    CommentDeleted,
    /// `vote.created`
    VoteCreated,
    /// `vote.deleted`
    VoteDeleted,
}

impl ClosedSet for EventType {
    const ALL: &'static [Self] = &[
        Self::PostCreated,
        Self::PostEdited,
        Self::PostDeleted,
        Self::PostTagAdded,
        Self::PostTagRemoved,
        Self::PostStatusChanged,
        Self::CommentCreated,
        Self::CommentEdited,
        Self::CommentDeleted,
        Self::VoteCreated,
        Self::VoteDeleted,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::PostCreated => "post.created",
            Self::PostEdited => "post.edited",
            Self::PostDeleted => "post.deleted",
            Self::PostTagAdded => "post.tag_added",
            Self::PostTagRemoved => "post.tag_removed",
            Self::PostStatusChanged => "post.status_changed",
            Self::CommentCreated => "comment.created",
            Self::CommentEdited => "comment.edited",
            Self::CommentDeleted => "comment.deleted",
            Self::VoteCreated => "vote.created",
            Self::VoteDeleted => "vote.deleted",
        }
    }
}
