//! Managing webhook subscriptions and their deliveries, from the command line.

use crate::vault::{NoRandomness, Purpose, SealError, Vault};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::{
    CommentFacts, Event, EventType, Happening, PostFacts, PostField, PostStatus, StatusFacts,
    TagFacts, VoteFacts,
};
use hearback_domain::id::{DeliveryId, EventId, OrganizationId, SubscriptionId};
use hearback_domain::status::StatusGroup;
use hearback_domain::webhook_subscription::{WebhookSubscription, WebhookUrl};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::deliveries::{Delivery, DeliveryFilter};
use hearback_ports::delivery_queue::Attempt;
use hearback_ports::event_sink::{Dispatch, Reply, SigningSecret, SigningSecrets};
use hearback_ports::events::StoredEvent;
use hearback_ports::webhook_subscriptions::SubscriptionStanding;
use hearback_ports::{EventSink, Ports, Recorded, StoreError};
use std::collections::HashSet;
use std::time::Duration;
use zeroize::Zeroizing;

/// How long the secret before is used beside a new one, in milliseconds.
const OVERLAP: i64 = 24 * 60 * 60 * 1000;

/// How many deliveries are read at once.
const PAGE: i64 = 500;

/// What was asked about a subscription was not done.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The organization has no such subscription.
    #[error("the organization has no webhook subscription {0}")]
    Unknown(SubscriptionId),
    /// Nothing is sent to it.
    #[error("the webhook subscription {0} is not active: activate it first")]
    Inactive(SubscriptionId),
    /// It was imported without its secret.
    #[error(
        "the webhook subscription {0} was imported without its signing secret: rotate it first"
    )]
    AwaitsRotation(SubscriptionId),
    /// None of the deliveries that were to be sent again is there and has failed.
    #[error("the organization has no failed delivery {0}")]
    NotFailed(DeliveryId),
    /// Somebody else changed or removed it at the same time.
    #[error("the webhook subscription was changed by somebody else at the same time: try again")]
    Raced,
    /// No random bytes.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    /// The secret could not be sealed or opened.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The store failed.
    #[error("managing webhook subscriptions")]
    Store(#[from] StoreError),
}

/// All of an organization.
pub async fn list(
    ports: &Ports,
    organization: OrganizationId,
) -> Result<Vec<SubscriptionStanding>, WebhookError> {
    Ok(ports.webhook_subscriptions.list(organization).await?)
}

/// Adds one, for events of these types (none: all), and makes its secret.
pub async fn add(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    url: WebhookUrl,
    event_types: Vec<EventType>,
) -> Result<(SubscriptionId, SigningSecret), WebhookError> {
    let id: SubscriptionId = ports.ids.fresh().into();
    let (plain, secret) = fresh_secret(vault, organization, id)?;
    let subscription = WebhookSubscription {
        id,
        url: url.into(),
        event_types,
        is_active: true,
        awaits_rotation: false,
        secret,
        created_at: ports.clock.now(),
    };
    done(ports.webhook_subscriptions.insert(organization, subscription).await?)?;
    Ok((id, plain))
}

/// Removes one with all its deliveries.
pub async fn remove(
    ports: &Ports,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<(), WebhookError> {
    find(ports, organization, id).await?;
    done(ports.webhook_subscriptions.delete(organization, id).await?)
}

/// Gives one a new secret. For a day, deliveries are signed with the old one too, in the header that can say so.
pub async fn rotate_secret(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<SigningSecret, WebhookError> {
    find(ports, organization, id).await?;
    let (plain, sealed) = fresh_secret(vault, organization, id)?;
    let overlap = ports.clock.now().plus_millis(OVERLAP);
    done(ports.webhook_subscriptions.rotate(organization, id, sealed, overlap).await?)?;
    Ok(plain)
}

/// Has events sent to one again, and what waits for it, as if nothing had failed before.
pub async fn activate(
    ports: &Ports,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<(), WebhookError> {
    if find(ports, organization, id).await?.subscription.awaits_rotation {
        return Err(WebhookError::AwaitsRotation(id));
    }
    done(ports.webhook_subscriptions.activate(organization, id).await?)
}

/// Has nothing sent to one any more. What waits for it is kept for 30 days.
pub async fn deactivate(
    ports: &Ports,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<(), WebhookError> {
    find(ports, organization, id).await?;
    done(ports.webhook_subscriptions.deactivate(organization, id, ports.clock.now()).await?)
}

/// What a receiver answered to a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    /// The delivery.
    pub delivery: DeliveryId,
    /// What came of it.
    pub reply: Reply,
    /// How long it took.
    pub took: Duration,
}

/// Sends a delivery to a subscription, active or not, and waits for the answer: an example of an event type, or `ping`, whose
/// `data` names the subscription. It is made and signed as any other, and kept nowhere.
pub async fn test(
    ports: &Ports,
    vault: &Vault,
    sink: &dyn EventSink,
    organization: OrganizationId,
    id: SubscriptionId,
    event_type: Option<EventType>,
) -> Result<Tested, WebhookError> {
    let standing = find(ports, organization, id).await?;
    if standing.subscription.awaits_rotation {
        return Err(WebhookError::AwaitsRotation(id));
    }
    let at = ports.clock.now();
    let event: EventId = ports.ids.fresh().into();
    let (event_name, data) = match event_type {
        Some(event_type) => (event_type.code(), example_data(event_type)),
        None => ("ping", format!(r#"{{"subscription_id":"{id}"}}"#)),
    };
    let delivery = DeliveryId::of(event, id);
    let open = |sealed: &Sealed| {
        vault.open(organization, id.0, Purpose::SigningSecret, sealed).map(SigningSecret::new)
    };
    let previous = standing.previous_secret.filter(|previous| previous.until > at);
    let secrets = SigningSecrets {
        current: open(&standing.subscription.secret)?,
        previous: previous.and_then(|previous| open(&previous.secret).ok()),
    };
    let dispatch = Dispatch {
        delivery,
        organization,
        subscription: id,
        url: standing.subscription.url,
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

/// The newest deliveries to a subscription, or to all of the organization, up to `limit`, newest first.
pub async fn deliveries(
    ports: &Ports,
    organization: OrganizationId,
    subscription: Option<SubscriptionId>,
    filter: DeliveryFilter,
    limit: usize,
) -> Result<Vec<Delivery>, WebhookError> {
    let mut newest: Vec<Delivery> = Vec::new();
    for standing in chosen(ports, organization, subscription).await? {
        let mut pages = Pages::new(ports, organization, standing.subscription.id, filter);
        let mut left = limit;
        while let Some(page) = pages.next(left).await? {
            left -= page.len();
            newest.extend(page);
        }
    }
    newest.sort_unstable_by_key(|delivery| {
        std::cmp::Reverse((delivery.created_at, delivery.event, delivery.subscription))
    });
    newest.truncate(limit);
    Ok(newest)
}

/// What came of each attempt of a delivery.
pub async fn attempts(
    ports: &Ports,
    organization: OrganizationId,
    delivery: &Delivery,
) -> Result<Vec<Attempt>, WebhookError> {
    Ok(ports.deliveries.attempts(organization, delivery.subscription, delivery.event).await?)
}

/// Which failed deliveries are sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// These.
    Deliveries(Vec<DeliveryId>),
    /// Those that the filter lets through, whose `state` counts for nothing.
    Matching(DeliveryFilter),
}

/// Sends failed deliveries again, under the same identifier and with the same body, beginning the schedule of retries anew.
/// Answers how many. Without a subscription, those to all active ones of the organization.
pub async fn replay(
    ports: &Ports,
    organization: OrganizationId,
    subscription: Option<SubscriptionId>,
    replay: Replay,
) -> Result<usize, WebhookError> {
    let (filter, wanted) = match replay {
        Replay::Deliveries(ids) => (DeliveryFilter::default(), Some(ids)),
        Replay::Matching(filter) => (filter, None),
    };
    let filter = DeliveryFilter { state: Some(DeliveryState::Failed), ..filter };
    let mut missing: HashSet<DeliveryId> = wanted.iter().flatten().copied().collect();
    let mut found: Vec<(SubscriptionId, Vec<EventId>)> = Vec::new();
    for standing in chosen(ports, organization, subscription).await? {
        let id = standing.subscription.id;
        if !standing.subscription.is_active && subscription.is_some() {
            return Err(WebhookError::Inactive(id));
        }
        if !standing.subscription.is_active && wanted.is_none() {
            continue;
        }
        let mut pages = Pages::new(ports, organization, id, filter);
        let mut events = Vec::new();
        while let Some(page) = pages.next(usize::MAX).await? {
            let meant =
                page.iter().filter(|delivery| wanted.is_none() || missing.remove(&delivery.id()));
            events.extend(meant.map(|delivery| delivery.event));
            if wanted.is_some() && missing.is_empty() {
                break;
            }
        }
        if !events.is_empty() {
            if !standing.subscription.is_active {
                return Err(WebhookError::Inactive(id));
            }
            found.push((id, events));
        }
    }
    if let Some(&first) = wanted.iter().flatten().find(|id| missing.contains(id)) {
        return Err(WebhookError::NotFailed(first));
    }
    let mut replayed = 0;
    for (id, events) in found {
        replayed += ports.deliveries.replay(organization, id, events, ports.clock.now()).await?;
    }
    Ok(replayed)
}

/// Goes through the deliveries to a subscription.
struct Pages<'a> {
    ports: &'a Ports,
    organization: OrganizationId,
    subscription: SubscriptionId,
    filter: DeliveryFilter,
    after: Option<(Time, EventId)>,
    is_last: bool,
}

impl<'a> Pages<'a> {
    fn new(
        ports: &'a Ports,
        organization: OrganizationId,
        subscription: SubscriptionId,
        filter: DeliveryFilter,
    ) -> Self {
        Self { ports, organization, subscription, filter, after: None, is_last: false }
    }

    /// The next ones, up to `most` of them; `None` when there are no more, or none is wanted.
    async fn next(&mut self, most: usize) -> Result<Option<Vec<Delivery>>, StoreError> {
        let limit = i64::try_from(most).unwrap_or(i64::MAX).min(PAGE);
        if self.is_last || limit == 0 {
            return Ok(None);
        }
        let page = self
            .ports
            .deliveries
            .page(self.organization, self.subscription, self.filter, self.after, limit)
            .await?;
        self.is_last = i64::try_from(page.len()).is_ok_and(|length| length < limit);
        self.after = page.last().map(|delivery| (delivery.created_at, delivery.event));
        Ok(Some(page))
    }
}

/// The subscription that is named, or all.
async fn chosen(
    ports: &Ports,
    organization: OrganizationId,
    subscription: Option<SubscriptionId>,
) -> Result<Vec<SubscriptionStanding>, WebhookError> {
    match subscription {
        Some(id) => Ok(vec![find(ports, organization, id).await?]),
        None => list(ports, organization).await,
    }
}

async fn find(
    ports: &Ports,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<SubscriptionStanding, WebhookError> {
    let found = ports.webhook_subscriptions.find(organization, id).await?;
    found.ok_or(WebhookError::Unknown(id))
}

fn done(recorded: Recorded) -> Result<(), WebhookError> {
    match recorded {
        Recorded::Done => Ok(()),
        Recorded::Stale | Recorded::Taken(_) | Recorded::Missing(_) => Err(WebhookError::Raced),
    }
}

/// A new secret, in the clear and sealed.
fn fresh_secret(
    vault: &Vault,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<(SigningSecret, Sealed), WebhookError> {
    let plain = new_signing_secret(vault)?;
    let sealed = vault.seal(organization, id.0, Purpose::SigningSecret, &plain)?;
    Ok((SigningSecret::new(plain), sealed))
}

/// `whsec_` and the Base64 of 32 random bytes.
pub(crate) fn new_signing_secret(vault: &Vault) -> Result<Zeroizing<String>, NoRandomness> {
    let bytes = vault.random::<32>()?;
    Ok(Zeroizing::new(format!("whsec_{}", *Zeroizing::new(STANDARD.encode(*bytes)))))
}

/// The `data` of an example of an event type, as JSON.
pub fn example_data(event_type: EventType) -> String {
    StoredEvent::from(&Event { id: EventId(Uuid::nil()), at: Time::MIN, what: example(event_type) })
        .data
}

/// What an event of a type may look like.
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
    match event_type {
        EventType::PostCreated => Happening::PostCreated(post),
        EventType::PostEdited => Happening::PostEdited(post, vec![PostField::Title]),
        EventType::PostDeleted => Happening::PostDeleted(post),
        EventType::PostTagAdded => Happening::PostTagAdded(tag),
        EventType::PostTagRemoved => Happening::PostTagRemoved(tag),
        EventType::PostStatusChanged => Happening::PostStatusChanged(StatusFacts {
            post,
            status: PostStatus { id: id(8).into(), group: StatusGroup::InProgress },
            previous: PostStatus { id: id(7).into(), group: StatusGroup::Open },
        }),
        EventType::CommentCreated => Happening::CommentCreated(comment),
        EventType::CommentEdited => Happening::CommentEdited(comment),
        EventType::CommentDeleted => Happening::CommentDeleted(comment),
        EventType::VoteCreated => Happening::VoteCreated(vote),
        EventType::VoteDeleted => Happening::VoteDeleted(vote),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;
    use hearback_domain::delivery::Response;
    use hearback_domain::webhook_subscription::Health;
    use hearback_ports::event_sink::MockEventSink;
    use hearback_ports::mock::Mocks;
    use hearback_ports::webhook_subscriptions::PreviousSecret;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const HOOK: SubscriptionId = SubscriptionId(Uuid::from_u128(2));

    fn now() -> Time {
        Time::parse("2026-03-01T09:30:00Z").unwrap()
    }

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap())
    }

    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(now());
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(7));
        mocks
    }

    fn standing(id: SubscriptionId) -> SubscriptionStanding {
        let secret = vault().seal(ACME, id.0, Purpose::SigningSecret, "whsec_old").unwrap();
        SubscriptionStanding {
            subscription: WebhookSubscription {
                id,
                url: "https://acme.example/hook".to_owned(),
                event_types: vec![],
                is_active: true,
                awaits_rotation: false,
                secret,
                created_at: now(),
            },
            inactive_since: None,
            health: Health::Well,
            previous_secret: None,
        }
    }

    /// Mocks with these subscriptions.
    fn with(all: Vec<SubscriptionStanding>) -> Mocks {
        let mut mocks = mocks();
        let listed = all.clone();
        mocks.webhook_subscriptions.expect_list().returning(move |_| Ok(listed.clone()));
        mocks.webhook_subscriptions.expect_find().returning(move |_, id| {
            Ok(all.iter().find(|standing| standing.subscription.id == id).cloned())
        });
        mocks
    }

    fn inactive(mut standing: SubscriptionStanding) -> SubscriptionStanding {
        standing.subscription.is_active = false;
        standing
    }

    fn imported(mut standing: SubscriptionStanding) -> SubscriptionStanding {
        standing.subscription.awaits_rotation = true;
        standing
    }

    #[tokio::test]
    async fn a_new_secret_is_whsec_and_32_bytes_and_is_kept_sealed() {
        let mut mocks = mocks();
        let kept = std::sync::Arc::new(std::sync::Mutex::new(None));
        let noted = kept.clone();
        mocks.webhook_subscriptions.expect_insert().once().returning(move |_, subscription| {
            *noted.lock().unwrap() = Some(subscription);
            Ok(Recorded::Done)
        });
        let url = WebhookUrl::parse("https://acme.example/hook").unwrap();
        let (id, secret) =
            add(&mocks.ports(), &vault(), ACME, url, vec![EventType::VoteCreated]).await.unwrap();
        let bytes = STANDARD.decode(secret.reveal().strip_prefix("whsec_").unwrap()).unwrap();
        assert_eq!(bytes.len(), 32);
        let kept = kept.lock().unwrap().take().unwrap();
        assert_eq!(
            (kept.id, kept.event_types, kept.is_active, kept.awaits_rotation),
            (id, vec![EventType::VoteCreated], true, false)
        );
        assert_eq!(
            *vault().open(ACME, id.0, Purpose::SigningSecret, &kept.secret).unwrap(),
            secret.reveal()
        );
    }

    #[tokio::test]
    async fn a_secret_that_is_rotated_overlaps_a_day() {
        let mut mocks = with(vec![standing(HOOK)]);
        mocks
            .webhook_subscriptions
            .expect_rotate()
            .once()
            .withf(|_, id, _, overlap| {
                *id == HOOK && overlap.to_string() == "2026-03-02T09:30:00.000Z"
            })
            .returning(|_, _, _, _| Ok(Recorded::Done));
        let secret = rotate_secret(&mocks.ports(), &vault(), ACME, HOOK).await.unwrap();
        assert_ne!(secret.reveal(), "whsec_old");
    }

    #[tokio::test]
    async fn what_is_not_there_is_named() {
        let ports = with(vec![]).ports();
        let none = MockEventSink::new();
        let refusals = [
            remove(&ports, ACME, HOOK).await.err(),
            activate(&ports, ACME, HOOK).await.err(),
            deactivate(&ports, ACME, HOOK).await.err(),
            rotate_secret(&ports, &vault(), ACME, HOOK).await.err(),
            test(&ports, &vault(), &none, ACME, HOOK, None).await.err(),
            deliveries(&ports, ACME, Some(HOOK), DeliveryFilter::default(), 1).await.err(),
            replay(&ports, ACME, Some(HOOK), Replay::Matching(DeliveryFilter::default()))
                .await
                .err(),
        ];
        for refusal in refusals {
            assert!(matches!(refusal, Some(WebhookError::Unknown(HOOK))), "{refusal:?}");
        }
    }

    #[tokio::test]
    async fn one_that_was_imported_without_secret_is_neither_tested_nor_activated() {
        let ports = with(vec![imported(standing(HOOK))]).ports();
        let tested = test(&ports, &vault(), &MockEventSink::new(), ACME, HOOK, None).await;
        assert!(matches!(tested, Err(WebhookError::AwaitsRotation(HOOK))));
        assert!(matches!(
            activate(&ports, ACME, HOOK).await,
            Err(WebhookError::AwaitsRotation(HOOK))
        ));
    }

    #[tokio::test]
    async fn a_test_is_a_ping_or_an_example_and_goes_to_inactive_ones_too() {
        for (event_type, name) in
            [(None, "ping"), (Some(EventType::PostTagAdded), "post.tag_added")]
        {
            let ports = with(vec![inactive(standing(HOOK))]).ports();
            let mut sink = MockEventSink::new();
            sink.expect_send()
                .once()
                .withf(move |dispatch| {
                    let data = if name == "ping" {
                        HOOK.to_string()
                    } else {
                        r#""tag_name":"design""#.to_owned()
                    };
                    dispatch.event == name
                        && dispatch.data.contains(&data)
                        && dispatch.secrets.current.reveal() == "whsec_old"
                })
                .returning(|_| Reply {
                    response: Response::Status { code: 204, cut: None },
                    retry_after: None,
                    answer: vec![],
                });
            let tested = test(&ports, &vault(), &sink, ACME, HOOK, event_type).await.unwrap();
            assert!(tested.reply.response.is_success());
        }
    }

    #[tokio::test]
    async fn a_test_is_signed_with_the_secret_before_too_while_that_is_used() {
        for (until, expected) in [(now(), None), (now().plus_millis(1), Some("whsec_older"))] {
            let secret = vault().seal(ACME, HOOK.0, Purpose::SigningSecret, "whsec_older").unwrap();
            let rotated = SubscriptionStanding {
                previous_secret: Some(PreviousSecret { secret, until }),
                ..standing(HOOK)
            };
            let ports = with(vec![rotated]).ports();
            let mut sink = MockEventSink::new();
            sink.expect_send()
                .once()
                .withf(move |dispatch| {
                    dispatch.secrets.previous.as_ref().map(SigningSecret::reveal) == expected
                })
                .returning(|_| Reply {
                    response: Response::Status { code: 204, cut: None },
                    retry_after: None,
                    answer: vec![],
                });
            test(&ports, &vault(), &sink, ACME, HOOK, None).await.unwrap();
        }
    }

    #[tokio::test]
    async fn there_is_an_example_of_every_event_type() {
        for &event_type in EventType::ALL {
            assert_eq!(example(event_type).event_type(), event_type);
        }
    }

    fn delivery(subscription: SubscriptionId, number: u128) -> Delivery {
        Delivery {
            subscription,
            event: Uuid::from_u128(number).into(),
            event_type: EventType::VoteCreated,
            state: DeliveryState::Failed,
            attempts: 10,
            last_response: None,
            created_at: now().plus_millis(i64::try_from(number).unwrap()),
            occurred_at: None,
            next_attempt_at: None,
            ended_at: None,
        }
    }

    /// Deliveries to subscriptions: to number n all numbers up to `count` of which n is the remainder by 2.
    fn with_deliveries(all: Vec<SubscriptionStanding>, count: u128) -> Mocks {
        let mut mocks = with(all);
        mocks.deliveries.expect_page().returning(move |_, subscription, _, after, limit| {
            let of_this =
                (0..count).rev().filter(|number| number % 2 == subscription.0.as_u128() % 2);
            let rest = of_this.map(|number| delivery(subscription, number)).filter(|delivery| {
                after.is_none_or(|after| (delivery.created_at, delivery.event) < after)
            });
            Ok(rest.take(limit.try_into().unwrap()).collect())
        });
        mocks
    }

    const OTHER: SubscriptionId = SubscriptionId(Uuid::from_u128(3));

    #[tokio::test]
    async fn the_newest_deliveries_of_all_subscriptions_come_first() {
        let ports = with_deliveries(vec![standing(HOOK), standing(OTHER)], 3_000).ports();
        let listed =
            deliveries(&ports, ACME, None, DeliveryFilter::default(), 1_200).await.unwrap();
        let numbers: Vec<u128> = listed.iter().map(|delivery| delivery.event.0.as_u128()).collect();
        assert_eq!(numbers, (1_800..3_000).rev().collect::<Vec<_>>());
        let of_one =
            deliveries(&ports, ACME, Some(OTHER), DeliveryFilter::default(), 2).await.unwrap();
        assert_eq!(of_one, [delivery(OTHER, 2_999), delivery(OTHER, 2_997)]);
    }

    #[tokio::test]
    async fn all_that_failed_is_sent_again_to_those_that_are_active() {
        let mut mocks = with_deliveries(vec![standing(HOOK), inactive(standing(OTHER))], 3_000);
        mocks
            .deliveries
            .expect_replay()
            .once()
            .withf(|_, subscription, _, at| *subscription == HOOK && *at == now())
            .returning(|_, _, events, _| Ok(events.len()));
        assert_eq!(
            replay(&mocks.ports(), ACME, None, Replay::Matching(DeliveryFilter::default()))
                .await
                .unwrap(),
            1_500
        );
    }

    #[tokio::test]
    async fn chosen_deliveries_are_sent_again_all_or_none() {
        let ids = |numbers: &[(SubscriptionId, u128)]| {
            Replay::Deliveries(
                numbers
                    .iter()
                    .map(|(subscription, number)| delivery(*subscription, *number).id())
                    .collect(),
            )
        };
        let mut mocks = with_deliveries(vec![standing(HOOK), standing(OTHER)], 3_000);
        mocks.deliveries.expect_replay().times(2).returning(|_, _, events, _| Ok(events.len()));
        let chosen = ids(&[(HOOK, 2), (OTHER, 2_999), (HOOK, 2_998)]);
        assert_eq!(replay(&mocks.ports(), ACME, None, chosen).await.unwrap(), 3);

        let ports = with_deliveries(vec![standing(HOOK), inactive(standing(OTHER))], 10).ports();
        let missing = replay(&ports, ACME, None, ids(&[(HOOK, 2), (HOOK, 12)])).await;
        assert!(
            matches!(missing, Err(WebhookError::NotFailed(id)) if id == delivery(HOOK, 12).id())
        );
        let to_inactive = replay(&ports, ACME, None, ids(&[(HOOK, 2), (OTHER, 3)])).await;
        assert!(matches!(to_inactive, Err(WebhookError::Inactive(OTHER))));
    }
}
