//! The pages that say what went wrong, and where to go.

use crate::chrome::{Chrome, Part, key};
use crate::fault::Fault;
use crate::form::with_fields;
use crate::text::Language;
use crate::visit::{Beside, Request, language, protect, retry};
use crate::{Shared, assets};
use actix_web::body::BoxBody;
use actix_web::http::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use askama::Template;
use hearback_http::Failure;
use hearback_ports::deadline;
use std::rc::Rc;

#[derive(Template)]
#[template(path = "message.html")]
struct MessagePage {
    c: Chrome,
    title: String,
    text: String,
}

#[derive(Template)]
#[template(path = "bare.html")]
struct BarePage {
    language: &'static Language,
    style: String,
    icon: String,
    title: String,
    text: String,
    command: Option<&'static str>,
}

/// The page of a fault. Programs that take no HTML get JSON.
pub(crate) async fn page(
    web: &Shared,
    http: HttpRequest,
    fault: Fault,
    beside: &Rc<Beside>,
) -> Result<HttpResponse, Failure> {
    let found = match is_busy(&fault) {
        // A store that does not answer is not asked for its look.
        true => Err(fault),
        false => {
            let found = async {
                let request = Request::new(web, http.clone(), Rc::clone(beside)).await?;
                let typed = beside.take_typed();
                let draft = match typed
                    .filter(|_| matches!(fault, Fault::SignIn | Fault::SecondStep | Fault::Form))
                {
                    Some(typed) => request.keep_draft(typed).await?,
                    None => None,
                };
                Ok::<_, Fault>((request, draft))
            };
            match deadline::within(found).await {
                Ok((request, draft)) => Ok((request, draft, fault)),
                Err(_) if matches!(fault, Fault::Failure(_)) => Err(fault),
                // Nobody is told that a page is not there because the store does not answer.
                Err(later) => Err(later),
            }
        }
    };
    let (request, draft, fault) = match found {
        Ok((request, draft, fault)) => (Some(request), draft, fault),
        Err(fault @ Fault::Failure(_)) => {
            (Request::of_former(web, http.clone(), Rc::clone(beside))?, None, fault)
        }
        Err(fault) => (None, None, fault),
    };
    let takes_html = http
        .headers()
        .get(ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    let words = words(&fault);
    let is_gone = matches!(fault, Fault::Gone);
    let is_second_step = matches!(fault, Fault::SecondStep);
    let failure = match fault {
        Fault::Failure(failure) => Some(failure),
        // The log masks what could be a secret in an unknown path.
        Fault::Gone | Fault::NoOrganization => Some(Failure::UnknownPath),
        Fault::SignIn | Fault::SecondStep | Fault::Form | Fault::Refused(_) => None,
    };
    let Some(request) = request else {
        let failure = failure.unwrap_or(Failure::UnknownPath);
        // A host that nobody has is told nothing.
        return if takes_html && !is_gone {
            bare(web, &http, words, failure)
        } else {
            Err(failure)
        };
    };
    if is_gone && !takes_html {
        return Err(Failure::UnknownPath);
    }
    let c = request.chrome(Part::None);
    let to = match (words.status, draft) {
        // The form again, with what was typed.
        (StatusCode::FORBIDDEN, Some(form)) => Some(with_fields(&form, &[("done", "again")])),
        (StatusCode::SEE_OTHER, form) => {
            let is_page = matches!(*http.method(), Method::GET | Method::HEAD);
            Some(match form {
                None if is_page && !is_second_step => c.sign_in(),
                form => {
                    let here = || if is_page { request.here() } else { request.url_of_form() };
                    let back = form.unwrap_or_else(here);
                    if is_second_step { c.second_step_to(&back) } else { c.sign_in_to(&back) }
                }
            })
        }
        _ => None,
    };
    if let Some(to) = to {
        return Ok(request.see(&to));
    }
    let c = Chrome { is_indexed: false, ..c };
    let c = match is_gone {
        // The page of what is not there is the same for everything that is not there.
        true => Chrome { here: request.base.clone() + "/", ..c },
        false => c,
    };
    let (title, text) = (c.t(words.title), c.t(words.text));
    answer(&MessagePage { c, title, text }, words.status, failure)
}

/// The page of a fault that leaves no organization to show.
fn bare(
    web: &Shared,
    http: &HttpRequest,
    words: Words,
    failure: Failure,
) -> Result<HttpResponse, Failure> {
    let language = language(web, http, None, None);
    let asset = |name| assets::address(web.address.path(), name);
    let page = BarePage {
        language,
        style: asset("portal.css"),
        icon: asset("icon.svg"),
        title: language.text(words.title),
        text: language.text(words.text),
        command: matches!(failure, Failure::UnknownPath).then_some(FIRST_COMMAND),
    };
    answer(&page, words.status, Some(failure))
}

/// Makes the first organization.
const FIRST_COMMAND: &str = "hearback organization create --slug acme --name 'Acme Inc.'";

fn answer(
    page: &impl Template,
    status: StatusCode,
    failure: Option<Failure>,
) -> Result<HttpResponse, Failure> {
    let Ok(html) = page.render() else {
        return Err(Failure::Misplaced);
    };
    let status = failure.as_ref().map_or(status, ResponseError::status_code);
    let mut builder = HttpResponse::build(status);
    protect(&mut builder, false);
    builder.insert_header((CONTENT_TYPE, "text/html; charset=utf-8"));
    builder.insert_header((CACHE_CONTROL, "no-store"));
    let mut response = builder.body(html);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        retry(&mut response, 1);
    }
    match failure {
        // The log has the fault of a response that was made of one.
        Some(failure) => {
            let mut of_failure = HttpResponse::from_error(failure);
            let allow = of_failure.headers().get(ALLOW).cloned();
            for (name, value) in response.headers() {
                of_failure.headers_mut().insert(name.clone(), value.clone());
            }
            if let Some(allow) = allow {
                of_failure.headers_mut().insert(ALLOW, allow);
            }
            let body = response.into_body();
            Ok(of_failure.map_body(|_, _: BoxBody| body))
        }
        None => Ok(response),
    }
}

struct Words {
    status: StatusCode,
    title: &'static str,
    text: &'static str,
}

fn words(fault: &Fault) -> Words {
    let words = |status, title, text| Words { status, title, text };
    match fault {
        Fault::Gone => words(StatusCode::NOT_FOUND, key("gone-title"), key("gone-text")),
        Fault::SignIn | Fault::SecondStep => {
            words(StatusCode::SEE_OTHER, key("gone-title"), key("gone-text"))
        }
        Fault::Form => words(StatusCode::FORBIDDEN, key("form-title"), key("form-text")),
        Fault::Refused(text) => words(StatusCode::FORBIDDEN, key("refused-title"), text),
        Fault::NoOrganization => {
            words(StatusCode::NOT_FOUND, key("no-organization-title"), key("no-organization-text"))
        }
        Fault::Failure(_) if is_busy(fault) => {
            words(StatusCode::SERVICE_UNAVAILABLE, key("busy-title"), key("busy-text"))
        }
        Fault::Failure(Failure::Limited { .. }) => {
            words(StatusCode::TOO_MANY_REQUESTS, key("limited-title"), key("limited-text"))
        }
        Fault::Failure(Failure::TooLarge) => {
            words(StatusCode::PAYLOAD_TOO_LARGE, key("large-title"), key("large-text"))
        }
        Fault::Failure(Failure::Method(_) | Failure::UnknownPath) => {
            words(StatusCode::NOT_FOUND, key("gone-title"), key("gone-text"))
        }
        Fault::Failure(_) => {
            words(StatusCode::INTERNAL_SERVER_ERROR, key("broken-title"), key("broken-text"))
        }
    }
}

/// Whether the visitor may try again in a moment.
fn is_busy(fault: &Fault) -> bool {
    let Fault::Failure(failure) = fault else { return false };
    failure.status_code() == StatusCode::SERVICE_UNAVAILABLE
}

impl Request {
    /// The page of a form whose visitor has to sign in first.
    fn url_of_form(&self) -> String {
        let here = self.here();
        let path = here.split('?').next().unwrap_or("/");
        let cut = ["/vote", "/comment", "/follow", "/edit", "/delete", "/sessions", "/export"];
        let page = cut.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
        page.to_owned()
    }
}
