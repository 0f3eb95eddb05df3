//! `Backlog`
//!
//! A backlog covers all organizations, also those of other cases. Each case reads only the results
//! for its own organizations.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::changelog_entries::publish;
use super::mail_queue::settle_all;
use super::{
    Stage, applies, change, delete_organization, ends, make, receipt, write_mails, write_some,
};
use crate::build::{Imported, Tenant, at, event, slug, subscription};
use crate::deliveries::{
    Webhooks, claim, counts, ended, given_up, lease, listening, release, settle, status, take,
    tell, tell_many,
};
use crate::system::fresh;
use hearback_domain::audit::{AuditEntry, Door};
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::delivery::DeliveryOutcome;
use hearback_domain::event::EventType;
use hearback_domain::follow_up::FollowUp;
use hearback_domain::id::OrganizationId;
use hearback_domain::mail::{MailFailure, MailOutcome};
use hearback_domain::record::Step;
use hearback_domain::tag::Tag;
use hearback_domain::user::User;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_domain::{Time, Uuid};
use hearback_ports::backlog::{Line, Task, Waiting};
use hearback_ports::deliveries::Ended;
use hearback_ports::delivery_queue::SettledDelivery;
use hearback_ports::mail_queue::SettledMail;
use hearback_ports::{Change, Kind, Lease, Recorded, WriteResult};

/// All tasks but the erasure of deleted records, which the opposite of an organization has.
const TASKS: [Task; 9] = [
    Task::PublishEntries,
    Task::FollowUps,
    Task::WriteMails,
    Task::SendMails,
    Task::PruneDeliveries(Ended::Delivered),
    Task::PruneDeliveries(Ended::Failed),
    Task::ExpireDeliveries,
    Task::PruneReceipts,
    Task::PruneAudit,
];

/// All organizations with work for a task, read page by page.
async fn waiting(stage: &Stage, task: Task, now: Time, limit: i64) -> Vec<OrganizationId> {
    let mut all: Vec<OrganizationId> = Vec::new();
    loop {
        let some =
            stage.ports.backlog.organizations(task, now, all.last().copied(), limit).await.unwrap();
        let is_last = (some.len() as i64) < limit;
        assert!(some.len() as i64 <= limit);
        all.extend(some);
        if is_last {
            assert!(all.is_sorted_by(|a, b| a < b), "by id, each once: {all:?}");
            return all;
        }
    }
}

/// The tasks of an organization. Its twin and its opposite must have none.
pub(super) async fn tasks(stage: &Stage, acme: &Imported, now: Time) -> Vec<Task> {
    let mut found = Vec::new();
    for task in TASKS {
        let waiting = waiting(stage, task, now, 100).await;
        for other in [acme.twin().id(), acme.opposite().id()] {
            assert!(!waiting.contains(&other), "{task:?}");
        }
        found.extend(waiting.contains(&acme.id()).then_some(task));
    }
    found
}

/// The length of an organization's backlog: the number of items, the number of due ones, and the
/// time since which the first of these is due.
async fn length(
    stage: &Stage,
    line: Line,
    organization: OrganizationId,
    now: Time,
) -> (u64, u64, Option<Time>) {
    let Waiting { count, due, due_since } =
        stage.ports.backlog.waiting(line, Some(organization), now, 100).await.unwrap();
    (count, due, due_since)
}

fn scheduled(tenant: &Tenant, scheduled_at: Time) -> ChangelogEntry {
    ChangelogEntry {
        status: EntryStatus::Scheduled,
        scheduled_at: Some(scheduled_at),
        ..tenant.entry()
    }
}

/// Adds an entry with a mailing.
async fn announce(stage: &Stage, acme: &Tenant) -> ChangelogEntry {
    let entry = ChangelogEntry {
        status: EntryStatus::Published,
        published_at: Some(at(0)),
        notify: true,
        ..acme.entry()
    };
    make(stage, acme.id(), entry.clone()).await;
    entry
}

/// Deletes a tag, so that its removal from posts begins.
async fn deletes_a_tag(stage: &Stage, acme: &Tenant) {
    let tag = acme.tag();
    make(stage, acme.id(), tag.clone()).await;
    let deletion = Step::edit(tag.clone(), Tag { is_active: false, ..tag.clone() }, at(0));
    let follow_up = FollowUp::Replace { key: (Kind::Tag, tag.id.0), by: None };
    let deletion = Change { follow_ups: vec![follow_up], ..change(vec![deletion], at(0)) };
    applies(stage, acme.id(), &deletion, Recorded::Done).await;
}

/// Creates an entry with an idempotency key, which leaves a receipt.
async fn keeps_a_receipt(stage: &Stage, acme: &Tenant) {
    let entry = acme.entry();
    let receipt = receipt(&entry.id.to_string(), WriteResult::Created(entry.id.0), at(0));
    let change = Change { receipt: Some(receipt), ..change(vec![Step::make(entry)], at(0)) };
    applies(stage, acme.id(), &change, Recorded::Done).await;
}

async fn logs_a_change(stage: &Stage, acme: &Tenant) {
    let entry = AuditEntry {
        id: fresh(),
        at: at(0),
        door: Door::Api,
        actor_id: None,
        action: "tags/update".to_owned(),
        target: (Kind::Tag, fresh()),
        data: "{}".to_owned(),
    };
    let change = Change { audit: vec![entry], ..Change::at(at(0)) };
    applies(stage, acme.id(), &change, Recorded::Done).await;
}

/// Records three events for the subscription of an organization and deactivates it. One delivery
/// has succeeded, one has failed, and one waits.
async fn sends(stage: &Stage, acme: &Imported) {
    for _ in 0..3 {
        tell(stage, acme, event(EventType::VoteCreated, at(0))).await;
    }
    let mine = lease(at(0));
    let claimed = take(stage, claim(acme, mine, at(0)), 3).await;
    settle(
        stage,
        vec![ended(&claimed[0], mine, status(200), at(0)), given_up(&claimed[1], mine, at(0))],
    )
    .await;
    let off = acme.all::<WebhookSubscription>()[0].id;
    ends(Recorded::Done, async || Webhooks(&stage.ports).deactivate(acme.id(), off, at(0)).await)
        .await;
}

pub async fn an_organization_has_entries_to_publish_once_one_is_due(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(scheduled(&acme, at(5)));
    // None of these entries ever becomes due.
    acme.add(ChangelogEntry { scheduled_at: Some(at(0)), ..acme.entry() });
    let acme = acme.import(&stage.ports).await;
    let entries = |now| waiting(&stage, Task::PublishEntries, now, 100);
    for (now, is_due) in
        [(Time::MIN, false), (at(4), false), (at(5), true), (at(6), true), (Time::MAX, true)]
    {
        let found = entries(now).await;
        assert_eq!(found.contains(&acme.id()), is_due, "at {now}");
        assert_eq!(found.contains(&acme.twin().id()), is_due, "at {now}");
        assert!(!found.contains(&acme.opposite().id()), "a deleted entry is not published");
    }
    while entries(at(5)).await.contains(&acme.id()) {
        publish(&stage, acme.id(), at(5), 10).await;
    }
    assert!(!entries(Time::MAX).await.contains(&acme.id()));
    assert!(entries(at(5)).await.contains(&acme.twin().id()));
}

pub async fn the_earliest_of_many_scheduled_entries_decides(stage: Stage) {
    let mut acme = Tenant::new();
    for n in 0..50 {
        acme.add(scheduled(&acme, at(1_000 - n)));
    }
    acme.add(ChangelogEntry { is_active: false, ..scheduled(&acme, Time::MIN) });
    let acme = acme.import(&stage.ports).await;
    for (now, is_due) in [(at(950), false), (at(951), true)] {
        let found = waiting(&stage, Task::PublishEntries, now, 100).await;
        assert_eq!(found.contains(&acme.id()), is_due, "at {now}");
    }
}

pub async fn an_organization_has_mails_to_write_until_all_of_its_mailings_are_written(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    for _ in 0..2 {
        acme.add(User { is_subscribed: true, ..acme.user() });
    }
    let acme = acme.import(&stage.ports).await;
    assert_eq!(tasks(&stage, &acme, Time::MAX).await, []);
    announce(&stage, &acme).await;
    announce(&stage, &acme).await;
    // Mails must be written at any time.
    assert_eq!(tasks(&stage, &acme, Time::MIN).await, [Task::WriteMails]);
    write_some(&stage.ports, acme.id(), at(10), 1).await.unwrap();
    assert!(tasks(&stage, &acme, at(10)).await.contains(&Task::WriteMails));
    write_mails(&stage, acme.id(), at(10), 1).await;
    assert_eq!(tasks(&stage, &acme, at(9)).await, []);
    assert_eq!(tasks(&stage, &acme, at(10)).await, [Task::SendMails]);
}

pub async fn an_organization_has_mails_to_send_if_one_is_due_or_was_interrupted(stage: Stage) {
    let mut acme = Tenant::new();
    let reader = acme.add(User { is_subscribed: true, ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    let entry = announce(&stage, &acme).await;
    write_mails(&stage, acme.id(), at(10), 10).await;
    let claim = async |lease, now| {
        while stage.ports.mail_queue.claim(acme.id(), lease, now, 10).await.unwrap().is_empty() {}
    };
    let settle = async |lease: Lease, outcome, now| {
        let settled = SettledMail { mailing: entry.id.0.into(), user: reader.user_id, outcome };
        settle_all(&stage, acme.id(), lease.holder, vec![settled], now).await;
    };
    let lease = Lease { holder: fresh(), until: at(100) };
    claim(lease, at(10)).await;
    // While the mail is leased there is nothing to do, until the lease runs out.
    assert_eq!(tasks(&stage, &acme, at(99)).await, []);
    assert_eq!(tasks(&stage, &acme, at(101)).await, [Task::SendMails]);
    settle(lease, MailOutcome::Retry { at: at(500), failure: MailFailure::Unreachable }, at(20))
        .await;
    assert_eq!(tasks(&stage, &acme, at(499)).await, []);
    assert_eq!(tasks(&stage, &acme, at(500)).await, [Task::SendMails]);
    let lease = Lease { holder: fresh(), until: at(600) };
    claim(lease, at(500)).await;
    settle(lease, MailOutcome::Sent, at(501)).await;
    assert_eq!(tasks(&stage, &acme, Time::MAX).await, []);
}

pub async fn an_organization_has_deliveries_to_remove_once_one_has_ended_for_long(stage: Stage) {
    let acme = listening(&stage, &[subscription()]).await;
    for _ in 0..4 {
        tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    }
    tell(&stage, acme.twin(), event(EventType::VoteCreated, at(0))).await;
    let (delivered, failed) =
        (Task::PruneDeliveries(Ended::Delivered), Task::PruneDeliveries(Ended::Failed));
    let has = async |now, expected: &[Task]| {
        // The opposite's subscription was never active.
        for task in [delivered, failed] {
            let waiting = waiting(&stage, task, now, 100).await;
            assert_eq!(waiting.contains(&acme.id()), expected.contains(&task), "{task:?} at {now}");
            assert!(
                !waiting.contains(&acme.twin().id()) && !waiting.contains(&acme.opposite().id())
            );
        }
    };
    has(Time::MAX, &[]).await;
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(0)), 4).await;
    has(Time::MAX, &[]).await;
    let settled = [
        ended(&claimed[0], mine, status(200), at(50)),
        given_up(&claimed[1], mine, at(70)),
        ended(&claimed[2], mine, status(500), at(20)),
    ];
    settle(&stage, settled.to_vec()).await;
    has(at(50), &[]).await;
    has(at(51), &[delivered]).await;
    has(at(70), &[delivered]).await;
    has(at(71), &[delivered, failed]).await;
    let prune = async |ended| {
        counts(1, async || stage.ports.deliveries.prune(acme.id(), ended, Time::MAX, 10).await)
            .await
    };
    prune(Ended::Delivered).await;
    has(Time::MAX, &[failed]).await;
    prune(Ended::Failed).await;
    has(Time::MAX, &[]).await;
}

pub async fn the_earliest_of_many_deliveries_that_have_ended_decides(stage: Stage) {
    const COUNT: i64 = 40;
    let acme = listening(&stage, &[subscription()]).await;
    tell_many(&stage, &acme, COUNT as usize, EventType::VoteCreated, at(0)).await;
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(0)), COUNT as usize).await;
    let settled = (0..COUNT)
        .zip(&claimed)
        .map(|(n, delivery)| ended(delivery, mine, status(200), at(1_000 - n)));
    settle(&stage, settled.collect()).await;
    for (now, is_waiting) in [(at(1_001 - COUNT), false), (at(1_002 - COUNT), true)] {
        let found = waiting(&stage, Task::PruneDeliveries(Ended::Delivered), now, 100).await;
        assert_eq!(found.contains(&acme.id()), is_waiting, "at {now}");
    }
}

pub async fn an_organization_has_deliveries_to_give_up_once_a_subscription_was_inactive_for_long(
    stage: Stage,
) {
    let all = [subscription(), subscription(), subscription()];
    let acme = listening(&stage, &all).await;
    tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    // A lease does not matter.
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(0)), 3).await;
    release(&stage, mine, &claimed[..2]).await;
    let has = async |now, expected: bool| {
        let waiting = waiting(&stage, Task::ExpireDeliveries, now, 100).await;
        assert_eq!(waiting.contains(&acme.id()), expected, "at {now}");
        assert!(!waiting.contains(&acme.twin().id()));
    };
    has(Time::MAX, false).await;
    let subscriptions = Webhooks(&stage.ports);
    for (subscription, since) in all.iter().zip([at(500), at(400)]) {
        ends(Recorded::Done, async || {
            subscriptions.deactivate(acme.id(), subscription.id, since).await
        })
        .await;
    }
    for (now, expected) in [(at(400), false), (at(401), true), (Time::MAX, true)] {
        has(now, expected).await;
    }
    ends(Recorded::Done, async || subscriptions.activate(acme.id(), all[1].id).await).await;
    for (now, expected) in [(at(500), false), (at(501), true)] {
        has(now, expected).await;
    }
    ends(Recorded::Done, async || subscriptions.activate(acme.id(), all[0].id).await).await;
    has(Time::MAX, false).await;
}

pub async fn an_organization_has_receipts_to_remove_once_one_is_old(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    keeps_a_receipt(&stage, &acme).await;
    assert_eq!(tasks(&stage, &acme, at(0)).await, []);
    assert_eq!(tasks(&stage, &acme, at(1)).await, [Task::PruneReceipts]);
    counts(1, async || stage.ports.receipts.prune(acme.id(), at(1), 10).await).await;
    assert_eq!(tasks(&stage, &acme, Time::MAX).await, []);
}

pub async fn deliveries_wait_until_they_end_and_are_due_while_they_have_no_lease(stage: Stage) {
    let all = [
        subscription(),
        subscription(),
        WebhookSubscription { is_active: false, ..subscription() },
    ];
    let acme = listening(&stage, &all).await;
    let waits = |now| length(&stage, Line::Deliveries, acme.id(), now);
    assert_eq!(waits(Time::MAX).await, (0, 0, None));
    for seconds in [30, 10, 20] {
        tell(&stage, &acme, event(EventType::VoteCreated, at(seconds))).await;
    }
    tell(&stage, acme.twin(), event(EventType::VoteCreated, at(0))).await;
    assert_eq!(waits(at(9)).await, (6, 0, None));
    assert_eq!(waits(at(10)).await, (6, 2, Some(at(10))));
    assert_eq!(waits(Time::MAX).await, (6, 6, Some(at(10))));
    assert_eq!(
        length(&stage, Line::Deliveries, acme.opposite().id(), Time::MAX).await,
        (0, 0, None)
    );

    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(10)), 2).await;
    assert_eq!(waits(at(30)).await, (6, 4, Some(at(20))));
    assert_eq!(waits(at(100)).await, (6, 4, Some(at(20))));
    assert_eq!(waits(at(101)).await, (6, 6, Some(at(10))));
    let retried = DeliveryOutcome::Retry { at: at(500) };
    let settled = [
        ended(&claimed[0], mine, status(200), at(40)),
        ended(&claimed[1], mine, status(500), at(40)),
    ];
    let [delivered, failed] = settled;
    settle(&stage, vec![delivered, SettledDelivery { outcome: retried, ..failed }]).await;
    assert_eq!(waits(at(101)).await, (5, 4, Some(at(20))));
    assert_eq!(waits(at(500)).await, (5, 5, Some(at(20))));

    let subscriptions = Webhooks(&stage.ports);
    for subscription in &all[..2] {
        ends(Recorded::Done, async || {
            subscriptions.deactivate(acme.id(), subscription.id, at(50)).await
        })
        .await;
    }
    assert_eq!(waits(Time::MAX).await, (0, 0, None), "inactive subscriptions are sent no delivery");
}

pub async fn entries_wait_while_they_are_scheduled(stage: Stage) {
    let mut acme = Tenant::new();
    for seconds in [7, 5, 6] {
        acme.add(scheduled(&acme, at(seconds)));
    }
    acme.add(ChangelogEntry { scheduled_at: Some(at(0)), ..acme.entry() });
    acme.add(ChangelogEntry { is_active: false, ..scheduled(&acme, at(1)) });
    let acme = acme.import(&stage.ports).await;
    let waits = |now| length(&stage, Line::Entries, acme.id(), now);
    assert_eq!(waits(at(4)).await, (3, 0, None));
    assert_eq!(waits(at(6)).await, (3, 2, Some(at(5))));
    while waits(at(6)).await.0 == 3 {
        publish(&stage, acme.id(), at(5), 10).await;
    }
    assert_eq!(waits(at(6)).await, (2, 1, Some(at(6))));
}

pub async fn mails_wait_until_they_are_on_their_way(stage: Stage) {
    let mut acme = Tenant::new();
    for _ in 0..3 {
        acme.add(User { is_subscribed: true, ..acme.user() });
    }
    let acme = acme.import(&stage.ports).await;
    announce(&stage, &acme).await;
    let waits = |now| length(&stage, Line::Mails, acme.id(), now);
    assert_eq!(waits(Time::MAX).await, (0, 0, None));
    write_mails(&stage, acme.id(), at(10), 10).await;
    assert_eq!(waits(at(9)).await, (3, 0, None));
    assert_eq!(waits(at(10)).await, (3, 3, Some(at(10))));
    while stage
        .ports
        .mail_queue
        .claim(acme.id(), lease(at(100)), at(10), 2)
        .await
        .unwrap()
        .is_empty()
    {}
    assert_eq!(waits(at(10)).await, (1, 1, Some(at(10))));
}

pub async fn the_backlog_of_all_organizations_is_counted_up_to_a_limit(stage: Stage) {
    let mut acme = Tenant::new();
    let reader = User { is_subscribed: true, ..acme.user() };
    acme.add(reader);
    acme.add(scheduled(&acme, Time::MIN));
    acme.add(acme.post());
    acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    announce(&stage, &acme).await;
    write_mails(&stage, acme.id(), Time::MIN, 10).await;
    tell(&stage, &acme, event(EventType::VoteCreated, Time::MIN)).await;
    for line in Line::ALL {
        let waiting =
            async |limit| stage.ports.backlog.waiting(line, None, Time::MIN, limit).await.unwrap();
        let all = waiting(i64::MAX).await;
        assert!(all.count >= 1 && all.due >= 1 && all.due <= all.count, "{line:?}: {all:?}");
        assert_eq!(all.due_since, Some(Time::MIN), "{line:?}");
        assert_eq!(waiting(1).await.count, 1, "{line:?}");
        assert_eq!(waiting(0).await, Waiting::default(), "{line:?}");
    }
}

pub async fn organizations_are_listed_by_id_in_parts(stage: Stage) {
    let mut all = Vec::new();
    for n in 0..12 {
        let mut acme = Tenant::new();
        acme.add(acme.post());
        acme.add(acme.subscription());
        acme.add(User { is_subscribed: true, ..acme.user() });
        // An organization with many entries counts as much as one with one entry.
        for _ in 0..=n % 4 * 7 {
            let id: Uuid = fresh();
            acme.add(ChangelogEntry { id: id.into(), slug: slug(id), ..scheduled(&acme, at(-n)) });
        }
        let acme = acme.import(&stage.ports).await;
        all.extend([acme.id(), acme.twin().id()]);
        announce(&stage, &acme).await;
        sends(&stage, &acme).await;
        deletes_a_tag(&stage, &acme).await;
        keeps_a_receipt(&stage, &acme).await;
        logs_a_change(&stage, &acme).await;
    }
    all.sort();
    for limit in [1, 2, 7, 100] {
        let mut found = waiting(&stage, Task::PublishEntries, at(0), limit).await;
        found.retain(|id| all.contains(id));
        assert_eq!(found, all, "by {limit}");
        for task in
            TASKS.into_iter().filter(|task| !matches!(task, Task::PublishEntries | Task::SendMails))
        {
            let mut found = waiting(&stage, task, at(1), limit).await;
            found.retain(|id| all.contains(id));
            assert_eq!(found.len(), 12, "{task:?} by {limit}");
        }
    }
    // The page begins after an identifier that need not belong to an organization.
    let after = Uuid::from_u128(all[5].0.as_u128() + 1).into();
    let some = stage
        .ports
        .backlog
        .organizations(Task::PublishEntries, at(0), Some(after), 1_000)
        .await
        .unwrap();
    let ours: Vec<_> = some.iter().filter(|id| all.contains(id)).collect();
    let behind: Vec<_> = all.iter().filter(|id| **id > after).collect();
    assert_eq!(ours, behind);
    assert!(some.iter().all(|id| *id > after));
    for task in TASKS {
        assert_eq!(
            stage
                .ports
                .backlog
                .organizations(task, at(0), Some(Uuid::max().into()), 10)
                .await
                .unwrap(),
            []
        );
    }
}

pub async fn a_deleted_organization_has_nothing_to_do(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(User { is_subscribed: true, ..acme.user() });
    acme.add(scheduled(&acme, at(0)));
    acme.add(acme.post());
    acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    announce(&stage, &acme).await;
    write_mails(&stage, acme.id(), at(0), 10).await;
    announce(&stage, &acme).await;
    sends(&stage, &acme).await;
    deletes_a_tag(&stage, &acme).await;
    keeps_a_receipt(&stage, &acme).await;
    logs_a_change(&stage, &acme).await;
    for task in TASKS {
        assert!(waiting(&stage, task, Time::MAX, 100).await.contains(&acme.id()), "{task:?}");
    }
    delete_organization(&stage.ports, acme.id()).await;
    for task in TASKS.into_iter().chain([Task::EraseDeleted]) {
        assert!(!waiting(&stage, task, Time::MAX, 100).await.contains(&acme.id()), "{task:?}");
    }
}
