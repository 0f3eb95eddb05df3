//! The use of the help center: counted in memory, and stored in batches.

use crate::backlog::Progress;
use hearback_domain::counted::{Count, Counted};
use hearback_domain::daily_count::Day;
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::missed_search::{MOST_SEARCHES, MissedSearch};
use hearback_ports::{Change, Ports};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

/// A use of the help center, as its page counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Used {
    /// A view of an article.
    View(HelpArticleId),
    /// A search that has found nothing.
    Missed(MissedSearch),
}

/// The use of the help center that is not stored yet.
///
/// It costs its request no statement. A process that is killed loses what came since the last
/// batch. Views and searches are counted without cookies: a reader who comes again counts again.
#[derive(Debug, Default)]
pub struct HelpUse(Mutex<HashMap<OrganizationId, Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    views: HashMap<HelpArticleId, i64>,
    misses: BTreeMap<MissedSearch, i64>,
}

impl HelpUse {
    /// Counts a view, or a search that has found nothing.
    pub fn count(&self, organization: OrganizationId, used: Used) {
        self.add(organization, used, 1);
    }

    fn add(&self, organization: OrganizationId, used: Used, number: i64) {
        // Each addition is one step, so a panic elsewhere leaves the map intact.
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Waiting { views, misses } = waiting.entry(organization).or_default();
        match used {
            Used::View(article) => *views.entry(article).or_default() += number,
            // A program that searches for anything does not fill the memory.
            Used::Missed(search) if misses.len() < MOST_WAITING || misses.contains_key(&search) => {
                *misses.entry(search).or_default() += number;
            }
            Used::Missed(_) => {}
        }
    }

    /// Stores the use so far: the views in changes of up to 500 articles, and the searches under
    /// the present day. A part that the store does not take waits for the next call. An article
    /// itself does not change: an edit neither fails nor begins again because of a view. The next
    /// call is due after a pause, so nothing counts as done.
    pub async fn store(&self, ports: &Ports) -> Progress {
        let waiting = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut progress = Progress::default();
        for (organization, Waiting { views, misses }) in waiting {
            let views: Vec<_> = views.into_iter().collect();
            for part in views.chunks(PART) {
                let counts: Counted = part
                    .iter()
                    .map(|(article, number)| ((article.0, Count::Views), *number))
                    .collect();
                let change = Change { counts, ..Change::at(ports.clock.now()) };
                // The store has nothing to refuse: the change has neither steps nor needs.
                if let Err(failure) = ports.records.apply(organization, change).await {
                    progress.failures.push(failure.into());
                    for (article, number) in part {
                        self.add(organization, Used::View(*article), *number);
                    }
                }
            }
            if misses.is_empty() {
                continue;
            }
            let (today, all) = (Day::of(ports.clock.now()), misses.clone());
            let added = ports.counts.add_misses(organization, today, all, MOST_SEARCHES).await;
            if let Err(failure) = added {
                progress.failures.push(failure.into());
                for (search, number) in misses {
                    self.add(organization, Used::Missed(search), number);
                }
            }
        }
        progress
    }
}

/// The most articles of a change.
const PART: usize = 500;

/// The most different searches of an organization that wait to be stored.
const MOST_WAITING: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::mock::Mocks;
    use hearback_ports::{Recorded, StoreError};

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn article(n: u128) -> HelpArticleId {
        Uuid::from_u128(n).into()
    }

    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks
    }

    #[tokio::test]
    async fn views_are_stored_once_in_one_change_of_counts() {
        let views = HelpUse::default();
        for n in [7, 8, 7] {
            views.count(ACME, Used::View(article(n)));
        }
        let mut mocks = mocks();
        mocks.records.expect_apply().once().returning(|organization, change| {
            let key = |n| (Uuid::from_u128(n), Count::Views);
            let expected =
                Change { counts: [(key(7), 2), (key(8), 1)].into(), ..Change::at(Time::MIN) };
            assert_eq!((organization, change), (ACME, expected));
            Ok(Recorded::Done)
        });
        let ports = mocks.ports();
        for _ in 0..2 {
            assert!(views.store(&ports).await.failures.is_empty());
        }
    }

    #[tokio::test]
    async fn views_wait_if_the_store_fails() {
        let views = HelpUse::default();
        views.count(ACME, Used::View(article(7)));
        let mut failing = mocks();
        failing.records.expect_apply().once().returning(|_, _| Err(StoreError::Busy));
        assert_eq!(views.store(&failing.ports()).await.failures.len(), 1);
        views.count(ACME, Used::View(article(7)));
        let mut mocks = mocks();
        mocks.records.expect_apply().once().returning(|_, change| {
            assert_eq!(change.counts, [((Uuid::from_u128(7), Count::Views), 2)].into());
            Ok(Recorded::Done)
        });
        assert!(views.store(&mocks.ports()).await.failures.is_empty());
    }

    fn missed(text: &str) -> (MissedSearch, i64) {
        (MissedSearch::new(text).unwrap(), 1)
    }

    #[tokio::test]
    async fn searches_are_stored_under_the_present_day_and_wait_if_the_store_fails() {
        let searches = HelpUse::default();
        let search = |text| searches.count(ACME, Used::Missed(missed(text).0));
        ["VPN", "proxy"].into_iter().for_each(search);
        let mut failing = mocks();
        failing.counts.expect_add_misses().once().returning(|_, _, _, _| Err(StoreError::Busy));
        assert_eq!(searches.store(&failing.ports()).await.failures.len(), 1);
        search("vpn");
        let mut mocks = mocks();
        mocks.counts.expect_add_misses().once().returning(|organization, day, misses, most| {
            let expected = BTreeMap::from([missed("proxy"), (missed("vpn").0, 2)]);
            assert_eq!((organization, day, misses), (ACME, Day::of(Time::MIN), expected));
            assert_eq!(most, MOST_SEARCHES);
            Ok(())
        });
        let ports = mocks.ports();
        for _ in 0..2 {
            assert!(searches.store(&ports).await.failures.is_empty());
        }
    }

    #[test]
    fn no_more_different_searches_wait_than_the_most() {
        let searches = HelpUse::default();
        for n in (0..2 * MOST_WAITING).chain([0]) {
            searches.count(ACME, Used::Missed(missed(&n.to_string()).0));
        }
        let waiting = searches.0.lock().unwrap();
        let misses = &waiting[&ACME].misses;
        assert_eq!((misses.len(), misses[&missed("0").0]), (MOST_WAITING, 2));
    }
}
