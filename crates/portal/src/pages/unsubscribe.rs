//! The target of the links by which mails end.
//!
//! A `GET` only asks, since programs that scan mails follow links. A `POST` ends the mails. The form
//! of the page sends it, or a mail program does (RFC 8058): it needs neither a session nor the token
//! of a form, since the path has a secret of the recipient.

use askama::Template;
use hearback_app::unsubscribe::{self, Ending, Mails};
use hearback_web::chrome::{Chrome, Part, key};
use hearback_web::ending as opened;
use hearback_web::fault::Fault;
use hearback_web::visit::{Answer, Request};

#[derive(Template)]
#[template(path = "unsubscribe.html")]
struct UnsubscribePage {
    c: Chrome,
    title: String,
    text: String,
    /// The path of the form. `None`: the mails have ended.
    action: Option<String>,
}

/// `GET /unsubscribe/{token}`
pub(crate) async fn ask(request: Request) -> Answer {
    let ending = ending(&request)?;
    page(request, ending, false).await
}

/// `POST /unsubscribe/{token}`
pub(crate) async fn confirm(request: Request) -> Answer {
    let ending = ending(&request)?;
    // The content of the body does not matter. The body is read so that the connection can serve
    // the next request.
    request.context.body_up_to(MAX_BODY, request.http.headers()).await?;
    unsubscribe::unsubscribe(&request.web.ports, ending).await?;
    page(request, ending, true).await
}

async fn page(request: Request, ending: Ending, is_over: bool) -> Answer {
    let found = unsubscribe::reader(&request.web.ports, ending).await?;
    // The page speaks the language of the mail.
    let request = request.for_reader(found.and_then(|(_, user)| user).as_ref());
    let c = request.chrome(Part::None);
    let (title, text) = match ending.mails {
        Mails::All => (key("mail-unsubscribe"), c.x("stop-all", "name", &c.name)),
        Mails::Changelog => {
            (key("mail-unfollow-changelog"), c.x("stop-changelog", "name", &c.name))
        }
        Mails::Post(_) => (key("mail-unfollow"), c.x("stop-post", "name", &c.name)),
    };
    let action = c.url(&format!("/unsubscribe/{}", request.part("token")));
    request.page(&UnsubscribePage {
        title: if is_over { c.t("stop-title") } else { c.t(title) },
        text,
        action: (!is_over).then_some(action),
        // The address is a secret: no link of the page tells it to another page.
        c: Chrome { here: c.url("/"), is_indexed: false, ..c },
    })
}

/// The mails that the link ends.
fn ending(request: &Request) -> Result<Ending, Fault> {
    let ending = opened(&request.web, &request.http);
    ending.filter(|it| it.organization == request.visit.organization()).ok_or(Fault::Gone)
}

/// The greatest length of a body, in bytes. A form's body and that of RFC 8058 are far shorter.
const MAX_BODY: usize = 4096;
