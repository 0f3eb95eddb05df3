//! The route of mails.

use hearback_mail::{FileMailer, Sender, SmtpMailer};
use hearback_ports::Mailer;
use std::path::PathBuf;
use std::sync::Arc;

/// The route of mails.
#[derive(Debug)]
pub enum MailRoute {
    /// Through a mail server.
    Smtp(Arc<SmtpMailer>),
    /// Into files, without a mail server.
    Files {
        /// The directory of the files.
        folder: PathBuf,
        /// The sender of the mails.
        sender: Sender,
    },
}

impl MailRoute {
    /// The sender of mails.
    pub(crate) fn sender(&self) -> &Sender {
        match self {
            Self::Smtp(mailer) => mailer.sender(),
            Self::Files { sender, .. } => sender,
        }
    }

    /// The mailer of this route.
    pub(crate) fn mailer(&self) -> Arc<dyn Mailer> {
        match self {
            Self::Smtp(mailer) => Arc::clone(mailer) as Arc<dyn Mailer>,
            Self::Files { folder, sender } => {
                Arc::new(FileMailer::new(folder.clone(), sender.clone()))
            }
        }
    }
}
