//! Notification mails: who is sent one, what a failure means, and when it is tried again.

use crate::{ClosedSet, Time};

/// Why a mail was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailFailure {
    /// `unreachable`: the mail server could not be reached, or put the mail off before it had taken it. May be tried again.
    Unreachable,
    /// `refused`: the mail server refused the mail or its recipient for good.
    Refused,
    /// `bad-address`: the recipient's address is none.
    BadAddress,
    /// `unknown`: the connection broke when the mail server may have taken the mail already.
    Unknown,
    /// `interrupted`: the process ended while the mail was being sent, perhaps after the mail server had taken it.
    Interrupted,
    /// `unsubscribed`: the recipient was unsubscribed, unlinked or lost the address before the mail was sent.
    Unsubscribed,
    /// `unwritable`: its text could not be made.
    Unwritable,
    /// `withdrawn`: what the mail tells of was deleted before the mail was sent.
    Withdrawn,
}

impl ClosedSet for MailFailure {
    const ALL: &'static [Self] = &[
        Self::Unreachable,
        Self::Refused,
        Self::BadAddress,
        Self::Unknown,
        Self::Interrupted,
        Self::Unsubscribed,
        Self::Unwritable,
        Self::Withdrawn,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
            Self::BadAddress => "bad-address",
            Self::Unknown => "unknown",
            Self::Interrupted => "interrupted",
            Self::Unsubscribed => "unsubscribed",
            Self::Unwritable => "unwritable",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// What becomes of a mail after a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailOutcome {
    /// The mail server took it.
    Sent,
    /// It is tried again.
    Retry {
        /// When.
        at: Time,
        /// Why it was not sent.
        failure: MailFailure,
    },
    /// It is given up.
    Failed {
        /// Why it was not sent.
        failure: MailFailure,
    },
}

impl MailOutcome {
    /// Decides after try number `attempt`, counted from 1, which ended at `now`.
    ///
    /// Only what surely was not sent is tried again: a person gets a mail once or not at all, never twice.
    pub fn after(attempt: u32, result: Result<(), MailFailure>, now: Time) -> Self {
        let failure = match result {
            Ok(()) => return Self::Sent,
            Err(failure @ MailFailure::Unreachable) => failure,
            Err(failure) => return Self::Failed { failure },
        };
        let pause =
            usize::try_from(attempt).ok().and_then(|attempt| PAUSES.get(attempt.checked_sub(1)?));
        pause.map_or(Self::Failed { failure }, |pause| Self::Retry {
            at: now.plus_millis(*pause),
            failure,
        })
    }
}

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// How long to wait after each try, in milliseconds: a day and a half in all, as mail servers may be down over a night.
const PAUSES: [i64; 7] =
    [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 16 * HOUR];

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Time {
        Time::parse("2026-03-01T09:30:00Z").unwrap()
    }

    #[test]
    fn what_surely_was_not_sent_is_tried_again_later_and_later() {
        let mut waited = 0;
        for (attempt, pause) in (1..).zip(PAUSES) {
            let outcome = MailOutcome::after(attempt, Err(MailFailure::Unreachable), now());
            let at = now().plus_millis(pause);
            assert_eq!(outcome, MailOutcome::Retry { at, failure: MailFailure::Unreachable });
            assert!(pause > waited);
            waited = pause;
        }
        let outcome = MailOutcome::after(8, Err(MailFailure::Unreachable), now());
        assert_eq!(outcome, MailOutcome::Failed { failure: MailFailure::Unreachable });
    }

    #[test]
    fn what_may_have_been_sent_or_never_can_be_is_not_tried_again() {
        for &failure in
            MailFailure::ALL.iter().filter(|failure| **failure != MailFailure::Unreachable)
        {
            assert_eq!(MailOutcome::after(1, Err(failure), now()), MailOutcome::Failed { failure });
        }
        assert_eq!(MailOutcome::after(1, Ok(()), now()), MailOutcome::Sent);
    }
}
