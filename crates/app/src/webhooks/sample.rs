//! Sends a test delivery to a receiver, and makes examples of events.

use super::find;
use crate::vault::{Purpose, SecretError, Vault};
use crate::{Caller, Error, Precondition};
use hearback_domain::api_key::Sealed;
use hearback_domain::changelog_entry::EntryType;
use hearback_domain::event::{
    ArticleFacts, CommentFacts, EntryFacts, Event, EventType, Happening, MergeFacts, Moderated,
    PostFacts, PostField, PostStatus, QueueFacts, RoadmapFacts, RoadmapField, StatusChange,
    StatusFacts, TagFacts, UserFacts, VoteFacts,
};
use hearback_domain::id::{DeliveryId, EventId, SubscriptionId};
use hearback_domain::record::Kind;
use hearback_domain::slug::Slug;
use hearback_domain::status::StatusGroup;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::event_sink::{Dispatch, Reply, SigningSecret, SigningSecrets};
use hearback_ports::events::StoredEvent;
use hearback_ports::{EventSink, Ports};
use std::time::Duration;

/// The result of a test delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The receiver's reply.
    pub reply: Reply,
    /// How long the attempt took.
    pub took: Duration,
}

/// Sends a test delivery to a subscription, active or not, and waits for the reply. The delivery
/// holds an example of `event_type`, or a `webhook.test`, whose `data` names the subscription. It is
/// signed as any other delivery and is not stored.
pub async fn test(
    ports: &Ports,
    vault: &Vault,
    sink: &dyn EventSink,
    caller: Caller,
    id: SubscriptionId,
    event_type: Option<EventType>,
) -> Result<Tested, Error> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
    let subscription = find(ports, caller, id).await?.subscription;
    if subscription.awaits_rotation {
        return Err(Error::Refused(Precondition::AwaitsRotation));
    }
    let at = ports.clock.now();
    let event: EventId = ports.ids.fresh().into();
    let (event_name, data) = match event_type {
        Some(event_type) => (event_type.code(), example_data(event_type)),
        None => ("webhook.test", format!(r#"{{"subscription_id":"{id}"}}"#)),
    };
    let delivery = DeliveryId::of(event, id);
    let open = |sealed: &Sealed| {
        vault.open(organization, id.0, Purpose::SigningSecret, sealed).map(SigningSecret::new)
    };
    let secrets = SigningSecrets {
        current: open(&subscription.secret).map_err(SecretError::from)?,
        previous: subscription.overlapping_secret(at).and_then(|secret| open(secret).ok()),
    };
    let dispatch = Dispatch {
        delivery,
        organization,
        subscription: id,
        url: subscription.url,
        secrets,
        event: event_name,
        data,
        occurred_at: at,
        attempt: 1,
        at,
    };
    let began = ports.clock.elapsed();
    let reply = sink.send(dispatch).await;
    Ok(Tested { delivery, reply, took: ports.clock.elapsed().saturating_sub(began) })
}

/// The `data` of an example of an event type, as JSON.
pub fn example_data(event_type: EventType) -> String {
    let what = example(event_type);
    let event = Event { id: EventId(Uuid::nil()), at: Time::MIN, what, in_ledger: false };
    StoredEvent::from(&event).data
}

/// An example of an event of a type.
pub fn example(event_type: EventType) -> Happening {
    let id = |number: u128| Uuid::from_u128((0x0190_0000_0000_7000_8000 << 48) | number);
    let (title, board_name) = ("Dark mode".to_owned(), "Ideas".to_owned());
    let post = PostFacts {
        id: id(1).into(),
        title: title.clone(),
        details: "My eyes would like it.".to_owned(),
        board_id: id(2).into(),
        board_name: board_name.clone(),
    };
    let tag = TagFacts {
        id: id(1).into(),
        title: title.clone(),
        board_id: id(2).into(),
        board_name,
        tag_id: id(3).into(),
        tag_name: "design".to_owned(),
    };
    let comment = CommentFacts {
        id: id(4).into(),
        content: "Mine, too.".to_owned(),
        post_id: id(1).into(),
        post_title: title.clone(),
        board_id: id(2).into(),
        author_id: id(5).into(),
        parent_comment_id: None,
    };
    let vote = VoteFacts {
        id: id(6).into(),
        post_id: id(1).into(),
        post_title: title,
        board_id: id(2).into(),
    };
    let status = PostStatus { id: id(8).into(), group: StatusGroup::InProgress };
    let previous = PostStatus { id: id(7).into(), group: StatusGroup::Open };
    let merge =
        |post| MergeFacts { post, into_post_id: id(9).into(), merger_id: Some(id(5).into()) };
    let plan = RoadmapFacts {
        id: id(10).into(),
        title: "Night shift".to_owned(),
        details: "Dark colours everywhere.".to_owned(),
        roadmap_board_id: id(11).into(),
        roadmap_board_name: "Roadmap".to_owned(),
    };
    let user = UserFacts {
        id: id(12).into(),
        user_id: id(5).into(),
        external_id: Some("crm-7".to_owned()),
        email: "ada@example.com".to_owned(),
        name: "Ada".to_owned(),
    };
    let entry = EntryFacts {
        id: id(13).into(),
        title: "Dark mode is here".to_owned(),
        slug: Slug::derive("Dark mode is here", "entry"),
        entry_type: Some(EntryType::New),
        published_at: Time::parse("2026-03-01T09:30:00Z").ok(),
    };
    match event_type {
        EventType::PostCreated => Happening::PostCreated(post),
        EventType::PostEdited => Happening::PostEdited(post, vec![PostField::Title]),
        EventType::PostDeleted => Happening::PostDeleted(post),
        EventType::PostTagAdded => Happening::PostTagAdded(tag),
        EventType::PostTagRemoved => Happening::PostTagRemoved(tag),
        EventType::PostStatusChanged => {
            Happening::PostStatusChanged(StatusFacts { post, status, previous })
        }
        EventType::CommentCreated => Happening::CommentCreated(comment),
        EventType::CommentEdited => Happening::CommentEdited(comment),
        EventType::CommentDeleted => Happening::CommentDeleted(comment),
        EventType::VoteCreated => Happening::VoteCreated(vote),
        EventType::VoteDeleted => Happening::VoteDeleted(vote),
        EventType::PostRestored => Happening::PostRestored(post),
        EventType::PostMerged => Happening::PostMerged(merge(post)),
        EventType::PostUnmerged => Happening::PostUnmerged(merge(post)),
        EventType::RoadmapPostCreated => Happening::RoadmapPostCreated(plan),
        EventType::RoadmapPostEdited => {
            Happening::RoadmapPostEdited(plan, vec![RoadmapField::Title])
        }
        EventType::RoadmapPostDeleted => Happening::RoadmapPostDeleted(plan),
        EventType::RoadmapPostStatusChanged => {
            Happening::RoadmapPostStatusChanged(plan, StatusChange { status, previous })
        }
        EventType::UserCreated => Happening::UserCreated(user),
        EventType::UserUpdated => Happening::UserUpdated(user),
        EventType::UserDeleted => Happening::UserDeleted(id(12).into(), id(5).into()),
        EventType::ModerationQueued => Happening::ModerationQueued(QueueFacts {
            kind: Moderated::Post,
            id: id(1),
            board_id: id(2).into(),
            author_id: id(5).into(),
        }),
        EventType::InternalCommentCreated => Happening::InternalCommentCreated(comment),
        EventType::ArticlePublished => Happening::ArticlePublished(ArticleFacts {
            id: id(14).into(),
            title: "Dark mode at night".to_owned(),
            slug: Slug::derive("Dark mode at night", "article"),
            collection_id: Some(id(15).into()),
            category_id: None,
        }),
        EventType::EntryPublished => Happening::EntryPublished(entry),
        EventType::EntryUnpublished => Happening::EntryUnpublished(entry),
    }
}
