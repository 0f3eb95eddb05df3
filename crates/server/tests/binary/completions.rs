//! `hearback completions`: command lines are completed.

use super::support::Home;
use std::process::Command;

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    // The command reads neither settings nor a store.
    let home = Home::new().set("HEARBACK_LISTEN", "wrong");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.run(&format!("completions {shell}")).expect_success();
        for word in ["serve", "doctor", "rotate-secret", "--no-migrate", "--organization"] {
            // The script of fish has options without their dashes.
            assert!(script.contains(word.trim_start_matches('-')), "{shell}: {word}");
        }
    }
    assert!(home.names(".").is_empty());
    assert_eq!(home.run("completions csh").status, Some(2));
}

#[test]
fn bash_completes_a_command_from_its_beginning() {
    let home = Home::new();
    let script = home.file("hearback.bash", &home.run("completions bash").expect_success());
    let check = Command::new("bash").args(["-n", &script]).output().unwrap();
    assert!(check.status.success(), "{check:?}");
    let complete = format!(
        "source '{script}'; COMP_WORDS=(hearback webhook rot); COMP_CWORD=2; _hearback hearback \
         rot webhook; echo \"${{COMPREPLY[*]}}\""
    );
    let completed = Command::new("bash").args(["--norc", "-c", &complete]).output().unwrap();
    assert_eq!(String::from_utf8(completed.stdout).unwrap(), "rotate-secret\n");
}
