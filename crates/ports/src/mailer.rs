//! Where mails go.

use crate::error::Source;
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::mail::MailFailure;
use std::fmt;

/// A mail to one person, written to its end.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// Names the mail among all that are ever sent, in ASCII letters, digits, `-` and `.`: the left half of its `Message-ID`.
    pub id: String,
    /// Whom it is to.
    pub to: Recipient,
    /// One line; whatever is in it cannot end the header.
    pub subject: String,
    /// The plain text.
    pub text: String,
    /// The same as HTML, sanitized.
    pub html: String,
    /// Where a POST unsubscribes the recipient (RFC 8058).
    pub unsubscribe_url: String,
    /// When it was written.
    pub at: Time,
}

/// Whom a mail is to. Both come from data that others wrote: nothing in them can break a header.
#[derive(Clone, PartialEq, Eq)]
pub struct Recipient {
    /// Name; may be empty.
    pub name: String,
    /// Address.
    pub address: String,
}

/// Without the recipient, the content and the link: mails show in no log.
impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mail").field("id", &self.id).finish_non_exhaustive()
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recipient(…)")
    }
}

/// A mail was not sent, or nobody knows whether it was.
#[derive(Debug, thiserror::Error)]
#[error("sending a mail")]
pub struct MailError {
    /// What kind of failure it is, which decides whether the mail is tried again.
    pub failure: MailFailure,
    /// What went wrong. It names no recipient.
    pub source: Source,
}

/// Sends mails.
///
/// An implementation answers [`MailFailure::Unreachable`] only where the mail surely did not go out, since it is tried again
/// then, and [`MailFailure::Unknown`] where it cannot tell. It ends within two minutes.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Sends one.
    async fn send(&self, mail: Mail) -> Result<(), MailError>;
}
