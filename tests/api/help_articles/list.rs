//! `/help-articles/list`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::{Value, json};

const PATH: &str = "/help-articles/list";

#[rstest]
#[tokio::test]
async fn an_article_is_listed_as_it_is_retrieved_but_without_content(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let author = acme.user(json!({}));
    let collection = acme.collection(json!({"slug": "guides"}));
    let category = acme.help_category(json!({"collection_id": collection, "slug": "steps"}));
    let related = acme
        .article(json!({"collection_id": collection, "slug": "direct", "seq_number": "1.0000"}));
    let filed = acme.article(json!({"category_id": category, "title": "Getting started", "slug": "filed", "content": "<p>x</p>",
        "excerpt": "How to", "status_code": "published", "is_favourite": true, "seq_number": "7.2500", "author_id": author,
        "published_at": "2026-02-01", "related_article_ids": [related], "view_count": 7, "helpful_count": 2,
        "not_helpful_count": 1, "updated_at": "2026-02-01"}));
    acme.article(json!({"is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post(PATH, json!({})).await.expect(200),
        json!({
            "items": [
                {"id": filed, "title": "Getting started", "slug": "filed", "excerpt": "How to", "status_code": "published",
                    "show_on_portal": true, "collection": {"id": collection, "name": "Guides", "slug": "guides"},
                    "category": {"id": category, "name": "First steps", "slug": "steps", "collection_id": collection},
                    "is_favourite": true, "seq_number": "7.2500", "published_at": "2026-02-01T00:00:00.000Z",
                    "related_article_ids": [related], "author_id": author, "view_count": 7, "helpful_count": 2,
                    "not_helpful_count": 1, "created_at": "2026-01-03T00:00:00.000Z", "updated_at": "2026-02-01T00:00:00.000Z", "external_id": null},
                {"id": related, "title": "Getting started", "slug": "direct", "excerpt": null, "status_code": "draft",
                    "show_on_portal": true, "collection": {"id": collection, "name": "Guides", "slug": "guides"},
                    "category": null, "is_favourite": false, "seq_number": "1.0000", "published_at": null,
                    "related_article_ids": [], "author_id": null, "view_count": 0, "helpful_count": 0, "not_helpful_count": 0,
                    "created_at": "2026-01-03T00:00:00.000Z", "updated_at": "2026-01-03T00:00:00.000Z", "external_id": null},
            ],
            "has_next_page": false,
            "cursor": null,
        })
    );
    let mut retrieved = acme.retrieve("/help-articles/retrieve", "article_id", &filed).await;
    retrieved.as_object_mut().expect("an object").remove("content");
    assert_eq!(acme.post(PATH, json!({"limit": 1})).await.expect(200)["items"], json!([retrieved]));
}

#[rstest]
#[tokio::test]
async fn articles_are_sorted_by_update_creation_title_or_position(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let category = acme.help_category(json!({"collection_id": collection}));
    let mut article = |parent: (&str, &str),
                       created: &str,
                       updated: &str,
                       title: &str,
                       seq_number: &str| {
        acme.article(json!({parent.0: parent.1, "title": title, "seq_number": seq_number,
            "created_at": format!("2026-01-{created}"), "updated_at": format!("2026-02-{updated}")}))
    };
    let (here, there) =
        (("collection_id", collection.as_str()), ("category_id", category.as_str()));
    let a = article(here, "01", "05", "b", "10.0000");
    let b = article(there, "03", "05", "C", "2.0000");
    let c = article(here, "03", "01", "ä", "2.0000");
    let d = article(there, "02", "09", "b", "-1.0000");
    let acme = acme.open(store).await;
    let cases = [
        (json!(null), json!([d, b, a, c])),
        (json!("updated"), json!([d, b, a, c])),
        (json!("newest"), json!([c, b, d, a])),
        (json!("oldest"), json!([a, d, b, c])),
        (json!("title"), json!([b, a, d, c])),
        (json!("position"), json!([d, b, c, a])),
    ];
    for (sort, expected) in cases {
        assert_eq!(acme.ids(PATH, json!({"sort": sort})).await, expected, "{sort}");
    }
}

#[rstest]
#[tokio::test]
async fn filters_narrow_the_list(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let (guides, other) = (acme.collection(json!({})), acme.collection(json!({})));
    let (steps, more) = (
        acme.help_category(json!({"collection_id": guides})),
        acme.help_category(json!({"collection_id": guides})),
    );
    let elsewhere = acme.help_category(json!({"collection_id": other}));
    let published = |members: Value| {
        let mut members = members;
        members["status_code"] = "published".into();
        members["published_at"] = "2026-02-01".into();
        members
    };
    let a = acme.article(published(json!({"collection_id": guides, "is_favourite": true})));
    let b = acme.article(published(
        json!({"category_id": steps, "content": "needle", "show_on_portal": false}),
    ));
    let c = acme.article(json!({"category_id": steps, "is_favourite": true, "excerpt": "Needle"}));
    let d = acme.article(json!({"category_id": more}));
    let e = acme.article(published(
        json!({"category_id": elsewhere, "title": "NEEDLES", "is_favourite": true}),
    ));
    let f = acme.article(json!({"collection_id": other}));
    acme.article(json!({"category_id": steps, "is_active": false, "title": "needle"}));
    let acme = acme.open(store).await;
    let cases = [
        (json!({"collection_id": guides}), json!([d, c, b, a])),
        (json!({"collection_id": other.to_uppercase()}), json!([f, e])),
        (json!({"category_id": steps}), json!([c, b])),
        (json!({"category_id": elsewhere}), json!([e])),
        (json!({"collection_id": guides, "category_id": steps}), json!([c, b])),
        (json!({"collection_id": other, "category_id": steps}), json!([])),
        (json!({"status_code": "draft"}), json!([f, d, c])),
        (json!({"status_code": "published"}), json!([e, b, a])),
        (json!({"is_favourite": true}), json!([e, c, a])),
        (json!({"is_favourite": false}), json!([f, d, b])),
        (json!({"search": "needle"}), json!([e, c, b])),
        (json!({"search": "needle", "sort": "oldest"}), json!([b, c, e])),
        (json!({"search": "ne", "category_id": steps}), json!([c, b])),
        (json!({"search": "needle", "collection_id": guides, "is_favourite": true}), json!([c])),
        (json!({"search": "needle", "status_code": "published", "sort": "title"}), json!([b, e])),
        (
            json!({"search": "started", "sort": "position", "collection_id": guides, "category_id": more}),
            json!([d]),
        ),
        (
            json!({"collection_id": guides, "status_code": "published", "is_favourite": false}),
            json!([b]),
        ),
        (
            json!({"search": null, "collection_id": null, "category_id": null, "status_code": null, "is_favourite": null,
                "sort": null, "cursor": null}),
            json!([f, e, d, c, b, a]),
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(acme.ids(PATH, body.clone()).await, expected, "{body}");
    }
}

#[rstest]
#[tokio::test]
async fn a_cursor_is_of_one_sort_and_one_set_of_filters(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let category = acme.help_category(json!({"collection_id": collection}));
    for _ in 0..3 {
        acme.article(json!({"category_id": category, "is_favourite": true}));
    }
    let acme = acme.open(store).await;
    let full = json!({"search": "getting", "collection_id": collection, "category_id": category, "status_code": "draft",
        "is_favourite": true, "sort": "title"});
    let mut first = full.clone();
    first["limit"] = 1.into();
    let cursor = acme.post(PATH, first).await.expect(200)["cursor"].clone();
    let mut next = full.clone();
    next["cursor"] = cursor.clone();
    assert_eq!(acme.post(PATH, next).await.expect(200)["items"].as_array().map(Vec::len), Some(2));
    for (field, other) in [
        ("search", json!("gettin")),
        ("search", json!(null)),
        ("collection_id", json!(null)),
        ("category_id", json!(null)),
        ("status_code", json!("published")),
        ("status_code", json!(null)),
        ("is_favourite", json!(false)),
        ("is_favourite", json!(null)),
        ("sort", json!("position")),
        ("sort", json!(null)),
    ] {
        let mut body = full.clone();
        body[field] = other.clone();
        body["cursor"] = cursor.clone();
        assert_eq!(
            json!(acme.faults(PATH, body).await),
            json!([["value_error", "cursor", cursor]]),
            "{field} {other}"
        );
    }
    // A cursor of the search is not a cursor of the list.
    let from_search = acme
        .post("/help-articles/search", json!({"query": "getting", "limit": 1}))
        .await
        .expect(200);
    let faults =
        acme.faults(PATH, json!({"search": "getting", "cursor": from_search["cursor"]})).await;
    assert_eq!(json!(faults), json!([["value_error", "cursor", from_search["cursor"]]]));
}
