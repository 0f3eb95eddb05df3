//! Webhook subscriptions.

use crate::Time;
use crate::api_key::Sealed;
use crate::delivery::{DeliveryFailure, Response};
use crate::event::EventType;
use crate::id::{EventId, SubscriptionId};
use crate::web_url::{NoWebUrl, WebUrl};

/// Where an organization wants its events sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookSubscription {
    /// Identifier.
    pub id: SubscriptionId,
    /// The receiver's address.
    pub url: String,
    /// What is sent; empty: everything.
    pub event_types: Vec<EventType>,
    /// `false`: nothing is sent.
    pub is_active: bool,
    /// It was imported without its secret: nothing is sent, active or not, until it gets a new one by rotation.
    pub awaits_rotation: bool,
    /// The signing secret.
    pub secret: Sealed,
    /// When it was made.
    pub created_at: Time,
}

impl WebhookSubscription {
    /// Whether an event of a type is sent to it: the reference for the fan-out that both stores do in SQL.
    pub fn receives(&self, event_type: EventType) -> bool {
        let wanted = self.event_types.is_empty() || self.event_types.contains(&event_type);
        self.is_active && !self.awaits_rotation && wanted
    }
}

/// A receiver's address: a [`WebUrl`] without user info, kept as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookUrl(WebUrl);

/// The text is no address of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWebhookUrl {
    /// It is no `http` or `https` URL with a host, or too long a one.
    NoWebUrl,
    /// It names a user, whose password would stand in the clear.
    UserInfo,
}

impl WebhookUrl {
    /// Checks a text that is to be the address of a receiver.
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

/// How a subscription's receiver has been doing since it last took a delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// It has refused nothing since.
    #[default]
    Well,
    /// It has taken nothing since.
    Failing {
        /// The end of its first failure.
        since: Time,
        /// The event of that failure.
        first_event: EventId,
        /// How many attempts have failed.
        failures: u32,
        /// Whether those were of more than one event.
        events: FailedEvents,
    },
}

/// How many events a receiver has failed to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedEvents {
    /// One, over and over: perhaps it is the event that is the matter.
    One,
    /// More.
    Several,
}

/// How long a receiver fails before it is given up, in milliseconds: 120 hours.
const GIVEN_UP_AFTER: i64 = 120 * 60 * 60 * 1000;
/// How many attempts fail before a receiver is given up.
const GIVEN_UP_FAILURES: u32 = 5;

impl Health {
    /// After an attempt to deliver an event that succeeded.
    #[must_use]
    pub fn after_success(self) -> Self {
        Self::Well
    }

    /// After an attempt to deliver an event that failed, and ended at `at`.
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

    /// Whether the receiver is given up at `now`: it has failed for 120 hours, five times at least, and with two events at least.
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
    /// How its receiver is doing.
    pub health: Health,
    /// Whether anything is sent to it.
    pub is_active: bool,
    /// Why it was deactivated by what was added, and as of when.
    pub deactivation: Option<(Deactivation, Time)>,
}

impl SubscriptionState {
    /// As it is kept.
    pub fn new(health: Health, is_active: bool) -> Self {
        Self { health, is_active, deactivation: None }
    }

    /// After an attempt to deliver an event that ended at `at`. What was our own fault says nothing of the receiver.
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

/// Why a subscription was deactivated without anybody's asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deactivation {
    /// Its receiver answered `410 Gone`.
    Gone,
    /// Its receiver [is hopeless](Health::is_hopeless).
    Hopeless,
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn subscription(event_types: Vec<EventType>) -> WebhookSubscription {
        WebhookSubscription {
            id: Uuid::from_u128(1).into(),
            url: "https://example.com/hook".to_owned(),
            event_types,
            is_active: true,
            awaits_rotation: false,
            secret: Sealed(Vec::new()),
            created_at: Time::MIN,
        }
    }

    #[test]
    fn it_receives_what_it_names_and_everything_when_it_names_nothing() {
        assert!(subscription(vec![]).receives(EventType::VoteCreated));
        assert!(subscription(vec![EventType::VoteCreated]).receives(EventType::VoteCreated));
        assert!(!subscription(vec![EventType::PostCreated]).receives(EventType::VoteCreated));
    }

    #[test]
    fn nothing_is_sent_to_an_inactive_one_nor_to_one_whose_secret_nobody_knows() {
        assert!(
            !WebhookSubscription { is_active: false, ..subscription(vec![]) }
                .receives(EventType::VoteCreated)
        );
        assert!(
            !WebhookSubscription { awaits_rotation: true, ..subscription(vec![]) }
                .receives(EventType::VoteCreated)
        );
    }

    #[test]
    fn an_address_names_no_user() {
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

    const HOUR: i64 = 60 * 60 * 1000;

    /// The health after failures of these events, an hour from each to the next.
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
        assert!(!health.is_hopeless(at(120 * HOUR - 1)));
        assert!(health.is_hopeless(at(120 * HOUR)));
        assert!(failing(&[1, 2, 1, 1, 1]).is_hopeless(at(120 * HOUR)));
        assert!(!failing(&[1, 2, 3, 4]).is_hopeless(at(1000 * HOUR)));
        assert!(!failing(&[1; 20]).is_hopeless(at(1000 * HOUR)));
        assert!(!Health::Well.is_hopeless(at(1000 * HOUR)));
    }

    const OK: Response = Response::Status { code: 200, cut: None };
    const ERROR: Response = Response::Status { code: 500, cut: None };
    const GONE: Response = Response::Status { code: 410, cut: None };

    #[test]
    fn who_is_gone_is_deactivated_at_once_and_only_once() {
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
    fn who_is_hopeless_is_deactivated_by_the_failure_that_shows_it() {
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
    fn what_is_our_own_fault_says_nothing_of_a_receiver() {
        let state = SubscriptionState::new(failing(&[1, 2, 3, 4]), true);
        for failure in [DeliveryFailure::Secret, DeliveryFailure::Internal] {
            assert_eq!(state.after(event(5), Response::Nothing(failure), Time::MAX), state);
        }
        let refused = state.after(event(5), Response::Nothing(DeliveryFailure::Connect), Time::MIN);
        assert_ne!(refused.health, state.health);
    }

    #[test]
    fn a_success_makes_up_for_all_failures() {
        let health = failing(&[1, 2, 3, 4, 5])
            .after_success()
            .after_failure(event(6), Time::MIN.plus_millis(130 * HOUR));
        assert!(!health.is_hopeless(Time::MIN.plus_millis(249 * HOUR)));
    }
}
