//! The paths and queries that are secrets: links of mails, and the way back from a provider.

use crate::Web;
use crate::fault::Fault;
use actix_web::HttpRequest;
use hearback_app::portal::Site;
use hearback_app::unsubscribe::{self, Ending};
use hearback_http::RequestContext;

/// Refuses a link that is not good. Only such a request counts against its address: mail providers
/// unsubscribe many people from one address, and a limit must not refuse any of them.
pub fn check_ending(web: &Web, http: &HttpRequest, context: &RequestContext) -> Result<(), Fault> {
    match ending(web, http) {
        Some(_) => Ok(()),
        None => {
            context.count_address(http)?;
            Err(Fault::Gone)
        }
    }
}

/// The mails that a link ends. `None` if the path is another one, or the link is not good.
pub fn ending(web: &Web, http: &HttpRequest) -> Option<Ending> {
    ends_mails(http).then(|| web.tokens.open(http.match_info().get("token")?))?
}

/// Whether a path is that of a link by which mails end.
pub(crate) fn ends_mails(http: &HttpRequest) -> bool {
    http.match_pattern().is_some_and(|pattern| pattern.ends_with("/unsubscribe/{token}"))
}

/// The site of a request. A link is good for ever: it belongs to its organization even if the
/// organization has lost the slug or the host that it names. The host of another organization shows
/// nothing of it.
pub(crate) async fn site(web: &Web, http: &HttpRequest, named: Site) -> Result<Site, Fault> {
    let Some(ending) = ending(web, http) else { return Ok(named) };
    let there = web.frames.at(named.clone()).await?;
    let is_kept = there.as_ref().is_some_and(|frame| {
        frame.organization.id == ending.organization || matches!(named, Site::Host(_))
    });
    if is_kept {
        return Ok(named);
    }
    let found = unsubscribe::reader(&web.ports, ending).await?;
    Ok(found.map_or(named, |(organization, _)| Site::Slug(organization.slug.into())))
}

/// Replaces the path of a link in logs and metrics.
pub const SHOWN_UNSUBSCRIBE: &str = "/unsubscribe/…";

/// Replaces the path of a link in logs and metrics.
pub const SHOWN_LINK: &str = "/sign-in/…";

/// Whether a request has come back with a token or a code. Its address is a secret.
pub fn is_callback(http: &HttpRequest) -> bool {
    http.match_pattern().is_some_and(|pattern| pattern.ends_with("/callback"))
}

/// The path of the answer in logs and metrics, whatever portal it is for.
pub const SHOWN_CALLBACK: &str = "/sso/callback";

/// Whether a path is that of a link in a mail, or looks like it.
pub(crate) fn is_of_link(http: &HttpRequest) -> bool {
    let is_link = |path: &str| {
        path.split_once("/sign-in/").is_some_and(|(_, rest)| !["code", "password"].contains(&rest))
    };
    // The router decodes paths.
    is_link(http.path()) || http.match_pattern().is_some_and(|pattern| is_link(&pattern))
}
