//! The notices of the dispatcher of webhook deliveries, in the log and in the metrics.

use super::worker::log_failure;
use crate::metrics::{attempted, deactivated, worked};
use hearback_app::deliver::Notice;
use hearback_domain::webhook_subscription::Deactivation;
use hearback_ports::delivery_queue::Queue;

/// The name of the dispatcher, for the log.
pub(super) const DELIVERING: &str = "send deliveries";

/// Logs and counts a notice. The log has the identifier of a subscription, since its URL may hold a
/// secret.
pub(super) fn tell(notice: Notice) {
    match notice {
        Notice::Attempted { outcome, took } => {
            worked(DELIVERING, 1, 0);
            attempted(outcome, took);
        }
        Notice::Failed(failure) => {
            worked(DELIVERING, 0, 1);
            log_failure(DELIVERING, &failure);
        }
        Notice::Unreadable(unreadable) => {
            worked(DELIVERING, 0, 1);
            tracing::error!(organization = %unreadable.key.queue.organization, "{unreadable}");
        }
        Notice::Deactivated(Queue { organization, subscription }, reason) => {
            deactivated(reason);
            let reason = match reason {
                Deactivation::Gone => "the receiver answered 410 Gone",
                Deactivation::Hopeless => "the receiver accepted nothing for 120 hours",
            };
            tracing::error!(%organization, %subscription, reason, "deactivated a webhook \
                subscription");
        }
    }
}
