//! Where mails go.

use hearback_mail::{FileMailer, Sender, SmtpMailer};
use hearback_ports::Mailer;
use std::path::PathBuf;
use std::sync::Arc;

/// The way that mails take.
#[derive(Debug)]
pub enum MailRoute {
    /// Through a mail server.
    Smtp(Arc<SmtpMailer>),
    /// Into files, as there is no mail server.
    Files {
        /// The directory that they are in.
        folder: PathBuf,
        /// Whom they are from.
        sender: Sender,
    },
}

impl MailRoute {
    /// Whom mails are from.
    pub(crate) fn sender(&self) -> &Sender {
        match self {
            Self::Smtp(mailer) => mailer.sender(),
            Self::Files { sender, .. } => sender,
        }
    }

    /// Sends mails this way.
    pub(crate) fn mailer(&self) -> Arc<dyn Mailer> {
        match self {
            Self::Smtp(mailer) => Arc::clone(mailer) as Arc<dyn Mailer>,
            Self::Files { folder, sender } => {
                Arc::new(FileMailer::new(folder.clone(), sender.clone()))
            }
        }
    }
}
