//! `hearback backup`, `hearback restore`

use super::support::{Home, POST, acme_file, mode, poll, record};
use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A home with an organization that has a key and a vote, and its export.
fn with_a_vote() -> (Home, String) {
    let home = Home::new();
    let key = home.import_acme();
    home.serve().toggle(&key);
    let exported = home.export();
    (home, exported)
}

/// Such a home with a backup of it, `acme.db`.
fn backed_up() -> (Home, String) {
    let (home, exported) = with_a_vote();
    home.run("backup acme.db").expect_success();
    (home, exported)
}

impl Home {
    /// Another home with the same master key and nothing else.
    fn other_machine(&self) -> Self {
        let other = Self::new();
        fs::create_dir(other.path("data")).unwrap();
        fs::copy(self.path("data/master.key"), other.path("data/master.key")).unwrap();
        other
    }

    /// Restores a backup of this home there, and answers the name of the file that it replaced.
    fn restore_to(&self, other: &Self, backup: &str) -> String {
        other.run(&format!("restore {}", self.path(backup).display())).expect_success()
    }

    /// Replaces the store with the backup `acme.db`, and answers the path of the old one.
    fn replace(&self) -> String {
        self.run("restore acme.db --yes").expect_line()
    }
}

/// The name of a file.
fn name(path: &str) -> &str {
    Path::new(path).file_name().unwrap().to_str().unwrap()
}

/// Changes a database that no other process uses.
fn change(path: &Path, statements: &str) {
    SqliteConnection::establish(path.to_str().unwrap()).unwrap().batch_execute(statements).unwrap();
}

#[test]
fn a_backup_under_load_is_of_one_moment_and_has_all_that_was_committed_before_it() {
    const VOTERS: usize = 3_000;
    let user_id = |n: usize| format!("00000000-0000-7000-a000-{n:012}");
    let user = |n: usize| {
        record(&json!({
            "kind": "user", "id": format!("00000000-0000-7000-9000-{n:012}"), "user_id": user_id(n),
            "email": format!("u{n}@acme.example"), "name": format!("User {n}"),
            "created_at": "2026-01-05T09:00:00.000Z",
        }))
    };
    let home = Home::new();
    home.import(&(acme_file() + &(0..VOTERS).map(user).collect::<String>()));
    let key = home.generate_key();
    let without_votes = home.export();
    let server = home.serve();
    let (cast, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let _server = std::thread::scope(|scope| {
        // Votes are cast one after the other, so a backup of one moment has the first votes and no
        // later ones.
        let (key, cast, stop) = (&key, &cast, &stop);
        let voting = scope.spawn(move || {
            for n in (0..VOTERS).take_while(|_| !stop.load(Ordering::SeqCst)) {
                let vote = json!({"api_key": key, "user_id": user_id(n), "post_id": POST,
                                  "post_type": "feedback"});
                assert_eq!(server.post("/votes/toggle", &vote), (200, json!({"voted": true})));
                cast.store(n + 1, Ordering::SeqCst);
            }
            server
        });
        for round in 1..=3 {
            let before =
                poll(|| Some(cast.load(Ordering::SeqCst)).filter(|cast| *cast >= round * 20));
            home.run("backup acme.db").expect_success();
            let after = cast.load(Ordering::SeqCst) + 1;

            let other = home.other_machine();
            assert_eq!(home.restore_to(&other, "acme.db"), "");
            assert_eq!(other.names("data"), ["hearback.db", "master.key"]);
            assert_eq!(mode(&other.path("data/hearback.db")), 0o600);
            let exported = other.export();
            let (votes, others): (Vec<&str>, Vec<&str>) =
                exported.lines().partition(|line| line.contains(r#""kind":"vote""#));
            assert_eq!(others, without_votes.lines().collect::<Vec<_>>());
            let votes = votes.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let mut voters: Vec<Value> = votes.map(|vote| vote["user_id"].clone()).collect();
            voters.sort_by_key(Value::to_string);
            assert_eq!(voters, (0..voters.len()).map(user_id).collect::<Vec<_>>());
            assert!((before..=after).contains(&voters.len()), "{before} {} {after}", voters.len());
        }
        stop.store(true, Ordering::SeqCst);
        voting.join().unwrap()
    });
    // After the last vote, the exports are the same.
    home.run("backup acme.db").expect_success();
    let other = home.other_machine();
    home.restore_to(&other, "acme.db");
    assert_eq!(other.export(), home.export());
    // The copy works like any store.
    assert!(other.serve().accepts(&other.reveal_key()));
}

#[test]
fn a_backup_is_one_file_for_its_owner_alone_and_replaces_an_older_one() {
    let (home, exported) = with_a_vote();
    fs::create_dir(home.path("out")).unwrap();
    for _ in 0..2 {
        let done = home.run("backup out/acme.db");
        assert_eq!(done.stderr.lines().count(), 1, "{done:?}");
        done.tells(
            "backed up to out/acme.db. It cannot be restored without the master key, which is not \
             in it: keep data/master.key, too, apart from it",
        );
        assert_eq!(home.names("out"), ["acme.db"]);
        assert_eq!(mode(&home.path("out/acme.db")), 0o600);
    }
    let key = fs::read_to_string(home.path("data/master.key")).unwrap();
    let bytes = fs::read(home.path("out/acme.db")).unwrap();
    assert!(!bytes.windows(64).any(|window| window == key.trim().as_bytes()));

    // The target of a link is replaced. A restore reads a backup that it does not write to.
    symlink("acme.db", home.path("out/link")).unwrap();
    let home = home.set("HEARBACK_MASTER_KEY", key.trim());
    let done = home.run("backup out/link");
    assert!(done.stderr.contains("keep the key that HEARBACK_MASTER_KEY gives, too"), "{done:?}");
    assert_eq!(home.names("out"), ["acme.db", "link"]);
    fs::remove_dir_all(home.path("data")).unwrap();
    home.run("restore out/link").expect_success();
    assert_eq!(home.names("data"), ["hearback.db"]);
    assert_eq!(home.names("out"), ["acme.db", "link"]);
    assert_eq!(home.export(), exported);
}

#[test]
fn a_backup_is_written_over_nothing_but_a_backup() {
    let (home, exported) = with_a_vote();
    home.file("notes.txt", "no database");
    symlink("data/hearback.db", home.path("link")).unwrap();
    fs::copy(home.path("data/hearback.db"), home.path("another.db")).unwrap();
    change(&home.path("notes.db"), "CREATE TABLE notes (text text)");
    // Neither was opened since, so they have no log.
    let kept = home.run("restore another.db --yes").expect_line();
    fs::hard_link(home.path("data/hearback.db"), home.path("twin")).unwrap();
    fs::create_dir(home.path("restored")).unwrap();
    fs::copy(home.path("data/hearback.db"), home.path("restored/hearback.db")).unwrap();
    for (file, what) in [
        ("data/hearback.db", "the store itself"),
        ("link", "the store itself"),
        ("twin", "the store itself"),
        ("another.db", "not a backup"),
        ("notes.db", "not a backup"),
        ("restored/hearback.db", "not a backup"),
        (&*kept, "not a backup"),
        ("data/master.key", "not a backup"),
        ("notes.txt", "not a backup"),
        ("-", "not a file"),
        ("data", "not a file"),
        ("/dev/null", "not a file"),
    ] {
        home.run(&format!("backup {file}"))
            .fails(&format!("{file} is {what}: a backup replaces nothing but an earlier backup"));
    }
    home.run("backup missing/acme.db")
        .fails("cannot find the directory missing: No such file or directory (os error 2)");
    assert_eq!(home.export(), exported);

    let home = home.set("HEARBACK_DATA_DIR", "elsewhere");
    home.run("backup acme.db").fails("there is no store sqlite:elsewhere/hearback.db (…");
    let home = home.set("HEARBACK_DATA_DIR", "notes.txt");
    home.run("backup acme.db")
        .fails("cannot find notes.txt/hearback.db: Not a directory (os error 20)");
    assert_eq!(
        home.names("."),
        ["another.db", "data", "link", "notes.db", "notes.txt", "restored", "twin"]
    );
}

#[test]
fn a_backup_that_is_stopped_is_whole_or_not_there() {
    let (home, _) = with_a_vote();
    fs::create_dir(home.path("out")).unwrap();
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let mut child = home.start("backup out/acme.db", Stdio::null());
        poll(|| {
            (child.try_wait().unwrap().is_some() || !home.names("out").is_empty()).then_some(())
        });
        for name in home.names("out").iter().filter(|name| name.starts_with(".hearback-backup.")) {
            // The directory may be gone by now.
            if let Ok(metadata) = fs::metadata(home.path("out").join(name)) {
                assert_eq!(metadata.mode() & 0o777, 0o700);
            }
        }
        // The process may have ended.
        let _ = kill_process(Pid::from_child(&child), signal);
        child.wait().unwrap();
        if home.path("out/acme.db").exists() {
            home.restore_to(&home.other_machine(), "out/acme.db");
            fs::remove_file(home.path("out/acme.db")).unwrap();
        }
        if signal != Signal::KILL {
            assert_eq!(home.names("out"), [""; 0]);
        }
    }
}

#[test]
fn a_restore_is_refused_while_a_process_has_the_store_open() {
    let (home, exported) = backed_up();
    let path = fs::canonicalize(home.path("data")).unwrap().join("hearback.db");
    let refused = || {
        home.run("restore acme.db --yes").fails(&format!(
            "the store {} is in use: stop the server and all other programs on it first",
            path.display()
        ));
    };
    let server = home.serve();
    refused();
    assert!(server.accepts(&home.reveal_key()));
    server.stop();

    // A command that waits for its input.
    let mut import = home.start("import -", Stdio::piped());
    poll(|| home.names("data").contains(&"hearback.db-wal".to_owned()).then_some(()));
    refused();
    import.kill().unwrap();
    import.wait().unwrap();

    // Another program.
    let mut shell = home.store();
    shell.batch_execute("SELECT 1 FROM organizations").unwrap();
    refused();
    drop(shell);
    assert_eq!(home.names("data"), ["hearback.db", "images", "master.key"]);
    assert_eq!(home.export(), exported);
    home.replace();
}

#[test]
fn a_store_with_organizations_is_replaced_only_when_that_is_confirmed_and_is_kept() {
    let (home, exported) = backed_up();
    home.run("organization create --slug later --name Later").expect_success();
    home.run("restore acme.db").refuses(
        "the store sqlite:data/hearback.db would be replaced and kept beside the new one: pass \
         --yes to confirm",
    );
    assert_eq!(home.organizations().len(), 2);

    let kept = home.replace();
    assert!(name(&kept).starts_with("hearback.db.replaced-2"), "{kept}");
    assert_eq!(home.names("data"), ["hearback.db", name(&kept), "images", "master.key"]);
    assert_eq!((mode(&home.path("data/hearback.db")), mode(&home.path(&kept))), (0o600, 0o600));
    assert_eq!(home.organizations().len(), 1);
    assert_eq!(home.export(), exported);
    // The replaced store can be restored, too.
    home.run(&format!("restore {kept} --yes")).expect_line();
    assert_eq!(home.organizations().len(), 2);

    // A store without organizations and an empty file are replaced without a confirmation.
    for is_empty_file in [false, true] {
        let other = home.other_machine();
        if is_empty_file {
            fs::write(other.path("data/hearback.db"), "").unwrap();
        } else {
            other.run("migrate").expect_success();
        }
        assert_eq!(home.restore_to(&other, "acme.db").lines().count(), 1);
        assert_eq!(other.export(), exported);
    }
}

#[test]
fn an_unfit_backup_is_refused_and_changes_nothing() {
    let (home, exported) = backed_up();
    let whole = fs::read(home.path("acme.db")).unwrap();
    let middle = whole.len() / 8192 * 4096;
    let with_zeros = [&whole[..middle], &[0; 4096], &whole[middle + 4096..]].concat();
    let newer = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')";
    let no_backup = "it is not a database of hearback…";
    for (bytes, statements, error) in [
        (&b""[..], "", no_backup),
        (exported.as_bytes(), "", no_backup),
        (b"", "CREATE TABLE notes (text text)", no_backup),
        (&whole[..whole.len() - 4096], "", "it is damaged: …"),
        (&with_zeros, "", "it is damaged: …"),
        (&whole, "PRAGMA foreign_keys = OFF; DELETE FROM users", "it is damaged: row …"),
        (&whole, newer, "the store sqlite:bad.db was written by a newer release of hearback…"),
        (
            &whole,
            "UPDATE instance SET value = zeroblob(32)",
            "it was made with another master key: set HEARBACK_MASTER_KEY to that key…",
        ),
    ] {
        fs::write(home.path("bad.db"), bytes).unwrap();
        if !statements.is_empty() {
            change(&home.path("bad.db"), statements);
        }
        home.run("restore bad.db --yes").fails(&format!("bad.db cannot be restored: {error}"));
        assert_eq!(home.names("data"), ["hearback.db", "images", "master.key"]);
        assert_eq!(home.export(), exported);
    }
    fs::write(home.path("acme.db-wal"), "a log").unwrap();
    home.run("restore acme.db --yes").fails(
        "acme.db cannot be restored: acme.db-wal is beside it: it is not a backup but a store that \
         is in use or was not closed…",
    );
    fs::remove_file(home.path("acme.db-wal")).unwrap();
    home.run("restore missing.db")
        .fails("cannot open missing.db: No such file or directory (os error 2)");
    fs::remove_file(home.path("data/master.key")).unwrap();
    fs::remove_file(home.path("data/hearback.db")).unwrap();
    home.run("restore acme.db").fails("acme.db cannot be restored: data/master.key is missing: …");
    assert_eq!(home.names("data"), ["images"]);
}

/// Takes the last migration back, which can be done again.
const OLDER: &str = "DELETE FROM __diesel_schema_migrations WHERE version = '20261121080000'";

#[test]
fn a_backup_of_an_older_release_is_brought_up_to_date_and_stays_as_it_is() {
    let (home, exported) = backed_up();
    change(&home.path("acme.db"), OLDER);
    let old = fs::read(home.path("acme.db")).unwrap();
    home.run("--no-migrate restore acme.db --yes").fails(
        "acme.db cannot be restored: the schema of the store sqlite:acme.db is not up to date…",
    );
    home.replace();
    let export = "--no-migrate export --organization acme --with-secrets";
    assert_eq!(home.run(export).expect_success(), exported);
    assert!(fs::read(home.path("acme.db")).unwrap() == old, "the backup is as it was");
}

#[test]
fn a_store_of_another_release_is_backed_up_as_it_is() {
    #[derive(QueryableByName)]
    struct Versions {
        #[diesel(sql_type = Text)]
        versions: String,
    }
    let (home, _) = with_a_vote();
    let versions = |path: &Path| {
        let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        let query = "SELECT group_concat(version) AS versions FROM __diesel_schema_migrations";
        diesel::sql_query(query).get_result::<Versions>(&mut connection).unwrap().versions
    };
    let store = home.path("data/hearback.db");
    for statement in
        [OLDER, "INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')"]
    {
        change(&store, statement);
        let before = versions(&store);
        for line in ["backup acme.db", "--no-migrate backup acme.db"] {
            assert_eq!(home.run(line).expect_success(), "");
            assert_eq!(versions(&home.path("acme.db")), before);
            assert_eq!(versions(&store), before);
        }
    }
    // A backup with a wrong key is of no use.
    change(&store, "UPDATE instance SET value = zeroblob(32)");
    home.run("backup acme.db")
        .fails("the master key does not fit the store, which was made with another one");
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
    let (home, _) = backed_up();
    let owner = give_away(&home);
    let owner_of = |home: &Home, name: &str| fs::metadata(home.path(name)).unwrap().uid();
    let owners = || -> Vec<u32> {
        home.names("data").iter().map(|name| owner_of(&home, &format!("data/{name}"))).collect()
    };
    home.replace();
    assert_eq!(owners(), [owner; 4]);
    home.run("key reseal").expect_success();
    assert_eq!(owners(), [owner; 4]);
    // A backup belongs to the user who makes it.
    home.run("backup data/acme.db").expect_success();
    assert_eq!(owner_of(&home, "data/acme.db"), geteuid().as_raw());
    // Without a store, the owner of the directory counts.
    let other = home.other_machine();
    give_away(&other);
    home.restore_to(&other, "data/acme.db");
    assert_eq!(owner_of(&other, "data/hearback.db"), owner);
}

/// Whether a process handles a signal.
fn catches(child: &Child, signal: Signal) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & 1 << (signal.as_raw() - 1) != 0
}

#[test]
fn a_pipe_is_restored_from_and_waited_for_until_a_signal_comes() {
    let (home, exported) = backed_up();
    let pipe = home.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut waiting = home.start("restore pipe --yes", Stdio::null());
    poll(|| catches(&waiting, Signal::TERM).then_some(()));
    kill_process(Pid::from_child(&waiting), Signal::TERM).unwrap();
    assert_eq!(poll(|| waiting.try_wait().unwrap()).code(), Some(1));

    let mut restoring = home.start("restore pipe --yes", Stdio::null());
    fs::write(&pipe, fs::read(home.path("acme.db")).unwrap()).unwrap();
    assert!(restoring.wait().unwrap().success());
    assert_eq!(home.export(), exported);
}

#[test]
fn a_store_that_is_reached_by_a_link_is_replaced_where_it_is() {
    let (home, exported) = backed_up();
    fs::create_dir(home.path("volume")).unwrap();
    fs::rename(home.path("data/hearback.db"), home.path("volume/store.db")).unwrap();
    symlink("../volume/store.db", home.path("data/hearback.db")).unwrap();
    // The server opens the link, and the restore the file.
    let server = home.serve();
    let path = fs::canonicalize(home.path("volume/store.db")).unwrap();
    let home = home.set("DATABASE_URL", "sqlite:volume/store.db");
    home.run("restore acme.db --yes").fails(&format!("the store {} is in use: …", path.display()));
    drop(server);
    let home = home.set("DATABASE_URL", "sqlite:data/hearback.db");
    let kept = home.replace();
    assert_eq!(home.names("volume"), ["store.db", name(&kept)]);
    assert!(home.path("data/hearback.db").is_symlink());
    assert_eq!(home.export(), exported);
}

#[test]
fn a_store_that_is_damaged_is_replaced_and_kept_with_its_log() {
    let (home, exported) = backed_up();
    drop(home.serve());
    home.file("data/hearback.db", "no database any more");
    let log = fs::read(home.path("data/hearback.db-wal")).unwrap();
    let done = home.run("export --organization acme");
    assert!(done.status == Some(1) && done.stderr.contains("file is not a database"), "{done:?}");

    home.run("restore acme.db").refuses("the store sqlite:data/hearback.db would be replaced …");
    let kept = home.replace();
    assert_eq!(fs::read_to_string(home.path(&kept)).unwrap(), "no database any more");
    let kept_log = fs::read(home.path(&format!("{kept}-wal"))).unwrap();
    assert!(kept_log == log, "the log is kept as it was");
    assert_eq!(home.export(), exported);

    // A log whose database is gone is not taken for that of the new one.
    fs::remove_file(home.path("data/hearback.db")).unwrap();
    fs::write(home.path("data/hearback.db-wal"), &log).unwrap();
    assert_eq!(home.run("restore acme.db").expect_success(), "");
    assert!(!home.path("data/hearback.db-wal").exists());
    assert_eq!(home.export(), exported);
}

#[test]
fn a_restore_that_is_killed_at_any_moment_leaves_the_old_store_or_the_new_one() {
    const MOMENTS: u32 = 40;
    let (home, backed_up) = backed_up();
    // The old store: a part of it is in its log.
    let key = home.reveal_key();
    let server = home.serve();
    for n in 0..10 {
        let draft = json!({"api_key": key, "title": format!("Entry {n}")});
        assert_eq!(server.post("/changelog/create", &draft).0, 200);
    }
    drop(server);
    let files = ["hearback.db", "hearback.db-wal", "master.key"]
        .map(|name| (name, fs::read(home.path("data").join(name)).unwrap()));
    assert!(!files[1].1.is_empty());
    let reset = || {
        fs::remove_dir_all(home.path("data")).unwrap();
        fs::create_dir(home.path("data")).unwrap();
        for (name, bytes) in &files {
            fs::write(home.path("data").join(name), bytes).unwrap();
        }
    };
    let old = home.export();
    assert_ne!(old, backed_up);

    reset();
    let began = Instant::now();
    home.replace();
    let took = began.elapsed();
    let mut outcomes = Vec::new();
    for moment in 0..=MOMENTS {
        reset();
        let mut child = home.start("restore acme.db --yes", Stdio::null());
        // The test kills the restore at each moment, so there is nothing to wait for.
        std::thread::sleep(if moment == 0 { Duration::ZERO } else { took * moment / MOMENTS });
        if moment < MOMENTS {
            child.kill().unwrap();
        }
        child.wait().unwrap();
        let left = home.export();
        assert!(left == old || left == backed_up, "at moment {moment}: {left}");
        outcomes.push(left == backed_up);
        // The restore can be repeated.
        home.run("restore acme.db --yes").expect_success();
        assert_eq!(home.export(), backed_up);
        assert!(!home.names("data").iter().any(|name| name.starts_with(".hearback-restore")));
    }
    assert_eq!((outcomes.first(), outcomes.last()), (Some(&false), Some(&true)));
}

#[test]
fn a_database_server_has_tools_of_its_own() {
    let home = Home::new().set("DATABASE_URL", "postgres://me:s3cr3t@db.example/hearback");
    for (command, tool) in [("backup", "pg_dump"), ("restore", "pg_restore")] {
        home.run(&format!("{command} acme.db")).fails(&format!(
            "`hearback {command}` works on the embedded store, and the store is \
             postgres://db.example/hearback: use {tool} (docs/operations.md)"
        ));
    }
}
