//! The ways to sign in that have secrets: providers of OpenID Connect, and single sign-on.

use super::Frame;
use crate::desk::Desk;
use crate::refusals;
use crate::values::moment;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderValue};
use askama::Template;
use hearback_app::Error;
use hearback_app::oidc::callback_path;
use hearback_app::oidc_providers::{self, NewProvider, ProviderError};
use hearback_app::portal::home;
use hearback_app::sso::SsoSecret;
use hearback_app::sso_secrets::{self, SsoSecretError};
use hearback_app::sso_sign_in::{self, Checked, SsoRefusal};
use hearback_app::vault::SecretError;
use hearback_domain::id::parse_uuid;
use hearback_domain::oidc::{ClaimNames, Issuer, MOST_PROVIDERS, OidcProvider, ProviderText};
use hearback_domain::permission::{Permission, Role};
use hearback_domain::record::Kind;
use hearback_domain::sso_secret::MOST_SSO_SECRETS;
use hearback_ports::portal::Setting;
use hearback_web::chrome::{Chrome, key};
use hearback_web::form::{Faults, Fields};
use hearback_web::{Answer, Fault, Request};

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    f: Frame,
    providers: Vec<Provider>,
    /// The fields of the form of a new provider. Empty if no other one fits.
    lines: Vec<Line>,
    /// Whether the new provider signs in members, too. `None` if the member may not add such a one.
    for_members: Option<bool>,
    /// When the secrets were made: the present one, then the former one.
    secrets: Vec<String>,
    /// Whether another secret fits.
    has_room: bool,
    /// The secret that was just made.
    shown: Option<SsoSecret>,
    /// The removal that the page asks about.
    asked: Option<Asked>,
    verdict: Option<Verdict>,
    faults: Faults,
}

/// A provider of the list.
struct Provider {
    id: String,
    name: String,
    issuer: String,
    client_id: String,
    for_members: bool,
    callback: String,
}

/// A field of the form of a new provider.
struct Line {
    name: &'static str,
    label: String,
    kind: &'static str,
    value: String,
}

/// A removal, which cannot be undone.
enum Asked {
    /// The removal of a provider.
    Remove { id: String, name: String },
    /// That of the former secret.
    Retire,
}

/// The result of the check of a token.
struct Verdict {
    text: String,
    /// What is wrong with the token, for those who write the signer.
    detail: Option<String>,
    /// The identifier in the software that made the token.
    external_id: Option<String>,
    /// The address of the person's page.
    person: Option<String>,
}

impl Line {
    /// The identifier of the hint. Empty if there is none.
    fn hint_id(&self) -> &'static str {
        if self.kind == "password" { "client-secret-hint" } else { "" }
    }
}

/// The parts of a page that are not stored.
#[derive(Default)]
struct State {
    typed: Fields,
    faults: Faults,
    shown: Option<SsoSecret>,
    verdict: Option<Verdict>,
}

/// The path of the page.
const PATH: &str = "/dashboard/sign-in";

/// The fields of a new provider, each with the key of its words, and its kind.
const LINES: [(&str, &str, &str); 8] = [
    ("name", key("ways-name"), "text"),
    ("issuer", key("ways-issuer"), "url"),
    ("client_id", key("ways-client-id"), "text"),
    ("client_secret", key("ways-client-secret"), "password"),
    ("email_claim", key("ways-email-claim"), "text"),
    ("email_verified_claim", key("ways-verified-claim"), "text"),
    ("name_claim", key("ways-name-claim"), "text"),
    ("picture_claim", key("ways-picture-claim"), "text"),
];

/// `GET /dashboard/sign-in`
pub(crate) async fn show(request: Request) -> Answer {
    page(&enter(request)?, State::default()).await
}

fn enter(request: Request) -> Result<Desk, Fault> {
    let desk = Desk::enter(request)?;
    match desk.may(Permission::Manage(Kind::Organization)) {
        true => Ok(desk),
        false => Err(Fault::Gone),
    }
}

async fn page(desk: &Desk, state: State) -> Answer {
    let State { typed, faults, shown, verdict } = state;
    let ports = &desk.request.web.ports;
    let stored = oidc_providers::list(ports, desk.caller("oidc/list")).await.map_err(provider)?;
    let secrets = sso_secrets::list(ports, desk.caller("sso/list")).await.map_err(secret)?;
    let f = desk.frame(PATH, desk.request.language.text("desk-sign-in")).await?;
    let home = address(desk, &f.c).await?;
    let present = |OidcProvider { id, name, issuer, client_id, for_members, .. }| Provider {
        id: id.to_string(),
        callback: format!("{home}{}", callback_path(id)),
        name,
        issuer,
        client_id,
        for_members,
    };
    let providers: Vec<Provider> = stored.into_iter().map(present).collect();
    let usual = ClaimNames::default();
    let line = |(name, words, kind): &(&'static str, &str, &'static str)| Line {
        name,
        label: f.c.t(words),
        kind,
        value: match (*name, typed.typed(name)) {
            ("client_secret", _) => String::new(),
            (_, Some(typed)) => typed.to_owned(),
            ("email_claim", None) => usual.email.clone(),
            ("email_verified_claim", None) => usual.email_verified.clone(),
            ("name_claim", None) => usual.name.clone(),
            ("picture_claim", None) => usual.picture.clone(),
            _ => String::new(),
        },
    };
    let has_room = providers.len() < MOST_PROVIDERS;
    let may_add_for_members = desk.role.may_give(None, Some(Role::Owner));
    let page = SignInPage {
        lines: LINES.iter().filter(|_| has_room).map(line).collect(),
        for_members: may_add_for_members.then(|| typed.get("for_members") == "yes"),
        has_room: secrets.len() < MOST_SSO_SECRETS,
        asked: asked(&desk.request.query, &providers, secrets.len()),
        secrets: secrets.iter().map(|made| moment(&made.to_string())).collect(),
        providers,
        shown,
        verdict,
        f,
        faults,
    };
    let is_good = page.faults.is_empty();
    let status = if is_good { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let mut response = desk.request.page_with(status, &page)?;
    // The page may have a secret.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().remove(ETAG);
    Ok(response)
}

/// The removal that the query names, if there is something to remove.
fn asked(query: &Fields, providers: &[Provider], secrets: usize) -> Option<Asked> {
    match query.get("ask") {
        "remove" => {
            let provider = providers.iter().find(|provider| provider.id == query.get("id"))?;
            Some(Asked::Remove { id: provider.id.clone(), name: provider.name.clone() })
        }
        "retire" => (secrets > 1).then_some(Asked::Retire),
        _ => None,
    }
}

/// The address of the portal, without a slash at its end. Providers know no other one.
async fn address(desk: &Desk, c: &Chrome) -> Result<String, Fault> {
    let Request { web, visit, .. } = &desk.request;
    let public = format!("{}{}", c.origin, web.address.path());
    let home = home(&web.ports, &visit.frame.organization, &public).await;
    Ok(home.map_err(Error::from)?)
}

/// `POST /dashboard/sign-in`: adds or removes a provider, makes or removes a secret, or checks a
/// token.
pub(crate) async fn act(request: Request) -> Answer {
    let desk = enter(request)?;
    let typed = desk.request.form().await?;
    let (ports, vault) = (&desk.request.web.ports, &desk.request.web.vault);
    let done = match typed.get("act") {
        "add" => return add(&desk, typed).await,
        "check" => return check(&desk, &typed).await,
        "remove" => {
            let id = parse_uuid(typed.get("id")).ok_or(Fault::Gone)?.into();
            match oidc_providers::remove(ports, desk.caller("oidc/remove"), id).await {
                // Somebody else was faster.
                Ok(()) | Err(ProviderError::Unknown(_)) => return Ok(saved(&desk)),
                Err(error) => return Err(provider(error)),
            }
        }
        "generate" => {
            sso_secrets::generate(ports, vault, desk.caller("sso/generate")).await.map(Some)
        }
        "retire" => sso_secrets::retire(ports, desk.caller("sso/retire")).await.map(|()| None),
        _ => return Err(Fault::Gone),
    };
    match done {
        Ok(None) => Ok(saved(&desk)),
        Ok(shown) => page(&desk, State { shown, ..State::default() }).await,
        Err(SsoSecretError::TwoSecrets | SsoSecretError::NoFormer | SsoSecretError::Raced) => {
            let mut faults = Faults::default();
            faults.add("secrets", desk.request.language.text(key("ways-raced")));
            page(&desk, State { faults, ..State::default() }).await
        }
        Err(error) => Err(secret(error)),
    }
}

fn saved(desk: &Desk) -> actix_web::HttpResponse {
    desk.request.see(&format!("{}{PATH}?done=saved", desk.request.base))
}

async fn add(desk: &Desk, typed: Fields) -> Answer {
    let (web, c) = (&desk.request.web, desk.chrome());
    let mut faults = Faults::default();
    if let Some(new) = new_provider(desk, &c, &typed, &mut faults) {
        let (caller, secret) = (desk.caller("oidc/add"), typed.get("client_secret"));
        match oidc_providers::add(&web.ports, &web.vault, caller, new, secret).await {
            Ok(_) => return Ok(saved(desk)),
            Err(ProviderError::OwnersAlone) => faults.add("add", c.t("ways-owners-alone")),
            Err(ProviderError::TooMany) => faults.add("providers", full(&c)),
            Err(error) => return Err(provider(error)),
        }
    }
    page(desk, State { typed, faults, ..State::default() }).await
}

/// The provider that was typed, unless a field is wrong.
fn new_provider(
    desk: &Desk,
    c: &Chrome,
    typed: &Fields,
    faults: &mut Faults,
) -> Option<NewProvider> {
    for (name, ..) in LINES.iter().filter(|(name, ..)| typed.given(name).is_none()) {
        faults.add(name, c.t("fault-required"));
    }
    let issuer = typed.given("issuer").map(Issuer::parse);
    match &issuer {
        Some(Ok(issuer)) if !desk.request.web.oidc.admits(issuer.as_str()) => {
            faults.add("issuer", c.t("fault-issuer"));
        }
        Some(Err(_)) => faults.add("issuer", c.t("fault-url")),
        Some(Ok(_)) | None => {}
    }
    let mut text = |name| read(c, typed, name, faults);
    let (name, client_id) = (text("name"), text("client_id"));
    let mut claim = |name| text(name).map(String::from);
    let (email, email_verified) = (claim("email_claim"), claim("email_verified_claim"));
    let (name_claim, picture) = (claim("name_claim"), claim("picture_claim"));
    if !faults.is_empty() {
        return None;
    }
    Some(NewProvider {
        name: name?,
        issuer: issuer?.ok()?,
        client_id: client_id?,
        claims: ClaimNames {
            email: email?,
            email_verified: email_verified?,
            name: name_claim?,
            picture: picture?,
        },
        for_members: typed.get("for_members") == "yes",
    })
}

/// A text of a new provider. That a field is empty is told elsewhere.
fn read(
    c: &Chrome,
    typed: &Fields,
    name: &'static str,
    faults: &mut Faults,
) -> Option<ProviderText> {
    let read = ProviderText::read(typed.given(name)?);
    read.map_err(|wrong| faults.add(name, refusals::words(c, &wrong))).ok()
}

/// Says that no other provider fits.
fn full(c: &Chrome) -> String {
    c.n("ways-full", &i64::try_from(MOST_PROVIDERS).unwrap_or(i64::MAX))
}

/// Says what a token would do. Nothing is changed, and the token stays good.
async fn check(desk: &Desk, typed: &Fields) -> Answer {
    let (web, c) = (&desk.request.web, desk.chrome());
    let organization = &desk.request.visit.frame.organization;
    let Some(token) = typed.given("token") else {
        let mut faults = Faults::default();
        faults.add("token", c.t("fault-required"));
        return page(desk, State { faults, ..State::default() }).await;
    };
    let home = address(desk, &c).await?;
    let origin: Vec<&str> = home.splitn(4, '/').take(3).collect();
    let audiences = sso_sign_in::audiences(organization, &origin.join("/"), &home);
    let bad = |text, detail| Verdict { text, detail, external_id: None, person: None };
    let (ports, vault) = (&web.ports, &web.vault);
    let checked = sso_sign_in::check(ports, vault, organization.id, token, &audiences).await?;
    let verdict = match checked {
        Ok(Checked { person, user }) => Verdict {
            text: match &user {
                Some(_) => c.x("ways-token-known", "email", person.email.as_str()),
                None => c.x("ways-token-new", "email", person.email.as_str()),
            },
            detail: None,
            external_id: Some(person.external_id.into()),
            person: user.map(|user| c.url(&format!("/dashboard/people/{}", user.user_id))),
        },
        Err(SsoRefusal::TeamMember) => bad(c.t("sso-team"), None),
        Err(SsoRefusal::Blocked) => bad(c.t("refused-blocked"), None),
        Err(why) => bad(c.t("ways-token-bad"), Some(why.to_string())),
    };
    page(desk, State { verdict: Some(verdict), ..State::default() }).await
}

/// The page of an error about a provider that no field is to blame for.
fn provider(error: ProviderError) -> Fault {
    match error {
        ProviderError::Denied(error) => Error::from(error).into(),
        ProviderError::Seal(error) => Error::from(SecretError::from(error)).into(),
        ProviderError::Store(error) => Error::from(error).into(),
        ProviderError::NoSecret
        | ProviderError::OwnersAlone
        | ProviderError::TooMany
        | ProviderError::Unknown(_) => Fault::Gone,
    }
}

/// The page of an error about a secret.
fn secret(error: SsoSecretError) -> Fault {
    match error {
        SsoSecretError::Denied(error) => Error::from(error).into(),
        SsoSecretError::Randomness(error) => Error::from(SecretError::from(error)).into(),
        SsoSecretError::Seal(error) => Error::from(SecretError::from(error)).into(),
        SsoSecretError::Store(error) => Error::from(error).into(),
        SsoSecretError::TwoSecrets | SsoSecretError::NoFormer | SsoSecretError::Raced => {
            Fault::Gone
        }
    }
}
