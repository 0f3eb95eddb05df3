//! The time at which a receiver wants the next attempt.

use hearback_domain::Time;
use hearback_domain::delivery::RetryAfter;
use hyper::header::{HeaderMap, RETRY_AFTER};
use std::time::SystemTime;

/// The `Retry-After` of an answer (RFC 9110, 10.2.3). `None` if the header is missing or malformed.
pub(crate) fn of(headers: &HeaderMap) -> Option<RetryAfter> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number of digits fails to parse only if it is too large.
        return Some(RetryAfter::Seconds(text.parse().unwrap_or(u64::MAX)));
    }
    let since_epoch =
        httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let millis = i64::try_from(since_epoch.as_millis()).ok()?;
    Time::from_unix_millis(millis).ok().map(RetryAfter::At)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn read(value: &[u8]) -> Option<RetryAfter> {
        of(&HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_bytes(value).unwrap())]))
    }

    #[test]
    fn a_retry_after_is_a_number_of_seconds_or_a_date() {
        assert_eq!(read(b"120"), Some(RetryAfter::Seconds(120)));
        assert_eq!(read(b" 0 "), Some(RetryAfter::Seconds(0)));
        assert_eq!(read(b"99999999999999999999999"), Some(RetryAfter::Seconds(u64::MAX)));
        let at = Some(RetryAfter::At(Time::parse("1994-11-06T08:49:37Z").unwrap()));
        // The three forms of RFC 9110, 5.6.7.
        assert_eq!(read(b"Sun, 06 Nov 1994 08:49:37 GMT"), at);
        assert_eq!(read(b"Sunday, 06-Nov-94 08:49:37 GMT"), at);
        assert_eq!(read(b"Sun Nov  6 08:49:37 1994"), at);
    }

    #[test]
    fn any_other_text_is_ignored() {
        for value in [
            &b""[..],
            b" ",
            b"soon",
            b"-1",
            b"+1",
            b"1.5",
            b"1s",
            b"1, 2",
            b"\xff",
            b"Sun, 06 Nov 10994 08:49:37 GMT",
        ] {
            assert_eq!(read(value), None, "{value:?}");
        }
        assert_eq!(of(&HeaderMap::new()), None);
    }
}
