//! The mail adapters: [`SmtpMailer`] sends mails to a mail server, [`FileMailer`] writes them to a
//! folder.
//!
//! Strangers write the names, titles and addresses in mails. No text of theirs adds a header or a
//! recipient to a message.
//!
//! **Architecture invariant:** depends on `ports` and `domain` alone; no other crate names SMTP or
//! MIME.

mod address;
mod file;
mod message;
mod sender;
mod smtp;
mod words;

pub use file::FileMailer;
pub use sender::{BadSender, Sender};
pub use smtp::{BadSmtpUrl, Privacy, SmtpMailer, SmtpServer};
