//! `/help-categories/list`

use crate::support::{Draft, Store, id};
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
                    "created_at": "2026-03-01T09:30:00", "updated_at": "2026-03-01T23:00:00"},
                {"id": plain, "collection_id": collection, "name": "First steps", "slug": "plain", "description": null,
                    "icon": null, "color": null, "seq_number": "7.0000", "article_count": 0,
                    "created_at": "2026-01-02T00:00:00", "updated_at": "2026-01-02T00:00:00"},
            ],
            "has_next_page": false,
            "cursor": null,
        })
    );
}

#[rstest]
#[tokio::test]
async fn categories_are_ordered_by_position_then_name_then_id(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (here, there) = (acme.collection(json!({})), acme.collection(json!({})));
    let mut category = |collection: &str, seq_number: &str, name: &str| {
        acme.help_category(
            json!({"collection_id": collection, "seq_number": seq_number, "name": name}),
        )
    };
    let tenth = category(&here, "10.0000", "A");
    let umlaut = category(&there, "2.0000", "Ä");
    let small = category(&here, "2.0000", "b");
    let small_too = category(&there, "2.0000", "b");
    let capital = category(&here, "2.0000", "C");
    let negative = category(&there, "-0.0001", "Z");
    let acme = acme.open(store).await;
    assert_eq!(
        acme.ids(PATH, json!({})).await,
        json!([negative, capital, small, small_too, umlaut, tenth])
    );
    assert_eq!(
        acme.ids(PATH, json!({"collection_id": here})).await,
        json!([capital, small, tenth])
    );
    assert_eq!(
        acme.ids(PATH, json!({"collection_id": there.to_uppercase()})).await,
        json!([negative, small_too, umlaut])
    );
}

#[rstest]
#[tokio::test]
async fn a_collection_that_is_not_there_matches_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let (deleted, empty) =
        (acme.collection(json!({"is_active": false})), acme.collection(json!({})));
    let orphan = acme.help_category(json!({"collection_id": deleted}));
    let foreign = globex.collection(json!({}));
    globex.help_category(json!({"collection_id": foreign}));
    let (acme, _globex) = (acme.open(store).await, globex.open(store).await);
    for collection in [deleted.clone(), empty, foreign, orphan.clone(), id()] {
        let page = acme.post(PATH, json!({"collection_id": collection})).await.expect(200);
        assert_eq!(page, json!({"items": [], "has_next_page": false, "cursor": null}));
    }
    // The category itself is not deleted, and shows the id that it refers to.
    let page = acme.post(PATH, json!({})).await.expect(200);
    assert_eq!(
        json!([page["items"][0]["id"], page["items"][0]["collection_id"]]),
        json!([orphan, deleted])
    );
}

#[rstest]
#[tokio::test]
async fn all_active_articles_are_counted(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let category = acme.help_category(json!({}));
    let empty = acme.help_category(json!({}));
    acme.article(
        json!({"category_id": category, "status_code": "published", "published_at": "2026-02-01"}),
    );
    acme.article(json!({"category_id": category, "status_code": "draft"}));
    acme.article(json!({"category_id": category, "show_on_portal": false}));
    acme.article(json!({"category_id": category, "is_active": false}));
    acme.article(json!({"category_id": empty, "is_active": false}));
    acme.article(json!({}));
    let acme = acme.open(store).await;
    let page = acme.post(PATH, json!({})).await.expect(200);
    for item in page["items"].as_array().expect("items") {
        assert_eq!(item["article_count"], if item["id"] == category { 3 } else { 0 });
    }
}
