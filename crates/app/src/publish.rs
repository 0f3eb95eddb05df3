//! The background step that publishes scheduled entries.
//!
//! Only the wall clock decides if an entry is due. It is read for each batch, and becomes the
//! `published_at` of the entries. So no entry is published before its time, even if the clock
//! jumps, and the next round sees a jump. Several processes may run the step at once: the store
//! publishes an entry for one of them.

use crate::backlog::{Progress, Round, StepError};
use hearback_domain::changelog_entry::ScheduledEntry;
use hearback_domain::id::OrganizationId;
use hearback_ports::Ports;
use hearback_ports::backlog::Task;

/// Publishes a batch of the due entries of each organization, so that no organization waits for all
/// of another, and queues the mailings of announced entries. More may be due if it did anything.
pub async fn publish_due_entries(ports: &Ports) -> Progress {
    let mut round = Round::new(ports, Task::PublishEntries);
    while let Some(organization) = round.next().await {
        let result = publish_of(ports, organization, &mut round.progress).await;
        round.keep(result);
    }
    round.progress
}

async fn publish_of(
    ports: &Ports,
    organization: OrganizationId,
    progress: &mut Progress,
) -> Result<(), StepError> {
    let now = ports.clock.now();
    let due = ports.changelog_entries.due(organization, now, BATCH).await?;
    let publications: Vec<_> =
        due.into_iter().filter_map(|entry: ScheduledEntry| entry.publish(now)).collect();
    if !publications.is_empty() {
        progress.done += ports.changelog_entries.publish(organization, publications).await?;
    }
    Ok(())
}

/// The most entries of an organization that are published in one transaction.
const BATCH: i64 = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::changelog_entry::Publication;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::StoreError;
    use hearback_ports::mock::Mocks;
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const OTHER: OrganizationId = OrganizationId(Uuid::from_u128(2));
    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;

    fn noon() -> Time {
        Time::parse("2026-06-01T12:00:00Z").unwrap()
    }

    /// Scheduled entries of one organization, and their publications.
    #[derive(Clone, Default)]
    struct Changelog(Arc<Mutex<BTreeMap<Uuid, Times>>>);

    #[derive(Clone, Copy)]
    struct Times {
        scheduled_at: Time,
        published_at: Option<Time>,
    }

    impl Changelog {
        fn schedule(&self, id: u128, at: Time) {
            self.0
                .lock()
                .unwrap()
                .insert(Uuid::from_u128(id), Times { scheduled_at: at, published_at: None });
        }

        fn published(&self) -> Vec<(u128, Time)> {
            let entries = self.0.lock().unwrap();
            entries
                .iter()
                .filter_map(|(id, times)| Some((id.as_u128(), times.published_at?)))
                .collect()
        }

        fn due(&self, now: Time, limit: usize) -> Vec<ScheduledEntry> {
            let entries = self.0.lock().unwrap();
            let due = entries
                .iter()
                .filter(|(_, times)| times.scheduled_at <= now && times.published_at.is_none());
            let entry = |(id, times): (&Uuid, &Times)| ScheduledEntry {
                id: (*id).into(),
                scheduled_at: times.scheduled_at,
                notify: true,
                show_on_portal: true,
            };
            due.map(entry).take(limit).collect()
        }

        fn publish(&self, publications: Vec<Publication>) -> usize {
            let mut entries = self.0.lock().unwrap();
            for Publication { id, at, .. } in &publications {
                entries.get_mut(&id.0).unwrap().published_at = Some(*at);
            }
            publications.len()
        }

        /// Runs one round at a time.
        async fn round(&self, now: Time) -> Progress {
            let mut mocks = Mocks::default();
            mocks.clock.expect_now().return_const(now);
            let changelog = self.clone();
            mocks.backlog.expect_organizations().returning(move |task, now, after, _| {
                assert_eq!(task, Task::PublishEntries);
                let waits = after.is_none() && !changelog.due(now, 1).is_empty();
                Ok(if waits { vec![ACME] } else { vec![] })
            });
            let changelog = self.clone();
            mocks
                .changelog_entries
                .expect_due()
                .returning(move |_, now, limit| Ok(changelog.due(now, limit.try_into().unwrap())));
            let changelog = self.clone();
            mocks
                .changelog_entries
                .expect_publish()
                .returning(move |_, publications| Ok(changelog.publish(publications)));
            publish_due_entries(&mocks.ports()).await
        }
    }

    #[tokio::test]
    async fn an_entry_is_published_at_its_time_and_not_a_millisecond_earlier() {
        let changelog = Changelog::default();
        changelog.schedule(1, noon());
        assert_eq!(changelog.round(noon().plus_millis(-1)).await.done, 0);
        assert_eq!(changelog.round(noon()).await.done, 1);
        assert_eq!(changelog.published(), [(1, noon())]);
        assert_eq!(changelog.round(noon()).await.done, 0);
    }

    #[tokio::test]
    async fn a_jump_of_the_clock_publishes_no_entry_early() {
        for jump in [HOUR, DAY] {
            let changelog = Changelog::default();
            changelog.schedule(1, noon());
            changelog.schedule(2, noon().plus_millis(jump));
            changelog.schedule(3, noon().plus_millis(jump + 1));
            // The clock is set back: an entry that was nearly due waits for its time again.
            changelog.round(noon().plus_millis(-1)).await;
            changelog.round(noon().plus_millis(-1 - jump)).await;
            assert_eq!(changelog.published(), []);
            changelog.round(noon()).await;
            assert_eq!(changelog.published(), [(1, noon())]);
            // The clock is set forward: only the entries that fell due are published.
            let there = noon().plus_millis(jump);
            changelog.round(there).await;
            assert_eq!(changelog.published(), [(1, noon()), (2, there)]);
            // The clock is set back again: no entry is published twice.
            changelog.round(noon()).await;
            assert_eq!(changelog.published(), [(1, noon()), (2, there)]);
        }
    }

    #[tokio::test]
    async fn overdue_entries_are_published_batch_by_batch() {
        let changelog = Changelog::default();
        for id in 1..=250 {
            changelog.schedule(id, noon().plus_millis(-30 * DAY));
        }
        for batch in [100, 100, 50, 0] {
            assert_eq!(changelog.round(noon()).await.done, batch);
        }
        assert!(changelog.published().iter().all(|(_, at)| *at == noon()));
    }

    #[tokio::test]
    async fn a_failure_of_one_organization_holds_up_no_other() {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(noon());
        mocks.backlog.expect_organizations().returning(|_, _, after, _| {
            Ok(if after.is_none() { vec![ACME, OTHER] } else { vec![] })
        });
        let entry = ScheduledEntry {
            id: Uuid::nil().into(),
            scheduled_at: noon(),
            notify: false,
            show_on_portal: true,
        };
        mocks.changelog_entries.expect_due().returning(
            move |organization, _, _| match organization {
                ACME => Err(StoreError::Busy),
                _ => Ok(vec![entry]),
            },
        );
        mocks.changelog_entries.expect_publish().once().returning(|_, _| Ok(1));
        let progress = publish_due_entries(&mocks.ports()).await;
        assert_eq!(progress.done, 1);
        assert!(matches!(progress.failures[..], [StepError::Store(StoreError::Busy)]));
    }
}
