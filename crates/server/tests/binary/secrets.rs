//! Only the commands for secrets print a secret.

use super::support::{Home, acme_file, assert_hides, request};
use serde_json::json;
use std::fs;

#[test]
fn no_secret_is_logged_at_any_level() {
    let home = Home::new().set("HEARBACK_LOG", "trace");
    let mut logged = String::new();
    let mut run = |line: &str| {
        let done = home.run(line);
        logged.push_str(&done.stderr);
        done.expect_success()
    };
    run(&format!("import {}", home.file("acme.jsonl", &acme_file())));
    let key = run("key generate --organization acme");
    let key = key.trim_end();
    assert_eq!(run("key reveal --organization acme").trim_end(), key);
    assert!(run("export --organization acme --with-secrets").contains(key));

    let server = home.serve();
    assert!(server.accepts(key));
    server.toggle(key);
    // The key in a wrong place: a field, a query, a header, a path, a broken body.
    assert_eq!(server.post("/votes/toggle", &json!({"api_key": key, "user_id": key})).0, 422);
    server.send(&request(&format!("/tags/list?api_key={key}"), "{}", ""));
    let headers = format!("Authorization: Bearer {key}\r\nX-Api-Key: {key}\r\n");
    server.send(&request("/tags/list", "{}", &headers));
    server.send(&request(&format!("/{key}"), "{}", ""));
    server.send(&request("/tags/list", &format!("{{\"api_key\":\"{key}\""), ""));
    let rotated = run("key rotate --organization acme");
    logged.push_str(&server.stop());

    let master_key = fs::read_to_string(home.path("data/master.key")).unwrap();
    assert!(logged.contains("/tags/list"), "something is logged");
    assert_hides(&logged, &[key, rotated.trim_end(), master_key.trim_end()]);
}
