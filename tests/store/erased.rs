//! What is left of an erased person in a file and in a database, byte by byte.

use super::probes::SqliteProbe;
use super::{fresh_file, open_database, open_file, postgres};
use hearback_domain::one_person::Traces;
use hearback_ports::import::Ending;
use hearback_tests::build::begin;
use hearback_tests::conformance::Stage;
use hearback_tests::conformance::one_person::{erase, fill, known_person, mark};
use hearback_tests::postgres::Isolation;
use hearback_tests::system::block_on;
use std::fs;
use std::process::Command;

/// Fills a store with a person, and erases the person. `bytes` has the store's bytes.
async fn erased(stage: &Stage, traces: Traces, bytes: impl Fn() -> Vec<u8>) {
    let (acme, person) = known_person();
    // The organization is alone, since its twin would have the same person.
    let mut import = begin(&stage.ports).await;
    acme.put(&mut *import).await.expect("the organization is imported");
    import.finish(Ending::Commit).await.expect("the import ends");
    fill(stage, &acme, &person).await;
    assert!(has(&bytes(), &mark(&person)), "the bytes are those of the store");
    erase(stage, &acme, &person, traces).await;
    assert!(!has(&bytes(), &mark(&person)));
}

/// Whether the bytes contain a text, in any case.
fn has(bytes: &[u8], text: &str) -> bool {
    let bytes = bytes.to_ascii_lowercase();
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn a_file_has_no_byte_of_an_erased_person_after_vacuum() {
    block_on(async {
        for traces in [Traces::Anonymize, Traces::Delete] {
            let path = fresh_file("erased");
            let stage = open_file(&path).await;
            let bytes = || {
                let probe = SqliteProbe::new(&path);
                probe.execute("VACUUM");
                // The vacuumed pages are in the log until a checkpoint.
                probe.execute("PRAGMA wal_checkpoint(TRUNCATE)");
                let log = path.with_extension("db-wal");
                [fs::read(&path), fs::read(log)].into_iter().flatten().flatten().collect()
            };
            erased(&stage, traces, bytes).await;
        }
    });
}

#[test]
fn a_dump_of_a_database_has_no_byte_of_an_erased_person() {
    block_on(async {
        for traces in [Traces::Anonymize, Traces::Delete] {
            let url = postgres::create(Isolation::ReadCommitted).await;
            let stage = open_database(&url).await;
            let dump = || {
                let dump = Command::new("pg_dump").arg(&url).output().expect("pg_dump is run");
                assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
                dump.stdout
            };
            erased(&stage, traces, dump).await;
        }
    });
}
