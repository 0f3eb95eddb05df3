//! The public address of the service.

use std::fmt;
use std::net::SocketAddr;
use url::{Host, Url};

/// The beginning of links in mails, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(String);

/// The text is not a public address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPublicUrl {
    /// The text has another scheme, or is not a URL.
    #[error("expected a URL such as https://feedback.example.com")]
    Form,
    /// The URL has a user or a password, a query or a fragment.
    #[error("expected a URL with nothing but host, port and path")]
    Parts,
}

impl PublicUrl {
    /// Parses `HEARBACK_PUBLIC_URL`.
    pub fn parse(text: &str) -> Result<Self, NoPublicUrl> {
        let url = Url::parse(text).map_err(|_| NoPublicUrl::Form)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(NoPublicUrl::Form);
        }
        let has_user = !url.username().is_empty() || url.password().is_some();
        if has_user || url.query().is_some() || url.fragment().is_some() {
            return Err(NoPublicUrl::Parts);
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// Whether requests are private on the way: the URL is `https`, or leads to this machine.
    pub(crate) fn is_private(&self) -> bool {
        let url = Url::parse(&self.0).ok();
        url.is_some_and(|url| url.scheme() == "https" || is_local(&url))
    }

    /// The host, without the port.
    pub(crate) fn host(&self) -> String {
        let url = Url::parse(&self.0).ok();
        url.and_then(|url| url.host().map(|host| host.to_string())).unwrap_or_default()
    }

    /// The address that takes requests, which is good for a trial on one machine.
    pub(crate) fn of(address: SocketAddr) -> Self {
        Self(format!("http://{address}"))
    }
}

fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_may_have_a_port_and_a_path() {
        for (text, shown) in [
            ("https://feedback.example.com", "https://feedback.example.com"),
            ("https://feedback.example.com/", "https://feedback.example.com"),
            ("HTTP://Example.com:8080/feedback/", "http://example.com:8080/feedback"),
            ("https://example.com//", "https://example.com"),
            ("https://bücher.example/ä b", "https://xn--bcher-kva.example/%C3%A4%20b"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(PublicUrl::parse(text).unwrap().to_string(), shown, "{text}");
        }
        assert_eq!(PublicUrl::of("[::1]:8080".parse().unwrap()).to_string(), "http://[::1]:8080");
    }

    #[test]
    fn a_url_of_another_machine_is_private_by_https_alone() {
        for private in [
            "https://feedback.example",
            "http://localhost:8080",
            "http://127.0.0.2",
            "http://[::1]:8080",
        ] {
            assert!(PublicUrl::parse(private).unwrap().is_private(), "{private}");
        }
        for open in [
            "http://feedback.example",
            "http://0.0.0.0:8080",
            "http://localhost.example",
            "http://[::]",
        ] {
            assert!(!PublicUrl::parse(open).unwrap().is_private(), "{open}");
        }
    }

    #[test]
    fn an_invalid_public_url_is_refused() {
        for text in [
            "",
            "feedback.example.com",
            "//example.com",
            "ftp://example.com",
            "mailto:me@example.com",
            "https://",
        ] {
            assert_eq!(PublicUrl::parse(text), Err(NoPublicUrl::Form), "{text}");
        }
        for text in [
            "https://me@example.com",
            "https://:s3cr3t@example.com",
            "https://example.com?x",
            "https://example.com/#",
        ] {
            assert_eq!(PublicUrl::parse(text), Err(NoPublicUrl::Parts), "{text}");
        }
    }
}
