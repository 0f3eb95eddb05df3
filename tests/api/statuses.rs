//! `/statuses/list`

use crate::support::{Draft, Store};
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
        "is_default_status": true, "show_on_feedback": false, "show_on_roadmap": true, "created_at": "2026-01-02T00:00:00.000Z"});
    assert_eq!(acme.post("/statuses/list", json!({})).await.expect(200), json!([status]));
}
