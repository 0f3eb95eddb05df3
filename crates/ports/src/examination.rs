//! The examination of a store for its operator.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::Time;

/// The finding on one subject of an examination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The subject and its state: one line without any secret.
    pub what: String,
    /// The meaning of the finding.
    pub verdict: Verdict,
}

/// The meaning of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The subject is in order.
    Good,
    /// The subject works, but not as well or as safely as it could.
    Warning {
        /// How to mend it.
        remedy: String,
    },
    /// The subject does not work.
    Problem {
        /// How to mend it.
        remedy: String,
    },
    /// The subject could not be examined, or would take too long.
    Skipped,
}

impl Finding {
    /// A subject in order.
    pub fn good(what: impl Into<String>) -> Self {
        Self { what: what.into(), verdict: Verdict::Good }
    }

    /// A subject that could be better, and the remedy.
    pub fn warning(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), verdict: Verdict::Warning { remedy: remedy.into() } }
    }

    /// A subject that does not work, and the remedy.
    pub fn problem(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), verdict: Verdict::Problem { remedy: remedy.into() } }
    }

    /// A subject that was not examined, and the reason.
    pub fn skipped(what: impl Into<String>) -> Self {
        Self { what: what.into(), verdict: Verdict::Skipped }
    }
}

/// A time that a store reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreTime {
    /// The present by the store's own clock.
    Now(Time),
    /// The time of the last write to a store without a clock of its own.
    Written(Time),
}

/// Examines a store for its operator. It changes nothing, and takes no more than seconds.
#[async_trait]
pub trait Examination: Send + Sync {
    /// The set-up and the state of the store, with a schema of any version. The first finding names
    /// the store and its version.
    async fn examine(&self) -> Result<Vec<Finding>, StoreError>;

    /// The store's time, for a comparison with the time of this process.
    async fn time(&self) -> Result<StoreTime, StoreError>;
}
