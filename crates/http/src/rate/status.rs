//! The status of a rate limit, and its headers.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

/// The status of a client's rate limit after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateLimitStatus {
    pub(super) limit: u32,
    pub(super) remaining: u32,
    /// The seconds until all of the limit is there again.
    pub(super) reset: u64,
    /// The seconds until the next request is allowed, at least 1. `None` if this request was
    /// allowed.
    pub(crate) retry_after: Option<u64>,
}

impl RateLimitStatus {
    /// The status that allows less.
    pub(crate) fn tighter(self, other: Self) -> Self {
        let room = |status: &Self| (status.retry_after.is_none(), status.remaining);
        if room(&other) < room(&self) { other } else { self }
    }

    /// Writes the headers of the status.
    pub(crate) fn write(self, headers: &mut HeaderMap) {
        headers.insert(LIMIT, HeaderValue::from(self.limit));
        headers.insert(REMAINING, HeaderValue::from(self.remaining));
        headers.insert(RESET, HeaderValue::from(self.reset));
    }
}

/// The headers of every answer to a counted request, with their descriptions.
pub const HEADERS: [(HeaderName, &str); 3] = [
    (LIMIT, "how many requests may be sent at once, by the tighter one of the limits"),
    (REMAINING, "how many of them are left"),
    (RESET, "in how many seconds all of them are there again"),
];

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");
