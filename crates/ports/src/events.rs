//! Recorded events.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::ClosedSet;
use hearback_domain::event::{CommentFacts, Event, EventType, Happening, PostFacts, StatusFacts, TagFacts, VoteFacts};
use hearback_domain::id::{EventId, OrganizationId};
use hearback_domain::{Time, Uuid};
use serde::Serialize;

/// An event as it is kept: its payload is in the contract's JSON from the start, so that every delivery has the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Identifier.
    pub id: EventId,
    /// Type.
    pub event_type: EventType,
    /// The contract's `data` as compact JSON.
    pub data: String,
    /// When the change was made.
    pub recorded_at: Time,
}

impl From<&Event> for StoredEvent {
    fn from(event: &Event) -> Self {
        Self { id: event.id, event_type: event.what.event_type(), data: data(&event.what), recorded_at: event.at }
    }
}

/// Reads recorded events.
///
/// An event is recorded only where at least one active subscription wants it: with its fan-out it is one change.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Up to `limit` events behind `after`, by id.
    async fn list(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: i64,
    ) -> Result<Vec<StoredEvent>, StoreError>;
}

/// The contract's `data` of an event as compact JSON.
fn data(what: &Happening) -> String {
    match what {
        Happening::PostCreated(post) | Happening::PostDeleted(post) => json(&PostData::from(post)),
        Happening::PostEdited(post, fields) => {
            json(&EditedPostData { post: post.into(), changed_fields: fields.iter().map(|field| field.code()).collect() })
        }
        Happening::PostTagAdded(tag) | Happening::PostTagRemoved(tag) => json(&TagData::from(tag)),
        Happening::PostStatusChanged(change) => json(&StatusData::from(change)),
        Happening::CommentCreated(comment) | Happening::CommentEdited(comment) | Happening::CommentDeleted(comment) => {
            json(&CommentData::from(comment))
        }
        Happening::VoteCreated(vote) | Happening::VoteDeleted(vote) => json(&VoteData::from(vote)),
    }
}

#[derive(Serialize)]
struct PostData<'a> {
    id: Uuid,
    title: &'a str,
    details: &'a str,
    board_id: Uuid,
    board_name: &'a str,
}

impl<'a> From<&'a PostFacts> for PostData<'a> {
    fn from(post: &'a PostFacts) -> Self {
        Self {
            id: post.id.0,
            title: &post.title,
            details: &post.details,
            board_id: post.board_id.0,
            board_name: &post.board_name,
        }
    }
}

#[derive(Serialize)]
struct EditedPostData<'a> {
    #[serde(flatten)]
    post: PostData<'a>,
    changed_fields: Vec<&'static str>,
}

#[derive(Serialize)]
struct TagData<'a> {
    id: Uuid,
    title: &'a str,
    board_id: Uuid,
    board_name: &'a str,
    tag_id: Uuid,
    tag_name: &'a str,
}

impl<'a> From<&'a TagFacts> for TagData<'a> {
    fn from(tag: &'a TagFacts) -> Self {
        Self {
            id: tag.id.0,
            title: &tag.title,
            board_id: tag.board_id.0,
            board_name: &tag.board_name,
            tag_id: tag.tag_id.0,
            tag_name: &tag.tag_name,
        }
    }
}

#[derive(Serialize)]
struct StatusData<'a> {
    #[serde(flatten)]
    post: PostData<'a>,
    status_id: Uuid,
    status_group_code: &'static str,
    previous_status_id: Uuid,
    previous_status_group_code: &'static str,
}

impl<'a> From<&'a StatusFacts> for StatusData<'a> {
    fn from(change: &'a StatusFacts) -> Self {
        Self {
            post: PostData::from(&change.post),
            status_id: change.status.id.0,
            status_group_code: change.status.group.code(),
            previous_status_id: change.previous.id.0,
            previous_status_group_code: change.previous.group.code(),
        }
    }
}

#[derive(Serialize)]
struct CommentData<'a> {
    id: Uuid,
    content: &'a str,
    post_id: Uuid,
    post_title: &'a str,
    board_id: Uuid,
    author_id: Uuid,
    parent_comment_id: Option<Uuid>,
}

impl<'a> From<&'a CommentFacts> for CommentData<'a> {
    fn from(comment: &'a CommentFacts) -> Self {
        Self {
            id: comment.id.0,
            content: &comment.content,
            post_id: comment.post_id.0,
            post_title: &comment.post_title,
            board_id: comment.board_id.0,
            author_id: comment.author_id.0,
            parent_comment_id: comment.parent_comment_id.map(|parent| parent.0),
        }
    }
}

#[derive(Serialize)]
struct VoteData<'a> {
    id: Uuid,
    post_id: Uuid,
    post_title: &'a str,
    board_id: Uuid,
}

impl<'a> From<&'a VoteFacts> for VoteData<'a> {
    fn from(vote: &'a VoteFacts) -> Self {
        Self { id: vote.id.0, post_id: vote.post_id.0, post_title: &vote.post_title, board_id: vote.board_id.0 }
    }
}

fn json(data: &impl Serialize) -> String {
    // Strings and identifiers only: there is nothing in the payload structs that serde_json could refuse.
    serde_json::to_string(data).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::event::{PostField, PostStatus};
    use hearback_domain::status::StatusGroup;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    fn post() -> PostFacts {
        PostFacts {
            id: id(1).into(),
            title: "Say \"hi\"".to_owned(),
            details: "in the morning".to_owned(),
            board_id: id(2).into(),
            board_name: "Ideas".to_owned(),
        }
    }

    const POST: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-000000000001","title":"Say \"hi\"","details":"in the morning","#,
        r#""board_id":"00000000-0000-0000-0000-000000000002","board_name":"Ideas""#
    );

    #[test]
    fn the_payload_of_a_post_has_five_members_and_more_where_more_is_to_be_told() {
        for what in [Happening::PostCreated(post()), Happening::PostDeleted(post())] {
            assert_eq!(data(&what), format!("{POST}}}"));
        }
        let edited = Happening::PostEdited(post(), vec![PostField::Title, PostField::Board]);
        assert_eq!(data(&edited), format!(r#"{POST},"changed_fields":["title","board_id"]}}"#));
        let change = StatusFacts {
            post: post(),
            status: PostStatus { id: id(4).into(), group: StatusGroup::InProgress },
            previous: PostStatus { id: id(3).into(), group: StatusGroup::Open },
        };
        let rest = concat!(
            r#","status_id":"00000000-0000-0000-0000-000000000004","status_group_code":"in-progress","#,
            r#""previous_status_id":"00000000-0000-0000-0000-000000000003","previous_status_group_code":"open"}"#
        );
        assert_eq!(data(&Happening::PostStatusChanged(change)), format!("{POST}{rest}"));
    }

    #[test]
    fn the_payload_of_a_tag_is_the_contracts() {
        let PostFacts { id: post_id, title, board_id, board_name, .. } = post();
        let tag = TagFacts { id: post_id, title, board_id, board_name, tag_id: id(3).into(), tag_name: "quick".to_owned() };
        let expected = concat!(
            r#"{"id":"00000000-0000-0000-0000-000000000001","title":"Say \"hi\"","#,
            r#""board_id":"00000000-0000-0000-0000-000000000002","board_name":"Ideas","#,
            r#""tag_id":"00000000-0000-0000-0000-000000000003","tag_name":"quick"}"#
        );
        for what in [Happening::PostTagAdded(tag.clone()), Happening::PostTagRemoved(tag)] {
            assert_eq!(data(&what), expected);
        }
    }

    #[test]
    fn the_payload_of_a_comment_is_the_contracts() {
        let comment = CommentFacts {
            id: id(1).into(),
            content: "Yes".to_owned(),
            post_id: id(2).into(),
            post_title: "Say hi".to_owned(),
            board_id: id(3).into(),
            author_id: id(4).into(),
            parent_comment_id: None,
        };
        let expected = concat!(
            r#"{"id":"00000000-0000-0000-0000-000000000001","content":"Yes","#,
            r#""post_id":"00000000-0000-0000-0000-000000000002","post_title":"Say hi","#,
            r#""board_id":"00000000-0000-0000-0000-000000000003","author_id":"00000000-0000-0000-0000-000000000004","#
        );
        assert_eq!(data(&Happening::CommentCreated(comment.clone())), format!(r#"{expected}"parent_comment_id":null}}"#));
        let reply = CommentFacts { parent_comment_id: Some(id(5).into()), ..comment };
        let parent = r#""parent_comment_id":"00000000-0000-0000-0000-000000000005"}"#;
        for what in [Happening::CommentEdited(reply.clone()), Happening::CommentDeleted(reply)] {
            assert_eq!(data(&what), format!("{expected}{parent}"));
        }
    }

    #[test]
    fn the_payload_of_a_vote_is_the_contracts() {
        let vote =
            VoteFacts { id: id(1).into(), post_id: id(2).into(), post_title: "Say \"hi\"".to_owned(), board_id: id(3).into() };
        let expected = concat!(
            r#"{"id":"00000000-0000-0000-0000-000000000001","post_id":"00000000-0000-0000-0000-000000000002","#,
            r#""post_title":"Say \"hi\"","board_id":"00000000-0000-0000-0000-000000000003"}"#
        );
        for what in [Happening::VoteCreated(vote.clone()), Happening::VoteDeleted(vote)] {
            assert_eq!(data(&what), expected);
        }
    }
}
