//! `/categories/…`

use crate::support::{Draft, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn active_categories_are_listed_by_name_in_code_point_order(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let small = acme.category(json!({"name": "a", "code": "small"}));
    let umlaut = acme.category(json!({"name": "ä", "code": "umlaut"}));
    let capital = acme.category(json!({"name": "B", "code": "capital", "description": "Of all", "color": "#ABCDEF12",
        "show_on_feedback": false, "show_on_roadmap": false, "created_at": "2026-01-02T03:04:05.678Z"}));
    acme.category(json!({"name": "gone", "is_active": false}));
    let acme = acme.open(store).await;
    let category = |id: &str, name: &str, code: &str| {
        json!({"id": id, "name": name, "code": code, "description": null, "color": "#abc", "show_on_feedback": true,
            "show_on_roadmap": true, "created_at": "2026-01-02T00:00:00.000Z", "external_id": null})
    };
    let capital = json!({"id": capital, "name": "B", "code": "capital", "description": "Of all", "color": "#ABCDEF12",
        "show_on_feedback": false, "show_on_roadmap": false, "created_at": "2026-01-02T03:04:05.678Z", "external_id": null});
    let listed = acme.post("/categories/list", json!({})).await.expect(200);
    assert_eq!(
        listed,
        json!([capital, category(&small, "a", "small"), category(&umlaut, "ä", "umlaut")])
    );
    let one = acme.post("/categories/retrieve", json!({"id": small})).await.expect(200);
    assert_eq!(one, category(&small, "a", "small"));
}

#[rstest]
#[tokio::test]
async fn a_category_is_made_and_changed(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    acme.category(json!({"code": "look-feel"}));
    let acme = acme.open(store).await;
    let body = json!({"name": "Look & Feel", "description": "All of it", "show_on_roadmap": false});
    let made = acme.post("/categories/create", body).await.expect(200);
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(made, json!({"id": id}));
    let retrieve = async || acme.post("/categories/retrieve", json!({"id": id})).await.expect(200);
    let mut expected = json!({"id": id, "name": "Look & Feel", "code": "look-feel-2", "description": "All of it",
        "color": "#64748b", "show_on_feedback": true, "show_on_roadmap": false, "created_at": null, "external_id": null});
    expected["created_at"] = retrieve().await["created_at"].clone();
    assert_eq!(retrieve().await, expected);
    let patch = json!({"category_id": id, "name": "Look", "code": "look", "color": "#abc", "external_id": "c-1",
        "clear": ["description"]});
    let update = acme.post("/categories/update", patch).await;
    assert_eq!(update.expect(200), json!({"success": true}));
    for (member, value) in [
        ("name", json!("Look")),
        ("code", json!("look")),
        ("color", json!("#abc")),
        ("external_id", json!("c-1")),
        ("description", json!(null)),
    ] {
        expected[member] = value;
    }
    assert_eq!(retrieve().await, expected);
    let taken = json!({"category_id": id, "code": "look-feel"});
    let answer = acme.post("/categories/update", taken).await;
    assert_eq!(answer.expect(400), json!({"detail": "Code already exists"}));
}

#[rstest]
#[tokio::test]
async fn the_posts_of_a_deleted_category_get_its_replacement_or_none(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let [old, new] = [0; 2].map(|_| acme.category(json!({})));
    let post = acme.post(json!({"category_id": old}));
    let plan = acme.roadmap_post(json!({"category_id": old}));
    acme.receiver();
    let acme = acme.open(store).await;
    let delete = async |body: Value| acme.post("/categories/delete", body).await;
    let category = async |path: &str, id: &str| {
        let shown = acme.post(path, json!({"id": id})).await.expect(200);
        shown["category_id"].clone()
    };
    let unknown = json!({"category_id": old, "replacement_category_id": id()});
    assert_eq!(delete(unknown).await.expect(404), error("category not found"));
    let replace = json!({"category_id": old, "replacement_category_id": new});
    assert_eq!(delete(replace).await.expect(200), json!({"success": true}));
    assert_eq!(category("/feedback-posts/retrieve", &post).await, json!(new));
    assert_eq!(category("/roadmap-posts/retrieve", &plan).await, json!(new));
    assert_eq!(delete(json!({"category_id": new})).await.expect(200), json!({"success": true}));
    assert_eq!(category("/feedback-posts/retrieve", &post).await, Value::Null);
    assert_eq!(delete(json!({"category_id": new})).await.expect(404), error("category not found"));
    let events: Vec<_> = acme.events().await.iter().map(|it| it["event"].clone()).collect();
    assert_eq!(events, ["post.edited", "post.edited"]);
}
