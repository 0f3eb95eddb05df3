//! Webhook subscriptions.

use crate::Time;
use crate::api_key::Sealed;
use crate::delivery::{DeliveryFailure, Response};
use crate::draft::Patches;
use crate::edit::{Patch, replace};
use crate::event::{EventType, Happening};
use crate::id::{BoardId, EventId, SubscriptionId};
use crate::millis::hours;
use crate::text::LongText;
use crate::web_url::{NoWebUrl, WebUrl};

/// A webhook to which an organization's events are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookSubscription {
    /// The identifier.
    pub id: SubscriptionId,
    /// The receiver's address.
    pub url: String,
    /// The event types that are sent. Empty: all types of the contract.
    pub event_types: Vec<EventType>,
    /// The feedback boards whose events are sent. Empty: the events of all boards, and those
    /// without a board.
    pub board_ids: Vec<BoardId>,
    /// A description for the team.
    pub description: Option<String>,
    /// `false` if no events are sent.
    pub is_active: bool,
    /// Whether the subscription was imported without its secret. No events are sent, active or not,
    /// until a rotation gives it a new one.
    pub awaits_rotation: bool,
    /// The signing secret.
    pub secret: Sealed,
    /// The former signing secret, if there is one.
    pub previous_secret: Option<Sealed>,
    /// The time until which deliveries are signed with the former secret as well.
    pub previous_until: Option<Time>,
    /// When the subscription was made.
    pub created_at: Time,
}

impl WebhookSubscription {
    /// Whether the subscription receives an event. It is the reference for the fan-out in the SQL
    /// of both stores.
    pub fn receives(&self, what: &Happening) -> bool {
        let event_type = what.event_type();
        let wanted = match &self.event_types[..] {
            [] => event_type.is_in_contract(),
            named => named.contains(&event_type),
        };
        let on_board = match &self.board_ids[..] {
            [] => true,
            named => what.board().is_some_and(|board| named.contains(&board)),
        };
        self.is_active && !self.awaits_rotation && wanted && on_board
    }

    /// The former secret, if deliveries are signed with it at a time.
    pub fn overlapping_secret(&self, at: Time) -> Option<&Sealed> {
        self.previous_secret.as_ref().filter(|_| self.previous_until > Some(at))
    }

    /// The subscription with another secret. Deliveries are signed with the present one as well
    /// until a time, unless the subscription awaited rotation.
    #[must_use]
    pub fn rotated(self, secret: Sealed, until: Time) -> Self {
        let is_known = !self.awaits_rotation;
        Self {
            awaits_rotation: false,
            previous_secret: is_known.then_some(self.secret),
            previous_until: is_known.then_some(until),
            secret,
            ..self
        }
    }
}

/// The fields of `/webhooks/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionDraft {
    /// The receiver's address.
    pub url: WebUrl,
    /// The event types that are sent. Empty: all types of the contract.
    pub event_types: Vec<EventType>,
    /// The feedback boards whose events are sent. Empty: all.
    pub board_ids: Vec<BoardId>,
    /// A description for the team.
    pub description: Option<LongText>,
    /// `false` if no events are sent.
    pub is_active: bool,
}

impl SubscriptionDraft {
    /// An active subscription to all events of these types.
    pub fn to(url: WebUrl, event_types: Vec<EventType>) -> Self {
        Self { url, event_types, board_ids: vec![], description: None, is_active: true }
    }

    /// Makes the subscription.
    pub fn create(self, id: SubscriptionId, secret: Sealed, now: Time) -> WebhookSubscription {
        WebhookSubscription {
            id,
            url: self.url.into(),
            event_types: self.event_types,
            board_ids: self.board_ids,
            description: self.description.map(String::from),
            is_active: self.is_active,
            awaits_rotation: false,
            secret,
            previous_secret: None,
            previous_until: None,
            created_at: now,
        }
    }
}

/// The new values of `/webhooks/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionPatch {
    /// The receiver's address.
    pub url: Option<WebUrl>,
    /// The event types that are sent. Empty: all types of the contract.
    pub event_types: Option<Vec<EventType>>,
    /// The feedback boards whose events are sent. Empty: all.
    pub board_ids: Option<Vec<BoardId>>,
    /// A description for the team.
    pub description: Patch<LongText>,
    /// `false` if no events are sent.
    pub is_active: Option<bool>,
}

impl Patches for SubscriptionPatch {
    type Record = WebhookSubscription;

    fn edit(self, mut subscription: WebhookSubscription) -> WebhookSubscription {
        replace(&mut subscription.url, self.url);
        replace(&mut subscription.event_types, self.event_types);
        replace(&mut subscription.board_ids, self.board_ids);
        self.description.apply(&mut subscription.description);
        replace(&mut subscription.is_active, self.is_active);
        subscription
    }
}

/// A receiver's address: a [`WebUrl`] without a user name. The text is kept as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookUrl(WebUrl);

/// The text is not a receiver's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWebhookUrl {
    /// The text is not an `http` or `https` URL with a host, or is too long.
    NoWebUrl,
    /// The URL has a user name, whose password would be stored unsealed.
    UserInfo,
}

impl WebhookUrl {
    /// Checks a receiver's address.
    pub fn parse(text: &str) -> Result<Self, NoWebhookUrl> {
        let url = WebUrl::parse(text).map_err(|NoWebUrl| NoWebhookUrl::NoWebUrl)?;
        if url.has_user_info() { Err(NoWebhookUrl::UserInfo) } else { Ok(Self(url)) }
    }
}

impl From<WebhookUrl> for String {
    fn from(url: WebhookUrl) -> Self {
        url.0.into()
    }
}

/// The health of a subscription's receiver, since it last took a delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// No attempt has failed.
    #[default]
    Well,
    /// All attempts have failed.
    Failing {
        /// When the first failed attempt ended.
        since: Time,
        /// The event of the first failed attempt.
        first_event: EventId,
        /// The number of failed attempts.
        failures: u32,
        /// Whether more than one event failed.
        events: FailedEvents,
    },
}

/// The number of events that a receiver failed to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedEvents {
    /// One event, which may itself be the cause.
    One,
    /// Two or more events.
    Several,
}

/// The time after which a failing receiver is hopeless, in milliseconds: 120 hours.
const GIVEN_UP_AFTER: i64 = hours(120);
/// The number of failed attempts after which a receiver is hopeless.
const GIVEN_UP_FAILURES: u32 = 5;

impl Health {
    /// The health after a successful attempt.
    #[must_use]
    pub fn after_success(self) -> Self {
        Self::Well
    }

    /// The health after a failed attempt to deliver `event` that ended at `at`.
    #[must_use]
    pub fn after_failure(self, event: EventId, at: Time) -> Self {
        match self {
            Self::Well => Self::Failing {
                since: at,
                first_event: event,
                failures: 1,
                events: FailedEvents::One,
            },
            Self::Failing { since, first_event, failures, events } => Self::Failing {
                since,
                first_event,
                failures: failures.saturating_add(1),
                events: if event == first_event { events } else { FailedEvents::Several },
            },
        }
    }

    /// Whether the receiver is given up at `now`: it has failed for 120 hours, at least 5 attempts
    /// have failed, and at least 2 events.
    pub fn is_hopeless(&self, now: Time) -> bool {
        match *self {
            Self::Well | Self::Failing { events: FailedEvents::One, .. } => false,
            Self::Failing { since, failures, events: FailedEvents::Several, .. } => {
                failures >= GIVEN_UP_FAILURES && since.plus_millis(GIVEN_UP_AFTER) <= now
            }
        }
    }
}

/// The state of a subscription, as each attempt changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionState {
    /// The health of the receiver.
    pub health: Health,
    /// Whether events are sent to it.
    pub is_active: bool,
    /// The reason and the time of the deactivation, if an attempt deactivated it.
    pub deactivation: Option<(Deactivation, Time)>,
}

impl SubscriptionState {
    /// The stored state, before any attempt.
    pub fn new(health: Health, is_active: bool) -> Self {
        Self { health, is_active, deactivation: None }
    }

    /// The state after an attempt to deliver `event` that ended at `at`. A failure of the sender
    /// itself does not change it.
    #[must_use]
    pub fn after(self, event: EventId, response: Response, at: Time) -> Self {
        let health = match response {
            Response::Nothing(DeliveryFailure::Secret | DeliveryFailure::Internal) => return self,
            response if response.is_success() => self.health.after_success(),
            _ => self.health.after_failure(event, at),
        };
        let reason = if response.is_gone() {
            Some(Deactivation::Gone)
        } else {
            health.is_hopeless(at).then_some(Deactivation::Hopeless)
        };
        match reason.filter(|_| self.is_active) {
            Some(reason) => Self { health, is_active: false, deactivation: Some((reason, at)) },
            None => Self { health, ..self },
        }
    }
}

/// The reasons why an attempt deactivates a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deactivation {
    /// The receiver returned `410 Gone`.
    Gone,
    /// The receiver [is hopeless](Health::is_hopeless).
    Hopeless,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::VoteFacts;
    use crate::millis::HOUR;
    use crate::record::examples;
    use uuid::Uuid;

    fn subscription(event_types: Vec<EventType>) -> WebhookSubscription {
        WebhookSubscription { event_types, board_ids: vec![], ..examples::webhook_subscription() }
    }

    /// A vote on a post of a board.
    fn vote(board: u128) -> Happening {
        Happening::VoteCreated(VoteFacts {
            id: Uuid::from_u128(1).into(),
            post_id: Uuid::from_u128(2).into(),
            post_title: String::new(),
            board_id: Uuid::from_u128(board).into(),
        })
    }

    #[test]
    fn a_subscription_receives_the_types_that_it_names_or_all_if_it_names_none() {
        assert!(subscription(vec![]).receives(&vote(1)));
        assert!(subscription(vec![EventType::VoteCreated]).receives(&vote(1)));
        assert!(!subscription(vec![EventType::PostCreated]).receives(&vote(1)));
    }

    #[test]
    fn a_subscription_to_boards_receives_their_events_alone() {
        let gone = Happening::UserDeleted(Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let types = vec![EventType::VoteCreated, EventType::UserDeleted];
        let all = subscription(types.clone());
        assert!(all.receives(&vote(1)) && all.receives(&gone));
        let board_ids = vec![Uuid::from_u128(1).into(), Uuid::from_u128(2).into()];
        let some = WebhookSubscription { board_ids, ..subscription(types) };
        assert!(some.receives(&vote(1)) && some.receives(&vote(2)));
        assert!(!some.receives(&vote(3)) && !some.receives(&gone));
    }

    #[test]
    fn a_rotation_keeps_the_former_secret_for_a_while_unless_nobody_knows_it() {
        let until = Time::MIN.plus_millis(5);
        let rotated = subscription(vec![]).rotated(Sealed(vec![2]), until);
        assert_eq!(rotated.secret, Sealed(vec![2]));
        assert_eq!(rotated.overlapping_secret(Time::MIN), Some(&Sealed(vec![1])));
        assert_eq!(rotated.overlapping_secret(until), None);
        let awaiting = WebhookSubscription { awaits_rotation: true, ..subscription(vec![]) };
        let rotated = awaiting.rotated(Sealed(vec![2]), until);
        assert!(!rotated.awaits_rotation && rotated.previous_secret.is_none());
        assert_eq!(rotated.overlapping_secret(Time::MIN), None);
    }

    #[test]
    fn an_inactive_subscription_and_one_that_awaits_rotation_receive_nothing() {
        assert!(
            !WebhookSubscription { is_active: false, ..subscription(vec![]) }.receives(&vote(1))
        );
        assert!(
            !WebhookSubscription { awaits_rotation: true, ..subscription(vec![]) }
                .receives(&vote(1))
        );
    }

    #[test]
    fn an_address_with_a_user_name_is_refused() {
        assert_eq!(
            String::from(WebhookUrl::parse("https://acme.example/hook?a=@b").unwrap()),
            "https://acme.example/hook?a=@b"
        );
        for text in [
            "https://me@acme.example/",
            "https://me:secret@acme.example",
            "https://@acme.example/",
            "https://:@acme.example",
        ] {
            assert_eq!(WebhookUrl::parse(text), Err(NoWebhookUrl::UserInfo), "{text}");
        }
        for text in ["", "acme.example", "ftp://acme.example/", "https://", "https:///hook"] {
            assert_eq!(WebhookUrl::parse(text), Err(NoWebhookUrl::NoWebUrl), "{text}");
        }
    }

    fn event(number: u128) -> EventId {
        Uuid::from_u128(number).into()
    }

    /// The health after failures with these events, one each hour.
    fn failing(events: &[u128]) -> Health {
        let hours = |hours| Time::MIN.plus_millis(hours * HOUR);
        (0..).zip(events).fold(Health::Well, |health, (hour, number)| {
            health.after_failure(event(*number), hours(hour))
        })
    }

    #[test]
    fn a_receiver_is_given_up_after_120_hours_five_failures_and_two_events() {
        let at = |millis| Time::MIN.plus_millis(millis);
        let health = failing(&[1, 1, 1, 1, 2]);
        assert!(!health.is_hopeless(at(hours(120) - 1)));
        assert!(health.is_hopeless(at(hours(120))));
        assert!(failing(&[1, 2, 1, 1, 1]).is_hopeless(at(hours(120))));
        assert!(!failing(&[1, 2, 3, 4]).is_hopeless(at(hours(1000))));
        assert!(!failing(&[1; 20]).is_hopeless(at(hours(1000))));
        assert!(!Health::Well.is_hopeless(at(hours(1000))));
    }

    const OK: Response = Response::Status { code: 200, cut: None };
    const ERROR: Response = Response::Status { code: 500, cut: None };
    const GONE: Response = Response::Status { code: 410, cut: None };

    #[test]
    fn a_gone_receiver_is_deactivated_at_once_and_only_once() {
        let at = |millis| Time::MIN.plus_millis(millis);
        let state = SubscriptionState::new(Health::Well, true).after(event(1), OK, at(1)).after(
            event(2),
            GONE,
            at(2),
        );
        assert_eq!(
            (state.is_active, state.deactivation),
            (false, Some((Deactivation::Gone, at(2))))
        );
        let later = state.after(event(3), GONE, at(3)).after(event(4), OK, at(4));
        assert_eq!(
            (later.is_active, later.deactivation, later.health),
            (false, state.deactivation, Health::Well)
        );
        let inactive = SubscriptionState::new(Health::Well, false).after(event(1), GONE, at(1));
        assert_eq!(inactive.deactivation, None);
    }

    #[test]
    fn a_hopeless_receiver_is_deactivated_by_its_last_failure() {
        let hours = |hours| Time::MIN.plus_millis(hours * HOUR);
        let state = SubscriptionState::new(failing(&[1, 2, 3, 4]), true);
        assert_eq!(state.after(event(5), ERROR, hours(119)).deactivation, None);
        assert_eq!(
            state.after(event(5), ERROR, hours(120)).deactivation,
            Some((Deactivation::Hopeless, hours(120)))
        );
        assert_eq!(state.after(event(5), OK, hours(120)).deactivation, None);
    }

    #[test]
    fn a_failure_of_the_sender_does_not_change_the_health_of_a_receiver() {
        let state = SubscriptionState::new(failing(&[1, 2, 3, 4]), true);
        for failure in [DeliveryFailure::Secret, DeliveryFailure::Internal] {
            assert_eq!(state.after(event(5), Response::Nothing(failure), Time::MAX), state);
        }
        let refused = state.after(event(5), Response::Nothing(DeliveryFailure::Connect), Time::MIN);
        assert_ne!(refused.health, state.health);
    }

    #[test]
    fn a_success_ends_all_failures() {
        let health = failing(&[1, 2, 3, 4, 5])
            .after_success()
            .after_failure(event(6), Time::MIN.plus_millis(hours(130)));
        assert!(!health.is_hopeless(Time::MIN.plus_millis(hours(249))));
    }
}
