//! Web addresses that are stored for others to open.

use std::net::Ipv6Addr;
use std::num::NonZeroU16;

/// An `http` or `https` URL of at most [`MAX_URL`] characters. The text is kept as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebUrl(String);

/// The most characters of a URL. Common browsers and servers accept this length.
pub const MAX_URL: usize = 2048;

/// The text is not an `http` or `https` URL with a host, or is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoWebUrl;

impl WebUrl {
    /// Checks a URL: its scheme, its host, and that no character of it could end it where it is
    /// shown.
    pub fn parse(text: &str) -> Result<Self, NoWebUrl> {
        let (scheme, rest) = text.split_once("://").ok_or(NoWebUrl)?;
        let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        let is_one_word = !text.contains(|c: char| {
            c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"' | '\\')
        });
        let fits = text.chars().count() <= MAX_URL;
        if is_web && has_host(authority(rest)) && is_one_word && fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoWebUrl)
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the URL has a user name, with or without a password.
    pub fn has_user_info(&self) -> bool {
        self.0.split_once("://").is_some_and(|(_, rest)| authority(rest).contains('@'))
    }
}

/// The part of the URL between the scheme and the path.
fn authority(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Whether an authority has a host, and a valid port if it has any.
fn has_host(authority: &str) -> bool {
    let place = authority.rsplit('@').next().unwrap_or_default();
    let (is_host, port) = match place.strip_prefix('[').and_then(|address| address.split_once(']'))
    {
        Some((address, "")) => (address.parse::<Ipv6Addr>().is_ok(), None),
        Some((address, port)) => {
            (address.parse::<Ipv6Addr>().is_ok(), port.strip_prefix(':').or(Some("none")))
        }
        None => {
            let (host, port) =
                place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port)));
            (!host.is_empty() && !host.contains(['[', ']', '|', '^', '`', '{', '}', '%']), port)
        }
    };
    // An empty port stands for the default port of the scheme.
    let is_port = |port: &str| {
        port.bytes().all(|byte| byte.is_ascii_digit())
            && (port.is_empty() || port.parse::<NonZeroU16>().is_ok())
    };
    is_host && port.is_none_or(is_port)
}

impl From<WebUrl> for String {
    fn from(url: WebUrl) -> Self {
        url.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_url_has_its_scheme_and_a_host() {
        for text in [
            "https://cdn.example/a.png",
            "HTTP://example",
            "http://[::1]:80/x?y#z",
            "http://u:p@[::1]",
            "http://example:/x@y:z",
            "https://bücher.example/ä.png",
        ] {
            assert_eq!(WebUrl::parse(text).map(String::from).as_deref(), Ok(text));
        }
        for text in [
            "",
            "example",
            "/a.png",
            "//example/a.png",
            "ftp://example/a.png",
            "javascript:alert(1)//://x",
            "https:/example",
            "https://",
            "https:///a.png",
            "https://?x",
            "https://:80",
            "https://u@",
            "https://[",
            "https://[::zz]/",
            "https://[1.2.3.4]",
            "https://[::1]x",
            "https://example:x/",
            "https://example:-1",
            "https://example:65536/",
            "https://example:0/",
            "https://%zz/",
            "https://example\\b",
            "https://a|b",
            "https://example/a b.png",
            "https://example/\n",
            "https://example/\"onerror=",
            " https://example",
            &format!("https://example/{}", "a".repeat(2048)),
        ] {
            assert_eq!(WebUrl::parse(text), Err(NoWebUrl), "{text:?}");
        }
    }
}
