//! Goes through the organizations where a background step has something to do.

use hearback_domain::id::OrganizationId;
use hearback_ports::backlog::Task;
use hearback_ports::mailer::MailError;
use hearback_ports::{Ports, StoreError};
use std::vec::IntoIter;

/// What a round of a background step came to.
#[derive(Debug, Default)]
pub struct Progress {
    /// How much was done: entries published, mails written or sent, deliveries removed.
    pub done: usize,
    /// What went wrong. It holds up no other organization, and is tried again in a later round.
    pub failures: Vec<StepError>,
}

impl Progress {
    /// Counts another round in.
    pub(crate) fn add(&mut self, other: Self) {
        self.done += other.done;
        self.failures.extend(other.failures);
    }
}

/// A part of a background step failed.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A mail was not sent.
    #[error(transparent)]
    Mail(#[from] MailError),
    /// A part of it panicked.
    #[error("a part of a background step panicked")]
    Panicked(#[from] tokio::task::JoinError),
}

/// Goes through the organizations that have something to do now, and gathers what comes of it.
///
/// A loop over [`Round::next`] and not a function that takes an asynchronous closure: of the future of one of those the compiler
/// does not see that it may move between threads.
pub(crate) struct Round<'a> {
    ports: &'a Ports,
    task: Task,
    /// How long what it is about is kept, in milliseconds.
    kept: i64,
    /// Those that were asked for and have not had their turn yet.
    waiting: IntoIter<OrganizationId>,
    /// The last one that was asked for.
    after: Option<OrganizationId>,
    pub(crate) progress: Progress,
}

impl<'a> Round<'a> {
    pub(crate) fn new(ports: &'a Ports, task: Task) -> Self {
        Self::of_what_is_kept(ports, task, 0)
    }

    /// For a task that is about what has been kept for so many milliseconds.
    pub(crate) fn of_what_is_kept(ports: &'a Ports, task: Task, kept: i64) -> Self {
        Self {
            ports,
            task,
            kept,
            waiting: Vec::new().into_iter(),
            after: None,
            progress: Progress::default(),
        }
    }

    /// The next organization; `None` behind the last one, or when the store fails.
    pub(crate) async fn next(&mut self) -> Option<OrganizationId> {
        if let Some(organization) = self.waiting.next() {
            return Some(organization);
        }
        let now = self.ports.clock.now().plus_millis(-self.kept);
        let organizations =
            self.ports.backlog.organizations(self.task, now, self.after, AT_ONCE).await;
        self.waiting = self.keep(organizations.map_err(StepError::from))?.into_iter();
        let organization = self.waiting.next();
        self.after = self.waiting.as_slice().last().copied().or(organization);
        organization
    }

    /// Keeps a failure, which holds up no other organization.
    pub(crate) fn keep<T>(&mut self, result: Result<T, StepError>) -> Option<T> {
        result.map_err(|failure| self.progress.failures.push(failure)).ok()
    }
}

/// How many organizations are asked for at once.
const AT_ONCE: i64 = 100;
