//! Imports and exports of large organizations in bounded memory, on both stores.
//!
//! This is a test binary of its own because cargo runs one binary after the other: the load would
//! disturb tests of requests with time limits.

#![expect(clippy::expect_used, reason = "a failure in a helper must fail the test")]

use hearback_tests::postgres::{self, Isolation};
use hearback_tests::scratch;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::time::sleep;

/// The bound of an import's memory, in MiB, without the pages of the binary. An import that reads
/// the whole file, or that queues records for a slower store, takes at least the file's size in
/// addition.
const IMPORT_MIB: u64 = 64;
/// The size of SQLite's page cache, in MiB, which an import fills in its own process.
const SQLITE_CACHE_MIB: u64 = 128;
/// The bound of an export's memory, in MiB.
const EXPORT_MIB: u64 = 96;

const POSTS: usize = 10_000;
const VOTERS: usize = 10;
/// The length of a post's description, in bytes. It makes the file 140 MiB long.
const DESCRIPTION: usize = 12_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Store {
    Sqlite,
    Postgres,
}

#[rstest]
#[tokio::test]
async fn the_memory_of_an_import_and_of_an_export_does_not_grow_with_the_file(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let folder = scratch::folder(temporary());
    let (file, database) = (folder.join(format!("{store:?}.jsonl")), folder.join("bulk.db"));
    write_file(&file).expect("the file is written");
    assert!(
        file.metadata().expect("the file").len() > 2 * IMPORT_MIB * MIB,
        "the file does not fit into the memory of an import"
    );
    let (database_url, import_mib) = match store {
        Store::Sqlite => (format!("sqlite:{}", database.display()), IMPORT_MIB + SQLITE_CACHE_MIB),
        Store::Postgres => (postgres::create(Isolation::ReadCommitted).await, IMPORT_MIB),
    };

    let mut importing =
        hearback(&database_url).arg("import").arg(&file).spawn().expect("hearback starts");
    let import_peak = peak_of(&mut importing, runs);
    expect_success(importing);

    let mut exporting = hearback(&database_url)
        .args(["export", "--organization", "large"])
        .spawn()
        .expect("hearback starts");
    let mut exported = BufReader::new(exporting.stdout.take().expect("its output"));
    let mut kinds = BTreeMap::new();
    let export_peak =
        peak_of(&mut exporting, |_| (0..1_000).all(|_| count(&mut exported, &mut kinds)));
    expect_success(exporting);

    fs::remove_file(&file).expect("the file is removed");
    if store == Store::Sqlite {
        fs::remove_file(&database).expect("the database is removed");
    }
    let expected = [
        ("feedback_board", 1),
        ("feedback_post", POSTS),
        ("organization", 1),
        ("status", 1),
        ("tag", 1),
        ("user", VOTERS),
        ("vote", POSTS * VOTERS),
    ];
    assert_eq!(kinds, BTreeMap::from(expected.map(|(kind, count)| (kind.to_owned(), count))));
    assert!(import_peak < import_mib * MIB, "the import took {} MiB", import_peak / MIB);
    assert!(export_peak < EXPORT_MIB * MIB, "the export took {} MiB", export_peak / MIB);
}

/// PostgreSQL keeps the plans of its foreign keys. Here it made them while the tables were almost
/// empty.
#[tokio::test]
async fn references_of_a_large_organization_are_looked_up_by_key_also_after_a_small_one() {
    const VOTES: usize = 4_000;
    let file = scratch::folder(temporary()).join("small-and-large.jsonl");
    let mut records = BufWriter::new(File::create(&file).expect("the file is made"));
    for (organization, votes) in [(1, 10), (2, VOTES)] {
        write_voters(&mut records, organization, votes).expect("the file is written");
    }
    records.flush().expect("the file is written");
    let database_url = postgres::create(Isolation::ReadCommitted).await;

    expect_success(
        hearback(&database_url).arg("import").arg(&file).spawn().expect("hearback starts"),
    );

    fs::remove_file(&file).expect("the file is removed");
    let looked_at = "SELECT coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::bigint FROM pg_stat_user_tables \
                     WHERE relname IN ('users', 'feedback_posts')";
    // Each vote looks up a row of each table. The posts look up a few more.
    let (least, most) = (2 * VOTES as i64, 20 * VOTES as i64);
    let client = postgres::connect(&database_url).await;
    let mut rows: i64 = 0;
    // The import's session reports its reads at its end, which may come after the end of the
    // import.
    for _ in 0..200 {
        rows = client.query_one(looked_at, &[]).await.expect("statistics").get(0);
        if rows >= least {
            break;
        }
        sleep(Duration::from_millis(50)).await;
    }
    assert!((least..most).contains(&rows), "{rows} rows were read for {VOTES} votes");
}

/// Writes an organization in which each user has a post and a vote on it.
fn write_voters(file: &mut impl Write, organization: usize, users: usize) -> std::io::Result<()> {
    let id = |kind: u8, n: usize| id(kind, 1_000_000 * organization + n);
    let mut write = |kind: &str, id: String, members: Value| {
        let mut record = json!({"kind": kind, "id": id, "created_at": "2026-01-05"});
        record
            .as_object_mut()
            .expect("an object")
            .extend(members.as_object().expect("an object").clone());
        writeln!(file, "{record}")
    };
    let slug = format!("organization-{organization}");
    write("organization", id(1, 0), json!({"name": slug, "slug": slug}))?;
    for n in 0..users {
        let members = json!({"user_id": id(6, n), "email": format!("{n}@example.com"), "name": format!("User {n}")});
        write("user", id(5, n), members)?;
    }
    write("feedback_board", id(2, 0), json!({"name": "Ideas", "slug": "ideas"}))?;
    let code =
        json!({"name": "Open", "code": "open", "color": "#64748b", "status_group_code": "open"});
    write("status", id(3, 0), code)?;
    for n in 0..users {
        let members = json!({"title": format!("Post {n}"), "slug": format!("post-{n}"), "board_id": id(2, 0),
            "author_id": id(6, n), "status_id": id(3, 0)});
        write("feedback_post", id(7, n), members)?;
    }
    for n in 0..users {
        write(
            "vote",
            id(8, n),
            json!({"user_id": id(6, n), "post_id": id(7, n), "post_type": "feedback"}),
        )?;
    }
    Ok(())
}

const MIB: u64 = 1024 * 1024;

/// Writes an organization in which every user has a vote on every post.
fn write_file(path: &Path) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut write = |kind: &str, id: String, members: Value| {
        let mut record = json!({"kind": kind, "id": id, "created_at": "2026-01-05"});
        let members = members.as_object().expect("an object").clone();
        record.as_object_mut().expect("an object").extend(members);
        writeln!(file, "{record}")
    };
    let [organization, board, status, tag] = [id(1, 0), id(2, 0), id(3, 0), id(4, 0)];
    write("organization", organization, json!({"name": "Large", "slug": "large"}))?;
    for n in 0..VOTERS {
        let members = json!({"user_id": id(6, n), "email": format!("{n}@example.com"), "name": format!("User {n}")});
        write("user", id(5, n), members)?;
    }
    write("feedback_board", board.clone(), json!({"name": "Ideas", "slug": "ideas"}))?;
    let code =
        json!({"name": "Open", "code": "open", "color": "#64748b", "status_group_code": "open"});
    write("status", status.clone(), code)?;
    write("tag", tag.clone(), json!({"name": "long", "color": "#64748b"}))?;
    for n in 0..POSTS {
        let sentence = format!("Post {n} says the same thing over and over again. ");
        let members = json!({"title": format!("Post {n}"), "description": sentence.repeat(DESCRIPTION / sentence.len()),
            "slug": format!("post-{n}"), "board_id": board, "author_id": id(6, n % VOTERS), "status_id": status,
            "tag_ids": [tag]});
        write("feedback_post", id(7, n), members)?;
    }
    for n in 0..POSTS * VOTERS {
        let members = json!({"user_id": id(6, n / POSTS), "post_id": id(7, n % POSTS), "post_type": "feedback"});
        write("vote", id(8, n), members)?;
    }
    file.flush()
}

/// The n-th identifier of a kind.
fn id(kind: u8, n: usize) -> String {
    format!("00000000-0000-7000-8000-{kind:02}{n:010}")
}

/// The peak memory of a process, in bytes, without the pages of files, such as its binary. It is
/// read while `goes_on` returns `true`.
fn peak_of(child: &mut Child, mut goes_on: impl FnMut(&mut Child) -> bool) -> u64 {
    let mut peak = 0;
    while goes_on(child) {
        // A process that has ended has no status.
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kib: u64 = line.map_or(0, |line| {
            line.trim().trim_end_matches(" kB").parse().expect("a number of KiB")
        });
        peak = peak.max(kib * 1024);
    }
    assert_ne!(peak, 0, "the memory of the process was never read");
    peak
}

/// Returns whether a process runs, after a pause of 5 ms.
fn runs(child: &mut Child) -> bool {
    std::thread::sleep(Duration::from_millis(5));
    child.try_wait().expect("its status").is_none()
}

/// Counts the next record by its kind. Returns whether there was one.
fn count(lines: &mut impl BufRead, kinds: &mut BTreeMap<String, usize>) -> bool {
    let mut line = String::new();
    lines.read_line(&mut line).expect("a line");
    let Some(record) = line.strip_prefix(r#"{"kind":""#) else { return false };
    let (kind, _) = record.split_once('"').expect("a kind");
    *kinds.entry(kind.to_owned()).or_default() += 1;
    true
}

#[track_caller]
fn expect_success(child: Child) {
    let output = child.wait_with_output().expect("hearback ends");
    assert!(
        output.status.success(),
        "{}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

fn hearback(database_url: &str) -> Command {
    // The binary of this build. It is in the parent folder of the test binary.
    let test = std::env::current_exe().expect("the path of this test");
    let binary = test.parent().and_then(Path::parent).expect("target/debug").join("hearback");
    assert!(binary.exists(), "{} is not built: run `make test`", binary.display());
    let mut command = Command::new(binary);
    command
        .env("DATABASE_URL", database_url)
        .env("HEARBACK_MASTER_KEY", "5a".repeat(32))
        .env("HEARBACK_DATA_DIR", scratch::folder(temporary()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}
