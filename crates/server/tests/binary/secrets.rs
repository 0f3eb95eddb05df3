//! No command prints a secret but those that are asked for it.

use super::support::{Home, acme_file, request};
use rustix::process::Signal;
use serde_json::json;
use std::fs;

#[test]
fn no_secret_is_logged_at_any_level() {
    let home = Home::new().set("HEARBACK_LOG", "trace");
    let mut logged = String::new();
    let run = |logged: &mut String, arguments: &[&str]| {
        let done = home.run(arguments);
        assert_eq!(done.status, Some(0), "{done:?}");
        logged.push_str(&done.stderr);
        done.stdout
    };
    run(&mut logged, &["import", &home.file("acme.jsonl", &acme_file())]);
    let key = run(&mut logged, &["key", "generate", "--organization", "acme"]);
    let key = key.trim_end();
    assert_eq!(run(&mut logged, &["key", "reveal", "--organization", "acme"]).trim_end(), key);
    assert!(
        run(&mut logged, &["export", "--organization", "acme", "--with-secrets"]).contains(key)
    );

    let server = home.serve();
    assert!(server.accepts(key));
    server.toggle(key);
    // The key in a wrong place: a field, a query, a header, a path, a broken body.
    assert_eq!(server.post("/votes/toggle", &json!({"api_key": key, "user_id": key})).0, 422);
    server.send(&request(&format!("/tags/list?api_key={key}"), "{}", ""));
    server.send(&request(
        "/tags/list",
        "{}",
        &format!("Authorization: Bearer {key}\r\nX-Api-Key: {key}\r\n"),
    ));
    server.send(&request(&format!("/{key}"), "{}", ""));
    server.send(&request("/tags/list", &format!("{{\"api_key\":\"{key}\""), ""));
    let (status, printed, log) = server.stop(Signal::TERM);
    assert_eq!(status.code(), Some(0));
    logged.push_str(&printed);
    logged.push_str(&log);
    let rotated = run(&mut logged, &["key", "rotate", "--organization", "acme"]);

    let master_key = fs::read_to_string(home.path("data/master.key")).unwrap();
    assert!(logged.contains("/tags/list"), "something is logged");
    for secret in [key, rotated.trim_end(), master_key.trim_end()] {
        assert!(
            !logged.contains(secret),
            "{}",
            logged.lines().find(|line| line.contains(secret)).unwrap()
        );
    }
}
