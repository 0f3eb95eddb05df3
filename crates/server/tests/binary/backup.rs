//! `hearback backup`, `hearback restore`

use super::support::{Home, POST, Server, acme_file, mode, poll, record, request};
use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const EXPORT: [&str; 4] = ["export", "--organization", "acme", "--with-secrets"];

/// A home with an organization that has a key and a vote, and its export.
fn with_a_vote() -> (Home, String) {
    let home = Home::new();
    home.run(&["import", &home.file("acme.jsonl", &voters(1))]).expect_success();
    let key = home.generate_key();
    toggle(&home.serve(), &key, 0);
    let exported = home.run(&EXPORT).expect_success();
    (home, exported)
}

/// An organization with a post and this number of users.
fn voters(count: usize) -> String {
    let at = "2026-01-05T09:00:00.000Z";
    let user = |n: usize| {
        record(
            &json!({"kind": "user", "id": format!("00000000-0000-7000-9000-{n:012}"), "user_id": user_id(n),
                       "email": format!("u{n}@acme.example"), "name": format!("User \
                           {n}"), "created_at": at}),
        )
    };
    acme_file() + &(0..count).map(user).collect::<String>()
}

fn user_id(n: usize) -> String {
    format!("00000000-0000-7000-a000-{n:012}")
}

fn toggle(server: &Server, key: &str, n: usize) {
    let vote =
        json!({"api_key": key, "user_id": user_id(n), "post_id": POST, "post_type": "feedback"});
    assert_eq!(server.post("/votes/toggle", &vote), (200, json!({"voted": true})));
}

/// Another home with the same master key and nothing else.
fn other_machine(home: &Home) -> Home {
    let other = Home::new();
    fs::create_dir(other.path("data")).unwrap();
    fs::copy(home.path("data/master.key"), other.path("data/master.key")).unwrap();
    other
}

#[test]
fn a_backup_under_load_is_of_one_moment_and_has_all_that_was_committed_before_it() {
    const VOTERS: usize = 3_000;
    let home = Home::new();
    home.run(&["import", &home.file("acme.jsonl", &voters(VOTERS))]).expect_success();
    let key = home.generate_key();
    let without_votes = home.run(&EXPORT).expect_success();
    let server = home.serve();
    let (cast, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let _server = std::thread::scope(|scope| {
        // Votes are cast one after the other, so a backup of one moment has the first votes and no
        // later ones.
        let (key, cast, stop) = (&key, &cast, &stop);
        let voting = scope.spawn(move || {
            for n in (0..VOTERS).take_while(|_| !stop.load(Ordering::SeqCst)) {
                toggle(&server, key, n);
                cast.store(n + 1, Ordering::SeqCst);
            }
            server
        });
        for round in 1..=3 {
            let before =
                poll(|| Some(cast.load(Ordering::SeqCst)).filter(|cast| *cast >= round * 20));
            home.run(&["backup", "acme.db"]).expect_success();
            let after = cast.load(Ordering::SeqCst) + 1;

            let other = other_machine(&home);
            assert_eq!(
                other.run(&["restore", home.path("acme.db").to_str().unwrap()]).expect_success(),
                ""
            );
            assert_eq!(other.names("data"), ["hearback.db", "master.key"]);
            assert_eq!(mode(&other.path("data/hearback.db")), 0o600);
            let exported = other.run(&EXPORT).expect_success();
            let (votes, others): (Vec<&str>, Vec<&str>) =
                exported.lines().partition(|line| line.contains(r#""kind":"vote""#));
            assert_eq!(others, without_votes.lines().collect::<Vec<_>>());
            let mut voters: Vec<String> = votes
                .iter()
                .map(|line| {
                    serde_json::from_str::<Value>(line).unwrap()["user_id"]
                        .as_str()
                        .unwrap()
                        .to_owned()
                })
                .collect();
            voters.sort();
            assert_eq!(voters, (0..voters.len()).map(user_id).collect::<Vec<_>>());
            assert!((before..=after).contains(&voters.len()), "{before} {} {after}", voters.len());
        }
        stop.store(true, Ordering::SeqCst);
        voting.join().unwrap()
    });
    // After the last vote, the exports are the same.
    home.run(&["backup", "acme.db"]).expect_success();
    let other = other_machine(&home);
    other.run(&["restore", home.path("acme.db").to_str().unwrap()]).expect_success();
    assert_eq!(other.run(&EXPORT).expect_success(), home.run(&EXPORT).expect_success());
    // The copy works like any store.
    let key = other.run(&["key", "reveal", "--organization", "acme"]).expect_line();
    assert!(other.serve().accepts(&key));
}

#[test]
fn a_backup_is_one_file_for_its_owner_alone_and_replaces_an_older_one() {
    let (home, exported) = with_a_vote();
    fs::create_dir(home.path("out")).unwrap();
    for _ in 0..2 {
        let done = home.run(&["backup", "out/acme.db"]);
        assert_eq!((done.status, &*done.stdout), (Some(0), ""));
        assert_eq!(
            done.stderr,
            "backed up to out/acme.db. It cannot be restored without the master key, which is not \
             in it: keep data/master.key, too, apart from it\n"
        );
        assert_eq!(home.names("out"), ["acme.db"]);
        assert_eq!(mode(&home.path("out/acme.db")), 0o600);
    }
    let key = fs::read_to_string(home.path("data/master.key")).unwrap();
    let bytes = fs::read(home.path("out/acme.db")).unwrap();
    assert!(!bytes.windows(64).any(|window| window == key.trim().as_bytes()));

    // The target of a link is replaced. A restore reads a backup that it does not write to.
    std::os::unix::fs::symlink("acme.db", home.path("out/link")).unwrap();
    let home = home.set("HEARBACK_MASTER_KEY", key.trim());
    let done = home.run(&["backup", "out/link"]);
    assert!(done.stderr.contains("keep the key that HEARBACK_MASTER_KEY gives, too"), "{done:?}");
    assert_eq!(home.names("out"), ["acme.db", "link"]);
    fs::remove_dir_all(home.path("data")).unwrap();
    home.run(&["restore", "out/link"]).expect_success();
    assert_eq!(home.names("data"), ["hearback.db"]);
    assert_eq!(home.names("out"), ["acme.db", "link"]);
    assert_eq!(home.run(&EXPORT).expect_success(), exported);
}

#[test]
fn a_backup_is_written_over_nothing_but_a_backup() {
    let (home, exported) = with_a_vote();
    let refused = "a backup replaces nothing but an earlier backup";
    std::os::unix::fs::symlink("data/hearback.db", home.path("link")).unwrap();
    fs::copy(home.path("data/hearback.db"), home.path("another.db")).unwrap();
    change(&home.path("notes.db"), "CREATE TABLE notes (text text)");
    // Neither was opened since, so they have no log.
    fs::create_dir(home.path("restored")).unwrap();
    let kept = home.run(&["restore", "another.db", "--yes"]).expect_line();
    fs::hard_link(home.path("data/hearback.db"), home.path("twin")).unwrap();
    fs::create_dir(home.path("restored/data")).unwrap();
    fs::copy(home.path("data/hearback.db"), home.path("restored/data/hearback.db")).unwrap();
    for (file, what) in [
        ("data/hearback.db", "the store itself"),
        ("link", "the store itself"),
        ("twin", "the store itself"),
        ("another.db", "not a backup"),
        ("notes.db", "not a backup"),
        ("restored/data/hearback.db", "not a backup"),
        (&*kept, "not a backup"),
        ("data/master.key", "not a backup"),
        ("acme.jsonl", "not a backup"),
        ("-", "not a file"),
        ("data", "not a file"),
        ("/dev/null", "not a file"),
    ] {
        assert_eq!(
            home.run(&["backup", file]).expect_failure(),
            format!("hearback: {file} is {what}: {refused}")
        );
    }
    let error = home.run(&["backup", "missing/acme.db"]).expect_failure();
    assert_eq!(
        error,
        "hearback: cannot find the directory missing: No such file or directory (os error 2)"
    );
    assert_eq!(home.run(&EXPORT).expect_success(), exported);

    let home = home.set("HEARBACK_DATA_DIR", "elsewhere");
    let error = home.run(&["backup", "acme.db"]).expect_failure();
    assert!(
        error.starts_with("hearback: there is no store sqlite:elsewhere/hearback.db ("),
        "{error}"
    );
    let home = home.set("HEARBACK_DATA_DIR", "acme.jsonl");
    let error = home.run(&["backup", "acme.db"]).expect_failure();
    assert_eq!(
        error,
        "hearback: cannot find acme.jsonl/hearback.db: Not a directory (os error 20)"
    );
    assert_eq!(
        home.names("."),
        ["acme.jsonl", "another.db", "data", "link", "notes.db", "restored", "twin"]
    );
}

#[test]
fn a_backup_that_is_stopped_is_whole_or_not_there() {
    let (home, _) = with_a_vote();
    fs::create_dir(home.path("out")).unwrap();
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let mut child = home.start(&["backup", "out/acme.db"], Stdio::null());
        poll(|| {
            (child.try_wait().unwrap().is_some() || !home.names("out").is_empty()).then_some(())
        });
        for name in home.names("out").iter().filter(|name| name.starts_with(".hearback-backup.")) {
            // The directory may be gone by now.
            let metadata = fs::metadata(home.path("out").join(name));
            assert!(
                metadata.is_err()
                    || metadata
                        .is_ok_and(|metadata| metadata.permissions().mode() & 0o777 == 0o700)
            );
        }
        // The process may have ended.
        let _ = kill_process(Pid::from_child(&child), signal);
        child.wait().unwrap();
        if home.path("out/acme.db").exists() {
            other_machine(&home)
                .run(&["restore", home.path("out/acme.db").to_str().unwrap()])
                .expect_success();
            fs::remove_file(home.path("out/acme.db")).unwrap();
        }
        if signal != Signal::KILL {
            assert_eq!(home.names("out"), [""; 0]);
        }
    }
}

#[test]
fn a_restore_is_refused_while_a_process_has_the_store_open() {
    let (home, exported) = with_a_vote();
    home.run(&["backup", "acme.db"]).expect_success();
    let restore = ["restore", "acme.db", "--yes"];
    let path = fs::canonicalize(home.path("data")).unwrap().join("hearback.db");
    let refused = format!(
        "hearback: the store {} is in use: stop the server and whatever else works on it first",
        path.display()
    );

    let server = home.serve();
    assert_eq!(home.run(&restore).expect_failure(), refused);
    let key = home.run(&["key", "reveal", "--organization", "acme"]).expect_line();
    assert!(server.accepts(&key));
    server.stop(Signal::TERM);

    // A command that waits for its input.
    let mut import = home.start(&["import", "-"], Stdio::piped());
    poll(|| home.names("data").contains(&"hearback.db-wal".to_owned()).then_some(()));
    assert_eq!(home.run(&restore).expect_failure(), refused);
    import.kill().unwrap();
    import.wait().unwrap();

    // Another program.
    let mut shell = home.store();
    shell.batch_execute("SELECT 1 FROM organizations").unwrap();
    assert_eq!(home.run(&restore).expect_failure(), refused);
    drop(shell);
    assert_eq!(home.names("data"), ["hearback.db", "master.key"]);
    assert_eq!(home.run(&EXPORT).expect_success(), exported);
    home.run(&restore).expect_success();
}

#[test]
fn a_store_with_organizations_is_replaced_only_when_that_is_confirmed_and_is_kept() {
    let (home, exported) = with_a_vote();
    home.run(&["backup", "acme.db"]).expect_success();
    home.run(&["organization", "create", "--slug", "later", "--name", "Later"]).expect_success();
    assert_eq!(
        home.run(&["restore", "acme.db"]).expect_status(2),
        "hearback: the store sqlite:data/hearback.db would be replaced and kept beside the new \
         one: pass --yes to confirm"
    );
    assert_eq!(home.run(&["organization", "list"]).expect_success().lines().count(), 2);

    let kept = home.run(&["restore", "acme.db", "--yes"]).expect_line();
    let name = Path::new(&kept).file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("hearback.db.replaced-2"), "{kept}");
    assert_eq!(home.names("data"), ["hearback.db", name, "master.key"]);
    assert_eq!((mode(&home.path("data/hearback.db")), mode(&home.path(&kept))), (0o600, 0o600));
    assert_eq!(home.run(&["organization", "list"]).expect_success().lines().count(), 1);
    assert_eq!(home.run(&EXPORT).expect_success(), exported);
    // The replaced store can be restored, too.
    home.run(&["restore", &kept, "--yes"]).expect_line();
    assert_eq!(home.run(&["organization", "list"]).expect_success().lines().count(), 2);

    // A store without organizations and an empty file are replaced without a confirmation.
    let other = other_machine(&home);
    let backup = home.path("acme.db");
    other.run(&["migrate"]).expect_success();
    other.run(&["restore", backup.to_str().unwrap()]).expect_line();
    let other = other_machine(&home);
    fs::write(other.path("data/hearback.db"), "").unwrap();
    other.run(&["restore", backup.to_str().unwrap()]).expect_line();
    assert_eq!(other.run(&EXPORT).expect_success(), exported);
}

/// Changes a database that no other process uses.
fn change(path: &Path, statements: &str) {
    SqliteConnection::establish(path.to_str().unwrap()).unwrap().batch_execute(statements).unwrap();
}

#[test]
fn an_unfit_backup_is_refused_and_changes_nothing() {
    let (home, exported) = with_a_vote();
    home.run(&["backup", "acme.db"]).expect_success();
    let whole = fs::read(home.path("acme.db")).unwrap();
    let write = |bytes: &[u8]| fs::write(home.path("bad.db"), bytes).unwrap();
    let refused = |told: &str| {
        let error = home.run(&["restore", "bad.db", "--yes"]).expect_failure();
        assert!(
            error.starts_with(&format!("hearback: bad.db cannot be restored: {told}")),
            "{error}"
        );
        assert_eq!(home.names("data"), ["hearback.db", "master.key"]);
        assert_eq!(home.run(&EXPORT).expect_success(), exported);
    };
    write(b"");
    refused("it is not a database of hearback");
    write(exported.as_bytes());
    refused("it is not a database of hearback");
    fs::remove_file(home.path("bad.db")).unwrap();
    change(&home.path("bad.db"), "CREATE TABLE notes (text text)");
    refused("it is not a database of hearback");

    write(&whole[..whole.len() - 4096]);
    refused("it is damaged: ");
    // A page of zeros in the middle.
    write(&whole);
    let mut bytes = whole.clone();
    let middle = whole.len() / 8192 * 4096;
    bytes[middle..middle + 4096].fill(0);
    write(&bytes);
    refused("it is damaged: ");
    write(&whole);
    change(&home.path("bad.db"), "PRAGMA foreign_keys = OFF; DELETE FROM users");
    refused("it is damaged: row ");

    write(&whole);
    change(
        &home.path("bad.db"),
        "INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')",
    );
    refused("the store sqlite:bad.db was written by a newer release of hearback");
    write(&whole);
    change(&home.path("bad.db"), "UPDATE instance SET value = zeroblob(32)");
    refused("it was made with another master key: set HEARBACK_MASTER_KEY to that key");
    write(&whole);
    fs::write(home.path("bad.db-wal"), "a log").unwrap();
    refused(
        "bad.db-wal is beside it: it is not a backup but a store that is in use or was not closed",
    );

    let other = Home::new();
    let error = other.run(&["restore", home.path("acme.db").to_str().unwrap()]).expect_failure();
    assert!(error.contains("acme.db cannot be restored: data/master.key is missing: "), "{error}");
    assert_eq!(other.names("data"), [""; 0]);
    assert_eq!(
        other.run(&["restore", "missing.db"]).expect_failure(),
        "hearback: cannot open missing.db: No such file or directory (os error 2)"
    );
}

#[test]
fn a_backup_of_an_older_release_is_brought_up_to_date_and_stays_as_it_is() {
    let (home, exported) = with_a_vote();
    home.run(&["backup", "acme.db"]).expect_success();
    // The last migration can be done again.
    change(
        &home.path("acme.db"),
        "DELETE FROM __diesel_schema_migrations WHERE version = '20261121080000'",
    );
    let old = fs::read(home.path("acme.db")).unwrap();
    let error = home.run(&["--no-migrate", "restore", "acme.db", "--yes"]).expect_failure();
    assert!(
        error.starts_with(
            "hearback: acme.db cannot be restored: the schema of the store \
                           sqlite:acme.db is not up to date"
        ),
        "{error}"
    );
    home.run(&["restore", "acme.db", "--yes"]).expect_success();
    assert_eq!(
        home.run(&["--no-migrate", "export", "--organization", "acme", "--with-secrets"])
            .expect_success(),
        exported
    );
    assert!(fs::read(home.path("acme.db")).unwrap() == old, "the backup is as it was");
}

#[test]
fn a_store_of_another_release_is_backed_up_as_it_is() {
    let (home, _) = with_a_vote();
    let versions = |path: &Path| {
        let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        let query = "SELECT group_concat(version) AS versions FROM __diesel_schema_migrations";
        diesel::sql_query(query).get_result::<Versions>(&mut connection).unwrap().versions
    };
    for statement in [
        "DELETE FROM __diesel_schema_migrations WHERE version = '20261121080000'",
        "INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')",
    ] {
        change(&home.path("data/hearback.db"), statement);
        let before = versions(&home.path("data/hearback.db"));
        for arguments in [&["backup", "acme.db"][..], &["--no-migrate", "backup", "acme.db"]] {
            assert_eq!(home.run(arguments).expect_success(), "");
            assert_eq!(versions(&home.path("acme.db")), before);
            assert_eq!(versions(&home.path("data/hearback.db")), before);
        }
    }
    // A backup with a wrong key is of no use.
    change(&home.path("data/hearback.db"), "UPDATE instance SET value = zeroblob(32)");
    let error = home.run(&["backup", "acme.db"]).expect_failure();
    assert_eq!(
        error,
        "hearback: the master key does not fit the store, which was made with another one"
    );
}

#[derive(QueryableByName)]
struct Versions {
    #[diesel(sql_type = Text)]
    versions: String,
}

/// A user who does not run the tests, even if root does.
const NOBODY: u32 = 65534;

/// Gives the data directory and its files to another user, as root can. Answers the owner.
fn give_away(home: &Home) -> u32 {
    let owner = if geteuid().is_root() { NOBODY } else { geteuid().as_raw() };
    chown(home.path("data"), Some(owner), None).unwrap();
    for name in home.names("data") {
        chown(home.path("data").join(name), Some(owner), None).unwrap();
    }
    owner
}

#[test]
fn files_that_root_restores_or_replaces_belong_to_the_owner_of_the_store() {
    let (home, _) = with_a_vote();
    home.run(&["backup", "acme.db"]).expect_success();
    let owner = give_away(&home);
    let owners = || -> Vec<u32> {
        let uid = |name: &String| fs::metadata(home.path("data").join(name)).unwrap().uid();
        home.names("data").iter().map(uid).collect()
    };
    home.run(&["restore", "acme.db", "--yes"]).expect_line();
    assert_eq!(owners(), [owner; 3]);
    home.run(&["key", "reseal"]).expect_success();
    assert_eq!(owners(), [owner; 3]);
    // A backup belongs to the user who makes it.
    home.run(&["backup", "data/acme.db"]).expect_success();
    assert_eq!(fs::metadata(home.path("data/acme.db")).unwrap().uid(), geteuid().as_raw());
    fs::remove_file(home.path("data/acme.db")).unwrap();
    // Without a store, the owner of the directory counts.
    let other = other_machine(&home);
    give_away(&other);
    home.run(&["backup", "acme.db"]).expect_success();
    other.run(&["restore", home.path("acme.db").to_str().unwrap()]).expect_success();
    assert_eq!(fs::metadata(other.path("data/hearback.db")).unwrap().uid(), owner);
}

/// Whether a process has something to do with a signal but to end.
fn catches(child: &Child, signal: Signal) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & 1 << (signal.as_raw() - 1) != 0
}

#[test]
fn a_pipe_is_restored_from_and_waited_for_until_a_signal_comes() {
    let (home, exported) = with_a_vote();
    home.run(&["backup", "acme.db"]).expect_success();
    let pipe = home.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let restore = ["restore", "pipe", "--yes"];
    let mut waiting = home.start(&restore, Stdio::null());
    poll(|| catches(&waiting, Signal::TERM).then_some(()));
    kill_process(Pid::from_child(&waiting), Signal::TERM).unwrap();
    assert_eq!(poll(|| waiting.try_wait().unwrap()).code(), Some(1));

    let mut restoring = home.start(&restore, Stdio::null());
    fs::write(&pipe, fs::read(home.path("acme.db")).unwrap()).unwrap();
    assert!(restoring.wait().unwrap().success());
    assert_eq!(home.run(&EXPORT).expect_success(), exported);
}

#[test]
fn a_store_that_is_reached_by_a_link_is_replaced_where_it_is() {
    let (home, exported) = with_a_vote();
    home.run(&["backup", "acme.db"]).expect_success();
    fs::create_dir(home.path("volume")).unwrap();
    fs::rename(home.path("data/hearback.db"), home.path("volume/store.db")).unwrap();
    std::os::unix::fs::symlink("../volume/store.db", home.path("data/hearback.db")).unwrap();
    // Whichever way it was opened.
    let server = home.serve();
    let home = home.set("DATABASE_URL", "sqlite:volume/store.db");
    assert!(home.run(&["restore", "acme.db", "--yes"]).expect_failure().contains("is in use"));
    server.stop(Signal::KILL);
    let home = home.set("DATABASE_URL", "sqlite:data/hearback.db");
    let kept = home.run(&["restore", "acme.db", "--yes"]).expect_line();
    let name = Path::new(&kept).file_name().unwrap().to_str().unwrap();
    assert_eq!(home.names("volume"), ["store.db", name]);
    assert!(home.path("data/hearback.db").is_symlink());
    assert_eq!(home.run(&EXPORT).expect_success(), exported);
}

#[test]
fn a_store_that_is_damaged_is_replaced_and_kept_with_its_log() {
    let (home, exported) = with_a_vote();
    home.run(&["backup", "acme.db"]).expect_success();
    let server = home.serve();
    server.stop(Signal::KILL);
    fs::write(home.path("data/hearback.db"), "no database any more").unwrap();
    let log = fs::read(home.path("data/hearback.db-wal")).unwrap();
    assert!(home.run(&EXPORT).expect_failure().contains("file is not a database"));

    home.run(&["restore", "acme.db"]).expect_status(2);
    let kept = home.run(&["restore", "acme.db", "--yes"]).expect_line();
    assert_eq!(fs::read_to_string(home.path(&kept)).unwrap(), "no database any more");
    assert!(
        fs::read(home.path(&format!("{kept}-wal"))).unwrap() == log,
        "the log is kept as it was"
    );
    assert_eq!(home.run(&EXPORT).expect_success(), exported);

    // A log whose database is gone is not taken for that of the new one.
    fs::remove_file(home.path("data/hearback.db")).unwrap();
    fs::write(home.path("data/hearback.db-wal"), &log).unwrap();
    assert_eq!(home.run(&["restore", "acme.db"]).expect_success(), "");
    assert!(!home.path("data/hearback.db-wal").exists());
    assert_eq!(home.run(&EXPORT).expect_success(), exported);
}

#[test]
fn a_restore_that_is_killed_at_any_moment_leaves_the_old_store_or_the_new_one() {
    const MOMENTS: u32 = 40;
    let (home, backed_up) = with_a_vote();
    home.run(&["backup", "acme.db"]).expect_success();
    // The old store: a part of it is in its log.
    let key = home.run(&["key", "reveal", "--organization", "acme"]).expect_line();
    let server = home.serve();
    for n in 0..10 {
        let body = json!({"api_key": key, "title": format!("Entry \
            {n}"), "content": "", "status": "draft"})
        .to_string();
        let answer = server.send(&request("/changelog/create", &body, ""));
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    server.stop(Signal::KILL);
    let files = ["hearback.db", "hearback.db-wal"]
        .map(|name| (name, fs::read(home.path(&format!("data/{name}"))).unwrap()));
    assert!(!files[1].1.is_empty());
    let master_key = fs::read(home.path("data/master.key")).unwrap();
    let reset = || {
        fs::remove_dir_all(home.path("data")).unwrap();
        fs::create_dir(home.path("data")).unwrap();
        fs::write(home.path("data/master.key"), &master_key).unwrap();
        for (name, bytes) in &files {
            fs::write(home.path(&format!("data/{name}")), bytes).unwrap();
        }
    };
    let old = home.run(&EXPORT).expect_success();
    assert_ne!(old, backed_up);

    let restore = ["restore", "acme.db", "--yes"];
    reset();
    let began = Instant::now();
    home.run(&restore).expect_success();
    let took = began.elapsed();
    let mut outcomes = Vec::new();
    for moment in 0..=MOMENTS {
        reset();
        let mut child = home.start(&restore, Stdio::null());
        // The moment is what is tried: there is nothing to wait for.
        std::thread::sleep(if moment == 0 { Duration::ZERO } else { took * moment / MOMENTS });
        if moment < MOMENTS {
            child.kill().unwrap();
        }
        child.wait().unwrap();
        let left = home.run(&EXPORT).expect_success();
        assert!(left == old || left == backed_up, "at moment {moment}: {left}");
        outcomes.push(left == backed_up);
        // And it can be done again.
        home.run(&restore).expect_success();
        assert_eq!(home.run(&EXPORT).expect_success(), backed_up);
        assert!(!home.names("data").iter().any(|name| name.starts_with(".hearback-restore")));
    }
    assert_eq!((outcomes.first(), outcomes.last()), (Some(&false), Some(&true)));
}

#[test]
fn a_database_server_has_tools_of_its_own() {
    let home = Home::new().set("DATABASE_URL", "postgres://me:s3cr3t@db.example/hearback");
    for (command, tool) in [("backup", "pg_dump"), ("restore", "pg_restore")] {
        assert_eq!(
            home.run(&[command, "acme.db"]).expect_failure(),
            format!(
                "hearback: `hearback {command}` works on the embedded store, and the store is \
                 postgres://db.example/hearback: use {tool} (docs/operations.md)"
            )
        );
    }
}
