//! `hearback config`: all settings with their origins.

use super::support::Home;

#[test]
fn without_any_setting_the_defaults_are_printed() {
    // An empty variable is no setting.
    let home = Home::new()
        .set("DATABASE_URL", "")
        .set("HEARBACK_LISTEN", "")
        .set("HEARBACK_MASTER_KEY_FILE", "");
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    assert_eq!(
        home.run("config").expect_success().replace(
            &format!("HEARBACK_WORKERS\t{processors}\t"),
            "HEARBACK_WORKERS\tPROCESSORS\t"
        ),
        "DATABASE_URL\tsqlite:data/hearback.db\tdefault\n\
         HEARBACK_READ_DATABASE_URL\t-\tdefault\n\
         HEARBACK_WRITE_CONNECTIONS\t16\tdefault\n\
         HEARBACK_DATA_DIR\tdata\tdefault\n\
         HEARBACK_LISTEN\t127.0.0.1:8080\tdefault\n\
         HEARBACK_WORKERS\tPROCESSORS\tdefault\n\
         HEARBACK_METRICS_LISTEN\t-\tdefault\n\
         HEARBACK_MASTER_KEY\t-\tdefault\n\
         HEARBACK_NEW_MASTER_KEY\t-\tdefault\n\
         HEARBACK_MAX_BODY_BYTES\t1048576\tdefault\n\
         HEARBACK_CONNECTIONS_PER_ADDRESS\t-\tdefault\n\
         HEARBACK_RATE_LIMIT_PER_KEY\t-\tdefault\n\
         HEARBACK_RATE_LIMIT_PER_ADDRESS\t-\tdefault\n\
         HEARBACK_FORM_LIMIT_PER_ADDRESS\t60/m\tdefault\n\
         HEARBACK_FORM_LIMIT_PER_NETWORK\t240/m\tdefault\n\
         HEARBACK_FORM_MINIMUM_AGE\t3s\tdefault\n\
         HEARBACK_TRUSTED_PROXIES\t-\tdefault\n\
         HEARBACK_SMTP_URL\t-\tdefault\n\
         HEARBACK_MAIL_FROM\tHearback <hearback@localhost>\tdefault\n\
         HEARBACK_IMAGES_URL\tdata/images\tdefault\n\
         HEARBACK_IMAGES_QUOTA_BYTES\t5368709120\tdefault\n\
         HEARBACK_PUBLIC_URL\thttp://127.0.0.1:8080\tdefault\n\
         HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS\tfalse\tdefault\n\
         HEARBACK_WEBHOOK_ALLOWED_PORTS\t-\tdefault\n\
         HEARBACK_WEBHOOK_NAME_SERVERS\t-\tdefault\n\
         HEARBACK_WEBHOOK_RETRY_SCHEDULE\t5s,5m,30m,2h,5h,10h,14h,20h,1d\tdefault\n\
         HEARBACK_TRENDING_EVERY\t30s\tdefault\n\
         HEARBACK_ERASE_AFTER\t30d\tdefault\n\
         HEARBACK_LOG\tinfo,actix_server=warn,actix_http=off,rmcp=warn\tdefault\n"
    );
    assert!(home.names(".").is_empty(), "nothing is made");
}

#[test]
fn given_settings_are_printed_with_their_origin_and_without_secrets() {
    let home = Home::new();
    let key = home.file("master.key", &"ab".repeat(32));
    let home = home
        .set("DATABASE_URL", "postgres://me:s3cr3t@127.0.0.1:1/store?application_name=s3cr3t")
        .set(
            "HEARBACK_READ_DATABASE_URL",
            "postgres://me:s3cr3t@127.0.0.1:2/store?application_name=s3cr3t",
        )
        .set("HEARBACK_DATA_DIR", "a\tb")
        .set("HEARBACK_MASTER_KEY_FILE", &key)
        .set("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@127.0.0.1?tls=none")
        .set("HEARBACK_MAIL_FROM", "News <news@acme.example>")
        .set("HEARBACK_PUBLIC_URL", "https://feedback.example/")
        .set("HEARBACK_WEBHOOK_ALLOWED_PORTS", "443, 8443");
    let done = home.run("config");
    let lines: Vec<&str> =
        done.stdout.lines().filter(|line| !line.ends_with("\tdefault")).collect();
    assert_eq!(
        lines,
        [
            "DATABASE_URL\tpostgres://127.0.0.1:1/store\tenvironment",
            "HEARBACK_READ_DATABASE_URL\tpostgres://127.0.0.1:2/store\tenvironment",
            "HEARBACK_DATA_DIR\ta b\tenvironment",
            &format!("HEARBACK_MASTER_KEY\t***\tfile {key}"),
            "HEARBACK_SMTP_URL\tsmtp://127.0.0.1:587?tls=none\tenvironment",
            "HEARBACK_MAIL_FROM\tNews <news@acme.example>\tenvironment",
            "HEARBACK_PUBLIC_URL\thttps://feedback.example\tenvironment",
            "HEARBACK_WEBHOOK_ALLOWED_PORTS\t443,8443\tenvironment",
        ]
    );
    assert_eq!((done.status, &*done.stderr), (Some(0), ""));
}

#[test]
fn every_wrong_setting_is_reported_without_its_value() {
    let home = Home::new();
    let file = home.file("log", "s3cr3t");
    let home = home
        .set("HEARBACK_LISTEN", "s3cr3t")
        .set("HEARBACK_MASTER_KEY_FILE", "s3cr3t")
        .set("HEARBACK_LOG_FILE", &file)
        .set("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@127.0.0.1?tls=none");
    let done = home.run("config");
    assert_eq!(done.status, Some(1));
    let wrong: Vec<&str> =
        done.stdout.lines().filter(|line| line.contains("\t(wrong)\t")).collect();
    assert_eq!(
        wrong,
        [
            "HEARBACK_LISTEN\t(wrong)\tenvironment",
            "HEARBACK_MASTER_KEY\t(wrong)\tenvironment",
            "HEARBACK_MAIL_FROM\t(wrong)\tdefault",
            "HEARBACK_PUBLIC_URL\t(wrong)\tdefault",
            &format!("HEARBACK_LOG\t(wrong)\tfile {file}"),
        ]
    );
    let mut told: Vec<&str> = done.stderr.lines().collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [
            "hearback: HEARBACK_LISTEN is invalid: expected an address with a port, such as \
             127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080",
            "hearback: HEARBACK_LOG_FILE is invalid: expected off, error, warn, info, debug or \
             trace, or levels of modules such as warn,hearback_http=debug",
            "hearback: HEARBACK_MAIL_FROM is not set, and HEARBACK_SMTP_URL requires it: a mail \
             needs a sender",
            "hearback: HEARBACK_PUBLIC_URL is not set, and HEARBACK_SMTP_URL requires it: a mail \
             has links to this server",
            "hearback: cannot read the file of HEARBACK_MASTER_KEY_FILE: No such file or \
             directory (os error 2)",
        ]
    );
    assert!(!done.stdout.contains("s3cr3t"), "{}", done.stdout);
}

#[test]
fn the_help_lists_every_setting_that_there_is() {
    let home = Home::new();
    let help = home.run("--help").expect_success();
    let printed = home.run("config").expect_success();
    for line in printed.lines() {
        let (name, _) = line.split_once('\t').unwrap();
        assert!(help.contains(&format!("\n  {name}\n")), "{name}");
    }
    assert!(
        help.contains("  HEARBACK_LISTEN\n          address and port [default: 127.0.0.1:8080]\n"),
        "{help}"
    );
}
