//! `hearback key …`

use super::support::{Done, Home};
use std::process::Stdio;

const GENERATE: [&str; 4] = ["key", "generate", "--organization", "acme"];
const ROTATE: [&str; 4] = ["key", "rotate", "--organization", "acme"];
const REVEAL: [&str; 4] = ["key", "reveal", "--organization", "acme"];
const REVOKE: [&str; 4] = ["key", "revoke", "--organization", "acme"];

#[test]
fn a_key_works_at_once_and_is_refused_as_soon_as_it_is_replaced_or_revoked() {
    let home = Home::with_acme();
    let server = home.serve();
    let first = home.run(&GENERATE).expect_line();
    assert!(first.starts_with("hbk_") && first.len() == 47, "{first}");
    assert!(server.accepts(&first));
    assert_eq!(home.run(&REVEAL).expect_line(), first);

    let second = home.run(&ROTATE).expect_line();
    assert_ne!(second, first);
    assert!(!server.accepts(&first));
    assert!(server.accepts(&second));
    assert_eq!(home.run(&REVEAL).expect_line(), second);

    assert_eq!(home.run(&REVOKE).expect_success(), "");
    assert!(!server.accepts(&second));
    let third = home.run(&GENERATE).expect_line();
    assert!(server.accepts(&third));
}

#[test]
fn generate_fails_while_a_key_is_active_and_the_others_without_one() {
    let home = Home::with_acme();
    for command in [ROTATE, REVEAL, REVOKE] {
        assert_eq!(
            home.run(&command).expect_failure(),
            "hearback: the organization has no active key: generate one"
        );
    }
    let key = home.run(&GENERATE).expect_line();
    assert_eq!(
        home.run(&GENERATE).expect_failure(),
        "hearback: the organization has an active key: rotate it or revoke it"
    );
    assert_eq!(home.run(&REVEAL).expect_line(), key);
}

#[test]
fn a_reader_that_goes_away_is_no_panic_and_the_key_can_be_read_again() {
    let home = Home::with_acme();
    let mut child = home.start(&GENERATE, Stdio::null());
    drop(child.stdout.take());
    let done = Done::new(child.wait_with_output().unwrap());
    assert_eq!(
        done.expect_failure(),
        "hearback: cannot write to standard output: Broken pipe (os error 32)"
    );
    home.run(&REVEAL).expect_line();
}

#[test]
fn an_organization_that_is_not_there_has_no_key() {
    let home = Home::new();
    for command in [GENERATE, ROTATE, REVEAL, REVOKE] {
        assert_eq!(
            home.run(&command).expect_failure(),
            "hearback: no organization has the slug acme"
        );
    }
}

#[test]
fn a_command_line_that_is_not_understood_is_a_usage_error() {
    let home = Home::new();
    for arguments in [
        &["key"][..],
        &["key", "generate"],
        &["key", "show", "--organization", "acme"],
        &["nonsense"],
        &[],
    ] {
        home.run(arguments).expect_status(2);
    }
    assert!(!home.path("data").exists());
}
