//! `/help-categories/update`

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

const PATH: &str = "/help-categories/update";

/// Long ago, so that a later `updated_at` shows even though it has no fraction.
const OLD: &str = "2020-01-02T03:04:05";

async fn category(acme: &Organization, id: &str) -> Value {
    acme.retrieve("/help-categories/retrieve", "category_id", id).await
}

async fn update(acme: &Organization, id: &str, patch: Value) -> Value {
    let mut body = patch;
    body["category_id"] = id.into();
    assert_eq!(acme.post(PATH, body).await.expect(200), json!({"success": true}));
    category(acme, id).await
}

fn old(collection: &str) -> Value {
    json!({"collection_id": collection, "name": "First steps", "description": "All of it", "icon": "book", "color": "#abc",
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
    let collection = acme.collection(json!({"created_at": OLD, "updated_at": OLD}));
    let other = acme.help_category(old(&collection));
    let ids: Vec<String> = values.iter().map(|_| acme.help_category(old(&collection))).collect();
    let article =
        acme.article(json!({"category_id": ids[0], "created_at": OLD, "updated_at": OLD}));
    let acme = acme.open(store).await;
    for (id, (field, value)) in ids.iter().zip(values) {
        let mut expected = category(&acme, id).await;
        let updated = update(&acme, id, json!({field: value})).await;
        assert!(updated["updated_at"].as_str() > Some("2026"), "{field}: {updated}");
        assert_eq!(updated["updated_at"].as_str().map(str::len), Some(OLD.len()));
        expected[field] = value;
        expected["updated_at"] = updated["updated_at"].clone();
        assert_eq!(updated, expected);
    }
    assert_eq!(category(&acme, &other).await["updated_at"], OLD);
    assert_eq!(
        acme.retrieve("/help-collections/retrieve", "collection_id", &collection).await["updated_at"],
        OLD
    );
    let article = acme.retrieve("/help-articles/retrieve", "article_id", &article).await;
    assert_eq!(article["updated_at"], "2020-01-02T03:04:05.000Z");
}

#[rstest]
#[tokio::test]
async fn what_changes_nothing_leaves_updated_at_and_the_position(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({"created_at": OLD, "updated_at": OLD}));
    let mut members = old(&collection);
    members["slug"] = "first-steps".into();
    let id = acme.help_category(members);
    acme.help_category(json!({"collection_id": collection}));
    let acme = acme.open(store).await;
    let before = category(&acme, &id).await;
    for patch in [
        json!({}),
        json!({"unknown": "x", "seq_number": "9.0000", "is_active": false}),
        json!({"collection_id": null, "name": null, "slug": null, "description": null, "icon": null, "color": null}),
        json!({"collection_id": collection}),
        json!({"collection_id": collection.to_uppercase()}),
        json!({"slug": "first-steps"}),
        json!({"collection_id": collection, "name": "First steps", "slug": "first-steps", "description": "All of it",
            "icon": "book", "color": "#abc"}),
    ] {
        assert_eq!(update(&acme, &id, patch.clone()).await, before, "{patch}");
    }
    // A category that moves nowhere stays where it is, whatever else is changed.
    let changed = update(
        &acme,
        &id,
        json!({"collection_id": collection, "description": "More", "icon": null}),
    )
    .await;
    assert_eq!(
        json!([changed["description"], changed["icon"], changed["seq_number"]]),
        json!(["More", "book", before["seq_number"]])
    );
    assert_ne!(changed["updated_at"], OLD);
    assert_eq!(
        acme.retrieve("/help-collections/retrieve", "collection_id", &collection).await["updated_at"],
        OLD
    );
}

#[rstest]
#[tokio::test]
async fn a_category_moves_with_its_articles_to_the_end_of_another_collection(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let mut collection = |name: &str| {
        acme.collection(json!({"name": name, "slug": name, "created_at": OLD, "updated_at": OLD}))
    };
    let (from, to) = (collection("From"), collection("To"));
    acme.help_category(json!({"collection_id": from}));
    let mut members = old(&from);
    members["slug"] = "moving".into();
    let moving = acme.help_category(members);
    let last = acme.help_category(json!({"collection_id": to, "seq_number": "41.5000"}));
    let mut article = |members: Value| {
        let mut members = members;
        members["created_at"] = OLD.into();
        members["updated_at"] = OLD.into();
        acme.article(members)
    };
    let articles =
        [article(json!({"category_id": moving})), article(json!({"category_id": moving}))];
    let staying = article(json!({"collection_id": from}));
    let there = article(json!({"collection_id": to}));
    article(json!({"category_id": moving, "is_active": false}));
    let acme = acme.open(store).await;

    let counts = async || {
        let mut counts = Vec::new();
        for id in [&from, &to] {
            let shown = acme.retrieve("/help-collections/retrieve", "collection_id", id).await;
            assert_eq!(shown["updated_at"], OLD);
            counts.push(shown["category_count"].clone());
        }
        let page = acme.post("/help-collections/list", json!({})).await.expect(200);
        let listed: Vec<Value> = page["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|item| item["category_count"].clone())
            .collect();
        assert_eq!(listed, counts);
        json!(counts)
    };
    let in_collection = async |id: &str| {
        acme.ids("/help-articles/list", json!({"collection_id": id, "sort": "oldest"})).await
    };
    assert_eq!(counts().await, json!([2, 1]));
    assert_eq!(in_collection(&from).await, json!([articles[0], articles[1], staying]));

    let moved = update(&acme, &moving, json!({"collection_id": to})).await;
    assert_eq!(
        json!([
            moved["collection_id"],
            moved["seq_number"],
            moved["article_count"],
            moved["name"],
            moved["slug"]
        ]),
        json!([to, "42.5000", 2, "First steps", "moving"])
    );
    assert_ne!(moved["updated_at"], OLD);
    assert_eq!(counts().await, json!([1, 2]));
    assert_eq!(in_collection(&from).await, json!([staying]));
    assert_eq!(in_collection(&to).await, json!([articles[0], articles[1], there]));
    assert_eq!(
        acme.ids("/help-categories/list", json!({"collection_id": to})).await,
        json!([last, moving])
    );
    for id in &articles {
        let article = acme.retrieve("/help-articles/retrieve", "article_id", id).await;
        assert_eq!(article["collection"], json!({"id": to, "name": "To", "slug": "To"}));
        assert_eq!(
            article["category"],
            json!({"id": moving, "name": "First steps", "slug": "moving", "collection_id": to})
        );
        assert_eq!(article["updated_at"], "2020-01-02T03:04:05.000Z", "only the patched record");
    }
    let found = acme.post("/help-articles/search", json!({"query": "getting"})).await.expect(200);
    for hit in found["items"].as_array().expect("items") {
        let expected = if hit["id"] == staying { &from } else { &to };
        assert_eq!(hit["collection"]["id"], *expected);
    }

    // Once more to where it is: it keeps its place.
    assert_eq!(update(&acme, &moving, json!({"collection_id": to})).await, moved);
    // And back: behind all that was ever given there.
    let back = update(&acme, &moving, json!({"collection_id": from, "name": "Back"})).await;
    assert_eq!(
        json!([back["collection_id"], back["name"], back["article_count"]]),
        json!([from, "Back", 2])
    );
    assert_eq!(counts().await, json!([2, 1]));
    let order = acme.ids("/help-categories/list", json!({"collection_id": from})).await;
    assert_eq!(order[1], moving);
}

#[rstest]
#[tokio::test]
async fn a_slug_in_use_is_refused_with_a_plain_string(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let (collection, other) =
        (acme.collection(json!({"slug": "a-collection"})), acme.collection(json!({})));
    let mut members = old(&collection);
    members["slug"] = "first-steps".into();
    let id = acme.help_category(members);
    acme.help_category(json!({"slug": "Taken", "collection_id": other}));
    acme.help_category(json!({"slug": "Gone", "is_active": false}));
    acme.article(json!({"slug": "an-article"}));
    acme.category(json!({"code": "a-code"}));
    globex.help_category(json!({"slug": "foreign"}));
    let (acme, _globex) = (acme.open(store).await, globex.open(store).await);
    let before = category(&acme, &id).await;
    for slug in ["Taken", "taken", "TAKEN", "Gone", "gONE"] {
        let answer = acme
            .post(
                PATH,
                json!({"category_id": id, "slug": slug, "name": "Other", "collection_id": other}),
            )
            .await;
        assert_eq!(answer.expect(400), json!({"detail": "Slug already exists"}), "{slug}");
    }
    assert_eq!(category(&acme, &id).await, before, "all of it or nothing");
    // Each kind of resource and each organization has slugs of its own.
    for slug in [
        "a-collection",
        "an-article",
        "a-code",
        "foreign",
        "First-Steps",
        "first-steps-2",
        "taken-2",
    ] {
        assert_eq!(update(&acme, &id, json!({"slug": slug})).await["slug"], slug);
    }
}

#[rstest]
#[tokio::test]
async fn what_is_missing_is_named_category_then_collection_and_before_the_slug(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let here = acme.collection(json!({}));
    let mut members = old(&here);
    members["slug"] = "first-steps".into();
    let own = acme.help_category(members);
    let taken = acme.help_category(json!({"slug": "taken"}));
    let deleted = acme.help_category(json!({"is_active": false}));
    let deleted_collection = acme.collection(json!({"is_active": false}));
    let (foreign_collection, foreign) =
        (globex.collection(json!({})), globex.help_category(json!({})));
    let (acme, _globex) = (acme.open(store).await, globex.open(store).await);
    for category in [&deleted, &foreign, &here, &id()] {
        for collection in [&here, &deleted_collection, &id()] {
            let body =
                json!({"category_id": category, "collection_id": collection, "slug": "taken"});
            assert_eq!(acme.post(PATH, body).await.expect(404), error("help category not found"));
        }
        let answer = acme.post(PATH, json!({"category_id": category})).await;
        assert_eq!(answer.expect(404), error("help category not found"), "a patch of nothing too");
    }
    for collection in [&deleted_collection, &foreign_collection, &taken, &id()] {
        let body = json!({"category_id": own, "collection_id": collection, "slug": "taken", "name": "Other"});
        assert_eq!(acme.post(PATH, body).await.expect(404), error("help collection not found"));
    }
    assert_eq!(category(&acme, &own).await["updated_at"], OLD);
}

#[rstest]
#[tokio::test]
async fn a_category_of_a_deleted_collection_can_be_changed_and_moved_out(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (deleted, here) =
        (acme.collection(json!({"is_active": false})), acme.collection(json!({})));
    let id = acme.help_category(old(&deleted));
    let acme = acme.open(store).await;
    assert_eq!(update(&acme, &id, json!({"name": "Kept"})).await["name"], "Kept");
    assert_eq!(update(&acme, &id, json!({"collection_id": here})).await["collection_id"], here);
}
