//! The mail adapters: [`SmtpMailer`] hands mails to a mail server, [`FileMailer`] writes them into a folder where there is none.
//!
//! Names, titles and addresses come from data that strangers wrote. Whatever is in them, the message has the headers that are
//! meant and goes to one recipient.
//!
//! **Architecture invariant:** depends on `ports` and `domain` alone; nobody else names SMTP or MIME.

mod address;
mod file;
mod message;
mod sender;
mod smtp;
mod words;

pub use file::FileMailer;
pub use sender::{BadSender, Sender};
pub use smtp::{BadSmtpUrl, Privacy, SmtpMailer, SmtpServer};
