//! Mails as files, for an installation without a mail server.

use crate::message::{self, Message};
use crate::sender::Sender;
use async_trait::async_trait;
use hearback_domain::mail::MailFailure;
use hearback_ports::Mailer;
use hearback_ports::mailer::{Mail, MailError};
use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use tokio::task;

/// Writes each mail to a file of its own, `{id}.eml`, which most mail programs open.
///
/// The files have mode 0600, and a new folder has mode 0700. A file appears whole or not at all.
#[derive(Clone, Debug)]
pub struct FileMailer {
    folder: PathBuf,
    sender: Sender,
}

impl FileMailer {
    /// Sends mails from `sender` to files in `folder`. The first mail makes the folder.
    pub fn new(folder: PathBuf, sender: Sender) -> Self {
        Self { folder, sender }
    }
}

#[async_trait]
impl Mailer for FileMailer {
    /// A file is finished even if the caller goes away. A failed write is
    /// [`MailFailure::Unreachable`], since a full disk can be mended.
    async fn send(&self, mail: Mail) -> Result<(), MailError> {
        let message = message::compose(&mail, &self.sender).map_err(|source| MailError {
            failure: MailFailure::BadAddress,
            source: Box::new(source),
        })?;
        let folder = self.folder.clone();
        let path = folder.join(file_name(&mail.id));
        let writing = task::spawn_blocking(move || write(&folder, &path, &message));
        let written = writing.await.unwrap_or_else(|ended| Err(io::Error::other(ended)));
        written.map_err(|source| {
            let source = Box::new(WriteError { folder: self.folder.clone(), source });
            MailError { failure: MailFailure::Unreachable, source }
        })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("writing a mail into {}", folder.display())]
struct WriteError {
    folder: PathBuf,
    source: io::Error,
}

fn write(folder: &Path, path: &Path, message: &Message) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // A temporary file has mode 0600, and is removed after a failure.
    let mut file = tempfile::Builder::new().prefix(".mail.").tempfile_in(folder)?;
    file.write_all(&message.bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    File::open(folder)?.sync_all()
}

/// A unique file name for any identifier. It cannot lead out of the folder.
fn file_name(id: &str) -> String {
    let mut name = String::new();
    for byte in id.bytes() {
        let hidden = byte == b'.' && name.is_empty();
        if (byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')) && !hidden {
            name.push(char::from(byte));
        } else {
            name += &format!("_{byte:02x}");
        }
    }
    if name.is_empty() {
        name.push('_');
    }
    name + ".eml"
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Time;
    use hearback_ports::mailer::Recipient;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn mail(id: &str) -> Mail {
        Mail {
            id: id.into(),
            to: Recipient { name: "Ann".into(), address: "ann@example.com".into() },
            subject: "Dark mode".into(),
            text: "It is here.".into(),
            html: "<p>It is here.</p>".into(),
            unsubscribe_url: Some("https://feedback.example/unsubscribe/1".into()),
            at: Time::parse("2026-03-01T09:30:00Z").unwrap(),
        }
    }

    fn mailer(folder: &Path) -> FileMailer {
        FileMailer::new(folder.to_owned(), Sender::parse("news@example.com").unwrap())
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn a_mail_is_a_file_for_its_owner_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("data/mails");
        mailer(&folder).send(mail("0191-a.b")).await.unwrap();
        let file = folder.join("0191-a.b.eml");
        assert!(fs::read_to_string(&file).unwrap().contains("\r\nSubject: Dark mode\r\n"));
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        // Nothing else is left there.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn no_identifier_leads_out_of_the_folder_or_hides_the_file() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("mails");
        for (id, name) in [
            ("../../x", "_2e._2f.._2fx.eml"),
            ("/etc/x", "_2fetc_2fx.eml"),
            ("", "_.eml"),
            ("a\0b\n", "a_00b_0a.eml"),
            ("a_b", "a_5fb.eml"),
        ] {
            mailer(&folder).send(mail(id)).await.unwrap();
            assert!(folder.join(name).is_file(), "{id}");
        }
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_written_may_be_tried_again() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("file/mails");
        fs::write(scratch.path().join("file"), "").unwrap();
        let error = mailer(&folder).send(mail("1")).await.unwrap_err();
        assert_eq!(error.failure, MailFailure::Unreachable);
        assert_eq!(error.source.to_string(), format!("writing a mail into {}", folder.display()));
    }

    #[tokio::test]
    async fn a_mail_to_no_address_is_not_written() {
        let scratch = tempfile::tempdir().unwrap();
        let mut mail = mail("1");
        mail.to.address = "ann".into();
        let error = mailer(scratch.path()).send(mail).await.unwrap_err();
        assert_eq!(error.failure, MailFailure::BadAddress);
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    }
}
