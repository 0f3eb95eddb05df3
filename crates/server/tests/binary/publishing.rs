//! `hearback serve`: scheduled entries are published when they are due.

use super::support::{Home, Server, poll, record};
use diesel::connection::SimpleConnection;
use hearback_domain::Time;
use hearback_ports::Clock;
use hearback_server::SystemClock;
use serde_json::{Value, json};

/// A file with an organization `acme` that has one entry, scheduled for this time.
fn scheduled(at: Time) -> String {
    let entry = json!({"kind": "changelog_entry", "id": "00000000-0000-7000-8000-000000000050", "title": "Dark mode",
                       "slug": "dark-mode", "status_code": "scheduled", "scheduled_at": at.to_string(),
                       "created_at": "2026-01-05T09:00:00.000Z"});
    record(&super::support::organization()) + &record(&entry)
}

fn entry(server: &Server, key: &str) -> Value {
    let (status, mut page) = server.post("/changelog/list", &json!({"api_key": key}));
    assert_eq!(status, 200);
    page["items"][0].take()
}

fn time(value: &Value) -> Time {
    Time::parse(value.as_str().unwrap()).unwrap()
}

#[test]
fn a_scheduled_entry_is_published_within_two_seconds_of_its_time_and_not_before() {
    let home = Home::new();
    let server = home.serve();
    let due = SystemClock.now().plus_millis(2_000);
    home.run_with_input(&["import", "-"], &scheduled(due)).expect_success();
    let key = home.generate_key();
    let published = poll(|| {
        let asked = SystemClock.now();
        let entry = entry(&server, &key);
        if entry["status_code"] == "published" {
            return Some(entry);
        }
        assert_eq!(
            (&entry["status_code"], &entry["published_at"]),
            (&json!("scheduled"), &Value::Null)
        );
        assert!(asked <= due.plus_millis(2_000), "not published two seconds after its time");
        None
    });
    assert!(SystemClock.now() >= due);
    assert!(
        (due..=due.plus_millis(2_000)).contains(&time(&published["published_at"])),
        "{published}"
    );
    assert_eq!(time(&published["scheduled_at"]), due);
}

#[test]
fn what_fell_due_while_nothing_ran_is_published_at_the_start() {
    let home = Home::new();
    let due = SystemClock.now().plus_millis(3_600_000);
    home.run_with_input(&["import", "-"], &scheduled(due)).expect_success();
    let key = home.generate_key();
    // As if two hours went by.
    home.store()
        .batch_execute("UPDATE changelog_entries SET scheduled_at = scheduled_at - 7200000")
        .unwrap();
    let before = SystemClock.now();
    let server = home.serve();
    let listening = SystemClock.now();
    let published =
        poll(|| Some(entry(&server, &key)).filter(|entry| entry["status_code"] == "published"));
    assert!(
        (before..=listening.plus_millis(2_000)).contains(&time(&published["published_at"])),
        "{published}"
    );
    assert_eq!(time(&published["scheduled_at"]), due.plus_millis(-7_200_000));
}
