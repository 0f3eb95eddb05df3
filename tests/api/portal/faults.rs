//! The pages of what is not the visitor's fault.

use super::{Browser, Page, Portal};
use crate::support::forward::{forward, listen};
use crate::support::{Draft, Installation, Store, now, until};
use rstest::rstest;
use serde_json::json;

const BUSY: &str = "One moment, please";

/// A page that says that the store does not answer.
#[track_caller]
fn assert_busy(page: &Page, path: &str) {
    assert_eq!((page.status, &*page.header("Retry-After")), (503, "1"), "{path}: {}", page.text);
    assert_eq!(page.header("Content-Type"), "text/html; charset=utf-8", "{path}");
    assert_eq!(page.header("Cache-Control"), "no-store", "{path}");
    assert!(page.text.contains(BUSY), "{path}: {}", page.text);
}

// Two threads: while one waits for the server to start, the other forwards its connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_during_an_outage_says_so_in_the_look_of_its_organization() {
    let installation = Installation::new(Store::Postgres, &[]).await;
    let named = |name: &str| Draft::with(json!({"name": name}));
    let mut acme = named("Acme Look");
    acme.board(json!({"slug": "ideas"}));
    let acme = acme.open_in(&installation).await;
    let globex = named("Globex Look").open_in(&installation).await;
    let (listener, port) = listen(0).await;
    let way = forward(listener, installation.database_port());
    let server = installation.server_by_port(port);
    let portal = Portal { acme: acme.at(&server), server, installation };
    let (visitor, member) = (portal.browser(), portal.member("ada@example.com", "owner").await);
    let token = member.form_token("/news").await;
    let name = "Acme Look</span>";
    // A page that was just shown to somebody of whom nothing is known is kept for a moment.
    let home = visitor.get("/news/?sort=new").await;
    assert!(home.status == 200 && home.text.contains(name), "{}", home.text);

    way.abort();
    assert!(way.await.is_err_and(|ended| ended.is_cancelled()));
    let assert_all_busy = async || {
        for path in ["/news/", "/news/b/ideas", "/news/p/nothing", "/news/changelog"] {
            for browser in [&visitor, &member] {
                let page = browser.get(path).await;
                assert_busy(&page, path);
                assert!(page.text.contains(name), "{path}: {}", page.text);
            }
        }
        let page = member.send("/news/account", &[("name", "Ada"), ("form_token", &token)]).await;
        assert_busy(&page, "a form");
    };
    assert_all_busy().await;
    // The records that all pages need are looked up anew after a second.
    until(now().plus_millis(1_100)).await;
    assert_all_busy().await;
    let unseen = format!("/news/o/{}/", globex.slug());
    let page = visitor.get(&unseen).await;
    assert_busy(&page, &unseen);
    assert!(!page.text.contains("Globex Look"), "{}", page.text);
    let program = visitor.with_headers(&[("Accept", "application/json")]).get(&unseen).await;
    assert_eq!((program.status, &*program.header("Retry-After")), (503, "1"));
    assert_eq!(program.text, json!({"detail": {"error": "temporarily unavailable"}}).to_string());

    let (listener, _) = listen(port).await;
    let _way = forward(listener, portal.installation.database_port());
    assert_eq!(visitor.get("/news/").await.status, 200);
    assert!(member.is_signed_in().await);
}

#[rstest]
#[tokio::test]
async fn a_server_without_an_organization_says_how_to_make_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let installation = Installation::new(store, &[]).await;
    let server = installation.serve();
    let acme = Draft::new();
    let get = async |browser: &Browser, path: &str| {
        let page = browser.get(path).await;
        (page.status, page.header("Content-Type"), page.text)
    };
    let browser = Browser::at(&server);
    for path in ["/news/", "/news/account", "/news/p/nothing"] {
        let (status, kind, text) = get(&browser, path).await;
        assert_eq!((status, &*kind), (404, "text/html; charset=utf-8"), "{path}");
        assert!(text.contains("hearback organization create --slug"), "{path}: {text}");
        let german = browser.with_headers(&[("Accept", "text/html"), ("Accept-Language", "de")]);
        assert!(get(&german, path).await.2.contains("<html lang=\"de\""), "{path}");
        let program = browser.with_headers(&[("Accept", "application/json")]);
        let words = r#"{"detail":{"error":"not found"}}"#.to_owned();
        assert_eq!(get(&program, path).await, (404, "application/json".to_owned(), words));
    }
    acme.open_in(&installation).await;
    assert_eq!(get(&browser, "/news/").await.0, 200);
}
