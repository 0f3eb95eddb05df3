//! `/help-collections/list`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

const PATH: &str = "/help-collections/list";

#[rstest]
#[tokio::test]
async fn a_collection_has_the_contracts_fields_with_times_without_zone_and_fraction(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let full = acme.collection(
        json!({"name": "Ünï", "slug": "Start.Here", "description": "All of it", "icon": "rocket",
        "color": "#ABCDEF80", "seq_number": "-12.0050", "created_at": "2026-03-01T09:30:00.999Z",
        "updated_at": "2026-03-02T00:00:00.001+01:00"}),
    );
    let plain = acme
        .collection(json!({"slug": "plain", "seq_number": "1.0000", "created_at": "2026-01-02"}));
    acme.collection(json!({"is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post(PATH, json!({})).await.expect(200),
        json!({
            "items": [
                {"id": full, "name": "Ünï", "slug": "Start.Here", "description": "All of it", "icon": "rocket",
                    "color": "#ABCDEF80", "seq_number": "-12.0050", "category_count": 0, "created_at": "2026-03-01T09:30:00",
                    "updated_at": "2026-03-01T23:00:00"},
                {"id": plain, "name": "Guides", "slug": "plain", "description": "", "icon": "book", "color": "#64748b",
                    "seq_number": "1.0000", "category_count": 0, "created_at": "2026-01-02T00:00:00",
                    "updated_at": "2026-01-02T00:00:00"},
            ],
            "has_next_page": false,
            "cursor": null,
        })
    );
}

#[rstest]
#[tokio::test]
async fn collections_are_ordered_by_position_then_name_then_id(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let mut collection = |seq_number: &str, name: &str| {
        acme.collection(json!({"seq_number": seq_number, "name": name}))
    };
    let tenth = collection("10.0000", "A");
    let umlaut = collection("2.0000", "Ä");
    let small = collection("2.0000", "b");
    let small_too = collection("2.0000", "b");
    let capital = collection("2.0000", "C");
    let between = collection("2.0001", "A");
    let negative = collection("-0.0001", "Z");
    let acme = acme.open(store).await;
    assert_eq!(
        acme.ids(PATH, json!({})).await,
        json!([negative, capital, small, small_too, umlaut, between, tenth])
    );
}

#[rstest]
#[tokio::test]
async fn active_categories_are_counted(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let (empty, filled) = (acme.collection(json!({})), acme.collection(json!({})));
    for _ in 0..3 {
        let category = acme.help_category(json!({"collection_id": filled}));
        acme.article(json!({"category_id": category}));
    }
    acme.help_category(json!({"collection_id": filled, "is_active": false}));
    acme.help_category(json!({"collection_id": empty, "is_active": false}));
    acme.article(json!({"collection_id": empty}));
    let acme = acme.open(store).await;
    let page = acme.post(PATH, json!({})).await.expect(200);
    assert_eq!(
        json!([page["items"][0]["id"], page["items"][0]["category_count"]]),
        json!([empty, 0])
    );
    assert_eq!(
        json!([page["items"][1]["id"], page["items"][1]["category_count"]]),
        json!([filled, 3])
    );
}

#[rstest]
#[tokio::test]
async fn an_empty_help_center_is_an_empty_page(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    assert_eq!(
        acme.post(PATH, json!({})).await.expect(200),
        json!({"items": [], "has_next_page": false, "cursor": null})
    );
}
