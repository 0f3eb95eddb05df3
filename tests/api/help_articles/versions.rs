//! `/help-articles/versions` and `/help-articles/restore-version`.

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

async fn versions(acme: &Organization, article: &str) -> Vec<Value> {
    acme.walk("/help-articles/versions", json!({"article_id": article}), 2).await
}

fn numbers(versions: &[Value]) -> Vec<i64> {
    versions.iter().map(|version| version["version"].as_i64().expect("a number")).collect()
}

async fn does(acme: &Organization, verb: &str, body: Value) {
    let answer = acme.post(&format!("/help-articles/{verb}"), body).await;
    assert_eq!(answer.expect(200), json!({"success": true}), "{verb}");
}

#[rstest]
#[tokio::test]
async fn each_title_and_content_of_an_article_is_a_version_that_can_be_restored(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let [ada, ben] = [0, 1].map(|_| acme.user(json!({})));
    let article = acme.article(json!({"collection_id": collection, "title": "Signing in",
        "content": "By mail", "author_id": ada}));
    let acme = acme.open(store).await;
    let page = acme.post("/help-articles/versions", json!({"article_id": article})).await;
    let first = json!({"version": 1, "author_id": ada, "created_at": "2026-01-03T00:00:00.000Z",
        "title": "Signing in", "content": "By mail"});
    let only = json!({"items": [first], "has_next_page": false, "cursor": null});
    assert_eq!(page.expect(200), only);

    does(&acme, "update", json!({"article_id": article, "title": "Entering"})).await;
    let shown = acme.post("/help-articles/retrieve", json!({"article_id": article})).await;
    let titled_at = shown.expect(200)["updated_at"].clone();
    // Neither another author nor a star is another version. The author of a version is that of
    // the time when it was superseded.
    for patch in [json!({"author_id": ben, "is_favourite": true}), json!({"title": "Entering"})] {
        let mut body = patch;
        body["article_id"] = json!(article);
        does(&acme, "update", body).await;
    }
    does(&acme, "update", json!({"article_id": article, "content": "By key"})).await;
    let [third, second, oldest] = <[Value; 3]>::try_from(versions(&acme, &article).await).unwrap();
    assert_eq!(oldest, first);
    let expected = json!({"version": 2, "author_id": ben, "created_at": titled_at,
        "title": "Entering", "content": "By mail"});
    assert_eq!(second, expected);
    assert_eq!(
        json!([third["version"], third["title"], third["content"]]),
        json!([3, "Entering", "By key"])
    );

    does(&acme, "restore-version", json!({"article_id": article, "version": 3})).await;
    assert_eq!(versions(&acme, &article).await, [third.clone(), second.clone(), oldest.clone()]);
    does(&acme, "restore-version", json!({"article_id": article, "version": 1})).await;
    let all = versions(&acme, &article).await;
    assert_eq!(all[1..], [third, second, oldest]);
    assert_eq!(
        json!([all[0]["version"], all[0]["title"], all[0]["content"]]),
        json!([4, "Signing in", "By mail"])
    );
    let query = json!({"query": "by mail"});
    let found = acme.post("/help-articles/search", query).await.expect(200);
    assert_eq!(found["items"][0]["title"], "Signing in");
}

#[rstest]
#[tokio::test]
async fn an_unknown_version_or_article_is_not_found(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let article = acme.article(json!({}));
    let gone = acme.article(json!({"is_active": false}));
    let acme = acme.open(store).await;
    let restore = "/help-articles/restore-version";
    let later = acme.post(restore, json!({"article_id": article, "version": 2})).await;
    assert_eq!(later.expect(404), error("version not found"));
    for unknown in [gone, id()] {
        let named = json!({"article_id": unknown, "version": 1});
        for path in [restore, "/help-articles/versions"] {
            let answer = acme.post(path, named.clone()).await;
            assert_eq!(answer.expect(404), error("help article not found"), "{path}");
        }
    }
    let named = json!({"article_id": article});
    let fault = ("version", json!(0), "greater_than_equal");
    acme.refuses(restore, &named, &[fault]).await;
    acme.refuses(restore, &named, &[("version", json!(null), "int_type")]).await;
}

#[rstest]
#[tokio::test]
async fn a_hundred_versions_are_kept_and_the_last_of_each_day_before(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let collection = acme.collection(json!({}));
    let article = acme.article(json!({"collection_id": collection, "version": 102,
        "versioned_at": "2026-01-20"}));
    // Two of each of the first days, all others of one day.
    for number in 1..102 {
        let day = if number < 7 { 4 + (number - 1) / 2 } else { 10 };
        acme.version(&article, number, &format!("2026-01-{day:02}"));
    }
    let acme = acme.open(store).await;
    let older = async || {
        let numbers = numbers(&versions(&acme, &article).await);
        let newest = numbers[0];
        assert_eq!(numbers[..100], Vec::from_iter((newest - 99..=newest).rev()));
        numbers[100..].to_vec()
    };
    assert_eq!(older().await, [2, 1]);
    let mut saved = Vec::new();
    for n in 0..5 {
        let title = format!("New {n}");
        does(&acme, "update", json!({"article_id": article, "title": title})).await;
        saved.push(older().await);
    }
    // As the second one of a day falls out of the hundred, the first one goes.
    assert_eq!(
        saved,
        [vec![3, 2, 1], vec![4, 2, 1], vec![5, 4, 2, 1], vec![6, 4, 2, 1], vec![7, 6, 4, 2, 1]]
    );
}
