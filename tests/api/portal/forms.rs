//! What the forms of the portal change, and for whom they change nothing.

use super::{Browser, HOST, Page, Portal, encoded};
use crate::support::{Draft, Store};
use futures_util::future::join_all;
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Debug;

const BOB: &str = "bob@example.com";
const EVE: &str = "eve@example.com";

type Headers = &'static [(&'static str, &'static str)];

const CROSS_SITE: Headers = &[("Sec-Fetch-Site", "cross-site"), ("Accept", "text/html")];
const SAME_SITE: Headers = &[("Sec-Fetch-Site", "same-site"), ("Accept", "text/html")];
const CROSS_SITE_OF_THIS_ORIGIN: Headers =
    &[("Sec-Fetch-Site", "cross-site"), ("Origin", "https://feedback.example")];
const ODD_SITE: Headers = &[("Sec-Fetch-Site", "Same-Origin, cross-site")];
const FOREIGN_ORIGIN: Headers = &[("Origin", "https://evil.example")];
const LONGER_ORIGIN: Headers = &[("Origin", "https://feedback.example.evil.example")];
const ORIGIN_BEFORE_AN_AT: Headers = &[("Origin", "https://feedback.example@evil.example")];
const PORT: Headers = &[("Origin", "https://feedback.example:8443")];
const NO_ORIGIN: Headers = &[("Origin", "null"), ("Accept", "text/html")];
const NEITHER: Headers = &[("Accept", "text/html")];
const REFERER: Headers = &[("Referer", "https://feedback.example/news/")];

/// What browsers say of forms of other sites, and what programs leave out.
pub(super) const FOREIGN: [Headers; 11] = [
    CROSS_SITE,
    SAME_SITE,
    CROSS_SITE_OF_THIS_ORIGIN,
    ODD_SITE,
    FOREIGN_ORIGIN,
    LONGER_ORIGIN,
    ORIGIN_BEFORE_AN_AT,
    PORT,
    NO_ORIGIN,
    NEITHER,
    REFERER,
];

/// A portal with a post of Ada's, and a post and a comment of Bob's.
struct World {
    portal: Portal,
    forms: Vec<Form>,
}

/// A form: its path, its fields, and the path to which its answer leads.
struct Form {
    path: String,
    fields: Vec<(&'static str, &'static str)>,
    leads: &'static str,
}

impl Form {
    /// Whether it has a text that somebody has written.
    fn is_of_text(&self) -> bool {
        !self.path.starts_with("/news/account")
            && self.fields.iter().any(|(name, _)| ["title", "text"].contains(name))
    }
}

impl World {
    async fn new(store: Store) -> Self {
        Self::with(store, json!({})).await
    }

    async fn with(store: Store, board: Value) -> Self {
        let mut acme = Draft::new();
        acme.status(json!({"is_default_status": true}));
        let mut members = board;
        members["slug"] = "ideas".into();
        let board = acme.board(members);
        let bob = acme.user(json!({"email": BOB, "name": "Bob"}));
        acme.user(json!({"email": EVE, "name": "Eve"}));
        let dark = acme.post(json!({"board_id": board, "slug": "dark-mode"}));
        acme.post(json!({"board_id": board, "slug": "own", "author_id": bob, "title": "Own"}));
        let comment = acme.comment(&dark, json!({"author_id": bob}));
        let plan = acme.roadmap_post(json!({}));
        let article =
            acme.article(json!({"status_code": "published", "published_at": "2026-01-04"}));
        let form = |path: String, fields: &[(&'static str, &'static str)], leads| Form {
            path: format!("/news{path}"),
            fields: fields.to_vec(),
            leads,
        };
        let post = "/p/dark-mode";
        let forms = vec![
            form(format!("{post}/vote"), &[("voted", "yes")], "/news/p/dark-mode"),
            form(
                "/b/ideas/new".to_owned(),
                &[("title", "Buy now"), ("text", "Cheap")],
                "/news/p/buy-now?done=posted",
            ),
            form(format!("{post}/comment"), &[("text", "Me too")], "/news/p/dark-mode?done="),
            form(format!("{post}/follow"), &[("level", "none")], "/news/p/dark-mode?done=saved"),
            form(format!("{post}/follow"), &[("level", "all")], "/news/p/dark-mode?done=saved"),
            form(
                "/account".to_owned(),
                &[("name", "Robert"), ("locale", "de")],
                "/news/account?done=saved",
            ),
            form(
                "/account/mail".to_owned(),
                &[("mail", "yes"), ("posts", "daily")],
                "/news/account?done=saved",
            ),
            form("/account/sessions".to_owned(), &[], "/news/account?done=saved"),
            form(
                "/changelog/follow".to_owned(),
                &[("wanted", "yes")],
                "/news/changelog?done=saved",
            ),
            form("/p/own/edit".to_owned(), &[("title", "New")], "/news/p/own?done=saved"),
            form(format!("{post}/c/{comment}"), &[("text", "Other")], "/news/p/dark-mode?done="),
            form(format!("{post}/c/{comment}/delete"), &[], "/news/p/dark-mode?done=deleted"),
            form("/p/own/delete".to_owned(), &[], "/news/b/ideas?done=deleted"),
            form(format!("/roadmap/vote/{plan}"), &[("voted", "yes")], "/news/roadmap"),
            form(
                format!("/help/answer/{article}"),
                &[("helpful", "yes")],
                "/news/help?done=thanks",
            ),
            form("/language".to_owned(), &[("language", "de")], "/news/"),
            form("/sign-out".to_owned(), &[], "/news/?done=signed-out"),
        ];
        Self { portal: Portal::new(store, acme).await, forms }
    }

    async fn records(&self) -> Vec<Value> {
        self.portal.acme.export().await
    }

    /// Sends all forms in each of these ways. None of them may change anything. `comes_back` says
    /// whether a form in which people write is shown again.
    async fn assert_unchanged_by<T: Debug>(
        &self,
        ways: &[T],
        send: impl AsyncFn(&T, &Form) -> Page,
        comes_back: bool,
    ) {
        let bob = self.portal.signed_in(BOB).await;
        let before = self.records().await;
        for way in ways {
            for form in &self.forms {
                let (page, path) = (send(way, form).await, &form.path);
                if comes_back && form.is_of_text() {
                    assert_eq!(page.location(), format!("{path}?done=again"), "{way:?}");
                    continue;
                }
                let (status, cookies) = (page.status, page.cookies());
                assert_eq!((status, cookies), (403, vec![]), "{way:?} {path}: {}", page.text);
                assert!(page.header("Content-Type").starts_with("text/html"), "{way:?} {path}");
            }
        }
        assert_eq!(self.records().await, before);
        assert!(bob.is_signed_in().await);
    }
}

#[rstest]
#[tokio::test]
async fn a_form_of_a_page_is_taken_and_leads_to_the_page_that_shows_the_change(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("Sec-Fetch-Site", "Origin")] header: &str,
) {
    let world = World::new(store).await;
    let other = world.portal.signed_in(BOB).await;
    let mut bob = world.portal.signed_in(BOB).await;
    if header == "Origin" {
        bob = bob.with_headers(&[("Origin", "https://feedback.example")]);
    }
    let mut before = world.records().await;
    for form in &world.forms {
        let answer = bob.post(&form.path, &form.fields).await;
        let location = answer.location();
        assert!(location.starts_with(form.leads), "{}: {location}", form.path);
        assert_eq!(answer.header("Cache-Control"), "no-store");
        let after = world.records().await;
        let is_of_records =
            !["sessions", "language", "sign-out"].iter().any(|end| form.path.ends_with(end));
        assert_eq!(after != before, is_of_records, "{}", form.path);
        before = after;
    }
    assert!(!bob.is_signed_in().await && !other.is_signed_in().await);
    assert_eq!(bob.cookies()["__Host-hearback-language"], "de");
    let user = world.portal.members(BOB).await.expect(200);
    assert_eq!((&user["name"], &user["locale"]), (&json!("Robert"), &json!("de")));
}

#[rstest]
#[tokio::test]
async fn a_form_without_the_token_of_the_session_changes_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let before_signing_in = world.portal.browser().form_token("/news").await;
    let bob = world.portal.signed_in(BOB).await;
    let of_other_sessions = [
        world.portal.signed_in(BOB).await.form_token("/news").await,
        world.portal.signed_in(EVE).await.form_token("/news").await,
    ];
    let of_no_session = [String::new(), "A".repeat(43), before_signing_in];
    let tokens = of_other_sessions.into_iter().chain(of_no_session).map(Some);
    let tokens: Vec<Option<String>> = tokens.chain([None]).collect();
    let send = async |token: &Option<String>, form: &Form| {
        let token = token.as_deref().map(|token| ("form_token", token));
        let fields: Vec<(&str, &str)> = form.fields.iter().copied().chain(token).collect();
        bob.send(&form.path, &fields).await
    };
    world.assert_unchanged_by(&tokens, send, true).await;
}

#[rstest]
#[tokio::test]
async fn a_form_of_another_site_changes_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    // Even with the right token.
    let token = bob.form_token("/news").await;
    let send = async |headers: &Headers, form: &Form| {
        let fields = [&form.fields[..], &[("form_token", &*token)]].concat();
        bob.with_headers(headers).send(&form.path, &fields).await
    };
    world.assert_unchanged_by(&FOREIGN, send, false).await;
}

#[rstest]
#[tokio::test]
async fn a_form_in_an_address_changes_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let token = bob.form_token("/news").await;
    let before = world.records().await;
    for form in &world.forms {
        let fields = [&form.fields[..], &[("form_token", &*token)]].concat();
        let query = String::from_utf8(encoded(&fields)).expect("ASCII");
        for method in [Method::GET, Method::HEAD] {
            let page = bob.request(method, &format!("{}?{query}", form.path), None).await;
            assert!(page.status < 500 && page.cookies().is_empty(), "{}", form.path);
        }
        // The fields of a form are in its body alone.
        let page = bob.send(&format!("{}?{query}", form.path), &[]).await;
        assert_eq!(page.status, 403, "{}", form.path);
    }
    assert_eq!(world.records().await, before);
    assert!(bob.is_signed_in().await);
}

#[rstest]
#[tokio::test]
async fn a_form_of_a_visitor_who_has_not_signed_in_leads_to_signing_in(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let visitor = world.portal.browser();
    let before = world.records().await;
    for form in &world.forms {
        let page = visitor.post(&form.path, &form.fields).await;
        match &*form.path {
            path if form.is_of_text() => {
                let to = encoded(&[("return_to", path)]);
                let to = String::from_utf8(to).expect("ASCII");
                assert_eq!(page.location(), format!("/news/sign-in?{to}"));
            }
            // Anybody may do these.
            "/news/changelog/follow" => assert!(page.text.contains("id=\"email-fault\"")),
            "/news/language" | "/news/sign-out" => assert!(page.location().starts_with("/news/")),
            path if path.starts_with("/news/help/") => {}
            path => {
                let to = page.location();
                assert!(to.starts_with("/news/sign-in?return_to=%2Fnews%2F"), "{path}: {to}");
            }
        }
    }
    let mut after = world.records().await;
    let without_answers =
        |records: &mut Vec<Value>| records.retain(|it| it["kind"] != "help_article");
    let mut before = before;
    without_answers(&mut before);
    without_answers(&mut after);
    assert_eq!(after, before);
}

#[rstest]
#[tokio::test]
async fn nobody_changes_the_posts_and_comments_of_somebody_else(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let owner = world.portal.member("owner@example.com", "owner").await;
    let eve = world.portal.signed_in(EVE).await;
    let before = world.records().await;
    let own = |form: &&Form| ["/own/", "/c/"].iter().any(|part| form.path.contains(part));
    let forms: Vec<&Form> = world.forms.iter().filter(own).collect();
    assert_eq!(forms.len(), 4);
    for form in forms {
        for browser in [&eve, &owner] {
            assert_eq!(browser.get(&form.path).await.status, 404, "{}", form.path);
            let page = browser.post(&form.path, &form.fields).await;
            assert_eq!(page.status, 404, "{}", form.path);
        }
    }
    assert_eq!(world.records().await, before);
}

#[rstest]
#[tokio::test]
async fn a_comment_of_a_post_is_not_changed_at_the_address_of_another(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let before = world.records().await;
    for form in world.forms.iter().filter(|form| form.path.contains("/c/")) {
        let path = form.path.replace("/dark-mode/", "/own/");
        assert_eq!(bob.get(&path).await.status, 404);
        assert_eq!(bob.post(&path, &form.fields).await.status, 404);
    }
    assert_eq!(world.records().await, before);
}

#[rstest]
#[tokio::test]
async fn a_form_leads_back_to_no_other_site_and_no_other_program_of_this_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let token = bob.form_token("/news").await;
    let back = [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/news//evil.example",
        "/news/../admin",
        "/news/%2e%2e/admin",
        "/newsletter",
        "/news.evil.example",
        "/admin",
        "javascript:alert(1)",
        "/news/\r\nSet-Cookie: x=y",
        "?x",
        "",
    ];
    let have_it = ["/vote", "/language", "/help/answer/", "/roadmap/vote/"];
    for form in world.forms.iter().filter(|form| have_it.iter().any(|it| form.path.contains(it))) {
        for back in back {
            let fields = [&form.fields[..], &[("back", back), ("form_token", &*token)]].concat();
            let location = bob.send(&form.path, &fields).await.location();
            let is_own = location.starts_with("/news/") && !location.contains("//");
            assert!(is_own && !location.contains(".."), "{}: {location} for {back:?}", form.path);
        }
        let fields = [&form.fields[..], &[("back", "/news/p/own?x=1"), ("form_token", &*token)]];
        let location = bob.send(&form.path, &fields.concat()).await.location();
        assert!(location.starts_with("/news/p/own"), "{}: {location}", form.path);
    }
}

#[rstest]
#[tokio::test]
async fn a_form_that_is_sent_many_times_at_once_makes_one_post(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let page = bob.get("/news/b/ideas/new").await;
    let (token, nonce) = (page.form_token(), page.field("nonce").expect("a nonce"));
    let posts = async || world.portal.acme.walk("/feedback-posts/list", json!({}), 100).await.len();
    let before = posts().await;
    let fields =
        [("title", "Buy now"), ("text", "Cheap"), ("form_token", &*token), ("nonce", &*nonce)];
    let answers = join_all((0..16).map(|_| bob.send("/news/b/ideas/new", &fields))).await;
    let locations: BTreeSet<String> = answers.iter().map(Page::location).collect();
    assert_eq!(locations, BTreeSet::from(["/news/p/buy-now?done=posted".to_owned()]));
    assert_eq!(posts().await, before + 1);
    // The form makes no second idea. Another form does.
    let other = [("title", "Buy more"), fields[1], fields[2], fields[3]];
    let page = bob.send("/news/b/ideas/new", &other).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("Buy more"), "{}", page.text);
    assert_eq!(posts().await, before + 1);
    let answer = bob.post("/news/b/ideas/new", &other[..2]).await;
    assert_eq!(answer.location(), "/news/p/buy-more?done=posted");
    assert_eq!(posts().await, before + 2);
}

#[rstest]
#[tokio::test]
async fn a_comment_that_is_sent_many_times_at_once_is_one_comment(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let page = bob.get("/news/p/dark-mode").await;
    let (token, nonce) = (page.form_token(), page.field("nonce").expect("a nonce"));
    let fields = [("text", "Me too"), ("form_token", &*token), ("nonce", &*nonce)];
    let answers = join_all((0..16).map(|_| bob.send("/news/p/dark-mode/comment", &fields))).await;
    let locations: BTreeSet<String> = answers.iter().map(Page::location).collect();
    assert_eq!(locations.len(), 1, "{locations:?}");
    let comments = world.portal.comments().await;
    assert_eq!(comments.iter().filter(|it| it["content"] == "Me too").count(), 1);
}

#[rstest]
#[tokio::test]
async fn sixty_four_votes_of_a_person_at_once_are_one_vote(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let token = bob.form_token("/news").await;
    let fields = [("voted", "yes"), ("form_token", &*token)];
    let answers = join_all((0..64).map(|_| bob.send("/news/p/dark-mode/vote", &fields))).await;
    for answer in answers {
        assert_eq!(answer.location(), "/news/p/dark-mode");
    }
    let posts = world.portal.acme.walk("/feedback-posts/list", json!({}), 100).await;
    let dark = posts.iter().find(|post| post["slug"] == "dark-mode").expect("the post");
    assert_eq!(dark["vote_count"], 1);
    let page = bob.with_headers(&[("Sec-Fetch-Site", "same-origin"), ("X-Fragment", "1")]);
    let fragment = page.send("/news/p/dark-mode/vote", &fields).await;
    assert!(fragment.text.contains("aria-pressed=\"true\""), "{}", fragment.text);
    assert!(!fragment.text.contains("<html"), "{}", fragment.text);
}

#[rstest]
#[tokio::test]
async fn a_form_that_is_too_long_is_answered_by_a_page(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let before = world.records().await;
    let body = format!("text={}", "a".repeat(1024 * 1024));
    for path in ["/news/p/dark-mode/comment", "/news/b/ideas/new", "/news/sign-in"] {
        let page = bob.request(Method::POST, path, Some(body.clone().into_bytes())).await;
        assert_eq!(page.status, 413, "{path}: {}", page.text);
        assert!(page.header("Content-Type").starts_with("text/html"));
        assert!(page.text.contains("This is too long"), "{}", page.text);
    }
    assert_eq!(world.records().await, before);
}

#[rstest]
#[tokio::test]
async fn a_text_of_the_most_characters_fits_in_any_script(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("a", "語", "🎈")] letter: &str,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let text = letter.repeat(65_536);
    let answer = bob.post("/news/p/dark-mode/comment", &[("text", &text)]).await;
    assert!(answer.location().contains("done=commented"));
    let comments = world.portal.comments().await;
    assert!(comments.iter().any(|it| it["content"] == json!(text)));
}

#[rstest]
#[tokio::test]
async fn a_comment_of_a_character_too_many_is_kept_in_its_field_with_the_fault(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let before = world.records().await;
    let text = "é".repeat(65_537);
    let page = bob.post("/news/p/dark-mode/comment", &[("text", &text)]).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains(&format!(
        "aria-invalid=\"true\" aria-describedby=\"text-fault\">{text}</textarea>"
    )));
    assert!(page.text.contains("This is too long"));
    assert_eq!(world.records().await, before);
}

#[rstest]
#[tokio::test]
async fn a_post_with_faults_keeps_what_was_written_and_says_what_is_wrong_at_each_field(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let before = world.records().await;
    let (title, text) = ("é".repeat(513), "ß".repeat(65_537));
    let fields = [("title", &*title), ("text", &*text), ("category", "nothing")];
    let page = bob.post("/news/b/ideas/new", &fields).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains(&format!("value=\"{title}\"")));
    assert!(page.text.contains(&format!("{text}</textarea>")));
    for field in ["title", "text", "category"] {
        assert!(page.text.contains(&format!("href=\"#{field}\"")), "{field}");
    }
    assert_eq!(world.records().await, before);
}

#[rstest]
#[tokio::test]
async fn bytes_that_are_no_text_break_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let token = bob.form_token("/news").await;
    let number = async || bob.number("/news/p/dark-mode/comment").await.expect("a number");
    let comment = async |text: &str| {
        let body = format!("form_token={token}&nonce={}&text={text}", number().await);
        bob.request(Method::POST, "/news/p/dark-mode/comment", Some(body.into_bytes())).await
    };
    for (sent, kept) in [
        ("a%FFb%C3%28", "a\u{fffd}b\u{fffd}("),
        ("no%00thing", "nothing"),
        ("lone%ED%A0%80", "lone\u{fffd}\u{fffd}\u{fffd}"),
        ("100%25&&=&x&%", "100%"),
        ("%3Cscript%3Ealert(1)%3C/script%3E", "<script>alert(1)</script>"),
    ] {
        assert!(comment(sent).await.location().contains("done=commented"), "{sent}");
        let comments = world.portal.comments().await;
        assert!(comments.iter().any(|it| it["content"] == kept), "{sent}: {comments:?}");
    }
    for empty in ["%00", "%20%0D%0A", ""] {
        let page = comment(empty).await;
        assert_eq!(page.status, 200, "{empty}");
        assert!(page.text.contains("Write something first."), "{empty}");
    }
    let fields = format!("form_token={token}&nonce={}&text=", number().await);
    let raw = [fields.as_bytes(), b"raw\xff\xfe\x00"].concat();
    let page = bob.request(Method::POST, "/news/p/dark-mode/comment", Some(raw)).await;
    assert!(page.location().contains("done=commented"));
    let page = bob.get("/news/p/dark-mode").await;
    assert_eq!(page.status, 200);
    assert!(!page.text.contains("<script>alert"), "{}", page.text);
    // The words of other kinds of forms are no fields.
    let page = bob.request(Method::POST, "/news/p/dark-mode/vote", Some(b"{\"voted\":1}".to_vec()));
    assert_eq!(page.await.status, 403);
}

#[rstest]
#[tokio::test]
async fn text_in_addresses_that_is_no_text_breaks_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let visitor = world.portal.browser();
    let bob = world.portal.signed_in(BOB).await;
    let odd =
        ["%00", "%0d%0aSet-Cookie:%20x=y", "%ff", "%E2%80%A8", "%2e%2e%2f", "%", "%zz", "'", "%5c"];
    for odd in odd {
        for path in [
            format!("/news/p/{odd}"),
            format!("/news/p/{odd}/vote"),
            format!("/news/p/{odd}/edit"),
            format!("/news/b/{odd}"),
            format!("/news/b/{odd}/new"),
            format!("/news/b/ideas/similar?title={odd}"),
            format!("/news/u/{odd}"),
            format!("/news/changelog/{odd}"),
            format!("/news/changelog?type={odd}&after={odd}"),
            format!("/news/roadmap/{odd}"),
            format!("/news/help/{odd}"),
            format!("/news/help/{odd}/{odd}"),
            format!("/news/help/a?category={odd}&after={odd}"),
            format!("/news/search?q={odd}"),
            format!("/news/?q={odd}&after={odd}&status={odd}"),
            format!("/news/feeds/{odd}.atom"),
            format!("/news/colors/{odd}.css"),
            format!("/news/assets/{odd}/{odd}"),
            format!("/news/o/{odd}/"),
            format!("/news/sign-in/{odd}"),
            format!("/news/sign-in?return_to={odd}"),
            format!("/news/{odd}"),
        ] {
            for browser in [&visitor, &bob] {
                let page = browser.get(&path).await;
                assert!(page.status < 500, "{path}: {}", page.status);
                assert_eq!(page.cookies(), Vec::<String>::new(), "{path}");
                if page.status == 303 {
                    assert!(page.location().starts_with("/news/"), "{path}");
                }
            }
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_method_that_a_path_does_not_take_is_answered_by_a_page_with_those_that_it_takes(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let (pages, forms, both) = ("GET, HEAD", "POST", "GET, HEAD, POST");
    for (path, allow) in [
        ("/news/", pages),
        ("/news/p/dark-mode", pages),
        ("/news/b/ideas", pages),
        ("/news/roadmap", pages),
        ("/news/changelog", pages),
        ("/news/search", pages),
        ("/news/robots.txt", pages),
        ("/news/feeds/posts.atom", pages),
        ("/news/b/ideas/new", both),
        ("/news/account", both),
        ("/news/sign-in", both),
        ("/news/p/dark-mode/vote", both),
        ("/news/sign-out", forms),
        ("/news/preview", forms),
    ] {
        let others = [Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS];
        let post = (allow == pages).then_some(Method::POST);
        for method in others.into_iter().chain(post) {
            let page = bob.request(method.clone(), path, None).await;
            assert_eq!((page.status, &*page.header("Allow")), (405, allow), "{method} {path}");
            assert!(page.header("Content-Type").starts_with("text/html"), "{method} {path}");
        }
    }
    assert!(bob.is_signed_in().await);
}

const BLOCKED: &str = "The team has blocked this account.";

async fn block(world: &World, email: &str) {
    let user = world.portal.members(email).await.expect(200)["user_id"].clone();
    world.portal.acme.post("/users/block", json!({"user_id": user})).await.expect(200);
}

#[rstest]
#[tokio::test]
async fn a_blocked_person_is_signed_out_and_writes_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    block(&world, BOB).await;
    let before = world.records().await;
    let is_writing = |form: &&Form| {
        let ends = ["/vote", "/new", "/comment", "/own/edit"];
        ends.iter().any(|end| form.path.ends_with(end))
            || form.path.contains("/roadmap/vote/")
            || form.path.contains("/c/") && !form.path.ends_with("/delete")
    };
    let forms: Vec<&Form> = world.forms.iter().filter(is_writing).collect();
    assert_eq!(forms.len(), 6);
    for form in forms {
        let page = bob.post(&form.path, &form.fields).await;
        let is_sent_away = page.status == 303 && page.location().contains("/sign-in");
        assert!(is_sent_away || page.status == 403, "{}: {}", form.path, page.text);
    }
    assert_eq!(world.records().await, before);
    assert!(!bob.is_signed_in().await);
    // The page says so after the right code alone.
    let (_, letter) = world.portal.ask(&bob, BOB).await;
    let wrong =
        [("code", if letter.code == "000000" { "000001" } else { "000000" }), ("email", BOB)];
    assert!(!bob.post("/news/sign-in/code", &wrong).await.text.contains(BLOCKED));
    let right = [("code", &*letter.code), ("email", BOB)];
    let page = bob.post("/news/sign-in/code", &right).await;
    assert!(page.status == 403 && page.text.contains(BLOCKED), "{}", page.text);
    assert!(!bob.is_signed_in().await);
    let bobs = world.portal.members(BOB).await.expect(200)["user_id"].clone();
    world.portal.acme.post("/users/unblock", json!({"user_id": bobs})).await.expect(200);
    world.portal.signed_in(BOB).await;
}

#[rstest]
#[tokio::test]
async fn a_reply_stands_below_a_comment_of_the_same_post_that_its_author_sees(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let open = acme.post(json!({"slug": "open"}));
    let other = acme.post(json!({"slug": "other"}));
    let seen = acme.comment(&open, json!({}));
    let elsewhere = acme.comment(&other, json!({}));
    let internal = acme.comment(&open, json!({"visibility_code": "internal"}));
    let waits = acme.comment(&open, json!({"moderation_status_code": "pending"}));
    let portal = Portal::new(store, acme).await;
    let bob = portal.signed_in(BOB).await;
    let reply = async |parent: &str| {
        bob.post("/news/p/open/comment", &[("text", "A reply"), ("parent", parent)]).await
    };
    for parent in [&elsewhere, &internal, &waits, "0193e8b0-0000-7000-8000-000000000000"] {
        let status = reply(parent).await.status;
        assert!(matches!(status, 403 | 404), "{status}");
    }
    let comments = portal.comments().await;
    assert!(comments.iter().all(|comment| comment["content"] != "A reply"));
    assert_eq!(reply(&seen).await.status, 303);
}

#[rstest]
#[tokio::test]
async fn a_browser_at_another_host_sends_no_form_of_this_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let world = World::new(store).await;
    let bob = world.portal.signed_in(BOB).await;
    let token = bob.form_token("/news").await;
    let before = world.records().await;
    let moved = Browser { host: "evil.example".to_owned(), ..bob.copy() };
    for form in &world.forms {
        let fields = [&form.fields[..], &[("form_token", &*token)]].concat();
        let path = form.path.strip_prefix("/news").expect("a path of the portal");
        assert_eq!(moved.send(path, &fields).await.status, 404, "{path}");
    }
    assert_eq!(world.records().await, before);
    assert_eq!(bob.host, HOST);
}
