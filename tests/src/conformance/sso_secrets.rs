//! `SsoSecretRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::audit::{has, note};
use super::{Stage, delete_organization};
use crate::build::{Tenant, at};
use crate::system::{fresh, patiently};
use futures_util::future::join_all;
use hearback_domain::Uuid;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::OrganizationId;
use hearback_domain::sso_secret::{MOST_SSO_SECRETS, SealedSsoSecret};
use hearback_ports::Recorded;

/// A secret that was made some milliseconds after [`at`] 0.
pub(crate) fn sso_secret(made: i64) -> SealedSsoSecret {
    let id: Uuid = fresh();
    let sealed = Sealed([&[0, 255, 128], id.as_bytes().as_slice()].concat());
    SealedSsoSecret { id: id.into(), sealed, created_at: at(made) }
}

pub(crate) async fn adds(
    stage: &Stage,
    organization: OrganizationId,
    secret: &SealedSsoSecret,
    expected: Recorded,
) {
    let added =
        patiently(|| stage.ports.sso_secrets.add(organization, secret.clone(), note())).await;
    assert_eq!(added, expected);
}

async fn removes(
    stage: &Stage,
    organization: OrganizationId,
    secret: &SealedSsoSecret,
    expected: Recorded,
) {
    let removed =
        patiently(|| stage.ports.sso_secrets.remove(organization, secret.id, note())).await;
    assert_eq!(removed, expected);
}

async fn list(stage: &Stage, organization: OrganizationId) -> Vec<SealedSsoSecret> {
    stage.ports.sso_secrets.list(organization).await.unwrap()
}

pub async fn secrets_are_listed_as_they_were_added_the_newest_first(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await.id();
    assert_eq!(list(&stage, acme).await, []);
    for made in [[1, 2], [2, 1], [3, 3]] {
        let mut secrets = made.map(sso_secret);
        for secret in &secrets {
            adds(&stage, acme, secret, Recorded::Done).await;
        }
        secrets.sort_by_key(|secret| (secret.created_at, secret.id));
        secrets.reverse();
        assert_eq!(list(&stage, acme).await, secrets);
        for secret in &secrets {
            removes(&stage, acme, secret, Recorded::Done).await;
        }
    }
    assert_eq!(list(&stage, acme).await, []);
}

pub async fn a_secret_is_removed_once_and_makes_room(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await.id();
    let [one, two, three] = [1, 2, 3].map(sso_secret);
    adds(&stage, acme, &one, Recorded::Done).await;
    adds(&stage, acme, &two, Recorded::Done).await;
    adds(&stage, acme, &three, Recorded::Stale).await;
    removes(&stage, acme, &one, Recorded::Done).await;
    removes(&stage, acme, &one, Recorded::Stale).await;
    adds(&stage, acme, &three, Recorded::Done).await;
    assert_eq!(list(&stage, acme).await, [three, two]);
}

pub async fn of_many_secrets_at_once_no_more_are_added_than_the_most(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await.id();
    let add = async |made: i64| {
        let secret = sso_secret(made);
        patiently(|| stage.ports.sso_secrets.add(acme, secret.clone(), note())).await
    };
    let added = join_all((0..16).map(add)).await;
    let done = added.iter().filter(|added| **added == Recorded::Done).count();
    assert_eq!((done, list(&stage, acme).await.len()), (MOST_SSO_SECRETS, MOST_SSO_SECRETS));
}

pub async fn a_secret_is_of_one_organization_that_is_there(stage: Stage) {
    let [acme, globex] = [Tenant::new(), Tenant::new()];
    let (acme, globex) = (acme.import(&stage.ports).await, globex.import(&stage.ports).await);
    let [one, other] = [1, 2].map(sso_secret);
    adds(&stage, acme.id(), &one, Recorded::Done).await;
    removes(&stage, globex.id(), &one, Recorded::Stale).await;
    assert_eq!(list(&stage, globex.id()).await, []);
    assert_eq!(list(&stage, acme.id()).await, [one]);
    adds(&stage, OrganizationId(fresh()), &other, Recorded::Stale).await;
    delete_organization(&stage.ports, globex.id()).await;
    adds(&stage, globex.id(), &other, Recorded::Stale).await;
}

pub async fn each_change_of_a_secret_has_its_entry_and_none_without_a_change(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (secret, secrets) = (sso_secret(1), &stage.ports.sso_secrets);
    let (added, removed) = (note(), note());
    let id = acme.id();
    let done = patiently(|| secrets.add(id, secret.clone(), added.clone())).await;
    assert_eq!(done, Recorded::Done);
    for expected in [Recorded::Done, Recorded::Stale] {
        let done = patiently(|| secrets.remove(id, secret.id, removed.clone())).await;
        assert_eq!(done, expected);
    }
    has(&stage, &acme, &[&added, &removed]).await;
}
