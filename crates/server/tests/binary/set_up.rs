//! The set-up before every command: the data directory, the schema, the master key.

use super::support::{Home, mode};
use diesel::connection::SimpleConnection;
use std::fs;
use std::process::Stdio;

/// The commands that check the schema, on an organization `acme`. `backup` copies any schema.
const COMMANDS: [&str; 16] = [
    "serve",
    "migrate",
    "demo",
    "import empty.jsonl",
    "export --organization acme",
    "organization create --slug other --name Other",
    "organization list",
    "organization delete --organization acme --yes",
    "key generate --organization acme",
    "key rotate --organization acme",
    "key reveal --organization acme",
    "key revoke --organization acme",
    "key reseal",
    "sso generate --organization acme",
    "sso retire --organization acme",
    "sso check --organization acme x.y.z",
];

#[test]
fn new_files_and_directories_are_for_their_owner_only() {
    let home = Home::new().set("HEARBACK_DATA_DIR", "deep/data");
    home.run("migrate").expect_success();
    for (path, expected) in [
        ("deep", 0o700),
        ("deep/data", 0o700),
        ("deep/data/hearback.db", 0o600),
        ("deep/data/master.key", 0o600),
    ] {
        assert_eq!(mode(&home.path(path)), expected, "{path}");
    }
    assert_eq!(
        home.names("deep/data"),
        ["hearback.db", "master.key"],
        "closed without a log or anything temporary"
    );
    assert_eq!(fs::read_to_string(home.path("deep/data/master.key")).unwrap().trim_end().len(), 64);
}

#[test]
fn a_directory_that_is_there_keeps_its_mode() {
    let home = Home::new();
    fs::create_dir(home.path("data")).unwrap();
    let before = mode(&home.path("data"));
    home.run("migrate").expect_success();
    assert_eq!(mode(&home.path("data")), before);
}

#[test]
fn many_starts_at_once_on_nothing_agree_on_the_master_key() {
    for _ in 0..5 {
        let home = Home::new();
        let start = |n| {
            let line = format!("organization create --slug acme-{n} --name Acme");
            home.start(&line, Stdio::null())
        };
        let children: Vec<_> = (0..4).map(start).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
        // Two processes that close the store at the same moment leave its log.
        let mut names = home.names("data");
        names.retain(|name| !name.starts_with("hearback.db-"));
        assert_eq!(names, ["hearback.db", "master.key"]);
        assert_eq!(home.organizations().len(), 4);
    }
}

#[test]
fn two_servers_started_at_once_on_nothing_serve_the_same_store() {
    let home = Home::new();
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| home.serve());
        (home.serve(), one.join().unwrap())
    });
    let key = home.import_acme();
    assert!(one.accepts(&key) && other.accepts(&key));
}

#[test]
fn every_command_refuses_a_master_key_that_does_not_fit() {
    let home = Home::with_acme()
        .set("HEARBACK_MASTER_KEY", &"ab".repeat(32))
        .set("HEARBACK_NEW_MASTER_KEY", &"cd".repeat(32));
    home.file("empty.jsonl", "");
    for command in COMMANDS {
        home.run(command)
            .fails("the master key does not fit the store, which was made with another one");
    }
}

#[test]
fn a_master_key_that_is_gone_is_missed_and_not_replaced() {
    let home = Home::with_acme();
    let path = home.path("data/master.key");
    let key = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    home.run("organization list").fails("data/master.key is missing: …");
    assert!(!path.exists());

    fs::write(&path, "x").unwrap();
    home.run("organization list")
        .fails("data/master.key is not a master key: expected 64 hex digits");

    fs::remove_file(&path).unwrap();
    home.set("HEARBACK_MASTER_KEY", key.trim()).run("organization list").expect_success();
}

#[test]
fn a_data_directory_is_made_only_when_something_is_kept_in_it() {
    // A given master key is not kept.
    let home = Home::new().set("HEARBACK_MASTER_KEY", &"ab".repeat(32));
    home.run("migrate").expect_success();
    assert_eq!(home.names("data"), ["hearback.db"]);
    fs::remove_dir_all(home.path("data")).unwrap();
    let home = home.set("DATABASE_URL", "sqlite:store.db");
    home.run("migrate").expect_success();
    assert_eq!(home.names("."), ["store.db"]);
}

#[test]
fn an_old_schema_is_left_unchanged_with_no_migrate() {
    let home = Home::new();
    home.file("empty.jsonl", "");
    for command in COMMANDS {
        home.run(&format!("--no-migrate {command}")).fails(
            "the schema of the store sqlite:data/hearback.db is not up to date: run `hearback \
             migrate`, or omit --no-migrate",
        );
    }
    home.run("migrate").expect_success();
    assert_eq!(home.run("--no-migrate organization list").expect_success(), "");
}

#[test]
fn the_tables_of_a_store_without_citus_are_not_distributed() {
    let home = Home::new();
    home.run("migrate --distribute").fails(
        "the store sqlite:data/hearback.db has no Citus: `CREATE EXTENSION citus` adds it to a \
         PostgreSQL database (docs/operations.md)",
    );
}

#[test]
fn a_schema_of_a_newer_release_is_refused_by_every_command() {
    let home = Home::with_acme();
    home.file("empty.jsonl", "");
    home.store()
        .batch_execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')")
        .unwrap();
    for command in COMMANDS {
        for line in [command, &format!("--no-migrate {command}")] {
            home.run(line).fails(
                "the store sqlite:data/hearback.db was written by a newer release of hearback: use \
                 that release",
            );
        }
    }
}

#[test]
fn a_store_that_cannot_be_opened_is_reported_with_its_path() {
    let home = Home::new();
    home.file("data", "a file where a directory should be");
    home.run("migrate").fails(
        "cannot make the data directory data (HEARBACK_DATA_DIR): File exists (os error 17)",
    );
    let mut home = home.set("HEARBACK_MASTER_KEY", &"ab".repeat(32));
    for store in ["sqlite:missing/store.db", "sqlite:data"] {
        home = home.set("DATABASE_URL", store);
        home.run("migrate").fails(&format!("cannot open the store {store} (DATABASE_URL): …"));
    }
}
