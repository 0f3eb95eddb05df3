//! The addresses of the portal: the public address, and the organization that a request names.

use actix_web::HttpRequest;
use actix_web::http::header::HOST;
use hearback_app::portal::Site;
use url::{Host, Url};

/// The public address of the service.
#[derive(Clone, Debug)]
pub struct PublicAddress {
    /// `https://feedback.example.com`, without a path.
    origin: String,
    host: String,
    /// `/feedback`, or empty.
    path: String,
    is_secure: bool,
    /// Whether the address is a setting. Otherwise it is the one that the server listens on, and
    /// all names of this machine lead to it.
    is_set: bool,
}

impl PublicAddress {
    /// Reads a URL, with a path or not. `is_set` says whether it is a setting.
    pub fn new(url: &str, is_set: bool) -> Self {
        let parsed = Url::parse(url).ok();
        let origin = parsed.as_ref().map(|url| url.origin().ascii_serialization());
        Self {
            origin: origin.unwrap_or_else(|| url.trim_end_matches('/').to_owned()),
            host: parsed.as_ref().and_then(|url| url.host_str()).unwrap_or_default().to_owned(),
            path: parsed.as_ref().map_or("", |url| url.path().trim_end_matches('/')).to_owned(),
            is_secure: parsed.as_ref().is_some_and(|url| url.scheme() == "https"),
            is_set,
        }
    }

    /// Whether cookies may go over `https` alone.
    pub fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// The path of the service, without a slash at its end.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The origin of a site. Without a setting, it is the one that the browser has come to.
    pub fn origin_of(&self, site: &Site, request: &HttpRequest) -> String {
        match site {
            Site::First | Site::Slug(_) if !self.is_set => {
                let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
                host.map_or_else(|| self.origin.clone(), |host| format!("http://{host}"))
            }
            Site::First | Site::Slug(_) => self.origin.clone(),
            Site::Host(host) => {
                let scheme = if self.is_secure { "https" } else { "http" };
                let port = Url::parse(&self.origin).ok().and_then(|url| url.port());
                match port {
                    Some(port) => format!("{scheme}://{host}:{port}"),
                    None => format!("{scheme}://{host}"),
                }
            }
        }
    }

    /// The site that a request names by its host, and by the slug in its path.
    pub fn site(&self, request: &HttpRequest) -> Site {
        let host = host(request);
        let is_ours = host == self.host || !self.is_set && is_local(&host);
        match request.match_info().get("organization") {
            Some(slug) if is_ours => Site::Slug(slug.to_owned()),
            // The hosts of organizations have one organization each.
            Some(_) => Site::Host(format!("{host}/")),
            None if is_ours => Site::First,
            None => Site::Host(host),
        }
    }
}

/// The host of a request, in lower case and without the port.
fn host(request: &HttpRequest) -> String {
    let header = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let host = header.unwrap_or_default().to_ascii_lowercase();
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name.to_owned(),
        _ => host,
    }
}

fn is_local(host: &str) -> bool {
    match Host::parse(host) {
        Ok(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        // Without a setting, the address of the server itself is its name.
        Ok(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn site(address: &PublicAddress, host: &'static str) -> Site {
        address.site(&TestRequest::default().insert_header((HOST, host)).to_http_request())
    }

    #[test]
    fn a_host_names_an_organization() {
        let set = PublicAddress::new("https://feedback.example.com/ideas/", true);
        assert_eq!((&*set.origin, &*set.path), ("https://feedback.example.com", "/ideas"));
        assert!(set.is_secure());
        assert_eq!(site(&set, "Feedback.example.com:443"), Site::First);
        assert_eq!(site(&set, "acme.example"), Site::Host("acme.example".to_owned()));
        assert_eq!(site(&set, "127.0.0.1:8080"), Site::Host("127.0.0.1".to_owned()));
        let trial = PublicAddress::new("http://127.0.0.1:8080", false);
        assert!(!trial.is_secure());
        for host in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "192.0.2.1"] {
            assert_eq!(site(&trial, host), Site::First, "{host}");
        }
        assert_eq!(site(&trial, "evil.example"), Site::Host("evil.example".to_owned()));
    }
}
