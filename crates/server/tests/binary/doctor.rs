//! `hearback doctor`: problems and their remedies.

use super::mail_server::MailServer;
use super::support::{Done, Home, assert_hides, is_like};
use diesel::connection::SimpleConnection;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::time::SystemTime;

/// The report of the doctor: each line with its remedy, which is empty for `ok` and `skipped`.
#[derive(Debug)]
struct Said {
    status: Option<i32>,
    lines: Vec<(String, String)>,
}

impl Said {
    fn new(done: Done) -> Self {
        let mut lines: Vec<(String, String)> = Vec::new();
        for line in done.stdout.lines() {
            match line.strip_prefix("         ") {
                Some(remedy) => lines.last_mut().unwrap().1.push_str(remedy),
                None => lines.push((line.to_owned(), String::new())),
            }
        }
        for (line, remedy) in &lines {
            let (verdict, what) = line.split_at(9);
            assert!(
                ["ok", "warning", "problem", "skipped"].contains(&verdict.trim())
                    && !what.is_empty(),
                "{line}"
            );
            assert_eq!(remedy.is_empty(), matches!(verdict.trim(), "ok" | "skipped"), "{line}");
        }
        let problems = lines.iter().filter(|(line, _)| line.starts_with("problem")).count();
        let told = match problems {
            0 => String::new(),
            1 => "hearback: found 1 problem\n".to_owned(),
            _ => format!("hearback: found {problems} problems\n"),
        };
        assert_eq!((done.status, done.stderr), (Some(i32::from(problems > 0)), told));
        Self { status: done.status, lines }
    }

    /// Whether all is well, but for the disk that the tests run on.
    fn is_healthy(&self) -> bool {
        let is_fine =
            |line: &str| line.starts_with("ok") || line.starts_with("warning  the disk of ");
        self.status == Some(0) && self.lines.iter().all(|(line, _)| is_fine(line))
    }

    /// Expects one line with this beginning.
    #[track_caller]
    fn expect(&self, line: &str) -> &str {
        let found: Vec<_> = self.lines.iter().filter(|(said, _)| said.starts_with(line)).collect();
        assert_eq!(found.len(), 1, "{line}: {self:?}");
        &found[0].1
    }

    /// Expects one line with this beginning and this remedy. An `…` at its end stands for any text.
    #[track_caller]
    fn expect_with(&self, line: &str, remedy: &str) {
        assert!(is_like(self.expect(line), remedy), "{remedy}: {self:?}");
    }
}

impl Home {
    fn doctor(&self) -> Said {
        self.doctor_without("s3cr3t")
    }

    /// Asserts that a secret is not printed.
    fn doctor_without(&self, secret: &str) -> Said {
        let done = self.run("doctor");
        assert_hides(&done.stdout, &[secret]);
        Said::new(done)
    }

    /// All files below the folder, with their content and the time of its last change.
    fn files(&self) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
        let below_data = self.names("data").into_iter().map(|name| format!("data/{name}"));
        let names = self.names(".").into_iter().chain(below_data);
        let file = |name: String| {
            let path = self.path(&name);
            let content = fs::read(&path).ok()?;
            Some((name, (content, fs::metadata(&path).unwrap().modified().unwrap())))
        };
        names.filter_map(file).collect()
    }

    /// On a free port, so that other programs on this machine do not matter.
    fn on_a_free_port(self) -> Self {
        self.set("HEARBACK_LISTEN", "127.0.0.1:0")
    }
}

#[test]
fn before_the_first_start_all_is_well_and_nothing_is_made() {
    let home = Home::new().on_a_free_port();
    let said = home.doctor();
    assert!(said.is_healthy(), "{said:?}");
    said.expect("ok       data directory data does not exist yet: the first start makes it");
    said.expect("ok       the store sqlite:data/hearback.db does not exist yet");
    assert!(home.names(".").is_empty());
}

#[test]
fn a_healthy_installation_is_reported_and_left_as_it_is() {
    let home = Home::with_acme().on_a_free_port();
    home.generate_key();
    home.subscribe("https://acme.example/hook");
    let before = home.files();
    let said = home.doctor();
    assert!(said.is_healthy(), "{said:?}");
    for line in [
        "ok       data directory data is writable, by this user alone",
        "ok       the database is SQLite 3.",
        "ok       the database was read through and is not damaged",
        "ok       the clock is not behind the last write",
        "ok       the schema is up to date",
        "ok       the master key fits the store",
        "ok       API keys and signing secrets: 2, and all open",
        "ok       counts: ",
        "ok       organizations: 1, active webhook subscriptions: 1",
        "ok       mail: no mail server is set, and mails are written to data/mail",
        "ok       webhooks: receivers are verified against the system's root certificates",
    ] {
        said.expect(line);
    }
    assert_eq!(home.files(), before);

    home.store().batch_execute("UPDATE api_keys SET sealed = x'010203'").unwrap();
    home.doctor().expect("problem  API keys or signing secrets do not open: acme 1");
}

#[test]
fn every_wrong_setting_is_reported_at_once_and_all_other_parts_are_examined() {
    let said = Home::with_acme()
        .set("HEARBACK_LISTEN", "s3cr3t")
        .set("HEARBACK_MASTER_KEY", "s3cr3t")
        .set("HEARBACK_LISTN", "s3cr3t")
        .set("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true")
        .set("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@127.0.0.1:1?tls=none")
        .doctor();
    assert_eq!(said.status, Some(1));
    for (line, remedy) in [
        (
            "problem  HEARBACK_LISTEN is invalid: expected an address with a port",
            "correct HEARBACK_LISTEN: …",
        ),
        ("problem  HEARBACK_MASTER_KEY is invalid: expected 64 hex digits", "correct …"),
        ("problem  HEARBACK_MAIL_FROM is not set", "set HEARBACK_MAIL_FROM"),
        ("problem  HEARBACK_PUBLIC_URL is not set", "set HEARBACK_PUBLIC_URL"),
        ("warning  HEARBACK_LISTN is not a setting", "did you mean HEARBACK_LISTEN?"),
        (
            "warning  webhooks may go to private networks and without TLS",
            "unset HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS, unless …",
        ),
        ("ok       the schema is up to date", ""),
        ("skipped  fit of the master key: HEARBACK_MASTER_KEY is invalid", ""),
        ("skipped  mail: HEARBACK_MAIL_FROM is invalid", ""),
        ("skipped  address to listen on: HEARBACK_LISTEN is invalid", ""),
    ] {
        said.expect_with(line, remedy);
    }
}

#[test]
fn a_master_key_that_is_wrong_gone_or_open_to_others_is_a_problem() {
    let home = Home::with_acme().on_a_free_port();
    let path = home.path("data/master.key");
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    home.doctor().expect_with(
        "problem  the master key in data/master.key is open to others (mode 0644)",
        "run `chmod 600 data/master.key`",
    );

    fs::rename(&path, home.path("elsewhere.key")).unwrap();
    let said = home.doctor();
    said.expect_with(
        "problem  data/master.key is missing: ",
        "restore the master key that the store was made with…",
    );
    said.expect("skipped  API keys and signing secrets: 0, not opened without the master key");
    assert!(!path.exists(), "none is made");

    let other = "ab".repeat(32);
    home.set("HEARBACK_MASTER_KEY", &other)
        .doctor_without(&other)
        .expect("problem  the master key does not fit the store, which was made with another one");
}

#[test]
fn a_schema_of_another_release_is_reported() {
    let home = Home::with_acme().on_a_free_port();
    let mut store = home.store();
    store
        .batch_execute(
            "DELETE FROM __diesel_schema_migrations WHERE version = \
             (SELECT max(version) FROM __diesel_schema_migrations)",
        )
        .unwrap();
    let said = home.doctor();
    said.expect_with(
        "warning  the schema is not up to date",
        "copy the database and the master key, then run `hearback migrate`…",
    );
    said.expect("skipped  master key, secrets and webhooks in the store");
    store
        .batch_execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')")
        .unwrap();
    home.doctor()
        .expect_with("problem  the schema is that of a newer release", "use the newer release…");
}

#[test]
fn a_store_that_cannot_be_opened_is_a_problem() {
    let mut home = Home::new().on_a_free_port().set("HEARBACK_MASTER_KEY", &"ab".repeat(32));
    home.file("notes.txt", "this is no database, despite its name");
    for (store, problem) in [
        ("sqlite:missing/store.db", "sqlite:missing/store.db and its directory do not exist"),
        ("sqlite:notes.txt", "sqlite:notes.txt cannot be opened: "),
        (
            "postgres://me:s3cr3t@127.0.0.1:1/store?application_name=s3cr3t",
            "postgres://127.0.0.1:1/store cannot be opened: cannot connect to the database: ",
        ),
    ] {
        home = home.set("DATABASE_URL", store);
        home.doctor().expect(&format!("problem  the store {problem}"));
    }
    home.set("HEARBACK_MASTER_KEY", "").doctor().expect_with(
        "problem  HEARBACK_MASTER_KEY is not set, and a store on PostgreSQL requires it",
        "set HEARBACK_MASTER_KEY_FILE…",
    );
}

/// A home on the PostgreSQL server of the tests.
struct Postgres {
    home: Home,
    url: String,
    password: String,
    /// The part of the URL behind the password.
    place: String,
}

impl Postgres {
    fn new() -> Self {
        let url = std::env::var("HEARBACK_TEST_POSTGRES_URL")
            .expect("scripts/with-postgres runs a server for tests");
        let (user, place) = url.split_once('@').unwrap();
        let (_, password) = user.rsplit_once(':').unwrap();
        let home = Home::new()
            .on_a_free_port()
            .set("DATABASE_URL", &url)
            .set("HEARBACK_MASTER_KEY", &"ab".repeat(32));
        Self { home, password: password.to_owned(), place: place.to_owned(), url }
    }
}

#[test]
fn postgresql_is_reported_with_its_settings() {
    let Postgres { home, password, .. } = Postgres::new();
    home.run("migrate").expect_success();
    let said = home.doctor_without(&password);
    assert_eq!(said.status, Some(0), "warnings are no problems");
    for line in [
        "ok       the database is PostgreSQL ",
        // The cluster of tests is thrown away.
        "warning  fsync or full_page_writes is off",
        "ok       the database's clock and this machine's agree",
        "ok       the schema is up to date",
        "ok       the master key fits the store",
    ] {
        said.expect(line);
    }
}

#[test]
fn a_server_takes_the_number_of_connections_of_its_settings() {
    let Postgres { home, .. } = Postgres::new();
    let taken = |home: &Home| -> usize {
        let done = home.run("doctor");
        let (_, told) = done
            .stdout
            .split_once(" connections are taken; a server takes up to ")
            .expect(&done.stdout);
        told.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().expect(told)
    };
    let by_default = taken(&home);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let home = home.set("HEARBACK_WRITE_CONNECTIONS", "5");
    assert_eq!(taken(&home), by_default - 11);
    assert_eq!(taken(&home.set("HEARBACK_WORKERS", "40")), by_default - 11 - processors + 40);
}

#[test]
fn an_unfit_replica_is_reported_without_its_password() {
    let Postgres { home, url, password, place } = Postgres::new();
    let mut home = home;
    for (replica, line, remedy) in [
        (
            &*url,
            &*format!(
                "warning  lists are not read from the replica postgres://{place}: it is no \
                 standby, it takes writes by itself"
            ),
            "set HEARBACK_READ_DATABASE_URL to one standby of the database, or unset it",
        ),
        (
            "postgres://me:s3cr3t@127.0.0.1:1/store",
            "warning  lists are not read from the replica postgres://127.0.0.1:1/store: cannot \
             connect to the database: ",
            "check that it runs there…",
        ),
        (
            "postgres://me:s3cr3t@127.0.0.1:s3cr3t/store",
            "problem  lists are not read from the replica postgres://…/…: the address of the \
             database is not understood: ",
            "set HEARBACK_READ_DATABASE_URL to a standby of the database, or unset it",
        ),
    ] {
        home = home.set("HEARBACK_READ_DATABASE_URL", replica);
        home.doctor().expect_with(line, remedy);
        home.doctor_without(&password);
    }
    let said = home.set("HEARBACK_READ_DATABASE_URL", "127.0.0.1:s3cr3t").doctor();
    said.expect(
        "problem  HEARBACK_READ_DATABASE_URL is invalid: expected postgres://… or postgresql://…",
    );
    assert!(said.lines.iter().all(|(line, _)| !line.contains("replica")), "{said:?}");
}

#[test]
fn a_mail_server_is_tried_out_and_sent_nothing() {
    let home = Home::new()
        .on_a_free_port()
        .set("HEARBACK_MAIL_FROM", "news@acme.example")
        .set("HEARBACK_PUBLIC_URL", "http://feedback.example");
    let server = MailServer::silent();
    let home = home.set("HEARBACK_SMTP_URL", &server.url());
    let said = home.doctor();
    said.expect_with(
        &format!("warning  mail: {} accepts the login without TLS; nothing was sent", server.url()),
        "use smtps://…",
    );
    said.expect_with(
        "warning  links in mails begin with http://feedback.example, which is not encrypted",
        "set HEARBACK_PUBLIC_URL to the https:// address…",
    );
    assert!(server.recipients().is_empty());
    home.set("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@127.0.0.1:1").doctor().expect(
        "problem  mail: smtp://127.0.0.1:1?tls=required cannot be used: connecting to the mail \
         server: Connection refused",
    );
}

#[test]
fn a_taken_address_is_reported_with_the_program_that_answers_there() {
    let home = Home::with_acme();
    let server = home.serve();
    let said = home.set("HEARBACK_LISTEN", &server.address.to_string()).doctor();
    said.expect(&format!("ok       a hearback listens on {} and is ready", server.address));
    assert!(said.is_healthy(), "beside a server that runs: {said:?}");

    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = stranger.local_addr().unwrap();
    let answering = std::thread::spawn(move || drop(stranger.accept().unwrap()));
    let said = Home::new().set("HEARBACK_LISTEN", &address.to_string()).doctor();
    answering.join().unwrap();
    said.expect(&format!("problem  another process than hearback listens on {address}"));
    let said = Home::new().set("HEARBACK_LISTEN", "192.0.2.1:8080").doctor();
    said.expect("problem  cannot listen on 192.0.2.1:8080: ");
}

#[test]
fn a_data_directory_that_is_a_file_or_open_to_others_is_reported() {
    let home = Home::new().on_a_free_port();
    home.file("data", "a file where a directory should be");
    home.doctor().expect_with(
        "problem  data directory data cannot be used: it is not a directory",
        "change its owner and mode (`chown` and `chmod 700` data), or set HEARBACK_DATA_DIR",
    );

    let home = Home::with_acme().on_a_free_port();
    for (name, mode) in [("data", 0o755), ("data/hearback.db", 0o644)] {
        fs::set_permissions(home.path(name), Permissions::from_mode(mode)).unwrap();
    }
    let said = home.doctor();
    said.expect_with(
        "warning  data directory data is open to other users (mode 0755)",
        "run `chmod 700 data`",
    );
    let path = home.path("data/hearback.db").canonicalize().unwrap();
    said.expect(&format!("warning  {} is open to other users (mode 0644)", path.display()));
}

#[test]
fn a_damaged_database_is_reported() {
    let home = Home::with_acme().on_a_free_port();
    let path = home.path("data/hearback.db");
    let mut bytes = fs::read(&path).unwrap();
    // A leaf of an index is damaged, so that the schema can still be read.
    bytes.chunks_mut(4096).rfind(|page| page[0] == 0x0a).unwrap().fill(0xff);
    fs::write(&path, bytes).unwrap();
    home.doctor().expect_with(
        "problem  the database is damaged: ",
        "stop the server, copy the file for later, and restore the newest backup…",
    );
}
