//! `/roadmap-boards/list`

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
                "is_voting_enabled": false, "created_at": "2026-01-02T00:00:00.000Z"},
            {"id": second, "name": "Next", "slug": "later", "description": null, "icon_url": null, "is_voting_enabled": true,
                "created_at": "2026-01-02T00:00:00.000Z"},
        ])
    );
}
