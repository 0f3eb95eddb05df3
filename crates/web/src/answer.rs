//! The routes of pages, and the answers to their requests.

use crate::errors;
use crate::fault::Fault;
use crate::kept_pages::{Address, Begun};
use crate::secret_paths::{
    SHOWN_CALLBACK, SHOWN_LINK, SHOWN_UNSUBSCRIBE, check_ending, ends_mails, is_callback,
    is_of_link,
};
use crate::visit::{Answer, Beside, ROBOTS, Request, language};
use crate::{Shared, Web};
use actix_web::body::{BoxBody, MessageBody};
use actix_web::http::Method;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderValue, REFERRER_POLICY};
use actix_web::{HttpRequest, HttpResponse};
use hearback_http::{Failure, Methods, RequestContext};
use hearback_ports::deadline;
use std::rc::Rc;

/// Adds pages and forms to an `App`: of each its path, and the answers to `GET` and `POST`, each a
/// function of a [`Request`]. `no_page` and `no_form` stand for none.
#[macro_export]
macro_rules! paths {
    ($config:ident: $($path:literal => $($get:ident)::+, $($post:ident)::+;)+) => {
        $($config.service(
            $crate::web::resource($path)
                .route($crate::web::get().to(|web: $crate::Shared, http: $crate::HttpRequest| {
                    $crate::answer(web, http, $($get)::+)
                }))
                .route($crate::web::head().to(|web: $crate::Shared, http: $crate::HttpRequest| {
                    $crate::answer(web, http, $($get)::+)
                }))
                .route($crate::web::post().to(|web: $crate::Shared, http: $crate::HttpRequest| {
                    $crate::answer(web, http, $($post)::+)
                }))
                .default_service($crate::web::to(
                    |web: $crate::Shared, http: $crate::HttpRequest| {
                        $crate::answer(web, http, $crate::refusal!($($get)::+, $($post)::+))
                    },
                )),
        );)+
    };
}

/// The answer to a method that a path does not take.
#[doc(hidden)]
#[macro_export]
macro_rules! refusal {
    ($($get:ident)::+, no_form) => {
        $crate::no_form
    };
    (no_page, $($post:ident)::+) => {
        $crate::form_alone
    };
    ($($get:ident)::+, $($post:ident)::+) => {
        $crate::no_method
    };
}

/// Answers a request by a page, or by the page of a fault.
pub async fn answer<F>(
    web: Shared,
    http: HttpRequest,
    page: impl FnOnce(Request) -> F,
) -> Result<HttpResponse, Failure>
where
    F: Future<Output = Answer>,
{
    let context = RequestContext::of(&http)?;
    // The path of a link is a secret, whatever becomes of the request.
    let ends_mails = ends_mails(&http);
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
    // A page whose path or query is a secret is for its reader alone.
    let is_secret = ends_mails || is_callback || is_of_link(&http);
    let language = language(&web, &http, None, None).tag;
    let address = Address::of(&http, language).filter(|_| !is_secret);
    let begun = Begun { at: web.ports.clock.elapsed(), changes: context.host().changes() };
    if let Some(page) = address.as_ref().and_then(|address| web.kept_pages.find(address, begun)) {
        context.set_organization(page.organization);
        if let Some(used) = page.used.clone() {
            web.help_use.count(page.organization, used);
        }
        return Ok(page.answer(&http));
    }
    let is_change = *http.method() == Method::POST;
    let work = async {
        if ends_mails {
            check_ending(&web, &http, &context)?;
        }
        let request = Request::new(&web, http.clone(), Rc::clone(&beside)).await?;
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
        Err(fault) => errors::page(&web, http, fault, &beside).await?,
    };
    if is_change {
        context.host().note_change();
    }
    if let Some(address) = address {
        response = keep(&web, address, begun, &beside, response);
    }
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

/// Keeps a page that is the same for everybody of whom nothing is known.
fn keep(
    web: &Web,
    address: Address,
    begun: Begun,
    beside: &Beside,
    response: HttpResponse,
) -> HttpResponse {
    let Some(of) = beside.of_everybody() else { return response };
    if response.status() != StatusCode::OK {
        return response;
    }
    let (response, body) = response.into_parts();
    // Every page is made in memory.
    let Ok(body) = body.try_into_bytes() else { return response.set_body(BoxBody::new(())) };
    web.kept_pages.keep(address, of, begun, response.headers(), body.clone());
    response.set_body(BoxBody::new(body))
}

/// Whether the portal is private, and the page is none of those by which one signs in.
fn is_closed(request: &Request) -> bool {
    let is_private = request.visit.frame.organization.portal.is_private;
    let path = request.http.match_pattern().unwrap_or_default();
    let open = ["/sign-in", "/sso", "/colors/", "/robots.txt", "/language", "/unsubscribe/"];
    let is_open = open.iter().any(|part| path.contains(part));
    is_private && request.visit.user().is_none() && !is_open
}

/// There is no page at the path.
pub async fn no_page(_: Request) -> Answer {
    Err(Fault::Gone)
}

/// The path takes no form.
pub async fn no_form(_: Request) -> Answer {
    Err(Fault::Failure(Failure::Method(Methods::Get)))
}

/// The path has a form alone.
pub async fn form_alone(_: Request) -> Answer {
    Err(Fault::Failure(Failure::Method(Methods::Post)))
}

/// The path takes `GET` and `POST` alone.
pub async fn no_method(_: Request) -> Answer {
    Err(Fault::Failure(Failure::Method(Methods::GetPost)))
}
