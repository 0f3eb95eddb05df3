//! `/feedback-posts/similar`

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

const PATH: &str = "/feedback-posts/similar";

/// The posts with their scores.
async fn similar(acme: &Organization, body: Value) -> Value {
    let found = acme.post(PATH, body).await.expect(200);
    found.as_array().expect("posts").iter().map(|post| json!([post["id"], post["score"]])).collect()
}

#[rstest]
#[tokio::test]
async fn posts_with_similar_titles_come_best_first_with_their_scores(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (board, other_board) = (acme.board(json!({})), acme.board(json!({})));
    let gone_board = acme.board(json!({"is_active": false}));
    let titled = |title: &str| json!({"title": title, "board_id": board});
    let night = acme.post(titled("Night mode"));
    let dark = acme.post(titled("Dark mode for the app"));
    let same = acme.post(json!({"title": "DARK MODE", "board_id": other_board}));
    acme.post(titled("Export invoices"));
    for hidden in [
        json!({"is_active": false}),
        json!({"moderation_status_code": "pending"}),
        json!({"merged_into_id": same}),
        json!({"board_id": gone_board, "is_active": false}),
    ] {
        let mut members = titled("Dark mode");
        members
            .as_object_mut()
            .expect("members")
            .extend(hidden.as_object().expect("members").clone());
        acme.post(members);
    }
    let acme = acme.open(store).await;

    let all = json!([[same, 1.0], [dark, 0.625], [night, 0.476]]);
    assert_eq!(similar(&acme, json!({"title": "mode: dark"})).await, all);
    assert_eq!(
        similar(&acme, json!({"title": "Dark mode", "limit": 1})).await,
        json!([[same, 1.0]])
    );
    let on_board = json!({"title": "dark mode", "board_id": other_board});
    assert_eq!(similar(&acme, on_board).await, json!([[same, 1.0]]));
    let others = json!([[dark, 0.625], [night, 0.476]]);
    assert_eq!(similar(&acme, json!({"post_id": same})).await, others);
    for board in [id(), gone_board] {
        let body = json!({"title": "Dark mode", "board_id": board});
        assert_eq!(similar(&acme, body).await, json!([]));
    }
    assert_eq!(similar(&acme, json!({"title": "?"})).await, json!([]));

    let mut expected = acme.post("/feedback-posts/retrieve", json!({"id": same})).await.expect(200);
    expected["score"] = json!(1.0);
    let found = acme.post(PATH, json!({"title": "Dark mode", "limit": 1})).await.expect(200);
    assert_eq!(found, json!([expected]));
}

#[rstest]
#[tokio::test]
async fn a_new_or_renamed_post_is_found_at_once(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (board, author) = (acme.board(json!({})), acme.user(json!({})));
    acme.status(json!({"is_default_status": true}));
    let acme = acme.open(store).await;
    let post = json!({"board_id": board, "author_id": author, "title": "Weekly digest"});
    let post = acme.post("/feedback-posts/create", post).await.expect(200)["id"].clone();
    let digest = json!({"title": "digset weekly"});
    assert_eq!(similar(&acme, digest.clone()).await, json!([[post, 0.714]]));
    let renamed = json!({"post_id": post, "title": "Größere Schrift"});
    acme.post("/feedback-posts/update", renamed).await.expect(200);
    assert_eq!(similar(&acme, digest).await, json!([]));
    assert_eq!(similar(&acme, json!({"title": "schrift, grössere"})).await, json!([[post, 1.0]]));
}

#[rstest]
#[tokio::test]
async fn exactly_one_of_title_and_post_is_given(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, deleted) = (acme.post(json!({})), acme.post(json!({"is_active": false})));
    let acme = acme.open(store).await;
    let both = json!({"title": "Dark mode", "post_id": post});
    assert_eq!(acme.faults(PATH, both).await, [json!(["value_error", "post_id", post])]);
    let neither = json!({"limit": 0});
    let faults = acme.faults(PATH, neither).await;
    let [missing, limit] = faults.as_slice() else { panic!("{faults:?}") };
    assert_eq!((&missing[0], &missing[1]), (&json!("missing"), &json!("title")));
    assert_eq!(*limit, json!(["greater_than_equal", "limit", 0]));
    let good = json!({"title": "Dark mode"});
    acme.refuses(
        PATH,
        &good,
        &[
            ("title", json!(""), "string_too_short"),
            ("title", json!("x".repeat(513)), "string_too_long"),
            ("board_id", json!("x"), "uuid_parsing"),
            ("limit", json!(21), "less_than_equal"),
            ("limit", json!(2.5), "int_type"),
        ],
    )
    .await;
    for unknown in [id(), deleted] {
        let answer = acme.post(PATH, json!({"post_id": unknown})).await;
        assert_eq!(answer.expect(404), error("feedback post not found"));
    }
}
