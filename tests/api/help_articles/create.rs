//! `/help-articles/create`

use crate::support::{Draft, Organization, Store, error, id, invalid, now, time};
use rstest::rstest;
use serde_json::{Value, json};

const PATH: &str = "/help-articles/create";

async fn create(acme: &Organization, body: Value) -> Value {
    let answer = acme.post(PATH, body).await.expect(200);
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(1), "{answer}");
    acme.retrieve("/help-articles/retrieve", "article_id", answer["id"].as_str().expect("an id"))
        .await
}

#[rstest]
#[tokio::test]
async fn a_parent_and_a_title_are_enough(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    const OLD: &str = "2020-01-01T00:00:00";
    let mut acme = Draft::new();
    let collection =
        acme.collection(json!({"slug": "guides", "created_at": OLD, "updated_at": OLD}));
    let category = acme.help_category(
        json!({"collection_id": collection, "slug": "steps", "created_at": OLD, "updated_at": OLD}),
    );
    let acme = acme.open(store).await;
    let shown_collection = json!({"id": collection, "name": "Guides", "slug": "guides"});
    let shown_category = json!({"id": category, "name": "First steps", "slug": "steps", "collection_id": collection});
    for (parent, id, category) in
        [("collection_id", &collection, Value::Null), ("category_id", &category, shown_category)]
    {
        let before = now();
        let title = format!("By {parent}");
        let article = create(&acme, json!({parent: id, "title": title})).await;
        let at = time(&article["created_at"]);
        assert!((before..=now()).contains(&at));
        assert_eq!(
            article,
            json!({"id": article["id"], "title": title, "slug": title.to_lowercase().replace([' ', '_'], "-"), "excerpt": null,
                "status_code": "draft", "show_on_portal": true, "collection": shown_collection, "category": category,
                "content": "", "is_favourite": false, "seq_number": "1.0000", "published_at": null, "related_article_ids": [],
                "author_id": null, "view_count": 0, "helpful_count": 0, "not_helpful_count": 0,
                "created_at": at.to_string(), "updated_at": at.to_string(), "external_id": null})
        );
        assert_eq!(&article["id"].as_str().expect("an id")[14..15], "7", "a UUID of version 7");
    }
    // Only the category counts the new article. Neither the category nor the collection counts as
    // updated.
    let shown = acme.retrieve("/help-categories/retrieve", "category_id", &category).await;
    assert_eq!(json!([shown["article_count"], shown["updated_at"]]), json!([1, OLD]));
    let shown = acme.retrieve("/help-collections/retrieve", "collection_id", &collection).await;
    assert_eq!(json!([shown["category_count"], shown["updated_at"]]), json!([1, OLD]));
}

#[rstest]
#[tokio::test]
async fn every_field_is_kept_as_it_was_sent(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let (first, second) = (acme.article(json!({})), acme.article(json!({})));
    let acme = acme.open(store).await;
    let content = "<p onclick=\"x()\">Ünï🙂</p>\r\n<script>alert(1)</script>\t\u{1}\u{7f}\u{feff}";
    let body = json!({"category_id": null, "collection_id": collection, "title": " Getting\nstarted ", "content": content,
        "slug": "Start.Here~_-1", "excerpt": "é".repeat(512), "status_code": "published", "show_on_portal": false,
        "is_favourite": true, "published_at": "2020-05-06T07:08:09.0109+02:00",
        "related_article_ids": [second, first, second.to_uppercase(), first.replace('-', "")], "unknown": 5});
    let article = create(&acme, body.clone()).await;
    for field in
        ["title", "content", "slug", "excerpt", "status_code", "show_on_portal", "is_favourite"]
    {
        assert_eq!(article[field], body[field], "{field}");
    }
    assert_eq!(article["published_at"], "2020-05-06T05:08:09.010Z");
    assert_eq!(article["related_article_ids"], json!([second, first]));
    let empty = create(
        &acme,
        json!({"collection_id": collection, "title": "x", "content": "", "excerpt": ""}),
    )
    .await;
    assert_eq!(json!([empty["content"], empty["excerpt"]]), json!(["", ""]));
}

#[rstest]
#[tokio::test]
async fn null_leaves_a_field_out(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let category = acme.help_category(json!({}));
    let acme = acme.open(store).await;
    let article = create(
        &acme,
        json!({"category_id": category, "collection_id": null, "title": "x", "content": null, "slug": null, "excerpt": null,
            "status_code": null, "show_on_portal": null, "is_favourite": null, "published_at": null,
            "related_article_ids": null}),
    )
    .await;
    assert_eq!(
        json!([
            article["content"],
            article["slug"],
            article["excerpt"],
            article["status_code"],
            article["show_on_portal"],
            article["is_favourite"],
            article["published_at"],
            article["related_article_ids"]
        ]),
        json!(["", "x", null, "draft", true, false, null, []])
    );
}

#[rstest]
#[tokio::test]
async fn a_published_article_has_its_time_and_a_draft_keeps_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let acme = acme.open(store).await;
    let publication = async |members: Value| {
        let mut body = members;
        body["collection_id"] = collection.as_str().into();
        body["title"] = "x".into();
        let article = create(&acme, body).await;
        (article["status_code"].clone(), article["published_at"].clone())
    };
    let given = "2031-01-01T00:00:00.000Z";
    assert_eq!(publication(json!({})).await, (json!("draft"), Value::Null));
    assert_eq!(
        publication(json!({"status_code": "draft", "published_at": given})).await,
        (json!("draft"), json!(given))
    );
    assert_eq!(publication(json!({"published_at": given})).await, (json!("draft"), json!(given)));
    let published = json!({"status_code": "published", "published_at": given});
    assert_eq!(publication(published).await, (json!("published"), json!(given)));
    for body in [
        json!({"status_code": "published"}),
        json!({"status_code": "published", "published_at": null}),
    ] {
        let before = now();
        let (status, at) = publication(body).await;
        assert_eq!(status, "published");
        assert!((before..=now()).contains(&time(&at)));
    }
}

#[rstest]
#[tokio::test]
async fn exactly_one_parent_is_given(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let category = acme.help_category(json!({"collection_id": collection}));
    let acme = acme.open(store).await;
    for neither in [
        json!({"title": "x"}),
        json!({"title": "x", "category_id": null}),
        json!({"title": "x", "category_id": null, "collection_id": null}),
    ] {
        let answer = acme.post(PATH, neither).await.expect(422);
        assert_eq!(answer, invalid(&[("missing", "category_id", "Field required", Value::Null)]));
    }
    for (category, collection) in [(&category, &collection), (&id(), &id())] {
        let both = acme
            .faults(
                PATH,
                json!({"title": "x", "category_id": category, "collection_id": collection}),
            )
            .await;
        assert_eq!(json!(both), json!([["value_error", "collection_id", collection]]));
    }
    // A field of the wrong type does not count as one of two parents.
    let wrong = acme
        .faults(PATH, json!({"title": "x", "category_id": 5, "collection_id": collection}))
        .await;
    assert_eq!(wrong[0], json!(["uuid_type", "category_id", 5]));
    let wrong =
        acme.faults(PATH, json!({"title": "x", "category_id": "x", "collection_id": 5})).await;
    assert_eq!(
        json!(wrong),
        json!([["uuid_parsing", "category_id", "x"], ["uuid_type", "collection_id", 5]])
    );
    assert_eq!(acme.ids("/help-articles/list", json!({})).await, json!([]), "no record was made");
}

#[rstest]
#[tokio::test]
async fn the_first_missing_related_article_is_named(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let collection = acme.collection(json!({}));
    let (own, deleted, foreign) = (
        acme.article(json!({})),
        acme.article(json!({"is_active": false})),
        globex.article(json!({})),
    );
    let (acme, _globex) = (acme.open(store).await, globex.open(store).await);
    let unknown = id();
    for (related, named) in [
        (json!([unknown]), &unknown),
        (json!([own, unknown, foreign]), &unknown),
        (json!([foreign, unknown]), &foreign),
        (json!([deleted.to_uppercase(), own]), &deleted),
        (json!([own, own, foreign.replace('-', "")]), &foreign),
        (json!([collection]), &collection),
    ] {
        let body =
            json!({"title": "x", "collection_id": collection, "related_article_ids": related});
        let message = format!("related article {named} not found in this organization");
        assert_eq!(acme.post(PATH, body).await.expect(400), error(&message));
    }
    assert_eq!(
        acme.ids("/help-articles/list", json!({"collection_id": collection})).await,
        json!([]),
        "no record was made"
    );
}

#[rstest]
#[tokio::test]
async fn a_body_of_many_thousand_related_articles_is_answered(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let acme = acme.open(store).await;
    let unknown: Vec<String> = (0..24_000).map(|_| id()).collect();
    let body = json!({"title": "x", "collection_id": collection, "related_article_ids": unknown});
    let message = format!("related article {} not found in this organization", unknown[0]);
    assert_eq!(acme.post(PATH, body).await.expect(400), error(&message));
}
