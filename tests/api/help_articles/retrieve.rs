//! `/help-articles/retrieve`

use crate::support::{Draft, Store};
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
        "created_at": "2026-01-03T00:00:00.123Z", "updated_at": "2026-02-01T08:00:01.000Z", "external_id": null});
    for written in [filed.clone(), filed.to_uppercase(), filed.replace('-', "")] {
        // A retrieval is not counted as a view.
        assert_eq!(acme.post(PATH, json!({"article_id": written})).await.expect(200), expected);
    }
    assert_eq!(
        acme.post(PATH, json!({"article_id": direct})).await.expect(200),
        json!({"id": direct, "title": "Getting started", "slug": "direct", "excerpt": null, "status_code": "draft",
            "show_on_portal": true, "collection": {"id": collection, "name": "Guides", "slug": "guides"}, "category": null,
            "content": "", "is_favourite": false, "seq_number": "1.0000", "published_at": null, "related_article_ids": [],
            "author_id": null, "view_count": 0, "helpful_count": 0, "not_helpful_count": 0,
            "created_at": "2026-01-03T00:00:00.000Z", "updated_at": "2026-01-03T00:00:00.000Z", "external_id": null})
    );
}
