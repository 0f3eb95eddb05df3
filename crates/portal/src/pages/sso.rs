//! Single sign-on: the way to the sign-in of the organization's own software, and back with a
//! token.

use super::sign_in::enter;
use actix_web::cookie::time::Duration;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use askama::Template;
use hearback_app::sso_sign_in::{self, SsoAnswer, SsoRefusal};
use hearback_domain::return_to::ReturnTo;
use hearback_web::chrome::{Chrome, Part};
use hearback_web::fault::Fault;
use hearback_web::visit::{Answer, Request};
use url::Url;

#[derive(Template)]
#[template(path = "sso.html")]
struct RefusalPage {
    c: Chrome,
    text: String,
    /// What is wrong with the token, for those who write the signer.
    detail: Option<String>,
    again: String,
}

/// `GET /sso?return_to=`
pub(crate) async fn begin(request: Request) -> Answer {
    let mut there = address(&request)?;
    let Request { visit, web, .. } = &request;
    let return_to = ReturnTo::parse(request.query.get("return_to"));
    let (organization, now) = (visit.organization(), web.ports.clock.now());
    let departure = sso_sign_in::depart(&web.vault, organization, &return_to, now)?;
    let callback = request.chrome(Part::None).full_url("/sso/callback");
    there
        .query_pairs_mut()
        .append_pair("redirect", &callback)
        .append_pair("organization_id", &organization.to_string())
        .append_pair("return_to", return_to.as_str())
        .append_pair("state", departure.state.reveal());
    let minutes = Duration::milliseconds(sso_sign_in::STATE_MILLIS);
    let cookie = request.cookie(&cookie_name(&request), departure.cookie, Some(minutes));
    Ok(request.see_with(there.as_str(), Some(cookie)))
}

/// `GET /sso/callback?token=&state=`
pub(crate) async fn callback(request: Request) -> Answer {
    request.count()?;
    address(&request)?;
    let Request { visit, web, query, .. } = &request;
    let (organization, now) = (visit.organization(), web.ports.clock.now());
    let c = request.chrome(Part::None);
    let name = cookie_name(&request);
    let returned = request.sent_cookie(&name).and_then(|cookie| {
        let (cookie, state) = (cookie.value(), query.get("state"));
        sso_sign_in::returned(&web.vault, organization, cookie, state, now)
    });
    // A token of somebody else would sign the visitor in to an account that is not the visitor's.
    let Some(return_to) = returned else {
        return refusal(&request, c.t("sso-state"), None, &ReturnTo::default());
    };
    let token = TOKEN_NAMES.iter().map(|name| query.get(name)).find(|token| !token.is_empty());
    let home = c.full_url("");
    let audiences = sso_sign_in::audiences(&visit.frame.organization, &c.origin, &home);
    let answer = sso_sign_in::sign_in(
        &web.ports,
        &web.vault,
        &visit.frame,
        token.unwrap_or_default(),
        &audiences,
        request.agent(),
    );
    match answer.await? {
        SsoAnswer::SignedIn(session) => {
            // The state is good once.
            let mut over = request.cookie(&name, String::new(), Some(Duration::ZERO));
            over.make_removal();
            request.set_cookie(over);
            enter(&request, &session, &request.own(return_to.as_str())).await
        }
        SsoAnswer::Refused(why) => {
            tracing::info!(reason = %why, "a token of single sign-on was refused");
            let (text, detail) = match why {
                SsoRefusal::TeamMember => (c.t("sso-team"), None),
                SsoRefusal::Blocked => (c.t("refused-blocked"), None),
                SsoRefusal::Fault(_) | SsoRefusal::Used => {
                    (c.x("sso-token", "name", &c.name), Some(why.to_string()))
                }
            };
            refusal(&request, text, detail, &return_to)
        }
    }
}

/// The address of the organization's own sign-in. Without one, there is no single sign-on.
fn address(request: &Request) -> Result<Url, Fault> {
    let url = request.visit.frame.organization.portal.sso_url.as_deref();
    url.and_then(|url| Url::parse(url).ok()).ok_or(Fault::Gone)
}

/// The page that says why nobody was signed in.
pub(super) fn refusal(
    request: &Request,
    text: String,
    detail: Option<String>,
    return_to: &ReturnTo,
) -> Answer {
    let c = request.chrome(Part::None);
    let again = c.sign_in_to(return_to.as_str());
    let page = RefusalPage { text, detail, again, c: Chrome { is_indexed: false, ..c } };
    let mut response = request.page_with(StatusCode::FORBIDDEN, &page)?;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// The name of the cookie of an organization. Organizations may share a host.
fn cookie_name(request: &Request) -> String {
    format!("hearback-sso-{}", request.visit.organization().0.simple())
}

/// The names that tools have for the token.
const TOKEN_NAMES: [&str; 3] = ["token", "ssoToken", "jwt"];
