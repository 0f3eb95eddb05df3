//! The parts of a post's page, and the settings that take some of them away.

use super::Portal;
use crate::support::{Draft, Store, eventually};
use rstest::rstest;
use serde_json::{Value, json};

const EVE: &str = "eve@example.com";

/// How often a text is in a page.
fn count(text: &str, of: &str) -> usize {
    text.matches(of).count()
}

#[rstest]
#[tokio::test]
async fn the_pinned_comment_is_shown_once_and_alone_if_the_public_sees_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    for (slug, members) in [
        ("open", json!({})),
        ("internal", json!({"visibility_code": "internal"})),
        ("pending", json!({"moderation_status_code": "pending"})),
        ("deleted", json!({"is_active": false})),
    ] {
        let post = acme.post(json!({"slug": slug}));
        let mut pinned = json!({"content": "The official words", "is_pinned": true});
        pinned
            .as_object_mut()
            .expect("an object")
            .extend(members.as_object().cloned().unwrap_or_default());
        acme.comment(&post, pinned);
        acme.comment(&post, json!({"content": "Another comment"}));
    }
    let portal = Portal::new(store, acme).await;
    for slug in ["open", "internal", "pending", "deleted"] {
        let page = portal.browser().get(&format!("/news/p/{slug}")).await;
        let words = page.text.split("</head>").nth(1).expect("a body");
        let shown = usize::from(slug == "open");
        assert_eq!(count(words, "The official words"), shown, "{slug}: {words}");
        assert_eq!(count(words, "id=\"update\""), shown, "{slug}");
        assert_eq!(count(words, "Another comment"), 1, "{slug}");
    }
}

#[rstest]
#[tokio::test]
async fn a_post_lists_its_changes_of_status_and_the_posts_that_were_merged_into_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let [open, planned, done] = ["Open", "Planned", "Done"].map(|name| {
        let is_default = name == "Open";
        acme.status(json!({"name": name, "is_default_status": is_default}))
    });
    let changer = acme.user(json!({"name": "Cem"}));
    let board = acme.board(json!({"slug": "ideas"}));
    let post = acme.post(json!({"board_id": board, "slug": "open", "status_id": open}));
    let secret = acme.board(json!({"access_code": "team"}));
    for (board, title) in [(&board, "Merged and seen"), (&secret, "Merged and hidden")] {
        let members = json!({"board_id": board, "title": title, "merged_into_id": post,
            "status_id": open});
        acme.post(members);
    }
    let portal = Portal::new(store, acme).await;
    let before = portal.browser().get("/news/p/open").await;
    assert!(!before.text.contains("<ol class=\"history\">"), "{}", before.text);
    for status in [&planned, &done] {
        let body = json!({"post_id": post, "status_id": status, "changed_by_id": changer,
            "note": "Note"});
        portal.acme.post("/feedback-posts/change-status", body).await.expect(200);
    }
    let page = portal.browser().get("/news/p/open").await;
    let (_, history) = page.text.split_once("<ol class=\"history\">").expect("the history");
    let (history, _) = history.split_once("</ol>").expect("an end");
    // The last one comes first.
    let places = ["Done", "Planned"].map(|name| history.find(name).unwrap_or(usize::MAX));
    assert!(places[0] < places[1] && places[1] < usize::MAX, "{history}");
    assert!(!history.contains("Open"), "{history}");

    assert!(page.text.contains("Merged and seen"), "{}", page.text);
    assert!(!page.text.contains("Merged and hidden"), "{}", page.text);
    let member = portal.member("team@example.com", "viewer").await;
    assert!(member.get("/news/p/open").await.text.contains("Merged and hidden"));
}

/// A portal with a post that has seven votes and a comment.
async fn voted(store: Store, settings: Value) -> Portal {
    let mut acme = Draft::with(json!({"portal": settings}));
    let board = acme.board(json!({"slug": "ideas"}));
    let post = acme.post(json!({"board_id": board, "slug": "open", "title": "Dark mode"}));
    for _ in 0..7 {
        let user = acme.user(json!({"name": "Voter"}));
        acme.vote(&user, &post, json!({}));
    }
    let author = acme.user(json!({"email": EVE}));
    acme.comment(&post, json!({"content": "A comment", "author_id": author}));
    Portal::new(store, acme).await
}

#[rstest]
#[tokio::test]
async fn counts_of_votes_are_shown_unless_the_organization_hides_them(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values(true, false)] shows: bool,
) {
    let portal = voted(store, json!({"shows_vote_counts": shows})).await;
    let eve = portal.signed_in(EVE).await;
    for browser in [&eve, &portal.browser()] {
        for path in ["/", "/b/ideas", "/search?q=dark", "/p/open"] {
            let page = browser.get(&format!("/news{path}")).await;
            let words = page.text.replace(['\u{2068}', '\u{2069}'], "");
            assert_eq!(words.contains("7 votes"), shows, "{path}: {words}");
            assert_eq!(words.contains(">7<"), shows, "{path}: {words}");
            // Five of seven have a face.
            assert_eq!(words.contains(">+2<"), shows && path == "/p/open", "{path}: {words}");
        }
    }
    let page = portal.browser().get("/news/p/open").await;
    assert_eq!(page.text.contains("\"upvoteCount\":7"), shows, "{}", page.text);
    assert_eq!(page.text.contains("upvoteCount"), shows);
}

#[rstest]
#[tokio::test]
async fn a_board_whose_votes_comments_and_dates_are_switched_off_has_none_and_takes_none(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = voted(store, json!({})).await;
    let eve = portal.signed_in(EVE).await;
    let forms = ["data-vote", "action=\"/news/p/open/comment\"", "?reply="];
    let page = eve.get("/news/p/open").await;
    assert!(forms.iter().all(|part| page.text.contains(part)), "{}", page.text);
    assert!(page.text.contains("2026-01-03"), "{}", page.text);
    let token = page.form_token();
    let number = page.field("nonce").expect("the number of the form");

    let boards = portal.acme.post("/feedback-boards/list", json!({})).await.expect(200);
    let body = json!({"board_id": boards[0]["id"], "is_voting_enabled": false,
        "is_commenting_enabled": false, "show_post_dates": false});
    portal.acme.post("/feedback-boards/update", body).await.expect(200);
    let page = eventually("the page has no forms", async || {
        let page = eve.get("/news/p/open").await;
        forms.iter().all(|part| !page.text.contains(part)).then_some(page)
    })
    .await;
    // Those that there are stay.
    assert!(page.text.contains("A comment"), "{}", page.text);
    for path in ["/", "/p/open"] {
        let page = portal.browser().get(&format!("/news{path}")).await;
        assert!(!page.text.contains("2026-01-03"), "{path}: {}", page.text);
    }
    // Somebody has the page from before.
    for (end, field, words) in [
        ("vote", ("voted", "yes"), "This board takes no votes."),
        ("comment", ("text", "Mine"), "This board takes no comments."),
    ] {
        let fields = [("form_token", &*token), ("nonce", &number), field];
        let page = eve.send(&format!("/news/p/open/{end}"), &fields).await;
        assert!(page.status == 403 && page.text.contains(words), "{end}: {}", page.text);
    }
    let records = portal.acme.export().await;
    let of = |kind: &str| records.iter().filter(|record| record["kind"] == kind).count();
    assert_eq!((of("vote"), of("comment")), (7, 1));
}
