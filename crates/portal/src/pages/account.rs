//! The visitor's account, and the pages of people.

use super::writing::back_to;
use crate::chrome::{Chrome, Part};
use crate::fault::Fault;
use crate::form::Faults;
use crate::text::Language;
use crate::views::{Face, PostRow, with_fields};
use crate::visit::{Answer, Request};
use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_app::portal::{self, AccountPatch};
use hearback_app::sign_in;
use hearback_domain::Time;
use hearback_domain::id::{UserId, parse_uuid};
use hearback_domain::session::TokenDigest;
use hearback_domain::text::ShortText;

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    c: Chrome,
    name: String,
    email: String,
    locale: String,
    is_subscribed: bool,
    sessions: Vec<SessionView>,
    has_others: bool,
    faults: Faults,
}

struct SessionView {
    /// The digest of the token, which ends the session and cannot begin one.
    id: String,
    agent: String,
    seen_at: Time,
    is_this: bool,
}

/// `GET /account`
pub(crate) async fn account(request: Request) -> Answer {
    page(&request, None, Faults::default()).await
}

async fn page(request: &Request, name: Option<String>, faults: Faults) -> Answer {
    let Request { visit, portal, .. } = request;
    let (this, user) = visit.signed_in.as_ref().ok_or(Fault::SignIn)?;
    let sessions = sign_in::sessions(&portal.ports, visit).await?;
    let c = request.chrome(Part::None);
    let locale = Language::named(&user.locale).map_or("", |language| language.tag);
    request.page(&AccountPage {
        name: name.unwrap_or_else(|| user.name.clone()),
        email: user.email.clone(),
        locale: locale.to_owned(),
        is_subscribed: user.is_subscribed,
        has_others: sessions.len() > 1,
        sessions: sessions
            .into_iter()
            .map(|session| SessionView {
                id: URL_SAFE_NO_PAD.encode(session.digest.0),
                is_this: session.digest == this.digest,
                agent: session.agent,
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
        return page(&request, Some(typed), faults).await;
    }
    let locale = Language::named(fields.get("locale")).map(|language| language.tag);
    let patch = AccountPatch {
        name,
        locale: ShortText::parse(locale.unwrap_or_default()).ok(),
        is_subscribed: Some(fields.get("mail") == "yes"),
    };
    portal::save_account(&request.portal.ports, &request.visit, patch).await?;
    Ok(request.see(&with_fields(&format!("{}/account", request.base), &[("done", "saved")])))
}

/// Sets whether the visitor gets mail.
pub(crate) async fn subscribe(request: &Request, wanted: bool) -> Result<(), Fault> {
    let patch = AccountPatch { is_subscribed: Some(wanted), ..AccountPatch::default() };
    Ok(portal::save_account(&request.portal.ports, &request.visit, patch).await?)
}

/// `POST /account/sessions`: ends one session, or all but this one.
pub(crate) async fn end_sessions(request: Request) -> Answer {
    let fields = request.form().await?;
    let Request { visit, portal, .. } = &request;
    if visit.user().is_none() {
        return Err(Fault::SignIn);
    }
    match fields.given("session") {
        Some(id) => {
            let digest = URL_SAFE_NO_PAD.decode(id).ok().and_then(|it| it.try_into().ok());
            let digest = digest.map(TokenDigest).ok_or(Fault::Gone)?;
            sign_in::end_session(&portal.ports, visit, digest).await?;
        }
        None => sign_in::end_others(&portal.ports, visit).await?,
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
    let Request { visit, portal, .. } = &request;
    let id: UserId = parse_uuid(request.part("id")).ok_or(Fault::Gone)?.into();
    let (byline, since, posts) = portal::profile(&portal.ports, visit, id).await?;
    let c = request.chrome(Part::None);
    request.page(&ProfilePage {
        face: Face::of(&byline, &c),
        posts: posts.iter().map(|seen| PostRow::of(seen, visit, &c)).collect(),
        since,
        c: Chrome { is_indexed: false, ..c },
    })
}
