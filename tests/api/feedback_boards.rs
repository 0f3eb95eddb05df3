//! `/feedback-boards/…`

use crate::support::{Draft, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

fn board(id: &str, slug: &str) -> Value {
    json!({"id": id, "name": "Ideas", "slug": slug, "description": null, "icon_url": null, "is_voting_enabled": true,
        "is_commenting_enabled": true, "show_post_dates": true, "created_at": "2026-01-02T00:00:00.000Z",
        "external_id": null, "access_code": "public", "allowed_email_domains": [], "allowed_user_ids": [],
        "post_moderation_code": "off", "comment_moderation_code": "off", "guest_code": "none", "post_template": null})
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
        "created_at": "2026-01-02T00:00:00.000Z", "external_id": null,
        "access_code": "public", "allowed_email_domains": [], "allowed_user_ids": [],
        "post_moderation_code": "off", "comment_moderation_code": "off", "guest_code": "none", "post_template": null});
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

#[rstest]
#[tokio::test]
async fn the_posts_of_a_deleted_board_move_or_are_deleted_or_keep_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (board, other) = (acme.board(json!({})), acme.board(json!({})));
    let (kept, third) = (acme.board(json!({})), acme.board(json!({})));
    let post = acme.post(json!({"board_id": board}));
    acme.post(json!({"board_id": board, "is_active": false}));
    let second = acme.post(json!({"board_id": kept}));
    acme.receiver();
    let acme = acme.open(store).await;
    let delete = async |body: Value| acme.post("/feedback-boards/delete", body).await;
    let has_posts = error("the board has posts");
    assert_eq!(delete(json!({"board_id": board})).await.expect(400), has_posts);
    assert_eq!(delete(json!({"board_id": board, "dry_run": true})).await.expect(400), has_posts);
    let mut moving = json!({"board_id": board, "move_posts_to_board_id": other, "dry_run": true});
    let before = acme.export().await;
    let effects = |moved: u8, deleted: u8| json!({"dry_run": true, "effects": {"posts_moved": moved, "posts_deleted": deleted}});
    assert_eq!(delete(moving.clone()).await.expect(200), effects(1, 0));
    let deleting = json!({"board_id": board, "delete_posts": true, "dry_run": true});
    assert_eq!(delete(deleting).await.expect(200), effects(0, 1));
    assert_eq!(acme.export().await, before);
    moving["dry_run"] = false.into();
    assert_eq!(delete(moving.clone()).await.expect(200), json!({"success": true}));
    assert_eq!(delete(moving).await.expect(404), error("feedback board not found"));
    let retrieve = async |id: &str| acme.post("/feedback-posts/retrieve", json!({"id": id})).await;
    assert_eq!(retrieve(&post).await.expect(200)["board_id"], json!(other));
    let deleting = json!({"board_id": kept, "delete_posts": true});
    assert_eq!(delete(deleting).await.expect(200), json!({"success": true}));
    assert_eq!(retrieve(&second).await.expect(404), error("feedback post not found"));
    let restored = acme.post("/feedback-posts/restore", json!({"post_id": second})).await;
    assert_eq!(restored.expect(400), error("the post cannot be restored"));
    let events = acme.events().await;
    let names: Vec<&Value> = events.iter().map(|event| &event["event"]).collect();
    assert_eq!(names, ["post.edited", "post.deleted"]);

    let both = json!({"board_id": third, "move_posts_to_board_id": other, "delete_posts": true});
    let faults = acme.faults("/feedback-boards/delete", both).await;
    assert_eq!(faults, [json!(["value_error", "delete_posts", true])]);
    let itself = json!({"board_id": third, "move_posts_to_board_id": third});
    let faults = acme.faults("/feedback-boards/delete", itself).await;
    assert_eq!(faults, [json!(["value_error", "move_posts_to_board_id", third])]);
    assert_eq!(delete(json!({"board_id": third})).await.expect(200), json!({"success": true}));
}

#[rstest]
#[tokio::test]
async fn a_new_order_names_every_board_once(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let [a, b, c] = [0; 3].map(|_| acme.board(json!({})));
    let gone = acme.board(json!({"is_active": false}));
    let acme = acme.open(store).await;
    let order = async |ids: Value| acme.post("/feedback-boards/reorder", json!({"ids": ids})).await;
    let list = async || {
        let all = acme.post("/feedback-boards/list", json!({})).await.expect(200);
        Value::from_iter(all.as_array().unwrap().iter().map(|board| board["id"].clone()))
    };
    let wrong = [
        json!([c, b]),
        json!([c, b, a, a]),
        json!([c, b, b]),
        json!([c, b, gone]),
        json!([c, b, a, id()]),
        json!([]),
    ];
    for ids in wrong {
        assert_eq!(order(ids).await.expect(400), error("ids must name every one"));
    }
    assert_eq!(list().await, json!([a, b, c]));
    for ids in [json!([c, a, b]), json!([c, a, b]), json!([b, c, a])] {
        assert_eq!(order(ids.clone()).await.expect(200), json!({"success": true}));
        assert_eq!(list().await, ids);
    }
    let made = acme.post("/feedback-boards/create", json!({"name": "New"})).await.expect(200);
    assert_eq!(list().await, json!([b, c, a, made["id"]]));
}
