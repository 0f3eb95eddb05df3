//! Where background steps have something to do.

use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::delivery::DeliveryState;
use hearback_domain::id::OrganizationId;
use hearback_ports::Backlog;
use hearback_ports::backlog::{Line, Task, Waiting};

#[async_trait]
impl Backlog for MemoryStore {
    async fn organizations(
        &self,
        task: Task,
        now: Time,
        after: Option<OrganizationId>,
        limit: i64,
    ) -> Result<Vec<OrganizationId>> {
        let state = self.state();
        let behind = state.tenants.iter().filter(|(id, _)| Some(**id) > after);
        let busy = behind.filter(|(_, tenant)| tenant.has_to_do(task, now)).map(|(id, _)| *id);
        Ok(busy.take(usize::try_from(limit).unwrap_or_default()).collect())
    }

    async fn waiting(
        &self,
        line: Line,
        organization: Option<OrganizationId>,
        now: Time,
        limit: i64,
    ) -> Result<Waiting> {
        let state = self.state();
        let mut waiting = Waiting::default();
        let tenants =
            state.tenants.iter().filter(|(id, _)| organization.is_none_or(|one| one == **id));
        let all = tenants.flat_map(|(_, tenant)| tenant.waiting(line, now));
        for due in all.take(usize::try_from(limit).unwrap_or_default()) {
            waiting.count += 1;
            if let Some(at) = due {
                waiting.due += 1;
                waiting.due_since = Some(waiting.due_since.map_or(at, |since| since.min(at)));
            }
        }
        Ok(waiting)
    }
}

impl Tenant {
    fn has_to_do(&self, task: Task, now: Time) -> bool {
        match task {
            Task::PublishEntries => self.scheduled().any(|(_, at)| at <= now),
            Task::WriteMails => self.mailings.values().any(|mailing| !mailing.is_finished),
            Task::SendMails => {
                self.mails.values().any(|mail| mail.is_due(now) || mail.is_interrupted(now))
            }
            Task::PruneDeliveries(ended) => {
                self.deliveries.values().any(|sending| sending.ended_before(ended, now))
            }
            Task::ExpireDeliveries => self.expiring(now).next().is_some(),
            Task::PruneReceipts => self.receipts.values().any(|receipt| receipt.at < now),
        }
    }

    /// For each that waits, since when it is due, if it is.
    fn waiting(&self, line: Line, now: Time) -> Vec<Option<Time>> {
        match line {
            Line::Deliveries => self
                .deliveries
                .values()
                .filter(|sending| sending.delivery.state == DeliveryState::Pending)
                .filter(|sending| {
                    let subscription = sending.delivery.subscription;
                    self.open_subscriptions().any(|open| open.id == subscription)
                })
                .map(|sending| sending.due(now))
                .collect(),
            Line::Entries => {
                self.scheduled().map(|(_, at)| Some(at).filter(|at| *at <= now)).collect()
            }
            Line::Mails => self
                .mails
                .values()
                .filter_map(|mail| mail.due_at)
                .map(|at| Some(at).filter(|at| *at <= now))
                .collect(),
        }
    }

    /// The active scheduled entries, with their times.
    pub(crate) fn scheduled(&self) -> impl Iterator<Item = (&ChangelogEntry, Time)> {
        self.active::<ChangelogEntry>()
            .filter(|entry| entry.status == EntryStatus::Scheduled)
            .filter_map(|entry| Some((entry, entry.scheduled_at?)))
    }
}
