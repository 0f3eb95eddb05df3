//! `/categories/list`, `/categories/retrieve`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

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
            "show_on_roadmap": true, "created_at": "2026-01-02T00:00:00.000Z"})
    };
    let capital = json!({"id": capital, "name": "B", "code": "capital", "description": "Of all", "color": "#ABCDEF12",
        "show_on_feedback": false, "show_on_roadmap": false, "created_at": "2026-01-02T03:04:05.678Z"});
    let listed = acme.post("/categories/list", json!({})).await.expect(200);
    assert_eq!(
        listed,
        json!([capital, category(&small, "a", "small"), category(&umlaut, "ä", "umlaut")])
    );
    let one = acme.post("/categories/retrieve", json!({"id": small})).await.expect(200);
    assert_eq!(one, category(&small, "a", "small"));
}
