//! `OidcRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::audit::{has, note};
use super::sessions::{link, token};
use super::{Stage, delete_organization};
use crate::build::{Tenant, at};
use crate::system::{fresh, patiently};
use futures_util::future::join_all;
use hearback_domain::Uuid;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::oidc::{ClaimNames, MOST_PROVIDERS, OidcAccount, OidcProvider};
use hearback_ports::Recorded;

/// A provider that was added some milliseconds after [`at`] 0.
pub(crate) fn provider(added: i64) -> OidcProvider {
    let id: Uuid = fresh();
    let text = |name: &str| format!("{name} größer {added}");
    OidcProvider {
        id: id.into(),
        name: text("name"),
        issuer: text("issuer"),
        client_id: text("client"),
        sealed: Sealed([&[0, 255, 128], id.as_bytes().as_slice()].concat()),
        claims: ClaimNames {
            email: text("email"),
            email_verified: text("verified"),
            name: text("name"),
            picture: text("picture"),
        },
        for_members: added % 2 == 0,
        created_at: at(added),
    }
}

pub(crate) async fn adds(
    stage: &Stage,
    organization: OrganizationId,
    provider: &OidcProvider,
    expected: Recorded,
) {
    let added =
        patiently(|| stage.ports.oidc.add_provider(organization, provider.clone(), note())).await;
    assert_eq!(added, expected);
}

pub(crate) async fn links(
    stage: &Stage,
    organization: OrganizationId,
    account: &OidcAccount,
    expected: Recorded,
) {
    let linked = patiently(|| stage.ports.oidc.link(organization, account.clone())).await;
    assert_eq!(linked, expected);
}

/// A new account of a user.
pub(crate) fn account(user_id: UserId) -> OidcAccount {
    OidcAccount { digest: token(), user_id, created_at: at(0) }
}

async fn list(stage: &Stage, organization: OrganizationId) -> Vec<OidcProvider> {
    stage.ports.oidc.providers(organization).await.unwrap()
}

async fn user_of(
    stage: &Stage,
    organization: OrganizationId,
    account: &OidcAccount,
) -> Option<UserId> {
    stage.ports.oidc.user_of(organization, account.digest).await.unwrap()
}

pub async fn providers_are_listed_as_they_were_added_and_removed_once(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await.id();
    assert_eq!(list(&stage, acme).await, []);
    let mut providers = [2, 1, 2].map(provider);
    for provider in &providers {
        adds(&stage, acme, provider, Recorded::Done).await;
    }
    providers.sort_by_key(|provider| (provider.created_at, provider.id));
    assert_eq!(list(&stage, acme).await, providers);
    for expected in [Recorded::Done, Recorded::Stale] {
        let removed =
            patiently(|| stage.ports.oidc.remove_provider(acme, providers[0].id, note())).await;
        assert_eq!(removed, expected);
    }
    assert_eq!(list(&stage, acme).await, providers[1..]);
}

pub async fn of_many_providers_at_once_no_more_are_added_than_the_most(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await.id();
    let add = async |added: i64| {
        let provider = provider(added);
        patiently(|| stage.ports.oidc.add_provider(acme, provider.clone(), note())).await
    };
    let added = join_all((0..16).map(add)).await;
    let done = added.iter().filter(|added| **added == Recorded::Done).count();
    assert_eq!((done, list(&stage, acme).await.len()), (MOST_PROVIDERS, MOST_PROVIDERS));
}

pub async fn an_account_is_of_one_linked_user(stage: Stage) {
    let mut acme = Tenant::new();
    let user = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let id = acme.id();
    let theirs = account(user.user_id);
    assert_eq!(user_of(&stage, id, &theirs).await, None);
    links(
        &stage,
        id,
        &OidcAccount { user_id: acme.author.user_id, ..theirs.clone() },
        Recorded::Done,
    )
    .await;
    links(&stage, id, &theirs, Recorded::Done).await;
    assert_eq!(user_of(&stage, id, &theirs).await, Some(user.user_id));
    link(&stage, &acme, user.user_id, false).await;
    assert_eq!(user_of(&stage, id, &theirs).await, None);
    links(&stage, id, &theirs, Recorded::Stale).await;
}

pub async fn providers_and_accounts_are_of_one_organization_that_is_there(stage: Stage) {
    let [acme, globex] = [Tenant::new(), Tenant::new()];
    let (acme, globex) = (acme.import(&stage.ports).await, globex.import(&stage.ports).await);
    let (mine, theirs) = (provider(0), account(acme.author.user_id));
    adds(&stage, acme.id(), &mine, Recorded::Done).await;
    links(&stage, acme.id(), &theirs, Recorded::Done).await;
    assert_eq!(list(&stage, globex.id()).await, []);
    assert_eq!(user_of(&stage, globex.id(), &theirs).await, None);
    let removed =
        patiently(|| stage.ports.oidc.remove_provider(globex.id(), mine.id, note())).await;
    assert_eq!(removed, Recorded::Stale);
    assert_eq!(list(&stage, acme.id()).await, [mine]);
    links(&stage, globex.id(), &theirs, Recorded::Stale).await;
    adds(&stage, OrganizationId(fresh()), &provider(1), Recorded::Stale).await;
    delete_organization(&stage.ports, acme.id()).await;
    adds(&stage, acme.id(), &provider(1), Recorded::Stale).await;
    links(&stage, acme.id(), &theirs, Recorded::Stale).await;
}

pub async fn each_change_of_a_provider_has_its_entry_and_none_without_a_change(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (mine, oidc) = (provider(0), &stage.ports.oidc);
    let (added, removed) = (note(), note());
    let id = acme.id();
    let done = patiently(|| oidc.add_provider(id, mine.clone(), added.clone())).await;
    assert_eq!(done, Recorded::Done);
    for expected in [Recorded::Done, Recorded::Stale] {
        let done = patiently(|| oidc.remove_provider(id, mine.id, removed.clone())).await;
        assert_eq!(done, expected);
    }
    has(&stage, &acme, &[&added, &removed]).await;
}
