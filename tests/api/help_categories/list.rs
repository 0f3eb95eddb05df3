//! `/help-categories/list`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

const PATH: &str = "/help-categories/list";

#[rstest]
#[tokio::test]
async fn a_category_has_the_contracts_fields_with_times_without_zone_and_fraction(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let full = acme.help_category(
        json!({"collection_id": collection, "name": "Ünï", "slug": "Start.Here",
        "description": "All of it", "icon": "rocket", "color": "#ABCDEF80", "seq_number": "0.0001",
        "created_at": "2026-03-01T09:30:00.999Z", "updated_at": "2026-03-02T00:00:00.001+01:00"}),
    );
    let plain = acme.help_category(
        json!({"collection_id": collection, "slug": "plain", "seq_number": "7.0000"}),
    );
    acme.help_category(json!({"collection_id": collection, "is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post(PATH, json!({"collection_id": null})).await.expect(200),
        json!({
            "items": [
                {"id": full, "collection_id": collection, "name": "Ünï", "slug": "Start.Here", "description": "All of it",
                    "icon": "rocket", "color": "#ABCDEF80", "seq_number": "0.0001", "article_count": 0,
                    "created_at": "2026-03-01T09:30:00", "updated_at": "2026-03-01T23:00:00", "external_id": null},
                {"id": plain, "collection_id": collection, "name": "First steps", "slug": "plain", "description": null,
                    "icon": null, "color": null, "seq_number": "7.0000", "article_count": 0,
                    "created_at": "2026-01-02T00:00:00", "updated_at": "2026-01-02T00:00:00", "external_id": null},
            ],
            "has_next_page": false,
            "cursor": null,
        })
    );
    let page = acme.post(PATH, json!({})).await.expect(200);
    for item in page["items"].as_array().expect("items") {
        let id = item["id"].as_str().expect("an id");
        assert_eq!(acme.retrieve("/help-categories/retrieve", "category_id", id).await, *item);
    }
}
