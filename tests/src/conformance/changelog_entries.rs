//! `ChangelogEntryRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{Stage, behind, first_page, inventory, make, others, walk, walk_while, write_mails};
use crate::build::{Imported, OfKind, Tenant, at, slug};
use crate::system::fresh;
use futures_util::future::join_all;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryFilter, EntrySort, EntryStatus, EntryType, Publication, ScheduledEntry,
};
use hearback_domain::id::{ChangelogEntryId, LabelId, OrganizationId};
use hearback_domain::label::Label;
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::Limit;
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// All entries that a filter lets through, of one page.
async fn listed(
    stage: &Stage,
    organization: OrganizationId,
    filter: EntryFilter,
    sort: EntrySort,
) -> Vec<ChangelogEntry> {
    let page = stage
        .ports
        .changelog_entries
        .page(organization, filter, sort, 0, first_page())
        .await
        .unwrap();
    assert_eq!(page.next, None);
    page.items
}

/// The order of a list, which entries are to be in.
fn sorted(mut entries: Vec<ChangelogEntry>, sort: EntrySort) -> Vec<ChangelogEntry> {
    match sort {
        EntrySort::Newest => entries.sort_by_key(|entry| Reverse((entry.created_at, entry.id))),
        EntrySort::Oldest => entries.sort_by_key(|entry| (entry.created_at, entry.id)),
        // A time that is missing is less than all others.
        EntrySort::Published => {
            entries.sort_by_key(|entry| Reverse((entry.published_at, entry.id)))
        }
    }
    entries
}

fn key(entry: &ChangelogEntry, sort: EntrySort) -> ByOptionalTime {
    ByOptionalTime { at: sort.time(entry), id: entry.id.0 }
}

/// An organization with entries of few different times, so that identifiers decide, of which every third was never published.
async fn crowd(stage: &Stage, entries: i64) -> Imported {
    let mut acme = Tenant::new();
    let dated = |n| {
        let published_at = (n % 3 > 0).then(|| at(n % 4));
        let status = if n % 2 == 0 || published_at.is_none() {
            EntryStatus::Draft
        } else {
            EntryStatus::Published
        };
        ChangelogEntry { status, created_at: at(n % 5), published_at, ..acme.entry() }
    };
    acme.add_backwards((0..entries).map(dated).collect());
    acme.import(&stage.ports).await
}

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

/// The entry as it is in the store, active or not.
async fn stored(
    stage: &Stage,
    organization: OrganizationId,
    id: ChangelogEntryId,
) -> Option<ChangelogEntry> {
    let records = super::export_all(&stage.ports, organization).await;
    records.iter().filter_map(ChangelogEntry::of_record).find(|entry| entry.id == id).cloned()
}

/// The entries that have a mailing, if somebody there receives mail; their mails are written.
async fn mailed(stage: &Stage, organization: OrganizationId) -> BTreeSet<ChangelogEntryId> {
    write_mails(stage, organization, at(0), 100).await;
    stage.probe.mails(organization).await.into_keys().map(|(entry, _)| entry).collect()
}

pub async fn an_entry_is_listed_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let mut labels: Vec<LabelId> =
        (0..12).map(|n| acme.add(Label { is_active: n % 3 != 0, ..acme.label() }).id).collect();
    labels.reverse();
    labels.swap(2, 7);
    let author = acme.add(User { is_active: false, ..acme.user() });
    let bare = acme.add(ChangelogEntry { created_at: at(2), ..acme.entry() });
    let rich = acme.add(ChangelogEntry {
        title: "Größe 😀 \"quoted\" \\ \u{ffff}".to_owned(),
        content: "# Heading\r\n\t<b>".to_owned(),
        show_on_portal: false,
        featured_image_url: Some("https://example.com/ä.png".to_owned()),
        author_id: Some(author.user_id),
        scheduled_at: Some(Time::MIN),
        entry_type: Some(EntryType::Improvement),
        label_ids: labels.clone(),
        notify: true,
        created_at: at(1),
        updated_at: Time::MAX,
        ..published(&acme, Time::MIN)
    });
    let other = acme.add(ChangelogEntry {
        label_ids: vec![labels[3], labels[9]],
        created_at: at(0),
        ..acme.entry()
    });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(
        listed(&stage, acme.id(), EntryFilter::default(), EntrySort::Newest).await,
        [bare, rich, other]
    );
}

pub async fn entries_in_every_state_are_listed_inactive_ones_are_not(stage: Stage) {
    let mut acme = Tenant::new();
    let mut expected = Vec::new();
    for entry in [acme.entry(), published(&acme, at(0)), scheduled(&acme, at(0))] {
        for show_on_portal in [true, false] {
            let id = fresh::<Uuid>();
            let entry =
                ChangelogEntry { id: id.into(), slug: slug(id), show_on_portal, ..entry.clone() };
            expected.push(acme.add(entry));
        }
        let id = fresh::<Uuid>();
        acme.add(ChangelogEntry { id: id.into(), slug: slug(id), is_active: false, ..entry });
    }
    let acme = acme.import(&stage.ports).await;
    for &sort in EntrySort::ALL {
        let found = listed(&stage, acme.id(), EntryFilter::default(), sort).await;
        assert_eq!(found, sorted(expected.clone(), sort), "{sort:?}");
    }
}

pub async fn entries_are_listed_in_each_order_and_of_one_time_by_id(stage: Stage) {
    let mut acme = Tenant::new();
    let times = [Time::MIN, at(-1), at(0), at(0), at(0), at(1), Time::MAX, Time::MAX];
    let dated = |(n, created_at)| {
        let published_at = times.iter().rev().cycle().nth(3 * n).copied().filter(|_| n % 3 > 0);
        ChangelogEntry { created_at, published_at, ..acme.entry() }
    };
    acme.add_backwards(times.into_iter().chain(times).enumerate().map(dated).collect());
    let acme = acme.import(&stage.ports).await;
    for &sort in EntrySort::ALL {
        let expected = sorted(acme.all(), sort);
        assert_eq!(
            listed(&stage, acme.id(), EntryFilter::default(), sort).await,
            expected,
            "{sort:?}"
        );
        for limit in [1, 2, 3, 15, 16] {
            let page = async |request| {
                stage
                    .ports
                    .changelog_entries
                    .page(acme.id(), EntryFilter::default(), sort, 0, request)
                    .await
            };
            assert_eq!(walk(limit, page).await, expected, "{sort:?} by {limit}");
        }
    }
}

pub async fn a_page_of_entries_tells_where_the_next_one_begins(stage: Stage) {
    let acme = crowd(&stage, 7).await;
    for &sort in EntrySort::ALL {
        let all = sorted(acme.all(), sort);
        for limit in 1..=8 {
            let request = PageRequest { after: None, limit: Limit::new(limit).unwrap() };
            let page = stage
                .ports
                .changelog_entries
                .page(acme.id(), EntryFilter::default(), sort, 0, request)
                .await
                .unwrap();
            let expected: Vec<_> = all.iter().take(limit as usize).cloned().collect();
            let next = (expected.len() < all.len()).then(|| key(&all[expected.len() - 1], sort));
            assert_eq!(page, Page { items: expected, next }, "{sort:?} by {limit}");
        }
    }
}

pub async fn a_page_of_entries_begins_behind_a_place_where_no_entry_is(stage: Stage) {
    let acme = crowd(&stage, 30).await;
    for &sort in EntrySort::ALL {
        let all = sorted(acme.all(), sort);
        let mut places = vec![
            Some(Time::MIN),
            Some(at(0)),
            Some(at(2)),
            Some(at(3)),
            Some(at(-1)),
            Some(Time::MAX),
        ];
        if sort == EntrySort::Published {
            places.push(None);
        }
        for time in places {
            for id in [Uuid::nil(), all[10].id.0, all[20].id.0, fresh(), Uuid::max()] {
                let after = ByOptionalTime { at: time, id };
                let page = stage.ports.changelog_entries.page(
                    acme.id(),
                    EntryFilter::default(),
                    sort,
                    0,
                    behind(after),
                );
                let is_behind = |entry: &&ChangelogEntry| {
                    let place = (sort.time(entry), entry.id.0);
                    if sort == EntrySort::Oldest { place > (time, id) } else { place < (time, id) }
                };
                let expected: Vec<_> = all.iter().filter(is_behind).cloned().collect();
                assert_eq!(page.await.unwrap().items, expected, "{sort:?} behind {after:?}");
            }
        }
    }
}

pub async fn a_walk_over_entries_shows_each_once_whatever_is_written_meanwhile(stage: Stage) {
    let acme = crowd(&stage, 20).await;
    for &sort in EntrySort::ALL {
        for limit in [2, 5, 19] {
            let page = async |request| {
                stage
                    .ports
                    .changelog_entries
                    .page(acme.id(), EntryFilter::default(), sort, 0, request)
                    .await
            };
            // Before, between and behind the others.
            let meanwhile = async || {
                let new = [at(-5), at(1), at(5)]
                    .map(|time| ChangelogEntry { created_at: time, ..published(&acme, time) });
                acme.append(&stage.ports, [&new[..], &[acme.entry()]].concat()).await;
            };
            let walked = walk_while(limit, page, meanwhile).await;
            let first = acme.all::<ChangelogEntry>();
            assert!(
                first.iter().all(|entry| walked.contains(entry)),
                "{sort:?} by {limit}: none is skipped"
            );
            assert_eq!(walked, sorted(walked.clone(), sort), "{sort:?} by {limit}");
            let ids: BTreeSet<_> = walked.iter().map(|entry| entry.id).collect();
            assert_eq!(ids.len(), walked.len(), "{sort:?} by {limit}: none is shown twice");
        }
    }
}

pub async fn a_list_of_entries_is_of_a_type_with_at_least_one_of_the_labels_or_both(stage: Stage) {
    let mut acme = Tenant::new();
    let labels = [acme.label(), acme.label(), acme.label()].map(|label| acme.add(label).id);
    for n in 0..48_usize {
        let entry_type = [None, Some(EntryType::Fixed), Some(EntryType::New)][n % 3];
        // Each set of labels, in either order.
        let mut label_ids: Vec<LabelId> =
            (0..3).filter(|bit| n >> bit & 1 == 1).map(|bit| labels[bit]).collect();
        if n % 5 == 0 {
            label_ids.reverse();
        }
        let published_at = (n % 4 > 0).then(|| at(n as i64 % 4));
        acme.add(ChangelogEntry {
            entry_type,
            label_ids,
            published_at,
            created_at: at(n as i64 / 6),
            ..acme.entry()
        });
    }
    let acme = acme.import(&stage.ports).await;
    // More than a statement of any database takes as parameters.
    let mut many: Vec<LabelId> = (0..70_000).map(|_| fresh()).collect();
    many.insert(1_000, labels[1]);
    let filter = EntryFilter { label_ids: many.clone(), ..EntryFilter::default() };
    let found = listed(&stage, acme.id(), filter, EntrySort::Newest).await;
    assert!(found.len() == 24 && found.iter().all(|entry| entry.label_ids.contains(&labels[1])));
    let wanted = [
        vec![],
        vec![labels[0]],
        vec![labels[2], labels[1]],
        labels.to_vec(),
        vec![fresh()],
        vec![fresh(), labels[1]],
    ];
    for label_ids in wanted {
        for entry_type in [None, Some(EntryType::New), Some(EntryType::Improvement)] {
            let filter = EntryFilter { entry_type, label_ids: label_ids.clone() };
            let fits = |entry: &ChangelogEntry| {
                (entry_type.is_none() || entry.entry_type == entry_type)
                    && (label_ids.is_empty()
                        || entry.label_ids.iter().any(|id| label_ids.contains(id)))
            };
            for &sort in EntrySort::ALL {
                let expected = sorted(acme.all().into_iter().filter(fits).collect(), sort);
                for limit in [2, 7, 100] {
                    let page = async |request| {
                        stage
                            .ports
                            .changelog_entries
                            .page(acme.id(), filter.clone(), sort, 0, request)
                            .await
                    };
                    assert_eq!(walk(limit, page).await, expected, "{filter:?} {sort:?} by {limit}");
                }
            }
        }
    }
}

pub async fn a_list_of_entries_leaves_out_as_many_as_are_to_be_skipped(stage: Stage) {
    let mut acme = Tenant::new();
    let label = acme.add(acme.label()).id;
    for n in 0..11 {
        let label_ids = if n % 2 == 0 { vec![label] } else { vec![] };
        let published_at = (n % 3 > 0).then(|| at(n % 4));
        acme.add(ChangelogEntry { label_ids, created_at: at(n % 3), published_at, ..acme.entry() });
    }
    let acme = acme.import(&stage.ports).await;
    let labelled = EntryFilter { label_ids: vec![label], ..EntryFilter::default() };
    for (filter, fits) in [(EntryFilter::default(), 1), (labelled, 2)] {
        for &sort in EntrySort::ALL {
            let all: Vec<_> = acme.all::<ChangelogEntry>().into_iter().step_by(fits).collect();
            let all = sorted(all, sort);
            for skip in 0..13 {
                for limit in [1, 4, 100] {
                    let request = PageRequest { after: None, limit: Limit::new(limit).unwrap() };
                    let page = stage
                        .ports
                        .changelog_entries
                        .page(acme.id(), filter.clone(), sort, skip, request)
                        .await
                        .unwrap();
                    let rest: Vec<_> = all.iter().skip(skip as usize).cloned().collect();
                    let items: Vec<_> = rest.iter().take(limit as usize).cloned().collect();
                    let next =
                        (items.len() < rest.len()).then(|| key(&items[items.len() - 1], sort));
                    assert_eq!(
                        page,
                        Page { items, next },
                        "{filter:?} {sort:?} without {skip} by {limit}"
                    );
                }
            }
            let page = stage.ports.changelog_entries.page(
                acme.id(),
                filter.clone(),
                sort,
                i64::MAX as u64,
                first_page(),
            );
            assert_eq!(page.await.unwrap().items, [], "{sort:?}");
        }
    }
}

pub async fn another_organizations_entries_are_as_unknown_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let label = acme.add(acme.label());
    acme.add(ChangelogEntry { label_ids: vec![label.id], ..scheduled(&acme, at(0)) });
    let _acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    for organization in [globex.id(), fresh()] {
        for &sort in EntrySort::ALL {
            for label_ids in [vec![], vec![label.id]] {
                let filter = EntryFilter { label_ids, ..EntryFilter::default() };
                assert_eq!(listed(&stage, organization, filter, sort).await, []);
            }
        }
        assert_eq!(
            stage.ports.changelog_entries.due(organization, Time::MAX, 10).await.unwrap(),
            []
        );
    }
}

pub async fn a_new_entry_has_a_mailing_only_if_it_is_announced(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(User { is_subscribed: true, ..acme.user() });
    // What is imported is nobody told of.
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

pub async fn what_is_due_is_told_never_a_millisecond_early_and_earliest_first(stage: Stage) {
    let mut acme = Tenant::new();
    let times = [at(5), Time::MIN, at(5), at(6), at(4), at(5), Time::MAX];
    acme.add_backwards(times.map(|time| scheduled(&acme, time)).to_vec());
    acme.add(ChangelogEntry { notify: false, show_on_portal: false, ..scheduled(&acme, at(3)) });
    let mut expected: Vec<ScheduledEntry> =
        acme.all::<ChangelogEntry>().iter().map(of_entry).collect();
    expected.sort_by_key(|entry| (entry.scheduled_at, entry.id));
    // None of these waits for its time.
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

/// Publishes, again while the store says that others were faster, which a cautious store may say of nobody.
async fn publish(
    stage: &Stage,
    organization: OrganizationId,
    publications: &[Publication],
    expected: usize,
) {
    let deadline = Instant::now() + Duration::from_secs(10);
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

pub async fn only_what_is_scheduled_active_and_due_is_published(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(User { is_subscribed: true, ..acme.user() });
    let waiting = acme.add(scheduled(&acme, at(0)));
    let others = [
        ChangelogEntry { is_active: false, ..scheduled(&acme, at(0)) },
        // Put off since it was found due.
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

    // Among them one that is still waiting, and is published once.
    let mut all = publications;
    all.insert(1, publication(waiting.id));
    publish(&stage, acme.id(), &all, 1).await;
    assert_eq!(stage.ports.changelog_entries.publish(acme.id(), all).await.unwrap(), 0);
    for entry in others {
        assert_eq!(stored(&stage, acme.id(), entry.id).await, Some(entry));
    }
    assert_eq!(mailed(&stage, acme.id()).await, BTreeSet::from([waiting.id]));
}

pub async fn another_organizations_entries_are_not_published(stage: Stage) {
    let mut acme = Tenant::new();
    let entry = acme.add(scheduled(&acme, at(0)));
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    let publications = vec![Publication { id: entry.id, at: at(1), is_announced: true }];
    // In the opposite organization the entry is inactive.
    for organization in [globex.id(), acme.opposite().id(), fresh()] {
        assert_eq!(
            stage
                .ports
                .changelog_entries
                .publish(organization, publications.clone())
                .await
                .unwrap(),
            0
        );
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
    for entry in listed(&stage, acme.id(), EntryFilter::default(), EntrySort::Published).await {
        assert_eq!(entry.status, EntryStatus::Published);
        assert_eq!(entry.published_at, Some(entry.updated_at));
        assert!((at(100)..=at(102)).contains(&entry.updated_at));
    }
    assert_eq!(mailed(&stage, acme.id()).await.len(), ENTRIES / 2);
}
