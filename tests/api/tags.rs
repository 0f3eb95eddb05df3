//! `/tags/list`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

#[rstest]
#[tokio::test]
async fn active_tags_are_listed_by_name_then_id(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let first = acme.tag(json!({"name": "mobile"}));
    let second = acme.tag(json!({"name": "mobile", "code": "mobile"}));
    let capital = acme.tag(json!({"name": "Web", "show_on_roadmap": false}));
    acme.tag(json!({"name": "gone", "is_active": false}));
    let acme = acme.open(store).await;
    let tag = |id: &str, name: &str, code: Option<&str>, on_roadmap: bool| {
        json!({"id": id, "name": name, "code": code, "color": "#abc", "show_on_feedback": true, "show_on_roadmap": on_roadmap,
            "created_at": "2026-01-02T00:00:00.000Z"})
    };
    assert_eq!(
        acme.post("/tags/list", json!({})).await.expect(200),
        json!([
            tag(&capital, "Web", None, false),
            tag(&first, "mobile", None, true),
            tag(&second, "mobile", Some("mobile"), true)
        ])
    );
}

#[rstest]
#[tokio::test]
async fn an_empty_list_is_an_empty_array(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    assert_eq!(acme.post("/tags/list", json!({})).await.expect(200), json!([]));
}
