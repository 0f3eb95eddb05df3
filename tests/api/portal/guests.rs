//! Guests, who act without an account, and the forms that keep spam out.

use super::{Browser, Letter, Page, Portal};
use crate::support::{Draft, Installation, Store, eventually};
use rstest::rstest;
use serde_json::{Value, json};

const ADA: &str = "ada@example.com";
const EVE: &str = "eve@example.com";

/// A portal with a board, on which guests act in a way, and a post of Ada's on it: `dark-mode`.
async fn portal(store: Store, board: Value) -> Portal {
    Portal::new(store, draft(board)).await
}

fn draft(mut board: Value) -> Draft {
    let mut acme = Draft::new();
    acme.status(json!({"is_default_status": true}));
    board["slug"] = "ideas".into();
    let board = acme.board(board);
    let ada = acme.user(json!({"email": ADA, "name": "Ada"}));
    acme.post(json!({
        "board_id": board, "slug": "dark-mode", "title": "Dark mode", "author_id": ada}));
    acme
}

impl Portal {
    async fn records_of(&self, kind: &str) -> Vec<Value> {
        let records = self.acme.export().await;
        records.into_iter().filter(|record| record["kind"] == kind).collect()
    }

    async fn votes(&self, slug: &str) -> i64 {
        let posts = self.acme.walk("/feedback-posts/list", json!({}), 100).await;
        let post = posts.iter().find(|post| post["slug"] == slug).expect("the post");
        post["vote_count"].as_i64().expect("a number")
    }

    /// The mail that a form leads to.
    async fn letter(&self, email: &str, send: impl AsyncFnOnce() -> Page) -> (Page, Letter) {
        let known = self.mails_to(email);
        let page = send().await;
        assert_eq!(page.status, 200, "{}", page.text);
        let letter = eventually("the mail is written", async || {
            let path = self.mails_to(email).difference(&known).next().cloned()?;
            let mail = std::fs::read_to_string(path).expect("a mail");
            for typed in ["Zanzibar", "Grace Guest"] {
                assert!(!mail.contains(typed), "{mail}");
            }
            Letter::read(&mail)
        });
        (page, letter.await)
    }
}

fn guest_cookie(browser: &Browser) -> Option<(String, String)> {
    browser.cookies().into_iter().find(|(name, _)| name.ends_with("-guest"))
}

const ZANZIBAR: [(&str, &str); 2] = [("title", "Zanzibar title"), ("text", "Zanzibar text")];

/// All that a visitor sees of posts.
async fn seen(browser: &Browser) -> String {
    let mut seen = String::new();
    for path in [
        "/news/",
        "/news/b/ideas",
        "/news/b/ideas?sort=new",
        "/news/search?q=zanzibar",
        "/news/p/zanzibar-title",
        "/news/p/dark-mode",
        "/news/feeds/posts.atom",
        "/news/feeds/ideas.json",
        "/news/sitemap-posts.xml",
        "/news/b/ideas/similar?title=zanzibar",
    ] {
        // The search shows what was typed.
        seen += &browser.get(path).await.text.replace("value=\"zanzibar\"", "");
    }
    seen
}

#[rstest]
#[tokio::test]
async fn a_guest_writes_and_votes_by_a_cookie_and_alone_sees_what_waits(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let board = json!({"guest_code": "anonymous", "post_moderation_code": "first_post",
        "comment_moderation_code": "on"});
    let portal = portal(store, board).await;
    let guest = portal.browser();
    let page = guest.post("/news/b/ideas/new", &ZANZIBAR).await;
    assert_eq!(page.location(), "/news/p/zanzibar-title?done=waits");
    let cookie = page.cookies().pop().expect("a cookie");
    for part in ["__Host-hearback-", "-guest=", "HttpOnly", "SameSite=Lax", "Secure", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let page = guest.post("/news/p/dark-mode/comment", &[("text", "Zanzibar comment")]).await;
    assert!(page.location().starts_with("/news/p/dark-mode?done=waits#c-"), "{page:?}");
    for _ in 0..2 {
        let page = guest.post("/news/p/dark-mode/vote", &[("voted", "yes")]).await;
        assert_eq!((page.location().as_str(), page.cookies()), ("/news/p/dark-mode", vec![]));
    }
    assert_eq!(portal.votes("dark-mode").await, 1);

    let own = seen(&guest).await;
    for text in ["Zanzibar title", "Zanzibar comment", "/news/p/zanzibar-title/edit", ">Guest<"] {
        assert!(own.contains(text), "{text}");
    }
    let feeds = guest.get("/news/feeds/posts.atom").await.text;
    assert!(!feeds.contains("Zanzibar"), "{feeds}");
    assert!(!guest.get("/news/p/zanzibar-title").await.text.contains("QAPage"));
    // A cookie that the program has not signed stands for nobody.
    let (name, value) = guest_cookie(&guest).expect("a guest");
    let forged = portal.browser();
    let (first, rest) = value.split_at(4);
    forged.keep(&name, &format!("{}{rest}", if first == "AAAA" { "BBBB" } else { "AAAA" }));
    let other = portal.browser();
    other.post("/news/p/dark-mode/vote", &[("voted", "yes")]).await;
    assert_ne!(guest_cookie(&other), guest_cookie(&guest));
    for stranger in [portal.browser(), forged, other, portal.signed_in(EVE).await] {
        let seen = seen(&stranger).await;
        assert!(!seen.contains("Zanzibar"), "{seen}");
        let edit = stranger.post("/news/p/zanzibar-title/edit", &ZANZIBAR).await;
        assert!(matches!(edit.status, 303 | 404), "{edit:?}");
    }
    assert_eq!(portal.votes("dark-mode").await, 2);

    // After one acceptance, the guest is trusted.
    let posts = portal.acme.walk("/feedback-posts/list", json!({}), 100).await;
    let waits = posts.iter().find(|it| it["slug"] == "zanzibar-title").expect("the post");
    let items = json!([{"kind": "post", "id": waits["id"]}]);
    let accept = json!({"items": items, "moderation_status_code": "accepted"});
    portal.acme.post("/moderation/decide", accept).await.expect(200);
    let page = guest.post("/news/b/ideas/new", &[("title", "Second"), ("text", "")]).await;
    assert_eq!(page.location(), "/news/p/second?done=posted");
    assert!(portal.browser().get("/news/p/second").await.text.contains(">Guest<"));
    // The guest edits and deletes what is the guest's own.
    let page = guest.post("/news/p/second/edit", &[("title", "Third"), ("text", "x")]).await;
    assert_eq!(page.location(), "/news/p/second?done=saved");
    assert_eq!(guest.post("/news/p/second/delete", &[]).await.status, 303);
    assert_eq!(guest.get("/news/p/second").await.status, 404);
}

#[rstest]
#[tokio::test]
async fn what_a_guest_did_becomes_that_of_who_signs_in_and_votes_count_once(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store, json!({"guest_code": "anonymous"})).await;
    portal.signed_in(EVE).await.post("/news/p/dark-mode/vote", &[("voted", "yes")]).await;
    let guest = portal.browser();
    guest.post("/news/b/ideas/new", &ZANZIBAR).await;
    guest.post("/news/p/dark-mode/vote", &[("voted", "yes")]).await;
    guest.post("/news/p/dark-mode/comment", &[("text", "Me too")]).await;
    let votes = [portal.votes("dark-mode").await, portal.votes("zanzibar-title").await];
    assert_eq!(votes, [2, 1]);
    let cookie = guest_cookie(&guest).expect("a guest");

    let (_, letter) = portal.ask(&guest, EVE).await;
    let page = guest.post(&letter.link, &[]).await;
    assert_eq!(page.status, 303);
    let page = guest.get(&page.location()).await;
    assert!(page.cookies().iter().any(|it| it.starts_with(&cookie.0) && it.contains("Max-Age=0")));
    assert_eq!(guest_cookie(&guest), None);
    let eve = portal.members(EVE).await.expect(200);
    let of_eve = |kind, member| {
        let (portal, eve) = (&portal, &eve["user_id"]);
        async move {
            let records = portal.records_of(kind).await;
            records.iter().filter(|it| &it[member] == eve && it["is_active"] != false).count()
        }
    };
    assert_eq!(of_eve("feedback_post", "author_id").await, 1);
    assert_eq!(of_eve("comment", "author_id").await, 1);
    assert_eq!(of_eve("vote", "user_id").await, 2);
    assert_eq!(of_eve("subscription", "user_id").await, 2);
    let votes = [portal.votes("dark-mode").await, portal.votes("zanzibar-title").await];
    assert_eq!(votes, [1, 1]);
    assert_eq!(guest.get("/news/p/zanzibar-title/edit").await.status, 200);
    // The value of the cookie is worth nothing any more.
    let thief = portal.browser();
    thief.keep(&cookie.0, &cookie.1);
    assert_ne!(thief.get("/news/p/zanzibar-title/edit").await.status, 200);
}

const GRACE: [(&str, &str); 2] = [("name", "Grace Guest"), ("email", "grace@example.com")];

#[rstest]
#[tokio::test]
async fn what_a_guest_does_by_mail_counts_when_the_address_is_confirmed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store, json!({"guest_code": "email"})).await;
    let before = portal.acme.export().await;
    let guest = portal.browser();
    let fields = [ZANZIBAR, GRACE].concat();
    let send = async || guest.post("/news/b/ideas/new", &fields).await;
    let (_, letter) = portal.letter("grace@example.com", send).await;
    // A program that scans mails follows the link.
    for _ in 0..2 {
        let page = portal.browser().get(&letter.link).await;
        assert!(page.text.contains("Zanzibar title"), "{}", page.text);
    }
    assert_eq!(portal.acme.export().await, before);
    assert!(!seen(&guest).await.contains("Zanzibar"));

    let elsewhere = portal.browser();
    let page = elsewhere.post(&letter.link, &[]).await;
    assert_eq!(page.location(), "/news/p/zanzibar-title?done=posted");
    assert!(elsewhere.is_signed_in().await);
    assert!(portal.browser().get("/news/p/zanzibar-title").await.text.contains("Grace Guest"));
    assert_eq!(portal.votes("zanzibar-title").await, 1);
    assert_eq!(portal.browser().post(&letter.link, &[]).await.status, 200);
    assert_eq!(portal.records_of("feedback_post").await.len(), 2);

    // Votes, comments and news go the same way, and by the code, too.
    let dark = "/news/p/dark-mode";
    for (path, fields, code, done) in [
        ("/vote", &[][..], false, "done=voted"),
        ("/comment", &[("text", "Zanzibar comment")][..], true, "done=commented"),
        ("/follow", &[][..], false, "done=saved"),
    ] {
        let guest = portal.browser();
        let path = format!("{dark}{path}");
        let fields = [fields, &GRACE[..]].concat();
        let send = async || guest.post(&path, &fields).await;
        let (_, letter) = portal.letter("grace@example.com", send).await;
        let page = match code {
            true => guest.post("/news/sign-in/code", &[("code", &letter.code)]).await,
            false => guest.post(&letter.link, &[]).await,
        };
        assert!(page.location().starts_with(&format!("{dark}?{done}")), "{path}: {page:?}");
    }
    assert_eq!(portal.votes("dark-mode").await, 1);
    assert_eq!(portal.comments().await.len(), 1);
    let grace = portal.members("grace@example.com").await.expect(200);
    assert_eq!(grace["name"], "Grace Guest");
    let news = portal.records_of("subscription").await;
    assert!(news.iter().any(|it| it["user_id"] == grace["user_id"] && it["level"] == "all"));
}

#[rstest]
#[tokio::test]
async fn a_board_takes_from_guests_what_it_says_and_nothing_else(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = draft(json!({"guest_code": "anonymous"}));
    let closed = acme.board(json!({"slug": "closed"}));
    acme.post(json!({"board_id": closed, "slug": "closed-post"}));
    let team = acme.board(json!({
        "slug": "team", "guest_code": "anonymous", "access_code": "team"}));
    acme.post(json!({"board_id": team, "slug": "team-post"}));
    let portal = Portal::new(store, acme).await;
    let guest = portal.browser();
    guest.post("/news/p/dark-mode/vote", &[("voted", "yes")]).await;
    assert!(guest_cookie(&guest).is_some());
    let before = portal.acme.export().await;
    for (path, fields) in [
        ("/news/p/closed-post/vote", &[("voted", "yes")][..]),
        ("/news/p/closed-post/comment", &[("text", "Zanzibar")]),
        ("/news/p/closed-post/follow", &[("level", "all")]),
        ("/news/p/team-post/vote", &[("voted", "yes")]),
        ("/news/p/team-post/comment", &[("text", "Zanzibar")]),
        ("/news/b/team/new", &ZANZIBAR),
        ("/news/b/closed/new", &ZANZIBAR),
        ("/news/account", &[("name", "Guest")]),
        // Whoever is mailed has to give an address.
        ("/news/p/dark-mode/follow", &[("level", "all")]),
    ] {
        let page = guest.post(path, fields).await;
        let is_refused = match page.status {
            303 => page.location().contains("/sign-in"),
            200 => page.text.contains("name=\"email\""),
            status => status == 404,
        };
        assert!(is_refused, "{path}: {page:?}");
    }
    assert_eq!(portal.acme.export().await, before);
}

#[rstest]
#[tokio::test]
async fn a_form_that_no_person_has_filled_in_comes_again_with_what_was_typed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("none", "anonymous", "email")] guests: &str,
) {
    let settings = [("HEARBACK_FORM_MINIMUM_AGE", "60s")];
    let installation = Installation::new(store, &settings).await;
    let portal = Portal::of(installation, draft(json!({"guest_code": guests}))).await;
    let visitor = match guests {
        "none" => portal.signed_in(EVE).await,
        _ => portal.browser(),
    };
    let before = portal.acme.export().await;
    let fresh = visitor.get("/news/b/ideas/new").await.field("nonce").expect("a number");
    let foreign = "A".repeat(fresh.len());
    for (nonce, trap, words) in [
        (&*fresh, "", "That was very fast."),
        (&*foreign, "", "This page was open for too long."),
        ("", "", "This page was open for too long."),
        (&*fresh, "https://buy.example", "A hidden field was filled in"),
    ] {
        for path in ["/news/b/ideas/new", "/news/p/dark-mode/comment"] {
            let typed = [("title", "Zanzibar title"), ("text", "Zanzibar text")];
            let fields = [&typed[..], &GRACE, &[("nonce", nonce), ("website", trap)]].concat();
            let page = visitor.post(path, &fields).await;
            assert_eq!(page.status, 200, "{path}");
            assert!(page.text.contains(words), "{path} {words}: {}", page.text);
            assert!(page.text.contains("Zanzibar text</textarea>"), "{path}: {}", page.text);
            assert_ne!(page.field("nonce").expect("a new number"), nonce);
            assert!(!page.text.contains("buy.example"));
        }
    }
    assert_eq!(portal.acme.export().await, before);
    assert!(portal.mails_to("grace").is_empty());
    // The team types as fast as it likes. The trap is for everybody.
    let member = portal.member("dan@example.com", "member").await;
    let fields = [("title", "Fast"), ("text", "x"), ("website", "x")];
    assert_eq!(member.post("/news/b/ideas/new", &fields).await.status, 200);
    let page = member.post("/news/b/ideas/new", &fields[..2]).await;
    assert_eq!(page.location(), "/news/p/fast?done=posted");
}

#[rstest]
#[tokio::test]
async fn the_same_text_is_posted_once_and_many_links_wait(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store, json!({"guest_code": "anonymous"})).await;
    let guest = portal.browser();
    let new = "/news/b/ideas/new";
    let dark = "/news/p/dark-mode/comment";
    assert_eq!(guest.post(new, &ZANZIBAR).await.location(), "/news/p/zanzibar-title?done=posted");
    let loud = [("title", "ZANZIBAR  title"), ("text", "zanzibar text")];
    // Another browser of the same network finds the first one, too.
    for visitor in [&guest, &portal.browser(), &portal.signed_in(EVE).await] {
        let page = visitor.post(new, &loud).await;
        assert_eq!(page.location(), "/news/p/zanzibar-title?done=same");
        assert!(visitor.get(&page.location()).await.text.contains("This was sent a moment ago."));
    }
    let first = guest.post(dark, &[("text", "Me too")]).await.location();
    let second = guest.post(dark, &[("text", "me too")]).await.location();
    assert_eq!(second, first.replace("commented", "same"));
    assert_eq!(portal.records_of("feedback_post").await.len(), 2);
    assert_eq!(portal.comments().await.len(), 1);
    // What its author has deleted may be posted again.
    guest.post("/news/p/zanzibar-title/delete", &[]).await;
    assert!(guest.post(new, &loud).await.location().ends_with("?done=posted"));

    let links = "https://buy.example www.buy.example [x](//buy.example) http://buy.example";
    let page = guest.post(dark, &[("text", links)]).await;
    assert!(page.location().starts_with("/news/p/dark-mode?done=waits"), "{page:?}");
    let eve = portal.signed_in(EVE).await;
    let page = eve.post(new, &[("title", "Pills"), ("text", links)]).await;
    assert_eq!(page.location(), "/news/p/pills?done=waits");
    let member = portal.member("dan@example.com", "member").await;
    let page = member.post(new, &[("title", "Links"), ("text", links)]).await;
    assert_eq!(page.location(), "/news/p/links?done=posted");
}

#[rstest]
#[tokio::test]
async fn forms_of_an_address_and_of_a_network_have_limits(
    #[values(Store::Sqlite)] store: Store,
    #[values("address", "network")] of: &str,
) {
    let (address, network) = if of == "address" { ("3/h", "100/h") } else { ("100/h", "3/h") };
    let settings = [
        ("HEARBACK_FORM_LIMIT_PER_ADDRESS", address),
        ("HEARBACK_FORM_LIMIT_PER_NETWORK", network),
        ("HEARBACK_TRUSTED_PROXIES", "127.0.0.0/8"),
    ];
    let installation = Installation::new(store, &settings).await;
    let portal = Portal::of(installation, draft(json!({"guest_code": "anonymous"}))).await;
    let here = &[
        ("X-Forwarded-For", "192.0.2.1"),
        ("Sec-Fetch-Site", "same-origin"),
        ("Accept", "text/html"),
    ];
    let near = &[("X-Forwarded-For", "192.0.2.99"), here[1], here[2]];
    let far = &[("X-Forwarded-For", "198.51.100.1"), here[1], here[2]];
    let guest = portal.browser().with_headers(here);
    for text in ["One", "Two", "Three"] {
        let page = guest.post("/news/p/dark-mode/comment", &[("text", text)]).await;
        assert_eq!(page.status, 303, "{page:?}");
    }
    let page = guest.post("/news/p/dark-mode/comment", &[("text", "Zanzibar text")]).await;
    assert_eq!(page.status, 429);
    assert!(page.text.contains("Zanzibar text</textarea>"), "{}", page.text);
    assert!(page.header("Retry-After").parse::<u64>().expect("seconds") > 60);
    let vote = async |browser: &Browser| {
        browser.post("/news/p/dark-mode/vote", &[("voted", "yes")]).await.status
    };
    assert_eq!(vote(&guest).await, 429);
    assert_eq!(vote(&guest.with_headers(near)).await, if of == "address" { 303 } else { 429 });
    assert_eq!(vote(&guest.with_headers(far)).await, 303);
    assert_eq!(portal.comments().await.len(), 3);
}

#[tokio::test]
async fn a_network_has_as_many_new_guests_in_an_hour_as_forms_at_once() {
    let settings = [
        ("HEARBACK_FORM_LIMIT_PER_ADDRESS", "1000000/s"),
        ("HEARBACK_FORM_LIMIT_PER_NETWORK", "30/s"),
    ];
    let installation = Installation::new(Store::Sqlite, &settings).await;
    let portal = Portal::of(installation, draft(json!({"guest_code": "anonymous"}))).await;
    let mut voted = 0;
    loop {
        let stranger = portal.browser();
        let page = stranger.post("/news/p/dark-mode/vote", &[("voted", "yes")]).await;
        match page.status {
            303 => voted += 1,
            // The limit of forms is over in a moment, that of strangers in two minutes.
            status => {
                assert_eq!(status, 429);
                if page.header("Retry-After").parse::<u64>().expect("seconds") > 1 {
                    break;
                }
            }
        }
        assert!(voted <= 30);
    }
    assert_eq!((voted, portal.votes("dark-mode").await), (30, 30));
}

/// The values of a user about mails.
async fn mails(portal: &Portal, email: &str) -> Value {
    let users = portal.records_of("user").await;
    let user = users.iter().find(|it| it["email"] == email).expect("the user");
    let names = [
        ("is_subscribed", json!(true)),
        ("changelog_mail", json!(true)),
        ("post_mail", json!("instant")),
    ];
    // A record has no value that is the default.
    names.into_iter().map(|(name, usual)| user.get(name).cloned().unwrap_or(usual)).collect()
}

#[rstest]
#[tokio::test]
async fn a_visitor_gets_mails_about_the_changelog_by_an_address_that_is_confirmed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("link", "code")] by: &str,
) {
    let portal = portal(store, json!({})).await;
    let before = portal.acme.export().await;
    let guest = portal.browser();
    let follow = "/news/changelog/follow";
    assert!(guest.get("/news/changelog").await.text.contains(&format!("href=\"{follow}\"")));
    let form = guest.get(follow).await;
    assert!(form.text.contains("name=\"email\"") && !form.text.contains("name=\"name\""));
    let wrong = guest.post(follow, &[("email", "no address")]).await;
    assert_eq!(wrong.status, 200);
    assert!(wrong.text.contains("value=\"no address\"") && wrong.text.contains("email-fault"));
    let email = "grace@example.com";
    let send = async || guest.post(follow, &[("email", email)]).await;
    let (_, letter) = portal.letter(email, send).await;
    let asked = portal.browser().get(&letter.link).await.text;
    assert!(asked.contains("Is this from you?") && asked.contains("Changelog"), "{asked}");
    assert_eq!(portal.acme.export().await, before);
    let page = match by {
        "link" => portal.browser().post(&letter.link, &[]).await,
        _ => guest.post("/news/sign-in/code", &[("code", &letter.code)]).await,
    };
    assert_eq!(page.location(), "/news/changelog?done=saved");
    assert_eq!(mails(&portal, email).await, json!([true, true, "instant"]));
    // Whoever has switched all mail off gets that about the changelog alone.
    let off = [("mail", "no"), ("posts", "daily"), ("changelog", "no")];
    portal.signed_in(EVE).await.post("/news/account/mail", &off).await;
    let guest = portal.browser();
    let send = async || guest.post(follow, &[("email", EVE)]).await;
    let (_, letter) = portal.letter(EVE, send).await;
    assert_eq!(portal.browser().post(&letter.link, &[]).await.status, 303);
    assert_eq!(mails(&portal, EVE).await, json!([true, true, "off"]));
}

#[rstest]
#[tokio::test]
async fn the_button_of_the_changelog_changes_the_mails_about_it_alone(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store, json!({})).await;
    let eve = portal.signed_in(EVE).await;
    for (wanted, button) in [("no", "Get mails"), ("yes", "Stop mails")] {
        let page = eve.post("/news/changelog/follow", &[("wanted", wanted)]).await;
        assert_eq!(page.location(), "/news/changelog?done=saved");
        assert_eq!(mails(&portal, EVE).await, json!([true, wanted == "yes", "instant"]));
        assert!(eve.get("/news/changelog").await.text.contains(button), "{wanted}");
    }
    // The page shows what the account says.
    eve.post("/news/account/mail", &[("mail", "yes"), ("posts", "instant")]).await;
    assert!(eve.get("/news/changelog").await.text.contains("Get mails"));
}
