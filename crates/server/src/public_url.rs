//! Where the service is reached from outside.

use std::fmt;
use std::net::SocketAddr;
use url::{Host, Url};

/// The address that links in mails begin with, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(String);

/// The text is no such address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPublicUrl {
    /// It has another scheme, or is no address at all.
    #[error("expected a URL such as https://feedback.example.com")]
    Form,
    /// It has a user or a password, a query or a fragment.
    #[error("expected a URL with nothing but host, port and path")]
    Parts,
}

impl PublicUrl {
    /// Reads `HEARBACK_PUBLIC_URL`.
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

    /// Whether what is sent to it stays between the sender and us: it is `https`, or on this
    /// machine.
    pub(crate) fn is_private(&self) -> bool {
        let url = Url::parse(&self.0).ok();
        url.is_some_and(|url| url.scheme() == "https" || is_local(&url))
    }

    /// The address that is listened on: good for trying it out on one machine.
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
    fn what_goes_to_another_machine_is_private_by_https_alone() {
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
    fn what_is_no_public_url_is_refused() {
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
