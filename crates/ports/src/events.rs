//! Recorded events.

use crate::StoreError;
use crate::page::{ByTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::changelog_entry::EntryType;
use hearback_domain::event::{
    ArticleFacts, CommentFacts, EntryFacts, Event, EventType, Happening, LedgerFilter, MergeFacts,
    Moderated, PostFacts, PostField, PostStatus, QueueFacts, RoadmapFacts, RoadmapField,
    StatusFacts, TagFacts, UserFacts, VoteFacts,
};
use hearback_domain::id::{EventId, OrganizationId};
use hearback_domain::status::StatusGroup;
use hearback_domain::{ClosedSet, Time, Uuid};
use serde::ser::{Serialize, Serializer};

/// An event as it is stored. Its payload is stored as the contract's JSON, so that every delivery
/// has the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// The identifier.
    pub id: EventId,
    /// The type.
    pub event_type: EventType,
    /// The contract's `data`, as compact JSON.
    pub data: String,
    /// When the change was made.
    pub recorded_at: Time,
    /// Whether the event is in the organization's ledger.
    pub in_ledger: bool,
}

impl From<&Event> for StoredEvent {
    fn from(event: &Event) -> Self {
        Self {
            id: event.id,
            event_type: event.what.event_type(),
            data: data(&event.what),
            recorded_at: event.at,
            in_ledger: event.in_ledger,
        }
    }
}

/// Reads and prunes recorded events.
///
/// An event is recorded only if at least one active subscription receives it, or if it is
/// [for the ledger](Event::in_ledger).
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

    /// The events of the ledger that the filter admits, by `recorded_at`, then id.
    async fn ledger(
        &self,
        organization: OrganizationId,
        filter: LedgerFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<StoredEvent, ByTime>, StoreError>;

    /// Takes up to `limit` events recorded before `before` out of the ledger, earliest first. Those
    /// without deliveries are removed. Returns the number of events taken out.
    async fn prune(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError>;
}

/// The value of a member of an event's `data`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventFact<'a> {
    /// An identifier.
    Id(Uuid),
    /// An identifier or `null`.
    OptionalId(Option<Uuid>),
    /// A text.
    Text(&'a str),
    /// A text or `null`.
    OptionalText(Option<&'a str>),
    /// The group of a status.
    StatusGroup(StatusGroup),
    /// Fields of a post.
    PostFields(&'a [PostField]),
    /// Fields of a roadmap post.
    RoadmapFields(&'a [RoadmapField]),
    /// A post or a comment.
    Moderated(Moderated),
    /// The classification of a changelog entry, or `null`.
    EntryType(Option<EntryType>),
    /// A time or `null`.
    OptionalTime(Option<Time>),
}

/// The members of the contract's `data`, in its order. Their names and the variants of their values
/// depend on the event's type alone: payloads are written from them, and the OpenAPI document
/// describes payloads by them.
pub fn facts(what: &Happening) -> Vec<(&'static str, EventFact<'_>)> {
    match what {
        Happening::PostCreated(post) | Happening::PostDeleted(post) => of_post(post),
        Happening::PostEdited(post, fields) => {
            [of_post(post), vec![("changed_fields", EventFact::PostFields(fields))]].concat()
        }
        Happening::PostTagAdded(tag) | Happening::PostTagRemoved(tag) => of_tag(tag),
        Happening::PostStatusChanged(change) => of_status(change),
        Happening::CommentCreated(comment)
        | Happening::CommentEdited(comment)
        | Happening::CommentDeleted(comment) => of_comment(comment),
        Happening::VoteCreated(vote) | Happening::VoteDeleted(vote) => of_vote(vote),
        Happening::PostRestored(post) => of_post(post),
        Happening::PostMerged(merge) | Happening::PostUnmerged(merge) => of_merge(merge),
        Happening::RoadmapPostCreated(post) | Happening::RoadmapPostDeleted(post) => {
            of_roadmap_post(post)
        }
        Happening::RoadmapPostEdited(post, fields) => {
            let fields = vec![("changed_fields", EventFact::RoadmapFields(fields))];
            [of_roadmap_post(post), fields].concat()
        }
        Happening::RoadmapPostStatusChanged(post, change) => {
            [of_roadmap_post(post), statuses(change.status, change.previous)].concat()
        }
        Happening::UserCreated(user) | Happening::UserUpdated(user) => of_user(user),
        Happening::UserDeleted(id, user) => {
            vec![("id", EventFact::Id(id.0)), ("user_id", EventFact::Id(user.0))]
        }
        Happening::ModerationQueued(queued) => of_queued(*queued),
        Happening::InternalCommentCreated(comment) => of_comment(comment),
        Happening::ArticlePublished(article) => of_article(article),
        Happening::EntryPublished(entry) | Happening::EntryUnpublished(entry) => of_entry(entry),
    }
}

fn of_post(post: &PostFacts) -> Vec<(&'static str, EventFact<'_>)> {
    vec![
        ("id", EventFact::Id(post.id.0)),
        ("title", EventFact::Text(&post.title)),
        ("details", EventFact::Text(&post.details)),
        ("board_id", EventFact::Id(post.board_id.0)),
        ("board_name", EventFact::Text(&post.board_name)),
    ]
}

fn of_tag(tag: &TagFacts) -> Vec<(&'static str, EventFact<'_>)> {
    vec![
        ("id", EventFact::Id(tag.id.0)),
        ("title", EventFact::Text(&tag.title)),
        ("board_id", EventFact::Id(tag.board_id.0)),
        ("board_name", EventFact::Text(&tag.board_name)),
        ("tag_id", EventFact::Id(tag.tag_id.0)),
        ("tag_name", EventFact::Text(&tag.tag_name)),
    ]
}

fn of_status(change: &StatusFacts) -> Vec<(&'static str, EventFact<'_>)> {
    [of_post(&change.post), statuses(change.status, change.previous)].concat()
}

fn statuses(status: PostStatus, previous: PostStatus) -> Vec<(&'static str, EventFact<'static>)> {
    vec![
        ("status_id", EventFact::Id(status.id.0)),
        ("status_group_code", EventFact::StatusGroup(status.group)),
        ("previous_status_id", EventFact::Id(previous.id.0)),
        ("previous_status_group_code", EventFact::StatusGroup(previous.group)),
    ]
}

fn of_merge(merge: &MergeFacts) -> Vec<(&'static str, EventFact<'_>)> {
    let posts = vec![
        ("into_post_id", EventFact::Id(merge.into_post_id.0)),
        ("merger_id", EventFact::OptionalId(merge.merger_id.map(Uuid::from))),
    ];
    [of_post(&merge.post), posts].concat()
}

fn of_roadmap_post(post: &RoadmapFacts) -> Vec<(&'static str, EventFact<'_>)> {
    vec![
        ("id", EventFact::Id(post.id.0)),
        ("title", EventFact::Text(&post.title)),
        ("details", EventFact::Text(&post.details)),
        ("roadmap_board_id", EventFact::Id(post.roadmap_board_id.0)),
        ("roadmap_board_name", EventFact::Text(&post.roadmap_board_name)),
    ]
}

fn of_user(user: &UserFacts) -> Vec<(&'static str, EventFact<'_>)> {
    vec![
        ("id", EventFact::Id(user.id.0)),
        ("user_id", EventFact::Id(user.user_id.0)),
        ("external_id", EventFact::OptionalText(user.external_id.as_deref())),
        ("email", EventFact::Text(&user.email)),
        ("name", EventFact::Text(&user.name)),
    ]
}

fn of_queued(queued: QueueFacts) -> Vec<(&'static str, EventFact<'static>)> {
    vec![
        ("kind", EventFact::Moderated(queued.kind)),
        ("id", EventFact::Id(queued.id)),
        ("board_id", EventFact::Id(queued.board_id.0)),
        ("author_id", EventFact::Id(queued.author_id.0)),
    ]
}

fn of_article(article: &ArticleFacts) -> Vec<(&'static str, EventFact<'_>)> {
    vec![
        ("id", EventFact::Id(article.id.0)),
        ("title", EventFact::Text(&article.title)),
        ("slug", EventFact::Text(article.slug.as_str())),
        ("collection_id", EventFact::OptionalId(article.collection_id.map(Uuid::from))),
        ("category_id", EventFact::OptionalId(article.category_id.map(Uuid::from))),
    ]
}

fn of_entry(entry: &EntryFacts) -> Vec<(&'static str, EventFact<'_>)> {
    vec![
        ("id", EventFact::Id(entry.id.0)),
        ("title", EventFact::Text(&entry.title)),
        ("slug", EventFact::Text(entry.slug.as_str())),
        ("type", EventFact::EntryType(entry.entry_type)),
        ("published_at", EventFact::OptionalTime(entry.published_at)),
    ]
}

fn of_comment(comment: &CommentFacts) -> Vec<(&'static str, EventFact<'_>)> {
    vec![
        ("id", EventFact::Id(comment.id.0)),
        ("content", EventFact::Text(&comment.content)),
        ("post_id", EventFact::Id(comment.post_id.0)),
        ("post_title", EventFact::Text(&comment.post_title)),
        ("board_id", EventFact::Id(comment.board_id.0)),
        ("author_id", EventFact::Id(comment.author_id.0)),
        ("parent_comment_id", EventFact::OptionalId(comment.parent_comment_id.map(Uuid::from))),
    ]
}

fn of_vote(vote: &VoteFacts) -> Vec<(&'static str, EventFact<'_>)> {
    vec![
        ("id", EventFact::Id(vote.id.0)),
        ("post_id", EventFact::Id(vote.post_id.0)),
        ("post_title", EventFact::Text(&vote.post_title)),
        ("board_id", EventFact::Id(vote.board_id.0)),
    ]
}

/// The contract's `data` of an event, as compact JSON.
fn data(what: &Happening) -> String {
    // A payload has strings, identifiers and `null`. serde_json refuses none of these.
    serde_json::to_string(&Payload(facts(what))).unwrap_or_default()
}

struct Payload<'a>(Vec<(&'static str, EventFact<'a>)>);

impl Serialize for Payload<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Serialize for EventFact<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Id(id) => id.serialize(serializer),
            Self::OptionalId(id) => id.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::OptionalText(text) => text.serialize(serializer),
            Self::RoadmapFields(fields) => {
                serializer.collect_seq(fields.iter().map(|field| field.code()))
            }
            Self::Moderated(kind) => serializer.serialize_str(kind.code()),
            Self::EntryType(entry_type) => entry_type.map(ClosedSet::code).serialize(serializer),
            Self::OptionalTime(time) => time.map(|time| time.to_string()).serialize(serializer),
            Self::StatusGroup(group) => serializer.serialize_str(group.code()),
            Self::PostFields(fields) => {
                serializer.collect_seq(fields.iter().map(|field| field.code()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::event::PostStatus;

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
        r#"{"id":"00000000-0000-0000-0000-000000000001","title":"Say \"hi\"","#,
        r#""details":"in the morning","#,
        r#""board_id":"00000000-0000-0000-0000-000000000002","board_name":"Ideas""#
    );

    #[test]
    fn the_payload_of_a_post_has_five_members_and_those_of_its_change() {
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
            r#","status_id":"00000000-0000-0000-0000-000000000004","#,
            r#""status_group_code":"in-progress","#,
            r#""previous_status_id":"00000000-0000-0000-0000-000000000003","#,
            r#""previous_status_group_code":"open"}"#
        );
        assert_eq!(data(&Happening::PostStatusChanged(change)), format!("{POST}{rest}"));
    }

    #[test]
    fn the_payload_of_a_tag_is_the_contracts() {
        let PostFacts { id: post_id, title, board_id, board_name, .. } = post();
        let tag = TagFacts {
            id: post_id,
            title,
            board_id,
            board_name,
            tag_id: id(3).into(),
            tag_name: "quick".to_owned(),
        };
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
            r#""board_id":"00000000-0000-0000-0000-000000000003","#,
            r#""author_id":"00000000-0000-0000-0000-000000000004","#
        );
        assert_eq!(
            data(&Happening::CommentCreated(comment.clone())),
            format!(r#"{expected}"parent_comment_id":null}}"#)
        );
        let reply = CommentFacts { parent_comment_id: Some(id(5).into()), ..comment };
        let parent = r#""parent_comment_id":"00000000-0000-0000-0000-000000000005"}"#;
        for what in [Happening::CommentEdited(reply.clone()), Happening::CommentDeleted(reply)] {
            assert_eq!(data(&what), format!("{expected}{parent}"));
        }
    }

    #[test]
    fn the_payload_of_a_vote_is_the_contracts() {
        let vote = VoteFacts {
            id: id(1).into(),
            post_id: id(2).into(),
            post_title: "Say \"hi\"".to_owned(),
            board_id: id(3).into(),
        };
        let expected = concat!(
            r#"{"id":"00000000-0000-0000-0000-000000000001","#,
            r#""post_id":"00000000-0000-0000-0000-000000000002","#,
            r#""post_title":"Say \"hi\"","board_id":"00000000-0000-0000-0000-000000000003"}"#
        );
        for what in [Happening::VoteCreated(vote.clone()), Happening::VoteDeleted(vote)] {
            assert_eq!(data(&what), expected);
        }
    }
}
