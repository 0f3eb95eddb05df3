//! The rounds of background steps over the organizations that have work.

use crate::Error;
use hearback_domain::id::OrganizationId;
use hearback_ports::backlog::Task;
use hearback_ports::mailer::MailError;
use hearback_ports::{Ports, StoreError};
use std::vec::IntoIter;

/// The result of a round of a background step.
#[derive(Debug, Default)]
pub struct Progress {
    /// The number of entries published, posts changed, mails written or sent, or records removed.
    pub done: usize,
    /// The failures. A failure stops no other organization, and a later round tries again.
    pub failures: Vec<StepError>,
}

impl Progress {
    /// Adds the result of another round.
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
    /// A change was refused.
    #[error(transparent)]
    Change(Error),
    /// A mail was not sent.
    #[error(transparent)]
    Mail(#[from] MailError),
    /// A part of the step panicked.
    #[error("a part of a background step panicked")]
    Panicked(#[from] tokio::task::JoinError),
}

impl From<Error> for StepError {
    fn from(error: Error) -> Self {
        match error {
            Error::Store(error) => Self::Store(error),
            error => Self::Change(error),
        }
    }
}

/// Iterates over the organizations that have a task now, and collects the results.
///
/// It is an iterator and not a function with an asynchronous closure: the compiler does not prove
/// that the future of such a closure is `Send`.
pub(crate) struct Round<'a> {
    ports: &'a Ports,
    task: Task,
    /// The age from which a record is old, in milliseconds.
    kept: i64,
    /// The organizations that were found and have not had their turn yet.
    waiting: IntoIter<OrganizationId>,
    /// The last organization that was found.
    after: Option<OrganizationId>,
    pub(crate) progress: Progress,
}

impl<'a> Round<'a> {
    pub(crate) fn new(ports: &'a Ports, task: Task) -> Self {
        Self::of_what_is_kept(ports, task, 0)
    }

    /// A round for a task on records that are older than `kept` milliseconds.
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

    /// The next organization. `None` behind the last one, or if the store fails.
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

    /// Collects a failure.
    pub(crate) fn keep<T>(&mut self, result: Result<T, StepError>) -> Option<T> {
        result.map_err(|failure| self.progress.failures.push(failure)).ok()
    }
}

/// The number of organizations found by one query.
const AT_ONCE: i64 = 100;
