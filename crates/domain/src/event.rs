//! Events: what the organization's own software is told of.

use crate::id::{BoardId, CommentId, EventId, PostId, StatusId, TagId, UserId, VoteId};
use crate::status::StatusGroup;
use crate::{ClosedSet, Time};

/// Something that happened, recorded together with the change that caused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Identifier; the same on every attempt to deliver it.
    pub id: EventId,
    /// When the change was made.
    pub at: Time,
    /// What happened.
    pub what: Happening,
}

/// What happened, with what its receivers are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A feedback post was made.
    PostCreated(PostFacts),
    /// A feedback post was changed, in these fields.
    PostEdited(PostFacts, Vec<PostField>),
    /// A feedback post was deleted.
    PostDeleted(PostFacts),
    /// A feedback post got a tag.
    PostTagAdded(TagFacts),
    /// A feedback post lost a tag.
    PostTagRemoved(TagFacts),
    /// A feedback post came into another group of statuses; another status of the same group is nothing to tell.
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
    /// Its type.
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

/// What is told of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostFacts {
    /// The post.
    pub id: PostId,
    /// Its title.
    pub title: String,
    /// Its description.
    pub details: String,
    /// Its board.
    pub board_id: BoardId,
    /// That board's name.
    pub board_name: String,
}

/// The fields of a post whose changes `post.edited` names. Changes of tags, and of the status to
/// another group, are events of their own.
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
    /// `status_id`, where the new status is of the same group
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

/// What is told of a tag that came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagFacts {
    /// The post.
    pub id: PostId,
    /// Its title.
    pub title: String,
    /// Its board.
    pub board_id: BoardId,
    /// That board's name.
    pub board_name: String,
    /// The tag.
    pub tag_id: TagId,
    /// Its name.
    pub tag_name: String,
}

/// What is told of a status that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusFacts {
    /// The post.
    pub post: PostFacts,
    /// Its status.
    pub status: PostStatus,
    /// Its status before.
    pub previous: PostStatus,
}

/// A status and its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostStatus {
    /// The status.
    pub id: StatusId,
    /// Its group.
    pub group: StatusGroup,
}

/// What is told of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentFacts {
    /// The comment.
    pub id: CommentId,
    /// What it says.
    pub content: String,
    /// The post that it is on.
    pub post_id: PostId,
    /// That post's title.
    pub post_title: String,
    /// The board of that post.
    pub board_id: BoardId,
    /// Who wrote it.
    pub author_id: UserId,
    /// The comment that it replies to.
    pub parent_comment_id: Option<CommentId>,
}

/// What is told of a vote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoteFacts {
    /// The vote that came or went.
    pub id: VoteId,
    /// The post that it is on.
    pub post_id: PostId,
    /// That post's title.
    pub post_title: String,
    /// The board of that post.
    pub board_id: BoardId,
}

/// The event types that a subscription may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
