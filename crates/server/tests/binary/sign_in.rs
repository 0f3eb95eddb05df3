//! `hearback oidc …` and `hearback member password`

use super::support::Home;
use std::fs;

const ADD: &str = "oidc add --organization acme --client-id portal --name Example --issuer";
const GOOD: &str = "https://accounts.example.com";

#[test]
fn a_provider_is_added_listed_with_its_callback_address_and_removed() {
    let home = Home::new().set("HEARBACK_PUBLIC_URL", "https://feedback.example/news");
    home.import_acme();
    let add = |options: &str| home.run_with_input(&format!("{ADD} {options}"), "a-client-secret\n");
    let visitors = add(GOOD).expect_line();
    let id = visitors.split('\t').next().unwrap();
    let callback = format!("https://feedback.example/news/sign-in/oidc/{id}/callback");
    let line = |who: &str| format!("{id}\tExample\t{GOOD}\tportal\t{who}\t{callback}");
    assert_eq!(visitors, line("visitors"));
    let list = "oidc list --organization acme";
    assert_eq!(home.run(list).expect_line(), visitors);
    home.run(&format!("oidc remove --organization acme --id {id}")).expect_success();
    assert_eq!(home.run(list).expect_success(), "");
    home.run(&format!("oidc remove --organization acme --id {id}"))
        .fails(&format!("the organization has no provider {id}: `hearback oidc list` lists them"));
    let everybody = add(&format!("{GOOD} --for-members --email-claim upn")).expect_line();
    assert_eq!(everybody.split('\t').nth(4), Some("everybody"));
    let database = fs::read(home.path("data/hearback.db")).unwrap();
    assert!(!database.windows(15).any(|bytes| bytes == b"a-client-secret"));
}

#[test]
fn a_provider_without_a_secret_or_at_a_private_address_is_refused() {
    let home = Home::with_acme();
    home.run_with_input(&format!("{ADD} {GOOD}"), " \n")
        .fails("the client secret is empty: give it on standard input");
    for issuer in ["http://accounts.example.com", "https://127.0.0.1:9000", "https://10.0.0.1"] {
        home.run_with_input(&format!("{ADD} {issuer}"), "secret\n").fails("--issuer: …");
    }
    assert_eq!(home.run("oidc list --organization acme").expect_success(), "");
}

#[test]
fn the_operator_sets_a_password_where_passwords_are_on() {
    let home = Home::with_acme();
    let set = |email: &str, password: &str| {
        let line = format!("member password --organization acme --email {email}");
        home.run_with_input(&line, password)
    };
    set("ada@acme.example", "a quiet morning\n")
        .fails("the organization has no sign-in by password: …");
    home.run("organization set --organization acme --password-sign-in on").expect_success();
    set("nobody@acme.example", "a quiet morning\n")
        .fails("the organization has no user with this address");
}

#[test]
fn the_operator_resets_a_second_factor_of_a_user_alone() {
    let home = Home::with_acme();
    home.run("member reset-second-factor --organization acme --email nobody@acme.example")
        .fails("the organization has no user with this address");
    home.run("member reset-second-factor --organization none --email nobody@acme.example")
        .fails("no organization has the slug none");
}
