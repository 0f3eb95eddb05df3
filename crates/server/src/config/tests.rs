//! Settings that are read, and settings that are refused.

use super::*;
use hearback_mail::Sender;
use std::collections::HashMap;
use std::error::Error;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

fn read(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    Config::read(|name| variables.get(name).map(OsString::from))
}

/// The error with its causes, as it is printed.
fn error(variables: &[(&str, &str)]) -> String {
    let error = read(variables).unwrap_err();
    let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{source}")
}

#[test]
fn nothing_needs_to_be_set() {
    for variables in [
        &[][..],
        &[("DATABASE_URL", ""), ("HEARBACK_LISTEN", ""), ("HEARBACK_MASTER_KEY_FILE", "")],
    ] {
        let config = read(variables).unwrap();
        assert_eq!(config.store, StoreUrl::Sqlite("data/hearback.db".into()));
        assert_eq!(config.data_dir, PathBuf::from("data"));
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.metrics_listen, None);
        assert!(config.master_key.is_none() && config.new_master_key.is_none());
        assert_eq!(config.log, LogFilter::default());
        assert_eq!((config.max_body_bytes, config.write_connections), (1_048_576, 16));
        assert_eq!(config.workers, processors());
        assert_eq!((config.rate_limit_per_key, config.rate_limit_per_address), (None, None));
        assert_eq!(config.trusted_proxies, TrustedProxies::default());
        assert_eq!(
            files(&config.mail),
            (Path::new("data/mail"), &Sender::parse("Hearback <hearback@localhost>").unwrap())
        );
        assert_eq!(config.public_url, None);
        assert_eq!(config.webhook_policy, Policy { allows_private_networks: false, ports: None });
        assert_eq!(config.webhook_retry_schedule, RetrySchedule::default());
    }
}

#[track_caller]
fn files(route: &MailRoute) -> (&Path, &Sender) {
    match route {
        MailRoute::Files { folder, sender } => (folder, sender),
        MailRoute::Smtp(_) => panic!("there is a mail server"),
    }
}

/// A value of every setting but those that exclude these.
const GIVEN: &[(&str, &str)] = &[
    ("DATABASE_URL", "sqlite:/srv/store.db"),
    ("HEARBACK_WRITE_CONNECTIONS", "5"),
    ("HEARBACK_WORKERS", "3"),
    ("HEARBACK_DATA_DIR", "/srv/data"),
    ("HEARBACK_LISTEN", "[::1]:80"),
    ("HEARBACK_METRICS_LISTEN", "127.0.0.1:9464"),
    ("HEARBACK_MASTER_KEY", OLD),
    ("HEARBACK_NEW_MASTER_KEY", NEW),
    ("HEARBACK_LOG", "debug"),
    ("HEARBACK_MAX_BODY_BYTES", "2048"),
    ("HEARBACK_RATE_LIMIT_PER_KEY", "600/m"),
    ("HEARBACK_RATE_LIMIT_PER_ADDRESS", "50/s"),
    ("HEARBACK_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8"),
    ("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@mail.example:2525?tls=none"),
    ("HEARBACK_MAIL_FROM", "Acme <news@acme.example>"),
    ("HEARBACK_PUBLIC_URL", "https://feedback.example/"),
    ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true"),
    ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "443, 8443"),
    ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1s,2h"),
];
const OLD: &str = "abababababababababababababababababababababababababababababababab";
const NEW: &str = "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd";

#[test]
fn each_setting_is_read() {
    let config = read(GIVEN).unwrap();
    assert_eq!(config.store, StoreUrl::Sqlite("/srv/store.db".into()));
    assert_eq!((config.write_connections, config.workers), (5, 3));
    assert_eq!(config.data_dir, PathBuf::from("/srv/data"));
    assert_eq!(config.listen.to_string(), "[::1]:80");
    assert_eq!(config.metrics_listen, "127.0.0.1:9464".parse().ok());
    assert_eq!(*config.master_key.unwrap().to_hex(), OLD);
    assert_eq!(*config.new_master_key.unwrap().to_hex(), NEW);
    assert_eq!(config.log, LogFilter::parse("debug").unwrap());
    assert_eq!(config.max_body_bytes, 2048);
    assert_eq!(config.rate_limit_per_key, Some(Rate::parse("600/m").unwrap()));
    assert_eq!(config.rate_limit_per_address, Some(Rate::parse("50/s").unwrap()));
    assert_eq!(config.trusted_proxies, TrustedProxies::parse("127.0.0.1/32,10.0.0.0/8").unwrap());
    let mail = format!("{:?}", config.mail);
    assert!(
        mail.starts_with("Smtp(") && mail.contains("\"mail.example\"") && mail.contains("2525"),
        "{mail}"
    );
    assert_eq!(config.public_url.unwrap().to_string(), "https://feedback.example");
    assert_eq!(
        config.webhook_policy,
        Policy { allows_private_networks: true, ports: Some(vec![443, 8443]) }
    );
    assert_eq!(config.webhook_retry_schedule, RetrySchedule::parse("1s,2h").unwrap());
}

#[test]
fn without_a_mail_server_mails_are_files_in_the_data_directory() {
    let config = read(&[
        ("HEARBACK_DATA_DIR", "/srv/data"),
        ("HEARBACK_MAIL_FROM", "news@acme.example"),
        ("HEARBACK_PUBLIC_URL", "https://feedback.example"),
    ])
    .unwrap();
    assert_eq!(
        files(&config.mail),
        (Path::new("/srv/data/mail"), &Sender::parse("news@acme.example").unwrap())
    );
    assert_eq!(config.public_url.unwrap().to_string(), "https://feedback.example");
}

#[test]
fn a_mail_server_needs_a_sender_and_a_public_url() {
    let smtp = ("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@mail.example?tls=none");
    let from = ("HEARBACK_MAIL_FROM", "news@acme.example");
    let public = ("HEARBACK_PUBLIC_URL", "https://feedback.example");
    assert!(matches!(read(&[smtp, from, public]).unwrap().mail, MailRoute::Smtp(_)));
    for given in [&[smtp, public][..], &[smtp]] {
        assert_eq!(
            error(given),
            "HEARBACK_MAIL_FROM is not set, and HEARBACK_SMTP_URL requires it: a mail needs a \
             sender"
        );
    }
    assert_eq!(
        error(&[smtp, from, ("HEARBACK_PUBLIC_URL", "")]),
        "HEARBACK_PUBLIC_URL is not set, and HEARBACK_SMTP_URL requires it: a mail has links to \
         this server"
    );
}

#[test]
fn the_api_and_the_metrics_cannot_have_the_same_address() {
    let told = "HEARBACK_METRICS_LISTEN and HEARBACK_LISTEN have the same address: unset \
                HEARBACK_METRICS_LISTEN to serve /metrics there";
    assert_eq!(error(&[("HEARBACK_METRICS_LISTEN", "127.0.0.1:8080")]), told);
    assert_eq!(
        error(&[("HEARBACK_METRICS_LISTEN", "[::1]:80"), ("HEARBACK_LISTEN", "[::1]:80")]),
        told
    );
    assert!(
        read(&[("HEARBACK_METRICS_LISTEN", "127.0.0.1:0"), ("HEARBACK_LISTEN", "127.0.0.1:0")])
            .is_ok()
    );
}

#[test]
fn the_embedded_store_is_in_the_data_directory_unless_its_path_is_given() {
    assert_eq!(
        read(&[("HEARBACK_DATA_DIR", "/srv")]).unwrap().store,
        StoreUrl::Sqlite("/srv/hearback.db".into())
    );
}

#[test]
fn a_setting_may_be_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("setting");
    let path_text = path.to_str().unwrap();
    let settings_of_mail = ["HEARBACK_SMTP_URL", "HEARBACK_MAIL_FROM", "HEARBACK_PUBLIC_URL"];
    for &(name, value) in GIVEN.iter().filter(|(name, _)| !settings_of_mail.contains(name)) {
        std::fs::write(&path, format!("{value}\n")).unwrap();
        let in_file = format!("{name}_FILE");
        assert_eq!(
            format!("{:?}", read(&[(&in_file, path_text)])),
            format!("{:?}", read(&[(name, value)])),
            "{name}"
        );
        assert_eq!(
            error(&[(name, value), (&in_file, path_text)]),
            format!("{name} and {name}_FILE are both set: unset one of them")
        );
        assert_eq!(
            error(&[(&in_file, "/nowhere/s3cr3t")]),
            format!("cannot read the file of {name}_FILE: No such file or directory (os error 2)")
        );
    }
    std::fs::write(&path, "s3cr3t").unwrap();
    assert_eq!(
        error(&[("HEARBACK_MASTER_KEY_FILE", path_text)]),
        "HEARBACK_MASTER_KEY_FILE is invalid: expected 64 hex digits"
    );
    std::fs::write(&path, "smtp://me:s3cr3t@mail.example?tls=none\n").unwrap();
    let others = [
        ("HEARBACK_MAIL_FROM", "news@acme.example"),
        ("HEARBACK_PUBLIC_URL", "https://feedback.example"),
    ];
    let config = read(&[&others[..], &[("HEARBACK_SMTP_URL_FILE", path_text)]].concat()).unwrap();
    assert!(matches!(config.mail, MailRoute::Smtp(_)));
}

#[test]
fn a_wrong_setting_is_named_and_not_quoted() {
    // Any text but an empty one is a path.
    let names = settings::ALL.iter().map(|setting| setting.name());
    let names = names.filter(|name| *name != settings::DATA_DIR.name);
    for (name, value) in names.map(|name| (name, "s3cr3t")).chain([
        ("HEARBACK_LISTEN", "localhost:8080"),
        ("HEARBACK_LISTEN", "127.0.0.1:65536"),
        ("HEARBACK_WRITE_CONNECTIONS", "0"),
        ("HEARBACK_WRITE_CONNECTIONS", "-1"),
        ("HEARBACK_WRITE_CONNECTIONS", "1001"),
        ("HEARBACK_MAX_BODY_BYTES", "0"),
        ("HEARBACK_MAX_BODY_BYTES", "-1"),
        ("HEARBACK_SMTP_URL", "smtp://me:12/s3cr3t@mail.example"),
        ("HEARBACK_PUBLIC_URL", "https://me:s3cr3t@feedback.example"),
        ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "1"),
        ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "True"),
        ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "443,"),
        ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "0"),
        ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "65536"),
    ]) {
        let error = error(&[(name, value)]);
        assert!(error.starts_with(&format!("{name} is invalid: ")), "{error}");
        assert!(!error.contains("s3cr3t"), "{error}");
    }
    let error =
        Config::read(|name| (name == "HEARBACK_LISTEN").then(|| OsString::from_vec(vec![0xff])))
            .unwrap_err();
    assert_eq!(error.to_string(), "HEARBACK_LISTEN is not UTF-8");
}

#[test]
fn no_secret_is_in_debug_output() {
    let replica = ("HEARBACK_READ_DATABASE_URL", "postgres://me:s3cr3t@standby/store");
    let store = ("DATABASE_URL", "postgres://me:s3cr3t@localhost/store");
    let shown = format!("{:?}", read(&[GIVEN, &[store, replica]].concat()).unwrap());
    assert!(!shown.contains("s3cr3t") && !shown.contains(OLD) && !shown.contains(NEW), "{shown}");
}
