//! `hearback doctor`: problems and their remedies.

use super::mail_server::MailServer;
use super::support::{Done, Home};
use diesel::connection::SimpleConnection;
use rustix::process::Signal;
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

    /// The remedy of the only line that begins so.
    #[track_caller]
    fn remedy(&self, line: &str) -> &str {
        let found: Vec<_> = self.lines.iter().filter(|(said, _)| said.starts_with(line)).collect();
        assert_eq!(found.len(), 1, "{line}: {self:?}");
        &found[0].1
    }

    #[track_caller]
    fn expect(&self, line: &str) {
        self.remedy(line);
    }
}

impl Home {
    fn doctor(&self) -> Said {
        Said::new(self.run(&["doctor"]))
    }

    /// All files below the folder, with their content and the time of its last change.
    fn files(&self) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
        let entries = self
            .names(".")
            .into_iter()
            .chain(self.names("data").into_iter().map(|name| format!("data/{name}")));
        let files = entries.filter(|name| self.path(name).is_file());
        files
            .map(|name| {
                let path = self.path(&name);
                let written = fs::metadata(&path).unwrap().modified().unwrap();
                (name, (fs::read(path).unwrap(), written))
            })
            .collect()
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
    let url = ["webhook", "add", "--organization", "acme", "--url", "https://acme.example/hook"];
    home.run(&url).expect_success();
    let before = home.files();
    let said = home.doctor();
    assert!(said.is_healthy(), "{said:?}");
    for line in [
        "ok       data directory data is writable, by this user alone",
        "ok       the database is SQLite 3.",
        "ok       the database was read through and is not damaged",
        "ok       the clock is not behind what is stored",
        "ok       the schema is up to date",
        "ok       the master key fits the store",
        "ok       API keys and signing secrets: 2, and all open",
        "ok       organizations: 1, active webhook subscriptions: 1",
        "ok       mail: no mail server is set, and mails are written to data/mail",
        "ok       webhooks: receivers are verified against the system's root certificates",
    ] {
        said.expect(line);
    }
    assert_eq!(home.files(), before);
}

#[test]
fn every_wrong_setting_is_reported_at_once_and_all_other_parts_are_examined() {
    let home = Home::with_acme()
        .set("HEARBACK_LISTEN", "s3cr3t")
        .set("HEARBACK_MASTER_KEY", "s3cr3t")
        .set("HEARBACK_LISTN", "s3cr3t")
        .set("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@127.0.0.1:1?tls=none");
    let done = home.run(&["doctor"]);
    assert!(!done.stdout.contains("s3cr3t"), "{}", done.stdout);
    let said = Said::new(done);
    assert_eq!(said.status, Some(1));
    let remedy =
        said.remedy("problem  HEARBACK_LISTEN is invalid: expected an address with a port");
    assert!(remedy.starts_with("correct HEARBACK_LISTEN: "), "{remedy}");
    said.expect("problem  HEARBACK_MASTER_KEY is invalid: expected 64 hex digits");
    assert_eq!(said.remedy("problem  HEARBACK_MAIL_FROM is not set"), "set HEARBACK_MAIL_FROM");
    assert_eq!(said.remedy("problem  HEARBACK_PUBLIC_URL is not set"), "set HEARBACK_PUBLIC_URL");
    assert_eq!(
        said.remedy("warning  HEARBACK_LISTN is not a setting"),
        "did you mean HEARBACK_LISTEN?"
    );
    said.expect("ok       the schema is up to date");
    for skipped in [
        "fit of the master key: HEARBACK_MASTER_KEY is invalid",
        "mail: HEARBACK_MAIL_FROM is invalid",
        "address to listen on: HEARBACK_LISTEN is invalid",
    ] {
        said.expect(&format!("skipped  {skipped}"));
    }
}

#[test]
fn a_master_key_that_is_wrong_gone_or_open_to_others_is_a_problem() {
    let home = Home::with_acme().on_a_free_port();
    let path = home.path("data/master.key");
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    let said = home.doctor();
    let remedy =
        said.remedy("problem  the master key in data/master.key is open to others (mode 0644)");
    assert_eq!(remedy, "run `chmod 600 data/master.key`");

    fs::rename(&path, home.path("elsewhere.key")).unwrap();
    let said = home.doctor();
    let remedy = said.remedy("problem  data/master.key is missing: ");
    assert!(remedy.starts_with("restore the master key that the store was made with"), "{remedy}");
    said.expect("skipped  API keys and signing secrets: 0, not opened without the master key");
    assert!(!path.exists(), "none is made");

    let other = "ab".repeat(32);
    let home = home.set("HEARBACK_MASTER_KEY", &other);
    let done = home.run(&["doctor"]);
    assert!(!done.stdout.contains(&other), "{}", done.stdout);
    Said::new(done)
        .expect("problem  the master key does not fit the store, which was made with another one");
}

#[test]
fn secrets_that_do_not_open_are_counted() {
    let home = Home::with_acme().on_a_free_port();
    home.generate_key();
    home.store().batch_execute("UPDATE api_keys SET sealed = x'010203'").unwrap();
    home.doctor().expect("problem  API keys or signing secrets do not open: acme 1");
}

#[test]
fn a_schema_of_another_release_is_told() {
    let home = Home::with_acme().on_a_free_port();
    let newest = "(SELECT max(version) FROM __diesel_schema_migrations)";
    let mut store = home.store();
    store
        .batch_execute(&format!("DELETE FROM __diesel_schema_migrations WHERE version = {newest}"))
        .unwrap();
    let said = home.doctor();
    assert!(
        said.remedy("warning  the schema is not up to date").contains("run `hearback migrate`"),
        "{said:?}"
    );
    said.expect("skipped  master key, secrets and webhooks in the store");
    store
        .batch_execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')")
        .unwrap();
    let said = home.doctor();
    assert!(
        said.remedy("problem  the schema is that of a newer release")
            .starts_with("use the newer release"),
        "{said:?}"
    );
}

#[test]
fn a_store_that_cannot_be_opened_is_a_problem() {
    let home = Home::new().on_a_free_port();
    home.file("notes.txt", "this is no database, whatever its name says");
    let home = home.set("HEARBACK_MASTER_KEY", &"ab".repeat(32));
    let elsewhere = home.set("DATABASE_URL", "sqlite:missing/store.db");
    let said = elsewhere.doctor();
    said.expect("problem  the store sqlite:missing/store.db and its directory do not exist");
    let said = elsewhere.set("DATABASE_URL", "sqlite:notes.txt").doctor();
    said.expect("problem  the store sqlite:notes.txt cannot be opened: ");
}

#[test]
fn a_database_that_is_not_reached_is_told_without_its_password() {
    let home = Home::new()
        .on_a_free_port()
        .set("DATABASE_URL", "postgres://me:s3cr3t@127.0.0.1:1/store?application_name=s3cr3t");
    let done = home.run(&["doctor"]);
    assert!(!done.stdout.contains("s3cr3t"), "{}", done.stdout);
    let said = Said::new(done);
    said.expect(
        "problem  the store postgres://127.0.0.1:1/store cannot be opened: cannot connect \
                 to the database: ",
    );
    let remedy = said
        .remedy("problem  HEARBACK_MASTER_KEY is not set, and a store on PostgreSQL requires it");
    assert!(remedy.starts_with("set HEARBACK_MASTER_KEY_FILE"), "{remedy}");
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
    home.run(&["migrate"]).expect_success();
    let done = home.run(&["doctor"]);
    assert!(!done.stdout.contains(&password), "{}", done.stdout);
    let said = Said::new(done);
    assert_eq!(said.status, Some(0));
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
        let done = home.run(&["doctor"]);
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
    let reading_from = |url: &str| {
        let Postgres { home, password, .. } = Postgres::new();
        let done = home.set("HEARBACK_READ_DATABASE_URL", url).run(&["doctor"]);
        let said = &done.stdout;
        assert!(!said.contains(&password) && !said.contains("s3cr3t"), "{said}");
        Said::new(done)
    };
    let Postgres { url, place, .. } = Postgres::new();
    let line = format!(
        "warning  lists are not read from the replica postgres://{place}: it is no standby, it \
         takes writes by itself"
    );
    let said = reading_from(&url);
    assert_eq!(
        said.remedy(&line),
        "set HEARBACK_READ_DATABASE_URL to one standby of the database, or unset it"
    );
    let said = reading_from("postgres://me:s3cr3t@127.0.0.1:1/store");
    said.expect(
        "warning  lists are not read from the replica postgres://127.0.0.1:1/store: \
                 cannot connect to the database: ",
    );
    let said = reading_from("postgres://me:s3cr3t@127.0.0.1:s3cr3t/store");
    said.expect(
        "problem  lists are not read from the replica postgres://…/…: the address of the \
                 database is not understood: ",
    );
    let said = reading_from("127.0.0.1:s3cr3t");
    said.expect(
        "problem  HEARBACK_READ_DATABASE_URL is invalid: expected postgres://… or postgresql://…",
    );
    assert!(said.lines.iter().all(|(line, _)| !line.contains("replica")), "{said:?}");
}

#[test]
fn a_mail_server_is_tried_out_and_sent_nothing() {
    let mail = [
        ("HEARBACK_MAIL_FROM", "news@acme.example"),
        ("HEARBACK_PUBLIC_URL", "http://feedback.example"),
    ];
    let home = || {
        mail.iter().fold(Home::new().on_a_free_port(), |home, (name, value)| home.set(name, value))
    };
    let server = MailServer::silent();
    let said = home().set("HEARBACK_SMTP_URL", &server.url()).doctor();
    let remedy = said.remedy(&format!(
        "warning  mail: {} accepts the login without TLS; nothing was sent",
        server.url()
    ));
    assert!(remedy.starts_with("use smtps://"), "{remedy}");
    assert!(server.recipients().is_empty());
    let remedy = said.remedy(
        "warning  links in mails begin with http://feedback.example, which is not encrypted",
    );
    assert!(remedy.starts_with("set HEARBACK_PUBLIC_URL to the https:// address"), "{remedy}");

    let done = home().set("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@127.0.0.1:1").run(&["doctor"]);
    assert!(!done.stdout.contains("s3cr3t"), "{}", done.stdout);
    let said = Said::new(done);
    said.expect(
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
fn deliveries_that_do_not_arrive_are_counted() {
    let home = Home::new().on_a_free_port().set("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true");
    let key = home.import_acme();
    // Nobody listens there.
    let add = ["webhook", "add", "--organization", "acme", "--url", "http://127.0.0.1:1/"];
    home.run(&add).expect_success();
    let inactive = home.run(&add).expect_line();
    let id = inactive.split('\t').next().unwrap();
    home.run(&["webhook", "deactivate", "--organization", "acme", "--id", id]).expect_success();
    let server = home.serve();
    for _ in 0..2 {
        server.toggle(&key);
    }
    server.stop(Signal::TERM);
    let mut store = home.store();
    let now = "unixepoch() * 1000";
    store
        .batch_execute(
            "UPDATE deliveries SET next_attempt_at = 0, lease_holder = NULL, leased_until = NULL",
        )
        .unwrap();
    let said = home.doctor();
    let remedy =
        said.remedy("warning  webhook deliveries are overdue by more than a minute: acme 2");
    assert!(remedy.contains("hearback serve"), "{remedy}");
    said.expect("warning  webhook subscriptions are not active: acme 1");
    said.expect("warning  webhooks may go to private networks and without TLS");

    let give_up =
        format!("UPDATE deliveries SET state = 'failed', next_attempt_at = NULL, ended_at = {now}");
    store.batch_execute(&give_up).unwrap();
    let said = home.doctor();
    said.expect("warning  webhook deliveries were given up in the last day: acme 2");
    assert_eq!(said.status, Some(0), "warnings are no problems");
}

#[test]
fn a_data_directory_that_is_none_or_open_to_others_is_told() {
    let home = Home::new().on_a_free_port();
    home.file("data", "a file where a directory should be");
    let said = home.doctor();
    let remedy = said.remedy("problem  data directory data cannot be used: it is not a directory");
    assert!(remedy.contains("HEARBACK_DATA_DIR"), "{remedy}");

    let home = Home::with_acme().on_a_free_port();
    for (name, mode) in [("data", 0o755), ("data/hearback.db", 0o644)] {
        fs::set_permissions(home.path(name), Permissions::from_mode(mode)).unwrap();
    }
    let said = home.doctor();
    assert_eq!(
        said.remedy("warning  data directory data is open to other users (mode 0755)"),
        "run `chmod 700 data`"
    );
    let path = home.path("data/hearback.db");
    let path = path.canonicalize().unwrap();
    said.expect(&format!("warning  {} is open to other users (mode 0644)", path.display()));
}

#[test]
fn a_database_that_is_damaged_is_told() {
    let home = Home::with_acme().on_a_free_port();
    let path = home.path("data/hearback.db");
    let mut bytes = fs::read(&path).unwrap();
    // The pages in front say which tables there are: without them the file cannot be opened at all.
    let page = bytes.len() * 3 / 4 / 4096 * 4096;
    bytes[page..page + 4096].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let said = home.doctor();
    assert!(
        said.remedy("problem  the database is damaged: ").contains("restore the newest backup"),
        "{said:?}"
    );
}
