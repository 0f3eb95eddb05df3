//! The address of the mail server: `HEARBACK_SMTP_URL`.

use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};
use percent_encoding::percent_decode_str;
use rustls::RootCertStore;
use std::fmt;
use url::{Host, Url};

/// The text is not the address of a mail server, or TLS cannot be set up for it. The text is never
/// quoted, as it may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum BadSmtpUrl {
    /// The text has another scheme, or is not a URL.
    #[error(
        "expected smtp://USER:PASSWORD@HOST:PORT or smtps://…, with special characters percent-encoded"
    )]
    Form,
    /// The host is invalid.
    #[error("the host is neither a name nor an address")]
    Host,
    /// A user has no password, or a password no user.
    #[error("expected both a user and a password, or neither")]
    Credentials,
    /// The text after host and port has no meaning.
    #[error(
        "expected nothing behind host and port but ?tls=required, ?tls=opportunistic or ?tls=none"
    )]
    Behind,
    /// `smtps` has a `tls` parameter.
    #[error("expected no tls= with smtps://, which is TLS from the start")]
    Twice,
    /// The system has no root certificates to verify the server's certificate with.
    #[error("found no root certificates to verify the mail server with")]
    NoRoots,
    /// TLS could not be set up.
    #[error("cannot set up TLS for the mail server")]
    Tls(#[source] lettre::transport::smtp::Error),
}

/// The address of a mail server.
pub(crate) struct SmtpUrl {
    /// A name, or an IP address without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) credentials: Option<Credentials>,
    security: Security,
}

impl SmtpUrl {
    /// Parses the address.
    pub(crate) fn parse(text: &str) -> Result<Self, BadSmtpUrl> {
        let url = Url::parse(text).ok().filter(Url::has_authority).ok_or(BadSmtpUrl::Form)?;
        let credentials = credentials(&url)?;
        let security = security(&url, credentials.is_some())?;
        // An @ after the port means that the host and port are really a user and a password with a
        // / or #.
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(BadSmtpUrl::Behind);
        }
        let host =
            match Host::parse(url.host_str().unwrap_or_default()).map_err(|_| BadSmtpUrl::Host)? {
                Host::Domain(name) => name,
                Host::Ipv4(address) => address.to_string(),
                Host::Ipv6(address) => address.to_string(),
            };
        let port = url.port().unwrap_or(match security {
            Security::Implicit => SMTPS,
            _ if credentials.is_some() => SUBMISSION,
            _ => SMTP,
        });
        Ok(Self { host, port, credentials, security })
    }

    /// The TLS of the address. Reads the roots of the operating system if they are needed.
    pub(crate) fn tls(&self) -> Result<Tls, BadSmtpUrl> {
        Ok(match self.security {
            Security::Implicit => Tls::Wrapper(verified(&self.host)?),
            Security::Required => Tls::Required(verified(&self.host)?),
            Security::Opportunistic => Tls::Opportunistic(unverified(&self.host)?),
            Security::None => Tls::None,
        })
    }
}

/// Shows the address without user and password, and with the defaults.
impl fmt::Display for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, tls) = match self.security {
            Security::Implicit => ("smtps", ""),
            Security::Required => ("smtp", "?tls=required"),
            Security::Opportunistic => ("smtp", "?tls=opportunistic"),
            Security::None => ("smtp", "?tls=none"),
        };
        // A name has no colon, and an IPv6 address has several.
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        write!(f, "{scheme}://{host}:{}{tls}", self.port)
    }
}

/// Ports by RFC 5321, RFC 6409 and RFC 8314.
const SMTP: u16 = 25;
const SUBMISSION: u16 = 587;
const SMTPS: u16 = 465;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Security {
    /// TLS from the first byte.
    Implicit,
    /// STARTTLS or nothing.
    Required,
    /// STARTTLS if the server offers it.
    Opportunistic,
    /// No TLS.
    None,
}

fn security(url: &Url, with_credentials: bool) -> Result<Security, BadSmtpUrl> {
    match (url.scheme(), url.query()) {
        ("smtps", None) => Ok(Security::Implicit),
        ("smtps", Some(query)) if query.starts_with("tls=") => Err(BadSmtpUrl::Twice),
        ("smtp", Some("tls=required")) => Ok(Security::Required),
        ("smtp", Some("tls=opportunistic")) => Ok(Security::Opportunistic),
        ("smtp", Some("tls=none")) => Ok(Security::None),
        // A password is sent encrypted, unless the address says otherwise.
        ("smtp", None) if with_credentials => Ok(Security::Required),
        ("smtp", None) => Ok(Security::Opportunistic),
        ("smtp" | "smtps", Some(_)) => Err(BadSmtpUrl::Behind),
        _ => Err(BadSmtpUrl::Form),
    }
}

fn credentials(url: &Url) -> Result<Option<Credentials>, BadSmtpUrl> {
    let decoded = |text| {
        percent_decode_str(text)
            .decode_utf8()
            .map(|text| text.into_owned())
            .map_err(|_| BadSmtpUrl::Form)
    };
    match (url.username(), url.password().unwrap_or_default()) {
        ("", "") => Ok(None),
        ("", _) | (_, "") => Err(BadSmtpUrl::Credentials),
        (user, password) => Ok(Some(Credentials::new(decoded(user)?, decoded(password)?))),
    }
}

/// Takes a certificate for the host by the roots of the operating system (or of `SSL_CERT_FILE` and
/// `SSL_CERT_DIR`).
fn verified(host: &str) -> Result<TlsParameters, BadSmtpUrl> {
    let mut parameters =
        TlsParameters::builder(host.to_owned()).certificate_store(CertificateStore::None);
    let mut roots = RootCertStore::empty();
    for root in rustls_native_certs::load_native_certs().certs {
        // An unreadable root certificate is left out. Servers that need it are refused.
        if roots.add(root.clone()).is_ok() {
            parameters = parameters.add_root_certificate(
                Certificate::from_der(root.to_vec()).map_err(BadSmtpUrl::Tls)?,
            );
        }
    }
    if roots.is_empty() {
        return Err(BadSmtpUrl::NoRoots);
    }
    parameters.build().map_err(BadSmtpUrl::Tls)
}

/// Takes any certificate, as mail servers do among each other. An attacker who could show one could
/// as well hide that the server offers TLS.
fn unverified(host: &str) -> Result<TlsParameters, BadSmtpUrl> {
    let parameters =
        TlsParameters::builder(host.to_owned()).certificate_store(CertificateStore::None);
    let parameters =
        parameters.dangerous_accept_invalid_certs(true).dangerous_accept_invalid_hostnames(true);
    parameters.build().map_err(BadSmtpUrl::Tls)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "s3cr3t";

    /// Host, port, security and the presence of a password, or the error.
    fn read(text: &str) -> Result<(String, u16, Security, bool), String> {
        let url = SmtpUrl::parse(text).map_err(|error| format!("{error:?}"))?;
        Ok((url.host, url.port, url.security, url.credentials.is_some()))
    }

    #[test]
    fn a_server_is_named_by_its_address() {
        for (text, host, port, security, credentials) in [
            ("smtp://mail.example", "mail.example", 25, Security::Opportunistic, false),
            ("smtp://mail.example/", "mail.example", 25, Security::Opportunistic, false),
            ("smtp://mail.example:2525?tls=none", "mail.example", 2525, Security::None, false),
            ("smtp://mail.example?tls=required", "mail.example", 25, Security::Required, false),
            ("smtp://me:s3cr3t@mail.example", "mail.example", 587, Security::Required, true),
            (
                "smtp://me%40here:%2F%3F%23%40@mail.example?tls=opportunistic",
                "mail.example",
                587,
                Security::Opportunistic,
                true,
            ),
            ("smtp://me:s3cr3t@127.0.0.1:25?tls=none", "127.0.0.1", 25, Security::None, true),
            ("smtps://mail.example", "mail.example", 465, Security::Implicit, false),
            ("smtps://me:s3cr3t@[::1]:4650", "::1", 4650, Security::Implicit, true),
            ("smtp://Bücher.example", "xn--bcher-kva.example", 25, Security::Opportunistic, false),
        ] {
            assert_eq!(read(text), Ok((host.to_owned(), port, security, credentials)), "{text}");
        }
    }

    #[test]
    fn an_address_is_shown_without_its_user_and_password() {
        for (text, shown) in [
            ("smtp://mail.example", "smtp://mail.example:25?tls=opportunistic"),
            ("smtp://me:s3cr3t@mail.example", "smtp://mail.example:587?tls=required"),
            ("smtp://me:s3cr3t@127.0.0.1:25?tls=none", "smtp://127.0.0.1:25?tls=none"),
            ("smtps://me:s3cr3t@[::1]", "smtps://[::1]:465"),
        ] {
            assert_eq!(SmtpUrl::parse(text).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn user_and_password_are_percent_decoded() {
        let url = SmtpUrl::parse("smtp://me%40here:%C3%A4%2F%3F%23%40+@mail.example").unwrap();
        assert!(url.credentials == Some(Credentials::new("me@here".into(), "ä/?#@+".into())));
    }

    #[test]
    fn an_invalid_address_has_its_reason_and_is_not_quoted() {
        for (text, error) in [
            ("", "Form"),
            ("mail.example", "Form"),
            ("mail.example:25", "Form"),
            ("http://mail.example", "Form"),
            ("smtp:mail.example", "Form"),
            ("smtp://", "Host"),
            ("smtp://s3cr3t s3cr3t", "Form"),
            ("smtp://me:s3cr3t@mail.example:s3cr3t", "Form"),
            ("smtp://me:s3cr3t@ma%00il.example", "Host"),
            ("smtp://me:%ff@mail.example", "Form"),
            ("smtp://me@mail.example", "Credentials"),
            ("smtp://:s3cr3t@mail.example", "Credentials"),
            ("smtp://me:12/s3cr3t@mail.example", "Behind"),
            ("smtp://me:12?s3cr3t@mail.example", "Behind"),
            ("smtp://me:12#s3cr3t@mail.example", "Behind"),
            ("smtp://mail.example?tls=s3cr3t", "Behind"),
            ("smtp://mail.example?tls=none&tls=required", "Behind"),
            ("smtps://mail.example?tls=none", "Twice"),
            ("smtps://mail.example?s3cr3t", "Behind"),
        ] {
            assert_eq!(read(text), Err(error.to_owned()), "{text}");
            let error = SmtpUrl::parse(text).err().unwrap();
            assert!(!format!("{error} {error:?}").contains(SECRET), "{text}");
        }
    }
}
