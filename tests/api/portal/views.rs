//! The views of help articles.

use super::{Draft, Portal};
use crate::support::Store;
use rstest::rstest;
use serde_json::json;

#[rstest]
#[tokio::test]
async fn a_stop_of_the_server_keeps_the_views_of_an_article_and_they_do_not_edit_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let shelf = acme.collection(json!({"slug": "shelf"}));
    let article = acme.article(json!({"slug": "article", "collection_id": shelf,
        "status_code": "published", "published_at": "2026-01-04", "view_count": 40}));
    let portal = Portal::new(store, acme).await;
    let retrieve = json!({"article_id": article});
    let before = portal.acme.post("/help-articles/retrieve", retrieve.clone()).await.expect(200);
    let browser = portal.browser();
    for _ in 0..3 {
        assert_eq!(browser.get("/news/help/shelf/article").await.status, 200);
    }
    // Neither a browser that loads in advance nor an unknown article counts.
    let prefetch = browser.with_headers(&[("Sec-Purpose", "prefetch;prerender")]);
    assert_eq!(prefetch.get("/news/help/shelf/article").await.status, 200);
    assert_eq!(browser.get("/news/help/shelf/other").await.status, 404);

    let Portal { installation, server, acme } = portal;
    drop(server);
    let server = installation.serve();
    let mut expected = before;
    expected["view_count"] = json!(43);
    assert_eq!(
        acme.at(&server).post("/help-articles/retrieve", retrieve).await.expect(200),
        expected
    );
}
