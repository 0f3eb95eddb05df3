//! Who sees which page, and how it is answered.

use super::{Browser, Page, Portal};
use crate::support::{Draft, PUBLIC_URL, Store, eventually, id};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};

const EVE: &str = "eve@example.com";
const IN: &str = "in@allowed.example";

/// The policy of all pages but those that other sites may embed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A portal with an open board and one that not everybody sees. All texts of the latter have the
/// word `zanzibar`.
struct Hidden {
    portal: Portal,
    board: String,
    post: String,
    plan: String,
}

impl Hidden {
    async fn new(store: Store, access: &str) -> Self {
        let mut acme = Draft::new();
        acme.status(json!({"is_default_status": true}));
        let open = acme.board(json!({"slug": "ideas"}));
        let allowed = acme.user(json!({"email": "known@example.com"}));
        acme.user(json!({"email": EVE}));
        let (board, post) = (id(), id());
        let members = json!({"slug": board, "name": "zanzibar board", "access_code": access,
            "allowed_user_ids": if access == "custom" { json!([allowed]) } else { json!([]) },
            "allowed_email_domains":
                if access == "custom" { json!(["allowed.example"]) } else { json!([]) }});
        let hidden = acme.board(members);
        let author = acme.user(json!({"name": "Zoe"}));
        let members = json!({"slug": post, "title": "zanzibar title", "author_id": author,
            "description": "zanzibar text", "board_id": hidden});
        let secret = acme.post(members);
        acme.comment(&secret, json!({"content": "zanzibar comment"}));
        acme.post(json!({"board_id": open, "slug": "open", "author_id": author}));
        let merged = json!({"board_id": open, "slug": "merged", "merged_into_id": secret,
            "title": "zanzibar merged"});
        acme.post(merged);
        let public = acme.roadmap_board(json!({"slug": "public"}));
        let linked = acme.roadmap_post(json!({"roadmap_board_id": public, "title": "Plan"}));
        acme.link(&linked, &secret);
        let of_team =
            json!({"slug": format!("r-{board}"), "name": "zanzibar plans", "access_code": "team"});
        let of_team = acme.roadmap_board(of_team);
        let plan = json!({"roadmap_board_id": of_team, "title": "zanzibar plan"});
        let plan = acme.roadmap_post(plan);
        let entry =
            json!({"slug": "entry", "status_code": "published", "published_at": "2026-01-04"});
        let entry = acme.entry(entry);
        acme.entry_link(&entry, &secret);
        Self { portal: Portal::new(store, acme).await, board, post, plan }
    }
}

/// What a browser is answered: the status, where it is sent, and the page, in which a name stands
/// for another one.
async fn answered(
    browser: &Browser,
    method: Method,
    path: &str,
    name: &str,
) -> (u16, String, String) {
    let fields = [("title", "x"), ("text", "x"), ("level", "all"), ("voted", "yes")];
    let page = match method {
        Method::POST => browser.post(path, &fields).await,
        method => browser.request(method, path, None).await,
    };
    let replaced = |text: &str| text.replace(name, "…");
    (page.status, replaced(&page.header("Location")), replaced(&page.text))
}

#[rstest]
#[tokio::test]
async fn a_board_that_a_visitor_does_not_see_is_answered_as_one_that_there_is_not(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("team", "custom", "signed_in")] access: &str,
) {
    let hidden = Hidden::new(store, access).await;
    let eve = hidden.portal.signed_in(EVE).await;
    let visitor = hidden.portal.browser();
    let others = if access == "signed_in" { vec![&visitor] } else { vec![&visitor, &eve] };
    let nobody = id();
    for browser in others {
        for (path, name) in [
            ("/b/{}", &hidden.board),
            ("/b/{}?q=zanzibar", &hidden.board),
            ("/b/{}/new", &hidden.board),
            ("/b/{}/similar?title=zanzibar", &hidden.board),
            ("/feeds/{}.atom", &hidden.board),
            ("/feeds/{}.json", &hidden.board),
            ("/roadmap/r-{}", &hidden.board),
            ("/p/{}", &hidden.post),
            ("/p/{}?done=posted", &hidden.post),
            ("/p/{}/edit", &hidden.post),
            ("/p/{}/delete", &hidden.post),
            ("/p/{}/vote", &hidden.post),
            ("/p/{}/comment", &hidden.post),
            ("/p/{}/follow", &hidden.post),
            ("/roadmap/vote/{}", &hidden.plan),
        ] {
            for method in [Method::GET, Method::POST, Method::PUT] {
                let [there, not_there] =
                    [name, &nobody].map(|name| format!("/news{}", path.replace("{}", name)));
                let there = answered(browser, method.clone(), &there, name).await;
                let not_there = answered(browser, method.clone(), &not_there, &nobody).await;
                assert_eq!(there, not_there, "{method} {path}");
                assert_ne!(there.0, 200, "{method} {path}");
                assert!(!there.2.contains("zanzibar board"), "{method} {path}");
            }
        }
    }
    let votes = hidden.portal.acme.export().await;
    assert!(votes.iter().all(|record| record["kind"] != "vote" && record["content"] != "x"));
}

#[rstest]
#[tokio::test]
async fn nothing_of_a_board_that_a_visitor_does_not_see_is_in_any_list(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("team", "custom", "signed_in")] access: &str,
) {
    let hidden = Hidden::new(store, access).await;
    let posts = hidden.portal.acme.walk("/feedback-posts/list", json!({}), 100).await;
    let author = posts.iter().find(|post| post["slug"] == "open").expect("the post");
    let author = author["author_id"].as_str().expect("an id");
    let eve = hidden.portal.signed_in(EVE).await;
    let visitor = hidden.portal.browser();
    let others = if access == "signed_in" { vec![&visitor] } else { vec![&visitor, &eve] };
    for browser in others {
        for path in [
            "/",
            "/?sort=new",
            "/?sort=trending",
            "/b/ideas",
            "/b/ideas/new",
            "/b/ideas/similar?title=zanzibar",
            "/roadmap",
            "/roadmap/public",
            "/changelog",
            "/changelog/entry",
            "/p/open",
            "/p/merged",
            "/feeds/posts.atom",
            "/feeds/posts.json",
            "/feeds/ideas.atom",
            "/sitemap-posts.xml",
            "/nothing",
            &format!("/u/{author}"),
        ] {
            let page = browser.get(&format!("/news{path}")).await;
            assert_eq!(page.status == 200, !["/nothing", "/p/merged"].contains(&path), "{path}");
            assert!(!page.text.contains("zanzibar"), "{path}: {}", page.text);
            assert!(
                !page.text.contains(&hidden.post) && !page.text.contains(&hidden.board),
                "{path}"
            );
        }
        // A search that finds it not is one that finds nothing.
        for path in ["/search?q=", "/?q="] {
            let found =
                answered(browser, Method::GET, &format!("/news{path}zanzibar"), "zanzibar").await;
            let nothing =
                answered(browser, Method::GET, &format!("/news{path}zanzibat"), "zanzibat").await;
            assert_eq!(found, nothing, "{path}");
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_board_is_seen_by_those_who_may_see_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("team", "custom", "signed_in")] access: &str,
) {
    let hidden = Hidden::new(store, access).await;
    let member = hidden.portal.member("team@example.com", "viewer").await;
    let mut allowed = vec![member];
    if access != "team" {
        allowed.push(hidden.portal.signed_in("known@example.com").await);
        allowed.push(hidden.portal.signed_in(IN).await);
        allowed.push(hidden.portal.signed_in("Other@ALLOWED.example").await);
    }
    for browser in &allowed {
        for path in [&format!("/b/{}", hidden.board), "/", "/search?q=zanzibar", "/roadmap/public"]
        {
            let page = browser.get(&format!("/news{path}")).await;
            assert!(page.text.contains("zanzibar title"), "{path}: {}", page.text);
        }
        let page = browser.get(&format!("/news/p/{}", hidden.post)).await;
        assert!(page.text.contains("zanzibar comment"), "{}", page.text);
        let to = browser.get("/news/p/merged").await.location();
        assert_eq!(to, format!("/news/p/{}", hidden.post));
        let vote = format!("/news/p/{}/vote", hidden.post);
        assert_eq!(browser.post(&vote, &[]).await.status, 303);
    }
    // Feeds and the sitemap are for those whom nobody knows.
    for path in
        ["/feeds/posts.atom", "/feeds/posts.json", "/sitemap-posts.xml", "/sitemap-pages.xml"]
    {
        let page = allowed[0].get(&format!("/news{path}")).await;
        assert!(!page.text.contains("zanzibar") && !page.text.contains(&hidden.post), "{path}");
    }
}

#[rstest]
#[case::a_subdomain("eve@x.allowed.example")]
#[case::a_longer_name("eve@notallowed.example")]
#[case::a_domain_in_the_name("allowed.example@evil.example")]
#[case::a_domain_behind("eve@allowed.example.evil.example")]
#[tokio::test]
async fn an_address_that_looks_like_one_of_an_allowed_domain_sees_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[case] email: &str,
) {
    let hidden = Hidden::new(store, "custom").await;
    let browser = hidden.portal.signed_in(email).await;
    assert_eq!(browser.get(&format!("/news/b/{}", hidden.board)).await.status, 404);
    assert_eq!(browser.get(&format!("/news/p/{}", hidden.post)).await.status, 404);
}

#[rstest]
#[tokio::test]
async fn whoever_leaves_the_team_does_not_see_its_boards_any_more(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let hidden = Hidden::new(store, "team").await;
    let member = hidden.portal.member("team@example.com", "admin").await;
    let path = format!("/news/p/{}", hidden.post);
    assert_eq!(member.get(&path).await.status, 200);
    let user = hidden.portal.members("team@example.com").await.expect(200);
    let body = json!({"user_id": user["user_id"]});
    hidden.portal.acme.post("/users/delete", body).await.expect(200);
    assert_eq!(member.get(&path).await.status, 404);
}

/// A portal whose boards are moderated.
async fn moderated(store: Store) -> (Portal, Browser) {
    let mut acme = Draft::new();
    acme.status(json!({"is_default_status": true}));
    let board =
        json!({"slug": "ideas", "post_moderation_code": "on", "comment_moderation_code": "on"});
    let board = acme.board(board);
    acme.post(json!({"board_id": board, "slug": "open"}));
    let portal = Portal::new(store, acme).await;
    let author = portal.signed_in("ada@example.com").await;
    let fields = [("title", "zanzibar title"), ("text", "zanzibar text")];
    let answer = author.post("/news/b/ideas/new", &fields).await;
    assert_eq!(answer.location(), "/news/p/zanzibar-title?done=waits");
    let answer = author.post("/news/p/open/comment", &[("text", "zanzibar comment")]).await;
    assert!(answer.location().starts_with("/news/p/open?done=waits#c-"));
    (portal, author)
}

/// The pages on which a post or a comment could be.
const LISTS: [&str; 10] = [
    "/",
    "/b/ideas",
    "/?sort=new",
    "/search?q=title",
    "/b/ideas/similar?title=zanzibar%20title",
    "/feeds/posts.atom",
    "/feeds/posts.json",
    "/feeds/ideas.atom",
    "/sitemap-posts.xml",
    "/p/open",
];

#[rstest]
#[tokio::test]
async fn a_post_that_waits_is_seen_by_its_author_and_by_the_team_at_its_address(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, author) = moderated(store).await;
    let eve = portal.signed_in(EVE).await;
    let member = portal.member("team@example.com", "viewer").await;
    let post = "/news/p/zanzibar-title";
    for (browser, is_seen) in
        [(&author, true), (&member, true), (&eve, false), (&portal.browser(), false)]
    {
        let page = browser.get(post).await;
        assert_eq!(page.status, if is_seen { 200 } else { 404 });
        assert_eq!(page.text.contains("zanzibar text"), is_seen);
        if is_seen {
            assert!(page.text.contains("noindex"), "{}", page.text);
        }
    }
    for path in LISTS {
        for browser in [&eve, &portal.browser(), &member] {
            let page = browser.get(&format!("/news{path}")).await;
            assert_eq!(page.status, 200, "{path}");
            assert!(!page.text.contains("zanzibar-title"), "{path}: {}", page.text);
        }
    }
    for path in ["/", "/b/ideas", "/search?q=zanzibar"] {
        assert!(
            author.get(&format!("/news{path}")).await.text.contains("zanzibar title"),
            "{path}"
        );
    }
    for path in
        ["/feeds/posts.atom", "/sitemap-posts.xml", "/b/ideas/similar?title=zanzibar%20title"]
    {
        let page = author.get(&format!("/news{path}")).await;
        assert!(!page.text.contains("zanzibar-title"), "{path}: {}", page.text);
    }
    let fields = [("text", "x"), ("voted", "yes"), ("level", "all")];
    for end in ["vote", "comment", "follow"] {
        let page = eve.post(&format!("{post}/{end}"), &fields).await;
        let nobody = eve.post(&format!("/news/p/zanzibar-nobody/{end}"), &fields).await;
        let nobody = nobody.seen("zanzibar-nobody", "zanzibar-title");
        assert_eq!(page.seen("", ""), nobody, "{end}");
        assert_eq!(page.status, 404, "{end}");
    }
    // It is accepted.
    let waits = portal.acme.walk("/moderation/list", json!({"kind": "post"}), 100).await;
    let items: Vec<Value> =
        waits.iter().map(|it| json!({"kind": "post", "id": it["id"]})).collect();
    assert_eq!(items.len(), 1);
    let body = json!({"items": items, "moderation_status_code": "accepted"});
    portal.acme.post("/moderation/decide", body).await.expect(200);
    assert_eq!(eve.get(post).await.status, 200);
    assert!(portal.browser().get("/news/feeds/posts.atom").await.text.contains("zanzibar-title"));
}

#[rstest]
#[tokio::test]
async fn a_comment_that_waits_is_seen_by_its_author_and_counts_for_nobody_else(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, author) = moderated(store).await;
    let page = author.get("/news/p/open").await;
    assert!(page.text.contains("zanzibar comment"), "{}", page.text);
    // The marks around a number are for its direction.
    let words = page.text.replace(['\u{2068}', '\u{2069}'], "");
    assert!(words.contains(">1 comment</h2>"), "{}", page.text);
    for browser in [portal.signed_in(EVE).await, portal.browser()] {
        let page = browser.get("/news/p/open").await;
        assert!(!page.text.contains("zanzibar"), "{}", page.text);
        assert!(page.text.contains("No comments"), "{}", page.text);
    }
}

#[rstest]
#[tokio::test]
async fn what_was_accepted_waits_again_when_its_author_writes_something_else(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, author) = moderated(store).await;
    let mut items = Vec::new();
    for kind in ["post", "comment"] {
        let waits = portal.acme.walk("/moderation/list", json!({"kind": kind}), 100).await;
        items.extend(waits.iter().map(|it| json!({"kind": kind, "id": it["id"]})));
    }
    let comment = items[1]["id"].as_str().expect("an id").to_owned();
    let body = json!({"items": items, "moderation_status_code": "accepted"});
    portal.acme.post("/moderation/decide", body).await.expect(200);
    let fields = [("title", "Cheap pills"), ("text", "Cheap pills")];
    author.post("/news/p/zanzibar-title/edit", &fields).await;
    author.post(&format!("/news/p/open/c/{comment}"), &fields).await;
    for path in ["/news/p/zanzibar-title", "/news/p/open", "/news/feeds/posts.atom", "/news/"] {
        let page = portal.browser().get(path).await;
        assert!(!page.text.contains("Cheap pills"), "{path}: {}", page.text);
    }
}

#[rstest]
#[tokio::test]
async fn a_rejected_post_is_seen_by_the_team_alone(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("rejected", "spam")] moderation: &str,
) {
    let mut acme = Draft::new();
    let author = acme.user(json!({"email": "ada@example.com"}));
    let post = json!({"slug": "secret", "title": "zanzibar", "author_id": author,
        "moderation_status_code": moderation});
    acme.post(post);
    let portal = Portal::new(store, acme).await;
    let author = portal.signed_in("ada@example.com").await;
    let member = portal.member("team@example.com", "viewer").await;
    assert_eq!(member.get("/news/p/secret").await.status, 200);
    for browser in [author, portal.browser()] {
        assert_eq!(browser.get("/news/p/secret").await.status, 404);
        for path in ["/", "/search?q=zanziba", "/sitemap-posts.xml", "/feeds/posts.json"] {
            assert!(
                !browser.get(&format!("/news{path}")).await.text.contains("zanzibar"),
                "{path}"
            );
        }
    }
}

#[rstest]
#[tokio::test]
async fn internal_comments_are_no_part_of_the_portal(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let author = acme.user(json!({"email": "ada@example.com", "portal_role": "owner"}));
    let post = acme.post(json!({"slug": "open"}));
    let internal =
        json!({"content": "zanzibar", "visibility_code": "internal", "author_id": author});
    let comment = acme.comment(&post, internal);
    let portal = Portal::new(store, acme).await;
    let owner = portal.signed_in("ada@example.com").await;
    for browser in [&owner, &portal.browser()] {
        let page = browser.get("/news/p/open").await;
        assert!(
            !page.text.contains("zanzibar") && page.text.contains("No comments"),
            "{}",
            page.text
        );
        let page = browser.get(&format!("/news/p/open/c/{comment}")).await;
        assert!(page.status != 200 && !page.text.contains("zanzibar"), "{}", page.text);
    }
}

#[rstest]
#[tokio::test]
async fn a_merged_post_leads_to_the_one_that_has_its_votes(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let merger = acme.user(json!({}));
    let [first, second, third] =
        ["first", "second", "third"].map(|slug| acme.post(json!({"slug": slug})));
    let portal = Portal::new(store, acme).await;
    for (from, into) in [(&first, &second), (&second, &third)] {
        let body = json!({"merge_post_id": from, "into_post_id": into, "merger_id": merger});
        portal.acme.post("/feedback-posts/merge", body).await.expect(200);
    }
    for slug in ["first", "second"] {
        let page = portal.browser().get(&format!("/news/p/{slug}?after=x")).await;
        assert_eq!((page.status, &*page.location()), (301, "/news/p/third"));
        let below = format!("/news/o/{}/p/{slug}", portal.acme.slug());
        let to = portal.browser().get(&below).await.location();
        assert_eq!(to, format!("/news/o/{}/p/third", portal.acme.slug()));
    }
}

#[rstest]
#[tokio::test]
async fn a_page_of_the_help_center_that_has_moved_leads_to_its_new_address(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let shelf = acme.collection(json!({"slug": "shelf"}));
    let guide = acme.help_category(json!({"collection_id": shelf, "slug": "guide"}));
    let article = acme.article(json!({"category_id": guide, "slug": "old", "status_code": "published", "published_at": "2026-01-04"}));
    let portal = Portal::new(store, acme).await;
    assert_eq!(portal.browser().get("/news/help/shelf/guide/old").await.status, 200);
    let change = async |path: &str, body: Value| {
        portal.acme.post(path, body).await.expect(200);
    };
    change("/help-articles/update", json!({"article_id": article, "slug": "new"})).await;
    let location = async |path: &str| portal.browser().get(path).await.location();
    assert_eq!(location("/news/help/shelf/guide/old").await, "/news/help/shelf/guide/new");
    change("/help-collections/update", json!({"collection_id": shelf, "slug": "board"})).await;
    assert_eq!(location("/news/help/shelf").await, "/news/help/board");
    // In one step or in several.
    let mut at = "/news/help/shelf/guide/old".to_owned();
    for _ in 0..3 {
        if at != "/news/help/board/guide/new" {
            at = location(&at).await;
        }
    }
    assert_eq!(at, "/news/help/board/guide/new");
    assert_eq!(portal.browser().get(&at).await.status, 200);
    let below = format!("/news/o/{}", portal.acme.slug());
    let to = location(&format!("{below}/help/shelf/guide/old")).await;
    assert!(to.starts_with(&format!("{below}/help/")), "{to}");
}

/// A portal with a page of each kind.
async fn small(store: Store) -> Portal {
    let mut acme = Draft::new();
    acme.status(json!({"is_default_status": true}));
    let board = acme.board(json!({"slug": "ideas"}));
    acme.post(json!({"board_id": board, "slug": "dark-mode"}));
    acme.roadmap_post(json!({}));
    acme.entry(json!({"slug": "entry", "status_code": "published", "published_at": "2026-01-04"}));
    let shelf = acme.collection(json!({"slug": "shelf"}));
    acme.article(json!({"slug": "article", "collection_id": shelf, "status_code": "published",
        "published_at": "2026-01-04"}));
    Portal::new(store, acme).await
}

const PAGES: [&str; 9] = [
    "/",
    "/b/ideas",
    "/p/dark-mode",
    "/roadmap",
    "/changelog",
    "/changelog/entry",
    "/help",
    "/help/shelf/article",
    "/search?q=x",
];

#[rstest]
#[tokio::test]
async fn a_page_that_the_browser_has_already_is_not_sent_again(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = small(store).await;
    let visitor = portal.browser();
    let eve = portal.signed_in(EVE).await;
    let with_tag = async |browser: &Browser, path: &str, tag: &str| {
        let request = browser.client.get(browser.url(path)).header("Host", super::HOST);
        let cookies: Vec<String> =
            browser.cookies().iter().map(|(n, v)| format!("{n}={v}")).collect();
        let request = request.header("Cookie", cookies.join("; ")).header("If-None-Match", tag);
        let answer = request.header("Accept", "text/html").send().await.expect("an answer");
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        Page { status, headers, text: answer.text().await.expect("a text") }
    };
    for path in PAGES.map(|path| format!("/news{path}")) {
        let page = visitor.get(&path).await;
        let tag = page.header("ETag");
        assert!(tag.starts_with("W/\"") && tag.len() > 10, "{path}: {tag}");
        for known in [tag.clone(), format!("\"x\", {tag}")] {
            let again = with_tag(&visitor, &path, &known).await;
            assert_eq!((again.status, &*again.text), (304, ""), "{path}");
            assert_eq!(again.header("ETag"), tag);
        }
        assert_eq!(with_tag(&visitor, &path, "\"x\"").await.status, 200);
        // The page of somebody is another one.
        assert_eq!(with_tag(&eve, &path, &tag).await.status, 200, "{path}");
        let cached = page.header("Cache-Control");
        assert_eq!(cached, "private, no-cache", "{path}");
        assert!(page.header("Vary").contains("Cookie"), "{path}");
    }
    let tag = visitor.get("/news/p/dark-mode").await.header("ETag");
    let comment = eve.post("/news/p/dark-mode/comment", &[("text", "New")]).await;
    assert_eq!(comment.status, 303);
    assert_eq!(with_tag(&visitor, "/news/p/dark-mode", &tag).await.status, 200);
}

#[rstest]
#[tokio::test]
async fn every_answer_says_what_a_browser_may_do_with_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = small(store).await;
    let visitor = portal.browser();
    let eve = portal.signed_in(EVE).await;
    let check = |page: &Page, status: u16, of: &str| {
        assert_eq!(page.status, status, "{of}");
        assert_eq!(page.header("Content-Security-Policy"), POLICY, "{status} {of}");
        assert_eq!(page.header("X-Content-Type-Options"), "nosniff", "{status} {of}");
        assert_eq!(page.header("Referrer-Policy"), "same-origin", "{status} {of}");
    };
    for path in PAGES {
        for browser in [&visitor, &eve] {
            let page = browser.get(&format!("/news{path}")).await;
            check(&page, 200, path);
            for inline in ["<style", " style=", " onclick=", " onload=", "javascript:"] {
                assert!(!page.text.contains(inline), "{inline} in {path}");
            }
        }
        let head = visitor.request(Method::HEAD, &format!("/news{path}"), None).await;
        check(&head, 200, path);
        assert_eq!(head.text, "");
    }
    for path in [
        "/feeds/posts.atom",
        "/feeds/posts.json",
        "/sitemap.xml",
        "/sitemap-pages.xml",
        "/sitemap-posts.xml",
        "/robots.txt",
        "/sign-in",
        "/sign-in/x",
        "/b/ideas/similar?title=x",
        "/b/ideas/new",
    ] {
        check(&visitor.get(&format!("/news{path}")).await, 200, path);
    }
    check(&visitor.get("/news/account").await, 303, "/account");
    check(&eve.get("/news/account").await, 200, "/account");
    check(&visitor.get("/news/p/nothing").await, 404, "/p/nothing");
    check(&visitor.get("/news/nothing/at/all").await, 404, "/nothing/at/all");
    check(&eve.send("/news/account", &[]).await, 403, "/account");
    check(&eve.post("/news/account", &[("name", "")]).await, 200, "/account");
    check(&visitor.request(Method::PUT, "/news/", None).await, 405, "/");
    let file = visitor.get("/news/").await;
    for part in file.text.split("href=\"/news/").skip(1) {
        let path = part.split('"').next().expect("an end");
        if path.ends_with(".css") || path.ends_with(".svg") {
            let file = visitor.get(&format!("/news/{path}")).await;
            assert_eq!((file.status, &*file.header("X-Content-Type-Options")), (200, "nosniff"));
            assert_eq!(file.header("Cache-Control"), "public, max-age=31536000, immutable");
            let old = path.split('/').next().expect("a part");
            let name = path.rsplit('/').next().expect("a name");
            let path = if old == "colors" {
                "colors/x.css".to_owned()
            } else {
                format!("assets/x/{name}")
            };
            let file = visitor.get(&format!("/news/{path}")).await;
            assert_eq!((file.status, &*file.header("Cache-Control")), (200, "no-cache"), "{path}");
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_page_that_other_sites_embed_has_no_form_and_no_person(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = small(store).await;
    let eve = portal.signed_in(EVE).await;
    let page = eve.get("/news/roadmap?embed=1").await;
    assert_eq!(page.status, 200);
    let policy = page.header("Content-Security-Policy");
    assert!(
        policy.contains("frame-ancestors *") && policy.contains("form-action 'none'"),
        "{policy}"
    );
    assert!(!policy.contains("script-src"), "{policy}");
    assert!(!page.text.contains("<form") && !page.text.contains(EVE), "{}", page.text);
    assert!(!page.text.contains("form_token") && !page.text.contains("<script"), "{}", page.text);
    for path in ["/", "/p/dark-mode", "/account", "/sign-in"] {
        let page = eve.get(&format!("/news{path}?embed=1")).await;
        assert_eq!(page.header("Content-Security-Policy"), POLICY, "{path}");
    }
}

#[rstest]
#[tokio::test]
async fn a_path_that_there_is_not_is_a_page_for_people_and_json_for_programs(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = small(store).await;
    let json = r#"{"detail":{"error":"not found"}}"#;
    for path in ["/nothing", "/p/nothing", "/b/nothing", "/help/nothing", "/a/b/c", "/.env"] {
        for (accept, is_page) in [
            ("text/html", true),
            ("text/html,application/xhtml+xml,*/*;q=0.8", true),
            ("*/*", false),
            ("application/json", false),
            ("", false),
        ] {
            let headers = if accept.is_empty() { vec![] } else { vec![("Accept", accept)] };
            let browser = Browser { headers, ..portal.browser() };
            let page = browser.get(&format!("/news{path}")).await;
            assert_eq!(page.status, 404, "{path} {accept}");
            let kind = if is_page { "text/html; charset=utf-8" } else { "application/json" };
            assert_eq!(page.header("Content-Type"), kind, "{path} {accept}");
            assert_eq!(page.text == json, !is_page, "{path} {accept}");
        }
    }
    // The paths of the API are answered as ever.
    for path in [
        "/api/external/v1/nothing",
        "/api/nothing",
        "/docs/nothing",
        "/mcp/nothing",
        "/metrics/nothing",
    ] {
        let page = portal.browser().get(&format!("/news{path}")).await;
        assert_eq!((page.status, &*page.text), (404, json), "{path}");
    }
    let page = portal.browser().request(Method::POST, "/news/nothing", None).await;
    assert_eq!((page.status, &*page.text), (404, json));
}

#[rstest]
#[tokio::test]
async fn texts_of_people_are_shown_as_texts(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let attack =
        "</script></title></textarea>\"'><script>alert(1)</script><img src=x onerror=alert(1)>";
    let mut acme = Draft::with(json!({"name": attack, "portal": {"welcome_title": attack,
        "welcome_text": attack, "custom_css": "</style><script>alert(1)</script>"}}));
    acme.status(json!({"is_default_status": true, "name": attack}));
    let board = acme.board(
        json!({"slug": "ideas", "name": attack, "description": attack, "post_template": attack}),
    );
    acme.board(json!({"slug": "other", "name": attack}));
    let author =
        acme.user(json!({"name": attack, "avatar_url": format!("https://x.example/{attack}")}));
    let tag = acme.tag(json!({"name": attack}));
    let category = acme.category(json!({"name": attack}));
    let post = acme.post(
        json!({"board_id": board, "slug": "dark-mode", "title": attack, "description": attack,
        "author_id": author, "tag_ids": [tag], "category_id": category}),
    );
    acme.comment(&post, json!({"content": attack, "author_id": author}));
    acme.vote(&author, &post, json!({}));
    let plan = acme.roadmap_post(json!({"title": attack, "description": attack}));
    acme.link(&plan, &post);
    let label = acme.label(json!({"name": attack}));
    acme.entry(json!({"slug": "entry", "title": attack, "content": attack, "label_ids": [label],
        "status_code": "published", "published_at": "2026-01-04"}));
    let shelf = acme.collection(json!({"slug": "shelf", "name": attack, "description": attack}));
    acme.article(json!({"slug": "article", "title": attack, "content": attack, "excerpt": attack,
        "collection_id": shelf, "status_code": "published", "published_at": "2026-01-04"}));
    let portal = Portal::new(store, acme).await;
    let eve = portal.signed_in(EVE).await;
    eve.post("/news/account", &[("name", attack)]).await;
    let query = "%3C/script%3E%22%27%3E%3Cscript%3Ealert(1)%3C/script%3E%3Cimg%20src=x%20onerror=alert(1)%3E";
    let others = [
        format!("/search?q={query}"),
        format!("/?q={query}"),
        format!("/?sort={query}"),
        format!("/b/ideas/new?title={query}"),
        format!("/sign-in?return_to={query}"),
        format!("/sign-in/{query}"),
        format!("/p/{query}"),
        format!("/p/dark-mode?reply={query}&done={query}"),
        format!("/u/{author}"),
        "/account".to_owned(),
        "/b/ideas/similar?title=alert".to_owned(),
        "/feeds/posts.atom".to_owned(),
        "/feeds/changelog.atom".to_owned(),
        "/help/shelf".to_owned(),
    ];
    for path in PAGES.map(str::to_owned).into_iter().chain(others) {
        for browser in [&eve, &portal.browser()] {
            let page = browser.get(&format!("/news{path}")).await;
            assert!(page.status < 500, "{path}");
            assert!(!page.text.contains("<script>"), "{path}: {}", page.text);
            assert!(!page.text.contains("<img src=x"), "{path}: {}", page.text);
            // What is outside of an element's tag cannot break out of it.
            for script in page.text.split("<script").skip(1) {
                let is_own = script.starts_with(" type=\"module\" src=\"/news/assets/")
                    || script.starts_with(" type=\"application/ld+json\">{");
                assert!(is_own, "{path}: {script}");
            }
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_tag_of_the_team_is_shown_nowhere(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let secret = acme.tag(json!({"name": "zanzibar", "is_public": false}));
    let open = acme.tag(json!({"name": "mobile"}));
    let board = acme.board(json!({"slug": "ideas"}));
    acme.post(json!({"board_id": board, "slug": "dark-mode", "tag_ids": [secret, open]}));
    acme.post(json!({"board_id": board, "slug": "other"}));
    acme.roadmap_post(json!({"tag_ids": [secret, open]}));
    let portal = Portal::new(store, acme).await;
    for path in ["/", "/b/ideas", "/p/dark-mode", "/roadmap", "/search?q=dark"] {
        let page = portal.browser().get(&format!("/news{path}")).await;
        assert!(
            page.text.contains("mobile") && !page.text.contains("zanzibar"),
            "{path}: {}",
            page.text
        );
    }
    let page = portal.browser().get(&format!("/news/?tag={open}")).await;
    assert!(page.text.contains("/p/dark-mode") && !page.text.contains("/p/other"), "{}", page.text);
    // The tags of rows and of posts lead there.
    let tag = format!("class=\"tag\" href=\"/news/?tag={open}\"");
    for path in ["/", "/p/dark-mode"] {
        assert!(portal.browser().get(&format!("/news{path}")).await.text.contains(&tag), "{path}");
    }
    let filter = format!("href=\"/news/b/ideas?sort=new&#38;tag={open}\"");
    let page = portal.browser().get("/news/b/ideas?sort=new").await;
    assert!(page.text.contains(&filter), "{}", page.text);
    assert_eq!(portal.browser().get(&format!("/news/?tag={secret}")).await.status, 404);
}

#[rstest]
#[tokio::test]
async fn a_roadmap_has_columns_by_quarter(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let status =
        acme.status(json!({"name": "Planned", "show_on_roadmap": true, "is_default_status": true}));
    let done = acme.status(json!({"name": "Shipped", "show_on_roadmap": true,
        "status_group_code": "completed"}));
    let board = acme.roadmap_board(json!({"slug": "plans"}));
    acme.roadmap_post(json!({"title": "Done", "status_id": done, "roadmap_board_id": board}));
    for (title, eta) in [
        ("Without", Value::Null),
        ("Far", json!("2999-05-01")),
        ("Past", json!("2020-01-01")),
        ("Near", json!("2998-12-31")),
    ] {
        acme.roadmap_post(json!({"title": title, "eta": eta, "status_id": status,
            "roadmap_board_id": board}));
    }
    let portal = Portal::new(store, acme).await;
    // Values in a sentence have marks of their direction around them.
    let text = portal.browser().get("/news/roadmap?by=eta").await.text;
    let text = text.replace(['\u{2068}', '\u{2069}'], "");
    let places: Vec<usize> =
        ["Earlier", "Done", "Past", "Q4 2998", "Near", "Q2 2999", "Far", "Later", "Without"]
            .map(|name| text.find(&format!(">{name}<")).unwrap_or_else(|| panic!("no {name}")))
            .to_vec();
    assert!(places.is_sorted(), "{places:?} {}", text);
    assert_eq!(text.matches(">Planned<").count(), 4, "{}", text);
    for path in ["/roadmap", "/roadmap/plans?by=nothing"] {
        let page = portal.browser().get(&format!("/news{path}")).await;
        assert!(!page.text.contains(">Earlier<"), "{path}");
        assert_eq!(page.text.matches(">Planned<").count(), 1, "{path}: {}", page.text);
    }
    let page = portal.browser().get("/news/roadmap/plans?embed=1").await;
    assert!(page.text.contains("href=\"/news/roadmap/plans?by=eta&#38;embed=1\""), "{}", page.text);
}

#[rstest]
#[tokio::test]
async fn a_search_marks_what_it_has_found_and_finds_entries(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let long = format!("{} Then <b>press the Quokka</b> key.", "Nothing to see. ".repeat(40));
    let shelf = acme.collection(json!({"slug": "guides"}));
    acme.article(json!({"title": "The <quokka>", "excerpt": "About keys", "content": long,
        "collection_id": shelf, "status_code": "published", "published_at": "2026-01-04"}));
    acme.entry(json!({"slug": "keys", "title": "Keys", "content": long,
        "status_code": "published", "published_at": "2026-01-04"}));
    acme.entry(json!({"slug": "hidden", "title": "A quokka to come", "content": long}));
    let portal = Portal::new(store, acme).await;
    for (path, found) in [("/help?q=QUOKKA", 1), ("/search?q=quokka", 2)] {
        let page = portal.browser().get(&format!("/news{path}")).await;
        assert!(page.text.contains("The &#60;<mark>quokka</mark>&#62;"), "{}", page.text);
        let passage = "Then press the <mark>Quokka</mark> key.";
        assert_eq!(page.text.matches(passage).count(), found, "{path}: {}", page.text);
        assert!(!page.text.contains("to come"), "{}", page.text);
    }
    let page = portal.browser().get("/news/search?q=quokka").await;
    assert!(page.text.contains("/news/changelog/keys") && page.text.contains("January"));
}

#[rstest]
#[tokio::test]
async fn what_is_empty_says_to_the_team_how_to_begin(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    acme.status(json!({"is_default_status": true}));
    acme.roadmap_board(json!({"slug": "plans"}));
    let portal = Portal::new(store, acme).await;
    let owner = portal.member("dan@example.com", "owner").await;
    let eve = portal.signed_in("eve@example.com").await;
    let parts = [
        ("/", "feedback-boards", "No board is open to you"),
        ("/roadmap", "roadmap-posts", "When the team plans something"),
        ("/changelog", "changelog", "New versions will be announced"),
        ("/help", "help-articles", "Articles will appear"),
    ];
    for (path, group, words) in parts {
        let page = owner.get(&format!("/news{path}")).await;
        let action = format!("href=\"/news/docs#/{group}/{group}.create\"");
        assert!(page.text.contains(&action), "{path}: {}", page.text);
        assert!(page.text.contains(&format!("POST /{group}/create")), "{path}: {}", page.text);
        let page = eve.get(&format!("/news{path}")).await;
        assert!(!page.text.contains("/docs#"), "{path}");
        assert!(path == "/" || page.text.contains(words), "{path}: {}", page.text);
        assert!(path == "/" || page.text.contains("See the ideas</a>"), "{path}: {}", page.text);
    }
    let board = json!({"name": "Ideas", "slug": "ideas"});
    portal.acme.post("/feedback-boards/create", board).await.expect(200);
    let page = eventually("the board is there", async || {
        let page = owner.get("/news/b/ideas").await;
        (page.status == 200).then_some(page)
    });
    assert!(page.await.text.contains("Write the first idea yourself"));
    assert!(eve.get("/news/b/ideas").await.text.contains("Be the first to say"));
}

#[rstest]
#[tokio::test]
async fn a_board_with_the_name_of_a_feed_has_a_feed_of_its_own(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    for (slug, post) in [("posts", "one"), ("changelog", "two"), ("ideas", "three")] {
        let board = acme.board(json!({"slug": slug}));
        acme.post(json!({"slug": post, "board_id": board}));
    }
    let portal = Portal::new(store, acme).await;
    let get = async |path: &str| portal.browser().get(&format!("/news{path}")).await;
    for (board, feed, post) in [
        ("posts", "/feeds/b/posts", "one"),
        ("changelog", "/feeds/b/changelog", "two"),
        ("ideas", "/feeds/ideas", "three"),
    ] {
        let page = get(&format!("/b/{board}")).await;
        assert!(page.text.contains(&format!("href=\"/news{feed}.atom\"")), "{}", page.text);
        let atom = get(&format!("{feed}.atom")).await.text;
        assert!(atom.contains(&format!("/news{feed}.atom")), "{atom}");
        for other in ["one", "two", "three"] {
            let is_there = atom.contains(&format!("/p/{other}"));
            assert_eq!(is_there, other == post, "{board}: {atom}");
        }
    }
    let all = get("/feeds/posts.atom").await.text;
    assert!(["one", "two", "three"].iter().all(|post| all.contains(&format!("/p/{post}"))));
    assert!(!get("/feeds/changelog.atom").await.text.contains("/p/"));
    assert_eq!(get("/feeds/b/nothing.atom").await.status, 404);
}

#[rstest]
#[tokio::test]
async fn the_sitemaps_have_the_pages_that_everybody_sees(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let board = acme.board(json!({"slug": "ideas"}));
    let closed = acme.board(json!({"slug": "closed", "access_code": "team"}));
    for (slug, board, moderation) in [
        ("open", &board, "accepted"),
        ("secret-board", &closed, "accepted"),
        ("secret-pending", &board, "pending"),
    ] {
        acme.post(json!({"slug": slug, "board_id": board, "moderation_status_code": moderation}));
    }
    let out = json!({"status_code": "published", "published_at": "2026-01-04"});
    let with = |slug: &str, members: Value| {
        let mut all = out.clone();
        all["slug"] = slug.into();
        for (name, value) in members.as_object().expect("an object") {
            all[name.as_str()] = value.clone();
        }
        all
    };
    acme.entry(with("news", json!({})));
    acme.entry(json!({"slug": "secret-draft"}));
    acme.entry(with("secret-entry", json!({"show_on_portal": false})));
    let shelf = acme.collection(json!({"slug": "guides"}));
    let of_shelf = json!({"collection_id": shelf});
    acme.article(with("start", of_shelf.clone()));
    acme.article(with("secret-article", json!({"collection_id": shelf, "show_on_portal": false})));
    acme.article(json!({"collection_id": shelf, "slug": "secret-draft-article"}));
    let portal = Portal::new(store, acme).await;
    let owner = portal.member("dan@example.com", "owner").await;
    for (part, pages) in [
        ("pages", &["/", "/changelog", "/help", "/b/ideas", "/help/guides"][..]),
        ("posts", &["/p/open"]),
        ("entries", &["/changelog/news"]),
        ("articles", &["/help/guides/start"]),
    ] {
        for browser in [&portal.browser(), &owner] {
            let index = browser.get("/news/sitemap.xml").await.text;
            let address = format!("{PUBLIC_URL}/sitemap-{part}.xml");
            assert!(index.contains(&format!("<loc>{address}</loc>")), "{index}");
            let map = browser.get(&format!("/news/sitemap-{part}.xml")).await.text;
            let expected = pages.iter().map(|page| format!("<loc>{PUBLIC_URL}{page}</loc>"));
            assert!(expected.into_iter().all(|page| map.contains(&page)), "{map}");
            assert_eq!(map.matches("<loc>").count(), pages.len(), "{map}");
        }
    }
}
