//! `/help-collections/update`

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

const PATH: &str = "/help-collections/update";

/// Long ago, so that a later `updated_at` shows even though it has no fraction.
const OLD: &str = "2020-01-02T03:04:05";

async fn collection(acme: &Organization, id: &str) -> Value {
    acme.post("/help-collections/retrieve", json!({"collection_id": id})).await.expect(200)
}

async fn update(acme: &Organization, id: &str, patch: Value) -> Value {
    let mut body = patch;
    body["collection_id"] = id.into();
    assert_eq!(acme.post(PATH, body).await.expect(200), json!({"success": true}));
    collection(acme, id).await
}

fn old() -> Value {
    json!({"name": "Guides", "slug": "guides", "description": "All of it", "icon": "book", "color": "#abc",
        "created_at": OLD, "updated_at": OLD})
}

#[rstest]
#[tokio::test]
async fn each_field_alone_is_changed_and_updated_at_with_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let values = [
        ("name", json!("Ünï🙂")),
        ("name", json!("x".repeat(512))),
        ("slug", json!("Start.Here~_-1")),
        ("slug", json!("GUIDES")),
        ("slug", json!("s".repeat(512))),
        ("description", json!("é".repeat(512))),
        ("description", json!("")),
        ("icon", json!("i".repeat(512))),
        ("icon", json!("")),
        ("color", json!("#ABC")),
        ("color", json!("#abcd")),
        ("color", json!("#012345")),
        ("color", json!("#01234567")),
    ];
    let mut acme = Draft::new();
    let other = acme.collection(json!({"created_at": OLD, "updated_at": OLD}));
    let category =
        acme.help_category(json!({"collection_id": other, "created_at": OLD, "updated_at": OLD}));
    let ids: Vec<String> = values
        .iter()
        .map(|_| {
            let mut members = old();
            members["slug"] = id().into();
            acme.collection(members)
        })
        .collect();
    let acme = acme.open(store).await;
    for (id, (field, value)) in ids.iter().zip(values) {
        let mut expected = collection(&acme, id).await;
        let updated = update(&acme, id, json!({field: value})).await;
        assert!(updated["updated_at"].as_str() > Some("2026"), "{field}: {updated}");
        assert_eq!(updated["updated_at"].as_str().map(str::len), Some(OLD.len()));
        expected[field] = value;
        expected["updated_at"] = updated["updated_at"].clone();
        assert_eq!(updated, expected);
    }
    assert_eq!(collection(&acme, &other).await["updated_at"], OLD);
    assert_eq!(
        acme.retrieve("/help-categories/retrieve", "category_id", &category).await["updated_at"],
        OLD
    );
}

#[rstest]
#[tokio::test]
async fn what_changes_nothing_leaves_updated_at(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let id = acme.collection(old());
    let acme = acme.open(store).await;
    let before = collection(&acme, &id).await;
    for patch in [
        json!({}),
        json!({"unknown": "x", "seq_number": "9.0000", "is_active": false}),
        json!({"name": null, "slug": null, "description": null, "icon": null, "color": null}),
        json!({"name": "Guides"}),
        json!({"slug": "guides"}),
        json!({"name": "Guides", "slug": "guides", "description": "All of it", "icon": "book", "color": "#abc"}),
    ] {
        assert_eq!(update(&acme, &id, patch.clone()).await, before, "{patch}");
    }
    let changed =
        update(&acme, &id, json!({"name": "Guides", "description": "More", "icon": null})).await;
    assert_eq!(json!([changed["description"], changed["icon"]]), json!(["More", "book"]));
    assert_ne!(changed["updated_at"], OLD);
}

#[rstest]
#[tokio::test]
async fn a_slug_in_use_is_refused_with_a_plain_string(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let mut members = old();
    let id = acme.collection(members.clone());
    acme.collection(json!({"slug": "Taken"}));
    acme.collection(json!({"slug": "Gone", "is_active": false}));
    acme.help_category(json!({"slug": "a-category"}));
    acme.article(json!({"slug": "an-article"}));
    members["slug"] = "foreign".into();
    globex.collection(members);
    let (acme, _globex) = (acme.open(store).await, globex.open(store).await);
    let before = collection(&acme, &id).await;
    for slug in ["Taken", "taken", "TAKEN", "Gone", "gONE"] {
        let answer =
            acme.post(PATH, json!({"collection_id": id, "slug": slug, "name": "Other"})).await;
        assert_eq!(answer.expect(400), json!({"detail": "Slug already exists"}), "{slug}");
    }
    assert_eq!(collection(&acme, &id).await, before, "all of it or nothing");
    // Each kind of resource and each organization has slugs of its own.
    for slug in ["a-category", "an-article", "foreign", "Guides", "guides-2", "taken-2"] {
        assert_eq!(update(&acme, &id, json!({"slug": slug})).await["slug"], slug);
    }
}

#[rstest]
#[tokio::test]
async fn an_unknown_or_deleted_collection_is_not_found(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let (deleted, foreign) =
        (acme.collection(json!({"is_active": false})), globex.collection(old()));
    acme.collection(json!({"slug": "taken"}));
    let (acme, globex) = (acme.open(store).await, globex.open(store).await);
    for id in [deleted, foreign.clone(), id()] {
        // The `404` comes before the `400`.
        for patch in [json!({}), json!({"name": "Mine"}), json!({"slug": "taken"})] {
            let mut body = patch;
            body["collection_id"] = id.as_str().into();
            assert_eq!(acme.post(PATH, body).await.expect(404), error("help collection not found"));
        }
    }
    assert_eq!(collection(&globex, &foreign).await["name"], "Guides");
}
