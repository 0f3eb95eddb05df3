//! `/feedback-posts/merge`

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

const CANNOT: &str =
    "Cannot merge posts. Ensure both posts exist, are active, and neither is already merged.";

fn body(source: &str, target: &str, merger: &str) -> Value {
    json!({"merge_post_id": source, "into_post_id": target, "merger_id": merger})
}

async fn post(acme: &Organization, id: &str) -> Value {
    acme.post("/feedback-posts/retrieve", json!({"id": id})).await.expect(200)
}

async fn voters(acme: &Organization, id: &str) -> Vec<Value> {
    let page = acme
        .post("/votes/voters", json!({"post_id": id, "post_type": "feedback", "limit": 100}))
        .await
        .expect(200);
    page["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|voter| json!([voter["user_id"], voter["voted_at"]]))
        .collect()
}

#[rstest]
#[tokio::test]
async fn votes_move_comments_stay_and_the_source_is_marked(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (source, target) = (acme.post(json!({})), acme.post(json!({})));
    let (ada, bob, eve, max) = (
        acme.user(json!({})),
        acme.user(json!({})),
        acme.user(json!({})),
        acme.user(json!({"is_active": false})),
    );
    acme.comment(&source, json!({}));
    acme.vote(&ada, &source, json!({"created_at": "2026-01-05"}));
    acme.vote(&ada, &target, json!({"created_at": "2026-01-06"}));
    acme.vote(&bob, &source, json!({"created_at": "2026-01-08"}));
    acme.vote(&bob, &target, json!({"created_at": "2026-01-07"}));
    acme.vote(&eve, &source, json!({"created_at": "2026-01-04"}));
    acme.vote(&max, &target, json!({"created_at": "2026-01-09"}));
    let acme = acme.open(store).await;
    let before = post(&acme, &target).await;
    assert_eq!(
        acme.post("/feedback-posts/merge", body(&source, &target, &ada)).await.expect(200),
        json!({"success": true})
    );

    let merged = post(&acme, &source).await;
    assert_eq!(
        json!([merged["merged_into_id"], merged["vote_count"], merged["comment_count"]]),
        json!([target, 0, 1])
    );
    assert_ne!(merged["updated_at"], merged["created_at"]);
    let kept = post(&acme, &target).await;
    assert_eq!(
        json!([kept["merged_into_id"], kept["vote_count"], kept["comment_count"]]),
        json!([null, 4, 0])
    );
    assert_eq!(kept["updated_at"], before["updated_at"]);
    let at = |user: &str, day: u8| json!([user, format!("2026-01-{day:02}T00:00:00.000Z")]);
    assert_eq!(voters(&acme, &target).await, [at(&eve, 4), at(&ada, 5), at(&bob, 7), at(&max, 9)]);
    assert_eq!(voters(&acme, &source).await, Vec::<Value>::new());

    let audit: Vec<Value> =
        acme.export().await.into_iter().filter(|record| record["kind"] == "merge").collect();
    let sorted = |mut ids: Vec<&str>| {
        ids.sort_unstable();
        json!(ids)
    };
    assert_eq!(audit.len(), 1);
    assert_eq!(
        json!([audit[0]["merge_post_id"], audit[0]["into_post_id"], audit[0]["merger_id"]]),
        json!([source, target, ada])
    );
    assert_eq!(audit[0]["moved_user_ids"], sorted(vec![&ada, &eve]));
    assert_eq!(audit[0]["dropped_user_ids"], sorted(vec![&ada, &bob]));
    assert_eq!(acme.events().await, Vec::<Value>::new());
}

#[rstest]
#[tokio::test]
async fn a_missing_record_is_named_source_then_target_then_merger(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, other, user) = (acme.post(json!({})), acme.post(json!({})), acme.user(json!({})));
    let left = acme.user(json!({"is_active": false}));
    let acme = acme.open(store).await;
    let refused = [
        (body(&id(), &id(), &id()), "merge_post not found"),
        (body(&post, &id(), &id()), "into_post not found"),
        (body(&post, &other, &id()), "user not found"),
        (body(&post, &other, &left), "user not found"),
    ];
    for (body, message) in refused {
        assert_eq!(acme.post("/feedback-posts/merge", body).await.expect(404), error(message));
    }
    acme.post("/feedback-posts/merge", body(&post, &other, &user)).await.expect(200);
}

#[rstest]
#[tokio::test]
async fn an_inactive_or_merged_post_on_either_side_cannot_be_merged(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (open, target, user) = (acme.post(json!({})), acme.post(json!({})), acme.user(json!({})));
    let merged = acme.post(json!({"merged_into_id": target}));
    let deleted = acme.post(json!({"is_active": false}));
    let acme = acme.open(store).await;
    for (source, target) in
        [(&open, &merged), (&merged, &open), (&open, &deleted), (&deleted, &open)]
    {
        let answer = acme.post("/feedback-posts/merge", body(source, target, &user)).await;
        assert_eq!(answer.expect(400), json!({"detail": CANNOT}));
    }
    assert_eq!(post(&acme, &open).await["merged_into_id"], Value::Null);
}

#[rstest]
#[tokio::test]
async fn a_post_is_not_merged_into_itself(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    let id = id();
    let answer =
        acme.post("/feedback-posts/merge", body(&id, &id.to_uppercase(), &id)).await.expect(422);
    assert_eq!(answer["detail"].as_array().map(Vec::len), Some(1), "{answer}");
    assert_eq!(answer["detail"][0]["type"], "value_error");
    assert_eq!(answer["detail"][0]["loc"], json!(["body", "into_post_id"]));
    assert_eq!(answer["detail"][0]["input"], id.to_uppercase());
}
