//! `hearback webhook …`, and the deliveries of `hearback serve`.

use super::receiver::{Received, Receiver};
use super::support::{Done, Home, ORGANIZATION, POST, Server, organization, poll, record};
use diesel::connection::SimpleConnection;
use hearback_domain::Time;
use hearback_ports::Clock;
use hearback_server::SystemClock;
use ring::hmac;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A home with an organization `acme`, a post and a key. Receivers may be on this machine.
struct Acme {
    home: Home,
    key: String,
}

impl Acme {
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(variables: &[(&str, &str)]) -> Self {
        let mut home = Home::new().set("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true");
        for (name, value) in variables {
            home = home.set(name, value);
        }
        let key = home.import_acme();
        Self { home, key }
    }

    /// Runs `hearback webhook COMMAND --organization acme …`.
    fn run(&self, arguments: &[&str]) -> Done {
        webhook(&self.home, arguments)
    }

    /// Adds a subscription, and answers its identifier and its secret.
    fn add(&self, url: &str, more: &[&str]) -> (String, String) {
        let line = self.run(&[&["add", "--url", url], more].concat()).expect_line();
        let (id, secret) = line.split_once('\t').unwrap();
        (id.to_owned(), secret.to_owned())
    }

    /// The lines of `webhook list`, in columns.
    fn list(&self) -> Vec<Vec<String>> {
        table(&self.run(&["list"]).expect_success())
    }

    /// The lines of `webhook deliveries`, in columns.
    fn deliveries(&self, arguments: &[&str]) -> Vec<Vec<String>> {
        table(&self.run(&[&["deliveries"], arguments].concat()).expect_success())
    }

    /// The deliveries, as soon as there are at least `count` and all are in this state.
    fn wait_for(&self, count: usize, state: &str) -> Vec<Vec<String>> {
        poll(|| {
            let deliveries = self.deliveries(&[]);
            let is_so = deliveries.len() >= count
                && deliveries.iter().all(|delivery| delivery[STATE] == state);
            is_so.then_some(deliveries)
        })
    }

    /// Casts or withdraws the vote of the user.
    fn toggle(&self, server: &Server) {
        server.toggle(&self.key);
    }
}

/// The columns of `webhook deliveries`.
const ID: usize = 0;
const SUBSCRIPTION: usize = 1;
const EVENT: usize = 2;
const STATE: usize = 3;
const ATTEMPTS: usize = 4;
const RESPONSE: usize = 5;
const CREATED_AT: usize = 6;
const THEN: usize = 7;

fn webhook(home: &Home, arguments: &[&str]) -> Done {
    home.run(&[&["webhook", arguments[0], "--organization", "acme"], &arguments[1..]].concat())
}

fn table(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// The contract's signature of a request with this secret.
fn signature(secret: &str, received: &Received) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    format!("sha256={}", hex::encode(hmac::sign(&key, received.body.as_bytes())))
}

#[track_caller]
fn assert_is_secret(text: &str) {
    let base64 = text.strip_prefix("whsec_").unwrap();
    assert!(base64.len() == 44 && base64.ends_with('='), "{text}");
}

#[test]
fn an_event_is_sent_to_its_subscriptions_and_signed_with_the_printed_secret() {
    let acme = Acme::new();
    let (all, votes, posts) =
        (Receiver::answering(204), Receiver::answering(200), Receiver::answering(204));
    let server = acme.home.serve();
    let (id, secret) = acme.add(&all.url("/hook?token=t0ken"), &[]);
    let (votes_id, votes_secret) =
        acme.add(&votes.url("/"), &["--event", "vote.created", "--event", "vote.created"]);
    acme.add(&posts.url("/"), &["--event", "post.created", "--event", "vote.deleted"]);
    assert_is_secret(&secret);
    assert_ne!(secret, votes_secret);

    let before = SystemClock.now();
    acme.toggle(&server);
    let received = all.wait_for(1).remove(0);
    assert_eq!(received.line, "POST /hook?token=t0ken HTTP/1.1");
    let header = |name: &str| received.headers[name].as_str();
    assert_eq!(header("content-type"), "application/json");
    assert_eq!((header("x-service-event"), header("x-service-webhook-id")), ("vote.created", &*id));
    assert_eq!(header("x-service-signature"), signature(&secret, &received));
    assert_eq!(header("x-service-attempt"), "1");
    let body: Value = serde_json::from_str(&received.body).unwrap();
    assert_eq!(
        (&body["event"], &body["organization_id"]),
        (&json!("vote.created"), &json!(ORGANIZATION))
    );
    assert_eq!(body["data"]["post_id"], POST);
    assert!(Time::parse(body["occurred_at"].as_str().unwrap()).unwrap() >= before);
    let other = votes.wait_for(1).remove(0);
    assert_eq!(other.headers["x-service-webhook-id"], votes_id);
    assert_eq!(other.headers["x-service-signature"], signature(&votes_secret, &other));

    let deliveries = acme.wait_for(2, "delivered");
    let delivery = deliveries.iter().find(|delivery| delivery[SUBSCRIPTION] == id).unwrap();
    assert_eq!(delivery[ID], header("x-service-delivery-id"));
    assert_eq!(
        (&*delivery[EVENT], &*delivery[ATTEMPTS], &*delivery[RESPONSE]),
        ("vote.created", "1", "204")
    );
    let (created, ended) =
        (Time::parse(&delivery[CREATED_AT]).unwrap(), Time::parse(&delivery[THEN]).unwrap());
    assert!(before <= created && created <= ended && ended <= SystemClock.now(), "{delivery:?}");
    assert!(posts.received().is_empty());
}

#[test]
fn a_subscription_is_listed_from_its_addition_to_its_removal() {
    let acme = Acme::new();
    assert_eq!(acme.run(&["list"]).expect_success(), "");
    let before = SystemClock.now();
    let (first, _) = acme.add("https://acme.example/Hook?a=b", &[]);
    let (second, _) =
        acme.add("http://10.0.0.1:8080", &["--event", "vote.deleted", "--event", "post.created"]);
    let [one, two] = acme.list().try_into().unwrap();
    assert_eq!(one[..4], [&*first, "active", "all", "https://acme.example/Hook?a=b"]);
    assert_eq!(two[..4], [&*second, "active", "post.created,vote.deleted", "http://10.0.0.1:8080"]);
    for line in [&one, &two] {
        assert_eq!(line.len(), 5);
        assert!((before..=SystemClock.now()).contains(&Time::parse(&line[4]).unwrap()), "{line:?}");
    }

    let refused = acme.run(&["remove", "--id", &first]).expect_status(2);
    assert_eq!(
        refused,
        format!(
            "hearback: the webhook subscription {first} and its deliveries would be removed for \
             good: pass --yes to confirm"
        )
    );
    assert_eq!(acme.list().len(), 2);
    assert_eq!(acme.run(&["remove", "--id", &first, "--yes"]).expect_success(), "");
    assert_eq!(acme.list(), [two]);
    let unknown = format!("hearback: the organization has no webhook subscription {first}");
    for command in [
        &["remove", "--id", &first, "--yes"][..],
        &["test", "--id", &first],
        &["rotate-secret", "--id", &first],
        &["activate", "--id", &first],
        &["deactivate", "--id", &first],
        &["deliveries", "--id", &first],
        &["replay", "--id", &first, "--all-failed"],
    ] {
        assert_eq!(acme.run(command).expect_failure(), unknown, "{command:?}");
    }
}

#[test]
fn a_subscription_of_another_organization_is_not_there() {
    let acme = Acme::new();
    let (id, _) = acme.add("https://acme.example/", &[]);
    acme.home
        .run(&["organization", "create", "--slug", "other", "--name", "Other"])
        .expect_success();
    let run = |arguments: &[&str]| acme.home.run(&[&["webhook"], arguments].concat());
    assert_eq!(run(&["list", "--organization", "other"]).expect_success(), "");
    let removed = run(&["remove", "--organization", "other", "--id", &id, "--yes"]);
    assert_eq!(
        removed.expect_failure(),
        format!("hearback: the organization has no webhook subscription {id}")
    );
    assert_eq!(acme.list().len(), 1);
    assert_eq!(
        run(&["list", "--organization", "nobody"]).expect_failure(),
        "hearback: no organization has the slug nobody"
    );
}

#[test]
fn a_url_that_may_not_be_sent_to_is_refused_and_not_quoted() {
    let home = Home::new().set("HEARBACK_WEBHOOK_ALLOWED_PORTS", "443,8443");
    let private = "refused unless HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS is true";
    for (url, told) in [
        ("http://acme.example/t0ken", private),
        ("https://127.0.0.1/t0ken", private),
        ("https://[::1]/t0ken", private),
        ("https://2130706433/t0ken", private),
        ("https://169.254.169.254/t0ken", private),
        ("https://acme.example:444/t0ken", "refused by HEARBACK_WEBHOOK_ALLOWED_PORTS"),
        ("https://me:t0ken@acme.example/", "invalid"),
        ("ftp://acme.example/t0ken", "invalid"),
        ("t0ken", "invalid"),
        ("", "invalid"),
    ] {
        let done = webhook(&home, &["add", "--url", url]);
        assert!(!done.stderr.contains("t0ken"), "{}", done.stderr);
        let error = done.expect_status(2);
        assert!(error.starts_with(&format!("hearback: --url is {told}: ")), "{url}: {error}");
    }
    assert!(!home.path("data").exists());
}

#[test]
fn a_test_is_signed_as_any_delivery_and_shows_the_answer() {
    let acme = Acme::new();
    let receiver = Receiver::answering(200);
    receiver.answer(202, b"{\"took\":\"it\"}\n");
    let (id, secret) = acme.add(&receiver.url("/"), &["--event", "post.created"]);
    // An inactive subscription can be tested.
    acme.run(&["deactivate", "--id", &id]).expect_success();

    let line = acme.run(&["test", "--id", &id]).expect_line();
    let [delivery, status, took, answer] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((status, answer), ("202", r#"{"took":"it"}\n"#));
    assert!(took.strip_suffix(" ms").unwrap().parse::<u32>().is_ok(), "{took}");
    let ping = receiver.wait_for(1).remove(0);
    assert_eq!(
        (&*ping.headers["x-service-event"], &*ping.headers["x-service-delivery-id"]),
        ("ping", delivery)
    );
    assert_eq!(ping.headers["x-service-signature"], signature(&secret, &ping));
    assert_eq!(
        serde_json::from_str::<Value>(&ping.body).unwrap()["data"],
        json!({"subscription_id": id})
    );

    acme.run(&["test", "--id", &id, "--event", "vote.deleted"]).expect_line();
    let example = receiver.wait_for(2).remove(1);
    assert_eq!(example.headers["x-service-event"], "vote.deleted");
    assert_eq!(serde_json::from_str::<Value>(&example.body).unwrap()["event"], "vote.deleted");
    assert_eq!(acme.run(&["deliveries"]).expect_success(), "", "it is kept nowhere");
}

#[test]
fn a_refused_test_fails_and_its_answer_is_printed_without_control_characters() {
    let acme = Acme::new();
    let receiver = Receiver::answering(500);
    receiver.answer(500, b"\x1b]0;mine\x07\r\n\xff");
    let (id, _) = acme.add(&receiver.url("/"), &[]);
    let told = |done: Done, response: &str, answer: &str| {
        assert_eq!(
            (done.status, &*done.stderr),
            (Some(1), "hearback: the answer of the receiver is not a 2xx\n"),
            "{done:?}"
        );
        let line = done.stdout.strip_suffix('\n').unwrap();
        let columns: Vec<&str> = line.split('\t').collect();
        assert_eq!((columns.len(), columns[1], columns[3]), (4, response, answer), "{line}");
    };
    told(acme.run(&["test", "--id", &id]), "500", r"\u{1b}]0;mine\u{7}\r\n\xff");
    // Nothing listens there.
    let (id, _) = acme.add("http://127.0.0.1:1/", &[]);
    told(acme.run(&["test", "--id", &id]), "connect", "");

    // The setting counts for an earlier subscription, too.
    let (id, _) = acme.add(&receiver.url("/"), &[]);
    let home = acme.home.set("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "false");
    told(webhook(&home, &["test", "--id", &id]), "address", "");
    assert_eq!(receiver.received().len(), 1);
}

#[test]
fn a_new_secret_signs_at_once_and_the_old_one_beside_it() {
    let acme = Acme::new();
    let receiver = Receiver::answering(204);
    let (id, old) = acme.add(&receiver.url("/"), &[]);
    let server = acme.home.serve();
    let new = acme.run(&["rotate-secret", "--id", &id]).expect_line();
    assert_is_secret(&new);
    assert_ne!(new, old);
    acme.toggle(&server);
    let received = receiver.wait_for(1).remove(0);
    assert_eq!(received.headers["x-service-signature"], signature(&new, &received));
    assert_eq!(received.headers["webhook-signature"].split(' ').count(), 2);
}

#[test]
fn a_subscription_that_was_imported_without_its_secret_awaits_rotation() {
    let home = Home::new().set("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true");
    let (receiver, id) = (Receiver::answering(204), "00000000-0000-7000-8000-000000000060");
    let subscription = json!({"kind": "webhook_subscription", "id": id, "url": receiver.url("/"),
                              "created_at": "2026-01-05T09:00:00.000Z"});
    home.run_with_input(&["import", "-"], &(record(&organization()) + &record(&subscription)))
        .expect_success();
    let state = || table(&webhook(&home, &["list"]).expect_success())[0][1].clone();
    assert_eq!(state(), "awaits rotation");
    for command in ["test", "activate"] {
        assert_eq!(
            webhook(&home, &[command, "--id", id]).expect_failure(),
            format!(
                "hearback: the webhook subscription {id} was imported without its signing secret: \
                 rotate it first"
            )
        );
    }
    let secret = webhook(&home, &["rotate-secret", "--id", id]).expect_line();
    assert_eq!(state(), "active");
    webhook(&home, &["test", "--id", id]).expect_line();
    let received = receiver.wait_for(1).remove(0);
    assert_eq!(received.headers["x-service-signature"], signature(&secret, &received));
    assert_eq!(received.headers["webhook-signature"].split(' ').count(), 1);
}

#[test]
fn a_failed_delivery_is_retried_by_the_schedule_and_can_be_replayed() {
    let acme = Acme::with(&[("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1s")]);
    let receiver = Receiver::answering(500);
    receiver.answer(500, b"not\ttoday");
    let (id, _) = acme.add(&receiver.url("/"), &[]);
    let server = acme.home.serve();
    acme.toggle(&server);
    acme.toggle(&server);
    let failed = acme.wait_for(2, "failed");
    // Newest first.
    assert_eq!([&*failed[0][EVENT], &*failed[1][EVENT]], ["vote.deleted", "vote.created"]);
    assert!(
        failed.iter().all(|delivery| delivery[ATTEMPTS] == "2" && delivery[RESPONSE] == "500"),
        "{failed:?}"
    );
    assert_eq!(receiver.received().len(), 4);
    let listed = acme.list();
    assert!(
        listed[0][1].starts_with("failing since ") && listed[0][1].ends_with(" (4 failures)"),
        "{listed:?}"
    );

    let with_attempts = acme.deliveries(&["--attempts", "--limit", "1"]);
    assert_eq!(with_attempts[0], failed[0]);
    for (number, attempt) in (1..).zip(&with_attempts[1..]) {
        let [indent, of, started, response, took, answer] =
            <[String; 6]>::try_from(attempt.clone()).unwrap();
        assert_eq!(
            (&*indent, of, &*response, &*answer),
            ("", number.to_string(), "500", r"not\ttoday")
        );
        assert!(Time::parse(&started).is_ok() && took.ends_with(" ms"), "{attempt:?}");
    }
    assert_eq!(with_attempts.len(), 3);

    // One by its identifier, then what is left.
    receiver.answer(200, b"");
    let (deleted, created) = (&*failed[0][ID], &*failed[1][ID]);
    assert_eq!(acme.run(&["replay", deleted]).expect_line(), "1");
    poll(|| (acme.deliveries(&["--state", "delivered"]).len() == 1).then_some(()));
    assert_eq!(acme.run(&["replay", "--all-failed", "--event", "vote.deleted"]).expect_line(), "0");
    assert_eq!(
        acme.run(&["replay", "--all-failed", "--until", &failed[1][CREATED_AT]]).expect_line(),
        "0"
    );
    assert_eq!(
        acme.run(&["replay", "--id", &id, "--all-failed", "--since", "2026-01-01"]).expect_line(),
        "1"
    );
    let delivered = acme.wait_for(2, "delivered");
    assert!(
        delivered.iter().all(|delivery| delivery[ATTEMPTS] == "3" && delivery[RESPONSE] == "200"),
        "{delivered:?}"
    );
    assert_eq!(
        acme.run(&["replay", created]).expect_failure(),
        format!("hearback: the organization has no failed delivery {created}")
    );

    let received = receiver.received();
    assert_eq!(received.len(), 6);
    for id in [deleted, created] {
        let attempts: Vec<&Received> = received
            .iter()
            .filter(|received| received.headers["x-service-delivery-id"] == id)
            .collect();
        let numbers: Vec<&str> =
            attempts.iter().map(|attempt| &*attempt.headers["x-service-attempt"]).collect();
        assert_eq!(numbers, ["1", "2", "3"]);
        assert!(attempts.iter().all(|attempt| attempt.body == attempts[0].body));
    }
    assert_eq!(acme.list()[0][1], "active");
}

#[test]
fn deliveries_are_chosen_by_subscription_state_event_and_time() {
    let acme = Acme::with(&[("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1h")]);
    let (taking, refusing) = (Receiver::answering(204), Receiver::answering(404));
    let (taken, _) = acme.add(&taking.url("/"), &[]);
    let (refused, _) = acme.add(&refusing.url("/"), &[]);
    let server = acme.home.serve();
    acme.toggle(&server);
    let one = poll(|| {
        Some(acme.deliveries(&[]))
            .filter(|all| all.iter().all(|one| one[ATTEMPTS] == "1") && !all.is_empty())
    });
    acme.toggle(&server);
    poll(|| acme.deliveries(&[]).iter().all(|delivery| delivery[ATTEMPTS] == "1").then_some(()));
    assert_eq!((one.len(), acme.deliveries(&[]).len()), (2, 4));
    let later = Time::parse(&one[0][CREATED_AT]).unwrap().plus_millis(1).to_string();
    for (arguments, expected) in [
        (&["--limit", "3"][..], 3),
        (&["--id", &taken], 2),
        (&["--id", &refused], 2),
        (&["--state", "delivered"], 2),
        (&["--state", "pending"], 2),
        (&["--state", "failed"], 0),
        (&["--event", "vote.created"], 2),
        (&["--event", "post.created"], 0),
        (&["--since", &later], 2),
        (&["--until", &later], 2),
        (&["--until", "2026-01-01"], 0),
        (
            &["--id", &taken, "--state", "delivered", "--event", "vote.deleted", "--since", &later],
            1,
        ),
    ] {
        assert_eq!(acme.deliveries(arguments).len(), expected, "{arguments:?}");
    }
    for delivery in acme.deliveries(&["--state", "pending"]) {
        assert_eq!((&*delivery[SUBSCRIPTION], &*delivery[RESPONSE]), (&*refused, "404"));
        let next = Time::parse(&delivery[THEN]).unwrap();
        assert!(
            next >= Time::parse(&delivery[CREATED_AT]).unwrap().plus_millis(3_600_000),
            "{delivery:?}"
        );
    }
}

#[test]
fn the_deliveries_of_a_deactivated_subscription_are_sent_when_it_is_activated() {
    let acme = Acme::new();
    let receiver = Receiver::answering(410);
    let (id, _) = acme.add(&receiver.url("/hook?token=t0ken"), &[]);
    let server = acme.home.serve();
    acme.toggle(&server);
    let line = server.wait_for_log("deactivated a webhook subscription");
    assert_eq!(
        (&line["level"], &line["reason"]),
        (&json!("ERROR"), &json!("the receiver answered 410 Gone"))
    );
    assert_eq!((&line["organization"], &line["subscription"]), (&json!(ORGANIZATION), &json!(id)));
    assert!(!line.to_string().contains("t0ken"), "{line}");
    let listed = acme.list();
    assert!(listed[0][1].starts_with("inactive since "), "{listed:?}");
    acme.toggle(&server);
    let pending = acme.deliveries(&["--state", "pending"]);
    assert_eq!((pending.len(), acme.deliveries(&[]).len()), (1, 1), "nothing new is sent to it");

    receiver.answer(204, b"");
    assert_eq!(acme.run(&["activate", "--id", &id]).expect_success(), "");
    assert_eq!(acme.list()[0][1], "active");
    let delivered = acme.wait_for(1, "delivered");
    assert_eq!((delivered.len(), &delivered[0][ID]), (1, &pending[0][ID]));

    assert_eq!(acme.run(&["deactivate", "--id", &id]).expect_success(), "");
    assert!(acme.list()[0][1].starts_with("inactive since "));
    acme.toggle(&server);
    assert_eq!(acme.deliveries(&[]).len(), 1);
}

#[test]
fn a_replay_to_a_subscription_that_is_not_active_is_refused() {
    let acme = Acme::with(&[("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1s")]);
    let (id, _) = acme.add("http://127.0.0.1:1/", &[]);
    let server = acme.home.serve();
    acme.toggle(&server);
    let failed = acme.wait_for(1, "failed");
    assert_eq!(failed[0][RESPONSE], "connect");
    acme.run(&["deactivate", "--id", &id]).expect_success();
    let refused =
        format!("hearback: the webhook subscription {id} is not active: activate it first");
    assert_eq!(acme.run(&["replay", &failed[0][ID]]).expect_failure(), refused);
    assert_eq!(acme.run(&["replay", "--all-failed", "--id", &id]).expect_failure(), refused);
    assert_eq!(acme.run(&["replay", "--all-failed"]).expect_line(), "0");
    assert_eq!(acme.deliveries(&["--state", "failed"]), failed);
}

#[test]
fn a_stopping_server_waits_for_the_answers_to_its_deliveries() {
    let acme = Acme::new();
    let receiver = Receiver::silent();
    acme.add(&receiver.url("/"), &[]);
    let server = acme.home.serve();
    acme.toggle(&server);
    receiver.wait_for(1);
    server.signal(Signal::TERM);
    server.wait_for_log("stopping");
    receiver.answer(204, b"");
    let (status, _, log) = server.wait();
    assert_eq!(status.code(), Some(0), "{log}");
    let delivery = acme.deliveries(&[]).remove(0);
    assert_eq!((&*delivery[STATE], &*delivery[ATTEMPTS]), ("delivered", "1"));
}

#[test]
fn deliveries_that_hang_do_not_hold_up_the_end_and_are_sent_again_after_it() {
    let acme = Acme::new();
    let receiver = Receiver::silent();
    // A receiver that has not answered yet gets one delivery at a time.
    let (id, _) = acme.add(&receiver.url("/"), &[]);
    let server = acme.home.serve();
    for _ in 0..6 {
        acme.toggle(&server);
    }
    receiver.wait_for(1);
    let began = Instant::now();
    let (status, _, log) = server.stop(Signal::INT);
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert!(log.contains("stopped while deliveries were being sent"), "{log}");
    assert_eq!(receiver.received().len(), 1, "no more of them are begun");
    let pending = acme.deliveries(&["--state", "pending", "--id", &id]);
    assert_eq!(pending.len(), 6);
    assert!(
        pending.iter().all(|delivery| delivery[ATTEMPTS] == "0" && delivery[RESPONSE] == "-"),
        "{pending:?}"
    );

    receiver.answer(204, b"");
    // As if the leases had run out.
    acme.home
        .store()
        .batch_execute("UPDATE deliveries SET leased_until = 0 WHERE leased_until IS NOT NULL")
        .unwrap();
    let _server = acme.home.serve();
    acme.wait_for(6, "delivered");
    let received = receiver.received();
    assert_eq!(received.len(), 7);
    // A receiver recognizes a repeat by its identifier. The rest is the same, too.
    let first = |again: &Received| {
        let id = &again.headers["x-service-delivery-id"];
        received[..1]
            .iter()
            .find(|received| received.headers["x-service-delivery-id"] == *id)
            .cloned()
    };
    let repeats: Vec<(&Received, Received)> =
        received[1..].iter().filter_map(|again| Some((again, first(again)?))).collect();
    assert_eq!(repeats.len(), 1);
    for (again, first) in repeats {
        assert_eq!(again.body, first.body);
        assert_eq!(again.headers["x-service-attempt"], "1");
    }
}

#[test]
fn no_secret_and_no_url_is_logged_at_any_level() {
    let acme = Acme::with(&[("HEARBACK_LOG", "trace"), ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1s")]);
    let receiver = Receiver::answering(500);
    let mut logged = String::new();
    let mut run = |arguments: &[&str]| {
        let done = acme.run(arguments);
        logged.push_str(&done.stderr);
        done.stdout
    };
    let added = run(&["add", "--url", &receiver.url("/hook?token=t0ken")]);
    let (id, secret) = added.trim_end().split_once('\t').unwrap();
    let mut shown = run(&["test", "--id", id]);
    let new = run(&["rotate-secret", "--id", id]);
    run(&["list"]);
    run(&["deactivate", "--id", id]);
    run(&["activate", "--id", id]);

    let server = acme.home.serve();
    acme.toggle(&server);
    poll(|| (acme.deliveries(&["--state", "failed"]).len() == 1).then_some(()));
    shown.push_str(&run(&["deliveries", "--attempts"]));
    run(&["replay", "--all-failed"]);
    receiver.wait_for(4);
    receiver.answer(410, b"");
    server.wait_for_log("deactivated a webhook subscription");
    let (status, printed, log) = server.stop(Signal::TERM);
    assert_eq!(status.code(), Some(0));
    shown.push_str(&printed);
    shown.push_str(&run(&["remove", "--id", id, "--yes"]));
    logged.push_str(&log);
    assert!(logged.contains("/votes/toggle"), "something is logged");
    for secret in [secret, new.trim_end(), "whsec_", "t0ken"] {
        for text in [&logged, &shown] {
            assert!(
                !text.contains(secret),
                "{}",
                text.lines().find(|line| line.contains(secret)).unwrap()
            );
        }
    }
    assert!(acme.list().is_empty());
}
