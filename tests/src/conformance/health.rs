//! `StoreHealth`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::Stage;
use crate::build::{Tenant, at, event};
use crate::deliveries::tell;
use hearback_domain::event::EventType;
use hearback_ports::health::PoolUse;

pub async fn a_store_answers_a_ping(stage: Stage) {
    stage.ports.health.ping().await.unwrap();
}

pub async fn pools_are_counted(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(acme.post());
    let acme = acme.import(&stage.ports).await;
    let pools = || stage.ports.health.pools();
    let before = pools();
    assert!(!before.is_empty());
    tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    let after = pools();
    let names = |pools: &[PoolUse]| pools.iter().map(|pool| pool.name).collect::<Vec<_>>();
    assert_eq!(names(&after), names(&before));
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.size, after.size);
        assert!(
            after.in_use <= after.size
                && before.uses <= after.uses
                && before.waited <= after.waited,
            "{after:?}"
        );
    }
    let uses = |pools: &[PoolUse]| pools.iter().map(|pool| pool.uses).sum::<u64>();
    assert!(uses(&after) > uses(&before), "a pool counts the write");
}
