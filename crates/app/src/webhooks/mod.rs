//! Manages webhook subscriptions and their deliveries, for the command line.

mod deliveries;
mod sample;

pub use deliveries::{Replay, attempts, deliveries, replay};
pub use sample::{Tested, example, example_data, test};

use crate::caller::{Caller, Denied};
use crate::vault::{NoRandomness, Purpose, SealError, Vault};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hearback_domain::api_key::Sealed;
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, OrganizationId, SubscriptionId};
use hearback_domain::record::Kind;
use hearback_domain::webhook_subscription::{WebhookSubscription, WebhookUrl};
use hearback_ports::event_sink::SigningSecret;
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{Ports, Recorded, StoreError};
use zeroize::Zeroizing;

/// How long deliveries are signed with the previous secret too, in milliseconds.
const OVERLAP: i64 = 24 * 60 * 60 * 1000;

/// Why a command about webhook subscriptions failed.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The caller lacks the permission.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The organization has no such subscription.
    #[error("the organization has no webhook subscription {0}")]
    Unknown(SubscriptionId),
    /// The subscription is inactive: nothing is sent to it.
    #[error("the webhook subscription {0} is not active: activate it first")]
    Inactive(SubscriptionId),
    /// The subscription was imported without its secret.
    #[error(
        "the webhook subscription {0} was imported without its signing secret: rotate it first"
    )]
    AwaitsRotation(SubscriptionId),
    /// A delivery to replay is unknown or has not failed.
    #[error("the organization has no failed delivery {0}")]
    NotFailed(DeliveryId),
    /// Another command changed or removed the subscription at the same time.
    #[error("another command changed the webhook subscription at the same time: try again")]
    Raced,
    /// The operating system gave no random bytes.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    /// The secret could not be sealed or opened.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The store failed.
    #[error("cannot manage webhook subscriptions")]
    Store(#[from] StoreError),
}

/// All subscriptions of the organization.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<SubscriptionDetails>, WebhookError> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    Ok(ports.webhook_subscriptions.list(organization).await?)
}

/// Adds a subscription and makes its secret. It is for events of these types, or of all types if
/// there are none.
pub async fn add(
    ports: &Ports,
    vault: &Vault,
    caller: Caller,
    url: WebhookUrl,
    event_types: Vec<EventType>,
) -> Result<(SubscriptionId, SigningSecret), WebhookError> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
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

/// Removes a subscription with all its deliveries.
pub async fn remove(ports: &Ports, caller: Caller, id: SubscriptionId) -> Result<(), WebhookError> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
    find(ports, organization, id).await?;
    done(ports.webhook_subscriptions.delete(organization, id).await?)
}

/// Gives a subscription a new secret. For a day, deliveries are also signed with the previous one,
/// in the header that has room for several signatures.
pub async fn rotate_secret(
    ports: &Ports,
    vault: &Vault,
    caller: Caller,
    id: SubscriptionId,
) -> Result<SigningSecret, WebhookError> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
    find(ports, organization, id).await?;
    let (plain, sealed) = fresh_secret(vault, organization, id)?;
    let overlap = ports.clock.now().plus_millis(OVERLAP);
    done(ports.webhook_subscriptions.rotate(organization, id, sealed, overlap).await?)?;
    Ok(plain)
}

/// Activates a subscription. Its waiting deliveries are sent too, and its earlier failures no
/// longer count.
pub async fn activate(
    ports: &Ports,
    caller: Caller,
    id: SubscriptionId,
) -> Result<(), WebhookError> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
    if find(ports, organization, id).await?.subscription.awaits_rotation {
        return Err(WebhookError::AwaitsRotation(id));
    }
    done(ports.webhook_subscriptions.activate(organization, id).await?)
}

/// Deactivates a subscription. Its waiting deliveries are kept for 30 days.
pub async fn deactivate(
    ports: &Ports,
    caller: Caller,
    id: SubscriptionId,
) -> Result<(), WebhookError> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
    find(ports, organization, id).await?;
    done(ports.webhook_subscriptions.deactivate(organization, id, ports.clock.now()).await?)
}

async fn find(
    ports: &Ports,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<SubscriptionDetails, WebhookError> {
    let found = ports.webhook_subscriptions.find(organization, id).await?;
    found.ok_or(WebhookError::Unknown(id))
}

fn done(recorded: Recorded) -> Result<(), WebhookError> {
    match recorded {
        Recorded::Done => Ok(()),
        Recorded::Stale | Recorded::Taken(_) | Recorded::Missing(_) | Recorded::InUse(_) => {
            Err(WebhookError::Raced)
        }
    }
}

/// Makes a secret. Returns it in clear text and sealed.
fn fresh_secret(
    vault: &Vault,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<(SigningSecret, Sealed), WebhookError> {
    let plain = new_signing_secret(vault)?;
    let sealed = vault.seal(organization, id.0, Purpose::SigningSecret, &plain)?;
    Ok((SigningSecret::new(plain), sealed))
}

/// Makes a secret: `whsec_` and the Base64 of 32 random bytes.
pub(crate) fn new_signing_secret(vault: &Vault) -> Result<Zeroizing<String>, NoRandomness> {
    let bytes = vault.random::<32>()?;
    Ok(Zeroizing::new(format!("whsec_{}", *Zeroizing::new(STANDARD.encode(*bytes)))))
}

#[cfg(test)]
mod tests;
