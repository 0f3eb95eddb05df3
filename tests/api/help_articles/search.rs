//! `/help-articles/search`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

const PATH: &str = "/help-articles/search";

#[rstest]
#[tokio::test]
async fn a_hit_has_the_contracts_fields_and_no_score(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({"slug": "guides"}));
    let category = acme.help_category(json!({"collection_id": collection, "slug": "steps"}));
    let filed = acme.article(json!({"category_id": category, "slug": "filed", "excerpt": "How to", "status_code": "published",
        "published_at": "2026-02-01", "show_on_portal": false, "is_favourite": true, "updated_at": "2026-02-02"}));
    let direct = acme.article(
        json!({"collection_id": collection, "slug": "direct", "updated_at": "2026-02-01"}),
    );
    acme.article(json!({"is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post(PATH, json!({"query": "STARTED"})).await.expect(200),
        json!({
            "items": [
                {"id": filed, "title": "Getting started", "slug": "filed", "excerpt": "How to", "status_code": "published",
                    "show_on_portal": false, "collection": {"id": collection, "name": "Guides", "slug": "guides"},
                    "category": {"id": category, "name": "First steps", "slug": "steps", "collection_id": collection}},
                {"id": direct, "title": "Getting started", "slug": "direct", "excerpt": null, "status_code": "draft",
                    "show_on_portal": true, "collection": {"id": collection, "name": "Guides", "slug": "guides"},
                    "category": null},
            ],
            "has_next_page": false,
            "cursor": null,
        })
    );
}

#[rstest]
#[tokio::test]
async fn title_content_and_excerpt_are_searched_for_a_literal_substring_without_regard_to_case(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let mut n = 0;
    let mut article = |title: &str, content: &str, excerpt: Option<&str>| {
        n += 1;
        acme.article(json!({"title": title, "content": content, "excerpt": excerpt, "created_at": format!("2026-01-{n:02}")}))
    };
    let gruesse = article("Viele Grüße", "aus der <b>Straße</b>", Some("Ärger"));
    let percent = article("100% of_it", "C:\\temp", None);
    let aales = article("x", "", Some("Åles ΣΊΣΥΦΟΣ"));
    let decomposed = article("Cafe\u{301}", "İstanbul", Some("line\nbreak\ttab"));
    let acme = acme.open(store).await;
    let cases = [
        ("<B>straße</B>", json!([gruesse])),
        ("ÄRGER", json!([gruesse])),
        ("ss", json!([])),
        ("f_I", json!([percent])),
        ("åles σίσυφος", json!([aales])),
        ("İSTANBUL", json!([decomposed])),
        ("Grüßeaus", json!([])),
        ("le", json!([aales, gruesse])),
    ];
    for (query, expected) in cases {
        assert_eq!(acme.ids(PATH, json!({"query": query})).await, expected, "{query:?}");
        assert_eq!(
            acme.ids("/help-articles/list", json!({"search": query})).await,
            expected,
            "{query:?}"
        );
    }
}

#[rstest]
#[tokio::test]
async fn drafts_and_unlisted_articles_are_found_unless_published_only_is_set(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let mut article = |status_code: &str, show_on_portal: bool| {
        acme.article(json!({"status_code": status_code, "show_on_portal": show_on_portal, "published_at": "2026-02-01"}))
    };
    let draft = article("draft", true);
    let unlisted_draft = article("draft", false);
    let unlisted = article("published", false);
    let public = article("published", true);
    let acme = acme.open(store).await;
    let all = json!([public, unlisted, unlisted_draft, draft]);
    for body in [
        json!({"query": "getting"}),
        json!({"query": "getting", "published_only": false}),
        json!({"query": "getting", "published_only": null}),
    ] {
        assert_eq!(acme.ids(PATH, body).await, all);
    }
    for query in ["getting", "g"] {
        assert_eq!(
            acme.ids(PATH, json!({"query": query, "published_only": true})).await,
            json!([public])
        );
    }
}

#[rstest]
#[tokio::test]
async fn a_cursor_is_of_one_query(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    for _ in 0..3 {
        acme.article(json!({}));
    }
    let acme = acme.open(store).await;
    let cursor =
        acme.post(PATH, json!({"query": "getting", "limit": 1})).await.expect(200)["cursor"]
            .clone();
    acme.post(PATH, json!({"query": "getting", "published_only": false, "cursor": cursor}))
        .await
        .expect(200);
    for body in [json!({"query": "gettin"}), json!({"query": "getting", "published_only": true})] {
        let mut body = body;
        body["cursor"] = cursor.clone();
        assert_eq!(
            json!(acme.faults(PATH, body).await),
            json!([["value_error", "cursor", cursor]])
        );
    }
}
