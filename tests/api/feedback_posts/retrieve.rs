//! `/feedback-posts/retrieve`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn a_post_has_the_contracts_fields_and_ours(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (author, owner, voter) =
        (acme.user(json!({})), acme.user(json!({})), acme.user(json!({"is_active": false})));
    let (board, status, category) =
        (acme.board(json!({})), acme.status(json!({})), acme.category(json!({})));
    let (first, second) = (acme.tag(json!({})), acme.tag(json!({})));
    let post = acme.post(
        json!({"title": "Ünïcode & <b>", "description": "Line\nbreak \"quoted\" \u{1F600}", "slug": "Unicode", "board_id": board,
        "author_id": author, "owner_id": owner, "status_id": status, "category_id": category, "eta": "2027-01-01",
        "moderation_status_code": "pending", "tag_ids": [second, first], "updated_at": "2026-02-03T04:05:06.789Z"}),
    );
    acme.vote(&author, &post, json!({}));
    acme.vote(&voter, &post, json!({}));
    acme.comment(&post, json!({"visibility_code": "internal", "moderation_status_code": "spam"}));
    acme.comment(&post, json!({"is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200),
        json!({"id": post, "title": "Ünïcode & <b>", "description": "Line\nbreak \"quoted\" \u{1F600}", "slug": "Unicode", "board_id": board,
            "author_id": author, "owner_id": owner, "status_id": status, "category_id": category,
            "eta": "2027-01-01T00:00:00.000Z", "moderation_status_code": "pending",
            "created_at": "2026-01-03T00:00:00.000Z", "updated_at": "2026-02-03T04:05:06.789Z",
            "tag_ids": [second, first], "vote_count": 2, "comment_count": 1, "monthly_spend": "0.00", "merged_into_id": null,
            "external_id": null, "eta_is_public": true, "is_pinned": false, "created_by_id": null,
            "status_changed_at": "2026-01-03T00:00:00.000Z", "attributes": {}, "roadmap_post_ids": []})
    );
}

#[rstest]
#[tokio::test]
async fn a_member_that_was_never_given_is_empty_or_null(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let post = acme.post(json!({}));
    let acme = acme.open(store).await;
    let shown = acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200);
    let page = acme.post("/feedback-posts/list", json!({})).await.expect(200);
    assert_eq!(page, json!({"items": [shown], "has_next_page": false, "cursor": null}));
    assert_eq!(shown["description"], "");
    for member in ["owner_id", "category_id", "eta", "merged_into_id"] {
        assert_eq!(shown[member], Value::Null, "{member}");
    }
    assert_eq!(
        (&shown["tag_ids"], &shown["vote_count"], &shown["comment_count"]),
        (&json!([]), &json!(0), &json!(0))
    );
    assert_eq!(shown["updated_at"], shown["created_at"]);
}
