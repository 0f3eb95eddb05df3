//! `/statuses/…`

use crate::support::{Draft, Store, error};
use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn active_statuses_are_listed_in_workflow_order(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let closed = acme.status(json!({"status_group_code": "closed", "seq_number": "0.5000"}));
    let late = acme.status(json!({"status_group_code": "open", "seq_number": "9.0000"}));
    let completed = acme.status(json!({"status_group_code": "completed", "seq_number": "1.0000"}));
    let early = acme.status(json!({"status_group_code": "open", "seq_number": "2.0000"}));
    let tied = acme.status(json!({"status_group_code": "open", "seq_number": "2.0000"}));
    let progress = acme.status(json!({"status_group_code": "in-progress", "seq_number": "3.0000"}));
    acme.status(json!({"is_active": false}));
    let acme = acme.open(store).await;
    let listed = acme.post("/statuses/list", json!({})).await.expect(200);
    let ids: Vec<&Value> =
        listed.as_array().expect("an array").iter().map(|status| &status["id"]).collect();
    assert_eq!(ids, [&early, &tied, &late, &progress, &completed, &closed]);
}

#[rstest]
#[tokio::test]
async fn a_status_has_the_contracts_fields(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let id = acme.status(json!({"name": "Planned", "code": "planned", "is_default_status": true, "show_on_feedback": false}));
    let acme = acme.open(store).await;
    let status = json!({"id": id, "name": "Planned", "code": "planned", "color": "#abcdef", "status_group_code": "open",
        "is_default_status": true, "show_on_feedback": false, "show_on_roadmap": true, "created_at": "2026-01-02T00:00:00.000Z",
        "external_id": null});
    assert_eq!(acme.post("/statuses/list", json!({})).await.expect(200), json!([status]));
}

#[rstest]
#[tokio::test]
async fn a_status_is_made_changed_and_deleted(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let first = acme.status(json!({"is_default_status": true, "code": "first"}));
    acme.receiver();
    let acme = acme.open(store).await;
    let post = async |verb: &str, body: Value| acme.post(&format!("/statuses/{verb}"), body).await;
    let success = json!({"success": true});
    let body = json!({"name": "In Review", "status_group_code": "open", "is_default_status": true, "external_id": "s-1"});
    let made = post("create", body.clone()).await.expect(200);
    assert_eq!(post("create", body).await.expect(200), made);
    let id = made["id"].as_str().unwrap().to_owned();
    let retrieve = async |id: &str| post("retrieve", json!({"id": id})).await;
    let mut expected = json!({"id": id, "name": "In Review", "code": "in-review", "color": "#64748b",
        "status_group_code": "open", "is_default_status": true, "show_on_feedback": true, "show_on_roadmap": true,
        "created_at": null, "external_id": "s-1"});
    expected["created_at"] = retrieve(&id).await.expect(200)["created_at"].clone();
    assert_eq!(retrieve(&id).await.expect(200), expected);
    // The new default status takes the place of the former one.
    assert_eq!(retrieve(&first).await.expect(200)["is_default_status"], json!(false));
    let unset = post("update", json!({"status_id": id, "is_default_status": false})).await;
    assert_eq!(unset.expect(400), error("the default status cannot be unset"));
    let delete = post("delete", json!({"status_id": id})).await;
    assert_eq!(delete.expect(400), error("the default status cannot be deleted"));
    let back =
        json!({"status_id": first, "is_default_status": true, "status_group_code": "closed"});
    assert_eq!(post("update", back).await.expect(200), success);
    assert_eq!(retrieve(&id).await.expect(200)["is_default_status"], json!(false));
    let taken = post("update", json!({"status_id": id, "code": "first"})).await;
    assert_eq!(taken.expect(400), json!({"detail": "Code already exists"}));
    assert_eq!(post("delete", json!({"status_id": id})).await.expect(200), success);
    assert_eq!(retrieve(&id).await.expect(404), error("status not found"));
    acme.refuses(
        "/statuses/create",
        &json!({"name": "Soon", "status_group_code": "open"}),
        &[
            ("status_group_code", json!("later"), "literal_error"),
            ("is_default_status", json!("yes"), "bool_type"),
            ("color", json!("red"), "string_pattern_mismatch"),
        ],
    )
    .await;
}

#[rstest]
#[tokio::test]
async fn the_posts_of_a_deleted_status_get_its_replacement(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (old, new) = (acme.status(json!({})), acme.status(json!({"status_group_code": "closed"})));
    let post = acme.post(json!({"status_id": old}));
    let merged = acme.post(json!({"status_id": old, "merged_into_id": post}));
    let plan = acme.roadmap_post(json!({"status_id": old}));
    acme.post(json!({"status_id": old, "is_active": false}));
    acme.receiver();
    let acme = acme.open(store).await;
    let delete = async |body: Value| acme.post("/statuses/delete", body).await;
    assert_eq!(delete(json!({"status_id": old})).await.expect(400), error("the status is in use"));
    let itself = json!({"status_id": old, "replacement_status_id": old});
    let faults = acme.faults("/statuses/delete", itself).await;
    assert_eq!(faults, [json!(["value_error", "replacement_status_id", old])]);
    let replace = json!({"status_id": old, "replacement_status_id": new});
    assert_eq!(delete(replace).await.expect(200), json!({"success": true}));
    for (path, id) in
        [("/feedback-posts", &post), ("/feedback-posts", &merged), ("/roadmap-posts", &plan)]
    {
        let shown = acme.post(&format!("{path}/retrieve"), json!({"id": id})).await.expect(200);
        assert_eq!(shown["status_id"], json!(new));
    }
    let events = acme.events().await;
    let names: Vec<&Value> = events.iter().map(|event| &event["event"]).collect();
    assert_eq!(names, ["post.status_changed", "post.status_changed"]);
    assert!(!acme.export().await.iter().any(|record| record["status_id"] == json!(old)));
}

#[rstest]
#[tokio::test]
async fn one_status_is_the_default_after_many_became_it_at_once(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let mut acme = Draft::new();
    let statuses: Vec<String> = (0..16).map(|_| acme.status(json!({}))).collect();
    let acme = acme.open(store).await;
    let update = |status: &String| {
        let body = json!({"status_id": status, "is_default_status": true});
        acme.post("/statuses/update", body)
    };
    let answers = join_all(statuses.iter().map(update)).await;
    assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 503)));
    let listed = acme.post("/statuses/list", json!({})).await.expect(200);
    let listed = listed.as_array().unwrap();
    let defaults = listed.iter().filter(|status| status["is_default_status"] == true);
    assert_eq!(defaults.count(), 1);
}
