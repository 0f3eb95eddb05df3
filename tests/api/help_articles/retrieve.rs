//! `/help-articles/retrieve`

use crate::support::{Draft, Store, error, id};
use rstest::rstest;
use serde_json::json;

const PATH: &str = "/help-articles/retrieve";

#[rstest]
#[tokio::test]
async fn an_article_embeds_its_collection_and_category(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let author = acme.user(json!({}));
    let collection = acme.collection(json!({"name": "Guides", "slug": "guides"}));
    let category = acme.help_category(
        json!({"collection_id": collection, "name": "First steps", "slug": "first-steps"}),
    );
    let (related, gone) = (acme.article(json!({})), acme.article(json!({"is_active": false})));
    let filed = acme.article(json!({"category_id": category, "title": "Getting started", "slug": "Getting.Started",
        "content": "<p>Ünï🙂</p><script>alert(1)</script>", "excerpt": "How to", "status_code": "published",
        "show_on_portal": false, "is_favourite": true, "seq_number": "7.2500", "author_id": author,
        "published_at": "2026-02-01T08:00:00.5Z", "related_article_ids": [gone, related], "view_count": 1_000_000_000_000_i64,
        "helpful_count": 20, "not_helpful_count": 3, "created_at": "2026-01-03T00:00:00.123456Z",
        "updated_at": "2026-02-01T08:00:01Z"}));
    let direct = acme
        .article(json!({"collection_id": collection, "slug": "direct", "seq_number": "1.0000"}));
    let acme = acme.open(store).await;
    let expected = json!({"id": filed, "title": "Getting started", "slug": "Getting.Started", "excerpt": "How to",
        "status_code": "published", "show_on_portal": false,
        "collection": {"id": collection, "name": "Guides", "slug": "guides"},
        "category": {"id": category, "name": "First steps", "slug": "first-steps", "collection_id": collection},
        "content": "<p>Ünï🙂</p><script>alert(1)</script>", "is_favourite": true, "seq_number": "7.2500",
        "published_at": "2026-02-01T08:00:00.500Z", "related_article_ids": [gone, related], "author_id": author,
        "view_count": 1_000_000_000_000_i64, "helpful_count": 20, "not_helpful_count": 3,
        "created_at": "2026-01-03T00:00:00.123Z", "updated_at": "2026-02-01T08:00:01.000Z"});
    for written in [filed.clone(), filed.to_uppercase(), filed.replace('-', "")] {
        // No view is counted, however often.
        assert_eq!(acme.post(PATH, json!({"article_id": written})).await.expect(200), expected);
    }
    assert_eq!(
        acme.post(PATH, json!({"article_id": direct})).await.expect(200),
        json!({"id": direct, "title": "Getting started", "slug": "direct", "excerpt": null, "status_code": "draft",
            "show_on_portal": true, "collection": {"id": collection, "name": "Guides", "slug": "guides"}, "category": null,
            "content": "", "is_favourite": false, "seq_number": "1.0000", "published_at": null, "related_article_ids": [],
            "author_id": null, "view_count": 0, "helpful_count": 0, "not_helpful_count": 0,
            "created_at": "2026-01-03T00:00:00.000Z", "updated_at": "2026-01-03T00:00:00.000Z"})
    );
}

#[rstest]
#[tokio::test]
async fn an_article_whose_parent_was_deleted_still_names_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({"is_active": false, "slug": "c"}));
    let category =
        acme.help_category(json!({"collection_id": collection, "is_active": false, "slug": "k"}));
    let article = acme.article(json!({"category_id": category}));
    let acme = acme.open(store).await;
    let shown = acme.post(PATH, json!({"article_id": article})).await.expect(200);
    assert_eq!(shown["collection"], json!({"id": collection, "name": "Guides", "slug": "c"}));
    assert_eq!(
        shown["category"],
        json!({"id": category, "name": "First steps", "slug": "k", "collection_id": collection})
    );
}

#[rstest]
#[tokio::test]
async fn an_unknown_or_deleted_article_is_not_found(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let category = acme.help_category(json!({}));
    let (deleted, foreign) = (acme.article(json!({"is_active": false})), globex.article(json!({})));
    let (acme, _globex) = (acme.open(store).await, globex.open(store).await);
    for id in [deleted, foreign, category, id()] {
        assert_eq!(
            acme.post(PATH, json!({"article_id": id})).await.expect(404),
            error("help article not found")
        );
    }
}
