//! `/help-redirects/…`, and the redirects of pages that move.

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

/// The redirects in the order of their paths.
async fn redirects(acme: &Organization) -> Vec<[String; 2]> {
    let all = acme.walk("/help-redirects/list", json!({}), 2).await;
    let text = |value: &Value| value.as_str().expect("a path").to_owned();
    let mut all: Vec<_> =
        all.iter().map(|it| [text(&it["from_path"]), text(&it["to_path"])]).collect();
    all.sort();
    all
}

async fn does(acme: &Organization, path: &str, body: Value) {
    assert_eq!(acme.post(path, body).await.expect(200), json!({"success": true}), "{path}");
}

async fn create(acme: &Organization, from: &str, to: &str) -> Value {
    let body = json!({"from_path": from, "to_path": to});
    acme.post("/help-redirects/create", body).await.expect(200)["id"].clone()
}

#[rstest]
#[tokio::test]
async fn redirects_are_made_listed_and_deleted_without_chains_and_circles(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let old = acme.redirect("/guide", "/start");
    let acme = acme.open(store).await;
    let made = create(&acme, "/Über", "/guide").await;
    let page = acme.post("/help-redirects/list", json!({})).await.expect(200);
    let made_at = page["items"][0]["created_at"].clone();
    assert_eq!(
        page,
        json!({"items": [
            {"id": made, "from_path": "/%C3%9Cber", "to_path": "/start", "created_at": made_at},
            {"id": old, "from_path": "/guide", "to_path": "/start",
                "created_at": "2026-01-06T00:00:00.000Z"},
        ], "has_next_page": false, "cursor": null})
    );
    // A new redirect takes those that lead to its beginning to its end.
    create(&acme, "/start", "/help/first").await;
    let all = [["/%C3%9Cber", "/help/first"], ["/guide", "/help/first"], ["/start", "/help/first"]];
    assert_eq!(redirects(&acme).await, all);
    let refused = async |from: &str, to: &str| {
        let body = json!({"from_path": from, "to_path": to});
        acme.post("/help-redirects/create", body).await.expect(400)
    };
    assert_eq!(refused("/guide", "/other").await, json!({"detail": "Path already exists"}));
    let circle = error("the redirect leads in a circle");
    assert_eq!(refused("/help/first", "/guide").await, circle);
    assert_eq!(refused("/help/first", "/start").await, circle);
    let good = json!({"from_path": "/a", "to_path": "/b"});
    let long = format!("/{}", "a".repeat(2_048));
    acme.refuses(
        "/help-redirects/create",
        &good,
        &[
            ("to_path", json!("/a"), "value_error"),
            ("from_path", json!("a"), "string_pattern_mismatch"),
            ("from_path", json!("/a b"), "string_pattern_mismatch"),
            ("to_path", json!("/b?c"), "string_pattern_mismatch"),
            ("to_path", json!("/b#c"), "string_pattern_mismatch"),
            ("to_path", json!(long), "string_too_long"),
            ("from_path", json!(null), "string_type"),
        ],
    )
    .await;
    assert_eq!(redirects(&acme).await, all);

    does(&acme, "/help-redirects/delete", json!({"redirect_id": old})).await;
    assert_eq!(redirects(&acme).await, [all[0], all[2]]);
    for gone in [old, id()] {
        let answer = acme.post("/help-redirects/delete", json!({"redirect_id": gone})).await;
        assert_eq!(answer.expect(404), error("redirect not found"));
    }
}

#[rstest]
#[tokio::test]
async fn a_page_that_moves_leaves_a_redirect(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let shelf = acme.collection(json!({"slug": "shelf"}));
    let guide = acme.help_category(json!({"collection_id": shelf, "slug": "guide"}));
    let article = acme.article(json!({"category_id": guide, "slug": "first"}));
    let draft = acme.article(json!({"collection_id": shelf, "slug": "gone", "is_active": false}));
    acme.redirect("/docs/first", "/help/shelf/guide/first");
    acme.redirect("/help/shelf/guide/later", "/help/shelf/guide");
    let acme = acme.open(store).await;
    let update = async |path: &str, body: Value| does(&acme, path, body).await;
    let articles = "/help-articles/update";
    update(articles, json!({"article_id": article, "title": "No other address"})).await;
    assert_eq!(redirects(&acme).await.len(), 2);

    // Nothing leads away from the new address any more.
    update(articles, json!({"article_id": article, "slug": "later"})).await;
    let later = "/help/shelf/guide/later";
    let by_slug = ["/help/*/first", "/help/*/later"];
    let mut all = vec![["/docs/first", later], by_slug, ["/help/shelf/guide/first", later]];
    assert_eq!(redirects(&acme).await, all);
    update(articles, json!({"article_id": article, "collection_id": shelf})).await;
    let moved = "/help/shelf/later";
    all = vec![["/docs/first", moved], by_slug, ["/help/shelf/guide/first", moved], [later, moved]];
    assert_eq!(redirects(&acme).await, all);
    update("/help-categories/update", json!({"category_id": guide, "slug": "manual"})).await;
    update("/help-collections/update", json!({"collection_id": shelf, "slug": "Board"})).await;
    let former = [["/help/shelf", "/help/Board"], ["/help/shelf/guide", "/help/shelf/manual"]];
    all.splice(2..2, former);
    assert_eq!(redirects(&acme).await, all);
    // The way back removes the redirects from there.
    update("/help-collections/update", json!({"collection_id": shelf, "slug": "shelf"})).await;
    all[2] = ["/help/Board", "/help/shelf"];
    assert_eq!(redirects(&acme).await, all);
    update(articles, json!({"article_id": article, "category_id": guide, "slug": "first"})).await;
    let present = "/help/shelf/manual/first";
    let back = [
        ["/docs/first", present],
        ["/help/*/later", "/help/*/first"],
        ["/help/Board", "/help/shelf"],
        ["/help/shelf/guide", "/help/shelf/manual"],
        ["/help/shelf/guide/first", present],
        [later, present],
        [moved, present],
    ];
    assert_eq!(redirects(&acme).await, back);
    let deleted = acme.post(articles, json!({"article_id": draft, "slug": "other"})).await;
    assert_eq!(deleted.expect(404), error("help article not found"));
}
