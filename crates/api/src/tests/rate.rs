//! Rate limits.

use crate::testing::{KEY, ORGANIZATION, Reply, limited, post, send_to};
use crate::{Api, Limits, Rate};
use actix_web::test::TestRequest;
use hearback_app::vault::digest;
use hearback_domain::Uuid;
use hearback_domain::organization::HelpCenter;
use hearback_ports::clock::MockClock;
use hearback_ports::keys::KeyOwner;
use hearback_ports::mock::Mocks;
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock in milliseconds that tests advance.
#[derive(Clone, Default)]
struct Moved(Arc<AtomicU64>);

impl Moved {
    fn by_millis(&self, millis: u64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }

    fn clock(&self) -> MockClock {
        let (time, mut clock) = (self.clone(), MockClock::new());
        clock
            .expect_elapsed()
            .returning(move || Duration::from_millis(time.0.load(Ordering::Relaxed)));
        clock
    }
}

fn rate(text: &str) -> Rate {
    Rate::parse(text).unwrap()
}

fn api(limits: Limits) -> (Arc<Api>, Moved) {
    let time = Moved::default();
    let mut mocks = Mocks { clock: time.clock(), ..Mocks::default() };
    mocks.ids.expect_fresh().return_const(Uuid::nil());
    let good = digest(KEY);
    mocks.keys.expect_owner().returning(move |digest| {
        Ok((digest == good).then_some(KeyOwner {
            organization: ORGANIZATION,
            help_center: HelpCenter::Disabled,
            events_ledger: false,
        }))
    });
    mocks.whole_lists.expect_tags().returning(|_| Ok(Vec::new()));
    (limited(mocks, limits), time)
}

fn from(request: TestRequest, address: &str) -> TestRequest {
    request.peer_addr(SocketAddr::new(address.parse().unwrap(), 5555))
}

async fn list(api: &Arc<Api>, address: &str, key: &str) -> Reply {
    send_to(
        Arc::clone(api),
        from(post("/tags/list").set_payload(json!({"api_key": key}).to_string()), address),
    )
    .await
}

/// `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset`, `Retry-After`.
fn told(reply: &Reply) -> [&str; 4] {
    ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"]
        .map(|name| reply.header(name))
}

const LIMITED: (u16, &str) = (429, r#"{"detail":{"error":"rate limit exceeded"}}"#);
const HERE: &str = "192.0.2.1";
const ELSEWHERE: &str = "192.0.2.2";

#[actix_web::test]
async fn without_a_limit_no_headers_of_limits_are_sent() {
    let (api, _) = api(Limits::default());
    for _ in 0..100 {
        let reply = list(&api, HERE, KEY).await;
        assert_eq!((reply.status, told(&reply)), (200, [""; 4]));
    }
}

#[actix_web::test]
async fn an_address_is_counted_with_any_outcome_of_the_request() {
    let (api, time) = api(Limits { per_address: Some(rate("3/m")), ..Limits::default() });
    let reply = list(&api, HERE, KEY).await;
    assert_eq!((reply.status, told(&reply)), (200, ["3", "2", "20", ""]));
    let reply = list(&api, HERE, "hbk_wrong").await;
    assert_eq!((reply.status, told(&reply)), (401, ["3", "1", "40", ""]));
    let reply =
        send_to(Arc::clone(&api), from(post("/tags/list").set_payload("nonsense"), HERE)).await;
    assert_eq!((reply.status, told(&reply)), (422, ["3", "0", "60", ""]));
    let reply = list(&api, HERE, KEY).await;
    assert_eq!((reply.shown(), told(&reply)), (LIMITED, ["3", "0", "60", "20"]));
    assert_eq!(reply.header("content-type"), "application/json");
    assert_eq!(list(&api, ELSEWHERE, KEY).await.status, 200);
    time.by_millis(20_000);
    assert_eq!(list(&api, HERE, KEY).await.status, 200);
}

#[actix_web::test]
async fn an_address_is_counted_before_the_body_is_read() {
    let (api, _) = api(Limits { per_address: Some(rate("1/h")), ..Limits::default() });
    list(&api, HERE, KEY).await;
    let long = post("/tags/list").set_payload("x".repeat(crate::testing::MAX_BODY + 1));
    assert_eq!(send_to(Arc::clone(&api), from(long, HERE)).await.shown(), LIMITED);
}

#[actix_web::test]
async fn a_key_is_counted_at_every_endpoint_before_the_fields_are_read() {
    let (api, time) = api(Limits { per_key: Some(rate("2/m")), ..Limits::default() });
    let wrong = post("/votes/toggle").set_payload(json!({"api_key": KEY}).to_string());
    let reply = send_to(Arc::clone(&api), from(wrong, HERE)).await;
    assert_eq!((reply.status, told(&reply)), (422, ["2", "1", "30", ""]));
    assert_eq!(told(&list(&api, ELSEWHERE, KEY).await), ["2", "0", "60", ""]);
    let wrong = post("/votes/toggle").set_payload(json!({"api_key": KEY}).to_string());
    let reply = send_to(Arc::clone(&api), from(wrong, HERE)).await;
    assert_eq!((reply.shown(), told(&reply)), (LIMITED, ["2", "0", "60", "30"]));
    // A request without a valid key counts against no key.
    let reply = list(&api, HERE, "hbk_wrong").await;
    assert_eq!((reply.status, told(&reply)), (401, [""; 4]));
    time.by_millis(30_000);
    assert_eq!(list(&api, HERE, KEY).await.status, 200);
}

#[actix_web::test]
async fn the_headers_show_the_tighter_of_two_limits() {
    let limits = |address, key| Limits {
        per_address: Some(rate(address)),
        per_key: Some(rate(key)),
        ..Limits::default()
    };
    for (address, key) in [("2/m", "100/h"), ("100/h", "2/m")] {
        let (api, _) = api(limits(address, key));
        assert_eq!(told(&list(&api, HERE, KEY).await), ["2", "1", "30", ""]);
        assert_eq!(told(&list(&api, HERE, KEY).await), ["2", "0", "60", ""]);
        assert_eq!(told(&list(&api, HERE, KEY).await), ["2", "0", "60", "30"]);
    }
    // The address has no request left, but the refusal is the key's.
    let (api, _) = api(limits("2/m", "1/h"));
    list(&api, HERE, KEY).await;
    assert_eq!(told(&list(&api, HERE, KEY).await), ["1", "0", "3600", "3600"]);
}

#[actix_web::test]
async fn probes_are_not_counted() {
    let (api, _) = api(Limits { per_address: Some(rate("1/h")), ..Limits::default() });
    for path in ["/healthz", "/openapi.json"] {
        let reply = send_to(Arc::clone(&api), from(TestRequest::with_uri(path), HERE)).await;
        assert_eq!((reply.status, told(&reply)), (200, [""; 4]), "{path}");
    }
    // An unknown path is not limited either.
    assert_eq!(send_to(Arc::clone(&api), from(post("/tags"), HERE)).await.status, 404);
}
