//! Encryption and trust.
//!
//! The trusted certificates of the operating system are configured for a whole process. So each
//! test runs in a process of its own, which trusts an authority made for this test.

use super::{failure, mail, mailer, text};
use hearback_domain::mail::MailFailure;
use hearback_mail::Privacy;
use hearback_ports::Mailer;
use hearback_tests::scratch;
use hearback_tests::smtp::{Setup, SmtpServer, Tls};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[tokio::test]
async fn a_trusted_server_is_spoken_to_over_tls() {
    let Some(files) = Files::of("tls::a_trusted_server_is_spoken_to_over_tls") else { return };
    for (tls, scheme, query) in [
        (Tls::StartTls, "smtp", ""),
        (Tls::StartTls, "smtp", "?tls=required"),
        (Tls::Implicit, "smtps", ""),
    ] {
        let setup = Setup {
            tls: Some((tls, &files.trusted)),
            login: Some(("me", "s3cr3t")),
            ..Setup::default()
        };
        let server = SmtpServer::start_as(setup);
        let mailer = mailer(&format!("{scheme}://me:s3cr3t@{}{query}", server.address()));
        mailer.send(mail("1")).await.unwrap();
        mailer.send(mail("2")).await.unwrap();
        let received = server.received();
        assert_eq!(received.len(), 2);
        assert!(received.iter().all(|mail| mail.encrypted && mail.user.as_deref() == Some("me")));
    }
}

#[tokio::test]
async fn a_server_is_tried_out_as_for_a_mail_and_sent_none() {
    let Some(files) = Files::of("tls::a_server_is_tried_out_as_for_a_mail_and_sent_none") else {
        return;
    };
    let setup = Setup {
        tls: Some((Tls::StartTls, &files.trusted)),
        login: Some(("me", "s3cr3t")),
        ..Setup::default()
    };
    let server = SmtpServer::start_as(setup);
    let address = server.address();
    assert_eq!(
        mailer(&format!("smtp://me:s3cr3t@{address}")).try_out().await.unwrap(),
        Privacy::Encrypted
    );
    assert_eq!(
        mailer(&format!("smtp://me:s3cr3t@{address}?tls=none")).try_out().await.unwrap(),
        Privacy::Open
    );
    let refused = mailer(&format!("smtp://me:wr0ng@{address}")).try_out().await.unwrap_err();
    let text = text(&refused);
    assert!(
        text.contains("authenticating to the mail server") && !text.contains("wr0ng"),
        "{text}"
    );
    assert_eq!(server.received(), []);
}

#[tokio::test]
async fn an_untrusted_server_gets_no_password_and_no_mail() {
    let Some(files) = Files::of("tls::an_untrusted_server_gets_no_password_and_no_mail") else {
        return;
    };
    for (tls, scheme, stage) in [
        (Tls::StartTls, "smtp", "going over to TLS with the mail server: "),
        (Tls::Implicit, "smtps", "connecting to the mail server: "),
    ] {
        for (certificate, reason) in
            [(&files.self_signed, "UnknownIssuer"), (&files.misnamed, "not valid for name")]
        {
            let setup = Setup {
                tls: Some((tls, certificate)),
                login: Some(("me", "s3cr3t")),
                ..Setup::default()
            };
            let server = SmtpServer::start_as(setup);
            let (kind, text) =
                failure(&mailer(&format!("{scheme}://me:s3cr3t@{}", server.address())), mail("1"))
                    .await;
            assert_eq!(kind, MailFailure::Unreachable);
            assert!(
                text.contains(stage) && text.contains("certificate") && text.contains(reason),
                "{text}"
            );
            assert_eq!(server.received(), []);
        }
    }
}

#[tokio::test]
async fn a_server_without_tls_gets_no_password_and_no_mail() {
    let Some(_) = Files::of("tls::a_server_without_tls_gets_no_password_and_no_mail") else {
        return;
    };
    let server = SmtpServer::start_as(Setup { login: Some(("me", "s3cr3t")), ..Setup::default() });
    for url in [
        format!("smtp://me:s3cr3t@{}", server.address()),
        format!("smtp://{}?tls=required", server.address()),
    ] {
        let (kind, text) = failure(&mailer(&url), mail("1")).await;
        assert_eq!(kind, MailFailure::Unreachable);
        assert!(
            text.ends_with("the mail server does not offer STARTTLS, and TLS is required"),
            "{text}"
        );
    }
    let (kind, text) =
        failure(&mailer(&format!("smtps://me:s3cr3t@{}", server.address())), mail("1")).await;
    assert_eq!(kind, MailFailure::Unreachable);
    assert!(text.contains("connecting to the mail server: "), "{text}");
}

#[tokio::test]
async fn without_a_password_a_mail_is_encrypted_if_the_server_can() {
    let Some(files) = Files::of("tls::without_a_password_a_mail_is_encrypted_if_the_server_can")
    else {
        return;
    };
    for certificate in [&files.trusted, &files.self_signed, &files.misnamed] {
        let server = SmtpServer::start_as(Setup {
            tls: Some((Tls::StartTls, certificate)),
            ..Setup::default()
        });
        mailer(&server.url()).send(mail("1")).await.unwrap();
        mailer(&format!("{}?tls=none", server.url())).send(mail("2")).await.unwrap();
        let encrypted: Vec<bool> = server.received().iter().map(|mail| mail.encrypted).collect();
        assert_eq!(encrypted, [true, false]);
    }
}

/// Certificates with their keys, as PEM files.
struct Files {
    /// A certificate for 127.0.0.1, signed by the trusted authority.
    trusted: PathBuf,
    /// A certificate for 127.0.0.1, signed by itself.
    self_signed: PathBuf,
    /// A certificate for another name, signed by the trusted authority.
    misnamed: PathBuf,
}

impl Files {
    /// The certificates of a test, if this process trusts their authority. In any other process,
    /// runs the test in a process that trusts it, and returns `None` after the test has passed.
    fn of(test: &str) -> Option<Self> {
        let folder = env::var_os(FOLDER).map(PathBuf::from);
        if let Some(folder) = folder {
            return Some(Self::in_folder(&folder));
        }
        let folder =
            scratch::folder(Path::new(env!("CARGO_TARGET_TMPDIR"))).join(test.replace("::", "-"));
        let authority = Self::in_folder(&folder).write(&folder);
        let binary = env::current_exe().expect("this program");
        let run = Command::new(binary)
            .args(["--exact", test, "--nocapture"])
            .env(FOLDER, &folder)
            .env("SSL_CERT_FILE", authority)
            .env_remove("SSL_CERT_DIR")
            .output()
            .expect("this program runs again");
        let output = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{output}\n{}", String::from_utf8_lossy(&run.stderr));
        assert!(output.contains("1 passed"), "no test has the name {test}: {output}");
        None
    }

    fn in_folder(folder: &Path) -> Self {
        let file = |name| folder.join(name);
        Self {
            trusted: file("trusted.pem"),
            self_signed: file("self-signed.pem"),
            misnamed: file("misnamed.pem"),
        }
    }

    /// Makes the certificates. Returns the file with the certificate of their authority.
    fn write(&self, folder: &Path) -> PathBuf {
        fs::create_dir_all(folder).expect("a folder");
        let mut authority = CertificateParams::default();
        authority.distinguished_name.push(DnType::CommonName, "Authority of the tests");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, key()).expect("an authority");
        for (file, name) in [(&self.trusted, "127.0.0.1"), (&self.misnamed, "other.example")] {
            let key = key();
            let certificate = names(name).signed_by(&key, &authority).expect("a certificate");
            fs::write(file, certificate.pem() + &key.serialize_pem()).expect("the file is written");
        }
        let own = key();
        let certificate = names("127.0.0.1").self_signed(&own).expect("a certificate");
        fs::write(&self.self_signed, certificate.pem() + &own.serialize_pem())
            .expect("the file is written");
        let file = folder.join("authority.pem");
        fs::write(&file, authority.pem()).expect("the file is written");
        file
    }
}

/// The environment variable with the folder of the certificates. It is set in the process that
/// trusts their authority.
const FOLDER: &str = "HEARBACK_TEST_CERTIFICATES";

fn key() -> KeyPair {
    KeyPair::generate().expect("a key")
}

fn names(name: &str) -> CertificateParams {
    CertificateParams::new([name.to_owned()]).expect("a name")
}
