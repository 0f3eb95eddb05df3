//! `/feedback-posts/retrieve`

use crate::support::{Draft, Store, error, id};
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
            "tag_ids": [second, first], "vote_count": 2, "comment_count": 1, "merged_into_id": null})
    );
}

#[rstest]
#[tokio::test]
async fn what_was_never_given_is_empty_or_null(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let post = acme.post(json!({}));
    let acme = acme.open(store).await;
    let shown = acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200);
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

#[rstest]
#[tokio::test]
async fn a_merged_post_is_shown_and_a_deleted_one_is_not(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let target = acme.post(json!({}));
    let merged = acme.post(json!({"merged_into_id": target}));
    let deleted = acme.post(json!({"is_active": false}));
    let acme = acme.open(store).await;
    let shown = acme.post("/feedback-posts/retrieve", json!({"id": merged})).await.expect(200);
    assert_eq!(shown["merged_into_id"], target.as_str());
    for id in [deleted, id()] {
        assert_eq!(
            acme.post("/feedback-posts/retrieve", json!({"id": id})).await.expect(404),
            error("feedback post not found")
        );
    }
}

#[rstest]
#[tokio::test]
async fn references_to_deleted_records_still_show(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let gone = json!({"is_active": false});
    let (board, author, status, tag) = (
        acme.board(gone.clone()),
        acme.user(gone.clone()),
        acme.status(gone.clone()),
        acme.tag(gone),
    );
    let post = acme.post(
        json!({"board_id": board, "author_id": author, "status_id": status, "tag_ids": [tag]}),
    );
    let acme = acme.open(store).await;
    let shown = acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200);
    assert_eq!(
        json!([shown["board_id"], shown["author_id"], shown["status_id"], shown["tag_ids"]]),
        json!([board, author, status, [tag]])
    );
}
