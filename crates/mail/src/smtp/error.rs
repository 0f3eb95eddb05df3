//! The failures of sending, in a form that may be logged: without recipient and password.

use hearback_domain::mail::MailFailure;
use hearback_ports::mailer::MailError;
use lettre::transport::smtp::Error;
use std::error::Error as _;
use std::fmt;

/// The stages of a conversation with a mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Connecting, TLS from the start, and the greeting.
    Connect,
    /// The change to TLS.
    StartTls,
    /// User and password.
    Authenticate,
    /// Naming the sender.
    Mail,
    /// Naming the recipient.
    Rcpt,
    /// Announcing the message.
    Data,
    /// The message without its end.
    Message,
    /// The end of the message, and the wait for its reply.
    End,
}

/// A failure at a stage.
#[derive(Debug, thiserror::Error)]
#[error("{stage}")]
pub(crate) struct Failed {
    stage: Stage,
    source: Reason,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Reason {
    /// The server refused.
    #[error("the mail server answered {0}")]
    Reply(SmtpReply),
    /// The connection ended, or the bytes are not SMTP.
    #[error("the mail server closed the connection or gave no proper answer")]
    NoReply,
    /// No reply came in time.
    #[error("the mail server did not answer in time")]
    Silent,
    /// TLS is required, and the server does not offer it.
    #[error("the mail server does not offer STARTTLS, and TLS is required")]
    NoTls,
    /// The recipient's address is not in ASCII.
    #[error("the mail server takes no address that is not in ASCII")]
    NoUtf8,
    /// The connection failed or broke. lettre repeats the cause in several errors. The text has it
    /// once, and so it is no source.
    #[error("{}", innermost(.0))]
    Connection(Error),
}

/// A reply of the server that refuses (RFC 5321, section 4.2).
#[derive(Debug)]
pub(crate) struct SmtpReply {
    code: u16,
    words: String,
}

impl Failed {
    pub(crate) fn new(stage: Stage, source: Reason) -> Self {
        Self { stage, source }
    }

    /// A failure from an error of lettre.
    pub(crate) fn from_error(stage: Stage, error: Error) -> Self {
        let reason = match error.status() {
            Some(code) => {
                let words = error.source().map(ToString::to_string).unwrap_or_default();
                Reason::Reply(SmtpReply { code: code.into(), words: repeatable(stage, &words) })
            }
            // The text of the error quotes the server.
            None if error.is_response() => Reason::NoReply,
            None => Reason::Connection(error),
        };
        Self { stage, source: reason }
    }

    /// Whether the connection can be used again: the server refused a command and waits for the
    /// next one, or got no command.
    pub(crate) fn leaves_connection(&self) -> bool {
        match &self.source {
            Reason::Reply(reply) => {
                matches!(self.stage, Stage::Rcpt | Stage::Data | Stage::End)
                    && reply.code != CLOSING
            }
            Reason::NoUtf8 => true,
            _ => false,
        }
    }

    /// The fate of the mail.
    ///
    /// A refusal before the recipient was named concerns the settings: a wrong password, an unknown
    /// sender. The mail waits for the settings to be mended.
    pub(crate) fn failure(&self) -> MailFailure {
        match (&self.source, self.stage) {
            (Reason::NoUtf8, _) => MailFailure::Refused,
            (Reason::Reply(reply), Stage::Rcpt | Stage::Data | Stage::Message | Stage::End)
                if reply.code >= 500 && reply.code != AUTHENTICATION_REQUIRED =>
            {
                MailFailure::Refused
            }
            (Reason::Reply(_), _) => MailFailure::Unreachable,
            (_, Stage::End) => MailFailure::Unknown,
            _ => MailFailure::Unreachable,
        }
    }
}

impl From<Failed> for MailError {
    fn from(failed: Failed) -> Self {
        Self { failure: failed.failure(), source: Box::new(failed) }
    }
}

fn innermost(error: &Error) -> &dyn std::error::Error {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
}

/// The server closes the connection after a reply with this code.
const CLOSING: u16 = 421;

/// The server wants a user and a password first.
const AUTHENTICATION_REQUIRED: u16 = 530;

/// The part of a reply's text that may be logged: all of it before the password and the recipient
/// were sent, then the enhanced status code (RFC 3463) alone, since a server may repeat a command.
fn repeatable(stage: Stage, words: &str) -> String {
    match stage {
        Stage::Connect | Stage::StartTls | Stage::Mail => {
            words.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST_WORDS).collect()
        }
        _ => {
            let first = words.split(' ').next().unwrap_or_default();
            let parts: Vec<&str> = first.split('.').collect();
            let is_number = |part: &&str| {
                (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
            };
            if parts.len() == 3 && parts.iter().all(is_number) {
                first.to_owned()
            } else {
                String::new()
            }
        }
    }
}

/// In characters.
const MOST_WORDS: usize = 300;

impl fmt::Display for SmtpReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code)?;
        if self.words.is_empty() { Ok(()) } else { write!(f, " {}", self.words) }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting to the mail server",
            Self::StartTls => "going over to TLS with the mail server",
            Self::Authenticate => "authenticating to the mail server",
            Self::Mail => "naming the sender to the mail server",
            Self::Rcpt => "naming the recipient to the mail server",
            Self::Data => "announcing the mail to the mail server",
            Self::Message => "handing the mail to the mail server",
            Self::End => "waiting whether the mail server took the mail",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(stage: Stage, code: u16) -> Failed {
        Failed::new(stage, Reason::Reply(SmtpReply { code, words: String::new() }))
    }

    #[test]
    fn a_permanent_refusal_concerns_the_mail_and_not_its_sender() {
        use Stage::{Authenticate, Connect, Data, End, Mail, Message, Rcpt, StartTls};
        for stage in [Connect, StartTls, Authenticate, Mail] {
            for code in [421, 454, 530, 535, 550, 554] {
                assert_eq!(
                    refused(stage, code).failure(),
                    MailFailure::Unreachable,
                    "{stage:?} {code}"
                );
            }
        }
        for stage in [Rcpt, Data, Message, End] {
            for (code, failure) in [
                (421, MailFailure::Unreachable),
                (451, MailFailure::Unreachable),
                (530, MailFailure::Unreachable),
                (550, MailFailure::Refused),
                (554, MailFailure::Refused),
            ] {
                assert_eq!(refused(stage, code).failure(), failure, "{stage:?} {code}");
            }
        }
    }

    #[test]
    fn only_a_missing_reply_to_the_messages_end_leaves_the_outcome_unknown() {
        for stage in [Stage::Connect, Stage::Mail, Stage::Rcpt, Stage::Data, Stage::Message] {
            assert_eq!(Failed::new(stage, Reason::Silent).failure(), MailFailure::Unreachable);
            assert_eq!(Failed::new(stage, Reason::NoReply).failure(), MailFailure::Unreachable);
        }
        assert_eq!(Failed::new(Stage::End, Reason::Silent).failure(), MailFailure::Unknown);
        assert_eq!(Failed::new(Stage::End, Reason::NoReply).failure(), MailFailure::Unknown);
    }

    #[test]
    fn the_text_of_a_reply_is_kept_until_a_secret_was_sent() {
        let words = "5.7.1 <ann@example.com>: no\r\nsuch s3cr3t";
        assert_eq!(repeatable(Stage::Mail, words), "5.7.1 <ann@example.com>: no  such s3cr3t");
        for stage in [Stage::Authenticate, Stage::Rcpt, Stage::Data, Stage::Message, Stage::End] {
            assert_eq!(repeatable(stage, words), "5.7.1");
            assert_eq!(repeatable(stage, "ann@example.com is unknown"), "");
        }
        assert_eq!(refused(Stage::Rcpt, 550).source.to_string(), "the mail server answered 550");
    }
}
