//! Signing in by a provider of OpenID Connect: the way there, and back.

use super::sign_in::enter;
use super::sso::refusal;
use actix_web::cookie::time::Duration;
use hearback_app::oidc::{self, Arrival, OidcAnswer, OidcRefusal};
use hearback_app::portal::home;
use hearback_domain::id::{OidcProviderId, parse_uuid};
use hearback_domain::oidc::{AWAY_MILLIS, OidcProvider};
use hearback_domain::return_to::ReturnTo;
use hearback_ports::oidc::OidcFault;
use hearback_web::chrome::{Chrome, Part};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::visit::{Answer, Request};

/// A provider, as a button of the page to sign in.
pub(super) struct ProviderButton {
    pub(super) name: String,
    pub(super) href: String,
}

/// The buttons of the providers.
pub(super) async fn buttons(
    request: &Request,
    return_to: &ReturnTo,
) -> Result<Vec<ProviderButton>, Fault> {
    let organization = request.visit.organization();
    let providers = request.web.ports.oidc.providers(organization).await;
    let button = |OidcProvider { id, name, .. }: OidcProvider| {
        let path = format!("{}/sign-in/oidc/{id}", request.base);
        ProviderButton { name, href: with_fields(&path, &[("return_to", return_to.as_str())]) }
    };
    let providers = providers.map_err(hearback_app::Error::from)?;
    Ok(providers.into_iter().map(button).collect())
}

/// `GET /sign-in/oidc/{provider}?return_to=`
pub(crate) async fn begin(request: Request) -> Answer {
    request.count()?;
    request.count_form()?;
    let provider = provider(&request).await?;
    let Request { visit, web, .. } = &request;
    let c = request.chrome(Part::None);
    let return_to = request.own(request.query.get("return_to"));
    if let Some(elsewhere) = elsewhere(&request, &c).await? {
        let path = format!("{elsewhere}/sign-in/oidc/{}", provider.id);
        let inner = return_to.strip_prefix(&*request.base).unwrap_or_default();
        let home = elsewhere.splitn(4, '/').nth(3).map(|path| format!("/{path}"));
        let return_to = format!("{}{inner}", home.unwrap_or_default());
        return Ok(request.see(&with_fields(&path, &[("return_to", &return_to)])));
    }
    let (ports, vault, client) = (&web.ports, &web.vault, &*web.oidc);
    let (organization, callback) = (visit.organization(), callback_of(&c, &provider));
    let return_to = ReturnTo::parse(&return_to);
    let departure =
        oidc::depart(ports, client, vault, organization, &provider, callback, &return_to).await?;
    match departure {
        Ok(departure) => {
            let minutes = Duration::milliseconds(AWAY_MILLIS);
            let cookie = request.cookie(&cookie_name(&request), departure.cookie, Some(minutes));
            Ok(request.see_with(&departure.url, Some(cookie)))
        }
        Err(fault) => refused(&request, &provider, fault.into()),
    }
}

/// The address of the organization, if a sign-in has to begin there: providers know one callback
/// address.
async fn elsewhere(request: &Request, c: &Chrome) -> Result<Option<String>, Fault> {
    if request.http.match_info().get("organization").is_none() {
        return Ok(None);
    }
    let public = format!("{}{}", c.origin, request.web.address.path());
    let organization = &request.visit.frame.organization;
    let home = home(&request.web.ports, organization, &public).await;
    let home = home.map_err(hearback_app::Error::from)?;
    Ok(Some(home).filter(|home| *home != c.full_url("")))
}

/// `GET /sign-in/oidc/{provider}/callback`
pub(crate) async fn callback(request: Request) -> Answer {
    request.count()?;
    let provider = provider(&request).await?;
    let Request { visit, web, query, .. } = &request;
    let (name, callback) =
        (cookie_name(&request), callback_of(&request.chrome(Part::None), &provider));
    let cookie = request.sent_cookie(&name);
    let arrival = Arrival {
        cookie: cookie.as_ref().map_or("", |cookie| cookie.value()),
        state: query.get("state"),
        code: query.get("code"),
        error: query.get("error"),
        issuer: query.get("iss"),
        agent: request.agent(),
    };
    // The answer is good once, whatever becomes of it.
    let mut over = request.cookie(&name, String::new(), Some(Duration::ZERO));
    over.make_removal();
    request.set_cookie(over);
    let (ports, vault, client) = (&web.ports, &web.vault, &*web.oidc);
    let frame = &visit.frame;
    match oidc::arrive(ports, client, vault, frame, &provider, callback, arrival).await? {
        OidcAnswer::SignedIn { token, return_to } => {
            enter(&request, &token, &request.own(return_to.as_str())).await
        }
        OidcAnswer::Refused(why) => refused(&request, &provider, why),
    }
}

/// The page that says why nobody was signed in.
fn refused(request: &Request, provider: &OidcProvider, why: OidcRefusal) -> Answer {
    tracing::info!(reason = %why, provider = %provider.id, "a provider signed nobody in");
    let c = request.chrome(Part::None);
    let (text, detail) = match why {
        OidcRefusal::State => (c.t("sso-state"), None),
        OidcRefusal::TeamMember => (c.t("sso-team"), None),
        OidcRefusal::Refused => (c.x("oidc-refused", "name", &provider.name), None),
        OidcRefusal::NoEmail => (c.x("oidc-no-email", "name", &provider.name), None),
        OidcRefusal::Unverified => (c.x("oidc-unverified", "name", &provider.name), None),
        OidcRefusal::Fault(fault) => (c.x("oidc-failed", "name", &provider.name), Some(fault)),
    };
    let detail = detail.as_ref().map(OidcFault::to_string);
    refusal(request, text, detail, &ReturnTo::default())
}

/// The provider that the path names.
async fn provider(request: &Request) -> Result<OidcProvider, Fault> {
    let id: OidcProviderId = parse_uuid(request.part("provider")).ok_or(Fault::Gone)?.into();
    let organization = request.visit.organization();
    oidc::provider(&request.web.ports, organization, id).await?.ok_or(Fault::Gone)
}

fn callback_of(c: &Chrome, provider: &OidcProvider) -> String {
    c.full_url(&oidc::callback_path(provider.id))
}

/// The name of the cookie of an organization. Organizations may share a host.
fn cookie_name(request: &Request) -> String {
    format!("hearback-oidc-{}", request.visit.organization().0.simple())
}
