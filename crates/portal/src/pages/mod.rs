//! The pages.

mod account;
mod account_mail;
mod changelog;
mod errors;
mod feeds;
mod help;
mod images;
mod notices;
mod oidc;
mod password;
mod posts;
mod roadmap;
mod search;
mod sign_in;
mod sso;
mod unsubscribe;
mod writing;

pub(crate) use images::image_types;
pub(crate) use sign_in::SHOWN_LINK;
pub(crate) use sso::{SHOWN_CALLBACK, is_callback};
pub(crate) use unsubscribe::{SHOWN_UNSUBSCRIBE, site};

use crate::fault::Fault;
use crate::visit::{Answer, Beside, ROBOTS, Request};
use crate::{Shared, assets, colors};
use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, REFERRER_POLICY};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use hearback_http::{Failure, RequestContext};
use hearback_ports::deadline;
use std::rc::Rc;

/// A page or a form: its path, and the answers to `GET` and `POST`.
macro_rules! paths {
    ($config:ident: $($path:literal => $($get:ident)::+, $($post:ident)::+;)+) => {
        $($config.service(
            web::resource($path)
                .route(web::get().to(|portal: Shared, http: HttpRequest| answer(portal, http, $($get)::+)))
                .route(web::head().to(|portal: Shared, http: HttpRequest| answer(portal, http, $($get)::+)))
                .route(web::post().to(|portal: Shared, http: HttpRequest| answer(portal, http, $($post)::+)))
                .default_service(web::to(|portal: Shared, http: HttpRequest| {
                    answer(portal, http, refusal!($($get)::+, $($post)::+))
                })),
        );)+
    };
}

/// The answer to a method that a path does not take.
macro_rules! refusal {
    ($($get:ident)::+, no_form) => {
        no_form
    };
    (no_page, $($post:ident)::+) => {
        form_alone
    };
    ($($get:ident)::+, $($post:ident)::+) => {
        no_method
    };
}

/// Adds the pages of one portal.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(hearback_http::get("/assets/{digest}/{name}", assets::show));
    paths! { config:
        "/colors/{digest}.css" => style, no_form;
        "" => posts::home, no_form;
        "/" => posts::home, no_form;
        "/b/{board}" => posts::board, no_form;
        "/b/{board}/new" => writing::new, writing::submit;
        "/b/{board}/similar" => writing::similar, no_form;
        "/preview" => no_page, writing::preview;
        "/p/{slug}" => posts::post, no_form;
        "/p/{slug}/vote" => writing::ask_vote, writing::vote;
        "/p/{slug}/comment" => posts::to_post, writing::comment;
        "/p/{slug}/follow" => writing::ask_follow, writing::follow;
        "/p/{slug}/edit" => writing::edit, writing::save;
        "/p/{slug}/delete" => writing::ask_delete, writing::delete;
        "/p/{slug}/c/{comment}" => writing::edit_comment, writing::save_comment;
        "/p/{slug}/c/{comment}/delete" => writing::ask_delete_comment, writing::delete_comment;
        "/roadmap" => roadmap::first, no_form;
        "/roadmap/vote/{plan}" => no_page, roadmap::vote;
        "/roadmap/{board}" => roadmap::named, no_form;
        "/changelog" => changelog::entries, no_form;
        "/changelog/follow" => changelog::ask_follow, changelog::follow;
        "/changelog/{slug}" => changelog::entry, no_form;
        "/help" => help::home, no_form;
        "/help/answer/{article}" => no_page, help::answer;
        "/help/{collection}" => help::collection, no_form;
        "/help/{tail:.*}" => help::article, no_form;
        "/images" => no_page, images::upload;
        "/images/{digest}" => images::show, no_form;
        "/search" => search::search, no_form;
        "/u/{id}" => account::profile, no_form;
        "/account" => account::account, account::save;
        "/account/export" => account::export, no_form;
        "/account/delete" => account::ask_delete, account::delete;
        "/account/picture" => no_page, account::save_picture;
        "/account/sessions" => no_page, account::end_sessions;
        "/account/mail" => no_page, account_mail::choose;
        "/account/mail-test" => no_page, account_mail::test;
        "/account/address" => no_page, account_mail::ask_address;
        "/notifications" => notices::notices, notices::read_all;
        "/notifications/{id}" => no_page, notices::read;
        "/language" => no_page, account::language;
        "/account/password" => password::ask, password::save;
        "/account/password/remove" => no_page, password::remove;
        "/sign-in" => sign_in::ask, sign_in::offer;
        "/sign-in/password" => sign_in::again, password::sign_in;
        "/sign-in/oidc/{provider}" => oidc::begin, no_form;
        "/sign-in/oidc/{provider}/callback" => oidc::callback, no_form;
        "/sign-in/code" => sign_in::again, sign_in::code;
        "/sign-in/address/{token}" => account_mail::address, account_mail::confirm_address;
        "/sign-in/{token}" => sign_in::link, sign_in::confirm;
        "/sign-out" => no_page, sign_in::sign_out;
        "/sso" => sso::begin, no_form;
        "/sso/callback" => sso::callback, no_form;
        "/unsubscribe/{token}" => unsubscribe::ask, unsubscribe::confirm;
        "/feeds/{feed}" => feeds::feed, no_form;
        "/feeds/b/{feed}" => feeds::of_board, no_form;
        "/sitemap.xml" => feeds::sitemaps, no_form;
        "/sitemap-{part}.xml" => feeds::sitemap, no_form;
        "/robots.txt" => feeds::robots, no_form;
    }
    let nothing = |portal: Shared, http: HttpRequest| answer(portal, http, no_page);
    config.service(
        web::resource("/{tail:.*}")
            .guard(actix_web::guard::fn_guard(|context| {
                let path = context.head().uri.path();
                !RESERVED.iter().any(|start| path.starts_with(start))
            }))
            .route(web::get().to(nothing))
            .route(web::head().to(nothing))
            .default_service(web::to(async || Err::<HttpResponse, _>(Failure::UnknownPath))),
    );
}

/// The beginnings of the paths of other doors, which answer in JSON.
const RESERVED: [&str; 6] = ["/api/", "/docs", "/mcp", "/metrics", "/healthz", "/readyz"];

/// Answers a request by a page, or by the page of a fault.
async fn answer<F>(
    portal: Shared,
    http: HttpRequest,
    page: impl FnOnce(Request) -> F,
) -> Result<HttpResponse, Failure>
where
    F: Future<Output = Answer>,
{
    let context = RequestContext::of(&http)?;
    // The path of a link is a secret, whatever becomes of the request.
    let ends_mails = unsubscribe::is_here(&http);
    if ends_mails {
        context.show_path(SHOWN_UNSUBSCRIBE);
    }
    if is_of_link(&http) {
        context.show_path(SHOWN_LINK);
    }
    // The query has a token.
    let is_callback = is_callback(&http);
    if is_callback && !is_of_link(&http) {
        context.show_path(SHOWN_CALLBACK);
    }
    let beside = Rc::new(Beside::default());
    let work = async {
        if ends_mails {
            unsubscribe::check(&portal, &http, &context)?;
        }
        let request = Request::new(&portal, http.clone(), Rc::clone(&beside)).await?;
        if is_closed(&request) {
            if request.is_of_text() && *request.http.method() == Method::POST {
                request.count()?;
                request.form().await?;
            }
            return Err(Fault::SignIn);
        }
        page(request).await
    };
    let mut response = match deadline::within(work).await {
        Ok(response) => response,
        Err(fault) => errors::page(&portal, http, fault, &beside).await?,
    };
    beside.add_to(&mut response);
    let headers = response.headers_mut();
    if is_callback || ends_mails {
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
    if ends_mails {
        headers.remove(ETAG);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
    }
    Ok(response)
}

/// Whether the portal is private, and the page is none of those by which one signs in.
fn is_closed(request: &Request) -> bool {
    let is_private = request.visit.frame.organization.portal.is_private;
    let path = request.http.match_pattern().unwrap_or_default();
    let open = ["/sign-in", "/sso", "/colors/", "/robots.txt", "/language", "/unsubscribe/"];
    let is_open = open.iter().any(|part| path.contains(part));
    is_private && request.visit.user().is_none() && !is_open
}

/// Whether a path is that of a link in a mail, or looks like it.
fn is_of_link(http: &HttpRequest) -> bool {
    let is_link = |path: &str| {
        path.split_once("/sign-in/").is_some_and(|(_, rest)| !["code", "password"].contains(&rest))
    };
    // The router decodes paths.
    is_link(http.path()) || http.match_pattern().is_some_and(|pattern| is_link(&pattern))
}

async fn no_page(_: Request) -> Answer {
    Err(Fault::Gone)
}

async fn no_form(_: Request) -> Answer {
    Err(Fault::Failure(Failure::Method(hearback_http::Methods::Get)))
}

async fn form_alone(_: Request) -> Answer {
    Err(Fault::Failure(Failure::Method(hearback_http::Methods::Post)))
}

async fn no_method(_: Request) -> Answer {
    Err(Fault::Failure(Failure::Method(hearback_http::Methods::GetPost)))
}

/// `/colors/{digest}.css`: the organization's own style sheet.
async fn style(request: Request) -> Answer {
    let css = colors::css(&request.visit.frame);
    let is_present = request.part("digest") == colors::digest(&request.visit.frame);
    let kept = if is_present { assets::FOR_GOOD } else { "no-cache" };
    let mut response = HttpResponse::Ok();
    crate::visit::protect(&mut response, false);
    Ok(response
        .insert_header((CONTENT_TYPE, "text/css; charset=utf-8"))
        .insert_header((CACHE_CONTROL, kept))
        .body(css))
}
