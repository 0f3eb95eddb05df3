//! The API key. The response to every invalid key is the same `401`.

use crate::support::{Draft, ENDPOINTS, Site, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

const UNKNOWN: &str = "hbk_0000000000000000000000000000000000000000000";

#[rstest]
#[tokio::test]
async fn every_endpoint_refuses_every_wrong_key_with_the_same_bytes(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let site = Site::of(store).await;
    let key = acme.key();
    let long = "x".repeat(100_000);
    let wrong = [
        json!(null),
        json!(5),
        json!(true),
        json!([key]),
        json!({"api_key": key}),
        json!(""),
        json!(UNKNOWN),
        json!(format!("{key} ")),
        json!(key.to_uppercase()),
        json!(&key[..key.len() - 1]),
        json!("hbk_\u{0}"),
        json!(long),
    ];
    let expected = error("invalid api_key").to_string();
    for endpoint in ENDPOINTS.iter() {
        let right = endpoint.body(|_| id());
        // The response does not depend on the fields, right or wrong.
        for mut body in [right, json!({"id": 5, "limit": "x"})] {
            let none = site.raw(endpoint.path, &body.to_string()).await;
            assert_eq!(
                (none.status, none.text()),
                (401, expected.clone()),
                "{} without key",
                endpoint.path
            );
            for key in &wrong {
                body["api_key"] = key.clone();
                let answer = site.raw(endpoint.path, &body.to_string()).await;
                assert_eq!(
                    (answer.status, answer.text()),
                    (401, expected.clone()),
                    "{} {key}",
                    endpoint.path
                );
            }
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_key_anywhere_but_in_the_body_is_no_key(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let site = Site::of(store).await;
    let key = acme.key();
    for endpoint in ENDPOINTS.iter() {
        let url = site.url(endpoint.path);
        let requests = [
            site.client().post(&url).header("Authorization", format!("Bearer {key}")),
            site.client().post(&url).header("X-Api-Key", key).header("api_key", key),
            site.client().post(format!("{url}?api_key={key}")),
            site.client().post(&url).header("Cookie", format!("api_key={key}")),
        ];
        for request in requests {
            let answer = request
                .header("Content-Type", "application/json")
                .body("{}")
                .send()
                .await
                .expect("an answer");
            assert_eq!(answer.status(), 401, "{}", endpoint.path);
            assert_eq!(answer.text().await.expect("a body"), error("invalid api_key").to_string());
        }
    }
}

#[rstest]
#[tokio::test]
async fn the_key_is_never_echoed(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    let key = acme.key();
    let masked = json!("***");
    let cases = [
        (json!(key), masked.clone()),
        (json!(format!("x{key}y")), masked.clone()),
        (json!(UNKNOWN), masked.clone()),
        (json!([1, {"deep": key}]), json!([1, {"deep": masked}])),
        (json!({key: 1}), json!({"***": 1})),
    ];
    for (value, shown) in cases {
        let answer = acme.post("/feedback-boards/retrieve", json!({"id": value})).await;
        assert!(!answer.text().contains(key), "{}", answer.text());
        assert_eq!(answer.expect(422)["detail"][0]["input"], shown);
    }
}

#[rstest]
#[tokio::test]
async fn the_last_of_two_keys_counts(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    let site = Site::of(store).await;
    let key = acme.key();
    let right_last = format!(r#"{{"api_key": "{UNKNOWN}", "api_key": "{key}"}}"#);
    assert_eq!(site.raw("/tags/list", &right_last).await.expect(200), json!([]));
    let wrong_last = format!(r#"{{"api_key": "{key}", "api_key": null}}"#);
    assert_eq!(site.raw("/tags/list", &wrong_last).await.expect(401), error("invalid api_key"));
    let escaped = format!(r#"{{"api\u005fkey": "\u0068{}"}}"#, &key[1..]);
    assert_eq!(site.raw("/tags/list", &escaped).await.expect(200), Value::Array(vec![]));
}
