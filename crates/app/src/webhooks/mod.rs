//! Webhook subscriptions and their deliveries.

mod deliveries;
mod sample;

pub use deliveries::{Replay, attempts, deliveries, find_delivery, page_of_deliveries, replay};
pub use sample::{Tested, example, example_data, test};

use crate::once::{Outcome, Repeat, once};
use crate::vault::{NoRandomness, Purpose, SealError, SecretError, Vault};
use crate::write::{self, Changing, Update};
use crate::{Caller, Error, Missing, Precondition};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hearback_domain::api_key::Sealed;
use hearback_domain::draft::Patches;
use hearback_domain::id::{OrganizationId, SubscriptionId};
use hearback_domain::record::{Kind, Step};
use hearback_domain::web_url::WebUrl;
use hearback_domain::webhook_subscription::{
    SubscriptionDraft, SubscriptionPatch, WebhookSubscription,
};
use hearback_ports::event_sink::SigningSecret;
use hearback_ports::page::ByTime;
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{EventSink, Page, PageRequest, Ports, Recorded, WriteResult};
use std::future::ready;
use zeroize::Zeroizing;

/// The default time in seconds for which deliveries are also signed with the previous secret.
pub const OVERLAP: i64 = 24 * 60 * 60;

/// All subscriptions of the organization, by `created_at`, then id.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<SubscriptionDetails>, Error> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    Ok(ports.webhook_subscriptions.list(organization).await?)
}

/// `/webhooks/list`: a page of [`list`].
pub async fn page(
    ports: &Ports,
    caller: Caller,
    (): (),
    page: PageRequest<ByTime>,
) -> Result<Page<SubscriptionDetails, ByTime>, Error> {
    let mut all = list(ports, caller).await?;
    let key = |details: &SubscriptionDetails| ByTime {
        at: details.subscription.created_at,
        id: details.subscription.id.0,
    };
    all.retain(|details| page.after.is_none_or(|after| key(details) > after));
    Ok(Page::cut(all, page.limit, key))
}

/// A subscription, active or not.
pub async fn find(
    ports: &Ports,
    caller: Caller,
    id: SubscriptionId,
) -> Result<SubscriptionDetails, Error> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    let found = ports.webhook_subscriptions.find(organization, id).await?;
    found.ok_or(Error::NotFound(Missing::Record(Kind::WebhookSubscription)))
}

/// A subscription with its new secret, which is shown this once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclosed {
    /// The subscription.
    pub id: SubscriptionId,
    /// The secret.
    pub secret: SigningSecret,
    /// Whether an earlier request under the same idempotency key made the secret.
    pub is_replay: bool,
}

/// Adds a subscription and makes its secret. Nothing is added if `sink` refuses the URL.
pub async fn add(
    ports: &Ports,
    vault: &Vault,
    sink: &dyn EventSink,
    caller: Caller,
    draft: SubscriptionDraft,
    repeat: Option<Repeat>,
) -> Result<Disclosed, Error> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
    let (draft, repeat) = (&draft, repeat.as_ref());
    let turn = (Kind::WebhookSubscription, draft.url.as_str());
    let outcome = once(ports, organization, turn, repeat, |_| async move {
        allowed(sink, Some(&draft.url))?;
        let (id, at) = (ports.ids.fresh(), ports.clock.now());
        let sealed = fresh_secret(vault, organization, id.into())?;
        let subscription = draft.clone().create(id.into(), sealed.clone(), at);
        let answer = WriteResult::Secret { id, sealed };
        let round = Changing::new(ports, caller, repeat, at);
        round.record(vec![Step::make(subscription)], answer, |_| None).await
    });
    disclosed(vault, organization, outcome.await?)
}

/// Changes the given values of a subscription, active or not. An activation sends its waiting
/// deliveries too, and its earlier failures no longer count. Nothing is changed if `sink` refuses
/// the URL.
pub async fn update(
    ports: &Ports,
    sink: &dyn EventSink,
    caller: Caller,
    update: Update<SubscriptionId, SubscriptionPatch>,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let Update { id, patch, .. } = update;
    let patch = &patch;
    write::edit_any(ports, caller, id, repeat, |subscription: WebhookSubscription, _| {
        ready(match allowed(sink, patch.url.as_ref()) {
            Ok(()) if patch.is_active == Some(true) && subscription.awaits_rotation => {
                Err(Error::Refused(Precondition::AwaitsRotation))
            }
            allowed => allowed.map(|()| patch.clone().edit(subscription).into()),
        })
    })
    .await
}

/// Removes a subscription with all its deliveries.
pub async fn remove(
    ports: &Ports,
    caller: Caller,
    id: SubscriptionId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
    let (turn, repeat) = ((Kind::WebhookSubscription, id), repeat.as_ref());
    once(ports, organization, turn, repeat, |_| async move {
        write::any::<WebhookSubscription>(ports, organization, id.0).await?;
        match ports.webhook_subscriptions.clear(organization, id).await? {
            Recorded::Done => {}
            lost => return Ok((lost, WriteResult::Success)),
        }
        let cleared = write::any::<WebhookSubscription>(ports, organization, id.0).await?;
        let round = Changing::new(ports, caller, repeat, ports.clock.now());
        round.record(vec![Step::remove(cleared)], WriteResult::Success, |_| None).await
    })
    .await
}

/// Gives a subscription a new secret. For `overlap` seconds, deliveries are also signed with the
/// present one, in the header that has room for several signatures.
pub async fn rotate_secret(
    ports: &Ports,
    vault: &Vault,
    caller: Caller,
    (id, overlap): (SubscriptionId, i64),
    repeat: Option<Repeat>,
) -> Result<Disclosed, Error> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
    let (turn, repeat) = ((Kind::WebhookSubscription, id), repeat.as_ref());
    let outcome = once(ports, organization, turn, repeat, |_| async move {
        let before = write::any::<WebhookSubscription>(ports, organization, id.0).await?;
        let at = ports.clock.now();
        let sealed = fresh_secret(vault, organization, id)?;
        let until = at.plus_millis(overlap.saturating_mul(1_000));
        let after = before.clone().rotated(sealed.clone(), until);
        let answer = WriteResult::Secret { id: id.0, sealed };
        let round = Changing::new(ports, caller, repeat, at);
        round.record(vec![Step::edit(before, after, at)], answer, |_| None).await
    });
    disclosed(vault, organization, outcome.await?)
}

/// Opens the secret of a result.
fn disclosed(
    vault: &Vault,
    organization: OrganizationId,
    outcome: Outcome,
) -> Result<Disclosed, Error> {
    let is_replay = matches!(outcome, Outcome::Replayed(_));
    let WriteResult::Secret { id, sealed } = outcome.answer() else {
        return Err(SecretError::from(SealError::Open).into());
    };
    let plain = vault.open(organization, id, Purpose::SigningSecret, &sealed);
    let secret = SigningSecret::new(plain.map_err(SecretError::from)?);
    Ok(Disclosed { id: id.into(), secret, is_replay })
}

/// Refuses a URL that the sink does not admit.
fn allowed(sink: &dyn EventSink, url: Option<&WebUrl>) -> Result<(), Error> {
    match url {
        Some(url) if !sink.admits(url.as_str()) => Err(Error::Refused(Precondition::UrlNotAllowed)),
        _ => Ok(()),
    }
}

/// Makes a secret. Returns it sealed.
fn fresh_secret(
    vault: &Vault,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<Sealed, SecretError> {
    let plain = new_signing_secret(vault)?;
    Ok(vault.seal(organization, id.0, Purpose::SigningSecret, &plain)?)
}

/// Makes a secret: `whsec_` and the Base64 of 32 random bytes.
pub(crate) fn new_signing_secret(vault: &Vault) -> Result<Zeroizing<String>, NoRandomness> {
    let bytes = vault.random::<32>()?;
    Ok(Zeroizing::new(format!("whsec_{}", *Zeroizing::new(STANDARD.encode(*bytes)))))
}

#[cfg(test)]
mod tests;
