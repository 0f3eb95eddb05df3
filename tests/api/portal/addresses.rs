//! The former addresses of posts and entries.

use super::Portal;
use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

#[rstest]
#[tokio::test]
async fn the_former_addresses_of_a_post_and_an_entry_lead_to_the_present_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let out = json!({"slug": "one", "status_code": "published", "published_at": "2026-01-04"});
    let entry = acme.entry(out);
    acme.status(json!({"is_default_status": true}));
    let board = acme.board(json!({}));
    let post = acme.post(json!({"slug": "one", "board_id": board}));
    let secret = acme.board(json!({"access_code": "team"}));
    let hidden = acme.post(json!({"slug": "hidden", "board_id": secret}));
    let portal = Portal::new(store, acme).await;
    let rename = async |kind: &str, id: &str, slug: &str| {
        let (path, member) = match kind {
            "p" => ("/feedback-posts/update", "post_id"),
            _ => ("/changelog/update", "entry_id"),
        };
        portal.acme.post(path, json!({member: id, "slug": slug})).await.expect(200);
    };
    for (kind, id) in [("p", &post), ("changelog", &entry)] {
        for slug in ["two", "three"] {
            rename(kind, id, slug).await;
        }
        for former in ["one", "two"] {
            for base in ["/news".to_owned(), format!("/news/o/{}", portal.acme.slug())] {
                let page = portal.browser().get(&format!("{base}/{kind}/{former}")).await;
                // One step leads to the end of the chain.
                let present = format!("{base}/{kind}/three");
                assert_eq!((page.status, page.location()), (301, present), "{kind} {former}");
            }
        }
        assert_eq!(portal.browser().get(&format!("/news/{kind}/three")).await.status, 200);
        // Back again: the present address leads nowhere else.
        rename(kind, id, "one").await;
        let page = portal.browser().get(&format!("/news/{kind}/one")).await;
        assert_eq!(page.status, 200, "{kind}");
        for former in ["two", "three"] {
            let page = portal.browser().get(&format!("/news/{kind}/{former}")).await;
            assert_eq!(page.location(), format!("/news/{kind}/one"), "{kind} {former}");
        }
    }

    // A slug that another post takes leads to that one.
    let members = json!({"board_id": board, "title": "Taken", "slug": "three",
        "author_email": "ada@example.com", "author_name": "Ada"});
    portal.acme.post("/feedback-posts/create", members).await.expect(200);
    let page = portal.browser().get("/news/p/three").await;
    assert!(page.status == 200 && page.text.contains("Taken"), "{}", page.text);
    assert_eq!(portal.browser().get("/news/p/two").await.location(), "/news/p/one");

    // The former address of a hidden post tells nobody the present one.
    rename("p", &hidden, "secret").await;
    let page = portal.browser().get("/news/p/hidden").await;
    assert_eq!((page.status, page.header("Location")), (404, String::new()));
    let member = portal.member("team@example.com", "viewer").await;
    assert_eq!(member.get("/news/p/hidden").await.location(), "/news/p/secret");
}
