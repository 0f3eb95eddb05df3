//! `hearback man`: manual pages.

use super::support::Home;
use std::fs;
use std::process::Command;

#[test]
fn the_page_of_the_program_has_its_commands_and_its_settings() {
    // The command reads neither settings nor a store.
    let home = Home::new().set("HEARBACK_LISTEN", "wrong");
    let page = home.run("man").expect_success();
    for line in [
        ".SH NAME",
        ".SH SYNOPSIS",
        ".SH DESCRIPTION",
        ".SH SUBCOMMANDS",
        ".SH OPTIONS",
        ".SH ENVIRONMENT",
    ] {
        assert!(page.lines().any(|said| said == line), "{line}");
    }
    assert!(page.contains("hearback\\-serve(1)") && !page.contains("hearback\\-help(1)"), "{page}");
    for line in Home::new().run("config").expect_success().lines() {
        let (name, _) = line.split_once('\t').unwrap();
        assert!(page.lines().any(|said| said == format!("\\fB{name}\\fR")), "{name}");
    }
    assert!(home.names(".").is_empty());
    formatted(&home, &page);
}

#[test]
fn every_command_has_a_page_of_its_own_in_a_directory() {
    let home = Home::new();
    fs::create_dir(home.path("man")).unwrap();
    assert_eq!(home.run("man --directory man").expect_success(), "");
    let names = home.names("man");
    for name in [
        "hearback.1",
        "hearback-serve.1",
        "hearback-webhook.1",
        "hearback-webhook-rotate-secret.1",
        "hearback-man.1",
    ] {
        assert!(names.iter().any(|there| there == name), "{name}: {names:?}");
    }
    assert!(
        names.iter().all(|name| name.starts_with("hearback") && !name.contains("help")),
        "{names:?}"
    );
    for name in &names {
        let page = fs::read_to_string(home.path("man").join(name)).unwrap();
        assert!(page.contains("\n.SH NAME\n") && page.contains("\n.SH DESCRIPTION\n"), "{name}");
        formatted(&home, &page);
    }
    home.run("man --directory missing").fails("cannot write missing/hearback.1: …");
}

/// Formats the page with groff, if it is installed, and fails on its warnings.
fn formatted(home: &Home, page: &str) {
    let page = home.file("page", page);
    let Ok(done) =
        Command::new("groff").args(["-man", "-ww", "-Kutf8", "-Tutf8", "-z", &page]).output()
    else {
        return;
    };
    let warnings = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success() && warnings.is_empty(), "{warnings}");
}
