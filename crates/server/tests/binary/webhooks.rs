//! `hearback webhook …`, and the deliveries of `hearback serve`.

use super::receiver::{Received, Receiver};
use super::support::{Done, Home, ORGANIZATION, assert_hides, organization, poll, record};
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
        Self::of(Home::receiving_nearby())
    }

    /// With this pause before the only retry.
    fn retrying_after(pause: &str) -> Self {
        Self::of(Home::receiving_nearby().set("HEARBACK_WEBHOOK_RETRY_SCHEDULE", pause))
    }

    fn of(home: Home) -> Self {
        let key = home.import_acme();
        Self { home, key }
    }

    fn run(&self, line: &str) -> Done {
        webhook(&self.home, line)
    }

    /// The lines of `webhook list`, in columns.
    fn list(&self) -> Vec<Vec<String>> {
        table(&self.run("list").expect_success())
    }

    /// The lines of `webhook deliveries`, in columns.
    fn deliveries(&self, options: &str) -> Vec<Vec<String>> {
        table(&self.run(&format!("deliveries{options}")).expect_success())
    }

    /// The deliveries, as soon as there are `count` in this state, and no others.
    fn wait_for(&self, count: usize, state: &str) -> Vec<Vec<String>> {
        poll(|| {
            let deliveries = self.deliveries("");
            let of_state = deliveries.iter().filter(|delivery| delivery[STATE] == state).count();
            (of_state == count && deliveries.len() == count).then_some(deliveries)
        })
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

/// Runs `hearback webhook LINE --organization acme`.
fn webhook(home: &Home, line: &str) -> Done {
    home.run(&format!("webhook {line} --organization acme"))
}

fn table(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Expects that a request has the contract's signature with this secret.
#[track_caller]
fn assert_signed(received: &Received, secret: &str) {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signature = hex::encode(hmac::sign(&key, received.body.as_bytes()));
    assert_eq!(received.headers["x-service-signature"], format!("sha256={signature}"));
}

#[track_caller]
fn assert_is_secret(text: &str) {
    let base64 = text.strip_prefix("whsec_").unwrap();
    assert!(base64.len() == 44 && base64.ends_with('='), "{text}");
}

#[test]
fn an_event_is_sent_to_its_subscriptions_and_signed_with_the_printed_secret() {
    let acme = Acme::new();
    let [all, votes, posts] = [204, 200, 204].map(Receiver::answering);
    let server = acme.home.serve();
    let (id, secret) = acme.home.subscribe(&all.url("/hook?token=t0ken"));
    let of_votes = format!("{} --event vote.created --event vote.created", votes.url("/"));
    let (votes_id, votes_secret) = acme.home.subscribe(&of_votes);
    acme.home.subscribe(&format!("{} --event post.created --event vote.deleted", posts.url("/")));
    assert_is_secret(&secret);
    assert_ne!(secret, votes_secret);

    let before = SystemClock.now();
    server.toggle(&acme.key);
    let received = all.wait_for(1).remove(0);
    assert_eq!(received.line, "POST /hook?token=t0ken HTTP/1.1");
    assert_eq!(received.headers["x-service-webhook-id"], id);
    assert_signed(&received, &secret);
    let other = votes.wait_for(1).remove(0);
    assert_eq!(other.headers["x-service-webhook-id"], votes_id);
    assert_signed(&other, &votes_secret);

    let deliveries = acme.wait_for(2, "delivered");
    let delivery = deliveries.iter().find(|delivery| delivery[SUBSCRIPTION] == id).unwrap();
    assert_eq!(delivery[ID], received.headers["x-service-delivery-id"]);
    assert_eq!(
        [&delivery[EVENT], &delivery[ATTEMPTS], &delivery[RESPONSE]],
        ["vote.created", "1", "204"]
    );
    let (created, ended) =
        (Time::parse(&delivery[CREATED_AT]).unwrap(), Time::parse(&delivery[THEN]).unwrap());
    assert!(before <= created && created <= ended && ended <= SystemClock.now(), "{delivery:?}");
    assert!(posts.received().is_empty());
}

#[test]
fn a_subscription_is_listed_from_its_addition_to_its_removal() {
    let acme = Acme::new();
    assert_eq!(acme.run("list").expect_success(), "");
    let before = SystemClock.now();
    let (first, _) = acme.home.subscribe("https://acme.example/Hook?a=b");
    let (second, _) =
        acme.home.subscribe("http://10.0.0.1:8080 --event vote.deleted --event post.created");
    let [one, two] = acme.list().try_into().unwrap();
    assert_eq!(one[..4], [&*first, "active", "all", "https://acme.example/Hook?a=b"]);
    assert_eq!(two[..4], [&*second, "active", "post.created,vote.deleted", "http://10.0.0.1:8080"]);
    for line in [&one, &two] {
        assert_eq!(line.len(), 5);
        assert!((before..=SystemClock.now()).contains(&Time::parse(&line[4]).unwrap()), "{line:?}");
    }

    acme.run(&format!("remove --id {first}")).refuses(&format!(
        "the webhook subscription {first} and its deliveries would be removed for good: pass \
         --yes to confirm"
    ));
    assert_eq!(acme.list().len(), 2);
    let remove = format!("remove --id {first} --yes");
    assert_eq!(acme.run(&remove).expect_success(), "");
    assert_eq!(acme.list(), [two]);
    acme.run(&remove).fails(&format!("the organization has no webhook subscription {first}"));
}

#[test]
fn a_url_that_may_not_be_sent_to_is_refused_and_not_quoted() {
    let home = Home::new().set("HEARBACK_WEBHOOK_ALLOWED_PORTS", "443,8443");
    let private = "refused unless HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS is true";
    for (url, told) in [
        ("http://acme.example/t0ken", private),
        ("https://127.0.0.1/t0ken", private),
        ("https://acme.example:444/t0ken", "refused by HEARBACK_WEBHOOK_ALLOWED_PORTS"),
        ("https://me:t0ken@acme.example/", "invalid"),
        ("t0ken", "invalid"),
        ("", "invalid"),
    ] {
        let done = webhook(&home, &format!("add --url={url}"));
        assert_hides(&done.stderr, &["t0ken"]);
        done.refuses(&format!("--url is {told}: …"));
    }
    assert!(!home.path("data").exists());
}

#[test]
fn a_test_is_signed_as_any_delivery_and_shows_the_answer() {
    let acme = Acme::new();
    let receiver = Receiver::answering(200);
    receiver.answer(202, b"{\"took\":\"it\"}\n");
    let (id, secret) = acme.home.subscribe(&format!("{} --event post.created", receiver.url("/")));
    // An inactive subscription can be tested.
    acme.run(&format!("deactivate --id {id}")).expect_success();

    let line = acme.run(&format!("test --id {id}")).expect_line();
    let [delivery, status, took, answer] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((status, answer), ("202", r#"{"took":"it"}\n"#));
    assert!(took.strip_suffix(" ms").unwrap().parse::<u32>().is_ok(), "{took}");
    let test = receiver.wait_for(1).remove(0);
    assert_eq!(test.headers["x-service-event"], "webhook.test");
    assert_eq!(test.headers["x-service-delivery-id"], delivery);
    assert_signed(&test, &secret);
    let body: Value = serde_json::from_str(&test.body).unwrap();
    assert_eq!(body["data"], json!({"subscription_id": id}));

    acme.run(&format!("test --id {id} --event vote.deleted")).expect_line();
    assert_eq!(receiver.wait_for(2)[1].headers["x-service-event"], "vote.deleted");
    assert_eq!(acme.run("deliveries").expect_success(), "", "it is kept nowhere");
}

#[test]
fn a_refused_test_fails_and_its_answer_is_printed_without_control_characters() {
    let acme = Acme::new();
    let receiver = Receiver::answering(500);
    receiver.answer(500, b"\x1b]0;mine\x07\r\n\xff");
    let (id, _) = acme.home.subscribe(&receiver.url("/"));
    // No server listens there.
    let (closed, _) = acme.home.subscribe("http://127.0.0.1:1/");
    let told = |home: &Home, id: &str, response: &str, answer: &str| {
        let done = webhook(home, &format!("test --id {id}"));
        let expected = (Some(1), "hearback: the answer of the receiver is not a 2xx\n");
        assert_eq!((done.status, &*done.stderr), expected, "{done:?}");
        let columns = table(&done.stdout).remove(0);
        assert_eq!([&columns[1], &columns[3]], [response, answer]);
        assert_eq!((columns.len(), done.stdout.lines().count()), (4, 1));
    };
    told(&acme.home, &id, "500", r"\u{1b}]0;mine\u{7}\r\n\xff");
    told(&acme.home, &closed, "connect", "");
    // The setting counts for an earlier subscription, too.
    told(&acme.home.set("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "false"), &id, "address", "");
    assert_eq!(receiver.received().len(), 1);
}

#[test]
fn a_new_secret_signs_at_once_and_the_old_one_beside_it() {
    let acme = Acme::new();
    let receiver = Receiver::answering(204);
    let (id, old) = acme.home.subscribe(&receiver.url("/"));
    let server = acme.home.serve();
    let new = acme.run(&format!("rotate-secret --id {id}")).expect_line();
    assert_is_secret(&new);
    assert_ne!(new, old);
    server.toggle(&acme.key);
    let received = receiver.wait_for(1).remove(0);
    assert_signed(&received, &new);
    assert_eq!(received.headers["webhook-signature"].split(' ').count(), 2);
}

#[test]
fn a_subscription_that_was_imported_without_its_secret_awaits_rotation() {
    let home = Home::receiving_nearby();
    let (receiver, id) = (Receiver::answering(204), "00000000-0000-7000-8000-000000000060");
    let subscription = json!({"kind": "webhook_subscription", "id": id, "url": receiver.url("/"),
                              "created_at": "2026-01-05T09:00:00.000Z"});
    home.import(&(record(&organization()) + &record(&subscription)));
    let state = || table(&webhook(&home, "list").expect_success())[0][1].clone();
    assert_eq!(state(), "awaits rotation");
    for command in ["test", "activate"] {
        webhook(&home, &format!("{command} --id {id}")).fails(&format!(
            "the webhook subscription {id} was imported without its signing secret: rotate it first"
        ));
    }
    let secret = webhook(&home, &format!("rotate-secret --id {id}")).expect_line();
    assert_eq!(state(), "active");
    webhook(&home, &format!("test --id {id}")).expect_line();
    let received = receiver.wait_for(1).remove(0);
    assert_signed(&received, &secret);
    assert_eq!(received.headers["webhook-signature"].split(' ').count(), 1);
}

#[test]
fn a_failed_delivery_is_retried_by_the_schedule_and_can_be_replayed() {
    let acme = Acme::retrying_after("1s");
    let receiver = Receiver::answering(500);
    receiver.answer(500, b"not\ttoday");
    let (id, _) = acme.home.subscribe(&receiver.url("/"));
    let server = acme.home.serve();
    server.toggle(&acme.key);
    server.toggle(&acme.key);
    let failed = acme.wait_for(2, "failed");
    // Newest first.
    assert_eq!([&failed[0][EVENT], &failed[1][EVENT]], ["vote.deleted", "vote.created"]);
    for delivery in &failed {
        assert_eq!([&delivery[ATTEMPTS], &delivery[RESPONSE]], ["2", "500"], "{delivery:?}");
    }
    assert_eq!(receiver.received().len(), 4);
    let state = &acme.list()[0][1];
    assert!(state.starts_with("failing since ") && state.ends_with(" (4 failures)"), "{state}");

    let with_attempts = acme.deliveries(" --attempts --limit 1");
    assert_eq!((with_attempts.len(), &with_attempts[0]), (3, &failed[0]));
    for (attempt, number) in with_attempts[1..].iter().zip(["1", "2"]) {
        let [indent, of, started, response, took, answer] = &attempt[..] else {
            panic!("{attempt:?}")
        };
        assert_eq!([indent, of, response, answer], ["", number, "500", r"not\ttoday"]);
        assert!(Time::parse(started).is_ok() && took.ends_with(" ms"), "{attempt:?}");
    }

    let (deleted, created) = (&*failed[0][ID], &*failed[1][ID]);
    let replay = |options: &str| acme.run(&format!("replay {options}"));
    acme.run(&format!("deactivate --id {id}")).expect_success();
    assert_eq!(replay("--all-failed").expect_line(), "0");
    assert_eq!(acme.deliveries(" --state failed"), failed);

    // One by its identifier, which waits for the activation, then the other one.
    receiver.answer(200, b"");
    assert_eq!(replay(deleted).expect_line(), "1");
    assert_eq!(acme.deliveries(" --state pending").len(), 1);
    acme.run(&format!("activate --id {id}")).expect_success();
    poll(|| (acme.deliveries(" --state delivered").len() == 1).then_some(()));
    for (options, replayed) in [
        ("--event vote.deleted", "0"),
        (&*format!("--until {}", failed[1][CREATED_AT]), "0"),
        (&format!("--id {id} --since 2026-01-01"), "1"),
    ] {
        assert_eq!(replay(&format!("--all-failed {options}")).expect_line(), replayed, "{options}");
    }
    for delivery in acme.wait_for(2, "delivered") {
        assert_eq!([&delivery[ATTEMPTS], &delivery[RESPONSE]], ["3", "200"], "{delivery:?}");
    }
    replay(created).fails(&format!("the organization has no failed delivery {created}"));
    assert_eq!(receiver.received().len(), 6);
    assert_eq!(acme.list()[0][1], "active");
}

#[test]
fn deliveries_are_chosen_by_subscription_state_event_and_time() {
    let acme = Acme::retrying_after("1h");
    let (taking, refusing) = (Receiver::answering(204), Receiver::answering(404));
    let (taken, _) = acme.home.subscribe(&taking.url("/"));
    let (refused, _) = acme.home.subscribe(&refusing.url("/"));
    let server = acme.home.serve();
    let mut later = String::new();
    for count in [2, 4] {
        server.toggle(&acme.key);
        let all = poll(|| {
            Some(acme.deliveries(""))
                .filter(|all| all.len() == count && all.iter().all(|one| one[ATTEMPTS] == "1"))
        });
        if count == 2 {
            later = Time::parse(&all[0][CREATED_AT]).unwrap().plus_millis(1).to_string();
        }
    }
    for (options, count) in [
        (" --limit 3", 3),
        (&*format!(" --id {taken}"), 2),
        (&format!(" --id {refused}"), 2),
        (" --state delivered", 2),
        (" --state pending", 2),
        (" --state failed", 0),
        (" --event vote.created", 2),
        (" --event post.created", 0),
        (&format!(" --since {later}"), 2),
        (&format!(" --until {later}"), 2),
        (" --until 2026-01-01", 0),
        (&format!(" --id {taken} --state delivered --event vote.deleted --since {later}"), 1),
    ] {
        assert_eq!(acme.deliveries(options).len(), count, "{options}");
    }
    for delivery in acme.deliveries(" --state pending") {
        assert_eq!([&delivery[SUBSCRIPTION], &delivery[RESPONSE]], [&*refused, "404"]);
        let [created, next] = [CREATED_AT, THEN].map(|time| Time::parse(&delivery[time]).unwrap());
        assert!(next >= created.plus_millis(3_600_000), "{delivery:?}");
    }
}

#[test]
fn the_deliveries_of_a_deactivated_subscription_are_sent_when_it_is_activated() {
    let acme = Acme::new();
    let receiver = Receiver::answering(410);
    let (id, _) = acme.home.subscribe(&receiver.url("/hook?token=t0ken"));
    let server = acme.home.serve();
    server.toggle(&acme.key);
    let line = server.wait_for_log("deactivated a webhook subscription");
    for (member, value) in [
        ("level", "ERROR"),
        ("reason", "the receiver answered 410 Gone"),
        ("organization", ORGANIZATION),
        ("subscription", &id),
    ] {
        assert_eq!(line[member], value, "{member}");
    }
    assert_hides(&line.to_string(), &["t0ken"]);
    let is_inactive = || acme.list()[0][1].starts_with("inactive since ");
    assert!(is_inactive());
    server.toggle(&acme.key);
    let pending = acme.wait_for(1, "pending");

    receiver.answer(204, b"");
    assert_eq!(acme.run(&format!("activate --id {id}")).expect_success(), "");
    assert_eq!(acme.list()[0][1], "active");
    assert_eq!(acme.wait_for(1, "delivered")[0][ID], pending[0][ID]);

    assert_eq!(acme.run(&format!("deactivate --id {id}")).expect_success(), "");
    assert!(is_inactive());
    server.toggle(&acme.key);
    assert_eq!(acme.deliveries("").len(), 1);
}

#[test]
fn a_stopping_server_waits_for_the_answers_to_its_deliveries() {
    let acme = Acme::new();
    let receiver = Receiver::silent();
    acme.home.subscribe(&receiver.url("/"));
    let server = acme.home.serve();
    server.toggle(&acme.key);
    receiver.wait_for(1);
    server.signal(Signal::TERM);
    server.wait_for_log("stopping");
    receiver.answer(204, b"");
    server.end();
    let delivery = acme.deliveries("").remove(0);
    assert_eq!([&delivery[STATE], &delivery[ATTEMPTS]], ["delivered", "1"]);
}

#[test]
fn deliveries_that_hang_do_not_hold_up_the_end_and_are_sent_again_after_it() {
    let acme = Acme::new();
    let receiver = Receiver::silent();
    // A receiver that has not answered yet gets one delivery at a time.
    acme.home.subscribe(&receiver.url("/"));
    let server = acme.home.serve();
    for _ in 0..6 {
        server.toggle(&acme.key);
    }
    receiver.wait_for(1);
    let began = Instant::now();
    server.signal(Signal::INT);
    let log = server.end();
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert!(log.contains("stopped while deliveries were being sent"), "{log}");
    assert_eq!(receiver.received().len(), 1, "no more of them are begun");
    for delivery in acme.wait_for(6, "pending") {
        assert_eq!([&delivery[ATTEMPTS], &delivery[RESPONSE]], ["0", "-"], "{delivery:?}");
    }

    receiver.answer(204, b"");
    // Ends the leases early.
    acme.home
        .store()
        .batch_execute("UPDATE deliveries SET leased_until = 0 WHERE leased_until IS NOT NULL")
        .unwrap();
    let _server = acme.home.serve();
    acme.wait_for(6, "delivered");
    // A receiver recognizes a repeat by its identifier. The rest is the same, too.
    let received = receiver.received();
    let of = |received: &Received| {
        let header = |name: &str| received.headers[name].clone();
        (header("x-service-delivery-id"), header("x-service-attempt"), received.body.clone())
    };
    let repeats = received[1..].iter().filter(|again| of(again) == of(&received[0])).count();
    assert_eq!((received.len(), repeats), (7, 1));
}

#[test]
fn no_secret_and_no_url_is_logged_at_any_level() {
    let home = Home::receiving_nearby().set("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1s");
    let acme = Acme::of(home.set("HEARBACK_LOG", "trace"));
    let receiver = Receiver::answering(500);
    let mut logged = String::new();
    let mut run = |line: &str| {
        let done = acme.run(line);
        logged.push_str(&done.stderr);
        done.stdout
    };
    let added = run(&format!("add --url {}", receiver.url("/hook?token=t0ken")));
    let (id, secret) = added.trim_end().split_once('\t').unwrap();
    let mut shown = run(&format!("test --id {id}"));
    let new = run(&format!("rotate-secret --id {id}"));
    run("list");
    run(&format!("deactivate --id {id}"));
    run(&format!("activate --id {id}"));

    let server = acme.home.serve();
    server.toggle(&acme.key);
    acme.wait_for(1, "failed");
    shown.push_str(&run("deliveries --attempts"));
    run("replay --all-failed");
    receiver.wait_for(4);
    receiver.answer(410, b"");
    server.wait_for_log("deactivated a webhook subscription");
    let log = server.stop();
    shown.push_str(&run(&format!("remove --id {id} --yes")));
    logged.push_str(&log);
    assert!(logged.contains("/votes/toggle"), "something is logged");
    for text in [&logged, &shown] {
        assert_hides(text, &[secret, new.trim_end(), "whsec_", "t0ken"]);
    }
    assert!(acme.list().is_empty());
}
