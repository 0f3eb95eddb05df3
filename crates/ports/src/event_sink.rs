//! Where dispatched events go.

use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::delivery::{Response, RetryAfter};
use hearback_domain::id::{DeliveryId, OrganizationId, SubscriptionId};
use std::fmt;
use zeroize::Zeroizing;

/// The most bytes of an answer that are kept.
pub const KEPT_ANSWER: usize = 1024;

/// An event to be brought to a subscription, with all that it takes to.
#[derive(Clone)]
pub struct Dispatch {
    /// The delivery: the same on every attempt.
    pub delivery: DeliveryId,
    /// Whose event it is.
    pub organization: OrganizationId,
    /// What it is brought to.
    pub subscription: SubscriptionId,
    /// The receiver's address.
    pub url: String,
    /// What it is signed with.
    pub secrets: SigningSecrets,
    /// The event type as the contract writes it.
    pub event: &'static str,
    /// The contract's `data`, as JSON.
    pub data: String,
    /// The first dispatch. Together with what stands above it makes the body, which is the same on every attempt.
    pub occurred_at: Time,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// When this attempt is made.
    pub at: Time,
}

/// Without address and data: neither is for a log.
impl fmt::Debug for Dispatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatch")
            .field("delivery", &self.delivery)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// A signing secret in the clear, as it is printed; never shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(Zeroizing<String>);

impl SigningSecret {
    /// This one.
    pub fn new(secret: Zeroizing<String>) -> Self {
        Self(secret)
    }

    /// The secret, to sign with or to be shown to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(…)")
    }
}

/// The secrets of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningSecrets {
    /// The one that is valid.
    pub current: SigningSecret,
    /// The one before it, while receivers may still go by that.
    pub previous: Option<SigningSecret>,
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status, or why there is none.
    pub response: Response,
    /// When the receiver asks to be tried again.
    pub retry_after: Option<RetryAfter>,
    /// The first bytes of the answer's body, up to [`KEPT_ANSWER`].
    pub answer: Vec<u8>,
}

/// Brings dispatched events to where they go. The webhook adapter sends them to their subscription's address; a team may put
/// them into a queue or a log instead.
///
/// An implementation ends within 30 seconds, and its failures are replies: nothing that it does can fail otherwise. It makes the
/// same body of the same [`Dispatch`] whatever `attempt` and `at` are, in this release and in later ones.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait EventSink: Send + Sync {
    /// Brings one there.
    async fn send(&self, dispatch: Dispatch) -> Reply;
}
