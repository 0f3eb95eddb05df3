//! Every process refuses a rotated key at once.

use crate::support::{Draft, Site, Store, error};
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Requests run without pause against two servers on one database, while a third process rotates
/// the key 20 times. Each request notes the key that was current at its start. A request that
/// starts after `rotate` has returned must not succeed with the old key.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_rotations_under_load_on_two_servers_accept_no_old_key(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    acme.tag(json!({}));
    let slug = acme.slug().to_owned();
    let acme = acme.open(store).await;
    let site = Site::of(store).await;
    let second = site.another_server().await;
    let keys = Arc::new(Mutex::new(vec![acme.key().to_owned()]));
    let (stop, asked, late) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
        Arc::new(AtomicU64::new(0)),
    );

    let mut load = Vec::new();
    for worker in 0..8_usize {
        let base = if worker % 2 == 0 { site.base().to_owned() } else { second.base().to_owned() };
        let (keys, stop, asked, late, client) =
            (keys.clone(), stop.clone(), asked.clone(), late.clone(), site.client().clone());
        load.push(tokio::spawn(async move {
            while !stop.load(Ordering::SeqCst) {
                // Half of the workers use the key before the current one, half the current one.
                let (key, is_old) = {
                    let keys = keys.lock().expect("not poisoned");
                    let back = if worker < 4 { 1 } else { 0 };
                    let at = keys.len().saturating_sub(1 + back);
                    (keys[at].clone(), at + 1 < keys.len())
                };
                let body = json!({"api_key": key}).to_string();
                let answer = client
                    .post(format!("{base}/api/external/v1/tags/list"))
                    .body(body)
                    .send()
                    .await
                    .expect("an answer");
                asked.fetch_add(1, Ordering::SeqCst);
                if is_old && answer.status() != 401 {
                    late.fetch_add(1, Ordering::SeqCst);
                }
            }
        }));
    }
    for _ in 0..20 {
        let new = site.command(&["key", "rotate", "--organization", &slug]).await;
        let new = new.trim().to_owned();
        for base in [site.base(), second.base()] {
            let ask = async |key: &str| {
                let body = json!({"api_key": key}).to_string();
                let answer = site
                    .client()
                    .post(format!("{base}/api/external/v1/tags/list"))
                    .body(body)
                    .send()
                    .await
                    .expect("an answer");
                (answer.status().as_u16(), answer.json::<Value>().await.expect("JSON"))
            };
            assert_eq!(ask(&new).await.0, 200, "a new key works at once");
            let old = keys.lock().expect("not poisoned").last().cloned().expect("a key");
            assert_eq!(ask(&old).await, (401, error("invalid api_key")));
        }
        keys.lock().expect("not poisoned").push(new);
    }
    stop.store(true, Ordering::SeqCst);
    for worker in load {
        worker.await.expect("a worker");
    }
    assert_eq!(
        late.load(Ordering::SeqCst),
        0,
        "accepted old keys, of {} requests",
        asked.load(Ordering::SeqCst)
    );
    assert!(
        asked.load(Ordering::SeqCst) > 1_000,
        "too few requests: {}",
        asked.load(Ordering::SeqCst)
    );
}

#[rstest]
#[tokio::test]
async fn a_revoked_key_is_refused_and_a_new_one_works(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let draft = Draft::new();
    let slug = draft.slug().to_owned();
    let acme = draft.open(store).await;
    let site = Site::of(store).await;
    acme.post("/tags/list", json!({})).await.expect(200);
    assert_eq!(site.command(&["key", "revoke", "--organization", &slug]).await, "");
    assert_eq!(acme.post("/tags/list", json!({})).await.expect(401), error("invalid api_key"));
    let key = site.command(&["key", "generate", "--organization", &slug]).await;
    let body = json!({"api_key": key.trim()}).to_string();
    assert_eq!(site.raw("/tags/list", &body).await.expect(200), json!([]));
    assert_eq!(site.command(&["key", "reveal", "--organization", &slug]).await, key);
}
