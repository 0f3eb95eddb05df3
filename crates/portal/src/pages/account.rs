//! The visitor's account, and the pages of people.

use super::account_mail::MailPart;
use super::writing::back_to;
use crate::views::{Face, PostRow};
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_app::portal::{self, AccountPatch};
use hearback_app::sign_in;
use hearback_domain::Time;
use hearback_domain::edit::Patch;
use hearback_domain::id::{UserId, parse_uuid};
use hearback_domain::one_person::Traces;
use hearback_domain::session::TokenDigest;
use hearback_domain::text::ShortText;
use hearback_domain::web_url::WebUrl;
use hearback_web::chrome::{Chrome, Part, key};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::form::{Faults, Fields};
use hearback_web::images;
use hearback_web::text::Language;
use hearback_web::visit::{Answer, Request, protect};

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    c: Chrome,
    name: String,
    locale: String,
    mail: MailPart,
    by_password: bool,
    sessions: Vec<SessionView>,
    has_others: bool,
    is_on_team: bool,
    faults: Faults,
}

struct SessionView {
    /// The digest of the token, which ends the session and cannot begin one.
    id: String,
    /// The browser and its system.
    agent: String,
    seen_at: Time,
    is_this: bool,
}

/// `GET /account`
pub(crate) async fn account(request: Request) -> Answer {
    page(&request, &Fields::default(), Faults::default()).await
}

/// The page, with what the visitor has typed into one of its forms.
pub(super) async fn page(request: &Request, typed: &Fields, faults: Faults) -> Answer {
    let Request { visit, web, .. } = request;
    let (this, user) = visit.oneself()?;
    let sessions = sign_in::sessions(&web.ports, visit).await?;
    let c = request.chrome(Part::None);
    let locale = typed.typed("locale").unwrap_or(&user.locale);
    let locale = Language::named(locale).map_or("", |language| language.tag);
    request.page(&AccountPage {
        name: typed.typed("name").unwrap_or(&user.name).to_owned(),
        locale: locale.to_owned(),
        mail: MailPart::load(request, user, &c, typed.typed("email")).await?,
        by_password: visit.frame.organization.portal.signs_in_by_password,
        has_others: sessions.len() > 1,
        is_on_team: visit.is_on_team(),
        sessions: sessions
            .into_iter()
            .map(|session| SessionView {
                id: URL_SAFE_NO_PAD.encode(session.digest.0),
                is_this: session.digest == this.digest,
                agent: browser(&session.agent),
                seen_at: session.seen_at,
            })
            .collect(),
        faults,
        c: Chrome { is_indexed: false, ..c },
    })
}

/// `POST /account`
pub(crate) async fn save(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    let typed = fields.get("name").trim().to_owned();
    let mut faults = Faults::default();
    let name = ShortText::parse(&typed).ok().filter(|_| !typed.is_empty());
    if name.is_none() {
        let c = request.chrome(Part::None);
        let text = if typed.is_empty() { c.t("fault-name") } else { c.n("fault-too-long", &512) };
        faults.add("name", text);
        return page(&request, &fields, faults).await;
    }
    let locale = Language::named(fields.get("locale")).map(|language| language.tag);
    let patch = AccountPatch {
        name,
        locale: ShortText::parse(locale.unwrap_or_default()).ok(),
        ..AccountPatch::default()
    };
    portal::save_account(&request.web.ports, &request.visit, patch).await?;
    Ok(request.see(&with_fields(&format!("{}/account", request.base), &[("done", "saved")])))
}

/// `POST /account/picture`: the visitor's picture, a new one or none.
pub(crate) async fn save_picture(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    let picture = match &fields.file {
        _ if fields.get("remove") == "yes" => Ok(Patch::Clear),
        None => Err(request.language.text(key("fault-image-missing"))),
        Some(file) => images::take(&request, file).await?.map(|image| {
            let url =
                request.chrome(Part::None).full_url(&format!("/images/{}?w=320", image.digest));
            // The address of a portal is a URL.
            WebUrl::parse(&url).map_or(Patch::Keep, Patch::Set)
        }),
    };
    let picture = match picture {
        Ok(picture) => picture,
        Err(words) => {
            let mut faults = Faults::default();
            faults.add("image", words);
            return page(&request, &fields, faults).await;
        }
    };
    let patch = AccountPatch { picture, ..AccountPatch::default() };
    portal::save_account(&request.web.ports, &request.visit, patch).await?;
    Ok(request.see(&with_fields(&format!("{}/account", request.base), &[("done", "saved")])))
}

/// `GET /account/export`: all that is stored of the visitor, as a file.
pub(crate) async fn export(request: Request) -> Answer {
    request.count()?;
    let export = portal::export_account(&request.web.ports, &request.visit).await?;
    let text = serde_json::to_string_pretty(&export)
        .map_err(|error| Fault::Failure(hearback_http::Failure::Unwritable(error)))?;
    let mut response = HttpResponse::Ok();
    protect(&mut response, false);
    Ok(response
        .insert_header((CONTENT_TYPE, "application/json"))
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"account.json\""))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text))
}

#[derive(Template)]
#[template(path = "delete_account.html")]
struct DeletePage {
    c: Chrome,
}

/// `GET /account/delete`: asks.
pub(crate) async fn ask_delete(request: Request) -> Answer {
    let (_, user) = request.visit.oneself()?;
    if user.role().is_some() {
        return Err(Fault::Gone);
    }
    let c = Chrome { is_indexed: false, ..request.chrome(Part::None) };
    request.page(&DeletePage { c })
}

/// `POST /account/delete`
pub(crate) async fn delete(request: Request) -> Answer {
    let fields = request.form().await?;
    let traces = match fields.get("traces") {
        "delete" => Traces::Delete,
        _ => Traces::Anonymize,
    };
    portal::erase_account(&request.web.ports, &request.visit, traces).await?;
    let path = with_fields(&format!("{}/", request.base), &[("done", "deleted")]);
    Ok(request.see_with(&path, Some(request.no_session())))
}

/// `POST /account/sessions`: ends one session, or all but this one.
pub(crate) async fn end_sessions(request: Request) -> Answer {
    let fields = request.form().await?;
    let Request { visit, web, .. } = &request;
    visit.oneself()?;
    match fields.given("session") {
        Some(id) => {
            let digest = URL_SAFE_NO_PAD.decode(id).ok().and_then(|it| it.try_into().ok());
            let digest = digest.map(TokenDigest).ok_or(Fault::Gone)?;
            sign_in::end_session(&web.ports, visit, digest).await?;
        }
        None => sign_in::end_others(&web.ports, visit).await?,
    }
    Ok(request.see(&with_fields(&format!("{}/account", request.base), &[("done", "saved")])))
}

/// `POST /language`: the language that the browser keeps.
pub(crate) async fn language(request: Request) -> Answer {
    let fields = request.form().await?;
    let language = Language::named(fields.get("language")).ok_or(Fault::Gone)?;
    let back = back_to(&request, &fields, &format!("{}/", request.base));
    Ok(request.see_with(&back, Some(request.language_cookie(language))))
}

#[derive(Template)]
#[template(path = "profile.html")]
struct ProfilePage {
    c: Chrome,
    face: Face,
    since: Time,
    posts: Vec<PostRow>,
}

/// `/u/{id}`
pub(crate) async fn profile(request: Request) -> Answer {
    let Request { visit, web, .. } = &request;
    let id: UserId = parse_uuid(request.part("id")).ok_or(Fault::Gone)?.into();
    let (byline, since, posts) = portal::profile(&web.ports, visit, id).await?;
    let c = request.chrome(Part::None);
    request.page(&ProfilePage {
        face: Face::of(&byline, &c),
        posts: posts.iter().map(|seen| PostRow::of(seen, visit, &c)).collect(),
        since,
        c: Chrome { is_indexed: false, ..c },
    })
}

/// What a person calls the browser that names itself so: `Firefox, Linux`. Another program keeps its
/// name.
fn browser(agent: &str) -> String {
    let first = |known: &[(&str, &'static str)]| {
        known.iter().find(|(part, _)| agent.contains(part)).map(|(_, name)| *name)
    };
    // Most browsers name those that they are like, too. The order finds the one that is meant.
    let name = first(&[
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("SamsungBrowser/", "Samsung Internet"),
        ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("CriOS/", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = first(&[
        ("Windows", "Windows"),
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ]);
    match (name, system) {
        (Some(name), Some(system)) => format!("{name}, {system}"),
        (Some(name), None) => name.to_owned(),
        (None, _) => agent.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_has_the_name_that_people_know() {
        let like = |rest: &str| format!("Mozilla/5.0 {rest}");
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (agent, name) in [
            (
                like(&format!("(X11; Linux x86_64) {webkit} Chrome/156.0.0.0 Safari/537.36")),
                "Chrome, Linux",
            ),
            (
                like(&format!(
                    "(Windows NT 10.0; Win64; x64) {webkit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0"
                )),
                "Edge, Windows",
            ),
            (
                like(&format!(
                    "(Linux; Android 10; K) {webkit} Chrome/156.0.0.0 Mobile Safari/537.36"
                )),
                "Chrome, Android",
            ),
            (like("(X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"), "Firefox, Linux"),
            (
                like(
                    "(iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
                ),
                "Safari, iPhone",
            ),
            (
                like(
                    "(Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
                ),
                "Safari, macOS",
            ),
            ("curl/8.5.0".to_owned(), "curl/8.5.0"),
            (String::new(), ""),
        ] {
            assert_eq!(browser(&agent), name, "{agent}");
        }
    }
}
