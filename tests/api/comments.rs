//! `/comments/retrieve`, `/comments/list`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

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
    let page = acme.post("/comments/list", json!({"feedback_post_id": post})).await.expect(200);
    let shown = acme.post("/comments/retrieve", json!({"id": reply})).await.expect(200);
    assert_eq!(page, json!({"items": [parent, shown], "has_next_page": false, "cursor": null}));
}
