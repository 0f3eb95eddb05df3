//! Concurrent writes: the final state agrees with all responses.

use crate::support::{Draft, Organization, Store, TestResponse, eventually};
use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

async fn toggle(acme: &Organization, user: &str, post: &str) -> bool {
    let body = json!({"user_id": user, "post_id": post, "post_type": "feedback"});
    acme.post("/votes/toggle", body).await.expect(200)["voted"].as_bool().expect("a boolean")
}

async fn voters(acme: &Organization, post: &str) -> BTreeSet<String> {
    let page = acme
        .post("/votes/voters", json!({"post_id": post, "post_type": "feedback", "limit": 100}))
        .await
        .expect(200);
    assert_eq!(page["has_next_page"], false);
    let items = page["items"].as_array().expect("items");
    items.iter().map(|voter| voter["user_id"].as_str().expect("an id").to_owned()).collect()
}

/// The ids of the votes that were created and not deleted, by the events of the organization.
async fn votes_by_events(acme: &Organization) -> BTreeSet<String> {
    let mut votes = BTreeMap::new();
    for event in acme.events().await {
        let change = if event["event"] == "vote.created" { 1 } else { -1 };
        *votes.entry(event["data"]["id"].as_str().expect("an id").to_owned()).or_insert(0) +=
            change;
    }
    assert!(
        votes.values().all(|count| (0..=1).contains(count)),
        "a vote is created once and deleted at most once: {votes:?}"
    );
    votes.into_iter().filter(|(_, count)| *count == 1).map(|(id, _)| id).collect()
}

#[rstest]
#[tokio::test]
async fn toggles_and_merges_of_the_same_posts_lose_no_vote(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    for _ in 0..3 {
        let mut acme = Draft::new();
        let merger = acme.user(json!({}));
        let posts: Vec<String> = (0..6).map(|_| acme.post(json!({}))).collect();
        let users: Vec<String> = (0..40).map(|_| acme.user(json!({}))).collect();
        acme.receiver();
        let acme = acme.open(store).await;
        // Each user toggles one post several times in a row, an odd or even number of times, while
        // the posts are merged into one.
        let voting = join_all(users.iter().enumerate().map(|(n, user)| {
            let (acme, post) = (&acme, &posts[n % posts.len()]);
            async move {
                let mut voted = false;
                for _ in 0..=(n % 4) {
                    voted = toggle(acme, user, post).await;
                }
                (user.clone(), voted)
            }
        }));
        let merging = async {
            for source in &posts[1..] {
                let body =
                    json!({"merge_post_id": source, "into_post_id": posts[0], "merger_id": merger});
                acme.post("/feedback-posts/merge", body).await.expect(200);
            }
        };
        let (told, ()) = futures_util::future::join(voting, merging).await;
        let expected: BTreeSet<String> =
            told.into_iter().filter(|(_, voted)| *voted).map(|(user, _)| user).collect();
        assert_eq!(voters(&acme, &posts[0]).await, expected);
        assert_eq!(votes_by_events(&acme).await.len(), expected.len());
        let shown: Value =
            acme.post("/feedback-posts/retrieve", json!({"id": posts[0]})).await.expect(200);
        assert_eq!(shown["vote_count"], expected.len());
    }
}

#[rstest]
#[tokio::test]
async fn merges_their_ends_and_votes_at_once_lose_no_vote_and_fail_with_no_error(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let mut acme = Draft::new();
    let merger = acme.user(json!({}));
    let posts: Vec<String> = (0..4).map(|_| acme.post(json!({}))).collect();
    let users: Vec<String> = (0..24).map(|_| acme.user(json!({}))).collect();
    let acme = acme.open(store).await;
    // Each user sets one vote on one post, while the posts are merged into each other and parted.
    let voting = join_all(users.iter().enumerate().map(|(n, user)| {
        let (acme, post) = (&acme, &posts[n % posts.len()]);
        async move {
            for voted in [true, false, true] {
                let body = json!({"voter_id": user, "post_id": post, "post_type": "feedback",
                    "voted": voted});
                acme.post("/votes/set", body).await.expect(200);
            }
        }
    }));
    let changing = join_all((0..12_usize).map(|n| {
        let (acme, posts, merger) = (&acme, &posts, &merger);
        async move {
            let (source, target) = (&posts[n % 4], &posts[(n * 5 + 1 + n / 4) % 4]);
            for _ in 0..3 {
                let body =
                    json!({"merge_post_id": source, "into_post_id": target, "merger_id": merger});
                let merged = acme.post("/feedback-posts/merge", body).await.status;
                let body = json!({"post_id": source, "dry_run": n % 3 == 0});
                let parted = acme.post("/feedback-posts/unmerge", body).await.status;
                assert!([200, 400, 422].contains(&merged), "merge: {merged}");
                assert!([200, 400].contains(&parted), "unmerge: {parted}");
            }
        }
    }));
    futures_util::future::join(voting, changing).await;
    for post in &posts {
        let parted = acme.post("/feedback-posts/unmerge", json!({"post_id": post})).await.status;
        assert!([200, 400].contains(&parted), "unmerge: {parted}");
    }
    // Each user has a vote: on the post, or on one that the post was merged into meanwhile.
    let mut all = BTreeSet::new();
    for post in &posts {
        let voters = voters(&acme, post).await;
        let shown = acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200);
        assert_eq!(
            json!([shown["vote_count"], shown["merged_into_id"]]),
            json!([voters.len(), null])
        );
        all.extend(voters);
    }
    assert_eq!(all, users.into_iter().collect());
    acme.has_no_deadlock().await;
    let dropped = acme.export().await.into_iter().filter(|it| it["kind"] == "dropped_vote").count();
    assert_eq!(dropped, 0);
}

/// Sends all requests at once, and each again while the server is busy. Each response has one of the
/// statuses.
async fn all_at_once(
    acme: &Organization,
    requests: Vec<(&str, Value)>,
    statuses: &[u16],
) -> Vec<TestResponse> {
    let sent = requests.into_iter().map(async |(path, body)| {
        let response = acme.post(path, body).await;
        assert!(statuses.contains(&response.status), "{path}: {}", response.text());
        response
    });
    let responses = join_all(sent).await;
    acme.has_no_deadlock().await;
    responses
}

/// The items of a list with at most 100 items.
async fn items(acme: &Organization, path: &str) -> Vec<Value> {
    let list = acme.post(path, json!({"limit": 100})).await.expect(200);
    list.get("items").unwrap_or(&list).as_array().expect("items").clone()
}

#[rstest]
#[tokio::test]
async fn of_64_upserts_of_one_address_one_makes_the_user(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let upsert = ("/users/upsert", json!({"email": "ada@example.com", "name": "Ada"}));
    let responses = all_at_once(&acme, vec![upsert; 64], &[200]).await;
    let told: Vec<Value> = responses.iter().map(|response| response.expect(200)).collect();
    assert_eq!(told.iter().filter(|it| it["created"] == true).count(), 1);
    assert!(told.iter().all(|it| it["user_id"] == told[0]["user_id"]));
    assert_eq!(items(&acme, "/users/list").await.len(), 1);
}

#[rstest]
#[tokio::test]
async fn of_64_creates_with_one_external_id_by_one_address_one_makes_the_post_and_its_author(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let mut acme = Draft::new();
    let board = acme.board(json!({}));
    acme.status(json!({"is_default_status": true}));
    let acme = acme.open(store).await;
    let body = json!({"board_id": board, "title": "Dark mode", "external_id": "t-1",
        "author_email": "ada@example.com"});
    let responses = all_at_once(&acme, vec![("/feedback-posts/create", body); 64], &[200]).await;
    let first = responses[0].expect(200);
    assert!(responses.iter().all(|response| response.expect(200)["id"] == first["id"]));
    assert_eq!(items(&acme, "/feedback-posts/list").await.len(), 1);
    assert_eq!(items(&acme, "/users/list").await.len(), 1);
}

#[rstest]
#[tokio::test]
async fn a_tag_that_is_deleted_while_posts_get_it_is_on_no_post(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let mut acme = Draft::new();
    let tag = acme.tag(json!({}));
    let tagged = json!({"tag_ids": [tag]});
    let bare: Vec<String> = (0..24).map(|_| acme.post(json!({}))).collect();
    (0..8).for_each(|_| drop(acme.post(tagged.clone())));
    let acme = acme.open(store).await;
    let add = |post: &String| ("/feedback-posts/add-tag", json!({"post_id": post, "tag_id": tag}));
    let mut requests: Vec<(&str, Value)> = bare.iter().map(add).collect();
    requests.insert(12, ("/tags/delete", json!({"tag_id": tag})));
    all_at_once(&acme, requests, &[200, 404]).await;
    let none = |post: &Value| post["tag_ids"] == json!([]);
    eventually("no post with the tag", async || {
        items(&acme, "/feedback-posts/list").await.iter().all(none).then_some(())
    })
    .await;
}

#[rstest]
#[tokio::test]
async fn a_status_that_is_deleted_while_posts_get_it_is_of_no_post(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let mut acme = Draft::new();
    let (gone, other) = (acme.status(json!({})), acme.status(json!({})));
    let posts: Vec<String> = (0..24).map(|_| acme.post(json!({}))).collect();
    (0..8).for_each(|_| drop(acme.post(json!({"status_id": gone}))));
    let acme = acme.open(store).await;
    let change = |post: &String| {
        ("/feedback-posts/change-status", json!({"post_id": post, "status_id": gone}))
    };
    let mut requests: Vec<(&str, Value)> = posts.iter().map(change).collect();
    let delete = json!({"status_id": gone, "replacement_status_id": other});
    requests.insert(12, ("/statuses/delete", delete));
    all_at_once(&acme, requests, &[200, 404]).await;
    let others = |post: &Value| post["status_id"] != gone.as_str();
    eventually("no post in the status", async || {
        items(&acme, "/feedback-posts/list").await.iter().all(others).then_some(())
    })
    .await;
}

#[rstest]
#[tokio::test]
async fn of_many_statuses_that_become_the_default_one_is_it(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let mut acme = Draft::new();
    acme.status(json!({"is_default_status": true}));
    let statuses: Vec<String> = (0..16).map(|_| acme.status(json!({}))).collect();
    let acme = acme.open(store).await;
    let mut requests: Vec<(&str, Value)> = Vec::new();
    for (n, id) in statuses.iter().enumerate() {
        requests.push(("/statuses/update", json!({"status_id": id, "is_default_status": true})));
        let new = json!({"name": format!("New {n}"), "status_group_code": "open",
            "is_default_status": true});
        requests.push(("/statuses/create", new));
    }
    all_at_once(&acme, requests, &[200]).await;
    let all = items(&acme, "/statuses/list").await;
    assert_eq!(all.len(), 33);
    assert_eq!(all.iter().filter(|it| it["is_default_status"] == true).count(), 1);
}
