//! The views of help articles: counted in memory, and stored in batches.

use crate::backlog::Progress;
use hearback_domain::counted::{Count, Counted};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_ports::{Change, Ports};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The views of help articles that are not stored yet.
///
/// A view costs its request no statement. A process that is killed loses the views since the last
/// batch. Views are counted without cookies: a reader who comes again counts again.
#[derive(Debug, Default)]
pub struct ArticleViews(Mutex<HashMap<OrganizationId, HashMap<HelpArticleId, i64>>>);

impl ArticleViews {
    /// Counts a view.
    pub fn count(&self, organization: OrganizationId, article: HelpArticleId) {
        self.add(organization, article, 1);
    }

    fn add(&self, organization: OrganizationId, article: HelpArticleId, views: i64) {
        // Each addition is one step, so a panic elsewhere leaves the map intact.
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting.entry(organization).or_default().entry(article).or_default() += views;
    }

    /// Stores the views so far, in changes of up to 500 articles. The views of a change that fails
    /// wait for the next call. An article itself does not change: an edit neither fails nor begins
    /// again because of a view. The next call is due after a pause, so nothing counts as done.
    pub async fn store(&self, ports: &Ports) -> Progress {
        let waiting = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut progress = Progress::default();
        for (organization, articles) in waiting {
            let articles: Vec<_> = articles.into_iter().collect();
            for part in articles.chunks(PART) {
                let counts: Counted = part
                    .iter()
                    .map(|(article, views)| ((article.0, Count::Views), *views))
                    .collect();
                let change = Change { counts, ..Change::at(ports.clock.now()) };
                // The store has nothing to refuse: the change has neither steps nor needs.
                if let Err(failure) = ports.records.apply(organization, change).await {
                    progress.failures.push(failure.into());
                    for (article, views) in part {
                        self.add(organization, *article, *views);
                    }
                }
            }
        }
        progress
    }
}

/// The most articles of a change.
const PART: usize = 500;

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
        let views = ArticleViews::default();
        for n in [7, 8, 7] {
            views.count(ACME, article(n));
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
        let views = ArticleViews::default();
        views.count(ACME, article(7));
        let mut failing = mocks();
        failing.records.expect_apply().once().returning(|_, _| Err(StoreError::Busy));
        assert_eq!(views.store(&failing.ports()).await.failures.len(), 1);
        views.count(ACME, article(7));
        let mut mocks = mocks();
        mocks.records.expect_apply().once().returning(|_, change| {
            assert_eq!(change.counts, [((Uuid::from_u128(7), Count::Views), 2)].into());
            Ok(Recorded::Done)
        });
        assert!(views.store(&mocks.ports()).await.failures.is_empty());
    }
}
