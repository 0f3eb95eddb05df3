//! `hearback organization …`

use super::support::Home;

#[test]
fn an_organization_that_was_made_is_listed() {
    let home = Home::new();
    let id = home
        .run(&["organization", "create", "--slug", "Acme", "--name", "Acme Inc."])
        .expect_line();
    let plain =
        ["organization", "create", "--slug", "plain", "--name", "Plain", "--without-help-center"];
    let plain = home.run(&plain).expect_line();
    assert_eq!(
        home.run(&["organization", "list"]).expect_success(),
        format!("Acme\tAcme Inc.\t{id}\thelp center\nplain\tPlain\t{plain}\tno help center\n")
    );
}

#[test]
fn a_slug_is_taken_without_regard_to_case() {
    let home = Home::with_acme();
    assert_eq!(
        home.run(&["organization", "create", "--slug", "ACME", "--name", "Other"]).expect_failure(),
        "hearback: an organization with the slug ACME exists"
    );
}

#[test]
fn no_organization_is_listed_where_there_is_none() {
    assert_eq!(Home::new().run(&["organization", "list"]).expect_success(), "");
}

#[test]
fn a_wrong_slug_or_name_is_a_usage_error() {
    let home = Home::new();
    for (slug, name) in
        [("a b", "Acme"), ("", "Acme"), (".", "Acme"), ("acme", ""), ("acme", &"x".repeat(513))]
    {
        home.run(&["organization", "create", "--slug", slug, "--name", name]).expect_status(2);
    }
    assert!(!home.path("data").exists(), "nothing is made for a command line that is wrong");
}

#[test]
fn deleting_is_confirmed_by_yes() {
    let home = Home::with_acme();
    let before = home.run(&["organization", "list"]).expect_success();
    let refused = home.run(&["organization", "delete", "--organization", "acme"]).expect_status(2);
    assert!(refused.starts_with("hearback: the organization acme "), "{refused}");
    assert!(refused.ends_with(": pass --yes to confirm"), "{refused}");
    assert_eq!(home.run(&["organization", "list"]).expect_success(), before);

    assert_eq!(
        home.run(&["organization", "delete", "--organization", "Acme", "--yes"]).expect_success(),
        ""
    );
    assert_eq!(home.run(&["organization", "list"]).expect_success(), "");
    assert_eq!(
        home.run(&["organization", "delete", "--organization", "acme", "--yes"]).expect_failure(),
        "hearback: no organization has the slug acme"
    );
}

#[test]
fn the_key_of_a_deleted_organization_is_refused_at_once() {
    let home = Home::with_acme();
    let key = home.generate_key();
    let server = home.serve();
    assert!(server.accepts(&key));
    home.run(&["organization", "delete", "--organization", "acme", "--yes"]).expect_success();
    assert!(!server.accepts(&key));
}
