//! The set-up before every command: the data directory, the schema, the master key.

use super::support::{Home, mode};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use std::fs;
use std::process::Stdio;

/// The commands that check the schema, on an organization `acme`. `backup` copies any schema.
const COMMANDS: &[&[&str]] = &[
    &["serve"],
    &["migrate"],
    &["demo"],
    &["import", "empty.jsonl"],
    &["export", "--organization", "acme"],
    &["organization", "create", "--slug", "other", "--name", "Other"],
    &["organization", "list"],
    &["organization", "delete", "--organization", "acme", "--yes"],
    &["key", "generate", "--organization", "acme"],
    &["key", "rotate", "--organization", "acme"],
    &["key", "reveal", "--organization", "acme"],
    &["key", "revoke", "--organization", "acme"],
    &["key", "reseal"],
];

#[test]
fn new_files_and_directories_are_for_their_owner_only() {
    let home = Home::new().set("HEARBACK_DATA_DIR", "deep/data");
    home.run(&["migrate"]).expect_success();
    for directory in ["deep", "deep/data"] {
        assert_eq!(mode(&home.path(directory)), 0o700);
    }
    for file in ["deep/data/hearback.db", "deep/data/master.key"] {
        assert_eq!(mode(&home.path(file)), 0o600, "{file}");
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
    home.run(&["migrate"]).expect_success();
    assert_eq!(mode(&home.path("data")), before);
}

#[test]
fn two_starts_at_once_on_nothing_agree_on_the_master_key() {
    for _ in 0..5 {
        let home = Home::new();
        let children: Vec<_> = (0..4)
            .map(|n| {
                let slug = format!("acme-{n}");
                home.start(
                    &["organization", "create", "--slug", &slug, "--name", "Acme"],
                    Stdio::null(),
                )
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert_eq!(
                output.status.code(),
                Some(0),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        // Two processes that close the store at the same moment leave its log.
        let names: Vec<String> = home
            .names("data")
            .into_iter()
            .filter(|name| !name.starts_with("hearback.db-"))
            .collect();
        assert_eq!(names, ["hearback.db", "master.key"]);
        assert_eq!(home.run(&["organization", "list"]).expect_success().lines().count(), 4);
    }
}

#[test]
fn two_servers_started_at_once_on_nothing_serve_the_same_store() {
    let home = Home::new();
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| home.serve());
        (home.serve(), one.join().unwrap())
    });
    home.run(&["organization", "create", "--slug", "acme", "--name", "Acme"]).expect_success();
    let key = home.generate_key();
    assert!(one.accepts(&key) && other.accepts(&key));
}

#[test]
fn every_command_refuses_a_master_key_that_does_not_fit() {
    let home = Home::with_acme();
    home.file("empty.jsonl", "");
    let home = home
        .set("HEARBACK_MASTER_KEY", &"ab".repeat(32))
        .set("HEARBACK_NEW_MASTER_KEY", &"cd".repeat(32));
    for command in COMMANDS {
        assert_eq!(
            home.run(command).expect_failure(),
            "hearback: the master key does not fit the store, which was made with another one",
            "{command:?}"
        );
    }
}

#[test]
fn a_master_key_that_is_gone_is_missed_and_not_replaced() {
    let home = Home::with_acme();
    let path = home.path("data/master.key");
    let key = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let error = home.run(&["organization", "list"]).expect_failure();
    assert!(error.starts_with("hearback: data/master.key is missing: "), "{error}");
    assert!(!path.exists());

    fs::write(&path, "x").unwrap();
    let error = home.run(&["organization", "list"]).expect_failure();
    assert_eq!(error, "hearback: data/master.key is not a master key: expected 64 hex digits");

    fs::remove_file(&path).unwrap();
    home.set("HEARBACK_MASTER_KEY", key.trim()).run(&["organization", "list"]).expect_success();
}

#[test]
fn a_given_master_key_is_not_written_anywhere() {
    let home = Home::new().set("HEARBACK_MASTER_KEY", &"ab".repeat(32));
    home.run(&["organization", "create", "--slug", "acme", "--name", "Acme"]).expect_success();
    assert_eq!(home.names("data"), ["hearback.db"]);
}

#[test]
fn a_data_directory_is_made_only_when_something_is_kept_in_it() {
    let home = Home::new()
        .set("DATABASE_URL", "sqlite:store.db")
        .set("HEARBACK_MASTER_KEY", &"ab".repeat(32));
    home.run(&["migrate"]).expect_success();
    assert_eq!(home.names("."), ["store.db"]);
}

#[test]
fn an_old_schema_is_left_alone_when_that_is_asked_for() {
    let home = Home::new();
    for command in COMMANDS {
        home.file("empty.jsonl", "");
        let error = home.run(&[&["--no-migrate"], *command].concat()).expect_failure();
        assert_eq!(
            error,
            "hearback: the schema of the store sqlite:data/hearback.db is not up to date: \
             run `hearback migrate`, or omit --no-migrate",
            "{command:?}"
        );
    }
    home.run(&["migrate"]).expect_success();
    assert_eq!(home.run(&["--no-migrate", "organization", "list"]).expect_success(), "");
}

#[test]
fn a_schema_of_a_newer_release_is_refused_by_every_command() {
    let home = Home::with_acme();
    home.file("empty.jsonl", "");
    let path = home.path("data/hearback.db");
    let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    connection
        .batch_execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')")
        .unwrap();
    drop(connection);
    for command in COMMANDS {
        for no_migrate in [&[][..], &["--no-migrate"]] {
            assert_eq!(
                home.run(&[no_migrate, *command].concat()).expect_failure(),
                "hearback: the store sqlite:data/hearback.db was written by a newer release of \
                 hearback: use that release",
                "{command:?}"
            );
        }
    }
}

#[test]
fn a_store_that_cannot_be_opened_is_told_with_its_path() {
    let home = Home::new();
    home.file("data", "a file where a directory should be");
    let error = home.run(&["migrate"]).expect_failure();
    assert_eq!(
        error,
        "hearback: cannot make the data directory data (HEARBACK_DATA_DIR): File exists (os error \
         17)"
    );
    let home = home
        .set("DATABASE_URL", "sqlite:missing/store.db")
        .set("HEARBACK_MASTER_KEY", &"ab".repeat(32));
    let error = home.run(&["migrate"]).expect_failure();
    assert!(
        error.starts_with(
            "hearback: cannot open the store sqlite:missing/store.db (DATABASE_URL): "
        ),
        "{error}"
    );
    let home = home.set("DATABASE_URL", "sqlite:data");
    let error = home.run(&["migrate"]).expect_failure();
    assert!(
        error.starts_with("hearback: cannot open the store sqlite:data (DATABASE_URL): "),
        "{error}"
    );
}
