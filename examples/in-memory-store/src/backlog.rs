//! The work that waits for background steps.

use crate::erasure::waits;
use crate::lists::size;
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::Time;
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
        let busy = behind.filter(|(_, tenant)| tenant.has_task(task, now)).map(|(id, _)| *id);
        Ok(busy.take(size(limit)).collect())
    }

    async fn waiting(
        &self,
        line: Line,
        organization: Option<OrganizationId>,
        now: Time,
        limit: i64,
    ) -> Result<Waiting> {
        let state = self.state();
        let is_asked = |id| organization.is_none_or(|organization| organization == id);
        let tenants = state.tenants.iter().filter(|(id, _)| is_asked(**id));
        let mut waiting = Waiting::default();
        for at in tenants.flat_map(|(_, tenant)| tenant.line(line, now)).take(size(limit)) {
            waiting.count += 1;
            if let Some(at) = at.filter(|at| *at <= now) {
                waiting.due += 1;
                waiting.due_since = Some(waiting.due_since.map_or(at, |since| since.min(at)));
            }
        }
        Ok(waiting)
    }
}

impl Tenant {
    fn has_task(&self, task: Task, now: Time) -> bool {
        match task {
            Task::PublishEntries => self.scheduled().any(|(_, at)| at <= now),
            Task::FollowUps => !self.follow_ups.is_empty(),
            Task::SumSpends => false,
            Task::WriteMails => self.mailings.values().any(|mailing| !mailing.is_finished),
            Task::SendMails => {
                self.mails.values().any(|mail| mail.is_due(now) || mail.is_interrupted(now))
            }
            Task::PruneDeliveries(ended) => {
                self.deliveries.values().any(|sending| sending.ended_before(ended, now))
            }
            Task::ExpireDeliveries => self.expiring(now).next().is_some(),
            Task::PruneNotices => self.mails.values().any(|mail| mail.is_old(now)),
            Task::PruneMisses => self.misses.keys().any(|(_, day)| day.start() < now),
            Task::PruneSessions => {
                self.sessions.values().any(|it| it.expires_at <= now)
                    || self.sign_ins.values().any(|it| it.expires_at <= now)
                    || self.spent_tokens.values().any(|until| *until <= now)
                    || self.tries.values().any(|it| it.expires_at <= now)
            }
            Task::PruneAudit => self.audit.values().any(|entry| entry.at < now),
            Task::PruneLedger => {
                self.events.values().any(|event| event.in_ledger && event.recorded_at < now)
            }
            Task::ReviewImages => self.images.values().any(|image| image.review_at < now),
            Task::EraseDeleted => self.records.values().any(|record| waits(record, now)),
            Task::PruneReceipts => self.receipts.values().any(|receipt| receipt.at < now),
        }
    }

    /// The time at which each record of a queue is due. `None` if a delivery is not due now.
    fn line(&self, line: Line, now: Time) -> Vec<Option<Time>> {
        match line {
            Line::Deliveries => {
                let open = Vec::from_iter(self.open_subscriptions());
                let pending = self.deliveries.values().filter(|sending| sending.is_pending());
                let waiting = pending.filter(|it| open.contains(&it.delivery.subscription));
                waiting.map(|sending| sending.due(now)).collect()
            }
            Line::Entries => self.scheduled().map(|(_, at)| Some(at)).collect(),
            Line::Mails => {
                self.mails.values().map(|mail| mail.due_at).filter(Option::is_some).collect()
            }
        }
    }
}
