//! The pages that visitors of whom nothing is known have asked for, kept for half a second.
//!
//! A page is kept only if it is the same for all of them: it has no form with a number, and counts
//! against no limit. Each change that goes through the process ends all kept pages. So such a
//! visitor may miss changes of other servers and of background steps for that time.

use crate::visit::is_known;
use actix_web::http::header::{COOKIE, ETAG, HOST, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use hearback_app::portal::Used;
use hearback_domain::id::OrganizationId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The kept pages of a process.
#[derive(Default)]
pub(crate) struct KeptPages(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    pages: HashMap<Address, KeptPage>,
    bytes: usize,
}

/// The address of a kept page: host, path with query, and language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Address(Vec<u8>);

/// The moment at which the work for a page began: the time of the process, and the number of
/// changes that have gone through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Begun {
    pub(crate) at: Duration,
    pub(crate) changes: u64,
}

/// A page.
#[derive(Clone)]
pub(crate) struct KeptPage {
    pub(crate) organization: OrganizationId,
    /// The use that counts whenever the page is shown.
    pub(crate) used: Option<Used>,
    begun: Begun,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

/// The time for which a page is kept, from before the work for it began.
const KEPT: Duration = Duration::from_millis(500);
/// The most bytes of all kept pages.
const MOST: usize = 4 * 1024 * 1024;

impl Address {
    /// The address of a page that may be kept. `None` for another method, and for a browser that is
    /// known: it has a cookie of ours.
    pub(crate) fn of(http: &HttpRequest, language: &str) -> Option<Self> {
        let is_ours = |cookies: &HeaderValue| {
            cookies.as_bytes().windows(COOKIES.len()).any(|part| part == COOKIES)
        };
        let headers = http.headers();
        // A browser that loads a page in advance has seen nothing; a script asks for a part.
        let is_other =
            ["purpose", "sec-purpose", "x-fragment"].iter().any(|it| headers.contains_key(*it));
        if *http.method() != Method::GET || is_other || headers.get_all(COOKIE).any(is_ours) {
            return None;
        }
        let host = http.headers().get(HOST).map_or(&b""[..], HeaderValue::as_bytes);
        let path = http.uri().path_and_query().map_or("/", |it| it.as_str());
        Some(Self([host, b" ", path.as_bytes(), b" ", language.as_bytes()].concat()))
    }
}

/// A part of the name of each of our cookies.
const COOKIES: &[u8] = b"hearback";

impl KeptPages {
    /// The page at an address, if it is as fresh as one that is begun now.
    pub(crate) fn find(&self, address: &Address, now: Begun) -> Option<KeptPage> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.pages.get(address).filter(|page| page.begun.is_fresh(now)).cloned()
    }

    /// Keeps a page.
    pub(crate) fn keep(
        &self,
        address: Address,
        (organization, used): (OrganizationId, Option<Used>),
        begun: Begun,
        headers: &HeaderMap,
        body: Bytes,
    ) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes + body.len() > MOST {
            kept.pages.retain(|_, page| page.begun.is_fresh(begun));
            kept.bytes = kept.pages.values().map(|page| page.body.len()).sum();
        }
        if kept.bytes + body.len() > MOST {
            return;
        }
        kept.bytes += body.len();
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let page = KeptPage { organization, used, begun, headers, body };
        if let Some(former) = kept.pages.insert(address, page) {
            kept.bytes -= former.body.len();
        }
    }
}

impl KeptPage {
    /// The page as an answer, or `304` if the browser has it already.
    pub(crate) fn answer(&self, http: &HttpRequest) -> HttpResponse {
        let tag = self.headers.iter().find(|(name, _)| *name == ETAG);
        let tag = tag.and_then(|(_, tag)| tag.to_str().ok());
        let is_known = tag.is_some_and(|tag| is_known(http.headers(), tag));
        let mut response = match is_known {
            true => HttpResponse::new(StatusCode::NOT_MODIFIED),
            false => HttpResponse::Ok().body(self.body.clone()),
        };
        for (name, value) in &self.headers {
            response.headers_mut().insert(name.clone(), value.clone());
        }
        response
    }
}

impl Begun {
    /// Whether a page that was begun at this moment is still good at `now`.
    fn is_fresh(self, now: Self) -> bool {
        self.changes == now.changes && now.at.saturating_sub(self.at) < KEPT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use hearback_domain::Uuid;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn begun(millis: u64, changes: u64) -> Begun {
        Begun { at: Duration::from_millis(millis), changes }
    }

    fn address(path: &str) -> Address {
        Address::of(&TestRequest::with_uri(path).to_http_request(), "en").unwrap()
    }

    fn keep(pages: &KeptPages, path: &str, at: Begun, bytes: usize) {
        let body = Bytes::from(vec![b'x'; bytes]);
        pages.keep(address(path), (ORGANIZATION, None), at, &HeaderMap::new(), body);
    }

    #[test]
    fn a_page_is_kept_for_half_a_second_or_until_something_changes() {
        let pages = KeptPages::default();
        keep(&pages, "/", begun(500, 7), 1);
        let is_there = |at| pages.find(&address("/"), at).is_some();
        assert!(is_there(begun(500, 7)) && is_there(begun(999, 7)));
        assert!(!is_there(begun(1_000, 7)), "the time has passed");
        assert!(!is_there(begun(600, 8)), "something has changed");
        assert!(pages.find(&address("/?sort=new"), begun(600, 7)).is_none(), "another page");
    }

    #[test]
    fn only_pages_for_unknown_browsers_have_an_address() {
        let get = |cookie: &'static str| {
            let request = TestRequest::default().insert_header((COOKIE, cookie));
            Address::of(&request.to_http_request(), "en")
        };
        assert!(get("theme=dark").is_some());
        for cookie in ["hearback-0a=x", "a=b; __Host-hearback-0a-guest=x", "hearback-language=de"] {
            assert_eq!(get(cookie), None, "{cookie}");
        }
        assert_eq!(Address::of(&TestRequest::post().to_http_request(), "en"), None);
    }

    #[test]
    fn pages_take_a_bounded_number_of_bytes() {
        let pages = KeptPages::default();
        keep(&pages, "/old", begun(0, 1), MOST - 10);
        keep(&pages, "/new", begun(10, 1), 20);
        let is_there = |path: &str, at| pages.find(&address(path), at).is_some();
        assert!(!is_there("/new", begun(10, 1)), "there is no room");
        keep(&pages, "/new", begun(2_000, 1), 20);
        assert!(is_there("/new", begun(2_000, 1)), "the old one has ended");
        keep(&pages, "/new", begun(2_000, 1), 30);
        assert_eq!(pages.0.lock().unwrap().bytes, 30);
    }
}
