//! `/help-categories/create`

use crate::support::{Draft, Organization, Store, now};
use rstest::rstest;
use serde_json::{Value, json};

const PATH: &str = "/help-categories/create";

async fn create(acme: &Organization, body: Value) -> Value {
    let answer = acme.post(PATH, body).await.expect(200);
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(1), "{answer}");
    acme.retrieve("/help-categories/retrieve", "category_id", answer["id"].as_str().expect("an id"))
        .await
}

#[rstest]
#[tokio::test]
async fn a_collection_and_a_name_are_enough(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection =
        acme.collection(json!({"created_at": "2020-01-01", "updated_at": "2020-01-01"}));
    let acme = acme.open(store).await;
    let before = now().to_string();
    let category = create(&acme, json!({"collection_id": collection, "name": "First steps"})).await;
    let at = category["created_at"].as_str().expect("a time").to_owned();
    // Times are truncated to whole seconds.
    assert!((&before[..19]..=&now().to_string()[..19]).contains(&at.as_str()), "{at}");
    assert_eq!(
        category,
        json!({"id": category["id"], "collection_id": collection, "name": "First steps", "slug": "first-steps",
            "description": null, "icon": null, "color": null, "seq_number": "1.0000", "article_count": 0, "created_at": at,
            "updated_at": at, "external_id": null})
    );
    assert_eq!(&category["id"].as_str().expect("an id")[14..15], "7", "a UUID of version 7");
    let parent = acme.retrieve("/help-collections/retrieve", "collection_id", &collection).await;
    assert_eq!(
        json!([parent["category_count"], parent["updated_at"]]),
        json!([1, "2020-01-01T00:00:00"])
    );
}

#[rstest]
#[tokio::test]
async fn every_field_is_kept_as_it_was_sent(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let acme = acme.open(store).await;
    let full = json!({"collection_id": collection, "name": " Ünï\n🙂 ", "slug": "Start.Here~_-1", "description": "é".repeat(512),
        "icon": "i".repeat(512), "color": "#AbCdEf80"});
    let nulls = json!({"collection_id": collection.to_uppercase(), "name": "x".repeat(512), "slug": null, "description": null,
        "icon": null, "color": null});
    let empty = json!({"collection_id": collection.replace('-', ""), "name": "y", "description": "", "icon": ""});
    for body in [full, nulls, empty] {
        let category = create(&acme, body.clone()).await;
        assert_eq!(category["collection_id"], collection);
        for field in ["name", "description", "icon", "color"] {
            assert_eq!(category[field], body[field], "{field}");
        }
        if !body["slug"].is_null() {
            assert_eq!(category["slug"], body["slug"]);
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_category_is_made_even_behind_the_greatest_position(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    acme.help_category(json!({"collection_id": collection, "seq_number": "99999999999999.9999"}));
    let acme = acme.open(store).await;
    let category = create(&acme, json!({"collection_id": collection, "name": "Zz"})).await;
    assert_eq!(category["seq_number"], "99999999999999.9999");
}
