//! `hearback import`, `hearback export`

use super::support::{Done, Home, acme_file, mode};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::Write;
use std::process::Stdio;

const EXPORT: [&str; 3] = ["export", "--organization", "acme"];

#[test]
fn an_export_can_be_imported_elsewhere_and_is_exported_the_same() {
    let home = Home::new();
    let done = home.run(&["import", &home.file("acme.jsonl", &acme_file())]);
    assert_eq!((done.status, &*done.stdout), (Some(0), ""));
    let summary = done.stderr.lines().last().unwrap();
    assert!(summary.starts_with("imported 5 records in "), "{summary}");
    assert!(
        summary.ends_with(": 1 organization, 1 user, 1 feedback_board, 1 status, 1 feedback_post"),
        "{summary}"
    );

    let exported = home.run(&EXPORT).expect_success();
    assert_eq!(exported.lines().count(), 5);
    let other = Home::new();
    other.run_with_input(&["import", "-"], &exported).expect_success();
    assert_eq!(other.run(&EXPORT).expect_success(), exported);
}

#[test]
fn secrets_are_exported_only_when_they_are_asked_for() {
    let home = Home::with_acme();
    let key = home.generate_key();
    assert!(!home.run(&EXPORT).expect_success().contains(&key));
    let exported = home.run(&[&EXPORT[..], &["--with-secrets"]].concat()).expect_success();
    assert!(exported.contains(&key));

    let other = Home::new();
    other.run_with_input(&["import", "-"], &exported).expect_success();
    assert_eq!(other.run(&["key", "reveal", "--organization", "acme"]).expect_line(), key);
}

#[test]
fn an_exported_file_is_for_its_owner_only_and_replaces_an_older_one() {
    let home = Home::with_acme();
    let expected = home.run(&EXPORT).expect_success();
    fs::create_dir(home.path("out")).unwrap();
    let path = home.file("out/acme.jsonl", "older");
    assert_ne!(mode(&home.path("out/acme.jsonl")), 0o600);
    assert_eq!(home.run(&[&EXPORT[..], &[&path]].concat()).expect_success(), "");
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    assert_eq!(mode(&home.path("out/acme.jsonl")), 0o600);
    assert_eq!(home.names("out"), ["acme.jsonl"]);

    // By a link, and by a name without a directory.
    std::os::unix::fs::symlink("acme.jsonl", home.path("out/link")).unwrap();
    fs::write(&path, "older").unwrap();
    home.run(&[&EXPORT[..], &["out/link"]].concat()).expect_success();
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    home.run(&[&EXPORT[..], &["bare.jsonl"]].concat()).expect_success();
    assert_eq!(fs::read_to_string(home.path("bare.jsonl")).unwrap(), expected);
}

#[test]
fn a_device_is_written_to_and_not_replaced() {
    let home = Home::with_acme();
    let expected = home.run(&EXPORT).expect_success();
    assert_eq!(home.run(&[&EXPORT[..], &["/dev/stdout"]].concat()).expect_success(), expected);
    assert_eq!(home.run(&[&EXPORT[..], &["/dev/null"]].concat()).expect_success(), "");
    let error = home.run(&[&EXPORT[..], &["/dev/full"]].concat()).expect_failure();
    assert_eq!(error, "hearback: cannot write the export: No space left on device (os error 28)");
}

#[test]
fn an_export_that_fails_leaves_the_older_file() {
    let home = Home::new();
    fs::create_dir(home.path("out")).unwrap();
    let path = home.file("out/acme.jsonl", "older");
    let error = home.run(&[&EXPORT[..], &[&path]].concat()).expect_failure();
    assert_eq!(error, "hearback: no organization has the slug acme");
    assert_eq!(fs::read_to_string(&path).unwrap(), "older");
    assert_eq!(home.names("out"), ["acme.jsonl"]);
    let home = Home::with_acme();
    let error = home.run(&[&EXPORT[..], &["missing/acme.jsonl"]].concat()).expect_failure();
    assert!(
        error.starts_with("hearback: cannot write missing/acme.jsonl: No such file or directory"),
        "{error}"
    );
}

#[test]
fn a_reader_that_goes_away_ends_an_export_without_a_panic() {
    let home = Home::with_acme();
    let mut child = home.start(&EXPORT, Stdio::null());
    drop(child.stdout.take());
    let done = Done::new(child.wait_with_output().unwrap());
    assert_eq!(
        done.expect_failure(),
        "hearback: cannot write the export: Broken pipe (os error 32)"
    );
}

#[test]
fn a_fault_is_told_with_its_line_and_changes_nothing() {
    let home = Home::new();
    let faulty = acme_file().replace(r##""color":"#64748b""##, r#""color":"grey""#);
    let error = home.run(&["import", &home.file("acme.jsonl", &faulty)]).expect_failure();
    assert!(error.starts_with("hearback: line 4: color"), "{error}");
    let twice = format!("{0}{0}", acme_file());
    let error = home.run_with_input(&["import", "-"], &twice).expect_failure();
    assert!(error.starts_with("hearback: line 6: "), "{error}");
    assert_eq!(home.run(&["organization", "list"]).expect_success(), "");
}

#[test]
fn a_fault_ends_an_import_whose_input_goes_on() {
    let home = Home::new();
    let mut child = home.start(&["import", "-"], Stdio::piped());
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"nonsense\n").unwrap();
    // The input stays open, and its end is not awaited.
    let error = Done::new(child.wait_with_output().unwrap()).expect_failure();
    assert!(error.starts_with("hearback: line 1: "), "{error}");
    drop(input);
}

#[test]
fn a_dry_run_finds_faults_and_changes_nothing() {
    let home = Home::new();
    let path = home.file("acme.jsonl", &acme_file());
    let done = home.run(&["import", "--dry-run", &path]);
    assert_eq!((done.status, &*done.stdout), (Some(0), ""));
    assert!(
        done.stderr
            .lines()
            .last()
            .unwrap()
            .starts_with("checked, and changed nothing: 5 records in "),
        "{done:?}"
    );
    assert_eq!(home.run(&["organization", "list"]).expect_success(), "");
    home.run(&["import", &path]).expect_success();
    let error = home.run(&["import", "--dry-run", &path]).expect_failure();
    assert!(error.starts_with("hearback: line 1: "), "{error}");
}

#[test]
fn a_file_that_cannot_be_read_is_told() {
    let home = Home::new();
    let error = home.run(&["import", "missing.jsonl"]).expect_failure();
    assert_eq!(
        error,
        "hearback: cannot open missing.jsonl: No such file or directory (os error 2)"
    );
    assert!(!home.path("data").exists());
    let error = home.run(&["import", "."]).expect_failure();
    assert_eq!(error, "hearback: cannot read the file: Is a directory (os error 21)");
}

#[test]
fn an_import_that_is_stopped_changes_nothing() {
    let home = Home::new();
    let mut child = home.start(&["import", "-"], Stdio::piped());
    let mut input = child.stdin.take().unwrap();
    input.write_all(acme_file().as_bytes()).unwrap();
    // More than a pipe holds: after the write, the import is under way.
    input.write_all(" \n".repeat(100_000).as_bytes()).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let error = Done::new(child.wait_with_output().unwrap()).expect_failure();
    assert_eq!(error, "hearback: interrupted by a signal");
    drop(input);
    assert_eq!(home.run(&["organization", "list"]).expect_success(), "");
}
