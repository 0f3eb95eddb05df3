//! `KeyRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::audit::{has, note};
use super::{Stage, ends, inventory, settled};
use crate::build::{Imported, Tenant, at};
use crate::system::fresh;
use futures_util::future::join_all;
use hearback_domain::api_key::{ApiKey, KeyDigest, Sealed};
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{ApiKeyId, OrganizationId};
use hearback_domain::organization::HelpCenter;
use hearback_ports::keys::KeyOwner;
use hearback_ports::{Recorded, Unique};

async fn acme(stage: &Stage) -> Imported {
    Tenant::new().import(&stage.ports).await
}

async fn insert(stage: &Stage, organization: OrganizationId, key: &ApiKey, expected: Recorded) {
    ends(expected, async || stage.ports.keys.insert(organization, key.clone(), note()).await).await;
}

async fn replace(
    stage: &Stage,
    organization: OrganizationId,
    old: ApiKeyId,
    new: &ApiKey,
    expected: Recorded,
) {
    ends(expected, async || stage.ports.keys.replace(organization, old, new.clone(), note()).await)
        .await;
}

async fn revoke(stage: &Stage, organization: OrganizationId, id: ApiKeyId, expected: Recorded) {
    ends(expected, async || stage.ports.keys.revoke(organization, id, note()).await).await;
}

async fn owner(stage: &Stage, digest: KeyDigest) -> Option<OrganizationId> {
    stage.ports.keys.owner(digest).await.unwrap().map(|owner| owner.organization)
}

async fn active(stage: &Stage, organization: OrganizationId) -> Option<ApiKey> {
    stage.ports.keys.active(organization).await.unwrap()
}

pub async fn an_organization_has_no_key_at_first(stage: Stage) {
    let acme = acme(&stage).await;
    assert_eq!(active(&stage, acme.id()).await, None);
    assert_eq!(active(&stage, fresh()).await, None);
    assert_eq!(owner(&stage, acme.api_key().digest).await, None);
}

pub async fn a_key_that_was_added_is_active_and_has_its_holder(stage: Stage) {
    let acme = acme(&stage).await;
    let key = ApiKey { sealed: Sealed((0..=255).collect()), created_at: at(-1), ..acme.api_key() };
    insert(&stage, acme.id(), &key, Recorded::Done).await;
    assert_eq!(active(&stage, acme.id()).await, Some(key.clone()));
    assert_eq!(active(&stage, acme.twin().id()).await, None);
    assert_eq!(owner(&stage, key.digest).await, Some(acme.id()));
}

pub async fn a_holder_knows_whether_there_is_a_help_center_and_a_ledger(stage: Stage) {
    for (help_center, events_ledger) in [(HelpCenter::Enabled, false), (HelpCenter::Disabled, true)]
    {
        let mut acme = Tenant::new();
        acme.organization.help_center = help_center;
        acme.organization.events_ledger = events_ledger;
        let acme = acme.import(&stage.ports).await;
        let key = acme.api_key();
        insert(&stage, acme.id(), &key, Recorded::Done).await;
        let expected = KeyOwner { organization: acme.id(), help_center, events_ledger };
        assert_eq!(stage.ports.keys.owner(key.digest).await.unwrap(), Some(expected));
    }
}

pub async fn an_imported_key_works(stage: Stage) {
    let mut acme = Tenant::new();
    let key = acme.add(acme.api_key());
    let acme = acme.import(&stage.ports).await;
    assert_eq!(active(&stage, acme.id()).await, Some(key.clone()));
    assert_eq!(owner(&stage, key.digest).await, Some(acme.id()));
}

pub async fn there_is_no_second_active_key(stage: Stage) {
    let acme = acme(&stage).await;
    let (first, second) = (acme.api_key(), acme.api_key());
    insert(&stage, acme.id(), &first, Recorded::Done).await;
    let before = inventory(&stage, acme.id()).await;
    insert(&stage, acme.id(), &second, Recorded::Taken(Unique::ActiveKey)).await;
    assert_eq!(inventory(&stage, acme.id()).await, before);
    assert_eq!(owner(&stage, second.digest).await, None);
}

pub async fn no_two_keys_are_alike_in_any_organization(stage: Stage) {
    let (acme, globex) = (acme(&stage).await, acme(&stage).await);
    let (own, theirs) = (acme.api_key(), globex.api_key());
    insert(&stage, acme.id(), &own, Recorded::Done).await;
    let alike = ApiKey { digest: own.digest, ..globex.api_key() };
    insert(&stage, globex.id(), &alike, Recorded::Taken(Unique::KeyDigest)).await;
    insert(&stage, globex.id(), &theirs, Recorded::Done).await;
    // A refused replacement leaves the old key unchanged.
    replace(&stage, globex.id(), theirs.id, &alike, Recorded::Taken(Unique::KeyDigest)).await;
    assert_eq!(active(&stage, globex.id()).await, Some(theirs));
    assert_eq!(owner(&stage, own.digest).await, Some(acme.id()));
}

pub async fn a_replaced_key_is_good_for_nothing_any_more(stage: Stage) {
    let acme = acme(&stage).await;
    let (first, second, third) = (acme.api_key(), acme.api_key(), acme.api_key());
    insert(&stage, acme.id(), &first, Recorded::Done).await;
    replace(&stage, acme.id(), first.id, &second, Recorded::Done).await;
    assert_eq!(active(&stage, acme.id()).await, Some(second.clone()));
    assert_eq!(owner(&stage, first.digest).await, None);
    assert_eq!(owner(&stage, second.digest).await, Some(acme.id()));
    let before = inventory(&stage, acme.id()).await;
    replace(&stage, acme.id(), first.id, &third, Recorded::Stale).await;
    replace(&stage, acme.id(), fresh(), &third, Recorded::Stale).await;
    assert_eq!(inventory(&stage, acme.id()).await, before);
    // The digest of a revoked key stays taken.
    let again = ApiKey { digest: first.digest, ..acme.api_key() };
    replace(&stage, acme.id(), second.id, &again, Recorded::Taken(Unique::KeyDigest)).await;
}

pub async fn a_revoked_key_is_good_for_nothing_and_leaves_its_place(stage: Stage) {
    let acme = acme(&stage).await;
    let (first, second) = (acme.api_key(), acme.api_key());
    insert(&stage, acme.id(), &first, Recorded::Done).await;
    revoke(&stage, acme.id(), first.id, Recorded::Done).await;
    assert_eq!(active(&stage, acme.id()).await, None);
    assert_eq!(owner(&stage, first.digest).await, None);
    revoke(&stage, acme.id(), first.id, Recorded::Stale).await;
    revoke(&stage, acme.id(), fresh(), Recorded::Stale).await;
    replace(&stage, acme.id(), first.id, &second, Recorded::Stale).await;
    insert(&stage, acme.id(), &second, Recorded::Done).await;
    assert_eq!(owner(&stage, second.digest).await, Some(acme.id()));
}

pub async fn another_organizations_key_is_neither_replaced_nor_revoked(stage: Stage) {
    let (acme, globex) = (acme(&stage).await, acme(&stage).await);
    let key = acme.api_key();
    insert(&stage, acme.id(), &key, Recorded::Done).await;
    replace(&stage, globex.id(), key.id, &globex.api_key(), Recorded::Stale).await;
    revoke(&stage, globex.id(), key.id, Recorded::Stale).await;
    assert_eq!(active(&stage, globex.id()).await, None);
    assert_eq!(active(&stage, acme.id()).await, Some(key));
}

pub async fn of_many_keys_added_at_once_one_is_active(stage: Stage) {
    let acme = acme(&stage).await;
    let add = async |_| {
        let key = acme.api_key();
        (settled(async || stage.ports.keys.insert(acme.id(), key.clone(), note()).await).await, key)
    };
    let mut winners = Vec::new();
    for added in join_all((0..50).map(add)).await {
        match added {
            (Recorded::Done, key) => winners.push(key),
            (recorded, _) => assert_eq!(recorded, Recorded::Taken(Unique::ActiveKey)),
        }
    }
    assert_eq!(winners.len(), 1);
    assert_eq!(active(&stage, acme.id()).await, winners.pop());
}

pub async fn of_many_replacements_at_once_one_is_done(stage: Stage) {
    let acme = acme(&stage).await;
    let old = acme.api_key();
    insert(&stage, acme.id(), &old, Recorded::Done).await;
    let exchange = async |_| {
        let new = acme.api_key();
        (stage.ports.keys.replace(acme.id(), old.id, new.clone(), note()).await.unwrap(), new)
    };
    let mut winners = Vec::new();
    for exchanged in join_all((0..30).map(exchange)).await {
        match exchanged {
            (Recorded::Done, key) => winners.push(key),
            (recorded, _) => assert_eq!(recorded, Recorded::Stale),
        }
    }
    assert_eq!(winners.len(), 1);
    assert_eq!(active(&stage, acme.id()).await, winners.pop());
    assert_eq!(owner(&stage, old.digest).await, None);
}

pub async fn each_change_of_a_key_has_its_entry_and_none_without_a_change(stage: Stage) {
    let acme = acme(&stage).await;
    let (first, second) = (acme.api_key(), acme.api_key());
    let keys = &stage.ports.keys;
    let (made, replaced, revoked) = (note(), note(), note());
    let insert = async |key: &ApiKey, entry: &AuditEntry| {
        settled(async || keys.insert(acme.id(), key.clone(), entry.clone()).await).await
    };
    assert_eq!(insert(&first, &made).await, Recorded::Done);
    assert_eq!(insert(&second, &note()).await, Recorded::Taken(Unique::ActiveKey));
    has(&stage, &acme, &[&made]).await;
    let replace =
        async || keys.replace(acme.id(), first.id, second.clone(), replaced.clone()).await;
    ends(Recorded::Done, replace).await;
    ends(Recorded::Stale, replace).await;
    let revoke = async || keys.revoke(acme.id(), second.id, revoked.clone()).await;
    ends(Recorded::Done, revoke).await;
    ends(Recorded::Stale, revoke).await;
    has(&stage, &acme, &[&made, &replaced, &revoked]).await;
}
