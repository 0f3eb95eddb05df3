//! `ChangelogEntryRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::lists::entries;
use super::{Stage, change, export_all, first_page, make, write_mails};
use crate::build::{OfKind, Tenant, at};
use crate::system::{fresh, patiently};
use futures_util::future::join_all;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryDetails, EntryFilter, EntrySort, EntryStatus,
};
use hearback_domain::id::{ChangelogEntryId, LabelId, OrganizationId};
use hearback_domain::record::{Kind, Step};
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use hearback_ports::{Limit, Recorded};
use std::collections::BTreeSet;

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
    assert_eq!(page.await.unwrap().items, [EntryDetails { entry, post_ids: vec![] }]);
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
                let next = last.map(|EntryDetails { entry, .. }| ByOptionalTime {
                    at: sort.time(entry),
                    id: entry.id.0,
                });
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
    let mut expected = acme.all::<ChangelogEntry>();
    expected.sort_by_key(|entry| (entry.scheduled_at, entry.id));
    // None of these entries waits for its time.
    acme.add(ChangelogEntry { is_active: false, ..scheduled(&acme, at(0)) });
    acme.add(ChangelogEntry { scheduled_at: Some(at(0)), ..acme.entry() });
    acme.add(ChangelogEntry { scheduled_at: Some(at(0)), ..published(&acme, at(0)) });
    let acme = acme.import(&stage.ports).await;
    for now in
        [Time::MIN, at(2), at(3), at(4), at(5), at(6), at(7), Time::MAX.plus_millis(-1), Time::MAX]
    {
        let due = expected.iter().filter(|entry| entry.scheduled_at <= Some(now));
        let due: Vec<_> = due.map(|entry| entry.id).collect();
        for limit in [1, 2, 4, 100] {
            let found = stage.ports.changelog_entries.due(acme.id(), now, limit).await.unwrap();
            let first: Vec<_> = due.iter().copied().take(limit as usize).collect();
            assert_eq!(found, first, "{limit} at {now}");
        }
    }
}

/// Publishes up to `limit` entries that are due, as the background step does. Returns their number.
pub(crate) async fn publish(
    stage: &Stage,
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> usize {
    let due = stage.ports.changelog_entries.due(organization, now, limit).await.unwrap();
    let keys = due.iter().map(|entry| (Kind::ChangelogEntry, entry.0)).collect();
    let known = stage.ports.records.load(organization, keys).await.unwrap();
    let mut count = 0;
    for before in due.into_iter().filter_map(|id| known.active::<ChangelogEntry>(id)) {
        let Some(after) = before.clone().published_if_due(now) else { continue };
        let change = change(vec![Step::edit(before.clone(), after, now)], now);
        let recorded = patiently(|| stage.ports.records.apply(organization, change.clone())).await;
        count += usize::from(recorded == Recorded::Done);
    }
    count
}

pub async fn another_organizations_entries_are_not_due(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(scheduled(&acme, at(0)));
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    // The opposite's entry is inactive.
    for organization in [globex.id(), acme.opposite().id(), fresh()] {
        let due = stage.ports.changelog_entries.due(organization, Time::MAX, 10).await;
        assert_eq!(due.unwrap(), []);
    }
}

pub async fn an_entry_shows_its_links_in_their_order(stage: Stage) {
    let mut acme = Tenant::new();
    let posts = [acme.post(), acme.post(), acme.post()].map(|post| acme.add(post));
    let [entry, other] = [acme.entry(), acme.entry()].map(|entry| acme.add(entry));
    let links = [2, 0].map(|n: usize| acme.add(acme.entry_link(&entry, &posts[n])));
    acme.add(acme.entry_link(&other, &posts[1]));
    let deleted = acme.add(ChangelogEntry { is_active: false, ..acme.entry() });
    let acme = acme.import(&stage.ports).await;
    let entries = &stage.ports.changelog_entries;
    let found = entries.find(acme.id(), entry.id).await.unwrap();
    let post_ids = vec![posts[2].id, posts[0].id];
    assert_eq!(found, Some(EntryDetails { entry: entry.clone(), post_ids }));
    assert_eq!(entries.links(acme.id(), entry.id).await.unwrap(), links);
    for id in [deleted.id, fresh()] {
        assert_eq!(entries.find(acme.id(), id).await.unwrap(), None);
        assert_eq!(entries.links(acme.id(), id).await.unwrap(), []);
    }
    let globex = Tenant::new().import(&stage.ports).await;
    assert_eq!(entries.find(globex.id(), entry.id).await.unwrap(), None);
    assert_eq!(entries.links(globex.id(), entry.id).await.unwrap(), []);
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
        while !stage.ports.changelog_entries.due(acme.id(), now, 1).await.unwrap().is_empty() {
            count += publish(&stage, acme.id(), now, 9).await;
        }
        count
    };
    let counts = join_all((0..3).map(scheduler)).await;
    assert_eq!(counts.iter().sum::<usize>(), ENTRIES, "{counts:?}");
    let records = export_all(&stage.ports, acme.id()).await;
    for entry in records.iter().filter_map(ChangelogEntry::of_record) {
        assert_eq!(entry.status, EntryStatus::Published);
        let published_at = entry.published_at.unwrap();
        assert!((at(100)..=at(102)).contains(&published_at) && entry.updated_at >= published_at);
    }
    assert_eq!(mailed(&stage, acme.id()).await.len(), ENTRIES / 2);
}
