//! `/users/merge`, `/users/erase`

use crate::support::{Draft, Store, error, eventually, id};
use rstest::rstest;
use serde_json::{Value, json};

/// What a merge or an erasure would do.
fn would(effects: Value) -> Value {
    json!({"dry_run": true, "effects": effects})
}

#[rstest]
#[tokio::test]
async fn a_merged_user_leaves_everything_to_the_other_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let stays = acme.user(json!({"email": ""}));
    let goes =
        acme.user(json!({"email": "ada@example.com", "name": "Ada L.", "external_id": "crm-7"}));
    let wish = acme.post(json!({"author_id": goes}));
    acme.comment(&wish, json!({"author_id": goes}));
    let [both, older, only] = [(); 3].map(|()| acme.post(json!({})));
    acme.vote(&stays, &both, json!({"created_at": "2026-01-05"}));
    let younger = acme.vote(&goes, &both, json!({"created_at": "2026-01-06"}));
    let dropped = acme.vote(&stays, &older, json!({"created_at": "2026-01-06"}));
    acme.vote(&goes, &older, json!({"created_at": "2026-01-05"}));
    acme.vote(&goes, &only, json!({}));
    acme.subscription(&goes, &wish);
    acme.subscription(&goes, &both);
    acme.subscription(&stays, &both);
    acme.receiver();
    let acme = acme.open(store).await;
    let merge = json!({"merge_user_id": goes, "into_user_id": stays});
    let mut dry = merge.clone();
    dry["dry_run"] = true.into();
    let effects = would(json!({"posts_moved": 1, "comments_moved": 1, "votes_moved": 1,
        "votes_dropped": 2, "subscriptions_moved": 1}));
    assert_eq!(acme.post("/users/merge", dry).await.expect(200), effects);
    assert_eq!(acme.events().await, Vec::<Value>::new());

    let answer = acme.post("/users/merge", merge.clone()).await;
    assert_eq!(answer.expect(200), json!({"success": true}));
    assert_eq!(acme.post("/users/merge", merge).await.expect(404), error("user not found"));
    let user = acme.post("/users/retrieve", json!({"user_id": stays})).await.expect(200);
    let filled = ["email", "name", "external_id"].map(|member| user[member].clone());
    assert_eq!(filled, ["ada@example.com", "Ada", "crm-7"]);
    let gone = acme.post("/users/retrieve", json!({"user_id": goes})).await;
    assert_eq!(gone.expect(404), error("user not found"));
    let post = acme.retrieve("/feedback-posts/retrieve", "id", &wish).await;
    assert_eq!(post["author_id"], json!(stays));
    for post in [&both, &older, &only] {
        let voters = json!({"post_id": post, "post_type": "feedback"});
        let voters = acme.post("/votes/voters", voters).await.expect(200);
        let [voter] = &voters["items"].as_array().expect("voters")[..] else { panic!("{voters}") };
        assert_eq!(voter["user_id"], json!(stays));
        assert_eq!(voter["voted_at"], "2026-01-05T00:00:00.000Z", "the older vote");
    }
    let mut deleted = acme.events().await;
    deleted.retain(|event| event["event"] == "vote.deleted");
    let mut deleted: Vec<_> = deleted.iter().map(|event| event["data"]["id"].clone()).collect();
    deleted.sort_by_key(Value::to_string);
    let mut expected = [json!(younger), json!(dropped)];
    expected.sort_by_key(Value::to_string);
    assert_eq!(deleted, expected);
    let itself = json!({"merge_user_id": stays, "into_user_id": stays});
    let faults = acme.faults("/users/merge", itself).await;
    assert_eq!(faults, [json!(["value_error", "into_user_id", stays])]);
    for body in [
        json!({"merge_user_id": id(), "into_user_id": stays}),
        json!({"merge_user_id": stays, "into_user_id": id()}),
    ] {
        assert_eq!(acme.post("/users/merge", body).await.expect(404), error("user not found"));
    }
}

#[rstest]
#[tokio::test]
async fn all_votes_of_a_merged_user_move_however_many_there_are(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    const VOTES: usize = 230;
    let mut acme = Draft::new();
    let [stays, goes] = [(); 2].map(|()| acme.user(json!({})));
    let (board_id, status_id) = (acme.board(json!({})), acme.status(json!({})));
    let author_id = acme.user(json!({}));
    for _ in 0..VOTES {
        let named = json!({"board_id": board_id, "status_id": status_id, "author_id": author_id});
        let post = acme.post(named);
        acme.vote(&goes, &post, json!({}));
    }
    let acme = acme.open(store).await;
    let merge = json!({"merge_user_id": goes, "into_user_id": stays});
    acme.post("/users/merge", merge).await.expect(200);
    eventually("all votes have moved", async || {
        let votes = acme.walk("/votes/list", json!({"user_id": stays}), 100).await;
        (votes.len() == VOTES).then_some(())
    })
    .await;
}

#[rstest]
#[tokio::test]
async fn what_an_erased_person_leaves_stays_without_a_name_or_is_deleted(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    for content in [None, Some("delete")] {
        let mut acme = Draft::new();
        let person = acme.user(json!({"email": "ada@example.com", "name": "Ada L."}));
        let wish = acme.post(json!({"author_id": person}));
        let other = acme.post(json!({}));
        acme.comment(&other, json!({"author_id": person}));
        acme.vote(&person, &other, json!({}));
        acme.receiver();
        let acme = acme.open(store).await;
        let erase = async |dry_run: bool| {
            let mut body = json!({"user_id": person, "dry_run": dry_run});
            if let Some(content) = content {
                body["content_code"] = content.into();
            }
            acme.post("/users/erase", body).await.expect(200)
        };
        let (deleted, anonymized) = if content.is_some() { (1, 1) } else { (0, 4) };
        let effects = |deleted: u8, anonymized: u8| {
            would(json!({"posts_deleted": deleted, "comments_deleted": deleted,
                "votes_deleted": deleted, "records_anonymized": anonymized}))
        };
        assert_eq!(erase(true).await, effects(deleted, anonymized));
        assert_eq!(erase(false).await, json!({"success": true}));
        assert_eq!(erase(true).await, effects(0, 0));
        let voters = json!({"post_id": other, "post_type": "feedback"});
        let voters = acme.post("/votes/voters", voters).await.expect(200);
        let post = acme.post("/feedback-posts/retrieve", json!({"id": wish})).await;
        let other = acme.retrieve("/feedback-posts/retrieve", "id", &other).await;
        let events = acme.events().await;
        let mut events: Vec<_> = events.iter().map(|event| event["event"].clone()).collect();
        events.sort_by_key(Value::to_string);
        let counts = (other["vote_count"].clone(), other["comment_count"].clone());
        if content.is_some() {
            assert_eq!(post.expect(404), error("feedback post not found"));
            assert_eq!(voters["items"], json!([]));
            assert_eq!(events, ["comment.deleted", "post.deleted", "vote.deleted"]);
            assert_eq!(counts, (json!(0), json!(0)));
        } else {
            assert_eq!(post.expect(200)["author_id"], json!(person));
            let voter = &voters["items"][0];
            assert_eq!((&voter["name"], &voter["email"]), (&json!("Deleted user"), &json!("")));
            assert_eq!(events, Vec::<Value>::new());
            assert_eq!(counts, (json!(1), json!(1)));
        }
        let retrieved = acme.post("/users/retrieve", json!({"user_id": person})).await;
        assert_eq!(retrieved.expect(404), error("user not found"));
        let unknown = acme.post("/users/erase", json!({"user_id": id()})).await;
        assert_eq!(unknown.expect(404), error("user not found"));
        let faults =
            acme.faults("/users/erase", json!({"user_id": person, "content_code": "keep"}));
        assert_eq!(faults.await, [json!(["literal_error", "content_code", "keep"])]);
    }
}

#[rstest]
#[tokio::test]
async fn an_export_has_all_that_names_the_person_and_nothing_else(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    for is_active in [true, false] {
        let mut acme = Draft::new();
        let company = acme.company(json!({"name": "Analytical Engines"}));
        let ada = json!({"email": "ada@example.com", "company_id": company,
            "is_active": is_active});
        let (ada, other) = (acme.user(ada), acme.user(json!({})));
        let wish = acme.post(json!({"author_id": ada}));
        let foreign = acme.post(json!({"author_id": other}));
        let comment = acme.comment(&foreign, json!({"author_id": ada}));
        acme.comment(&wish, json!({"author_id": other}));
        let vote = acme.vote(&ada, &foreign, json!({}));
        acme.vote(&other, &wish, json!({}));
        let acme = acme.open(store).await;
        let unknown = acme.post("/users/export", json!({"user_id": id()})).await;
        assert_eq!(unknown.expect(404), error("user not found"));
        let export = acme.post("/users/export", json!({"user_id": ada})).await.expect(200);
        assert_eq!(export["user"]["email"], "ada@example.com");
        assert_eq!(export["company"]["name"], "Analytical Engines");
        let records = export["records"].as_object().expect("records");
        let ids = |kind: &str| {
            let of_kind = records[kind].as_array().expect("records of a kind");
            Value::from_iter(of_kind.iter().map(|record| record["id"].clone()))
        };
        assert_eq!(records.keys().collect::<Vec<_>>(), ["comment", "feedback_post", "vote"]);
        assert_eq!(ids("feedback_post"), json!([wish]));
        assert_eq!(ids("comment"), json!([comment]));
        assert_eq!(ids("vote"), json!([vote]));
    }
}

#[rstest]
#[tokio::test]
async fn a_merged_user_leaves_no_deleted_company_to_the_other_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let company = acme.company(json!({"is_active": false}));
    let goes = acme.user(json!({"company_id": company}));
    let stays = acme.user(json!({}));
    let acme = acme.open(store).await;
    let merge = json!({"merge_user_id": goes, "into_user_id": stays});
    acme.post("/users/merge", merge).await.expect(200);
    let user = acme.retrieve("/users/retrieve", "user_id", &stays).await;
    assert_eq!(user["company_id"], Value::Null);
}
