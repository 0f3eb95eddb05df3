//! `/help-collections/delete` and `/help-categories/delete`.

use crate::support::{Draft, Organization, Store, TestResponse, error};
use rstest::rstest;
use serde_json::{Value, json};

async fn delete(acme: &Organization, kind: &str, body: Value) -> TestResponse {
    acme.post(&format!("/help-{kind}/delete"), body).await
}

fn effects(numbers: [u8; 5]) -> Value {
    let [categories_moved, categories_deleted, articles_moved, articles_deleted, urls] = numbers;
    json!({"dry_run": true, "effects": {
        "categories_moved": categories_moved, "categories_deleted": categories_deleted,
        "articles_moved": articles_moved, "articles_deleted": articles_deleted,
        "urls_changed": urls,
    }})
}

/// The identifiers of the articles of a collection, by position.
async fn articles(acme: &Organization, collection: &str) -> Value {
    let body = json!({"collection_id": collection, "sort": "position"});
    let list = acme.post("/help-articles/list", body).await.expect(200);
    list["items"].as_array().expect("items").iter().map(|article| article["id"].clone()).collect()
}

#[rstest]
#[tokio::test]
async fn the_articles_of_a_deleted_category_move_or_are_deleted_or_keep_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (shelf, other) = (acme.collection(json!({})), acme.collection(json!({})));
    let [moved, kept, empty] = [0; 3].map(|_| acme.help_category(json!({"collection_id": shelf})));
    let direct = acme.article(json!({"collection_id": other}));
    let [first, second] = [0; 2].map(|_| acme.article(json!({"category_id": moved})));
    acme.article(json!({"category_id": moved, "is_active": false}));
    let third = acme.article(json!({"category_id": kept}));
    let acme = acme.open(store).await;
    let has_articles = error("the category has articles");
    let before = acme.export().await;
    for dry_run in [true, false] {
        let refused =
            delete(&acme, "categories", json!({"category_id": moved, "dry_run": dry_run}));
        assert_eq!(refused.await.expect(400), has_articles);
    }
    let mut moving = json!({"category_id": moved, "move_to_collection_id": other, "dry_run": true});
    let tried = delete(&acme, "categories", moving.clone()).await;
    assert_eq!(tried.expect(200), effects([0, 0, 2, 0, 2]));
    let mut deleting = json!({"category_id": kept, "delete_articles": true, "dry_run": true});
    let tried = delete(&acme, "categories", deleting.clone()).await;
    assert_eq!(tried.expect(200), effects([0, 0, 0, 1, 0]));
    assert_eq!(acme.export().await, before);
    moving["dry_run"] = false.into();
    deleting["dry_run"] = false.into();
    for body in [moving.clone(), deleting, json!({"category_id": empty})] {
        let deleted = delete(&acme, "categories", body).await;
        assert_eq!(deleted.expect(200), json!({"success": true}));
    }
    let gone = delete(&acme, "categories", moving).await;
    assert_eq!(gone.expect(404), error("help category not found"));
    assert_eq!(articles(&acme, &other).await, json!([direct, first, second]));
    let deleted = acme.post("/help-articles/retrieve", json!({"article_id": third})).await;
    assert_eq!(deleted.expect(404), error("help article not found"));
    let left = acme.post("/help-categories/list", json!({"collection_id": shelf})).await;
    assert_eq!(left.expect(200)["items"], json!([]));
    let shown = acme.post("/help-collections/retrieve", json!({"collection_id": shelf})).await;
    assert_eq!(shown.expect(200)["category_count"], 0);
}

#[rstest]
#[tokio::test]
async fn a_deleted_collection_gives_its_categories_and_articles_away_or_takes_them_with_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let [shelf, other, last] = [0; 3].map(|_| acme.collection(json!({})));
    let there = acme.help_category(json!({"collection_id": other}));
    let [guide, second_guide] = [0; 2].map(|_| acme.help_category(json!({"collection_id": shelf})));
    let direct = acme.article(json!({"collection_id": shelf}));
    let inside = acme.article(json!({"category_id": guide}));
    let hollow = acme.collection(json!({}));
    let empty = acme.help_category(json!({"collection_id": hollow}));
    let acme = acme.open(store).await;
    let before = acme.export().await;
    for dry_run in [true, false] {
        let body = json!({"collection_id": shelf, "dry_run": dry_run});
        let refused = delete(&acme, "collections", body).await;
        assert_eq!(refused.expect(400), error("the collection has articles"));
    }
    let mut moving = json!({"collection_id": shelf, "move_to_collection_id": other,
        "dry_run": true});
    let tried = delete(&acme, "collections", moving.clone()).await;
    assert_eq!(tried.expect(200), effects([2, 0, 2, 0, 2]));
    let deleting = json!({"collection_id": shelf, "delete_articles": true, "dry_run": true});
    let tried = delete(&acme, "collections", deleting).await;
    assert_eq!(tried.expect(200), effects([0, 2, 0, 2, 0]));
    let tried = delete(&acme, "collections", json!({"collection_id": hollow, "dry_run": true}));
    assert_eq!(tried.await.expect(200), effects([0, 1, 0, 0, 0]));
    assert_eq!(acme.export().await, before);
    let itself = json!({"collection_id": shelf, "move_to_collection_id": shelf});
    let faults = acme.faults("/help-collections/delete", itself).await;
    assert_eq!(faults, [json!(["value_error", "move_to_collection_id", shelf])]);
    let both = json!({"collection_id": shelf, "move_to_collection_id": other,
        "delete_articles": true});
    let faults = acme.faults("/help-collections/delete", both).await;
    assert_eq!(faults, [json!(["value_error", "delete_articles", true])]);

    moving["dry_run"] = false.into();
    let deleted = delete(&acme, "collections", moving.clone()).await;
    assert_eq!(deleted.expect(200), json!({"success": true}));
    let gone = delete(&acme, "collections", moving).await;
    assert_eq!(gone.expect(404), error("help collection not found"));
    let list = acme.post("/help-categories/list", json!({"collection_id": other})).await;
    let list = list.expect(200);
    let ids = list["items"].as_array().expect("items").iter().map(|it| it["id"].clone());
    assert_eq!(Value::from_iter(ids), json!([there, guide, second_guide]));
    let body = json!({"article_id": inside});
    let shown = acme.post("/help-articles/retrieve", body).await.expect(200);
    assert_eq!(shown["category"]["id"], json!(guide));
    assert_eq!(shown["collection"]["id"], json!(other));
    let body = json!({"article_id": direct});
    let shown = acme.post("/help-articles/retrieve", body).await.expect(200);
    assert_eq!(shown["collection"]["id"], json!(other));

    for body in
        [json!({"collection_id": other, "delete_articles": true}), json!({"collection_id": hollow})]
    {
        let deleted = delete(&acme, "collections", body).await;
        assert_eq!(deleted.expect(200), json!({"success": true}));
    }
    for (path, member, id) in [
        ("/help-categories/retrieve", "category_id", &guide),
        ("/help-categories/retrieve", "category_id", &there),
        ("/help-categories/retrieve", "category_id", &empty),
        ("/help-articles/retrieve", "article_id", &direct),
        ("/help-articles/retrieve", "article_id", &inside),
    ] {
        acme.post(path, json!({member: id})).await.expect(404);
    }
    let unknown = json!({"collection_id": last, "move_to_collection_id": other});
    let unknown = delete(&acme, "collections", unknown).await;
    assert_eq!(unknown.expect(404), error("help collection not found"));
}
