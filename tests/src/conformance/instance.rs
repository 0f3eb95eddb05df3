//! `InstanceRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::audit::note;
use super::sessions::token;
use super::sso_secrets::{adds, sso_secret};
use super::{Stage, inventory, oidc, second_factors};
use crate::build::{Imported, Tenant, at};
use crate::deliveries::Webhooks;
use crate::system::fresh;
use futures_util::future::join_all;
use hearback_domain::Uuid;
use hearback_domain::api_key::{ApiKey, Sealed};
use hearback_domain::id::OrganizationId;
use hearback_domain::oidc::OidcProvider;
use hearback_domain::second_factor::SecondFactor;
use hearback_domain::sso_secret::SealedSsoSecret;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::Recorded;
use hearback_ports::instance::{
    Fact, NotResealed, Reseal, Resealed, SealedSecret, SecretKind, SecretPlace,
};
use std::sync::{Arc, Mutex};

/// A name that no other case uses. The port takes a `&'static str`, so the name is leaked.
fn name() -> &'static str {
    Box::leak(fresh::<Uuid>().to_string().into_boxed_str())
}

pub async fn a_name_has_no_value_at_first(stage: Stage) {
    assert_eq!(stage.ports.instance.find(name()).await.unwrap(), None);
}

pub async fn the_first_value_of_a_name_stays(stage: Stage) {
    let name = name();
    let first = vec![0, 255, 128, 10];
    assert_eq!(stage.ports.instance.keep_first(name, first.clone()).await.unwrap(), first);
    assert_eq!(stage.ports.instance.keep_first(name, vec![1]).await.unwrap(), first);
    assert_eq!(stage.ports.instance.find(name).await.unwrap(), Some(first));
}

pub async fn the_first_of_several_at_once_wins(stage: Stage) {
    let name = name();
    let keep = |n: u8| {
        let instance = stage.ports.instance.clone();
        tokio::spawn(async move { instance.keep_first(name, vec![n]).await.unwrap() })
    };
    let kept = join_all((0..50).map(keep)).await;
    let winner = stage.ports.instance.find(name).await.unwrap().unwrap();
    for kept in kept {
        assert_eq!(kept.unwrap(), winner);
    }
}

/// Stores a fact with a name that no other case uses.
async fn known(stage: &Stage) -> Fact {
    let known = Fact { name: name(), value: vec![1] };
    assert_eq!(
        stage.ports.instance.keep_first(known.name, known.value.clone()).await.unwrap(),
        known.value
    );
    known
}

/// Reseals the secrets of one organization by adding a byte. The secrets of all others, which
/// belong to other cases, stay.
fn one_more_byte(organization: OrganizationId) -> Reseal {
    Arc::new(move |SealedSecret { place, sealed }| {
        let more =
            (place.organization == organization).then(|| Sealed([&sealed.0[..], b"!"].concat()));
        Ok(more)
    })
}

/// An organization with an active and a revoked key, a subscription that has two secrets, a
/// secret of single sign-on, a provider, and a user with a second factor.
async fn with_secrets(stage: &Stage) -> (Imported, [ApiKey; 2], WebhookSubscription) {
    let mut acme = Tenant::new();
    let hook =
        acme.add(WebhookSubscription { secret: Sealed(b"first".to_vec()), ..acme.subscription() });
    let acme = acme.import(&stage.ports).await;
    let keys = ["revoked", "active"]
        .map(|sealed| ApiKey { sealed: Sealed(sealed.into()), ..acme.api_key() });
    let (all, id) = (&stage.ports.keys, acme.id());
    assert_eq!(all.insert(id, keys[0].clone(), note()).await.unwrap(), Recorded::Done);
    let replaced = all.replace(id, keys[0].id, keys[1].clone(), note()).await;
    assert_eq!(replaced.unwrap(), Recorded::Done);
    let (webhooks, second) = (Webhooks(&stage.ports), Sealed(b"second".to_vec()));
    // A reseal of another case may be faster.
    while webhooks.rotate(id, hook.id, second.clone(), at(1)).await.unwrap() != Recorded::Done {}
    adds(stage, acme.id(), &sso_secret(0), Recorded::Done).await;
    oidc::adds(stage, acme.id(), &oidc::provider(0), Recorded::Done).await;
    let factor = second_factors::factor(acme.author.user_id);
    second_factors::adds(stage, acme.id(), &factor, token(), Recorded::Done).await;
    (acme, keys, hook)
}

/// The stored secrets of an organization, as a [`Reseal`] receives them.
async fn secrets(stage: &Stage, organization: OrganizationId) -> Vec<(Uuid, SecretKind, Vec<u8>)> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (known, keeper) = (known(stage).await, Arc::clone(&seen));
    let look: Reseal = Arc::new(move |SealedSecret { place, sealed }| {
        if place.organization == organization {
            keeper.lock().unwrap().push((place.record, place.kind, sealed.0.clone()));
        }
        Ok(None)
    });
    let resealed = stage.ports.instance.reseal(known, Vec::new(), look).await.unwrap();
    assert_eq!(resealed, Resealed::Done { secrets: 0 });
    let mut seen = Arc::into_inner(seen).unwrap().into_inner().unwrap();
    seen.sort_by_key(|(record, _, sealed)| (*record, sealed.clone()));
    seen
}

pub async fn every_secret_is_sealed_anew_and_nothing_else_changes(stage: Stage) {
    let (acme, [revoked, active], hook) = with_secrets(&stage).await;
    let sso = stage.ports.sso_secrets.list(acme.id()).await.unwrap().remove(0);
    let more = [&sso.sealed.0[..], b"!"].concat();
    let provider = stage.ports.oidc.providers(acme.id()).await.unwrap().remove(0);
    let sealed = Sealed([&provider.sealed.0[..], b"!"].concat());
    let user = acme.author.user_id;
    let factor = stage.ports.second_factors.find(acme.id(), user).await.unwrap().unwrap();
    let resealed_factor = Sealed([&factor.sealed.0[..], b"!"].concat());
    let (before, twin) = (
        stage.ports.webhook_subscriptions.find(acme.id(), hook.id).await.unwrap().unwrap(),
        acme.twin().id(),
    );
    let of_twin = inventory(&stage, twin).await;
    let known = known(&stage).await;
    let facts = [known.name, name()].map(|name| Fact { name, value: vec![2, 0, 255] });
    let resealed =
        stage.ports.instance.reseal(known, facts.to_vec(), one_more_byte(acme.id())).await.unwrap();
    assert_eq!(resealed, Resealed::Done { secrets: 7 });
    for fact in facts {
        assert_eq!(stage.ports.instance.find(fact.name).await.unwrap(), Some(fact.value));
    }
    let mut expected = vec![
        (revoked.id.0, SecretKind::RevokedApiKey, b"revoked!".to_vec()),
        (active.id.0, SecretKind::ApiKey, b"active!".to_vec()),
        (hook.id.0, SecretKind::SigningSecret, b"second!".to_vec()),
        (hook.id.0, SecretKind::PreviousSigningSecret, b"first!".to_vec()),
        (sso.id.0, SecretKind::SsoSecret, more.clone()),
        (provider.id.0, SecretKind::OidcSecret, sealed.0.clone()),
        (user.0, SecretKind::SecondFactor, resealed_factor.0.clone()),
    ];
    expected.sort_by_key(|(record, _, sealed)| (*record, sealed.clone()));
    assert_eq!(secrets(&stage, acme.id()).await, expected);

    let factor = SecondFactor { sealed: resealed_factor, ..factor };
    assert_eq!(stage.ports.second_factors.find(acme.id(), user).await.unwrap(), Some(factor));
    let provider = OidcProvider { sealed, ..provider };
    assert_eq!(stage.ports.oidc.providers(acme.id()).await.unwrap(), [provider]);
    let sso = SealedSsoSecret { sealed: Sealed(more), ..sso };
    assert_eq!(stage.ports.sso_secrets.list(acme.id()).await.unwrap(), [sso]);
    let active = ApiKey { sealed: Sealed(b"active!".to_vec()), ..active };
    assert_eq!(stage.ports.keys.active(acme.id()).await.unwrap(), Some(active));
    let mut after =
        stage.ports.webhook_subscriptions.find(acme.id(), hook.id).await.unwrap().unwrap();
    let hook = &mut after.subscription;
    let previous = hook.previous_secret.as_mut().unwrap();
    assert_eq!((&hook.secret.0[..], &previous.0[..]), (&b"second!"[..], &b"first!"[..]));
    hook.secret.0.pop();
    previous.0.pop();
    assert_eq!(after, before);
    assert_eq!(inventory(&stage, twin).await, of_twin);
}

pub async fn any_number_of_secrets_are_sealed_anew_once_each(stage: Stage) {
    let mut acme = Tenant::new();
    let secret = |n: u32| Sealed(n.to_be_bytes().to_vec());
    for n in 0..1_203 {
        acme.add(WebhookSubscription { secret: secret(n), ..acme.subscription() });
    }
    let acme = acme.import(&stage.ports).await;
    let resealed = stage
        .ports
        .instance
        .reseal(known(&stage).await, Vec::new(), one_more_byte(acme.id()))
        .await
        .unwrap();
    assert_eq!(resealed, Resealed::Done { secrets: 1_203 });
    let mut found: Vec<_> =
        secrets(&stage, acme.id()).await.into_iter().map(|(.., sealed)| sealed).collect();
    found.sort();
    assert_eq!(found, (0..1_203).map(|n| [&secret(n).0[..], b"!"].concat()).collect::<Vec<_>>());
}

pub async fn a_secret_that_cannot_be_sealed_anew_is_named_and_nothing_is_changed(stage: Stage) {
    let (acme, _, hook) = with_secrets(&stage).await;
    let before = secrets(&stage, acme.id()).await;
    for kind in [
        SecretKind::RevokedApiKey,
        SecretKind::ApiKey,
        SecretKind::SigningSecret,
        SecretKind::PreviousSigningSecret,
        SecretKind::SsoSecret,
        SecretKind::OidcSecret,
        SecretKind::SecondFactor,
    ] {
        let known = known(&stage).await;
        let (organization, more) = (acme.id(), one_more_byte(acme.id()));
        let refuse: Reseal = Arc::new(move |secret| {
            if secret.place.organization == organization && secret.place.kind == kind {
                Err(NotResealed)
            } else {
                more(secret)
            }
        });
        let facts = vec![Fact { name: known.name, value: vec![2] }];
        let refused = stage.ports.instance.reseal(known.clone(), facts, refuse).await.unwrap();
        let record = before.iter().find(|(_, of, _)| *of == kind).unwrap().0;
        assert_eq!(refused, Resealed::Refused(SecretPlace { organization, record, kind }));
        assert_eq!(secrets(&stage, acme.id()).await, before);
        assert_eq!(stage.ports.instance.find(known.name).await.unwrap(), Some(known.value));
    }
    assert_eq!(before.iter().filter(|(record, ..)| *record == hook.id.0).count(), 2);
}

pub async fn secrets_are_sealed_anew_only_while_the_known_fact_holds_and_by_one_at_a_time(
    stage: Stage,
) {
    let (acme, ..) = with_secrets(&stage).await;
    let before = secrets(&stage, acme.id()).await;
    let known = known(&stage).await;
    let reseal = async |known: Fact| {
        let facts = vec![Fact { name: known.name, value: vec![2] }];
        stage.ports.instance.reseal(known, facts, one_more_byte(acme.id())).await.unwrap()
    };
    assert_eq!(reseal(Fact { name: name(), value: vec![1] }).await, Resealed::Stale);
    assert_eq!(reseal(Fact { value: vec![1, 1], ..known.clone() }).await, Resealed::Stale);
    assert_eq!(secrets(&stage, acme.id()).await, before);

    let mut outcomes = join_all((0..3).map(|_| reseal(known.clone()))).await;
    outcomes.sort_by_key(|outcome| *outcome == Resealed::Stale);
    assert_eq!(outcomes, [Resealed::Done { secrets: 7 }, Resealed::Stale, Resealed::Stale]);
    let longer: Vec<_> = before
        .into_iter()
        .map(|(record, kind, sealed)| (record, kind, [&sealed[..], b"!"].concat()))
        .collect();
    assert_eq!(secrets(&stage, acme.id()).await, longer);
}

pub async fn a_secret_that_is_replaced_during_a_reseal_stays_replaced(stage: Stage) {
    let (acme, _, hook) = with_secrets(&stage).await;
    let rotate = async |n: u32| {
        let (webhooks, secret) = (Webhooks(&stage.ports), Sealed(n.to_string().into()));
        while webhooks.rotate(acme.id(), hook.id, secret.clone(), at(1)).await.unwrap()
            != Recorded::Done
        {}
    };
    let reseal = async || {
        stage
            .ports
            .instance
            .reseal(known(&stage).await, Vec::new(), one_more_byte(acme.id()))
            .await
            .unwrap()
    };
    for n in 0..20 {
        let (_, resealed) = tokio::join!(rotate(n), reseal());
        assert!(matches!(resealed, Resealed::Done { .. }), "{resealed:?}");
        let found =
            stage.ports.webhook_subscriptions.find(acme.id(), hook.id).await.unwrap().unwrap();
        let secret = String::from_utf8(found.subscription.secret.0).unwrap();
        assert_eq!(secret.trim_end_matches('!'), n.to_string());
    }
}
