//! `/webhooks/…`

use crate::support::{Draft, Store, error};
use hearback_domain::Uuid;
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn a_webhook_is_made_changed_listed_and_deleted_and_its_secret_is_shown_once(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (ideas, bugs) = (acme.board(json!({})), acme.board(json!({})));
    let acme = acme.open(store).await;
    let made = acme
        .post(
            "/webhooks/create",
            json!({"url": "https://crm.example/hook?token=1", "description": "The CRM",
                "event_types": ["vote.created", "post.created", "vote.created"],
                "board_ids": [ideas, bugs, ideas], "is_active": false}),
        )
        .await
        .expect(200);
    let (id, secret) = (made["id"].clone(), made["signing_secret"].as_str().expect("a secret"));
    assert_eq!(made, json!({"id": id, "signing_secret": secret}));
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    let shown = acme.post("/webhooks/retrieve", json!({"id": id})).await.expect(200);
    let created_at = shown["created_at"].clone();
    let mut expected = json!({
        "id": id, "url": "https://crm.example/hook?token=1", "description": "The CRM",
        "event_types": ["post.created", "vote.created"], "board_ids": [ideas, bugs],
        "is_active": false, "failing_since": null, "last_success_at": null,
        "created_at": created_at,
    });
    assert_eq!(shown, expected);
    let list = json!({"items": [expected], "has_next_page": false, "cursor": null});
    assert_eq!(acme.post("/webhooks/list", json!({})).await.expect(200), list);

    let patch = json!({"webhook_id": id, "event_types": [], "board_ids": [], "is_active": true,
        "clear": ["description"]});
    let done = json!({"success": true});
    assert_eq!(acme.post("/webhooks/update", patch).await.expect(200), done);
    expected["event_types"] = json!([]);
    expected["board_ids"] = json!([]);
    expected["is_active"] = json!(true);
    expected["description"] = Value::Null;
    assert_eq!(acme.post("/webhooks/retrieve", json!({"id": id})).await.expect(200), expected);

    let rotated = acme.post("/webhooks/rotate-secret", json!({"webhook_id": id})).await.expect(200);
    let new = rotated["signing_secret"].as_str().expect("a secret");
    assert_eq!(rotated, json!({"signing_secret": new}));
    assert!(new.starts_with("whsec_") && new != secret);
    assert_eq!(acme.post("/webhooks/retrieve", json!({"id": id})).await.expect(200), expected);
    let audit = acme.post("/audit/list", json!({"target_id": id})).await.expect(200);
    let actions: Vec<_> =
        audit["items"].as_array().expect("items").iter().map(|it| it["action"].clone()).collect();
    assert_eq!(actions, ["webhooks/rotate-secret", "webhooks/update", "webhooks/create"]);
    assert!(!audit.to_string().contains("whsec_"));

    let named = json!({"webhook_id": id});
    assert_eq!(acme.post("/webhooks/delete", named.clone()).await.expect(200), done);
    for (path, body) in [
        ("/webhooks/retrieve", json!({"id": id})),
        ("/webhooks/update", named.clone()),
        ("/webhooks/rotate-secret", named.clone()),
        ("/webhooks/test", named.clone()),
        ("/webhooks/delete", named),
    ] {
        assert_eq!(acme.post(path, body).await.expect(404), error("webhook not found"), "{path}");
    }
}

#[rstest]
#[tokio::test]
async fn webhooks_are_listed_page_by_page_by_time_of_creation(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let mut ids: Vec<String> = (1..8)
        .map(|n| acme.webhook(json!({"created_at": format!("2026-01-0{}", 1 + n % 3)})))
        .collect();
    ids.sort_by_key(|id| id.clone());
    let acme = acme.open(store).await;
    let all = acme.walk("/webhooks/list", json!({}), 2).await;
    let key = |it: &Value| (it["created_at"].to_string(), it["id"].to_string());
    assert!(all.is_sorted_by_key(key));
    let mut listed: Vec<_> = all.iter().map(|it| it["id"].as_str().expect("an id")).collect();
    listed.sort_unstable();
    assert_eq!(listed, ids);
}

#[rstest]
#[tokio::test]
async fn a_repeated_creation_and_a_repeated_rotation_give_the_same_secret(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let body = json!({"url": "https://crm.example/"});
    let made = acme.repeat("/webhooks/create", "k", body.clone()).await.expect(200);
    let named = json!({"webhook_id": made["id"], "overlap_seconds": 0});
    let rotated = acme.repeat("/webhooks/rotate-secret", "k", named.clone()).await.expect(200);
    acme.post("/webhooks/rotate-secret", named.clone()).await.expect(200);
    acme.post("/webhooks/delete", json!({"webhook_id": made["id"]})).await.expect(200);
    let again = acme.repeat("/webhooks/create", "k", body).await;
    assert_eq!(again.expect(200), made);
    assert_eq!(again.headers["idempotent-replayed"], "true");
    let again = acme.repeat("/webhooks/rotate-secret", "k", named).await;
    assert_eq!(again.expect(200), rotated);
}

#[rstest]
#[tokio::test]
async fn an_address_that_nothing_is_sent_to_is_refused(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let id = acme.webhook(json!({}));
    let acme = acme.open(store).await;
    let ways = |url: &str| {
        [
            ("/webhooks/create", json!({"url": url})),
            ("/webhooks/update", json!({"webhook_id": id, "url": url})),
        ]
    };
    for url in [
        "https://me@acme.example/",
        "https://me:secret@acme.example/",
        "http://acme.example/",
        "https://10.0.0.1/",
        "https://0x7f.1:8443/hook",
        "https://2130706433/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
    ] {
        for (path, body) in ways(url) {
            assert_eq!(acme.post(path, body).await.expect(400), error("the URL is not allowed"));
        }
    }
    for url in ["", "acme.example", "ftp://acme.example/", "https://", "https:///hook"] {
        for (path, body) in ways(url) {
            let fault = acme.post(path, body).await.expect(422);
            assert_eq!(fault["detail"][0]["loc"], json!(["body", "url"]), "{url}");
        }
    }
    let long = format!("https://acme.example/{}", "a".repeat(2048));
    acme.post("/webhooks/create", json!({"url": long})).await.expect(422);
    let unknown = json!({"url": "https://crm.example/", "board_ids": [Uuid::nil()]});
    assert_eq!(
        acme.post("/webhooks/create", unknown).await.expect(400),
        error("one or more board_ids do not belong to this organization")
    );
    for seconds in [-1, 604_801] {
        let body = json!({"webhook_id": id, "overlap_seconds": seconds});
        let fault = acme.post("/webhooks/rotate-secret", body).await.expect(422);
        assert_eq!(fault["detail"][0]["loc"], json!(["body", "overlap_seconds"]));
    }
    let all = acme.post("/webhooks/list", json!({})).await.expect(200);
    assert_eq!(all["items"].as_array().map(Vec::len), Some(1));
}

#[rstest]
#[tokio::test]
async fn a_webhook_that_was_imported_without_its_secret_is_rotated_first(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let id = acme.webhook(json!({"signing_secret": null, "is_active": false}));
    let acme = acme.open(store).await;
    let first = error("the webhook was imported without its secret: rotate it first");
    let on = json!({"webhook_id": id, "is_active": true});
    for (path, body) in [("/webhooks/test", json!({"webhook_id": id})), ("/webhooks/update", on)] {
        assert_eq!(acme.post(path, body).await.expect(400), first, "{path}");
    }
    acme.post("/webhooks/rotate-secret", json!({"webhook_id": id})).await.expect(200);
    let on = json!({"webhook_id": id, "is_active": true});
    acme.post("/webhooks/update", on).await.expect(200);
}
