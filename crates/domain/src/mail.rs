//! Notification mails: the reasons for failures, and the schedule of retries.

use crate::{ClosedSet, Time};

/// The reasons why a mail was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailFailure {
    /// `unreachable`: the mail server could not be reached, or deferred the mail before accepting
    /// it. A retry is safe.
    Unreachable,
    /// `refused`: the mail server refused the mail or its recipient permanently.
    Refused,
    /// `bad-address`: the recipient's address is invalid.
    BadAddress,
    /// `unknown`: the connection was lost when the mail server may already have accepted the mail.
    Unknown,
    /// `interrupted`: the process ended during the attempt. The mail may have been sent.
    Interrupted,
    /// `unsubscribed`: the recipient was unsubscribed, was unlinked or lost the address before the
    /// attempt.
    Unsubscribed,
    /// `unwritable`: the text of the mail could not be made.
    Unwritable,
    /// `withdrawn`: the announced entry was deleted before the attempt.
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

/// The outcome of an attempt to send a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailOutcome {
    /// The mail server accepted the mail.
    Sent,
    /// Another attempt follows.
    Retry {
        /// When the next attempt is due.
        at: Time,
        /// The reason for the failure.
        failure: MailFailure,
    },
    /// The mail is given up.
    Failed {
        /// The reason for the failure.
        failure: MailFailure,
    },
}

impl MailOutcome {
    /// Decides the outcome of a failed attempt with the number `attempt`, from 1, that ended at
    /// `now`.
    ///
    /// Only a mail that was surely not sent is sent again: a recipient gets it once or not at all.
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

/// The pause after each attempt, in milliseconds. Their sum is a day and a half, as a mail server
/// may be down over a night.
const PAUSES: [i64; 7] =
    [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 16 * HOUR];

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Time {
        Time::parse("2026-03-01T09:30:00Z").unwrap()
    }

    #[test]
    fn a_mail_that_was_surely_not_sent_is_retried_after_longer_and_longer_pauses() {
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
    fn a_mail_that_may_have_been_sent_or_never_can_be_is_not_retried() {
        for &failure in
            MailFailure::ALL.iter().filter(|failure| **failure != MailFailure::Unreachable)
        {
            assert_eq!(MailOutcome::after(1, Err(failure), now()), MailOutcome::Failed { failure });
        }
        assert_eq!(MailOutcome::after(1, Ok(()), now()), MailOutcome::Sent);
    }
}
