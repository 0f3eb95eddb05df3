//! The pages that say what went wrong, and where to go.

use crate::Shared;
use crate::chrome::{Chrome, Part, key};
use crate::fault::Fault;
use crate::visit::{Request, protect, retry};
use actix_web::body::BoxBody;
use actix_web::http::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use askama::Template;
use hearback_http::Failure;
use hearback_ports::deadline;

#[derive(Template)]
#[template(path = "message.html")]
struct MessagePage {
    c: Chrome,
    title: String,
    text: String,
}

/// The page of a fault. Programs that take no HTML get JSON.
pub(crate) async fn page(
    portal: &Shared,
    http: HttpRequest,
    fault: Fault,
) -> Result<HttpResponse, Failure> {
    let takes_html = http
        .headers()
        .get(ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    let words = words(&fault);
    let is_gone = matches!(fault, Fault::Gone);
    let failure = match fault {
        Fault::Failure(failure) | Fault::Broken(failure) => Some(failure),
        // The log masks what could be a secret in an unknown path.
        Fault::Gone if takes_html => Some(Failure::UnknownPath),
        Fault::Gone => return Err(Failure::UnknownPath),
        Fault::SignIn | Fault::Form | Fault::Refused(_) | Fault::Busy => None,
    };
    // A failure that leaves no organization to show leaves the words of the door.
    let request = match deadline::within(Request::new(portal, http.clone())).await {
        Ok(request) => request,
        Err(_) => {
            return Err(failure.unwrap_or(Failure::UnknownPath));
        }
    };
    if let Words { status: StatusCode::SEE_OTHER, .. } = words {
        let chrome = request.chrome(Part::None);
        let to = match *http.method() {
            Method::GET | Method::HEAD => chrome.sign_in(),
            _ => chrome.sign_in_to(&request.url_of_form()),
        };
        return Ok(request.see(&to));
    }
    let c = Chrome { is_indexed: false, ..request.chrome(Part::None) };
    let c = match is_gone {
        // The page of what is not there is the same for everything that is not there.
        true => Chrome { here: request.base.clone() + "/", ..c },
        false => c,
    };
    let (title, text) = (c.t(words.title), c.t(words.text));
    let Ok(html) = (MessagePage { c, title, text }).render() else {
        return Err(Failure::Misplaced);
    };
    let status = failure.as_ref().map_or(words.status, ResponseError::status_code);
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
        Fault::SignIn => words(StatusCode::SEE_OTHER, key("gone-title"), key("gone-text")),
        Fault::Form => words(StatusCode::FORBIDDEN, key("form-title"), key("form-text")),
        Fault::Refused(text) => words(StatusCode::FORBIDDEN, key("refused-title"), text),
        Fault::Busy => words(StatusCode::SERVICE_UNAVAILABLE, key("busy-title"), key("busy-text")),
        Fault::Broken(_) => {
            words(StatusCode::INTERNAL_SERVER_ERROR, key("broken-title"), key("broken-text"))
        }
        Fault::Failure(Failure::Limited { .. }) => {
            words(StatusCode::TOO_MANY_REQUESTS, key("limited-title"), key("limited-text"))
        }
        Fault::Failure(Failure::TooLarge) => {
            words(StatusCode::PAYLOAD_TOO_LARGE, key("large-title"), key("large-text"))
        }
        Fault::Failure(Failure::NoMemory | Failure::NotReady(_) | Failure::WorkersDown) => {
            words(StatusCode::SERVICE_UNAVAILABLE, key("busy-title"), key("busy-text"))
        }
        Fault::Failure(Failure::Method(_) | Failure::UnknownPath) => {
            words(StatusCode::NOT_FOUND, key("gone-title"), key("gone-text"))
        }
        Fault::Failure(_) => {
            words(StatusCode::INTERNAL_SERVER_ERROR, key("broken-title"), key("broken-text"))
        }
    }
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
