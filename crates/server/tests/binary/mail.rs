//! `hearback serve`: announced entries are mailed, to each person once or not at all.

use super::mail_server::MailServer;
use super::support::{Home, Server, USER, assert_hides, mode, organization, poll, record};
use diesel::RunQueryDsl;
use diesel::dsl::sql;
use diesel::sql_types::BigInt;
use rustix::process::Signal;
use serde_json::json;
use std::fs;

/// Publishes an entry that is announced.
fn publish(server: &Server, key: &str) {
    let entry = json!({"api_key": key, "title": "Dark mode", "published": true});
    assert_eq!(server.post("/changelog/create", &entry).0, 200);
}

/// The number of mails in this state.
fn mails(home: &Home, state: &str) -> i64 {
    let count = sql::<BigInt>(&format!("(SELECT count(*) FROM mails WHERE state = '{state}')"));
    diesel::select(count).get_result(&mut home.store()).unwrap()
}

fn wait_for(condition: impl Fn() -> bool) {
    poll(|| condition().then_some(()));
}

#[test]
fn without_a_mail_server_a_mail_is_a_file_with_links_to_the_server() {
    let home = Home::new();
    let key = home.import_acme();
    let server = home.serve();
    let line = server.wait_for_log("writing mails to");
    assert_eq!(line["message"], "writing mails to data/mail, as HEARBACK_SMTP_URL is not set");
    assert_eq!(line["public_url"], format!("http://{}", server.address));
    publish(&server, &key);
    wait_for(|| mails(&home, "sent") == 1);

    let [name] = <[String; 1]>::try_from(home.names("data/mail")).unwrap();
    assert!(name.ends_with(&format!(".{USER}.eml")), "{name}");
    let path = home.path("data/mail").join(name);
    assert_eq!((mode(&home.path("data/mail")), mode(&path)), (0o700, 0o600));
    let mail = fs::read_to_string(path).unwrap().replace("\r\n ", "");
    for text in ["hearback@localhost", &format!("<http://{}/o/acme/unsubscribe/", server.address)] {
        assert!(mail.contains(text), "{text}: {mail}");
    }
}

#[test]
fn a_server_that_is_to_stop_sends_the_mails_that_are_on_their_way_and_no_more() {
    // A server has 8 mails on their way at once.
    const AT_ONCE: usize = 8;
    const USERS: usize = 20;
    let mail_server = MailServer::silent();
    let home = Home::new()
        .set("HEARBACK_SMTP_URL", &mail_server.url())
        .set("HEARBACK_MAIL_FROM", "Acme <news@acme.example>")
        .set("HEARBACK_PUBLIC_URL", "https://feedback.example");
    let address = |number: usize| format!("user-{number:02}@acme.example");
    let user = |number: usize| {
        record(&json!({
            "kind": "user", "id": format!("00000000-0000-7000-8000-0000000001{number:02}"),
            "user_id": format!("00000000-0000-7000-8000-0000000002{number:02}"),
            "email": address(number), "name": format!("User {number}"), "is_subscribed": true,
            "created_at": "2026-01-05T09:00:00.000Z",
        }))
    };
    home.import(&(record(&organization()) + &(0..USERS).map(user).collect::<String>()));
    let key = home.generate_key();
    let server = home.serve();
    publish(&server, &key);
    wait_for(|| mail_server.recipients().len() == AT_ONCE);
    server.signal(Signal::TERM);
    server.wait_for_log("stopping");
    mail_server.answer();
    server.end();
    assert_eq!(mail_server.recipients().len(), AT_ONCE);
    assert_eq!([mails(&home, "sent"), mails(&home, "pending")], [8, 12]);

    let _server = home.serve();
    wait_for(|| mails(&home, "sent") == 20);
    assert_eq!(mail_server.recipients(), (0..USERS).map(address).collect::<Vec<_>>());
}

#[test]
fn a_mail_that_was_not_sent_is_logged_without_its_recipient_its_content_and_any_secret() {
    let home = Home::new()
        .set("HEARBACK_LOG", "trace")
        // No server listens there.
        .set("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@127.0.0.1:1?tls=none")
        .set("HEARBACK_MAIL_FROM", "news@acme.example")
        .set("HEARBACK_PUBLIC_URL", "https://feedback.example");
    let key = home.import_acme();
    let server = home.serve();
    publish(&server, &key);
    let line = server.wait_for_log("a background step failed");
    assert_eq!((&line["level"], &line["worker"]), (&json!("WARN"), &json!("send mails")));
    let error = line["error"].as_str().unwrap();
    assert!(error.starts_with("sending a mail: "), "{error}");
    assert!(error.ends_with("Connection refused (os error 111)"), "{error}");
    wait_for(|| mails(&home, "pending") == 1);
    let secrets = ["s3cr3t", "ann@acme.example", "Ann ", "Dark mode", "/unsubscribe/"];
    assert_hides(&server.stop(), &secrets);
}
