//! Short mails that somebody waits for.

use crate::chrome::Part;
use crate::visit::Request;
use askama::Template;
use hearback_app::mail::send_at_once;
use hearback_ports::mailer::{Mail, Recipient};

/// A short mail that somebody waits for.
pub struct Note {
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The address that the mail leads to.
    pub link: Option<String>,
    /// The last sentence.
    pub end: String,
}

#[derive(Template)]
#[template(path = "note.html")]
struct NotePart<'a> {
    lang: &'static str,
    dir: &'static str,
    subject: &'a str,
    text: &'a str,
    link: Option<&'a str>,
    end: &'a str,
}

impl Note {
    /// The mail to an address.
    pub fn mail(&self, request: &Request, to: &str) -> Mail {
        let c = request.chrome(Part::None);
        let Self { subject, text, link, end } = self;
        let link = link.as_deref();
        let (lang, dir) = (c.language.tag, c.dir());
        let part = NotePart { lang, dir, subject, text, link, end };
        let middle = link.map(|link| format!("{link}\n\n")).unwrap_or_default();
        Mail {
            id: format!("note.{}", request.web.ports.ids.fresh()),
            to: Recipient { name: String::new(), address: to.to_owned() },
            subject: subject.clone(),
            html: part.render().unwrap_or_default(),
            text: format!("{text}\n\n{middle}{end}\n"),
            unsubscribe_url: None,
            at: request.web.ports.clock.now(),
        }
    }

    /// Sends the mail to an address, in the language of the request.
    pub fn send(&self, request: &Request, to: &str) {
        post(request, self.mail(request, to));
    }
}

/// Sends a mail that somebody waits for. The answer to the request does not wait for the mail
/// server, which takes longer for some addresses.
pub fn post(request: &Request, mail: Mail) {
    let (ports, mailer) = (request.web.ports.clone(), request.web.mailer.clone());
    let organization = request.visit.organization();
    tokio::spawn(async move {
        if let Err(error) = send_at_once(&ports, &*mailer, organization, mail).await {
            tracing::error!(error = &error as &dyn std::error::Error, "a mail was not sent");
        }
    });
}
