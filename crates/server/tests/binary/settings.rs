//! Settings: a wrong one stops the start.

use super::support::{Home, assert_hides};

#[test]
fn a_wrong_setting_stops_every_command_and_is_named() {
    let home = Home::new().set("HEARBACK_LISTEN", "8080");
    for command in ["serve", "migrate", "demo", "organization list"] {
        home.run(command).fails(
            "HEARBACK_LISTEN is invalid: expected an address with a port, such as 127.0.0.1:8080, \
             0.0.0.0:8080 or [::1]:8080",
        );
    }
    assert!(!home.path("data").exists());
    // A command that reads no settings.
    assert!(home.run("openapi").expect_success().starts_with('{'));
}

#[test]
fn postgresql_needs_a_master_key() {
    for scheme in ["postgres", "postgresql"] {
        // No server listens there: the command connects to no server.
        let home =
            Home::new().set("DATABASE_URL", &format!("{scheme}://me:s3cr3t@127.0.0.1:1/store"));
        home.run("serve")
            .fails("HEARBACK_MASTER_KEY is not set, and a store on PostgreSQL requires it…");
        assert!(!home.path("data").exists());
    }
}

#[test]
fn an_unreachable_database_is_reported_without_its_password() {
    let home = Home::new()
        .set("DATABASE_URL", "postgres://me:s3cr3t@127.0.0.1:1/store?application_name=s3cr3t")
        .set("HEARBACK_MASTER_KEY", &"ab".repeat(32))
        .set("HEARBACK_LOG", "trace");
    let done = home.run("serve");
    assert_hides(&done.stderr, &["s3cr3t"]);
    assert!(done.stderr.ends_with("Connection refused (os error 111)\n"), "{done:?}");
    done.fails("cannot open the store postgres://127.0.0.1:1/store (DATABASE_URL): …");
}
