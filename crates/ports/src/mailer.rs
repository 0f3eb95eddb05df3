//! The destination of mails.

use crate::error::Source;
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::mail::MailFailure;
use std::fmt;

/// A mail to one recipient.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// The name of the mail among all that are ever sent, in ASCII letters, digits, `-` and `.`:
    /// the left half of its `Message-ID`.
    pub id: String,
    /// The recipient.
    pub to: Recipient,
    /// The subject: one line. None of its characters can end the header.
    pub subject: String,
    /// The plain text.
    pub text: String,
    /// The same content as sanitized HTML.
    pub html: String,
    /// The URL at which a POST unsubscribes the recipient (RFC 8058). `None`: the recipient has asked
    /// for this one mail.
    pub unsubscribe_url: Option<String>,
    /// When the mail was written.
    pub at: Time,
}

/// The recipient of a mail. Both members come from imported or entered data, so that an
/// implementation encodes them: neither may break a header.
#[derive(Clone, PartialEq, Eq)]
pub struct Recipient {
    /// The name, or empty.
    pub name: String,
    /// The email address.
    pub address: String,
}

/// Recipient, content and link are left out: none belongs in a log.
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

/// A mail was not sent, or its outcome is unknown.
#[derive(Debug, thiserror::Error)]
#[error("sending a mail")]
pub struct MailError {
    /// The kind of failure, which decides whether the mail is sent again.
    pub failure: MailFailure,
    /// The cause. It names no recipient.
    pub source: Source,
}

/// Sends mails.
///
/// An implementation returns [`MailFailure::Unreachable`] only if the mail was surely not sent,
/// since it is then sent again, and [`MailFailure::Unknown`] if it cannot tell. It returns within
/// two minutes.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Sends a mail.
    async fn send(&self, mail: Mail) -> Result<(), MailError>;
}
