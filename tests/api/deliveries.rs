//! `/deliveries/…`, `/webhooks/test` and the signatures of a rotation, with a receiver.

use crate::support::{Draft, Installation, Organization, Server, Store, error, eventually};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request that a receiver got.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str()).expect("the header")
    }
}

/// A receiver that answers with these statuses, then with 200.
pub(crate) struct Receiver {
    pub(crate) url: String,
    got: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    pub(crate) fn answering(statuses: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let got = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&got);
        let mut statuses = VecDeque::from(statuses.to_vec());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let status = statuses.pop_front().unwrap_or(200);
                if let Some(received) = take(stream, status) {
                    noted.lock().expect("no panic").push(received);
                }
            }
        });
        Self { url, got }
    }

    pub(crate) async fn got(&self, count: usize) -> Vec<Received> {
        eventually("deliveries", async || {
            Some(self.got.lock().expect("no panic").clone()).filter(|got| got.len() >= count)
        })
        .await
    }
}

/// Reads a request and answers it.
fn take(mut stream: TcpStream, status: u16) -> Option<Received> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut headers = Vec::new();
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let text = "thanks";
    write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{text}", text.len()).ok()?;
    Some(Received { headers, body: serde_json::from_slice(&body).ok()? })
}

/// An organization on a server of its own, which sends to this machine and tries twice.
async fn open(store: Store, draft: Draft) -> (Organization, (Server, Installation)) {
    let settings = [
        ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true"),
        ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1s"),
    ];
    let installation = Installation::new(store, &settings).await;
    let server = installation.serve();
    let acme = installation.open(draft.slug(), &draft.lines()).await.at(&server);
    (acme, (server, installation))
}

/// Makes a webhook to a receiver. Returns its identifier.
pub(crate) async fn hook(acme: &Organization, receiver: &Receiver) -> Value {
    let body = json!({"url": receiver.url, "event_types": ["user.created"]});
    acme.post("/webhooks/create", body).await.expect(200)["id"].clone()
}

pub(crate) async fn tell(acme: &Organization, name: &str) {
    let user = json!({"email": format!("{name}@example.com")});
    acme.post("/users/upsert", user).await.expect(200);
}

/// The deliveries that match, once there are as many in this state.
pub(crate) async fn deliveries(acme: &Organization, state: &str, count: usize) -> Vec<Value> {
    eventually("deliveries in a state", async || {
        let list = acme.post("/deliveries/list", json!({"state": state})).await.expect(200);
        let items = list["items"].as_array().expect("items").clone();
        (items.len() == count).then_some(items)
    })
    .await
}

#[rstest]
#[tokio::test]
async fn a_failed_delivery_is_found_with_its_attempts_and_replayed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let receiver = Receiver::answering(&[500, 503]);
    let (acme, _site) = open(store, Draft::new()).await;
    let id = hook(&acme, &receiver).await;
    tell(&acme, "ada").await;
    let failed = deliveries(&acme, "failed", 1).await.remove(0);
    let named = json!({"id": failed["id"]});
    let shown = acme.post("/deliveries/retrieve", named.clone()).await.expect(200);
    let mut without_attempts = shown.clone();
    without_attempts.as_object_mut().expect("an object").remove("attempts");
    assert_eq!(without_attempts, failed);
    assert_eq!(
        (&failed["webhook_id"], &failed["event_type"], &failed["status"], &failed["error"]),
        (&id, &json!("user.created"), &json!(503), &Value::Null)
    );
    let attempts = shown["attempts"].as_array().expect("attempts");
    let statuses: Vec<_> = attempts.iter().map(|attempt| attempt["status"].clone()).collect();
    assert_eq!(statuses, [500, 503]);
    assert_eq!(attempts[0]["response"], "thanks");
    let hooks = acme.post("/webhooks/retrieve", json!({"id": id})).await.expect(200);
    assert!(hooks["failing_since"].is_string() && hooks["last_success_at"].is_null(), "{hooks}");

    let one = json!({"delivery_id": failed["id"]});
    let replayed = acme.repeat("/deliveries/replay", "again", one.clone()).await.expect(200);
    assert_eq!(replayed, json!({"replayed": 1}));
    let delivered = deliveries(&acme, "delivered", 1).await.remove(0);
    assert_eq!((&delivered["id"], &delivered["attempt_count"]), (&failed["id"], &json!(3)));
    let again = acme.repeat("/deliveries/replay", "again", one).await;
    assert_eq!(again.expect(200), replayed);
    assert_eq!(again.headers["idempotent-replayed"], "true");
    let got = receiver.got(3).await;
    let ids: Vec<_> = got.iter().map(|it| it.header("x-service-delivery-id").to_owned()).collect();
    assert!(ids.iter().all(|id| json!(id) == failed["id"]), "{ids:?}");
    assert_eq!(got[0].body, got[2].body);
    let hooks = eventually("a noted success", async || {
        let shown = acme.post("/webhooks/retrieve", json!({"id": id})).await.expect(200);
        Some(shown).filter(|shown| shown["last_success_at"].is_string())
    })
    .await;
    assert!(hooks["failing_since"].is_null(), "{hooks}");

    // Those of a webhook in a state; without a state, the failed ones.
    let of_it =
        |state: Value| json!({"webhook_id": id, "state": state, "created_after": "2026-01-01"});
    for (state, count) in [(Value::Null, 0), (json!("pending"), 0), (json!("delivered"), 1)] {
        let replayed = acme.post("/deliveries/replay", of_it(state)).await.expect(200);
        assert_eq!(replayed, json!({"replayed": count}));
    }
    receiver.got(4).await;
    let early = json!({"webhook_id": id, "created_before": "2026-01-01", "state": "delivered"});
    deliveries(&acme, "delivered", 1).await;
    assert_eq!(acme.post("/deliveries/replay", early).await.expect(200), json!({"replayed": 0}));
}

#[rstest]
#[tokio::test]
async fn deliveries_of_all_webhooks_are_listed_newest_first_page_by_page(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let receiver = Receiver::answering(&[]);
    let (acme, _site) = open(store, Draft::new()).await;
    let (first, second) = (hook(&acme, &receiver).await, hook(&acme, &receiver).await);
    for name in ["ada", "bea", "cy"] {
        tell(&acme, name).await;
    }
    let all = deliveries(&acme, "delivered", 6).await;
    assert!(all.is_sorted_by(|a, b| a["created_at"].as_str() >= b["created_at"].as_str()));
    assert_eq!(acme.walk("/deliveries/list", json!({}), 4).await, all);
    for id in [&first, &second] {
        let own: Vec<_> = all.iter().filter(|it| it["webhook_id"] == *id).cloned().collect();
        assert_eq!(own.len(), 3);
        assert_eq!(acme.walk("/deliveries/list", json!({"webhook_id": id}), 2).await, own);
    }
    for none in [
        json!({"event_type": "post.created"}),
        json!({"created_after": "2999-01-01"}),
        json!({"state": "failed"}),
        json!({"created_after": all[0]["created_at"]}),
    ] {
        assert_eq!(
            acme.walk("/deliveries/list", none.clone(), 9).await,
            [Value::Null; 0],
            "{none}"
        );
    }
    let unknown =
        json!({"delivery_id": acme.post("/ping", json!({})).await.expect(200)["organization_id"]});
    assert_eq!(
        acme.post("/deliveries/replay", unknown).await.expect(404),
        error("delivery not found")
    );
    for (body, field) in [
        (json!({}), "delivery_id"),
        (json!({"delivery_id": all[0]["id"], "webhook_id": first}), "webhook_id"),
    ] {
        let fault = acme.post("/deliveries/replay", body).await.expect(422);
        assert_eq!(fault["detail"][0]["loc"], json!(["body", field]));
    }
}

#[rstest]
#[tokio::test]
async fn a_test_goes_to_an_inactive_webhook_with_both_signatures_of_a_rotation(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let receiver = Receiver::answering(&[]);
    let (acme, _site) = open(store, Draft::new()).await;
    let id = hook(&acme, &receiver).await;
    let off = json!({"webhook_id": id, "is_active": false});
    acme.post("/webhooks/update", off).await.expect(200);
    let named = json!({"webhook_id": id});
    for (overlap, signatures) in [(json!(600), 2), (json!(0), 1), (Value::Null, 2)] {
        let body = json!({"webhook_id": id, "overlap_seconds": overlap});
        acme.post("/webhooks/rotate-secret", body).await.expect(200);
        let tested = acme.post("/webhooks/test", named.clone()).await.expect(200);
        let took = tested["duration_ms"].clone();
        let expected =
            json!({"status": 200, "duration_ms": took, "error": null, "response": "thanks"});
        assert_eq!(tested, expected);
        let got = receiver.got(1).await.pop().expect("a test");
        assert_eq!(got.header("webhook-signature").split(' ').count(), signatures);
        assert_eq!(got.body["event"], "webhook.test");
        assert_eq!(got.body["data"]["subscription_id"], id);
    }
    assert_eq!(acme.walk("/deliveries/list", json!({}), 9).await, [Value::Null; 0]);
}

#[rstest]
#[tokio::test]
async fn the_ledger_keeps_events_once_it_is_switched_on(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, ada, slug) = (acme.post(json!({})), acme.user(json!({})), acme.slug().to_owned());
    let (acme, site) = open(store, acme).await;
    let toggle = json!({"user_id": ada, "post_id": post, "post_type": "feedback"});
    let list = |body: Value| acme.walk("/events/list", body, 2);
    acme.post("/votes/toggle", toggle.clone()).await.expect(200);
    assert_eq!(list(json!({})).await, [Value::Null; 0]);
    let ledger = ["organization", "set", "--organization", &slug, "--events-ledger"];
    site.1.command(&[&ledger[..], &["on"]].concat()).await;
    acme.post("/votes/toggle", toggle.clone()).await.expect(200);
    acme.post("/votes/toggle", toggle.clone()).await.expect(200);
    tell(&acme, "bea").await;
    let all = list(json!({})).await;
    let names: Vec<_> = all.iter().map(|event| event["event"].clone()).collect();
    assert_eq!(names, ["vote.deleted", "vote.created", "user.created"]);
    assert_eq!(all[1]["data"]["post_id"], json!(post));
    assert!(all[0]["id"].is_string() && all[0]["occurred_at"].is_string());
    let votes = json!({"event_types": ["vote.created", "vote.deleted"]});
    assert_eq!(list(votes).await, all[..2]);
    assert_eq!(list(json!({"created_after": all[2]["occurred_at"]})).await, [Value::Null; 0]);
    site.1.command(&[&ledger[..], &["off"]].concat()).await;
    acme.post("/votes/toggle", toggle).await.expect(200);
    assert_eq!(list(json!({})).await, all);
}
