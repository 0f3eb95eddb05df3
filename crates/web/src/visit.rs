//! A request for a page: the organization, the visitor, the language, and the answer.

use crate::chrome::{Chrome, Part, Visitor, key, theme};
use crate::fault::Fault;
use crate::form::Fields;
use crate::secret_paths::{is_callback, site};
use crate::text::Language;
use crate::{Shared, Web, colors};
use actix_web::cookie::{Cookie, SameSite, time::Duration};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HOST, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH, LOCATION, ORIGIN, REFERRER_POLICY,
    RETRY_AFTER, SET_COOKIE, USER_AGENT, VARY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use askama::Template;
use hearback_app::portal::{self as app, Site, Used, Visit};
use hearback_app::sign_in::{self, Secret};
use hearback_domain::id::OrganizationId;
use hearback_domain::image::MAX_IMAGE;
use hearback_domain::return_to::ReturnTo;
use hearback_domain::session::SESSION_MILLIS;
use hearback_domain::user::User;
use hearback_http::{Failure, RequestContext};
use hearback_ports::deadline;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use tokio::time::timeout;

/// A request for a page.
pub struct Request {
    /// The services of all pages.
    pub web: Arc<Web>,
    /// The organization and the visitor.
    pub visit: Visit,
    /// The language of the page.
    pub language: &'static Language,
    /// The beginning of all addresses of this portal.
    pub base: String,
    /// The fields of the query.
    pub query: Fields,
    /// The request itself.
    pub http: HttpRequest,
    origin: String,
    /// The state that log and metrics share.
    pub context: Rc<RequestContext>,
    /// The token of the session, if the cookie has one.
    token: Option<String>,
    /// The number of the visitor's unread notifications.
    unread: i64,
    answer: Rc<Beside>,
}

/// The cookies and the status of an answer, beside its page.
#[derive(Default)]
pub struct Beside {
    cookies: RefCell<Vec<Cookie<'static>>>,
    /// The typed fields of a form of this site in which visitors write.
    typed: RefCell<Option<String>>,
    /// The status of a page that is not what was asked for, and the seconds after which to ask
    /// again.
    refusal: Cell<Option<(StatusCode, Option<u64>)>>,
    /// The organization of a page that is the same for everybody of whom nothing is known.
    organization: Cell<Option<OrganizationId>>,
    /// The use of the help center that the page counts.
    used: RefCell<Option<Used>>,
}

impl Beside {
    /// Takes what was typed into the form.
    pub fn take_typed(&self) -> Option<String> {
        self.typed.take()
    }

    /// The organization of a page that is the same for everybody of whom nothing is known, and the
    /// use that it counts.
    pub fn of_everybody(&self) -> Option<(OrganizationId, Option<Used>)> {
        let has_cookies = !self.cookies.borrow().is_empty();
        let organization = self.organization.get().filter(|_| !has_cookies)?;
        Some((organization, self.used.borrow().clone()))
    }

    /// Notes that the page is for one request alone.
    pub fn be_of_one(&self) {
        self.organization.set(None);
    }

    /// Adds the cookies to a response, but for those that it has already.
    pub fn add_to(&self, response: &mut HttpResponse) {
        let kept = response.headers().get(CACHE_CONTROL).and_then(|kept| kept.to_str().ok());
        // Others get an answer that a cache between them keeps.
        if kept.is_some_and(|kept| kept.contains("public")) {
            return;
        }
        for cookie in self.cookies.take() {
            if response.cookies().any(|it| it.name() == cookie.name()) {
                continue;
            }
            // A cookie has a name and a value of ASCII.
            if let Ok(cookie) = HeaderValue::from_str(&cookie.to_string()) {
                response.headers_mut().append(SET_COOKIE, cookie);
            }
        }
    }
}

/// An answer to a request for a page.
pub type Answer = Result<HttpResponse, Fault>;

impl Request {
    /// Finds out who asks for what. `answer` is what the answer has beside its page.
    pub async fn new(web: &Shared, http: HttpRequest, answer: Rc<Beside>) -> Result<Self, Fault> {
        let context = RequestContext::of(&http)?;
        let site = site(web, &http, web.address.site(&http)).await?;
        let frame = web.frames.at(site.clone()).await?;
        let frame = frame.ok_or(match site {
            Site::First => Fault::NoOrganization,
            Site::Slug(_) | Site::Host(_) => Fault::Gone,
        })?;
        context.set_organization(frame.organization.id);
        let name = session_cookie(frame.organization.id.0.as_bytes());
        let token = http.cookie(&cookie_name(web, &name)).map(|cookie| cookie.value().to_owned());
        let mut visit = sign_in::visit(&web.ports, frame, token.as_deref()).await?;
        know_guest(web, &http, &mut visit, &answer).await?;
        let unread = app::unread(&web.ports, &visit).await?;
        if let Some(token) = &token
            && sign_in::renew(&web.ports, &visit).await?
        {
            answer.cookies.borrow_mut().push(cookie(web, &name, token.clone(), SESSION_KEPT));
        }
        let token = token.filter(|_| visit.user().is_some());
        if visit.user().is_none() && visit.guest.is_none() {
            answer.organization.set(Some(visit.organization()));
        }
        let request = Self::of(web, http, (context, answer), (site, visit));
        Ok(Self { token, unread, ..request })
    }

    /// The request as one of somebody of whom nothing is known, at an organization as it was a while
    /// ago. Asks the store for nothing.
    pub fn of_former(
        web: &Shared,
        http: HttpRequest,
        answer: Rc<Beside>,
    ) -> Result<Option<Self>, Failure> {
        let context = RequestContext::of(&http)?;
        let site = web.address.site(&http);
        let Some(frame) = web.frames.former(&site) else { return Ok(None) };
        let visit = Visit::of_nobody(frame);
        Ok(Some(Self::of(web, http, (context, answer), (site, visit))))
    }

    fn of(
        web: &Shared,
        http: HttpRequest,
        (context, answer): (Rc<RequestContext>, Rc<Beside>),
        (site, visit): (Site, Visit),
    ) -> Self {
        let web: Arc<Web> = Arc::clone(web.get_ref());
        let base = match &site {
            Site::First => web.address.path().to_owned(),
            // The path of a proxy belongs to the address of the service.
            Site::Host(_) => String::new(),
            Site::Slug(slug) => format!("{}/o/{slug}", web.address.path()),
        };
        Self {
            query: Fields::parse(http.query_string().as_bytes()),
            origin: web.address.origin_of(&site, &http),
            language: language(&web, &http, Some(&visit), visit.user()),
            token: None,
            unread: 0,
            web,
            visit,
            base,
            http,
            context,
            answer,
        }
    }

    /// The request, whose page is for the reader of a mail.
    pub fn for_reader(self, reader: Option<&User>) -> Self {
        let reader = reader.or(self.visit.user());
        let language = language(&self.web, &self.http, Some(&self.visit), reader);
        Self { language, ..self }
    }

    /// Adds a cookie to the answer.
    pub fn set_cookie(&self, cookie: Cookie<'static>) {
        self.answer.cookies.borrow_mut().push(cookie);
    }

    /// Gives the page of the answer a status, and the seconds after which to ask again.
    pub fn refuse(&self, status: StatusCode, retry_after: Option<u64>) {
        self.answer.refusal.set(Some((status, retry_after)));
    }

    /// A part of the path.
    pub fn part(&self, name: &str) -> &str {
        self.http.match_info().get(name).unwrap_or_default()
    }

    /// The path and the query of the request, as the browser has them.
    pub fn here(&self) -> String {
        // No page tells the address of a token to another one.
        if is_callback(&self.http) {
            return format!("{}/", self.base);
        }
        let path = self.http.uri().path_and_query().map_or("/", |it| it.as_str());
        // A proxy takes the path of the service away.
        let public = self.web.address.path();
        match self.base.starts_with(public) {
            true => format!("{public}{path}"),
            false => path.to_owned(),
        }
    }

    /// The name of the browser.
    pub fn agent(&self) -> &str {
        let agent = self.http.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok());
        agent.unwrap_or_default()
    }

    /// Notes that the page is for this request alone.
    pub(crate) fn be_of_one(&self) {
        self.answer.be_of_one();
    }

    /// Counts a search of the help center that has found nothing.
    pub fn count_miss(&self, text: &str) {
        if let Some(search) = app::missed(&self.visit, text) {
            self.count_use(Used::Missed(search));
        }
    }

    /// Counts a use of the help center, unless the browser only loads the page in advance.
    pub fn count_use(&self, used: Used) {
        let headers = self.http.headers();
        let purpose = ["sec-purpose", "purpose"].iter().find_map(|name| headers.get(*name));
        if purpose.is_some_and(|it| it.as_bytes().starts_with(b"prefetch")) {
            self.be_of_one();
            return;
        }
        *self.answer.used.borrow_mut() = Some(used.clone());
        self.web.help_use.count(self.visit.organization(), used);
    }

    /// Counts the request against the limit of its address.
    pub fn count(&self) -> Result<(), Fault> {
        self.be_of_one();
        Ok(self.context.count_address(&self.http)?)
    }

    /// Reads a form. It must come from a page of this portal, and if the visitor has signed in, have
    /// the token of the session.
    pub async fn form(&self) -> Result<Fields, Fault> {
        let headers = self.http.headers();
        let fields = match crate::parts::boundary(headers) {
            Some(boundary) => {
                // A visitor who has not signed in any more keeps what was typed before the file.
                let file = if self.token.is_some() { MAX_IMAGE } else { 0 };
                let (kept, limit) = (MAX_FORM + file, MAX_FORM + 4 * MAX_IMAGE);
                // A short body takes as much memory as any other form, and so no turn. Nobody who has
                // not signed in keeps others from their turns.
                let turn = match file > 0 && !is_short(headers) {
                    true => {
                        let turn = Arc::clone(&self.web.uploads).acquire_owned();
                        let turn = timeout(PATIENCE, turn).await.ok().and_then(Result::ok);
                        Some(turn.ok_or(Failure::NoMemory)?)
                    }
                    false => None,
                };
                let body = self.context.body_beginning(kept, limit, headers).await?;
                deadline::renew();
                Fields::of_parts(&body.freeze(), &boundary).holding(turn)
            }
            None => Fields::parse(&self.context.body_up_to(MAX_FORM, headers).await?),
        };
        if self.is_of_text() && is_same_origin(headers) {
            *self.answer.typed.borrow_mut() = self.typed(&fields);
        }
        self.check_form(&fields)?;
        if self.token.is_some() && self.is_of_text() {
            // The form has come back.
            self.end_draft().await?;
        }
        Ok(fields)
    }

    /// Checks that a form comes from a page of this portal, and if the visitor has signed in, has
    /// the token of the session.
    pub(crate) fn check_form(&self, fields: &Fields) -> Result<(), Fault> {
        let is_own =
            |token: &str| sign_in::is_form_token(&self.web.vault, token, fields.get("form_token"));
        let is_genuine = is_same_origin(self.http.headers());
        match is_genuine && self.token.as_deref().is_none_or(is_own) {
            true => Ok(()),
            false => Err(Fault::Form),
        }
    }

    /// The part of the page that all pages share.
    pub fn chrome(&self, part: Part) -> Chrome {
        let frame = &self.visit.frame;
        let settings = &frame.organization.portal;
        let form_token = match &self.token {
            Some(token) => sign_in::form_token(&self.web.vault, token),
            None => String::new(),
        };
        Chrome {
            base: self.base.clone(),
            service: match self.web.address.site(&self.http) {
                Site::Host(_) => String::new(),
                Site::First | Site::Slug(_) => self.web.address.path().to_owned(),
            },
            origin: self.origin.clone(),
            here: self.here(),
            name: frame.organization.name.clone(),
            logo: settings.logo_url.clone(),
            favicon: settings.favicon_url.clone(),
            colors: colors::digest(frame),
            theme: theme(settings.theme),
            tabs: Chrome::tabs(&self.visit, &self.base, self.language, part),
            visitor: self.visit.user().map(Visitor::of),
            form_token,
            is_on_team: self.visit.is_on_team(),
            has_next_step: self.visit.next_step.is_some(),
            unread: self.unread,
            has_mail_trouble: frame.has_mail_trouble && self.visit.tends_mail(),
            is_indexed: settings.is_indexed && !settings.is_private,
            shows_counts: settings.shows_vote_counts,
            is_embedded: false,
            notice: self.notice(),
            language: self.language,
        }
    }

    fn notice(&self) -> Option<String> {
        let key = match self.query.get("done") {
            "posted" => key("done-posted"),
            "waits" => key("done-waits"),
            "commented" => key("done-commented"),
            "saved" => key("done-saved"),
            "deleted" => key("done-deleted"),
            "signed-in" => key("done-signed-in"),
            "signed-out" => key("done-signed-out"),
            "thanks" => key("done-thanks"),
            "voted" => key("done-voted"),
            "same" => key("done-same"),
            "again" => key("done-again"),
            "not-done" => key("done-not"),
            "address-asked" => key("done-address-asked"),
            "address" => key("done-address"),
            "mail-sent" => key("done-mail-sent"),
            _ => return None,
        };
        Some(self.language.text(key))
    }

    /// A page.
    pub fn page(&self, page: &impl Template) -> Answer {
        let (status, retry_after) = self.answer.refusal.get().unwrap_or((StatusCode::OK, None));
        let mut response = self.page_with(status, page)?;
        if let Some(seconds) = retry_after {
            retry(&mut response, seconds);
        }
        Ok(response)
    }

    /// A page that other sites may embed.
    pub fn embedded(&self, page: &impl Template) -> Answer {
        let mut response = HttpResponse::Ok();
        protect(&mut response, true);
        response.insert_header((CONTENT_TYPE, "text/html; charset=utf-8"));
        response.insert_header((CACHE_CONTROL, "private, no-cache"));
        Ok(response.body(page.render().map_err(broken)?))
    }

    /// A page with a status. A page with the status `200` has a tag, by which a browser that has it
    /// already gets `304`.
    pub fn page_with(&self, status: StatusCode, page: &impl Template) -> Answer {
        let html = page.render().map_err(broken)?;
        let mut response = HttpResponse::build(status);
        protect(&mut response, false);
        response.insert_header((CONTENT_TYPE, "text/html; charset=utf-8"));
        response.insert_header((CACHE_CONTROL, "private, no-cache"));
        response.insert_header((VARY, "Cookie, Accept-Language"));
        if !self.is_indexed() || status != StatusCode::OK {
            response.insert_header((ROBOTS, "noindex"));
        }
        Ok(match status {
            StatusCode::OK => self.tagged(response, html),
            _ => response.body(html),
        })
    }

    /// A response with a tag, by which a browser that has the body already gets `304`.
    pub fn tagged(&self, mut response: HttpResponseBuilder, body: String) -> HttpResponse {
        let tag = format!("W/\"{}\"", crate::assets::short_digest(body.as_bytes()));
        response.insert_header((ETAG, tag.clone()));
        match is_known(self.http.headers(), &tag) {
            true => response.status(StatusCode::NOT_MODIFIED).finish(),
            false => response.body(body),
        }
    }

    /// Whether search engines may list the portal.
    pub fn is_indexed(&self) -> bool {
        let settings = &self.visit.frame.organization.portal;
        settings.is_indexed && !settings.is_private
    }

    /// A part of a page, for a script.
    pub fn fragment(&self, part: &impl Template) -> Answer {
        let html = part.render().map_err(broken)?;
        let mut response = HttpResponse::Ok();
        protect(&mut response, false);
        Ok(response
            .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
            .insert_header((CACHE_CONTROL, "no-store"))
            .body(html))
    }

    /// Whether a script asks for a part of a page.
    pub fn wants_fragment(&self) -> bool {
        self.http.headers().get("x-fragment").is_some()
    }

    /// A path as `Location` may have it, if it is one of this portal. Otherwise the first page.
    pub fn own(&self, path: &str) -> String {
        let path = ReturnTo::parse(path);
        let inner = path.as_str().strip_prefix(&*self.base);
        match inner.filter(|inner| inner.starts_with('/')) {
            Some(_) => path.into(),
            None => format!("{}/", self.base),
        }
    }

    /// Sends the browser to a path of this portal, after a form.
    pub fn see(&self, path: &str) -> HttpResponse {
        self.see_with(path, None)
    }

    /// [`Self::see`], with a cookie.
    pub fn see_with(&self, path: &str, cookie: Option<Cookie<'_>>) -> HttpResponse {
        let mut response = HttpResponse::SeeOther();
        protect(&mut response, false);
        if let Some(cookie) = cookie {
            response.cookie(cookie);
        }
        response.insert_header((CACHE_CONTROL, "no-store"));
        response.insert_header((LOCATION, path.to_owned())).finish()
    }

    /// Sends the browser to the address that a page has now, for good.
    pub fn moved(&self, path: &str) -> HttpResponse {
        let mut response = HttpResponse::MovedPermanently();
        protect(&mut response, false);
        // A page that has moved may move back: the browser asks again after an hour.
        response.insert_header((CACHE_CONTROL, "private, max-age=3600"));
        response.insert_header((LOCATION, format!("{}{path}", self.base))).finish()
    }

    /// The cookie of a session.
    pub fn session(&self, token: &Secret) -> Cookie<'static> {
        self.cookie(&self.session_name(), token.reveal().to_owned(), SESSION_KEPT)
    }

    /// The cookie that ends the session in this browser.
    pub fn no_session(&self) -> Cookie<'static> {
        self.no_cookie(&self.session_name())
    }

    /// The cookie that removes a cookie of this portal from the browser.
    pub fn no_cookie(&self, name: &str) -> Cookie<'static> {
        no_cookie(&self.web, name)
    }

    /// The token of the present session.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The cookie that keeps the choice of a language.
    pub fn language_cookie(&self, language: &Language) -> Cookie<'static> {
        self.cookie(LANGUAGE_COOKIE, language.tag.to_owned(), Some(Duration::days(365)))
    }

    /// A cookie of this portal that the browser has sent.
    pub fn sent_cookie(&self, name: &str) -> Option<Cookie<'static>> {
        self.http.cookie(&cookie_name(&self.web, name))
    }

    /// A cookie of this portal.
    pub fn cookie(&self, name: &str, value: String, max_age: Option<Duration>) -> Cookie<'static> {
        cookie(&self.web, name, value, max_age)
    }

    /// The name of the cookie by which the browser stands for a guest.
    pub fn guest_name(&self) -> String {
        guest_cookie(self.visit.organization().0.as_bytes())
    }

    /// The name of the cookie by which the browser has a draft.
    pub fn draft_name(&self) -> String {
        format!("{}-draft", self.session_name())
    }

    fn session_name(&self) -> String {
        session_cookie(self.visit.organization().0.as_bytes())
    }
}

/// The time for which a browser keeps the token of a session.
const SESSION_KEPT: Option<Duration> = Some(Duration::milliseconds(SESSION_MILLIS));

/// The name of the cookie of an organization's sessions. Organizations may share a host.
fn session_cookie(organization: &[u8]) -> String {
    let end: String = organization.iter().rev().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("hearback-{end}")
}

/// The name of the cookie of an organization's guests.
fn guest_cookie(organization: &[u8]) -> String {
    format!("{}-guest", session_cookie(organization))
}

fn cookie(web: &Web, name: &str, value: String, max_age: Option<Duration>) -> Cookie<'static> {
    let name = cookie_name(web, name);
    let builder = Cookie::build(name, value).path("/").http_only(true);
    let builder = builder.same_site(SameSite::Lax).secure(web.address.is_secure());
    match max_age {
        Some(age) => builder.max_age(age).finish(),
        None => builder.finish(),
    }
}

fn no_cookie(web: &Web, name: &str) -> Cookie<'static> {
    let mut cookie = cookie(web, name, String::new(), Some(Duration::ZERO));
    cookie.make_removal();
    cookie
}

/// Finds out for which guest the browser stands. A visitor who has signed in takes over what the
/// guest did, by whichever way the visitor has signed in, and the browser stands for nobody then.
async fn know_guest(
    web: &Web,
    http: &HttpRequest,
    visit: &mut Visit,
    answer: &Beside,
) -> Result<(), Fault> {
    let name = guest_cookie(visit.organization().0.as_bytes());
    let Some(token) = http.cookie(&cookie_name(web, &name)) else { return Ok(()) };
    let (ports, organization) = (&web.ports, visit.organization());
    visit.guest = app::guest(ports, &web.vault, organization, token.value()).await?;
    if visit.user().is_some()
        && let Err(error) = app::adopt(ports, visit).await
    {
        // The next request tries again.
        tracing::warn!(%error, "a visitor has not taken over what a guest did");
        visit.guest = None;
        return Ok(());
    }
    if visit.guest.is_none() {
        answer.cookies.borrow_mut().push(no_cookie(web, &name));
    }
    Ok(())
}

/// The name by which a browser keeps a cookie. It takes a name with the prefix from nobody but this
/// host, over `https`: no neighbour among the hosts can plant the cookie.
fn cookie_name(web: &Web, name: &str) -> String {
    let prefix = if web.address.is_secure() { "__Host-" } else { "" };
    format!("{prefix}{name}")
}

const LANGUAGE_COOKIE: &str = "hearback-language";

/// The header that keeps search engines away.
pub const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// The language that the browser keeps, or that of the reader's account, or the best that the browser
/// accepts, or that of the organization.
pub fn language(
    web: &Web,
    http: &HttpRequest,
    visit: Option<&Visit>,
    reader: Option<&User>,
) -> &'static Language {
    let cookie = http.cookie(&cookie_name(web, LANGUAGE_COOKIE));
    let chosen = cookie.and_then(|it| Language::named(it.value()));
    let own = || reader.and_then(|user| Language::named(&user.locale));
    let accepted = || {
        let header = http.headers().get(ACCEPT_LANGUAGE)?.to_str().ok()?;
        Language::accepted(header)
    };
    let of_organization =
        || visit?.frame.organization.portal.locale.as_deref().and_then(Language::named);
    let named = chosen.or_else(own).or_else(accepted).or_else(of_organization);
    named.unwrap_or(&Language::all()[0])
}

/// Whether a body is announced to be no longer than a form without a file.
fn is_short(headers: &HeaderMap) -> bool {
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    length.is_some_and(|length: usize| length <= MAX_FORM)
}

/// Whether a form comes from a page of the same origin.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = header("sec-fetch-site") {
        // `none`: the visitor has reloaded the page.
        return matches!(site, "same-origin" | "none");
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    let of_origin = origin.and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    of_origin.is_some() && of_origin == host
}

/// Whether the browser has the body with a tag already.
pub fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get(IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag))
}

/// Adds the headers by which a browser runs nothing but the files of the program.
pub fn protect(response: &mut HttpResponseBuilder, is_embedded: bool) {
    let policy = if is_embedded { EMBEDDED_POLICY } else { POLICY };
    response
        .insert_header((CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)))
        .insert_header((REFERRER_POLICY, HeaderValue::from_static("same-origin")))
        .insert_header((X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")));
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The policy of a page that other sites may embed. It has no forms that could be clicked unseen.
const EMBEDDED_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data: https:; form-action 'none'; base-uri 'none'; frame-ancestors *";

/// The most time that a form with a file waits for its turn.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

/// The longest form, in bytes: more than the 786,432 of the longest text, whose characters may take
/// 12 bytes each.
const MAX_FORM: usize = 1024 * 1024;

/// The fault of a page or a file that could not be written.
pub fn broken(error: impl std::error::Error + 'static) -> Fault {
    Fault::Failure(Failure::Door(Box::new(Unwritten(Box::new(error)))))
}

#[derive(Debug, thiserror::Error)]
#[error("writing a page")]
struct Unwritten(#[source] Box<dyn std::error::Error>);

impl hearback_http::DoorError for Unwritten {
    fn status(&self) -> StatusCode {
        StatusCode::INTERNAL_SERVER_ERROR
    }

    fn body(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// Adds `Retry-After`, if the visitor may try again.
pub fn retry(response: &mut HttpResponse, seconds: u64) {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn a_form_of_another_site_is_refused() {
        let is_same = |headers: &[(&'static str, &'static str)]| {
            let request = headers
                .iter()
                .fold(TestRequest::default(), |request, header| request.insert_header(*header));
            is_same_origin(request.to_http_request().headers())
        };
        assert!(is_same(&[("sec-fetch-site", "same-origin")]));
        assert!(is_same(&[("sec-fetch-site", "none")]));
        assert!(is_same(&[("host", "a.example"), ("origin", "https://a.example")]));
        for headers in [
            &[][..],
            &[
                ("sec-fetch-site", "cross-site"),
                ("host", "a.example"),
                ("origin", "https://a.example"),
            ],
            &[("sec-fetch-site", "same-site")],
            &[("host", "a.example"), ("origin", "https://evil.example")],
            &[("host", "a.example"), ("origin", "https://a.example.evil.example")],
            &[("host", "a.example"), ("origin", "null")],
            &[("host", "a.example")],
        ] {
            assert!(!is_same(headers), "{headers:?}");
        }
    }
}
