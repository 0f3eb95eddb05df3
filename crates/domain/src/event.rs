//! Events: what the organization's own software is told of.

use crate::id::{BoardId, EventId, PostId, VoteId};
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
    /// A vote was cast on a feedback post.
    VoteCreated(VoteFacts),
    /// A vote on a feedback post was withdrawn.
    VoteDeleted(VoteFacts),
}

impl Happening {
    /// Its type.
    pub fn event_type(&self) -> EventType {
        match self {
            Self::VoteCreated(_) => EventType::VoteCreated,
            Self::VoteDeleted(_) => EventType::VoteDeleted,
        }
    }
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
