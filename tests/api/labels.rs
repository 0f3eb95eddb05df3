//! `/labels/list`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

#[rstest]
#[tokio::test]
async fn active_labels_are_listed_by_name_then_id(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let umlaut = acme.label(json!({"name": "Äpfel", "code": "d"}));
    let first =
        acme.label(json!({"name": "apps", "code": "a", "color": "#ABCDEF80", "description": ""}));
    let second = acme.label(json!({"name": "apps", "code": "b", "description": "On phones"}));
    let capital = acme.label(
        json!({"name": "Web", "code": "c", "created_at": "2026-01-02T03:04:05.678901+01:00"}),
    );
    acme.label(json!({"name": "gone", "is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post("/labels/list", json!({})).await.expect(200),
        json!({
            "items": [
                {"id": capital, "name": "Web", "code": "c", "color": "#abc", "description": null,
                    "created_at": "2026-01-02T02:04:05.678Z"},
                {"id": first, "name": "apps", "code": "a", "color": "#ABCDEF80", "description": "",
                    "created_at": "2026-01-02T00:00:00.000Z"},
                {"id": second, "name": "apps", "code": "b", "color": "#abc", "description": "On phones",
                    "created_at": "2026-01-02T00:00:00.000Z"},
                {"id": umlaut, "name": "Äpfel", "code": "d", "color": "#abc", "description": null,
                    "created_at": "2026-01-02T00:00:00.000Z"},
            ],
            "has_next_page": false,
            "cursor": null,
        })
    );
}

#[rstest]
#[tokio::test]
async fn a_page_has_25_labels_unless_another_limit_is_given(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    for n in 0..101 {
        acme.label(json!({"name": format!("Label {n:03}")}));
    }
    let acme = acme.open(store).await;
    for (body, count) in [
        (json!({}), 25),
        (json!({"limit": 1}), 1),
        (json!({"limit": 100}), 100),
        (json!({"limit": 26.0}), 26),
    ] {
        let page = acme.post("/labels/list", body).await.expect(200);
        assert_eq!(page["items"].as_array().map(Vec::len), Some(count));
        assert_eq!(page["has_next_page"], true);
        assert!(page["cursor"].is_string());
    }
    let all = acme.walk("/labels/list", json!({}), 100).await;
    let names: Vec<String> = (0..101).map(|n| format!("Label {n:03}")).collect();
    assert_eq!(
        all.iter().map(|label| label["name"].as_str().expect("a name")).collect::<Vec<_>>(),
        names
    );
}
