//! The mail adapter, tested with a running mail server.

#![expect(clippy::expect_used, reason = "a failure in a helper must fail the test")]

mod connections;
mod failures;
mod messages;
mod tls;

use hearback_domain::Time;
use hearback_domain::mail::MailFailure;
use hearback_mail::{Sender, SmtpMailer, SmtpServer};
use hearback_ports::Mailer;
use hearback_ports::mailer::{Mail, MailError, Recipient};
use std::error::Error;

fn mailer(url: &str) -> SmtpMailer {
    let sender = Sender::parse("Weekwright <news@weekwright.example>").expect("a sender");
    SmtpMailer::new(SmtpServer::parse(url).expect("an address of a mail server"), sender)
}

fn mail(id: &str) -> Mail {
    Mail {
        id: id.into(),
        to: Recipient { name: "Ann Example".into(), address: "ann@example.com".into() },
        subject: "Dark mode is here".into(),
        text: "Dark mode\n\nis here.\n".into(),
        html: "<p>Dark mode</p>\n<p>is here.</p>\n".into(),
        unsubscribe_url: Some("https://feedback.example/unsubscribe/AAECAwQF".into()),
        at: Time::parse("2026-03-01T09:30:00Z").expect("a time"),
    }
}

/// Sends a mail that must fail. Returns the kind of the failure and the whole text of the error.
async fn failure(mailer: &SmtpMailer, mail: Mail) -> (MailFailure, String) {
    let error = mailer.send(mail).await.expect_err("a failure");
    (error.failure, text(&error))
}

/// The text of an error with its causes. Neither this text nor the `Debug` form may have private
/// data.
fn text(error: &MailError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    let debug = format!("{error:?}");
    for private in ["ann@example.com", "Ann", "s3cr3t"] {
        assert!(!text.contains(private) && !debug.contains(private), "{text} {debug}");
    }
    text
}
