//! `/comments/retrieve`, `/comments/list`

use crate::support::{Draft, Store, error, id, invalid};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn a_comment_has_the_contracts_fields(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, author) = (acme.post(json!({})), acme.user(json!({})));
    let parent = acme.comment(&post, json!({}));
    let reply = acme.comment(
        &post,
        json!({"content": "", "author_id": author, "parent_comment_id": parent,
        "visibility_code": "internal", "moderation_status_code": "rejected", "updated_at": "2026-03-01T00:00:00.500Z"}),
    );
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post("/comments/retrieve", json!({"id": reply})).await.expect(200),
        json!({"id": reply, "content": "", "author_id": author, "parent_comment_id": parent, "feedback_post_id": post,
            "visibility_code": "internal", "moderation_status_code": "rejected", "created_at": "2026-01-04T00:00:00.000Z",
            "updated_at": "2026-03-01T00:00:00.500Z"})
    );
    let parent = acme.post("/comments/retrieve", json!({"id": parent})).await.expect(200);
    assert_eq!(
        json!([
            parent["parent_comment_id"],
            parent["visibility_code"],
            parent["moderation_status_code"]
        ]),
        json!([null, "public", "accepted"])
    );
}

#[rstest]
#[tokio::test]
async fn an_unknown_or_deleted_comment_is_not_found(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let post = acme.post(json!({}));
    let deleted = acme.comment(&post, json!({"is_active": false}));
    let acme = acme.open(store).await;
    for id in [deleted, id()] {
        assert_eq!(
            acme.post("/comments/retrieve", json!({"id": id})).await.expect(404),
            error("comment not found")
        );
    }
}

#[rstest]
#[tokio::test]
async fn comments_on_one_post_are_listed_oldest_first(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, other) = (acme.post(json!({})), acme.post(json!({})));
    let second = acme.comment(&post, json!({"created_at": "2026-01-06"}));
    let third =
        acme.comment(&post, json!({"created_at": "2026-01-06", "visibility_code": "internal"}));
    let first = acme
        .comment(&post, json!({"created_at": "2026-01-05", "moderation_status_code": "pending"}));
    acme.comment(&post, json!({"is_active": false}));
    acme.comment(&other, json!({}));
    let deleted = acme.post(json!({"is_active": false}));
    acme.comment(&deleted, json!({}));
    let acme = acme.open(store).await;
    let page = acme.post("/comments/list", json!({"feedback_post_id": post})).await.expect(200);
    let ids: Vec<&Value> =
        page["items"].as_array().expect("items").iter().map(|comment| &comment["id"]).collect();
    assert_eq!(ids, [&first, &second, &third]);
    assert_eq!(
        page["items"][0],
        acme.post("/comments/retrieve", json!({"id": first})).await.expect(200)
    );
    for nothing in [deleted, id()] {
        let page =
            acme.post("/comments/list", json!({"feedback_post_id": nothing})).await.expect(200);
        assert_eq!(page, json!({"items": [], "has_next_page": false, "cursor": null}));
    }
    let missing = acme.post("/comments/list", json!({})).await.expect(422);
    assert_eq!(missing, invalid(&[("missing", "feedback_post_id", "Field required", Value::Null)]));
}
