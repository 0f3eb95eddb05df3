//! The target of the links by which mails end.
//!
//! A `GET` only asks, since programs that scan mails follow links. A `POST` ends the mails. The form
//! of the page sends it, or a mail program does (RFC 8058): it needs neither a session nor the token
//! of a form, since the path has a secret of the recipient.

use crate::Portal;
use crate::chrome::{Chrome, Part, key};
use crate::fault::Fault;
use crate::visit::{Answer, Request};
use actix_web::HttpRequest;
use askama::Template;
use hearback_app::portal::Site;
use hearback_app::unsubscribe::{self, Ending, Mails};
use hearback_http::RequestContext;

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
    unsubscribe::unsubscribe(&request.portal.ports, ending).await?;
    page(request, ending, true).await
}

async fn page(request: Request, ending: Ending, is_over: bool) -> Answer {
    let found = unsubscribe::reader(&request.portal.ports, ending).await?;
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
    let ending = opened(&request.portal, &request.http);
    ending.filter(|it| it.organization == request.visit.organization()).ok_or(Fault::Gone)
}

/// Refuses a link that is not good. Only such a request counts against its address: mail providers
/// unsubscribe many people from one address, and a limit must not refuse any of them.
pub(crate) fn check(
    portal: &Portal,
    http: &HttpRequest,
    context: &RequestContext,
) -> Result<(), Fault> {
    match opened(portal, http) {
        Some(_) => Ok(()),
        None => {
            context.count_address(http)?;
            Err(Fault::Gone)
        }
    }
}

fn opened(portal: &Portal, http: &HttpRequest) -> Option<Ending> {
    is_here(http).then(|| portal.tokens.open(http.match_info().get("token")?))?
}

/// Whether a path is that of a link by which mails end.
pub(crate) fn is_here(http: &HttpRequest) -> bool {
    http.match_pattern().is_some_and(|pattern| pattern.ends_with("/unsubscribe/{token}"))
}

/// The site of a request. A link is good for ever: it belongs to its organization even if the
/// organization has lost the slug or the host that it names. The host of another organization shows
/// nothing of it.
pub(crate) async fn site(portal: &Portal, http: &HttpRequest, named: Site) -> Result<Site, Fault> {
    let Some(ending) = opened(portal, http) else { return Ok(named) };
    let there = portal.frames.at(named.clone()).await?;
    let is_kept = there.as_ref().is_some_and(|frame| {
        frame.organization.id == ending.organization || matches!(named, Site::Host(_))
    });
    if is_kept {
        return Ok(named);
    }
    let found = unsubscribe::reader(&portal.ports, ending).await?;
    Ok(found.map_or(named, |(organization, _)| Site::Slug(organization.slug.into())))
}

/// Replaces the path of a link in logs and metrics.
pub(crate) const SHOWN_UNSUBSCRIBE: &str = "/unsubscribe/…";

/// The greatest length of a body, in bytes. A form's body and that of RFC 8058 are far shorter.
const MAX_BODY: usize = 4096;
