//! `/comments/…`

use crate::support::{Draft, Store, error};
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
            "updated_at": "2026-03-01T00:00:00.500Z", "external_id": null, "is_pinned": false})
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

#[rstest]
#[tokio::test]
async fn a_comment_is_made_changed_and_deleted(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, author) = (acme.post(json!({})), acme.user(json!({})));
    acme.receiver();
    let acme = acme.open(store).await;
    let body = json!({"feedback_post_id": post, "content": "Yes, please.", "author_id": author, "external_id": "c-1",
        "created_at": "2020-02-03"});
    let made = acme.post("/comments/create", body.clone()).await.expect(200);
    let comment = made["id"].as_str().unwrap().to_owned();
    assert_eq!(made, json!({"id": comment}));
    assert_eq!(acme.post("/comments/create", body).await.expect(200), made);
    let retrieve = async || acme.post("/comments/retrieve", json!({"id": comment})).await;
    let mut expected = json!({"id": comment, "content": "Yes, please.", "author_id": author, "parent_comment_id": null,
        "feedback_post_id": post, "visibility_code": "public", "moderation_status_code": "accepted",
        "created_at": "2020-02-03T00:00:00.000Z", "updated_at": "2020-02-03T00:00:00.000Z", "external_id": "c-1",
        "is_pinned": false});
    assert_eq!(retrieve().await.expect(200), expected);
    let shown = acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200);
    assert_eq!(shown["comment_count"], 1);

    let reply = json!({"feedback_post_id": post, "content": "Me too.", "author_email": "bea@example.com",
        "parent_comment_id": comment});
    acme.post("/comments/create", reply).await.expect(200);
    let patch = json!({"comment_id": comment, "content": "No."});
    assert_eq!(acme.post("/comments/update", patch).await.expect(200), json!({"success": true}));
    let updated = retrieve().await.expect(200);
    expected["content"] = "No.".into();
    expected["updated_at"] = updated["updated_at"].clone();
    assert_eq!(updated, expected);
    let named = json!({"comment_id": comment});
    assert_eq!(acme.post("/comments/delete", named).await.expect(200), json!({"success": true}));
    assert_eq!(retrieve().await.expect(404), error("comment not found"));
    // The reply stays.
    let page = acme.post("/comments/list", json!({"feedback_post_id": post})).await.expect(200);
    assert_eq!(page["items"].as_array().map(Vec::len), Some(1));
    let names: Vec<Value> =
        acme.events().await.into_iter().map(|event| event["event"].clone()).collect();
    assert_eq!(names, ["comment.created", "comment.created", "comment.edited", "comment.deleted"]);
}

#[rstest]
#[tokio::test]
async fn a_comment_that_does_not_fit_its_parent_or_its_board_is_refused(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let quiet = acme.board(json!({"is_commenting_enabled": false}));
    let (post, author) = (acme.post(json!({})), acme.user(json!({})));
    let closed = acme.post(json!({"board_id": quiet}));
    let elsewhere = acme.comment(&closed, json!({}));
    let note = acme.comment(&post, json!({"visibility_code": "internal"}));
    let acme = acme.open(store).await;
    let create = async |post: &str, more: Value| {
        let mut body = json!({"feedback_post_id": post, "content": "Yes.", "author_id": author});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        acme.post("/comments/create", body).await
    };
    let refused = create(&post, json!({"parent_comment_id": elsewhere})).await;
    assert_eq!(refused.expect(400), error("the parent comment is on another post"));
    let refused = create(&closed, json!({})).await;
    let detail = json!({"detail": "Commenting is disabled for this board"});
    assert_eq!(refused.expect(403), detail);
    create(&closed, json!({"visibility_code": "internal"})).await.expect(200);
    let public = json!({"parent_comment_id": note, "visibility_code": "public"});
    let item = json!({"type": "value_error", "loc": ["body", "visibility_code"],
        "msg": "Value error, a reply to an internal comment is internal", "input": null});
    assert_eq!(create(&post, public).await.expect(422), json!({"detail": [item]}));
    let made = create(&post, json!({"parent_comment_id": note})).await.expect(200);
    let shown = acme.post("/comments/retrieve", json!({"id": made["id"]})).await.expect(200);
    assert_eq!(shown["visibility_code"], "internal");
}

#[rstest]
#[tokio::test]
async fn at_most_one_comment_of_a_post_is_pinned(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, other) = (acme.post(json!({})), acme.post(json!({})));
    let [a, b] = [0; 2].map(|_| acme.comment(&post, json!({})));
    let c = acme.comment(&other, json!({"is_pinned": true}));
    let acme = acme.open(store).await;
    let pin = async |id: &str, is_pinned: bool| {
        let body = json!({"comment_id": id, "is_pinned": is_pinned});
        assert_eq!(acme.post("/comments/update", body).await.expect(200), json!({"success": true}));
    };
    let pinned = async || {
        let mut shown = Vec::new();
        for id in [&a, &b, &c] {
            let comment = acme.post("/comments/retrieve", json!({"id": id})).await.expect(200);
            shown.push(comment["is_pinned"] == true);
        }
        shown
    };
    for (id, is_pinned, expected) in [
        (&a, true, [true, false, true]),
        (&b, true, [false, true, true]),
        (&b, true, [false, true, true]),
        (&b, false, [false, false, true]),
    ] {
        pin(id, is_pinned).await;
        assert_eq!(pinned().await, expected);
    }
}

#[rstest]
#[tokio::test]
async fn changes_of_comments_are_walked_oldest_first_with_the_deleted_ones(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (one, other) = (acme.post(json!({})), acme.post(json!({})));
    let author = acme.user(json!({}));
    let at = |time: &str| json!({"updated_at": time, "author_id": author});
    let late = acme.comment(&one, at("2026-03-02T00:00:00Z"));
    let gone = json!({"updated_at": "2026-03-01T00:00:00Z", "is_active": false});
    let gone = acme.comment(&one, gone);
    let early = acme.comment(&other, at("2026-02-01T00:00:00Z"));
    let acme = acme.open(store).await;
    let list = async |body: Value| {
        let page = acme.post("/comments/list", body).await.expect(200);
        let items = page["items"].as_array().expect("items").clone();
        (items.iter().map(|item| item["id"].clone()).collect::<Vec<_>>(), items)
    };
    let since = |time: &str| json!({"updated_after": time});
    assert_eq!(list(since("2026-02-01")).await.0, [json!(early), json!(late)]);
    assert_eq!(list(since("2026-03-02")).await.0, [json!(late)]);
    let with_deleted = json!({"updated_after": "2026-02-01", "include_deleted": true});
    let (ids, items) = list(with_deleted).await;
    assert_eq!(ids, [json!(early), json!(gone), json!(late)]);
    let deleted = json!({"id": gone, "is_active": false, "updated_at": "2026-03-01T00:00:00.000Z"});
    assert_eq!(items[1], deleted);
    let of_author = json!({"updated_after": "2026-02-01", "author_id": author, "limit": 1});
    assert_eq!(list(of_author).await.0, [json!(early)]);
    let answer = acme.post("/comments/list", json!({"include_deleted": true})).await.expect(422);
    assert_eq!(answer["detail"][0]["loc"], json!(["body", "include_deleted"]));
    let answer = acme.post("/comments/list", json!({})).await.expect(422);
    assert_eq!(answer["detail"][0]["loc"], json!(["body", "feedback_post_id"]));
}
