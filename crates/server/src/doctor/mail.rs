//! Whether mails can be sent, and their links are encrypted.

use super::skipped;
use crate::config::Reading;
use crate::error::chain;
use crate::mail_route::MailRoute;
use crate::public_url::PublicUrl;
use crate::settings::{LISTEN, MAIL_FROM, PUBLIC_URL, SMTP_URL};
use hearback_mail::{Privacy, SmtpMailer};
use hearback_ports::examination::Finding;

pub(super) async fn examine(reading: &Reading) -> Vec<Finding> {
    let way = match skipped(reading, "mail", &[SMTP_URL.name, MAIL_FROM.name]) {
        Some(finding) => finding,
        None => match &reading.config.mail {
            MailRoute::Smtp(mailer) => server(mailer).await,
            MailRoute::Files { folder, .. } => Finding::good(format!(
                "mail: no mail server is set, and mails are written to {}",
                folder.display()
            )),
        },
    };
    vec![way, links(reading)]
}

async fn server(mailer: &SmtpMailer) -> Finding {
    let server = mailer.server();
    match mailer.try_out().await {
        Ok(Privacy::Encrypted) => {
            Finding::good(format!("mail: {server} accepts the login over TLS; nothing was sent"))
        }
        Ok(Privacy::Open) => Finding::warning(
            format!("mail: {server} accepts the login without TLS; nothing was sent"),
            "use smtps://, or ?tls=required behind smtp://, unless the mail server is on this \
             machine",
        ),
        Err(error) => Finding::problem(
            format!("mail: {server} cannot be used: {}", chain(&*error.source)),
            "correct HEARBACK_SMTP_URL, or check that the mail server runs, is reachable, and \
             knows user and password",
        ),
    }
}

fn links(reading: &Reading) -> Finding {
    if let Some(finding) = skipped(reading, "links in mails", &[PUBLIC_URL.name, LISTEN.name]) {
        return finding;
    }
    let config = &reading.config;
    let url = config.public_url.clone().unwrap_or_else(|| PublicUrl::of(config.listen));
    if url.is_private() {
        return Finding::good(format!("links in mails begin with {url}"));
    }
    Finding::warning(
        format!("links in mails begin with {url}, which is not encrypted"),
        "set HEARBACK_PUBLIC_URL to the https:// address of this service",
    )
}
