//! `hearback key …`

use super::support::{Done, Home};
use std::process::Stdio;

#[test]
fn a_key_works_at_once_and_is_refused_as_soon_as_it_is_replaced_or_revoked() {
    let home = Home::with_acme();
    let server = home.serve();
    let no_key = "the organization has no active key: generate one";
    for command in ["rotate", "reveal", "revoke"] {
        home.run(&format!("key {command} --organization acme")).fails(no_key);
    }
    let first = home.generate_key();
    assert!(first.starts_with("hbk_") && first.len() == 47, "{first}");
    assert!(server.accepts(&first));
    home.run("key generate --organization acme")
        .fails("the organization has an active key: rotate it or revoke it");
    assert_eq!(home.reveal_key(), first);

    let second = home.run("key rotate --organization acme").expect_line();
    assert_ne!(second, first);
    assert!(!server.accepts(&first));
    assert!(server.accepts(&second));
    assert_eq!(home.reveal_key(), second);

    assert_eq!(home.run("key revoke --organization acme").expect_success(), "");
    assert!(!server.accepts(&second));
    assert!(server.accepts(&home.generate_key()));
}

#[test]
fn a_reader_that_goes_away_is_no_panic_and_the_key_can_be_read_again() {
    let home = Home::with_acme();
    let line = "key generate --organization acme";
    let mut child = home.start(line, Stdio::null());
    drop(child.stdout.take());
    Done::new(line, child.wait_with_output().unwrap())
        .fails("cannot write to standard output: Broken pipe (os error 32)");
    home.reveal_key();
}

#[test]
fn a_command_line_that_is_not_understood_is_a_usage_error() {
    let home = Home::new();
    for line in ["key", "key generate", "key show --organization acme", "nonsense", ""] {
        let done = home.run(line);
        assert_eq!((done.status, &*done.stdout), (Some(2), ""), "{done:?}");
    }
    assert!(!home.path("data").exists());
    for command in ["generate", "rotate", "reveal", "revoke"] {
        home.run(&format!("key {command} --organization acme"))
            .fails("no organization has the slug acme");
    }
}
