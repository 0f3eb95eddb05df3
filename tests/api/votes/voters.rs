//! `/votes/voters`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

#[rstest]
#[tokio::test]
async fn voters_are_listed_oldest_vote_first(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let post = acme.post(json!({}));
    let ada = acme.user(json!({"name": "Ada", "email": "ada@example.com"}));
    let bob = acme.user(json!({"name": "Bob", "email": ""}));
    let left = acme.user(json!({"name": "Left", "email": "left@example.com", "is_active": false}));
    acme.vote(&ada, &post, json!({"created_at": "2026-01-06"}));
    acme.vote(&bob, &post, json!({"created_at": "2026-01-05"}));
    acme.vote(&left, &post, json!({"created_at": "2026-01-06"}));
    let acme = acme.open(store).await;
    let page = acme
        .post("/votes/voters", json!({"post_id": post, "post_type": "feedback"}))
        .await
        .expect(200);
    assert_eq!(
        page,
        json!({"items": [
            {"user_id": bob, "name": "Bob", "email": "", "voted_at": "2026-01-05T00:00:00.000Z"},
            {"user_id": ada, "name": "Ada", "email": "ada@example.com", "voted_at": "2026-01-06T00:00:00.000Z"},
            {"user_id": left, "name": "Left", "email": "left@example.com", "voted_at": "2026-01-06T00:00:00.000Z"},
        ], "has_next_page": false, "cursor": null})
    );
}
