//! The background steps that remove old deliveries, old receipts and deleted organizations, and
//! erase what was deleted long ago.
//!
//! Delivered deliveries are kept for 30 days, failed ones for 90. A pending delivery fails when its
//! subscription has been inactive for 30 days. Receipts are kept for a day, the ledger of events
//! for 90 days, notifications too, the audit log for a year, and the numbers of searches that have
//! found nothing for five years. Records are removed in small batches, so that other writes do not
//! wait long.

use crate::backlog::{Progress, Round, StepError};
use crate::erase::erase_deleted;
use crate::images::{Images, review_images};
use crate::once::RECEIPT_MILLIS;
use hearback_domain::audit::AUDIT_KEPT;
use hearback_domain::delivery::{DELIVERED_KEPT, FAILED_KEPT, INACTIVE_KEPT};
use hearback_domain::event::LEDGER_KEPT;
use hearback_domain::id::OrganizationId;
use hearback_domain::mail::NOTICES_KEPT;
use hearback_domain::missed_search::MISSES_KEPT;
use hearback_ports::backlog::Task;
use hearback_ports::deliveries::Ended;
use hearback_ports::{ImageFiles, Ports, StoreError};

/// Removes or erases a batch of old records of each kind. More may be old if it did anything.
pub async fn prune(ports: &Ports, images: &Images) -> Progress {
    let mut progress = prune_deliveries(ports).await;
    progress.add(prune_receipts(ports).await);
    progress.add(prune_sessions(ports).await);
    progress.add(prune_audit(ports).await);
    progress.add(prune_ledger(ports).await);
    progress.add(prune_notices(ports).await);
    progress.add(prune_misses(ports).await);
    progress.add(erase_deleted(ports).await);
    progress.add(review_images(ports, images).await);
    progress.add(remove_organizations(ports, &*images.files).await);
    progress
}

/// Removes a part of each deleted organization. More may be left if it did anything. The command
/// that deletes an organization removes it too, unless it was interrupted.
pub async fn remove_organizations(ports: &Ports, files: &dyn ImageFiles) -> Progress {
    let deleted = ports.organizations.deleted().await;
    let mut round = Progress::default();
    let mut keep = |result: Result<usize, StoreError>| match result {
        Ok(rows) => round.done += rows,
        Err(failure) => round.failures.push(failure.into()),
    };
    match deleted {
        Ok(deleted) => {
            for organization in deleted {
                // The rows go last: they say that there may be files.
                keep(match files.clear(organization.id).await {
                    Ok(()) => ports.organizations.remove(organization.id).await,
                    Err(failure) => Err(failure),
                });
            }
        }
        Err(failure) => keep(Err(failure)),
    }
    round
}

/// Removes a batch of the old deliveries of each organization. More may be old if it did anything.
pub async fn prune_deliveries(ports: &Ports) -> Progress {
    let mut progress = Progress::default();
    for ended in [Ended::Delivered, Ended::Failed] {
        let mut round = Round::of_what_is_kept(ports, Task::PruneDeliveries(ended), kept(ended));
        while let Some(organization) = round.next().await {
            let result = prune_of(ports, organization, ended, &mut round.progress).await;
            round.keep(result);
        }
        progress.add(round.progress);
    }
    let mut round = Round::of_what_is_kept(ports, Task::ExpireDeliveries, INACTIVE_KEPT);
    while let Some(organization) = round.next().await {
        let result = expire_of(ports, organization, &mut round.progress).await;
        round.keep(result);
    }
    progress.add(round.progress);
    progress
}

async fn prune_of(
    ports: &Ports,
    organization: OrganizationId,
    ended: Ended,
    progress: &mut Progress,
) -> Result<(), StepError> {
    let before = ports.clock.now().plus_millis(-kept(ended));
    progress.done += ports.deliveries.prune(organization, ended, before, BATCH).await?;
    Ok(())
}

async fn expire_of(
    ports: &Ports,
    organization: OrganizationId,
    progress: &mut Progress,
) -> Result<(), StepError> {
    let now = ports.clock.now();
    progress.done +=
        ports.deliveries.expire(organization, now.plus_millis(-INACTIVE_KEPT), now, BATCH).await?;
    Ok(())
}

/// Removes a batch of the old receipts of each organization. More may be old if it did anything.
pub async fn prune_receipts(ports: &Ports) -> Progress {
    let mut round = Round::of_what_is_kept(ports, Task::PruneReceipts, RECEIPT_MILLIS);
    while let Some(organization) = round.next().await {
        let result = prune_receipts_of(ports, organization, &mut round.progress).await;
        round.keep(result);
    }
    round.progress
}

/// Removes a batch of the sessions, sign-ins, used tokens and tries of passwords of each organization
/// that are over. More may be over if it did anything.
pub async fn prune_sessions(ports: &Ports) -> Progress {
    let mut round = Round::new(ports, Task::PruneSessions);
    while let Some(organization) = round.next().await {
        let now = ports.clock.now();
        let pruned = ports.sessions.prune(organization, now, BATCH).await;
        if let Some(pruned) = round.keep(pruned.map_err(StepError::from)) {
            round.progress.done += pruned;
        }
    }
    round.progress
}

async fn prune_receipts_of(
    ports: &Ports,
    organization: OrganizationId,
    progress: &mut Progress,
) -> Result<(), StepError> {
    let before = ports.clock.now().plus_millis(-RECEIPT_MILLIS);
    progress.done += ports.receipts.prune(organization, before, BATCH).await?;
    Ok(())
}

/// Removes a batch of the old entries of each organization's audit log. More may be old if it did
/// anything.
pub async fn prune_audit(ports: &Ports) -> Progress {
    let mut round = Round::of_what_is_kept(ports, Task::PruneAudit, AUDIT_KEPT);
    while let Some(organization) = round.next().await {
        let before = ports.clock.now().plus_millis(-AUDIT_KEPT);
        let pruned = ports.audit.prune(organization, before, BATCH).await;
        let done = round.keep(pruned.map_err(StepError::from));
        round.progress.done += done.unwrap_or_default();
    }
    round.progress
}

/// Takes a batch of the old events out of each organization's ledger. More may be old if it did
/// anything.
pub async fn prune_ledger(ports: &Ports) -> Progress {
    let mut round = Round::of_what_is_kept(ports, Task::PruneLedger, LEDGER_KEPT);
    while let Some(organization) = round.next().await {
        let before = ports.clock.now().plus_millis(-LEDGER_KEPT);
        let pruned = ports.events.prune(organization, before, BATCH).await;
        let done = round.keep(pruned.map_err(StepError::from));
        round.progress.done += done.unwrap_or_default();
    }
    round.progress
}

/// Removes a batch of the old notifications of each organization's users. More may be old if it did
/// anything.
pub async fn prune_notices(ports: &Ports) -> Progress {
    let mut round = Round::of_what_is_kept(ports, Task::PruneNotices, NOTICES_KEPT);
    while let Some(organization) = round.next().await {
        let before = ports.clock.now().plus_millis(-NOTICES_KEPT);
        let pruned = ports.notices.prune(organization, before, BATCH).await;
        let done = round.keep(pruned.map_err(StepError::from));
        round.progress.done += done.unwrap_or_default();
    }
    round.progress
}

/// Removes a batch of the old numbers of searches of each organization's help center that have
/// found nothing. More may be old if it did anything.
pub async fn prune_misses(ports: &Ports) -> Progress {
    let mut round = Round::of_what_is_kept(ports, Task::PruneMisses, MISSES_KEPT);
    while let Some(organization) = round.next().await {
        let before = ports.clock.now().plus_millis(-MISSES_KEPT);
        let pruned = ports.counts.prune_misses(organization, before, BATCH).await;
        let done = round.keep(pruned.map_err(StepError::from));
        round.progress.done += done.unwrap_or_default();
    }
    round.progress
}

fn kept(ended: Ended) -> i64 {
    match ended {
        Ended::Delivered => DELIVERED_KEPT,
        Ended::Failed => FAILED_KEPT,
    }
}

/// The most deliveries or receipts of an organization that are removed in one transaction.
const BATCH: i64 = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::organization::{HelpCenter, Organization};
    use hearback_domain::portal::PortalSettings;
    use hearback_domain::slug::Slug;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::images::MockImageFiles;
    use hearback_ports::mock::Mocks;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const OTHER: OrganizationId = OrganizationId(Uuid::from_u128(2));

    fn at(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    fn deleted(id: OrganizationId) -> Organization {
        Organization {
            id,
            name: String::new(),
            slug: Slug::parse("acme").unwrap(),
            help_center: HelpCenter::Enabled,
            events_ledger: false,
            portal: PortalSettings::default(),
            created_at: Time::MIN,
        }
    }

    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(at("2026-06-01T12:00:00Z"));
        mocks
    }

    #[tokio::test]
    async fn delivered_and_expired_deliveries_are_kept_for_30_days_and_failed_ones_for_90() {
        let mut mocks = mocks();
        mocks.backlog.expect_organizations().times(6).returning(|task, now, after, _| {
            let days = if task == Task::PruneDeliveries(Ended::Failed) {
                "2026-03-03T12:00:00Z"
            } else {
                "2026-05-02T12:00:00Z"
            };
            assert_eq!(now, at(days), "{task:?}");
            Ok(if after.is_none() { vec![ACME] } else { vec![] })
        });
        mocks
            .deliveries
            .expect_prune()
            .withf(|_, ended, before, _| {
                *ended == Ended::Delivered && *before == at("2026-05-02T12:00:00Z")
            })
            .once()
            .returning(|_, _, _, _| Ok(1));
        mocks
            .deliveries
            .expect_prune()
            .withf(|_, ended, before, _| {
                *ended == Ended::Failed && *before == at("2026-03-03T12:00:00Z")
            })
            .once()
            .returning(|_, _, _, _| Ok(20));
        mocks
            .deliveries
            .expect_expire()
            .withf(|_, before, now, _| {
                *before == at("2026-05-02T12:00:00Z") && *now == at("2026-06-01T12:00:00Z")
            })
            .once()
            .returning(|_, _, _, _| Ok(300));
        let progress = prune_deliveries(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (321, 0));
    }

    #[tokio::test]
    async fn receipts_are_kept_for_a_day() {
        let day_before = at("2026-05-31T12:00:00Z");
        let mut mocks = mocks();
        mocks.backlog.expect_organizations().times(2).returning(move |task, now, after, _| {
            assert_eq!((task, now), (Task::PruneReceipts, day_before));
            Ok(if after.is_none() { vec![ACME] } else { vec![] })
        });
        mocks
            .receipts
            .expect_prune()
            .once()
            .withf(move |_, before, _| *before == day_before)
            .returning(|_, _, _| Ok(7));
        let progress = prune_receipts(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (7, 0));
    }

    #[tokio::test]
    async fn numbers_of_searches_are_kept_for_five_years() {
        let five_years_before = at("2021-06-01T12:00:00Z");
        let mut mocks = mocks();
        mocks.backlog.expect_organizations().times(2).returning(move |task, now, after, _| {
            assert_eq!((task, now), (Task::PruneMisses, five_years_before));
            Ok(if after.is_none() { vec![ACME] } else { vec![] })
        });
        mocks
            .counts
            .expect_prune_misses()
            .once()
            .withf(move |_, before, _| *before == five_years_before)
            .returning(|_, _, _| Ok(7));
        let progress = prune_misses(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (7, 0));
    }

    #[tokio::test]
    async fn a_failure_of_one_organization_holds_up_no_other() {
        let mut mocks = mocks();
        mocks.backlog.expect_organizations().returning(|task, _, after, _| {
            let has_some = task == Task::PruneDeliveries(Ended::Delivered) && after.is_none();
            Ok(if has_some { vec![ACME, OTHER] } else { vec![] })
        });
        mocks.deliveries.expect_prune().times(2).returning(|organization, _, _, _| {
            match organization {
                ACME => Err(StoreError::Busy),
                _ => Ok(1),
            }
        });
        let progress = prune_deliveries(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (1, 1));
    }

    #[tokio::test]
    async fn each_deleted_organization_loses_a_part_though_another_fails() {
        let mut mocks = Mocks::default();
        mocks.organizations.expect_deleted().return_once(|| Ok([ACME, OTHER].map(deleted).into()));
        mocks.organizations.expect_remove().times(2).returning(|id| match id {
            ACME => Err(StoreError::Busy),
            _ => Ok(500),
        });
        let mut files = MockImageFiles::new();
        files.expect_clear().times(2).returning(|_| Ok(()));
        let progress = remove_organizations(&mocks.ports(), &files).await;
        assert_eq!((progress.done, progress.failures.len()), (500, 1));
    }

    #[tokio::test]
    async fn an_organization_stays_as_long_as_it_may_have_files() {
        let mut mocks = Mocks::default();
        mocks.organizations.expect_deleted().return_once(|| Ok(vec![deleted(ACME)]));
        let mut files = MockImageFiles::new();
        files.expect_clear().once().returning(|_| Err(StoreError::Busy));
        let progress = remove_organizations(&mocks.ports(), &files).await;
        assert_eq!((progress.done, progress.failures.len()), (0, 1));
    }
}
