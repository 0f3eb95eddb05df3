//! `/feedback-posts/unmerge`, and merges that are only tried

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

async fn post(acme: &Organization, id: &str) -> Value {
    acme.post("/feedback-posts/retrieve", json!({"id": id})).await.expect(200)
}

/// The votes on a post, oldest first: each with its voter and time.
async fn votes(acme: &Organization, id: &str) -> Vec<Value> {
    let body = json!({"post_id": id, "post_type": "feedback", "limit": 100});
    let page = acme.post("/votes/list", body).await.expect(200);
    let items = page["items"].as_array().expect("items").clone();
    assert_eq!(post(acme, id).await["vote_count"], items.len());
    items.iter().map(|vote| json!([vote["id"], vote["user_id"], vote["created_at"]])).collect()
}

async fn toggle(acme: &Organization, user: &str, post: &str) {
    let body = json!({"user_id": user, "post_id": post, "post_type": "feedback"});
    acme.post("/votes/toggle", body).await.expect(200);
}

async fn merge(acme: &Organization, source: &str, target: &str, merger: &str) -> Value {
    let body = json!({"merge_post_id": source, "into_post_id": target, "merger_id": merger});
    acme.post("/feedback-posts/merge", body).await.expect(200)
}

#[rstest]
#[tokio::test]
async fn a_merge_and_its_end_restore_every_vote_of_both_posts(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (source, target, last) = (acme.post(json!({})), acme.post(json!({})), acme.post(json!({})));
    let users: Vec<String> = (0..6).map(|_| acme.user(json!({}))).collect();
    let [ada, bob, eve, max, kim, lou] = &users[..] else { panic!("six users") };
    acme.vote(ada, &source, json!({"created_at": "2026-01-05", "source_url": "https://a.example"}));
    acme.vote(ada, &target, json!({"created_at": "2026-01-06"}));
    acme.vote(bob, &source, json!({"created_at": "2026-01-08", "created_by_id": eve}));
    acme.vote(bob, &target, json!({"created_at": "2026-01-07"}));
    acme.vote(eve, &source, json!({"created_at": "2026-01-04"}));
    acme.vote(max, &target, json!({"created_at": "2026-01-09"}));
    acme.vote(lou, &source, json!({"created_at": "2026-01-10"}));
    let acme = acme.open(store).await;
    let before = (votes(&acme, &source).await, votes(&acme, &target).await);
    let body =
        json!({"merge_post_id": source, "into_post_id": target, "merger_id": ada, "dry_run": true});
    assert_eq!(
        acme.post("/feedback-posts/merge", body).await.expect(200),
        json!({"dry_run": true, "effects": {"votes_moved": 2, "votes_dropped": 2}})
    );
    assert_eq!((votes(&acme, &source).await, votes(&acme, &target).await), before);
    assert_eq!(merge(&acme, &source, &target, ada).await, json!({"success": true}));
    assert_eq!(votes(&acme, &target).await.len(), 5);
    let merged = post(&acme, &source).await;

    // Since then, a vote is withdrawn, one is cast, and the target is merged, too.
    toggle(&acme, lou, &source).await;
    toggle(&acme, kim, &source).await;
    let cast = votes(&acme, &target).await.pop().expect("a vote");
    merge(&acme, &target, &last, ada).await;
    let undo = json!({"post_id": source, "merger_id": bob, "dry_run": true});
    assert_eq!(
        acme.post("/feedback-posts/unmerge", undo).await.expect(200),
        json!({"dry_run": true, "effects":
            {"votes_returned": 1, "votes_restored": 2, "posts_followed": 0}})
    );
    assert_eq!(post(&acme, &source).await, merged);
    let undo = json!({"post_id": source, "merger_id": bob});
    assert_eq!(
        acme.post("/feedback-posts/unmerge", undo.clone()).await.expect(200),
        json!({"success": true})
    );
    let again = acme.post("/feedback-posts/unmerge", undo).await;
    assert_eq!(again.expect(400), error("the post is not merged"));
    let open = post(&acme, &source).await;
    assert_eq!(open["merged_into_id"], Value::Null);
    assert_ne!(open["updated_at"], merged["updated_at"]);
    let mut on_source = before.0.clone();
    on_source.retain(|vote| vote[1] != *lou);
    assert_eq!(votes(&acme, &source).await, on_source);
    let undo = json!({"post_id": target});
    assert_eq!(
        acme.post("/feedback-posts/unmerge", undo).await.expect(200),
        json!({"success": true})
    );
    let on_target = [before.1.clone(), vec![cast]].concat();
    assert_eq!(votes(&acme, &target).await, on_target);
    assert_eq!(votes(&acme, &source).await, on_source);
    assert_eq!(votes(&acme, &last).await, Vec::<Value>::new());

    // The votes say all that they said before.
    let records = acme.export().await;
    let of_bob = records.iter().find(|it| it["kind"] == "vote" && it["created_by_id"] == *eve);
    assert_eq!(of_bob.expect("a vote")["post_id"], source);
    assert!(records.iter().any(|it| it["source_url"] == "https://a.example"));
    assert!(
        records.iter().all(|it| it["kind"] != "dropped_vote" && it["cast_on_id"] == Value::Null)
    );
}

#[rstest]
#[tokio::test]
async fn a_merge_and_its_end_have_an_event_and_are_in_the_activity_of_their_posts(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let board = acme.board(json!({"name": "Ideas"}));
    let (source, target) = (
        acme.post(json!({"board_id": board, "title": "Dark", "description": "At night"})),
        acme.post(json!({})),
    );
    let pending = acme.post(json!({"moderation_status_code": "pending"}));
    let ada = acme.user(json!({}));
    acme.receiver_of(json!(["post.merged", "post.unmerged"]));
    let acme = acme.open(store).await;
    for source in [&source, &pending] {
        merge(&acme, source, &target, &ada).await;
        let undo = json!({"post_id": source});
        acme.post("/feedback-posts/unmerge", undo).await.expect(200);
    }
    let events = acme.events().await;
    let told: Vec<Value> =
        events.iter().map(|event| json!([event["event"], event["data"]])).collect();
    let data = |merger: Value| {
        json!({"id": source, "title": "Dark", "details": "At night", "board_id": board,
            "board_name": "Ideas", "into_post_id": target, "merger_id": merger})
    };
    assert_eq!(
        told,
        [json!(["post.merged", data(json!(ada))]), json!(["post.unmerged", data(Value::Null)]),]
    );
    let activity = async |post: &str| {
        let page =
            acme.post("/feedback-posts/activity", json!({"post_id": post})).await.expect(200);
        let items = page["items"].as_array().expect("items").clone();
        items.iter().map(|it| json!([it["type"], it["actor_id"]])).collect::<Vec<Value>>()
    };
    assert_eq!(activity(&source).await, [json!(["unmerged", null]), json!(["merged", ada])]);
    let merged_in = json!(["merged_in", ada]);
    assert_eq!(activity(&target).await, [merged_in.clone(), merged_in]);
}

#[rstest]
#[tokio::test]
async fn posts_that_were_merged_into_the_source_before_follow_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (first, source, target) =
        (acme.post(json!({})), acme.post(json!({})), acme.post(json!({})));
    let (ada, bob) = (acme.user(json!({})), acme.user(json!({})));
    acme.vote(&ada, &first, json!({}));
    let acme = acme.open(store).await;
    merge(&acme, &first, &source, &ada).await;
    merge(&acme, &source, &target, &ada).await;
    let undo = json!({"post_id": source, "dry_run": true});
    assert_eq!(
        acme.post("/feedback-posts/unmerge", undo).await.expect(200),
        json!({"dry_run": true, "effects":
            {"votes_returned": 1, "votes_restored": 0, "posts_followed": 1}})
    );
    acme.post("/feedback-posts/unmerge", json!({"post_id": source})).await.expect(200);
    toggle(&acme, &bob, &first).await;
    assert_eq!(votes(&acme, &source).await.len(), 2);
    assert_eq!(votes(&acme, &target).await, Vec::<Value>::new());
    assert_eq!(post(&acme, &first).await["merged_into_id"], source);
}

#[rstest]
#[tokio::test]
async fn a_post_without_a_record_of_its_merge_leaves_its_votes_on_the_target(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (target, ada) = (acme.post(json!({})), acme.user(json!({})));
    let merged = acme.post(json!({"merged_into_id": target}));
    acme.vote(&ada, &target, json!({}));
    let acme = acme.open(store).await;
    // A deleted target lets go of the post, too.
    acme.post("/feedback-posts/delete", json!({"post_id": target})).await.expect(200);
    let answer = acme.post("/feedback-posts/unmerge", json!({"post_id": merged})).await;
    assert_eq!(answer.expect(200), json!({"success": true}));
    assert_eq!(votes(&acme, &merged).await, Vec::<Value>::new());
    acme.post("/feedback-posts/restore", json!({"post_id": target})).await.expect(200);
    assert_eq!(votes(&acme, &target).await.len(), 1);
}

#[rstest]
#[tokio::test]
async fn a_missing_post_or_user_and_an_open_post_are_refused(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let target = acme.post(json!({}));
    let deleted = acme.post(json!({"merged_into_id": target, "is_active": false}));
    let merged = acme.post(json!({"merged_into_id": target}));
    let acme = acme.open(store).await;
    for dry_run in [false, true] {
        let ask = async |post: &str, merger: Option<String>| {
            let body = json!({"post_id": post, "merger_id": merger, "dry_run": dry_run});
            acme.post("/feedback-posts/unmerge", body).await
        };
        for post in [id(), deleted.clone()] {
            let answer = ask(&post, Some(id())).await;
            assert_eq!(answer.expect(404), error("feedback post not found"));
        }
        let answer = ask(&merged, Some(id())).await;
        assert_eq!(answer.expect(404), error("user not found"));
        assert_eq!(ask(&target, None).await.expect(400), error("the post is not merged"));
        let merge = json!({"merge_post_id": target, "into_post_id": id(), "merger_id": id(), "dry_run": dry_run});
        let answer = acme.post("/feedback-posts/merge", merge).await;
        assert_eq!(answer.expect(404), error("into_post not found"));
    }
}
