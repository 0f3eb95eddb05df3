//! `ChangelogEntryRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::lists::entries;
use super::{Stage, export_all, first_page, inventory, make, others, write_mails};
use crate::build::{OfKind, Tenant, at};
use crate::system::{deadline, fresh};
use futures_util::future::join_all;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryFilter, EntrySort, EntryStatus, Publication, ScheduledEntry,
};
use hearback_domain::id::{ChangelogEntryId, LabelId, OrganizationId};
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::Limit;
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use std::collections::BTreeSet;
use std::time::Instant;

fn published(tenant: &Tenant, published_at: Time) -> ChangelogEntry {
    ChangelogEntry {
        status: EntryStatus::Published,
        published_at: Some(published_at),
        ..tenant.entry()
    }
}

fn scheduled(tenant: &Tenant, scheduled_at: Time) -> ChangelogEntry {
    ChangelogEntry {
        status: EntryStatus::Scheduled,
        scheduled_at: Some(scheduled_at),
        notify: true,
        ..tenant.entry()
    }
}

/// The entry in the store, active or not.
async fn stored(
    stage: &Stage,
    organization: OrganizationId,
    id: ChangelogEntryId,
) -> Option<ChangelogEntry> {
    let records = export_all(&stage.ports, organization).await;
    records.iter().filter_map(ChangelogEntry::of_record).find(|entry| entry.id == id).cloned()
}

/// The entries that have a mailing, if the organization has a recipient. Writes their mails.
async fn mailed(stage: &Stage, organization: OrganizationId) -> BTreeSet<ChangelogEntryId> {
    write_mails(stage, organization, at(0), 100).await;
    stage.probe.mails(organization).await.into_keys().map(|(mailing, _)| mailing.0.into()).collect()
}

pub async fn a_list_of_entries_is_of_any_number_of_labels(stage: Stage) {
    let mut acme = Tenant::new();
    let [label, other] = [acme.label(), acme.label()].map(|label| acme.add(label).id);
    let entry = acme.add(ChangelogEntry { label_ids: vec![other, label], ..acme.entry() });
    acme.add(ChangelogEntry { label_ids: vec![other], ..acme.entry() });
    let acme = acme.import(&stage.ports).await;
    // More labels than a statement of any database takes as parameters.
    let mut label_ids: Vec<LabelId> = (0..70_000).map(|_| fresh()).collect();
    label_ids.insert(1_000, label);
    let filter = EntryFilter { label_ids, ..EntryFilter::default() };
    let page =
        stage.ports.changelog_entries.page(acme.id(), filter, EntrySort::Newest, 0, first_page());
    assert_eq!(page.await.unwrap().items, [entry]);
}

pub async fn a_list_of_entries_leaves_out_the_skipped_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let label = acme.add(acme.label()).id;
    for n in 0..11 {
        let label_ids = if n % 2 == 0 { vec![label] } else { vec![] };
        let published_at = (n % 3 > 0).then(|| at(n % 4));
        acme.add(ChangelogEntry { label_ids, created_at: at(n % 3), published_at, ..acme.entry() });
    }
    let acme = acme.import(&stage.ports).await;
    let labelled = EntryFilter { label_ids: vec![label], ..EntryFilter::default() };
    for filter in [EntryFilter::default(), labelled] {
        for &sort in EntrySort::ALL {
            let page = async |skip, request| {
                let (entries, filter) = (&stage.ports.changelog_entries, filter.clone());
                entries.page(acme.id(), filter, sort, skip, request).await.unwrap()
            };
            let all = entries(&acme, &filter, sort);
            for (skip, limit) in (0..13).flat_map(|skip| [1, 4, 100].map(|limit| (skip, limit))) {
                let limit = Limit::new(limit).unwrap();
                let rest = &all[all.len().min(skip)..];
                let items = rest[..rest.len().min(limit.get())].to_vec();
                let last = items.last().filter(|_| items.len() < rest.len());
                let next = last.map(|last| ByOptionalTime { at: sort.time(last), id: last.id.0 });
                let found = page(skip as u64, PageRequest { after: None, limit }).await;
                assert_eq!(found, Page { items, next }, "{sort:?} without {skip} by {limit:?}");
            }
            assert_eq!(page(i64::MAX as u64, first_page()).await.items, []);
        }
    }
}

pub async fn a_new_entry_has_a_mailing_only_if_it_is_announced(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(User { is_subscribed: true, ..acme.user() });
    // An imported entry has no mailing.
    acme.add(ChangelogEntry { notify: true, ..published(&acme, at(0)) });
    let acme = acme.import(&stage.ports).await;
    let mut announced = BTreeSet::new();
    for notify in [true, false] {
        for show_on_portal in [true, false] {
            for entry in [acme.entry(), published(&acme, at(0)), scheduled(&acme, at(0))] {
                let entry = ChangelogEntry { notify, show_on_portal, ..entry };
                make(&stage, acme.id(), entry.clone()).await;
                announced.extend(entry.is_announced().then_some(entry.id));
            }
        }
    }
    assert_eq!(announced.len(), 1);
    assert_eq!(mailed(&stage, acme.id()).await, announced);
    for other in [acme.twin().id(), acme.opposite().id()] {
        assert_eq!(mailed(&stage, other).await, BTreeSet::new());
    }
}

pub async fn due_entries_are_found_never_a_millisecond_early_and_earliest_first(stage: Stage) {
    let mut acme = Tenant::new();
    let times = [at(5), Time::MIN, at(5), at(6), at(4), at(5), Time::MAX];
    acme.add_backwards(times.map(|time| scheduled(&acme, time)).to_vec());
    acme.add(ChangelogEntry { notify: false, show_on_portal: false, ..scheduled(&acme, at(3)) });
    let mut expected: Vec<ScheduledEntry> =
        acme.all::<ChangelogEntry>().iter().map(of_entry).collect();
    expected.sort_by_key(|entry| (entry.scheduled_at, entry.id));
    // None of these entries waits for its time.
    acme.add(ChangelogEntry { is_active: false, ..scheduled(&acme, at(0)) });
    acme.add(ChangelogEntry { scheduled_at: Some(at(0)), ..acme.entry() });
    acme.add(ChangelogEntry { scheduled_at: Some(at(0)), ..published(&acme, at(0)) });
    let acme = acme.import(&stage.ports).await;
    for now in
        [Time::MIN, at(2), at(3), at(4), at(5), at(6), at(7), Time::MAX.plus_millis(-1), Time::MAX]
    {
        let due: Vec<_> =
            expected.iter().copied().filter(|entry| entry.scheduled_at <= now).collect();
        for limit in [1, 2, 4, 100] {
            let found = stage.ports.changelog_entries.due(acme.id(), now, limit).await.unwrap();
            let first: Vec<_> = due.iter().copied().take(limit as usize).collect();
            assert_eq!(found, first, "{limit} at {now}");
        }
    }
}

fn of_entry(entry: &ChangelogEntry) -> ScheduledEntry {
    let ChangelogEntry { id, scheduled_at, notify, show_on_portal, .. } = *entry;
    ScheduledEntry { id, scheduled_at: scheduled_at.unwrap(), notify, show_on_portal }
}

pub async fn a_publication_changes_state_and_times_and_queues_the_mailing_and_nothing_else(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let label = acme.add(acme.label()).id;
    acme.add(User { is_subscribed: true, ..acme.user() });
    let told = acme.add(ChangelogEntry { label_ids: vec![label], ..scheduled(&acme, at(10)) });
    let silent = acme.add(ChangelogEntry { notify: false, ..scheduled(&acme, at(20)) });
    let waiting = acme.add(scheduled(&acme, at(30)));
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let publications = vec![
        Publication { id: told.id, at: at(100), is_announced: true },
        Publication { id: silent.id, at: at(101), is_announced: false },
    ];
    publish(&stage, acme.id(), &publications, 2).await;
    for (entry, time) in [(&told, at(100)), (&silent, at(101))] {
        let expected = ChangelogEntry {
            status: EntryStatus::Published,
            published_at: Some(time),
            updated_at: time,
            ..(*entry).clone()
        };
        assert_eq!(stored(&stage, acme.id(), entry.id).await, Some(expected));
    }
    assert_eq!(stored(&stage, acme.id(), waiting.id).await, Some(waiting.clone()));
    assert_eq!(
        stage.ports.changelog_entries.due(acme.id(), Time::MAX, 10).await.unwrap(),
        [of_entry(&waiting)]
    );
    assert_eq!(mailed(&stage, acme.id()).await, BTreeSet::from([told.id]));
    assert_eq!(others(&stage, &acme).await, before);
}

/// Publishes entries. Tries again while the store returns `Stale`, which a cautious store may do
/// without a race.
async fn publish(
    stage: &Stage,
    organization: OrganizationId,
    publications: &[Publication],
    expected: usize,
) {
    let deadline = deadline();
    let mut count = 0;
    while count < expected && Instant::now() < deadline {
        count += stage
            .ports
            .changelog_entries
            .publish(organization, publications.to_vec())
            .await
            .unwrap();
    }
    assert_eq!(count, expected);
}

pub async fn only_scheduled_active_and_due_entries_are_published(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(User { is_subscribed: true, ..acme.user() });
    let waiting = acme.add(scheduled(&acme, at(0)));
    let others = [
        ChangelogEntry { is_active: false, ..scheduled(&acme, at(0)) },
        // This entry was rescheduled after it was found due.
        scheduled(&acme, at(101)),
        ChangelogEntry { scheduled_at: Some(at(0)), notify: true, ..acme.entry() },
        ChangelogEntry { scheduled_at: Some(at(0)), notify: true, ..published(&acme, at(0)) },
    ]
    .map(|entry| acme.add(entry));
    let acme = acme.import(&stage.ports).await;
    let publication = |id| Publication { id, at: at(100), is_announced: true };
    let ids = others.iter().map(|entry| entry.id).chain([fresh()]);
    let publications: Vec<_> = ids.map(publication).collect();
    let before = inventory(&stage, acme.id()).await;
    assert_eq!(
        stage.ports.changelog_entries.publish(acme.id(), publications.clone()).await.unwrap(),
        0
    );
    assert_eq!(stage.ports.changelog_entries.publish(acme.id(), vec![]).await.unwrap(), 0);
    assert_eq!(inventory(&stage, acme.id()).await, before);

    // One of these still waits, and is published once.
    let mut all = publications;
    all.insert(1, publication(waiting.id));
    publish(&stage, acme.id(), &all, 1).await;
    assert_eq!(stage.ports.changelog_entries.publish(acme.id(), all).await.unwrap(), 0);
    for entry in others {
        assert_eq!(stored(&stage, acme.id(), entry.id).await, Some(entry));
    }
    assert_eq!(mailed(&stage, acme.id()).await, BTreeSet::from([waiting.id]));
}

pub async fn another_organizations_entries_are_neither_due_nor_published(stage: Stage) {
    let mut acme = Tenant::new();
    let entry = acme.add(scheduled(&acme, at(0)));
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    let publications = vec![Publication { id: entry.id, at: at(1), is_announced: true }];
    // The opposite's entry is inactive.
    for organization in [globex.id(), acme.opposite().id(), fresh()] {
        let entries = &stage.ports.changelog_entries;
        assert_eq!(entries.due(organization, Time::MAX, 10).await.unwrap(), []);
        assert_eq!(entries.publish(organization, publications.clone()).await.unwrap(), 0);
    }
    assert_eq!(inventory(&stage, acme.id()).await, before);
}

pub async fn of_three_schedulers_at_once_exactly_one_publishes_each_entry(stage: Stage) {
    const ENTRIES: usize = 60;
    let mut acme = Tenant::new();
    acme.add(User { is_subscribed: true, ..acme.user() });
    for n in 0..ENTRIES {
        acme.add(ChangelogEntry { notify: n % 2 == 0, ..scheduled(&acme, at(n as i64 % 7)) });
    }
    let acme = acme.import(&stage.ports).await;
    let scheduler = async |number: i64| {
        let (mut count, now) = (0, at(100 + number));
        loop {
            let due = stage.ports.changelog_entries.due(acme.id(), now, 9).await.unwrap();
            if due.is_empty() {
                return count;
            }
            let publications = due.into_iter().filter_map(|entry| entry.publish(now)).collect();
            count += stage.ports.changelog_entries.publish(acme.id(), publications).await.unwrap();
        }
    };
    let counts = join_all((0..3).map(scheduler)).await;
    assert_eq!(counts.iter().sum::<usize>(), ENTRIES, "{counts:?}");
    let records = export_all(&stage.ports, acme.id()).await;
    for entry in records.iter().filter_map(ChangelogEntry::of_record) {
        assert_eq!(entry.status, EntryStatus::Published);
        assert_eq!(entry.published_at, Some(entry.updated_at));
        assert!((at(100)..=at(102)).contains(&entry.updated_at));
    }
    assert_eq!(mailed(&stage, acme.id()).await.len(), ENTRIES / 2);
}
