//! Whether a store is set up as it should be, for the one who operates it.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::Time;

/// What was found of one thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at, and how it is: one line, without any secret.
    pub what: String,
    /// What that means.
    pub verdict: Verdict,
}

/// What a finding means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is as it should be.
    Good,
    /// It works, but not as well or as safely as it could.
    Warning {
        /// How to mend it.
        remedy: String,
    },
    /// Something does not work.
    Problem {
        /// How to mend it.
        remedy: String,
    },
    /// It could not be looked at, or is too much to look at.
    Skipped,
}

impl Finding {
    /// What is as it should be.
    pub fn good(what: impl Into<String>) -> Self {
        Self { what: what.into(), verdict: Verdict::Good }
    }

    /// What could be better, and how.
    pub fn warning(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), verdict: Verdict::Warning { remedy: remedy.into() } }
    }

    /// What does not work, and how to mend it.
    pub fn problem(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), verdict: Verdict::Problem { remedy: remedy.into() } }
    }

    /// What was not looked at, and why not.
    pub fn skipped(what: impl Into<String>) -> Self {
        Self { what: what.into(), verdict: Verdict::Skipped }
    }
}

/// A time that a store knows of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreTime {
    /// What its own clock says now.
    Now(Time),
    /// When it was last written to, of a store without a clock of its own.
    Written(Time),
}

/// Looks at a store from its operator's side. Changes nothing, and takes no more than seconds.
#[async_trait]
pub trait Examination: Send + Sync {
    /// How the store is set up and how it is doing, whatever the state of its schema. What it is, with its version, comes first.
    async fn examine(&self) -> Result<Vec<Finding>, StoreError>;

    /// A time that is to be held against that of this process.
    async fn time(&self) -> Result<StoreTime, StoreError>;
}
