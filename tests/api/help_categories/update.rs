//! `/help-categories/update`: moves. `updates.rs` tests the behaviour that all updates share.

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

const PATH: &str = "/help-categories/update";

async fn category(acme: &Organization, id: &str) -> Value {
    acme.retrieve("/help-categories/retrieve", "category_id", id).await
}

async fn moved(acme: &Organization, id: &str, collection: &str) -> Value {
    let body = json!({"category_id": id, "collection_id": collection});
    assert_eq!(acme.post(PATH, body).await.expect(200), json!({"success": true}));
    category(acme, id).await
}

#[rstest]
#[tokio::test]
async fn a_category_moves_with_its_articles_to_the_end_of_another_collection(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (from, to) = (acme.collection(json!({})), acme.collection(json!({"slug": "to"})));
    let moving = acme.help_category(json!({"collection_id": from, "slug": "moving"}));
    let last = acme.help_category(json!({"collection_id": to, "seq_number": "41.5000"}));
    let article = acme.article(json!({"category_id": moving}));
    let staying = acme.article(json!({"collection_id": from}));
    let acme = acme.open(store).await;
    let articles =
        async |id: &str| acme.ids("/help-articles/list", json!({"collection_id": id})).await;
    assert_eq!(articles(&from).await, json!([staying, article]));
    let before = acme.retrieve("/help-articles/retrieve", "article_id", &article).await;

    let shown = moved(&acme, &moving, &to).await;
    assert_eq!(
        json!([shown["collection_id"], shown["seq_number"], shown["article_count"]]),
        json!([to, "42.5000", 1])
    );
    assert_eq!(articles(&from).await, json!([staying]));
    assert_eq!(articles(&to).await, json!([article]));
    let categories = acme.ids("/help-categories/list", json!({"collection_id": to})).await;
    assert_eq!(categories, json!([last, moving]));
    let mut expected = before;
    expected["collection"] = json!({"id": to, "name": "Guides", "slug": "to"});
    expected["category"]["collection_id"] = json!(to);
    assert_eq!(acme.retrieve("/help-articles/retrieve", "article_id", &article).await, expected);
    // A category that moves to its own collection keeps its position.
    assert_eq!(moved(&acme, &moving, &to.to_uppercase()).await, shown);
}

#[rstest]
#[tokio::test]
async fn a_missing_record_is_named_category_then_collection_and_before_the_slug(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let own = acme.help_category(json!({}));
    acme.help_category(json!({"slug": "taken"}));
    let acme = acme.open(store).await;
    let before = category(&acme, &own).await;
    for (category, message) in
        [(&id(), "help category not found"), (&own, "help collection not found")]
    {
        let body = json!({"category_id": category, "collection_id": id(), "slug": "taken"});
        assert_eq!(acme.post(PATH, body).await.expect(404), error(message));
    }
    assert_eq!(category(&acme, &own).await, before);
}

#[rstest]
#[tokio::test]
async fn a_category_of_a_deleted_collection_can_be_moved_out(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let deleted = acme.collection(json!({"is_active": false}));
    let here = acme.collection(json!({}));
    let id = acme.help_category(json!({"collection_id": deleted}));
    let acme = acme.open(store).await;
    assert_eq!(moved(&acme, &id, &here).await["collection_id"], here);
}
