//! `/help-categories/retrieve`

use crate::support::{Draft, Store, error, id};
use rstest::rstest;
use serde_json::json;

const PATH: &str = "/help-categories/retrieve";

#[rstest]
#[tokio::test]
async fn a_category_is_shown_as_the_list_shows_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({"is_active": false}));
    let id = acme.help_category(
        json!({"collection_id": collection, "name": "First steps", "slug": "first-steps",
        "description": "", "icon": "rocket", "color": "#abcd", "seq_number": "3.0000",
        "created_at": "2026-03-01T09:30:00.999Z", "updated_at": "2026-03-01T09:30:01.000Z"}),
    );
    acme.article(json!({"category_id": id}));
    let acme = acme.open(store).await;
    let category = json!({"id": id, "collection_id": collection, "name": "First steps", "slug": "first-steps",
        "description": "", "icon": "rocket", "color": "#abcd", "seq_number": "3.0000", "article_count": 1,
        "created_at": "2026-03-01T09:30:00", "updated_at": "2026-03-01T09:30:01"});
    for written in [id.clone(), id.to_uppercase(), id.replace('-', "")] {
        assert_eq!(acme.post(PATH, json!({"category_id": written})).await.expect(200), category);
    }
    let page = acme.post("/help-categories/list", json!({})).await.expect(200);
    assert_eq!(page["items"], json!([category]));
}

#[rstest]
#[tokio::test]
async fn an_unknown_or_deleted_category_is_not_found(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let collection = acme.collection(json!({}));
    let deleted = acme.help_category(json!({"is_active": false}));
    let foreign = globex.help_category(json!({}));
    // Categories of posts are others.
    let category = acme.category(json!({}));
    let (acme, _globex) = (acme.open(store).await, globex.open(store).await);
    for id in [deleted, foreign, collection, category, id()] {
        assert_eq!(
            acme.post(PATH, json!({"category_id": id})).await.expect(404),
            error("help category not found")
        );
    }
}
