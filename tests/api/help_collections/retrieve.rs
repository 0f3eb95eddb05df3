//! `/help-collections/retrieve`

use crate::support::{Draft, Store, error, id};
use rstest::rstest;
use serde_json::json;

const PATH: &str = "/help-collections/retrieve";

#[rstest]
#[tokio::test]
async fn a_collection_is_shown_as_the_list_shows_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let id = acme.collection(json!({"name": "Guides", "slug": "guides", "description": "All of it", "icon": "", "color": "#abc",
        "seq_number": "3.0000", "created_at": "2026-03-01T09:30:00.999Z", "updated_at": "2026-03-01T09:30:01.000Z"}));
    acme.help_category(json!({"collection_id": id}));
    let acme = acme.open(store).await;
    let collection = json!({"id": id, "name": "Guides", "slug": "guides", "description": "All of it", "icon": "",
        "color": "#abc", "seq_number": "3.0000", "category_count": 1, "created_at": "2026-03-01T09:30:00",
        "updated_at": "2026-03-01T09:30:01"});
    for written in [id.clone(), id.to_uppercase(), id.replace('-', "")] {
        assert_eq!(
            acme.post(PATH, json!({"collection_id": written})).await.expect(200),
            collection
        );
    }
    let page = acme.post("/help-collections/list", json!({})).await.expect(200);
    assert_eq!(page["items"], json!([collection]));
}

#[rstest]
#[tokio::test]
async fn an_unknown_or_deleted_collection_is_not_found(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let (deleted, foreign) =
        (acme.collection(json!({"is_active": false})), globex.collection(json!({})));
    let category = acme.help_category(json!({}));
    let (acme, _globex) = (acme.open(store).await, globex.open(store).await);
    for id in [deleted, foreign, category, id()] {
        assert_eq!(
            acme.post(PATH, json!({"collection_id": id})).await.expect(404),
            error("help collection not found")
        );
    }
}
