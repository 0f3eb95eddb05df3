//! `/help-articles/…`: the writes beside `create`.

use crate::support::{Draft, Organization, Store, error, id, now, time};
use rstest::rstest;
use serde_json::{Value, json};

async fn retrieve(acme: &Organization, id: &str) -> Value {
    acme.post("/help-articles/retrieve", json!({"article_id": id})).await.expect(200)
}

async fn does(acme: &Organization, verb: &str, body: Value) {
    let answer = acme.post(&format!("/help-articles/{verb}"), body).await;
    assert_eq!(answer.expect(200), json!({"success": true}), "{verb}");
}

#[rstest]
#[tokio::test]
async fn an_article_is_changed_field_by_field_and_found_by_its_new_text(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let author = acme.user(json!({}));
    let inside = json!({"collection_id": collection, "title": "Signing in", "content": "By mail",
        "excerpt": "How"});
    let article = acme.article(inside);
    let other = acme.article(json!({"collection_id": collection, "slug": "taken"}));
    let acme = acme.open(store).await;
    let found = async |query: &str| {
        let hits = acme.post("/help-articles/search", json!({"query": query})).await.expect(200);
        hits["items"].as_array().map(Vec::len)
    };
    let mut expected = retrieve(&acme, &article).await;
    let patch = json!({"article_id": article, "title": "Leaving", "content": "<p>Wave</p>",
        "slug": "leaving", "show_on_portal": false, "is_favourite": true,
        "related_article_ids": [other, other], "author_id": author, "external_id": "a-1",
        "clear": ["excerpt"]});
    does(&acme, "update", patch).await;
    for (member, value) in [
        ("title", json!("Leaving")),
        ("content", json!("<p>Wave</p>")),
        ("slug", json!("leaving")),
        ("show_on_portal", json!(false)),
        ("is_favourite", json!(true)),
        ("related_article_ids", json!([other])),
        ("author_id", json!(author)),
        ("external_id", json!("a-1")),
        ("excerpt", json!(null)),
    ] {
        expected[member] = value;
    }
    let shown = retrieve(&acme, &article).await;
    expected["updated_at"] = shown["updated_at"].clone();
    assert_eq!(shown, expected);
    assert_eq!((found("wave").await, found("signing").await), (Some(1), Some(0)));
    for (patch, status, detail) in [
        (json!({"slug": "taken"}), 400, json!("Slug already exists")),
        (json!({"author_id": id()}), 404, json!({"error": "user not found"})),
        (json!({"category_id": id()}), 404, json!({"error": "help category not found"})),
        (
            json!({"title": "x", "expected_updated_at": "2020-01-01"}),
            400,
            json!({"error": "the record was changed meanwhile"}),
        ),
    ] {
        let mut body = patch.clone();
        body["article_id"] = json!(article);
        let answer = acme.post("/help-articles/update", body).await;
        assert_eq!(answer.expect(status), json!({"detail": detail}), "{patch}");
    }
    let unknown = id();
    let body = json!({"article_id": article, "related_article_ids": [other, unknown]});
    let answer = acme.post("/help-articles/update", body).await.expect(400);
    let message = format!("related article {unknown} not found in this organization");
    assert_eq!(answer, error(&message));
    let both = json!({"article_id": article, "category_id": id()});
    let fault = ("collection_id", json!(id()), "value_error");
    acme.refuses("/help-articles/update", &both, &[fault]).await;
    assert_eq!(retrieve(&acme, &article).await, shown);
}

#[rstest]
#[tokio::test]
async fn an_article_moves_to_the_end_of_a_category_or_collection(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let [first, second] = [0, 1].map(|_| acme.collection(json!({})));
    let category = acme.help_category(json!({"collection_id": second}));
    let article = acme.article(json!({"collection_id": first}));
    acme.article(json!({"category_id": category}));
    let acme = acme.open(store).await;
    let place = async || {
        let shown = retrieve(&acme, &article).await;
        let count = acme.post("/help-categories/retrieve", json!({"category_id": category})).await;
        json!([
            shown["collection"]["id"],
            shown["category"]["id"],
            shown["seq_number"],
            count.expect(200)["article_count"]
        ])
    };
    assert_eq!(place().await, json!([first, null, "1.0000", 1]));
    does(&acme, "update", json!({"article_id": article, "category_id": category})).await;
    assert_eq!(place().await, json!([second, category, "2.0000", 2]));
    does(&acme, "update", json!({"article_id": article, "collection_id": second})).await;
    assert_eq!(place().await, json!([second, null, "1.0000", 1]));
}

#[rstest]
#[tokio::test]
async fn an_article_is_published_with_an_event_unpublished_deleted_and_restored(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let category = acme.help_category(json!({"collection_id": collection}));
    let inside = json!({"category_id": category, "title": "Signing in", "slug": "signing-in"});
    let article = acme.article(inside);
    acme.receiver_of(json!(["help_article.published"]));
    let acme = acme.open(store).await;
    let named = || json!({"article_id": article});
    does(&acme, "publish", named()).await;
    let shown = retrieve(&acme, &article).await;
    assert_eq!(shown["status_code"], "published");
    assert_eq!(time(&shown["published_at"]), time(&shown["updated_at"]));
    does(&acme, "publish", named()).await;
    assert_eq!(retrieve(&acme, &article).await, shown, "it is published already");
    let events = acme.events().await;
    assert_eq!(events.len(), 1);
    assert_eq!(
        json!([events[0]["event"], events[0]["data"]]),
        json!(["help_article.published", {"id": article, "title": "Signing in",
            "slug": "signing-in", "collection_id": collection, "category_id": category}])
    );
    does(&acme, "unpublish", named()).await;
    let shown = retrieve(&acme, &article).await;
    assert_eq!(json!([shown["status_code"], shown["published_at"]]), json!(["draft", null]));
    let made = json!({"collection_id": collection, "title": "Public", "status_code": "published",
        "external_id": "a-1"});
    let public = acme.post("/help-articles/create", made.clone()).await.expect(200);
    acme.post("/help-articles/create", made).await.expect(200);
    assert_eq!(acme.events().await.len(), 2, "a second article with the identifier is not made");
    does(&acme, "delete", json!({"article_id": public["id"]})).await;
    does(&acme, "restore", json!({"article_id": public["id"]})).await;
    assert_eq!(acme.events().await.len(), 2, "a restoration is no publication");

    does(&acme, "delete", named()).await;
    let gone = acme.post("/help-articles/retrieve", named()).await;
    assert_eq!(gone.expect(404), error("help article not found"));
    for verb in ["update", "publish", "unpublish", "delete"] {
        let answer = acme.post(&format!("/help-articles/{verb}"), named()).await;
        assert_eq!(answer.expect(404), error("help article not found"), "{verb}");
    }
    does(&acme, "restore", named()).await;
    let active = acme.post("/help-articles/restore", named()).await;
    assert_eq!(active.expect(400), error("the article cannot be restored"));
    assert_eq!(retrieve(&acme, &article).await["slug"], "signing-in");
    let unknown = acme.post("/help-articles/restore", json!({"article_id": id()})).await;
    assert_eq!(unknown.expect(404), error("help article not found"));
}

#[rstest]
#[tokio::test]
async fn an_article_is_not_restored_without_its_category(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let category = acme.help_category(json!({"collection_id": collection, "is_active": false}));
    let article = acme.article(json!({"category_id": category, "is_active": false,
        "updated_at": now().to_string()}));
    let acme = acme.open(store).await;
    let answer = acme.post("/help-articles/restore", json!({"article_id": article})).await;
    assert_eq!(answer.expect(400), error("the article cannot be restored"));
}

#[rstest]
#[tokio::test]
async fn the_answers_of_readers_are_counted_and_change_nothing_else(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let article = acme.article(json!({"collection_id": collection, "helpful_count": 7}));
    let acme = acme.open(store).await;
    let mut expected = retrieve(&acme, &article).await;
    let comment = "x".repeat(600);
    for body in [
        json!({"article_id": article, "is_helpful": true}),
        json!({"article_id": article, "is_helpful": true, "comment": null}),
        json!({"article_id": article, "is_helpful": false, "comment": comment}),
    ] {
        does(&acme, "feedback", body).await;
    }
    expected["helpful_count"] = 9.into();
    expected["not_helpful_count"] = 1.into();
    assert_eq!(retrieve(&acme, &article).await, expected);
    let audit = json!({"target_id": article, "action": "help-articles/feedback"});
    let audit = acme.post("/audit/list", audit).await.expect(200);
    let data = |place: usize| audit["items"][place]["data"].clone();
    assert_eq!(data(0), json!({"is_helpful": false, "comment": comment}));
    assert_eq!(data(2), json!({"is_helpful": true, "comment": null}));
    let faults =
        acme.faults("/help-articles/feedback", json!({"article_id": article, "comment": ""})).await;
    assert_eq!(
        faults,
        [json!(["missing", "is_helpful", null]), json!(["string_too_short", "comment", ""])]
    );
    let unknown = json!({"article_id": id(), "is_helpful": true});
    let unknown = acme.post("/help-articles/feedback", unknown).await;
    assert_eq!(unknown.expect(404), error("help article not found"));
}
