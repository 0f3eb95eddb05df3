//! `hearback import`, `hearback export`

use super::support::{Done, Home, acme_file, mode};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::Write;
use std::process::Stdio;

const EXPORT: &str = "export --organization acme";

#[test]
fn an_export_can_be_imported_elsewhere_and_is_exported_the_same() {
    let home = Home::new();
    let path = home.file("acme.jsonl", &acme_file());
    home.run(&format!("import --dry-run {path}"))
        .tells("checked, and changed nothing: 5 records in …");
    assert!(home.organizations().is_empty());
    let done = home.run(&format!("import {path}"));
    let kinds = ": 1 organization, 1 user, 1 feedback_board, 1 status, 1 feedback_post\n";
    assert!(done.stderr.ends_with(kinds), "{done:?}");
    done.tells("imported 5 records in …");

    let exported = home.run(EXPORT).expect_success();
    assert_eq!(exported.lines().count(), 5);
    let other = Home::new();
    other.import(&exported);
    assert_eq!(other.run(EXPORT).expect_success(), exported);
}

#[test]
fn secrets_are_exported_on_request_only() {
    let home = Home::with_acme();
    let key = home.generate_key();
    assert!(!home.run(EXPORT).expect_success().contains(&key));
    let exported = home.export();
    assert!(exported.contains(&key));
    let other = Home::new();
    other.import(&exported);
    assert_eq!(other.reveal_key(), key);
}

#[test]
fn an_exported_file_is_for_its_owner_only_and_replaces_an_older_one() {
    let home = Home::new();
    fs::create_dir(home.path("out")).unwrap();
    let path = home.path("out/acme.jsonl");
    home.file("out/acme.jsonl", "older");
    assert_ne!(mode(&path), 0o600);
    home.run(&format!("{EXPORT} out/acme.jsonl")).fails("no organization has the slug acme");
    assert_eq!(fs::read_to_string(&path).unwrap(), "older");

    home.import_acme();
    let expected = home.run(EXPORT).expect_success();
    std::os::unix::fs::symlink("acme.jsonl", home.path("out/link")).unwrap();
    // A path, a link, and a name without a directory.
    for (file, written) in [
        ("out/acme.jsonl", "out/acme.jsonl"),
        ("out/link", "out/acme.jsonl"),
        ("bare.jsonl", "bare.jsonl"),
    ] {
        home.file(written, "older");
        assert_eq!(home.run(&format!("{EXPORT} {file}")).expect_success(), "");
        assert_eq!(fs::read_to_string(home.path(written)).unwrap(), expected, "{file}");
        assert_eq!(mode(&home.path(written)), 0o600, "{file}");
        assert_eq!(home.names("out"), ["acme.jsonl", "link"]);
    }
}

#[test]
fn a_device_is_written_to_and_not_replaced() {
    let home = Home::with_acme();
    let expected = home.run(EXPORT).expect_success();
    assert_eq!(home.run(&format!("{EXPORT} /dev/stdout")).expect_success(), expected);
    assert_eq!(home.run(&format!("{EXPORT} /dev/null")).expect_success(), "");
    home.run(&format!("{EXPORT} /dev/full"))
        .fails("cannot write the export: No space left on device (os error 28)");
    home.run(&format!("{EXPORT} missing/acme.jsonl"))
        .fails("cannot write missing/acme.jsonl: No such file or directory…");

    // A reader that goes away.
    let mut child = home.start(EXPORT, Stdio::null());
    drop(child.stdout.take());
    Done::new(EXPORT, child.wait_with_output().unwrap())
        .fails("cannot write the export: Broken pipe (os error 32)");
}

#[test]
fn a_fault_is_reported_with_its_line_and_changes_nothing() {
    let home = Home::new();
    home.run("import missing.jsonl")
        .fails("cannot open missing.jsonl: No such file or directory (os error 2)");
    assert!(!home.path("data").exists());
    home.run("import .").fails("cannot read the file: Is a directory (os error 21)");
    let faulty = acme_file().replace(r##""color":"#64748b""##, r#""color":"grey""#);
    home.run(&format!("import {}", home.file("acme.jsonl", &faulty))).fails("line 4: color…");
    home.run_with_input("import -", &acme_file().repeat(2)).fails("line 6: …");
    assert!(home.organizations().is_empty());
    for (portal, fault) in [
        (r#"{"theme":"blue"}"#, "portal.theme: not one of auto, light, dark"),
        (r#"{"accent":"red"}"#, "portal.accent: not # and 3, 4, 6 or 8 hex digits"),
        (r#"{"host":"acme.example:80"}"#, "portal.host: not a host name"),
        (r#"{"later":1}"#, "portal.later: unknown field `later`, …"),
    ] {
        let faulty = acme_file().replacen('{', &format!("{{\"portal\":{portal},"), 1);
        home.run_with_input("import -", &faulty).fails(&format!("line 1: {fault}"));
    }
    home.import(&acme_file());
    home.run_with_input("import --dry-run -", &acme_file()).fails("line 1: …");
    let host = " --organization acme --host acme.example";
    home.run(&format!("organization set{host}")).expect_success();
    let other = r#"{"kind":"organization","id":"00000000-0000-7000-8000-000000000002","name":"B",
        "slug":"b","created_at":"2026-01-05","portal":{"host":"ACME.example"}}"#;
    home.run_with_input("import -", &other.replace('\n', ""))
        .fails("line 1: portal.host: another organization has it");
}

#[test]
fn an_import_ends_at_a_fault_or_a_signal_while_its_input_stays_open() {
    let home = Home::new();
    // More than a pipe holds: after the write, the import is under way.
    let long = acme_file() + &" \n".repeat(100_000);
    for (input, signal, error) in
        [("nonsense\n", None, "line 1: …"), (&*long, Some(Signal::INT), "interrupted by a signal")]
    {
        let mut child = home.start("import -", Stdio::piped());
        let mut open = child.stdin.take().unwrap();
        open.write_all(input.as_bytes()).unwrap();
        if let Some(signal) = signal {
            kill_process(Pid::from_child(&child), signal).unwrap();
        }
        Done::new("import -", child.wait_with_output().unwrap()).fails(error);
        drop(open);
        assert!(home.organizations().is_empty(), "{error}");
    }
}
