//! Settings: a wrong one stops the start.

use super::support::Home;

#[test]
fn a_wrong_setting_stops_every_command_and_is_named() {
    let home = Home::new().set("HEARBACK_LISTEN", "8080");
    let told = "hearback: HEARBACK_LISTEN is invalid: expected an address with a port, such as \
                127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080";
    for command in [&["serve"][..], &["migrate"], &["demo"], &["organization", "list"]] {
        assert_eq!(home.run(command).expect_failure(), told);
    }
    assert!(!home.path("data").exists());
}

#[test]
fn the_error_about_a_wrong_setting_says_what_is_right() {
    let wrong = [
        (
            "DATABASE_URL",
            "mysql://localhost",
            "expected sqlite:PATH, postgres://… or postgresql://…",
        ),
        ("HEARBACK_READ_DATABASE_URL", "sqlite:copy.db", "expected postgres://… or postgresql://…"),
        (
            "HEARBACK_LISTEN",
            "8080",
            "expected an address with a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or \
             [::1]:8080",
        ),
        ("HEARBACK_MASTER_KEY", "short", "expected 64 hex digits"),
        (
            "HEARBACK_LOG",
            "loud",
            "expected off, error, warn, info, debug or trace, or levels of modules \
             such as warn,hearback_http=debug",
        ),
        ("HEARBACK_WRITE_CONNECTIONS", "0", "expected a number from 1 to 1000, such as 16"),
        ("HEARBACK_WORKERS", "all", "expected a number from 1 to 1000, such as 16"),
        ("HEARBACK_MAX_BODY_BYTES", "1M", "expected a number of bytes, such as 1048576"),
        (
            "HEARBACK_SMTP_URL",
            "mail.example",
            "expected smtp://USER:PASSWORD@HOST:PORT or smtps://…, with special \
             characters percent-encoded",
        ),
        (
            "HEARBACK_MAIL_FROM",
            "Acme",
            "expected an address such as news@example.com, or a name and an address \
             such as Example <news@example.com>",
        ),
        (
            "HEARBACK_PUBLIC_URL",
            "feedback.example",
            "expected a URL such as https://feedback.example.com",
        ),
        ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "yes", "expected true or false"),
        ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "https", "expected ports, such as 443,8443"),
        (
            "HEARBACK_WEBHOOK_RETRY_SCHEDULE",
            "5",
            "expected up to 100 pauses of 1s to 30d, such as 5s,5m,30m,2h,1d",
        ),
    ];
    let home = wrong.iter().fold(Home::new(), |home, (name, value, _)| home.set(name, value));
    let told = home.run(&["config"]).stderr;
    for (name, _, right) in wrong {
        let line = format!("hearback: {name} is invalid: {right}");
        assert!(told.lines().any(|told| told == line), "{line}: {told}");
    }
    assert_eq!(told.lines().count(), wrong.len());
}

#[test]
fn only_a_store_on_postgresql_has_a_replica() {
    let home =
        Home::new().set("HEARBACK_READ_DATABASE_URL", "postgres://me:s3cr3t@127.0.0.1:1/store");
    let told = "hearback: HEARBACK_READ_DATABASE_URL is set, but the store \
                sqlite:data/hearback.db is not on PostgreSQL and has no replica";
    for command in ["serve", "migrate", "demo"] {
        assert_eq!(home.run(&[command]).expect_failure(), told);
    }
    assert!(!home.path("data").exists());
    let home = home.set("DATABASE_URL", "mysql://localhost");
    let said = home.run(&["config"]).stderr;
    assert_eq!(
        said,
        "hearback: DATABASE_URL is invalid: expected sqlite:PATH, postgres://… or postgresql://…\n",
        "that alone"
    );
}

#[test]
fn postgresql_needs_a_master_key() {
    for scheme in ["postgres", "postgresql"] {
        // Nothing listens there: nothing is connected to.
        let home =
            Home::new().set("DATABASE_URL", &format!("{scheme}://me:s3cr3t@127.0.0.1:1/store"));
        let error = home.run(&["serve"]).expect_failure();
        assert!(
            error.starts_with(
                "hearback: HEARBACK_MASTER_KEY is not set, and a store on PostgreSQL requires it"
            ),
            "{error}"
        );
        assert!(!home.path("data").exists());
    }
}

#[test]
fn a_database_that_is_not_reached_is_told_without_its_password() {
    let home = Home::new()
        .set("DATABASE_URL", "postgres://me:s3cr3t@127.0.0.1:1/store?application_name=s3cr3t")
        .set("HEARBACK_MASTER_KEY", &"ab".repeat(32))
        .set("HEARBACK_LOG", "trace");
    let done = home.run(&["serve"]);
    assert_eq!(done.status, Some(1));
    assert!(!done.stderr.contains("s3cr3t"), "{}", done.stderr);
    let error = done.stderr.lines().last().unwrap();
    assert!(
        error.starts_with(
            "hearback: cannot open the store postgres://127.0.0.1:1/store (DATABASE_URL): "
        ),
        "{error}"
    );
    assert!(error.ends_with("Connection refused (os error 111)"), "{error}");
}
