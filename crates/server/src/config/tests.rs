//! Settings that are read, and settings that are refused.

use super::*;
use hearback_mail::Sender;
use std::collections::HashMap;
use std::error::Error;
use std::os::unix::ffi::OsStringExt;

fn reading(variables: &[(&str, &str)]) -> Reading {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    Reading::new(|name| variables.get(name).map(OsString::from))
}

/// The settings, all of them valid.
#[track_caller]
fn read(variables: &[(&str, &str)]) -> Config {
    let Reading { config, faults, .. } = reading(variables);
    assert!(faults.is_empty(), "{faults:?}");
    config
}

/// The faults with their causes, as they are printed.
fn faults(variables: &[(&str, &str)]) -> Vec<String> {
    let printed = |fault: &ConfigError| {
        let source = fault.source().map(|source| format!(": {source}")).unwrap_or_default();
        format!("{fault}{source}")
    };
    reading(variables).faults.iter().map(printed).collect()
}

/// A value of every setting but those that exclude these, and the value as it is shown.
const GIVEN: [(&str, &str, &str); 28] = [
    ("DATABASE_URL", "sqlite:/srv/store.db", "sqlite:/srv/store.db"),
    ("HEARBACK_WRITE_CONNECTIONS", "5", "5"),
    ("HEARBACK_WORKERS", "3", "3"),
    ("HEARBACK_DATA_DIR", "/srv/data", "/srv/data"),
    ("HEARBACK_LISTEN", "[::1]:80", "[::1]:80"),
    ("HEARBACK_IMAGES_URL", "s3://acme/images/", "s3://acme/images"),
    ("HEARBACK_IMAGES_QUOTA_BYTES", "1000", "1000"),
    ("HEARBACK_METRICS_LISTEN", "127.0.0.1:9464", "127.0.0.1:9464"),
    ("HEARBACK_MASTER_KEY", OLD, "***"),
    ("HEARBACK_NEW_MASTER_KEY", NEW, "***"),
    ("HEARBACK_LOG", "debug", "debug"),
    ("HEARBACK_MAX_BODY_BYTES", "2048", "2048"),
    ("HEARBACK_CONNECTIONS_PER_ADDRESS", "100", "100"),
    ("HEARBACK_RATE_LIMIT_PER_KEY", "600/m", "600/m"),
    ("HEARBACK_RATE_LIMIT_PER_ADDRESS", "50/s", "50/s"),
    ("HEARBACK_FORM_LIMIT_PER_ADDRESS", "5/m", "5/m"),
    ("HEARBACK_FORM_LIMIT_PER_NETWORK", "9/h", "9/h"),
    ("HEARBACK_FORM_MINIMUM_AGE", "0s", "0s"),
    ("HEARBACK_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8", "127.0.0.1/32,10.0.0.0/8"),
    (SMTP.0, SMTP.1, "smtp://mail.example:2525?tls=none"),
    (FROM.0, FROM.1, "Acme <news@acme.example>"),
    (PUBLIC.0, PUBLIC.1, "https://feedback.example"),
    ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true", "true"),
    ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "443, 8443", "443,8443"),
    (
        "HEARBACK_WEBHOOK_NAME_SERVERS",
        "10.0.0.2, ::1, [::1]:5353",
        "10.0.0.2:53,[::1]:53,[::1]:5353",
    ),
    ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1s,2h", "1s,2h"),
    ("HEARBACK_TRENDING_EVERY", "5s", "5s"),
    ("HEARBACK_ERASE_AFTER", "48h", "2d"),
];
const OLD: &str = "abababababababababababababababababababababababababababababababab";
const NEW: &str = "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd";
const SMTP: (&str, &str) = ("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@mail.example:2525?tls=none");
const FROM: (&str, &str) = ("HEARBACK_MAIL_FROM", "Acme <news@acme.example>");
const PUBLIC: (&str, &str) = ("HEARBACK_PUBLIC_URL", "https://feedback.example/");
const REPLICA: (&str, &str) = ("HEARBACK_READ_DATABASE_URL", "postgres://me:s3cr3t@standby/store");

#[test]
fn each_setting_is_read() {
    let config = read(&GIVEN.map(|(name, value, _)| (name, value)));
    for (name, _, shown) in GIVEN {
        let setting = settings::ALL.iter().find(|setting| setting.name() == name).unwrap();
        assert_eq!(setting.show(&config), shown, "{name}");
    }
    assert_eq!(*config.master_key.unwrap().to_hex(), OLD);
    assert_eq!(*config.new_master_key.unwrap().to_hex(), NEW);
}

#[test]
fn the_embedded_store_and_mails_as_files_are_in_the_data_directory() {
    let config = read(&[("HEARBACK_DATA_DIR", "/srv"), FROM]);
    assert_eq!(config.store, StoreUrl::Sqlite("/srv/hearback.db".into()));
    let MailRoute::Files { folder, sender } = config.mail else { panic!() };
    assert_eq!((folder, sender), ("/srv/mail".into(), Sender::parse(FROM.1).unwrap()));
}

#[test]
fn settings_that_need_or_exclude_others_are_refused() {
    let no_sender = "HEARBACK_MAIL_FROM is not set, and HEARBACK_SMTP_URL requires it: a mail \
                     needs a sender";
    let no_link = "HEARBACK_PUBLIC_URL is not set, and HEARBACK_SMTP_URL requires it: a mail has \
                   links to this server";
    let same = "HEARBACK_METRICS_LISTEN and HEARBACK_LISTEN have the same address: unset \
                HEARBACK_METRICS_LISTEN to serve /metrics there";
    let no_replica = "HEARBACK_READ_DATABASE_URL is set, but the store sqlite:data/hearback.db is \
                      not on PostgreSQL and has no replica";
    let no_store = "DATABASE_URL is invalid: expected sqlite:PATH, postgres://… or postgresql://…";
    let listening = |address| [("HEARBACK_METRICS_LISTEN", address), ("HEARBACK_LISTEN", address)];
    for (given, told) in [
        (&[SMTP, FROM, PUBLIC][..], &[][..]),
        (&[SMTP, PUBLIC], &[no_sender]),
        (&[SMTP, FROM, ("HEARBACK_PUBLIC_URL", "")], &[no_link]),
        (&[SMTP], &[no_sender, no_link]),
        (&[("HEARBACK_METRICS_LISTEN", "127.0.0.1:8080")], &[same]),
        (&listening("[::1]:80"), &[same]),
        (&listening("127.0.0.1:0"), &[]),
        (&[REPLICA], &[no_replica]),
        (&[REPLICA, ("DATABASE_URL", "mysql://localhost")], &[no_store]),
    ] {
        assert_eq!(faults(given), told, "{given:?}");
    }
}

#[test]
fn a_setting_may_be_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("setting");
    let path_text = path.to_str().unwrap();
    for (name, value, _) in GIVEN {
        let in_file = format!("{name}_FILE");
        let (in_variable, in_file) = ((name, value), (&*in_file, path_text));
        // A mail server needs other settings. The last value of a variable counts.
        let with = [FROM, PUBLIC];
        let without: Vec<_> = with.into_iter().filter(|(other, _)| *other != name).collect();
        std::fs::write(&path, format!("{value}\n")).unwrap();
        assert_eq!(
            format!("{:?}", read(&[&without[..], &[in_file]].concat())),
            format!("{:?}", read(&[&with[..], &[in_variable]].concat())),
            "{name}"
        );
        assert_eq!(
            faults(&[&with[..], &[in_variable, in_file]].concat()),
            [format!("{name} and {name}_FILE are both set: unset one of them")]
        );
        let missing = "No such file or directory (os error 2)";
        assert_eq!(
            faults(&[&without[..], &[(in_file.0, "/nowhere/s3cr3t")]].concat()),
            [format!("cannot read the file of {name}_FILE: {missing}")]
        );
    }
    std::fs::write(&path, "s3cr3t").unwrap();
    assert_eq!(
        faults(&[("HEARBACK_MASTER_KEY_FILE", path_text)]),
        ["HEARBACK_MASTER_KEY_FILE is invalid: expected 64 hex digits"]
    );
}

#[test]
fn a_wrong_setting_is_named_with_its_right_form_and_not_quoted() {
    // Any text but an empty one is a path.
    let names = settings::ALL.iter().map(|setting| setting.name());
    let names = names.filter(|name| *name != settings::DATA_DIR.name);
    let mut told = faults(&names.map(|name| (name, "s3cr3t")).collect::<Vec<_>>());
    told.sort();
    assert_eq!(
        told,
        [
            "DATABASE_URL is invalid: expected sqlite:PATH, postgres://… or postgresql://…",
            "HEARBACK_CONNECTIONS_PER_ADDRESS is invalid: expected a number from 1 to 1000, such \
             as 16",
            "HEARBACK_ERASE_AFTER is invalid: expected a time from 1d to 3650d, such as 30d",
            "HEARBACK_FORM_LIMIT_PER_ADDRESS is invalid: expected 1 to 1000000 requests a second, \
             minute or hour, such as 50/s, 600/m or 10000/h",
            "HEARBACK_FORM_LIMIT_PER_NETWORK is invalid: expected 1 to 1000000 requests a second, \
             minute or hour, such as 50/s, 600/m or 10000/h",
            "HEARBACK_FORM_MINIMUM_AGE is invalid: expected a time from 0s to 60s, such as 3s",
            "HEARBACK_IMAGES_QUOTA_BYTES is invalid: expected a number of bytes, such as 5368709120",
            "HEARBACK_LISTEN is invalid: expected an address with a port, such as 127.0.0.1:8080, \
             0.0.0.0:8080 or [::1]:8080",
            "HEARBACK_LOG is invalid: expected off, error, warn, info, debug or trace, or levels \
             of modules such as warn,hearback_http=debug",
            "HEARBACK_MAIL_FROM is invalid: expected an address such as news@example.com, or a \
             name and an address such as Example <news@example.com>",
            "HEARBACK_MASTER_KEY is invalid: expected 64 hex digits",
            "HEARBACK_MAX_BODY_BYTES is invalid: expected a number of bytes, such as 1048576",
            "HEARBACK_METRICS_LISTEN is invalid: expected an address with a port, such as \
             127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080",
            "HEARBACK_NEW_MASTER_KEY is invalid: expected 64 hex digits",
            "HEARBACK_PUBLIC_URL is invalid: expected a URL such as https://feedback.example.com",
            "HEARBACK_RATE_LIMIT_PER_ADDRESS is invalid: expected 1 to 1000000 requests a second, \
             minute or hour, such as 50/s, 600/m or 10000/h",
            "HEARBACK_RATE_LIMIT_PER_KEY is invalid: expected 1 to 1000000 requests a second, \
             minute or hour, such as 50/s, 600/m or 10000/h",
            "HEARBACK_READ_DATABASE_URL is invalid: expected postgres://… or postgresql://…",
            "HEARBACK_SMTP_URL is invalid: expected smtp://USER:PASSWORD@HOST:PORT or smtps://…, \
             with special characters percent-encoded",
            "HEARBACK_TRENDING_EVERY is invalid: expected a time from 1s to 60s, such as 30s",
            "HEARBACK_TRUSTED_PROXIES is invalid: expected addresses and networks, such as \
             127.0.0.1,10.0.0.0/8",
            "HEARBACK_WEBHOOK_ALLOWED_PORTS is invalid: expected ports, such as 443,8443",
            "HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS is invalid: expected true or false",
            "HEARBACK_WEBHOOK_NAME_SERVERS is invalid: expected addresses, such as \
             10.0.0.2,10.0.0.3:5353",
            "HEARBACK_WEBHOOK_RETRY_SCHEDULE is invalid: expected up to 100 pauses of 1s to 30d, \
             such as 5s,5m,30m,2h,1d",
            "HEARBACK_WORKERS is invalid: expected a number from 1 to 1000, such as 16",
            "HEARBACK_WRITE_CONNECTIONS is invalid: expected a number from 1 to 1000, such as 16",
        ]
    );
    for (name, value) in [
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
        ("HEARBACK_WEBHOOK_NAME_SERVERS", "10.0.0.2,"),
        ("HEARBACK_WEBHOOK_NAME_SERVERS", "dns.example"),
    ] {
        let told = faults(&[(name, value)]).concat();
        assert!(told.starts_with(&format!("{name} is invalid: expected ")), "{value}: {told}");
        assert!(!told.contains("s3cr3t"), "{told}");
    }
    let reading =
        Reading::new(|name| (name == "HEARBACK_LISTEN").then(|| OsString::from_vec(vec![0xff])));
    assert_eq!(reading.faults[0].to_string(), "HEARBACK_LISTEN is not UTF-8");
}

#[test]
fn no_secret_is_in_debug_output() {
    let given = GIVEN.map(|(name, value, _)| (name, value));
    let store = ("DATABASE_URL", "postgres://me:s3cr3t@localhost/store");
    let shown = format!("{:?}", read(&[&given[..], &[store, REPLICA]].concat()));
    assert!(!shown.contains("s3cr3t") && !shown.contains(OLD) && !shown.contains(NEW), "{shown}");
}
