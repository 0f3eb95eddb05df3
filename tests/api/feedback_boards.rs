//! `/feedback-boards/…`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::{Value, json};

fn board(id: &str, slug: &str) -> Value {
    json!({"id": id, "name": "Ideas", "slug": slug, "description": null, "icon_url": null, "is_voting_enabled": true,
        "is_commenting_enabled": true, "show_post_dates": true, "created_at": "2026-01-02T00:00:00.000Z",
        "external_id": null})
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
        "created_at": "2026-01-02T00:00:00.000Z",
        "external_id": null});
    for written in [id.clone(), id.to_uppercase(), id.replace('-', "")] {
        assert_eq!(
            acme.post("/feedback-boards/retrieve", json!({"id": written})).await.expect(200),
            board
        );
    }
}

#[rstest]
#[tokio::test]
async fn a_board_is_made_behind_the_others_and_changed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let first = acme.board(json!({"slug": "ideas", "seq_number": "7.0000"}));
    let acme = acme.open(store).await;
    let body = json!({"name": "Ideas", "external_id": "b-1"});
    let made = acme.post("/feedback-boards/create", body.clone()).await.expect(200);
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(made, json!({"id": id}));
    assert_eq!(acme.post("/feedback-boards/create", body).await.expect(200), made);
    let retrieve = async || acme.post("/feedback-boards/retrieve", json!({"id": id})).await;
    let mut expected = board(&id, "ideas-2");
    expected["external_id"] = "b-1".into();
    let shown = retrieve().await.expect(200);
    expected["created_at"] = shown["created_at"].clone();
    assert_eq!(shown, expected);
    let all = acme.post("/feedback-boards/list", json!({})).await.expect(200);
    assert_eq!(json!([all[0]["id"], all[1]["id"]]), json!([first, id]));

    let patch = json!({"board_id": id, "description": "All of it", "icon_url": "https://example.com/i.png",
        "is_commenting_enabled": false, "clear": ["external_id"]});
    let success = json!({"success": true});
    assert_eq!(acme.post("/feedback-boards/update", patch).await.expect(200), success);
    for (member, value) in [
        ("description", json!("All of it")),
        ("icon_url", json!("https://example.com/i.png")),
        ("is_commenting_enabled", json!(false)),
        ("external_id", Value::Null),
    ] {
        expected[member] = value;
    }
    assert_eq!(retrieve().await.expect(200), expected);
    let patch = json!({"board_id": id, "clear": ["description", "icon_url"]});
    assert_eq!(acme.post("/feedback-boards/update", patch).await.expect(200), success);
    let shown = retrieve().await.expect(200);
    assert_eq!(json!([shown["description"], shown["icon_url"]]), json!([null, null]));
}
