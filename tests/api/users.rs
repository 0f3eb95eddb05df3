//! `/users/retrieve`

use crate::support::{Draft, Store, error, id, invalid};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn a_user_is_found_by_id_and_by_email(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let link = id();
    let user =
        acme.user(json!({"id": link, "email": "Ada@Example.com", "name": "Ada L.", "avatar_url": "https://example.com/a.png",
        "portal_role": "admin", "company_name": "Analytical", "customer_status": "paying", "is_subscribed": true,
        "created_at": "2026-01-02T03:04:05.006789+01:00"}));
    let acme = acme.open(store).await;
    let ada = json!({"id": link, "user_id": user, "email": "Ada@Example.com", "name": "Ada L.",
        "avatar_url": "https://example.com/a.png", "portal_role": "admin", "company_name": "Analytical",
        "customer_status": "paying", "created_at": "2026-01-02T02:04:05.006Z", "is_subscribed": true, "external_id": null});
    assert_eq!(acme.post("/users/retrieve", json!({"user_id": user})).await.expect(200), ada);
    assert_eq!(
        acme.post("/users/retrieve", json!({"email": "Ada@Example.com"})).await.expect(200),
        ada
    );
    assert_eq!(
        acme.post("/users/retrieve", json!({"email": "Ada@Example.com", "user_id": null}))
            .await
            .expect(200),
        ada
    );
}

#[rstest]
#[tokio::test]
async fn an_unknown_member_of_a_user_is_an_empty_string(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let link = id();
    let user = acme.user(json!({"id": link, "email": ""}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post("/users/retrieve", json!({"user_id": user})).await.expect(200),
        json!({"id": link, "user_id": user, "email": "", "name": "Ada", "avatar_url": "", "portal_role": "end_user",
            "company_name": "", "customer_status": "", "created_at": "2026-01-02T00:00:00.000Z", "is_subscribed": false, "external_id": null})
    );
    assert_eq!(
        acme.post("/users/retrieve", json!({"email": ""})).await.expect(404),
        error("user not found")
    );
}

#[rstest]
#[tokio::test]
async fn exactly_one_selector_is_given(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    for neither in [json!({}), json!({"user_id": null}), json!({"user_id": null, "email": null})] {
        let answer = acme.post("/users/retrieve", neither).await.expect(422);
        assert_eq!(answer, invalid(&[("missing", "user_id", "Field required", Value::Null)]));
    }
    let both = acme
        .post("/users/retrieve", json!({"user_id": id(), "email": "ada@example.com"}))
        .await
        .expect(422);
    assert_eq!(both["detail"].as_array().map(Vec::len), Some(1));
    assert_eq!(both["detail"][0]["type"], "value_error");
    assert_eq!(both["detail"][0]["loc"], json!(["body", "email"]));
    assert_eq!(both["detail"][0]["input"], "ada@example.com");
    let wrong =
        acme.post("/users/retrieve", json!({"user_id": 5, "email": false})).await.expect(422);
    let types: Vec<&Value> =
        wrong["detail"].as_array().expect("items").iter().map(|item| &item["type"]).collect();
    assert_eq!(types, ["uuid_type", "string_type"]);
}
