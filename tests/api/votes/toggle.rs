//! `/votes/toggle`

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

async fn toggle(acme: &Organization, user: &str, post: &str, post_type: &str) -> Value {
    let body = json!({"user_id": user, "post_id": post, "post_type": post_type});
    acme.post("/votes/toggle", body).await.expect(200)["voted"].clone()
}

#[rstest]
#[tokio::test]
async fn second_toggle_withdraws_the_vote_and_third_casts_a_new_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, board) = {
        let board = acme.board(json!({}));
        (acme.post(json!({"title": "Dark \"mode\"", "board_id": board})), board)
    };
    let ada = acme.user(json!({}));
    acme.receiver();
    let acme = acme.open(store).await;
    let count = async || {
        acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200)["vote_count"]
            .clone()
    };
    let body = json!({"user_id": ada, "post_id": post, "post_type": "feedback"});
    assert_eq!(acme.post("/votes/toggle", body).await.expect(200), json!({"voted": true}));
    assert_eq!(count().await, 1);
    assert_eq!(toggle(&acme, &ada, &post, "feedback").await, false);
    assert_eq!(count().await, 0);
    assert_eq!(toggle(&acme, &ada, &post, "feedback").await, true);
    assert_eq!(count().await, 1);

    let events = acme.events().await;
    let types: Vec<&Value> = events.iter().map(|event| &event["event"]).collect();
    assert_eq!(types, ["vote.created", "vote.deleted", "vote.created"]);
    let of = |event: &Value| event["data"]["id"].clone();
    assert_eq!(of(&events[0]), of(&events[1]), "vote.deleted carries the id of the withdrawn vote");
    assert_ne!(of(&events[0]), of(&events[2]), "each new vote has a new id");
    for event in &events {
        let expected = json!({"id": of(event), "post_id": post, "post_title": "Dark \"mode\"", "board_id": board});
        assert_eq!(event["data"], expected);
    }
}

#[rstest]
#[tokio::test]
async fn a_vote_on_a_roadmap_post_counts_and_has_no_event(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, ada) = (acme.roadmap_post(json!({})), acme.user(json!({})));
    acme.receiver();
    let acme = acme.open(store).await;
    assert_eq!(toggle(&acme, &ada, &post, "roadmap").await, true);
    let voters = acme
        .post("/votes/voters", json!({"post_id": post, "post_type": "roadmap"}))
        .await
        .expect(200);
    assert_eq!(voters["items"][0]["user_id"], ada.as_str());
    assert_eq!(toggle(&acme, &ada, &post, "roadmap").await, false);
    assert_eq!(acme.events().await, Vec::<Value>::new());
}

#[rstest]
#[tokio::test]
async fn voting_disabled_on_the_board_is_refused_with_a_plain_string(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let closed = json!({"is_voting_enabled": false});
    let (board, roadmap_board) = (acme.board(closed.clone()), acme.roadmap_board(closed));
    let post = acme.post(json!({"board_id": board}));
    let roadmap_post = acme.roadmap_post(json!({"roadmap_board_id": roadmap_board}));
    let ada = acme.user(json!({}));
    acme.vote(&ada, &post, json!({}));
    acme.receiver();
    let acme = acme.open(store).await;
    for (post, post_type) in [(&post, "feedback"), (&roadmap_post, "roadmap")] {
        let body = json!({"user_id": ada, "post_id": post, "post_type": post_type});
        let answer = acme.post("/votes/toggle", body).await;
        assert_eq!(answer.expect(403), json!({"detail": "Voting is not permitted for this board"}));
    }
    let shown = acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200);
    assert_eq!(shown["vote_count"], 1, "the refused toggle changes no vote");
    assert_eq!(acme.events().await, Vec::<Value>::new());
}

#[rstest]
#[tokio::test]
async fn the_post_comes_first_then_the_voter_then_the_board(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let board = acme.board(json!({"is_voting_enabled": false}));
    let (closed, open) = (acme.post(json!({"board_id": board})), acme.post(json!({})));
    let deleted = acme.post(json!({"is_active": false}));
    let roadmap_post = acme.roadmap_post(json!({}));
    let left = acme.user(json!({"is_active": false}));
    let acme = acme.open(store).await;
    let refused = [
        (id(), id(), "feedback", "post not found"),
        (left.clone(), deleted, "feedback", "post not found"),
        (left.clone(), roadmap_post.clone(), "feedback", "post not found"),
        (left.clone(), open.clone(), "roadmap", "post not found"),
        (left.clone(), closed, "feedback", "user not found"),
        (left, open, "feedback", "user not found"),
        (id(), roadmap_post, "roadmap", "user not found"),
    ];
    for (user, post, post_type, message) in refused {
        let body = json!({"user_id": user, "post_id": post, "post_type": post_type});
        assert_eq!(
            acme.post("/votes/toggle", body.clone()).await.expect(404),
            error(message),
            "{body}"
        );
    }
}
