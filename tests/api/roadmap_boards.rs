//! `/roadmap-boards/…`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

#[rstest]
#[tokio::test]
async fn active_roadmap_boards_are_listed_by_position(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let second = acme.roadmap_board(json!({"slug": "later", "seq_number": "2.0000"}));
    let first = acme.roadmap_board(
        json!({"name": "Now", "slug": "now", "seq_number": "1.0000", "description": "This quarter",
        "icon_url": "https://example.com/now.png", "is_voting_enabled": false}),
    );
    acme.roadmap_board(json!({"is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post("/roadmap-boards/list", json!({})).await.expect(200),
        json!([
            {"id": first, "name": "Now", "slug": "now", "description": "This quarter", "icon_url": "https://example.com/now.png",
                "is_voting_enabled": false, "created_at": "2026-01-02T00:00:00.000Z", "external_id": null, "access_code": "public"},
            {"id": second, "name": "Next", "slug": "later", "description": null, "icon_url": null, "is_voting_enabled": true,
                "created_at": "2026-01-02T00:00:00.000Z", "external_id": null, "access_code": "public"},
        ])
    );
}

#[rstest]
#[tokio::test]
async fn a_roadmap_board_is_made_and_changed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let body = json!({"name": "Next year", "is_voting_enabled": false, "external_id": "r-1"});
    let made = acme.post("/roadmap-boards/create", body).await.expect(200);
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(made, json!({"id": id}));
    let retrieve =
        async || acme.post("/roadmap-boards/retrieve", json!({"id": id})).await.expect(200);
    let mut expected = json!({"id": id, "name": "Next year", "slug": "next-year", "description": null, "icon_url": null,
        "is_voting_enabled": false, "created_at": null, "external_id": "r-1", "access_code": "public"});
    expected["created_at"] = retrieve().await["created_at"].clone();
    assert_eq!(retrieve().await, expected);
    let patch = json!({"roadmap_board_id": id, "name": "Later", "slug": "later", "description": "Perhaps",
        "clear": ["external_id"]});
    let update = acme.post("/roadmap-boards/update", patch).await;
    assert_eq!(update.expect(200), json!({"success": true}));
    for (member, value) in [
        ("name", json!("Later")),
        ("slug", json!("later")),
        ("description", json!("Perhaps")),
        ("external_id", json!(null)),
    ] {
        expected[member] = value;
    }
    assert_eq!(retrieve().await, expected);
}
