//! Webhook subscriptions.

use crate::Time;
use crate::api_key::Sealed;
use crate::event::EventType;
use crate::id::SubscriptionId;

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
        assert!(!WebhookSubscription { is_active: false, ..subscription(vec![]) }.receives(EventType::VoteCreated));
        assert!(!WebhookSubscription { awaits_rotation: true, ..subscription(vec![]) }.receives(EventType::VoteCreated));
    }
}
