//! The destination of dispatched events.

use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::delivery::{DeliveryFailure, Response, RetryAfter};
use hearback_domain::id::{DeliveryId, OrganizationId, SubscriptionId};
use std::fmt;
use zeroize::Zeroizing;

/// The most bytes of a response's body that are stored.
pub const KEPT_ANSWER: usize = 1024;

/// An event for a subscription, complete with address and secrets.
#[derive(Clone)]
pub struct Dispatch {
    /// The delivery: the same on every attempt.
    pub delivery: DeliveryId,
    /// The organization of the event.
    pub organization: OrganizationId,
    /// The subscription that receives it.
    pub subscription: SubscriptionId,
    /// The receiver's address.
    pub url: String,
    /// The secrets that sign it.
    pub secrets: SigningSecrets,
    /// The event type as the contract writes it.
    pub event: &'static str,
    /// The contract's `data`, as JSON.
    pub data: String,
    /// When the delivery was first dispatched. The fields up to this one make the body, which is
    /// the same on every attempt.
    pub occurred_at: Time,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// When this attempt is made.
    pub at: Time,
}

/// Address and data are left out: neither belongs in a log.
impl fmt::Debug for Dispatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatch")
            .field("delivery", &self.delivery)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// A signing secret in the clear, in its printed form. `Debug` never shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(Zeroizing<String>);

impl SigningSecret {
    /// Wraps a secret.
    pub fn new(secret: Zeroizing<String>) -> Self {
        Self(secret)
    }

    /// The secret, to sign with or to show to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(…)")
    }
}

/// The signing secrets of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningSecrets {
    /// The current secret.
    pub current: SigningSecret,
    /// The former secret, while receivers may still verify with it.
    pub previous: Option<SigningSecret>,
}

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status, or the reason why there is none.
    pub response: Response,
    /// When the receiver asks for the next attempt.
    pub retry_after: Option<RetryAfter>,
    /// The first bytes of the response's body, at most [`KEPT_ANSWER`].
    pub answer: Vec<u8>,
}

/// Brings dispatched events to their destination. The webhook adapter sends them to the address of
/// the subscription; a team may put them into a queue or a log instead.
///
/// An implementation returns within 30 seconds, and reports every failure as a reply. The body does
/// not depend on `attempt` and `at`: it is the same for every attempt, in this release and in later
/// ones.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait EventSink: Send + Sync {
    /// Whether the sink sends events to a URL. Only the URL is examined: the name of a host is looked
    /// up when an event is sent.
    fn admits(&self, url: &str) -> bool;

    /// Prepares attempts that begin within the next second: looks the host of a receiver's address
    /// up. A failure is the result of an attempt.
    ///
    /// The dispatcher makes many more look-ups than attempts at once, so a look-up takes no thread
    /// and little memory. [`send`](Self::send) does not rely on it.
    async fn look_up(&self, url: &str) -> Result<(), DeliveryFailure>;

    /// Sends an event.
    async fn send(&self, dispatch: Dispatch) -> Reply;
}
