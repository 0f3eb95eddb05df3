//! Mails of the queue.

use crate::column::{BadRow, Origin};
use crate::schema::mails;
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::mail::{MailFailure, MailOutcome};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::Lease;
use hearback_ports::mail_queue::ClaimedMail;
use hearback_ports::mailer::Recipient;

/// The columns of a mail that change, except the number of attempts.
#[derive(Clone, Copy, Default, PartialEq, Eq, Insertable, AsChangeset)]
#[diesel(table_name = mails, treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct MailStage {
    state: &'static str,
    next_attempt_at: Option<Stamp>,
    lease_holder: Option<Id>,
    leased_until: Option<Stamp>,
    error_class: Option<&'static str>,
    ended_at: Option<Stamp>,
}

/// The state of a mail that waits to be sent.
const PENDING: &str = "pending";

/// The state of a mail that is claimed.
pub const SENDING: &str = "sending";

impl MailStage {
    /// The mail is pending. It is due at `at`.
    pub fn pending(at: Time) -> Self {
        Self { state: PENDING, next_attempt_at: Some(Stamp::of(at)), ..Self::default() }
    }

    /// The mail is claimed under `lease`.
    pub fn sending(lease: Lease) -> Self {
        Self {
            state: SENDING,
            lease_holder: Some(Id(lease.holder)),
            leased_until: Some(Stamp::of(lease.until)),
            ..Self::default()
        }
    }

    /// The mail was given up at `now`.
    pub fn failed(failure: MailFailure, now: Time) -> Self {
        Self {
            state: "failed",
            error_class: Some(failure.code()),
            ended_at: Some(Stamp::of(now)),
            ..Self::default()
        }
    }

    /// The stage that follows an attempt that ended at `now`.
    pub fn of(outcome: MailOutcome, now: Time) -> Self {
        match outcome {
            MailOutcome::Sent => {
                Self { state: "sent", ended_at: Some(Stamp::of(now)), ..Self::default() }
            }
            MailOutcome::Retry { at, failure } => {
                Self { error_class: Some(failure.code()), ..Self::pending(at) }
            }
            MailOutcome::Failed { failure } => Self::failed(failure, now),
        }
    }
}

/// A claimed mail. It has the recipient's name and address unless the user receives no mail.
#[expect(missing_docs, reason = "a field has the name of the value that it holds")]
pub struct ClaimedRow {
    pub entry: Id,
    pub user: Id,
    pub attempt: i32,
    pub recipient: Option<(String, Option<String>)>,
}

impl TryFrom<ClaimedRow> for ClaimedMail {
    type Error = BadRow;

    fn try_from(row: ClaimedRow) -> Result<Self, BadRow> {
        let origin = Origin::new("mails", row.user);
        Ok(Self {
            entry: row.entry.to(),
            user: row.user.to(),
            attempt: u32::try_from(row.attempt).map_err(|_| origin.bad("attempt_count"))?,
            recipient: row
                .recipient
                .and_then(|(name, address)| Some(Recipient { name, address: address? })),
        })
    }
}
