//! The background step that publishes scheduled entries.
//!
//! Only the wall clock decides if an entry is due. It is read for each batch, and becomes the
//! `published_at` of the entries. So no entry is published before its time, even if the clock
//! jumps, and the next round sees a jump. Several processes may run the step at once: an edit holds
//! for one of them only.

use crate::backlog::{Progress, Round, StepError};
use crate::{Caller, write};
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::id::OrganizationId;
use hearback_domain::record::{Kind, Step};
use hearback_ports::backlog::Task;
use hearback_ports::{Ports, Recorded};

/// Publishes a batch of the due entries of each organization, so that no organization waits for all
/// of another. More may be due if it did anything.
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
    let keys = due.iter().map(|entry| (Kind::ChangelogEntry, entry.0)).collect();
    let known = ports.records.load(organization, keys).await?;
    let caller = Caller::at_work(ports, organization).await?.doing("changelog/publish");
    for entry in due {
        let Some(before) = known.active::<ChangelogEntry>(entry) else { continue };
        let Some(after) = before.clone().published_if_due(now) else { continue };
        let step = Step::edit(before.clone(), after, now);
        // Any other result means that the entry has changed meanwhile.
        if write::change(ports, caller, vec![step], vec![], vec![], now).await? == Recorded::Done {
            progress.done += 1;
        }
    }
    Ok(())
}

/// The most entries of an organization that are published in a round.
const BATCH: i64 = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::letter::tests::entry;
    use hearback_domain::changelog_entry::EntryState;
    use hearback_domain::event::EventType;
    use hearback_domain::millis::{DAY, HOUR, days};
    use hearback_domain::record::{Known, OfKind, Record};
    use hearback_domain::slug::Slug;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::mock::Mocks;
    use hearback_ports::{Change, StoreError};
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const OTHER: OrganizationId = OrganizationId(Uuid::from_u128(2));

    fn noon() -> Time {
        Time::parse("2026-06-01T12:00:00Z").unwrap()
    }

    fn scheduled(id: u128, at: Time) -> ChangelogEntry {
        let slug = Slug::derive(&id.to_string(), "entry");
        let entry =
            ChangelogEntry { id: Uuid::from_u128(id).into(), slug, ..entry("Dark mode", "") };
        entry.with_state(EntryState::Scheduled { at })
    }

    /// The entries of one organization.
    #[derive(Clone, Default)]
    struct Changelog(Arc<Mutex<BTreeMap<Uuid, ChangelogEntry>>>);

    impl Changelog {
        fn schedule(&self, id: u128, at: Time) {
            self.0.lock().unwrap().insert(Uuid::from_u128(id), scheduled(id, at));
        }

        fn published(&self) -> Vec<(u128, Time)> {
            let entries = self.0.lock().unwrap();
            let published = entries.iter();
            published.filter_map(|(id, it)| Some((id.as_u128(), it.published_at?))).collect()
        }

        fn due(&self, now: Time, limit: usize) -> Vec<ChangelogEntry> {
            let entries = self.0.lock().unwrap();
            let due = entries.values().filter(|it| (*it).clone().published_if_due(now).is_some());
            due.take(limit).cloned().collect()
        }

        /// Stores a change of one entry, with its event and its mailing.
        fn apply(&self, change: Change) -> Recorded {
            let [Step::Edit { after: Record::ChangelogEntry(entry), .. }] = &change.steps[..]
            else {
                panic!("{change:?}");
            };
            assert_eq!(change.events[0].what.event_type(), EventType::EntryPublished);
            assert_eq!(change.mailings[0].id.0, entry.id.0);
            self.0.lock().unwrap().insert(entry.id.0, entry.clone());
            Recorded::Done
        }

        /// Runs one round at a time.
        async fn round(&self, now: Time) -> Progress {
            let mut mocks = Mocks::default();
            mocks.clock.expect_now().return_const(now);
            mocks.ids.expect_fresh().returning(|| Uuid::from_u128(9));
            mocks.alarm.expect_ring().return_const(());
            let changelog = self.clone();
            mocks.backlog.expect_organizations().returning(move |task, now, after, _| {
                assert_eq!(task, Task::PublishEntries);
                let waits = after.is_none() && !changelog.due(now, 1).is_empty();
                Ok(if waits { vec![ACME] } else { vec![] })
            });
            let changelog = self.clone();
            mocks.changelog_entries.expect_due().returning(move |_, now, limit| {
                let due = changelog.due(now, limit.try_into().unwrap());
                Ok(due.into_iter().map(|entry| entry.id).collect())
            });
            let changelog = self.clone();
            mocks.records.expect_load().returning(move |_, _| {
                let all = changelog.0.lock().unwrap();
                Ok(Known::new(all.values().cloned().map(OfKind::into_record)))
            });
            let changelog = self.clone();
            mocks.records.expect_apply().returning(move |_, change| Ok(changelog.apply(change)));
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
            changelog.schedule(id, noon().plus_millis(days(-30)));
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
        mocks.ids.expect_fresh().returning(Uuid::nil);
        mocks.alarm.expect_ring().return_const(());
        mocks.backlog.expect_organizations().returning(|_, _, after, _| {
            Ok(if after.is_none() { vec![ACME, OTHER] } else { vec![] })
        });
        let entry = || scheduled(1, noon());
        mocks.changelog_entries.expect_due().returning(
            move |organization, _, _| match organization {
                ACME => Err(StoreError::Busy),
                _ => Ok(vec![entry().id]),
            },
        );
        let known = move |_, _| Ok(Known::new([entry().into_record()]));
        mocks.records.expect_load().returning(known);
        mocks.records.expect_apply().once().returning(|_, _| Ok(Recorded::Done));
        let progress = publish_due_entries(&mocks.ports()).await;
        assert_eq!(progress.done, 1);
        assert!(matches!(progress.failures[..], [StepError::Store(StoreError::Busy)]));
    }

    #[tokio::test]
    async fn an_entry_that_another_process_publishes_first_is_left_to_it() {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(noon());
        mocks.ids.expect_fresh().returning(Uuid::nil);
        let organizations = |_, _, after: Option<OrganizationId>, _| {
            Ok(if after.is_none() { vec![ACME] } else { vec![] })
        };
        mocks.backlog.expect_organizations().returning(organizations);
        mocks.changelog_entries.expect_due().returning(|_, _, _| Ok(vec![scheduled(1, noon()).id]));
        let known = |_, _| Ok(Known::new([scheduled(1, noon()).into_record()]));
        mocks.records.expect_load().returning(known);
        mocks.records.expect_apply().once().returning(|_, _| Ok(Recorded::Stale));
        let progress = publish_due_entries(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (0, 0));
    }
}
