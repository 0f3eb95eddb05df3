//! `/moderation/…`, `/audit/list` and `/feedback-posts/activity`

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

async fn items(acme: &Organization, path: &str, body: Value) -> Vec<Value> {
    acme.post(path, body).await.expect(200)["items"].as_array().expect("items").clone()
}

#[rstest]
#[tokio::test]
async fn what_waits_is_listed_oldest_first_and_decided_together(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (board, author) = (acme.board(json!({})), acme.user(json!({})));
    let pending = |created_at: &str| {
        json!({"moderation_status_code": "pending", "board_id": board, "author_id": author,
            "title": "Buy now", "description": "Cheap", "created_at": created_at})
    };
    let late = acme.post(pending("2026-01-06"));
    let early = acme.post(pending("2026-01-05"));
    let open = acme.post(json!({"title": "Dark mode"}));
    let comment = json!({"moderation_status_code": "pending", "author_id": author,
        "content": "Me too", "created_at": "2026-01-07"});
    let comment = acme.comment(&open, comment);
    acme.receiver();
    let acme = acme.open(store).await;
    let queue = async |kind: &str| items(&acme, "/moderation/list", json!({"kind": kind})).await;
    let post = |id: &str, at: &str| {
        json!({"kind": "post", "id": id, "post_id": id, "board_id": board, "author_id": author,
            "title": "Buy now", "content": "Cheap", "moderation_status_code": "pending",
            "created_at": at})
    };
    assert_eq!(
        queue("post").await,
        [post(&early, "2026-01-05T00:00:00.000Z"), post(&late, "2026-01-06T00:00:00.000Z")]
    );
    let comments = queue("comment").await;
    assert_eq!(comments.len(), 1);
    let shown = ["id", "post_id", "title", "content"].map(|member| comments[0][member].clone());
    assert_eq!(json!(shown), json!([comment, open, "Dark mode", "Me too"]));
    let decide = async |items: Value, code: &str| {
        let body = json!({"items": items, "moderation_status_code": code});
        acme.post("/moderation/decide", body).await
    };
    let before = acme.export().await;
    let unknown =
        decide(json!([{"kind": "post", "id": early}, {"kind": "comment", "id": id()}]), "spam");
    assert_eq!(unknown.await.expect(404), error("comment not found"));
    assert_eq!(acme.export().await, before);
    let all = json!([
        {"kind": "post", "id": early}, {"kind": "post", "id": early},
        {"kind": "comment", "id": comment},
    ]);
    let done = decide(all.clone(), "accepted").await.expect(200);
    assert_eq!(done, json!({"success": true, "changed": 2}));
    assert_eq!(decide(all, "accepted").await.expect(200)["changed"], 0);
    assert_eq!(
        decide(json!([{"kind": "post", "id": late}]), "spam").await.expect(200)["changed"],
        1
    );
    let events = acme.events().await;
    let types: Vec<&Value> = events.iter().map(|event| &event["event"]).collect();
    assert_eq!(types, ["post.created", "comment.created"]);
    assert_eq!((queue("post").await, queue("comment").await), (vec![], vec![]));
    let spam = json!({"kind": "post", "moderation_status_code": "spam"});
    assert_eq!(items(&acme, "/moderation/list", spam).await.len(), 1);
}

#[rstest]
#[tokio::test]
async fn each_change_is_in_the_audit_log_and_in_the_activity_of_its_post(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (board, closed) =
        (acme.board(json!({})), acme.status(json!({"status_group_code": "closed"})));
    let kim = acme.user(json!({}));
    let open = acme.status(json!({}));
    let acme = acme.open(store).await;
    let made = acme
        .post(
            "/feedback-posts/create",
            json!({"board_id": board, "title": "Dark mode", "author_id": kim, "status_id": open}),
        )
        .await
        .expect(200);
    let post = made["id"].as_str().expect("an id").to_owned();
    let change = json!({"post_id": post, "status_id": closed, "changed_by_id": kim,
        "note": "It is done."});
    acme.post("/feedback-posts/change-status", change).await.expect(200);
    let rename = json!({"post_id": post, "title": "Light mode"});
    acme.post("/feedback-posts/update", rename.clone()).await.expect(200);
    acme.post("/feedback-posts/update", rename).await.expect(200);
    let activity = items(&acme, "/feedback-posts/activity", json!({"post_id": post})).await;
    let types: Vec<&Value> = activity.iter().map(|item| &item["type"]).collect();
    assert_eq!(types, ["edited", "status_changed", "created"]);
    assert_eq!(activity[0]["data"]["before"]["title"], "Dark mode");
    assert_eq!(activity[0]["data"]["after"]["title"], "Light mode");
    assert_eq!(activity[0]["actor_id"], Value::Null);
    assert_eq!(
        (&activity[1]["actor_id"], &activity[1]["data"]["note"]),
        (&json!(kim), &json!("It is done."))
    );
    let audit = items(&acme, "/audit/list", json!({"target_id": post})).await;
    let shown = |entry: &Value| json!([entry["door"], entry["action"], entry["target_kind"]]);
    assert_eq!(
        audit.iter().map(shown).collect::<Vec<_>>(),
        [
            json!(["api", "feedback-posts/update", "feedback_post"]),
            json!(["api", "feedback-posts/change-status", "feedback_post"]),
            json!(["api", "feedback-posts/create", "feedback_post"]),
        ]
    );
    let of_kim = items(&acme, "/audit/list", json!({"actor_id": kim})).await;
    assert_eq!(of_kim.len(), 2, "the post and the comment of the note: {of_kim:?}");
    let by_action = json!({"action": "feedback-posts/create"});
    assert_eq!(items(&acme, "/audit/list", by_action).await.len(), 2, "with the subscription");
    let unknown = acme.post("/feedback-posts/activity", json!({"post_id": id()})).await;
    assert_eq!(unknown.expect(404), error("feedback post not found"));
}

#[rstest]
#[tokio::test]
async fn a_decision_trusts_or_blocks_the_authors(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let [ada, bea] = [0; 2].map(|_| acme.user(json!({})));
    let pending = |author: &str| json!({"moderation_status_code": "pending", "author_id": author});
    let (good, bad) = (acme.post(pending(&ada)), acme.post(pending(&bea)));
    let acme = acme.open(store).await;
    let decide = async |post: &str, code: &str, more: Value| {
        let mut body = more;
        body["items"] = json!([{"kind": "post", "id": post}]);
        body["moderation_status_code"] = code.into();
        acme.post("/moderation/decide", body).await
    };
    let flags = async |user: &str| {
        let user = acme.retrieve("/users/retrieve", "user_id", user).await;
        json!([user["is_trusted"], user["is_blocked"]])
    };
    let both = json!({"trust_author": true, "block_author": true});
    decide(&good, "accepted", both).await.expect(422);
    decide(&good, "accepted", json!({"trust_author": true})).await.expect(200);
    decide(&bad, "spam", json!({"block_author": true})).await.expect(200);
    assert_eq!(flags(&ada).await, json!([true, false]));
    assert_eq!(flags(&bea).await, json!([false, true]));
    // The decision changes authors also if the state of the post stays.
    decide(&bad, "spam", json!({"trust_author": true})).await.expect(200);
    assert_eq!(flags(&bea).await, json!([true, false]));
    // A body without either leaves them.
    decide(&bad, "accepted", json!({})).await.expect(200);
    assert_eq!(flags(&bea).await, json!([true, false]));
}

#[rstest]
#[tokio::test]
async fn a_first_acceptance_by_any_door_trusts_the_author_where_first_posts_are_moderated(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let first_posts =
        json!({"post_moderation_code": "first_post", "comment_moderation_code": "on"});
    let first_comments = json!({"comment_moderation_code": "first_post"});
    let (posts, comments) = (acme.board(first_posts), acme.board(first_comments));
    let authors = [0; 7].map(|_| acme.user(json!({})));
    let gone = acme.user(json!({"is_active": false}));
    let blocked = acme.user(json!({"is_blocked": true}));
    let mut waiting = |board: &str, author: &str, members: Value| {
        let mut post = members;
        post["moderation_status_code"] = "pending".into();
        post["board_id"] = board.into();
        post["author_id"] = author.into();
        acme.post(post)
    };
    let [decided, updated, bulk] = [0, 1, 2].map(|n| waiting(&posts, &authors[n], json!({})));
    let elsewhere = waiting(&comments, &authors[3], json!({}));
    let rejected = waiting(&posts, &authors[4], json!({}));
    let of_others = [&gone, &blocked].map(|author| waiting(&posts, author, json!({})));
    let [on_posts, on_comments] =
        [&posts, &comments].map(|board| acme.post(json!({"board_id": board})));
    let mut comment = |post: &str, author: &str| {
        acme.comment(post, json!({"moderation_status_code": "pending", "author_id": author}))
    };
    let (unmoved, trusting) = (comment(&on_posts, &authors[5]), comment(&on_comments, &authors[6]));
    let acme = acme.open(store).await;
    let accept = async |path: &str, body: Value| {
        let mut body = body;
        body["moderation_status_code"] = "accepted".into();
        acme.post(path, body).await.expect(200);
    };
    let is_trusted = async |user: &str| {
        let user = acme.retrieve("/users/retrieve", "user_id", user).await;
        user["is_trusted"] == true
    };
    let reject = json!({"post_id": rejected, "moderation_status_code": "rejected"});
    acme.post("/feedback-posts/update", reject).await.expect(200);
    accept("/moderation/decide", json!({"items": [{"kind": "post", "id": decided}]})).await;
    accept("/feedback-posts/update", json!({"post_id": updated})).await;
    let [of_gone, of_blocked] = &of_others;
    let many = json!({"post_ids": [bulk, elsewhere, of_gone, of_blocked]});
    accept("/feedback-posts/bulk-update", many).await;
    accept("/comments/update", json!({"comment_id": unmoved})).await;
    accept("/comments/update", json!({"comment_id": trusting})).await;
    let mut trusted = Vec::new();
    for author in &authors {
        trusted.push(is_trusted(author).await);
    }
    assert_eq!(trusted, [true, true, true, false, false, false, true]);
    assert!(!is_trusted(&blocked).await);
    let records = acme.export().await;
    let unlinked = records.iter().find(|it| it["user_id"] == json!(gone)).expect("the user");
    assert_ne!(unlinked["is_trusted"], true);
    // The change has an entry in the log, as that of any other record.
    let audit = json!({"target_id": authors[1], "action": "feedback-posts/update"});
    let audit = items(&acme, "/audit/list", audit).await;
    assert_eq!((audit.len(), &audit[0]["data"]["after"]["is_trusted"]), (1, &json!(true)));
}

#[rstest]
#[tokio::test]
async fn a_block_rejects_what_waits_of_the_user_if_asked(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let [ada, bea] = [0; 2].map(|_| acme.user(json!({})));
    let pending = |author: &str| json!({"moderation_status_code": "pending", "author_id": author});
    let open = acme.post(json!({"author_id": ada}));
    acme.post(pending(&ada));
    acme.comment(&open, pending(&ada));
    let other = acme.post(pending(&bea));
    let acme = acme.open(store).await;
    let ids = async |state: &str| {
        let mut all = Vec::new();
        for kind in ["post", "comment"] {
            let body = json!({"kind": kind, "moderation_status_code": state});
            all.extend(items(&acme, "/moderation/list", body).await);
        }
        all
    };
    acme.post("/users/block", json!({"user_id": ada})).await.expect(200);
    assert_eq!(ids("pending").await.len(), 3);
    // A user who is blocked already can be blocked again, to reject what waits.
    let reject = json!({"user_id": ada, "reject_pending": true});
    acme.post("/users/block", reject).await.expect(200);
    let waiting = ids("pending").await;
    assert_eq!((waiting.len(), &waiting[0]["id"]), (1, &json!(other)));
    assert_eq!(ids("rejected").await.len(), 2);
    let post = acme.retrieve("/feedback-posts/retrieve", "id", &open).await;
    assert_eq!(post["moderation_status_code"], "accepted");
}
