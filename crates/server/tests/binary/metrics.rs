//! `/metrics`, and the dashboard and the alerts in `docs/operations` that read it.

use super::receiver::Receiver;
use super::support::{Home, Server, poll};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

/// The series on the page, each with its value.
fn scraped(server: &Server, address: SocketAddr) -> BTreeMap<String, f64> {
    let answer = server.get_from(address, "/metrics");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains("content-type: text/plain; version=0.0.4; charset=utf-8"), "{head}");
    let series = body.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    series
        .map(|line| {
            line.rsplit_once(' ')
                .map(|(series, value)| (series.to_owned(), value.parse().unwrap()))
                .unwrap()
        })
        .collect()
}

/// A home whose organization `acme` sends its events to a receiver, and the key.
fn sending_to(receiver: &Receiver) -> (Home, String) {
    let home = Home::receiving_nearby();
    let key = home.import_acme();
    home.subscribe(&receiver.url("/hook"));
    (home, key)
}

#[test]
fn requests_deliveries_queues_and_pools_are_counted() {
    let receiver = Receiver::answering(204);
    let (home, key) = sending_to(&receiver);
    let server = home.serve();
    for _ in 0..3 {
        server.toggle(&key);
    }
    assert_eq!(server.post("/votes/toggle", &json!({"api_key": key})).0, 422);
    assert!(!server.accepts("hbk_0123456789012345678901234567890123456789012"));

    let shown = poll(|| {
        let shown = scraped(&server, server.address);
        let lag = [
            r#"hearback_event_loop_lag_seconds_count{loop="main"}"#,
            r#"hearback_event_loop_lag_seconds_count{loop="http"}"#,
        ];
        let is_all_there = shown[r#"hearback_webhook_attempts_total{outcome="delivered"}"#] == 3.0
            && lag.iter().all(|series| shown.get(*series).is_some_and(|count| *count >= 1.0));
        is_all_there.then_some(shown)
    });
    let toggles = |status| {
        let labels = format!(r#"path="/api/external/v1/votes/toggle",status="{status}""#);
        shown[&format!("hearback_http_request_duration_seconds_count{{{labels}}}")]
    };
    assert_eq!((toggles(200), toggles(422)), (3.0, 1.0));
    assert_eq!(
        shown[r#"hearback_http_request_duration_seconds_count{path="/api/external/v1/feedback-boards/list",status="401"}"#],
        1.0
    );
    for (series, value) in [
        (r#"hearback_build_info{version="0.1.0",store="sqlite"}"#, 1.0),
        ("hearback_store_up", 1.0),
        ("hearback_workers_alive", 1.0),
        // The page itself.
        ("hearback_http_requests_in_flight", 1.0),
        (r#"hearback_webhook_attempts_total{outcome="failed"}"#, 0.0),
        ("hearback_webhook_attempt_duration_seconds_count", 3.0),
        (r#"hearback_queue_oldest_due_age_seconds{queue="changelog_entries"}"#, 0.0),
        (r#"hearback_pool_timeouts_total{pool="writer"}"#, 0.0),
    ] {
        assert_eq!(shown.get(series), Some(&value), "{series}");
    }
    assert!(
        shown[r#"hearback_pool_uses_total{pool="writer"}"#] >= 6.0,
        "three votes, and their deliveries"
    );
    assert!(shown.keys().all(|series| !series.contains("hbk_") && !series.contains("whsec_")));
}

#[test]
fn waiting_deliveries_are_shown_with_the_age_of_the_oldest() {
    // It does not answer, and only a few deliveries at a time are on their way to it.
    let receiver = Receiver::silent();
    let (home, key) = sending_to(&receiver);
    let server = home.serve();
    for _ in 0..30 {
        server.toggle(&key);
    }
    let of_deliveries = |name| {
        poll(|| {
            let shown = scraped(&server, server.address);
            let value = shown[&format!(r#"{name}{{queue="deliveries"}}"#)];
            (value > 0.0).then_some(value)
        })
    };
    assert_eq!(of_deliveries("hearback_queue_waiting"), 30.0);
    assert!(of_deliveries("hearback_queue_due") < 30.0, "some are on their way");
    let age = of_deliveries("hearback_queue_oldest_due_age_seconds");
    let later = poll(|| {
        Some(of_deliveries("hearback_queue_oldest_due_age_seconds")).filter(|later| *later > age)
    });
    assert!(later < 60.0, "{later} seconds");
}

#[test]
fn metrics_may_have_a_listener_of_their_own() {
    let home = Home::new().set("HEARBACK_METRICS_LISTEN", "127.0.0.1:0");
    let server = home.serve();
    let address: SocketAddr =
        server.wait_for_log("serving metrics on")["address"].as_str().unwrap().parse().unwrap();
    assert!(scraped(&server, address).contains_key("hearback_store_up"));
    for answer in [server.get("/metrics"), server.get_from(address, "/healthz")] {
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    }
    server.stop();

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let home = Home::new()
        .set("HEARBACK_METRICS_LISTEN", &address.to_string())
        .set("HEARBACK_LISTEN", "127.0.0.1:0");
    home.run("serve").fails(&format!("cannot listen on {address} (HEARBACK_METRICS_LISTEN): …"));
}

/// The labels of series in a text, such as `queue="deliveries"`. Jobs and instances are Prometheus'
/// own.
fn labels(text: &str) -> BTreeSet<String> {
    let mut labels = BTreeSet::new();
    for (place, _) in text.match_indices("=\"") {
        let name: String =
            text[..place].chars().rev().take_while(char::is_ascii_lowercase).collect();
        let name: String = name.chars().rev().collect();
        let value = text[place + 2..].split('"').next().unwrap();
        if !name.is_empty() && name != "job" && name != "instance" {
            labels.insert(format!("{name}=\"{value}\""));
        }
    }
    labels
}

/// The metrics that a text names.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words
        .filter(|word| word.starts_with("hearback_") || word.starts_with("process_"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_metric_that_the_dashboard_and_the_alerts_name_is_there() {
    let receiver = Receiver::answering(204);
    let (home, key) = sending_to(&receiver);
    let server = home.serve();
    server.toggle(&key);
    let shown = poll(|| {
        let shown = scraped(&server, server.address);
        shown.contains_key("hearback_webhook_attempt_duration_seconds_count").then_some(shown)
    });
    let there: BTreeSet<String> =
        shown.keys().map(|series| series.split('{').next().unwrap().to_owned()).collect();

    let dashboard = include_str!("../../../../docs/operations/grafana-dashboard.json");
    let dashboard: Value = serde_json::from_str(dashboard).unwrap();
    let mut expressions = String::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            expressions.push_str(target["expr"].as_str().unwrap());
            expressions.push('\n');
        }
    }
    let alerts = include_str!("../../../../docs/operations/alerts.yml");
    for (file, text) in [("the dashboard", &*expressions), ("the alerts", alerts)] {
        let named = named(text);
        assert!(named.len() > 10, "{named:?}");
        let unknown: Vec<_> = named.difference(&there).collect();
        assert!(unknown.is_empty(), "{file} names unknown metrics: {unknown:?}");
        let wanted = labels(text);
        assert!(!wanted.is_empty());
        let unknown: Vec<_> = wanted
            .iter()
            .filter(|label| !shown.keys().any(|series| series.contains(*label)))
            .collect();
        assert!(unknown.is_empty(), "{file} looks for unknown labels: {unknown:?}");
    }

    // The other way round: each metric is described for operators.
    let described = named(include_str!("../../../../docs/operations.md"));
    let of_a_histogram = |name: &str| {
        ["_bucket", "_sum", "_count"]
            .iter()
            .find_map(|end| name.strip_suffix(end).map(str::to_owned))
    };
    let ours = there.iter().filter(|name| name.starts_with("hearback_"));
    let undescribed: Vec<_> = ours
        .filter(|name| {
            !described.contains(*name)
                && !of_a_histogram(name).is_some_and(|name| described.contains(&name))
        })
        .collect();
    assert!(undescribed.is_empty(), "docs/operations.md does not describe {undescribed:?}");
}
