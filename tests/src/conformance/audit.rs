//! `AuditLog`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, ends, first_page};
use crate::build::{Imported, Tenant, at};
use crate::system::fresh;
use hearback_domain::audit::{AuditEntry, AuditFilter, Door};
use hearback_domain::record::Kind;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::backlog::Task;
use hearback_ports::{Change, Recorded};

/// An entry of each door, the oldest first.
fn entries() -> Vec<AuditEntry> {
    let of = |(n, door): (usize, &Door)| AuditEntry {
        id: fresh(),
        at: at(n as i64),
        door: *door,
        actor_id: (n % 2 == 0).then(fresh),
        action: format!("tags/{}", n % 2),
        target: (Kind::Tag, fresh()),
        data: r#"{"before":null,"after":{"name":"Größe"}}"#.to_owned(),
    };
    Door::ALL.iter().enumerate().map(of).collect()
}

/// An entry about an organization.
pub(crate) fn note() -> AuditEntry {
    AuditEntry {
        id: fresh(),
        at: at(0),
        door: Door::CommandLine,
        actor_id: None,
        action: "key rotate".to_owned(),
        target: (Kind::Organization, fresh()),
        data: "{}".to_owned(),
    }
}

/// Asserts that an organization has these entries alone.
pub(super) async fn has(stage: &Stage, acme: &Tenant, entries: &[&AuditEntry]) {
    let mut entries: Vec<AuditEntry> = entries.iter().copied().cloned().collect();
    entries.sort_by_key(|entry| std::cmp::Reverse((entry.at, entry.id)));
    assert_eq!(page(stage, acme, AuditFilter::default()).await, entries);
}

async fn logged(stage: &Stage) -> (Imported, Vec<AuditEntry>) {
    let acme = Tenant::new().import(&stage.ports).await;
    let entries = entries();
    let change = Change { audit: entries.clone(), ..Change::at(at(0)) };
    ends(Recorded::Done, async || stage.ports.records.apply(acme.id(), change.clone()).await).await;
    (acme, entries)
}

pub(super) async fn page(stage: &Stage, acme: &Tenant, filter: AuditFilter) -> Vec<AuditEntry> {
    stage.ports.audit.page(acme.id(), filter, first_page()).await.unwrap().items
}

pub async fn entries_are_listed_newest_first_by_actor_action_target_and_time(stage: Stage) {
    let (acme, entries) = logged(&stage).await;
    let none = AuditFilter::default;
    let first = &entries[0];
    for filter in [
        none(),
        AuditFilter { actor_id: first.actor_id, ..none() },
        AuditFilter { action: Some(first.action.clone()), ..none() },
        AuditFilter { target_id: Some(first.target.1), ..none() },
        AuditFilter { target_id: Some(fresh()), ..none() },
        AuditFilter { created_after: Some(entries[2].at), ..none() },
    ] {
        let expected = entries.iter().rev().filter(|entry| filter.admits(entry)).cloned();
        let expected: Vec<AuditEntry> = expected.collect();
        assert_eq!(page(&stage, &acme, filter.clone()).await, expected, "{filter:?}");
    }
    assert_eq!(page(&stage, acme.twin(), none()).await, []);
}

pub async fn old_entries_are_removed_in_parts_the_oldest_first(stage: Stage) {
    let (acme, entries) = logged(&stage).await;
    let audit = &stage.ports.audit;
    assert_eq!(audit.prune(acme.twin().id(), Time::MAX, 9).await.unwrap(), 0);
    assert_eq!(audit.prune(acme.id(), at(0), 9).await.unwrap(), 0);
    let is_due = async |now| {
        let organizations = stage.ports.backlog.organizations(Task::PruneAudit, now, None, 1_000);
        organizations.await.unwrap().contains(&acme.id())
    };
    assert!(!is_due(at(0)).await && is_due(at(1)).await);
    let mut left = entries.len();
    while left > 3 {
        left -= audit.prune(acme.id(), at(2), 1).await.unwrap();
    }
    assert_eq!(audit.prune(acme.id(), at(2), 9).await.unwrap(), 0);
    let expected: Vec<AuditEntry> = entries[2..].iter().rev().cloned().collect();
    assert_eq!(page(&stage, &acme, AuditFilter::default()).await, expected);
}
