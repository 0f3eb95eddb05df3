//! `/feedback-boards/list`, `/feedback-boards/retrieve`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::{Value, json};

fn board(id: &str, slug: &str) -> Value {
    json!({"id": id, "name": "Ideas", "slug": slug, "description": null, "icon_url": null, "is_voting_enabled": true,
        "is_commenting_enabled": true, "show_post_dates": true, "created_at": "2026-01-02T00:00:00.000Z"})
}

#[rstest]
#[tokio::test]
async fn active_boards_are_listed_by_position(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let third = acme.board(json!({"slug": "c", "seq_number": "10.0000"}));
    let first = acme.board(json!({"slug": "a", "seq_number": "-1.0000"}));
    let second = acme.board(json!({"slug": "b", "seq_number": "2.0000"}));
    acme.board(json!({"is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post("/feedback-boards/list", json!({})).await.expect(200),
        json!([board(&first, "a"), board(&second, "b"), board(&third, "c")])
    );
}

#[rstest]
#[tokio::test]
async fn a_board_has_the_contracts_fields(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let id = acme.board(json!({"name": "Böards", "slug": "B.1", "description": "", "icon_url": "https://example.com/i.png",
        "is_voting_enabled": false, "is_commenting_enabled": false, "show_post_dates": false}));
    let acme = acme.open(store).await;
    let board = json!({"id": id, "name": "Böards", "slug": "B.1", "description": "", "icon_url": "https://example.com/i.png",
        "is_voting_enabled": false, "is_commenting_enabled": false, "show_post_dates": false,
        "created_at": "2026-01-02T00:00:00.000Z"});
    for written in [id.clone(), id.to_uppercase(), id.replace('-', "")] {
        assert_eq!(
            acme.post("/feedback-boards/retrieve", json!({"id": written})).await.expect(200),
            board
        );
    }
}
