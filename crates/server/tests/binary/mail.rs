//! `hearback serve`: announced entries are mailed, to each person once or not at all.

use super::mail_server::MailServer;
use super::support::{Home, Server, mode, organization, poll, record};
use diesel::RunQueryDsl;
use diesel::dsl::sql;
use diesel::sql_types::BigInt;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;

fn user(number: usize, more: &Value) -> Value {
    let mut user = json!({"kind": "user", "id": format!("00000000-0000-7000-8000-0000000001{number:02}"),
                          "user_id": format!("00000000-0000-7000-8000-0000000002{number:02}"),
                          "email": format!("user-{number:02}@acme.example"), "name": format!("User {number}"),
                          "is_subscribed": true, "created_at": "2026-01-05T09:00:00.000Z"});
    user.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    user
}

/// Imports an organization `acme` with these users, and answers its key.
fn import(home: &Home, users: impl IntoIterator<Item = Value>) -> String {
    let users: String = users.into_iter().map(|user| record(&user)).collect();
    home.run_with_input(&["import", "-"], &(record(&organization()) + &users)).expect_success();
    home.generate_key()
}

/// Publishes an entry that is announced.
fn publish(server: &Server, key: &str) {
    let (status, _) = server.post(
        "/changelog/create",
        &json!({"api_key": key, "title": "Dark mode", "published": true}),
    );
    assert_eq!(status, 200);
}

/// The number of mails in this state.
fn mails(home: &Home, state: &str) -> i64 {
    let count = sql::<BigInt>(&format!("(SELECT count(*) FROM mails WHERE state = '{state}')"));
    diesel::select(count).get_result(&mut home.store()).unwrap()
}

fn wait_for(condition: impl Fn() -> bool) {
    poll(|| condition().then_some(()));
}

/// The value of a header of a mail.
fn header<'a>(mail: &'a str, name: &str) -> &'a str {
    let (head, _) = mail.split_once("\n\n").unwrap();
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap()
}

#[test]
fn without_a_mail_server_each_subscriber_has_a_file() {
    let home = Home::new();
    let others =
        [json!({"is_subscribed": false}), json!({"is_active": false}), json!({"email": ""})];
    let users = [user(1, &json!({})), user(2, &json!({}))];
    let key = import(
        &home,
        users.into_iter().chain((3..).zip(&others).map(|(number, more)| user(number, more))),
    );
    let server = home.serve();
    let line = server.wait_for_log("writing mails to");
    assert_eq!(line["message"], "writing mails to data/mail, as HEARBACK_SMTP_URL is not set");
    let public_url = format!("http://{}", server.address);
    assert_eq!(line["public_url"], public_url);
    publish(&server, &key);
    wait_for(|| mails(&home, "sent") == 2);

    let names = home.names("data/mail");
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(mode(&home.path("data/mail")), 0o700);
    let mut links = Vec::new();
    for (number, name) in (1..).zip(&names) {
        assert!(
            name.ends_with(&format!(".00000000-0000-7000-8000-0000000002{number:02}.eml")),
            "{name}"
        );
        let path = home.path("data/mail").join(name);
        assert_eq!(mode(&path), 0o600);
        let mail = fs::read_to_string(path).unwrap().replace("\r\n", "\n").replace("\n ", " ");
        assert!(header(&mail, "To").contains(&format!("user-{number:02}@acme.example")), "{mail}");
        assert!(header(&mail, "From").contains("hearback@localhost"), "{mail}");
        assert_eq!(header(&mail, "Subject"), "Acme: Dark mode");
        assert_eq!(header(&mail, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
        let link = header(&mail, "List-Unsubscribe")
            .trim()
            .strip_prefix('<')
            .unwrap()
            .strip_suffix('>')
            .unwrap();
        links.push(link.strip_prefix(&public_url).unwrap().to_owned());
    }

    let body = "List-Unsubscribe=One-Click";
    let answer = server.send(&format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\n\r\n{body}",
        links[0],
        body.len()
    ));
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    publish(&server, &key);
    wait_for(|| mails(&home, "sent") == 3);
    let of_second = |name: &&String| name.ends_with("0202.eml");
    assert_eq!(home.names("data/mail").iter().filter(of_second).count(), 2);
}

/// The mails that a server has on their way at once.
const AT_ONCE: usize = 8;
const USERS: usize = 20;

/// A home with [`USERS`] users and this mail server, and the key.
fn home_with(mail_server: &MailServer) -> (Home, String) {
    let home = Home::new()
        .set("HEARBACK_SMTP_URL", &mail_server.url())
        .set("HEARBACK_MAIL_FROM", "Acme <news@acme.example>")
        .set("HEARBACK_PUBLIC_URL", "https://feedback.example");
    let key = import(&home, (0..USERS).map(|number| user(number, &json!({}))));
    (home, key)
}

fn everybody() -> Vec<String> {
    (0..USERS).map(|number| format!("user-{number:02}@acme.example")).collect()
}

#[test]
fn a_server_that_is_to_stop_sends_the_mails_that_are_on_their_way_and_no_more() {
    let mail_server = MailServer::silent();
    let (home, key) = home_with(&mail_server);
    let server = home.serve();
    publish(&server, &key);
    wait_for(|| mail_server.recipients().len() == AT_ONCE);
    server.signal(Signal::TERM);
    server.wait_for_log("stopping");
    mail_server.answer();
    let (status, _, log) = server.wait();
    assert_eq!(status.code(), Some(0), "{log}");
    assert_eq!(mail_server.recipients().len(), AT_ONCE);
    assert_eq!([mails(&home, "sent"), mails(&home, "pending")], [8, 12]);

    let _server = home.serve();
    wait_for(|| mails(&home, "sent") == 20);
    assert_eq!(mail_server.recipients(), everybody());
}

#[test]
fn a_mail_that_was_not_sent_is_logged_without_its_recipient_its_content_and_any_secret() {
    let home = Home::new()
        .set("HEARBACK_LOG", "trace")
        // Nothing listens there.
        .set("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@127.0.0.1:1?tls=none")
        .set("HEARBACK_MAIL_FROM", "news@acme.example")
        .set("HEARBACK_PUBLIC_URL", "https://feedback.example");
    let key = import(&home, [user(1, &json!({}))]);
    let server = home.serve();
    publish(&server, &key);
    let line = server.wait_for_log("a background step failed");
    assert_eq!((&line["level"], &line["worker"]), (&json!("WARN"), &json!("send mails")));
    let error = line["error"].as_str().unwrap();
    assert!(
        error.starts_with("sending a mail: ")
            && error.ends_with("Connection refused (os error 111)"),
        "{error}"
    );
    wait_for(|| mails(&home, "pending") == 1);
    let (status, _, log) = server.stop(Signal::TERM);
    assert_eq!(status.code(), Some(0));
    for secret in ["s3cr3t", "user-01", "User 1", "Dark mode", "/unsubscribe/"] {
        assert!(
            !log.contains(secret),
            "{}",
            log.lines().find(|line| line.contains(secret)).unwrap()
        );
    }
}
