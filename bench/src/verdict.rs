//! The verdict of a measurement.

use std::fmt;

/// Whether the figures meet the requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    Missed,
}

impl Verdict {
    /// The verdict on one requirement.
    pub(crate) fn of(is_met: bool) -> Self {
        if is_met { Self::Met } else { Self::Missed }
    }

    /// The verdict on all requirements.
    pub(crate) fn on_all(verdicts: impl IntoIterator<Item = Self>) -> Self {
        Self::of(verdicts.into_iter().all(|verdict| verdict == Self::Met))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Met => "met",
            Self::Missed => "MISSED",
        })
    }
}
