//! Hosts, organizations, and portals for those who have signed in.

use super::{Browser, HOST, Page, Portal};
use crate::support::{Draft, Organization, Store, eventually};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};

const GLOBEX: &str = "ideas.globex.example";
const ADA: &str = "ada@example.com";

/// An organization of which each text has a word that no other one has.
fn draft(word: &str, settings: Value) -> Draft {
    let mut draft = Draft::with(json!({"name": format!("{word} Inc"), "portal": settings}));
    draft.status(json!({"is_default_status": true, "name": format!("{word} status")}));
    let board = draft.board(json!({"slug": "ideas", "name": format!("{word} board"),
        "description": format!("{word} description")}));
    let author = draft.user(json!({"name": format!("{word} author")}));
    let post = json!({"slug": word, "title": format!("{word} title"), "author_id": author,
        "description": format!("{word} text"), "board_id": board});
    let post = draft.post(post);
    draft.comment(&post, json!({"content": format!("{word} comment"), "author_id": author}));
    draft.category(json!({"name": format!("{word} category")}));
    draft.tag(json!({"name": format!("{word} tag")}));
    let plan = draft.roadmap_post(json!({"title": format!("{word} plan")}));
    draft.link(&plan, &post);
    draft.entry(json!({"slug": word, "title": format!("{word} entry"),
        "status_code": "published", "published_at": "2026-01-04"}));
    let shelf = draft.collection(json!({"slug": word, "name": format!("{word} shelf")}));
    draft.article(json!({"slug": word, "title": format!("{word} article"),
        "collection_id": shelf, "status_code": "published", "published_at": "2026-01-04"}));
    draft
}

/// All pages with data of [`draft`].
fn pages(word: &str) -> Vec<String> {
    let named = ["/p/", "/changelog/", "/help/", "/search?q=", "/?q=", "/b/ideas/similar?title="];
    let named = named.iter().map(|start| format!("{start}{word}"));
    let others = [
        "/",
        "/b/ideas",
        "/b/ideas/new",
        "/roadmap",
        "/changelog",
        "/help",
        "/feeds/posts.atom",
        "/feeds/posts.json",
        "/feeds/ideas.atom",
        "/feeds/changelog.atom",
        "/feeds/changelog.json",
        "/sitemap-posts.xml",
        "/sitemap-entries.xml",
        "/sitemap-articles.xml",
    ];
    let article = format!("/help/{word}/{word}");
    others.map(str::to_owned).into_iter().chain(named).chain([article]).collect()
}

async fn two(store: Store) -> (Portal, Organization) {
    let portal = Portal::new(store, draft("acmeword", json!({}))).await;
    let globex = portal.another(draft("globexword", json!({"host": GLOBEX}))).await;
    (portal, globex)
}

#[rstest]
#[tokio::test]
async fn a_host_that_nobody_has_is_answered_without_the_name_of_anybody(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, globex) = two(store).await;
    let [acme, globex] = [portal.acme.slug(), globex.slug()];
    for host in [
        "evil.example",
        "feedback.example.evil.example",
        "xfeedback.example",
        "feedback.example.",
        "127.0.0.1",
        "localhost:8080",
        "[::1]",
        "x.ideas.globex.example",
        "%",
        "feedback.example@evil.example",
        "feedback.example:x",
    ] {
        let browser = portal.browser_at(host);
        let paths = [&pages("acmeword")[..], &["/sign-in".to_owned(), "/account".to_owned()]];
        let slugs = [format!("/o/{acme}/"), format!("/o/{globex}/"), "/robots.txt".to_owned()];
        for path in paths.concat().iter().chain(&slugs) {
            for method in [Method::GET, Method::POST] {
                let page = browser.request(method, path, None).await;
                assert_eq!((page.status, page.cookies()), (404, vec![]), "{host} {path}");
                assert_eq!(page.header("Content-Type"), "application/json");
                assert_eq!(page.text, r#"{"detail":{"error":"not found"}}"#, "{host} {path}");
            }
        }
        // Those who watch the service come by its address.
        assert_eq!(browser.get("/healthz").await.status, 200, "{host}");
    }
}

#[rstest]
#[tokio::test]
async fn what_a_proxy_is_told_of_a_host_counts_for_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, _) = two(store).await;
    for header in ["X-Forwarded-Host", "X-Host", "Forwarded", "X-Original-Host", "X-Original-URL"] {
        let value = if header == "Forwarded" { "host=ideas.globex.example" } else { GLOBEX };
        let mut headers = super::SAME_ORIGIN.to_vec();
        headers.push((header, value));
        let browser = Browser { headers, ..portal.browser() };
        let page = browser.get("/news/").await;
        assert!(page.text.contains("acmeword title") && !page.text.contains("globex"), "{header}");
    }
}

/// Asks for all pages. Those of the first word show it, and none shows the second one.
async fn assert_shows(browser: &Browser, base: &str, own: &str, other: &str) {
    for path in pages(own) {
        let page = browser.get(&format!("{base}{path}")).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        assert!(page.text.contains(own), "{path}: {}", page.text);
        assert!(!page.text.contains(other), "{path}: {}", page.text);
    }
    let own_pages = pages(own);
    for path in pages(other).into_iter().filter(|path| !own_pages.contains(path)) {
        let page = browser.get(&format!("{base}{path}")).await;
        // A search shows the word that was sought.
        let shown = page.text.replace(&format!("value=\"{other}\""), "").replace(&path, "");
        let shown = shown.replace(&format!("q={other}"), "");
        let shown =
            shown.replace(&path.replace('?', "%3F").replace('/', "%2F").replace('=', "%3D"), "");
        assert!(!shown.contains(other), "{path}: {}", page.text);
        assert!(matches!(page.status, 200 | 404), "{path}");
        assert_eq!(page.status == 200, path.contains('?'), "{path}");
    }
}

#[rstest]
#[tokio::test]
async fn each_host_shows_the_organization_of_its_own_and_nothing_of_another(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, globex) = two(store).await;
    let base = format!("/news/o/{}", globex.slug());
    // Twice: what is kept of the one is not shown to the other.
    for _ in 0..2 {
        assert_shows(&portal.browser(), "/news", "acmeword", "globexword").await;
        assert_shows(&portal.browser_at(GLOBEX), "", "globexword", "acmeword").await;
        assert_shows(&portal.browser(), &base, "globexword", "acmeword").await;
    }
    let of_acme = format!("/news/o/{}", portal.acme.slug());
    assert_shows(&portal.browser(), &of_acme, "acmeword", "globexword").await;
}

#[rstest]
#[tokio::test]
async fn a_host_is_read_as_browsers_write_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, _) = two(store).await;
    for (host, word) in [
        ("Feedback.Example", "acmeword"),
        ("feedback.example:443", "acmeword"),
        ("IDEAS.globex.example", "globexword"),
        ("ideas.globex.example:8443", "globexword"),
    ] {
        let page = portal.browser_at(host).get("/").await;
        assert_eq!(page.status, 200, "{host}");
        assert!(page.text.contains(&format!("{word} title")), "{host}");
    }
}

#[rstest]
#[tokio::test]
async fn a_host_of_an_organization_has_no_other_organizations_below_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, globex) = two(store).await;
    for slug in [portal.acme.slug(), globex.slug(), "nobody"] {
        for path in ["", "/", "/p/acmeword", "/p/globexword", "/sign-in", "/robots.txt"] {
            let page = portal.browser_at(GLOBEX).get(&format!("/o/{slug}{path}")).await;
            assert_eq!(page.status, 404, "{slug}{path}");
            assert!(!page.text.contains("acmeword") && !page.text.contains("globexword"));
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_host_is_given_moved_and_taken_away(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, globex) = two(store).await;
    let (acme, globex) = (portal.acme.slug().to_owned(), globex.slug().to_owned());
    let status = async |host: &str| portal.browser_at(host).get("/p/globexword").await.status;
    assert_eq!(status(GLOBEX).await, 200);
    portal.set(&globex, &["--host", "new.globex.example"]).await;
    assert_eq!((status(GLOBEX).await, status("new.globex.example").await), (404, 200));
    portal.set(&acme, &["--host", GLOBEX]).await;
    let page = portal.browser_at(GLOBEX).get("/").await;
    assert!(page.text.contains("acmeword title") && !page.text.contains("globexword"));
    portal.set(&globex, &["--host", ""]).await;
    assert_eq!(status("new.globex.example").await, 404);
}

#[rstest]
#[tokio::test]
async fn the_addresses_in_a_page_are_those_of_its_site(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, globex) = two(store).await;
    let base = format!("/news/o/{}", globex.slug());
    let sites = [
        (portal.browser(), "/news", "https://feedback.example", "acmeword"),
        (portal.browser(), &*base, "https://feedback.example", "globexword"),
        (portal.browser_at(GLOBEX), "", "https://ideas.globex.example", "globexword"),
    ];
    for (browser, base, origin, word) in &sites {
        for path in pages(word) {
            let page = browser.get(&format!("{base}{path}")).await;
            for attribute in ["href=\"", "action=\"", "src=\"", "name=\"back\" value=\""] {
                for part in page.text.split(attribute).skip(1) {
                    let address = part.split('"').next().expect("an end");
                    let inner = address.strip_prefix(origin).unwrap_or(address);
                    let is_own = inner.starts_with(&format!("{base}/"))
                        && !inner[base.len()..].starts_with("/news");
                    assert!(is_own || address.starts_with('#'), "{path}: {attribute}{address}");
                }
            }
            let absolute: Vec<&str> = page.text.split("https://").skip(1).collect();
            for part in absolute {
                let is_known = ["schema.org", "jsonfeed.org"].iter().any(|it| part.starts_with(it));
                let own = format!("{}{base}/", &origin["https://".len()..]);
                assert!(
                    is_known || part.starts_with(&own),
                    "{path}: {}",
                    &part[..40.min(part.len())]
                );
            }
            assert!(!page.text.contains("127.0.0.1"), "{path}");
        }
    }
}

#[rstest]
#[tokio::test]
async fn people_sign_in_at_the_host_of_their_organization(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, globex) = two(store).await;
    let browser = portal.browser_at(GLOBEX);
    browser.post("/sign-in", &[("email", ADA), ("return_to", "/p/globexword")]).await;
    let start = format!("https://{GLOBEX}/sign-in/");
    let token = eventually("a mail is written", async || {
        let mail = portal.installation.mails().into_iter().next()?;
        let text = mail.text.replace("=\r\n", "");
        let (_, rest) = text.split_once(&start)?;
        rest.split_whitespace().next().map(str::to_owned)
    })
    .await;
    let answer = browser.post(&format!("/sign-in/{token}"), &[]).await;
    assert_eq!(answer.location(), "/p/globexword?done=signed-in");
    assert!(browser.is_signed_in_at("").await);
    let user = globex.post("/users/retrieve", json!({"email": ADA})).await.expect(200);
    assert_eq!(user["portal_role"], "end_user");
    assert_eq!(portal.members(ADA).await.status, 404);
    let invitation =
        ["member", "invite", "--organization", globex.slug(), "--email", ADA, "--role", "admin"];
    assert!(portal.installation.command(&invitation).await.starts_with(&start));
}

#[rstest]
#[tokio::test]
async fn an_organization_that_there_is_not_is_answered_as_any_other_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, globex) = two(store).await;
    let browser = portal.browser();
    let slug = globex.slug().to_owned();
    assert_eq!(browser.get(&format!("/news/o/{slug}")).await.status, 200);
    for other in ["nobody", "..", "", "%00", "%2e%2e", "x/y", &format!("{slug}x")] {
        let page = browser.get(&format!("/news/o/{other}/p/globexword")).await;
        assert_eq!(page.status, 404, "{other}");
        assert!(!page.text.contains("globexword"), "{other}: {}", page.text);
    }
}

#[rstest]
#[tokio::test]
async fn a_private_portal_shows_nothing_but_its_name_to_those_who_have_not_signed_in(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let settings = json!({"is_private": true, "welcome_title": "acmeword welcome",
        "welcome_text": "acmeword greeting"});
    let portal = Portal::new(store, draft("acmeword", settings)).await;
    let visitor = portal.browser();
    let others = ["/account", "/u/x", "/p/nothing", "/nothing", "/b/nothing", "/help/a/b/c"];
    let others = others.map(str::to_owned);
    for path in pages("acmeword").iter().chain(&others) {
        for accept in ["text/html", "*/*"] {
            let browser = visitor.with_headers(&[]);
            let browser = Browser {
                headers: vec![("Accept", if accept == "*/*" { "*/*" } else { "text/html" })],
                ..browser
            };
            let page = browser.get(&format!("/news{path}")).await;
            let to = page.location();
            assert!(to.starts_with("/news/sign-in?return_to=%2Fnews%2F"), "{path}: {to}");
            assert_eq!(page.text, "", "{path}");
        }
    }
    for path in ["/p/acmeword/vote", "/b/ideas/new", "/p/acmeword/comment", "/preview", "/account"]
    {
        let page = visitor.post(&format!("/news{path}"), &[("title", "x"), ("text", "x")]).await;
        assert!(page.location().starts_with("/news/sign-in?return_to="), "{path}");
    }
    let sign_in = visitor.get("/news/sign-in?return_to=%2Fnews%2Fp%2Facmeword").await;
    let link = visitor.get("/news/sign-in/x").await;
    let (mailed, letter) = portal.ask(&visitor, ADA).await;
    for page in [&sign_in, &link, &mailed] {
        let shown = page.text.replace("/news/p/acmeword", "");
        let shown = shown.replace("acmeword Inc", "").replace("2Facmeword", "");
        assert!(!shown.contains("acmeword") && !shown.contains("ideas"), "{shown}");
        assert!(page.text.contains("noindex"), "{}", page.text);
    }
    let robots = visitor.get("/news/robots.txt").await;
    assert_eq!((robots.status, &*robots.text), (200, "User-agent: *\nDisallow: /\n"));
    for part in sign_in.text.split("href=\"/news/").skip(1) {
        let path = part.split('"').next().expect("an end");
        if path.starts_with("assets/") || path.starts_with("colors/") {
            let file = visitor.get(&format!("/news/{path}")).await;
            assert_eq!(file.status, 200, "{path}");
            assert!(!file.text.contains("acmeword"), "{path}: {}", file.text);
        }
    }
    // And all of it to those who have.
    assert_eq!(visitor.post(&letter.link, &[]).await.status, 303);
    for path in pages("acmeword").iter().filter(|path| !path.starts_with("/sitemap-")) {
        let page = visitor.get(&format!("/news{path}")).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.text.contains("acmeword"), "{path}");
    }
    assert_eq!(visitor.get("/news/sitemap.xml").await.status, 404);
}

#[rstest]
#[tokio::test]
async fn a_portal_that_becomes_private_closes_within_a_second(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, draft("acmeword", json!({}))).await;
    let visitor = portal.browser();
    let page = visitor.get("/news/p/acmeword").await;
    let tag = page.header("ETag");
    let slug = portal.acme.slug().to_owned();
    portal.set(&slug, &["--private", "on"]).await;
    let again = visitor.copy();
    let browser = Browser { headers: vec![("Accept", "text/html")], ..again };
    let request = browser.client.get(browser.url("/news/p/acmeword")).header("Host", HOST);
    let answer = request.header("If-None-Match", tag).send().await.expect("an answer");
    assert_eq!(answer.status(), 303);
}

#[rstest]
#[tokio::test]
async fn a_part_that_is_off_has_no_page_no_form_no_feed_and_no_place_in_the_search(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("feedback", "roadmap", "changelog", "help")] part: &str,
) {
    let mut acme = draft("acmeword", json!({format!("shows_{part}"): false}));
    let author = acme.user(json!({"email": ADA}));
    let board = acme.board(json!({"slug": "own"}));
    acme.post(json!({"slug": "mine", "author_id": author, "board_id": board}));
    let plan = acme.roadmap_post(json!({}));
    let article = acme.article(json!({"status_code": "published", "published_at": "2026-01-04"}));
    let portal = Portal::new(store, acme).await;
    let ada = portal.signed_in(ADA).await;
    let vote = format!("/roadmap/vote/{plan}");
    let answer = format!("/help/answer/{article}");
    let (pages, forms): (&[&str], &[&str]) = match part {
        "feedback" => (
            &[
                "/b/ideas",
                "/b/ideas/new",
                "/p/acmeword",
                "/b/ideas/similar?title=acmeword",
                "/feeds/posts.atom",
                "/feeds/ideas.json",
                "/p/mine/edit",
                "/p/mine/delete",
            ],
            &[
                "/b/ideas/new",
                "/p/acmeword/vote",
                "/p/acmeword/comment",
                "/p/acmeword/follow",
                "/p/mine/edit",
                "/p/mine/delete",
            ],
        ),
        "roadmap" => (&["/roadmap"], &[&vote]),
        "changelog" => (
            &["/changelog", "/changelog/acmeword", "/feeds/changelog.atom"],
            &["/changelog/follow"],
        ),
        _ => (
            &["/help", "/help/acmeword", "/help/acmeword/acmeword", "/help?q=acmeword"],
            &[&answer],
        ),
    };
    let before = portal.acme.export().await;
    for path in pages {
        assert_eq!(ada.get(&format!("/news{path}")).await.status, 404, "{path}");
    }
    for path in forms {
        let fields = [("title", "x"), ("text", "x"), ("level", "all"), ("helpful", "yes")];
        assert_eq!(ada.post(&format!("/news{path}"), &fields).await.status, 404, "{path}");
    }
    assert_eq!(portal.acme.export().await, before);
    let word = match part {
        "feedback" => "acmeword title",
        "roadmap" => "acmeword plan",
        "changelog" => "acmeword entry",
        _ => "acmeword article",
    };
    let user = portal.members(ADA).await.expect(200)["user_id"].clone();
    let profile = format!("/u/{}", user.as_str().expect("an id"));
    for path in ["/search?q=acmeword", "/sitemap.xml", "/search?q=title", "/account", &profile] {
        let page = ada.get(&format!("/news{path}")).await;
        assert_eq!(page.status, 200);
        assert!(part != "feedback" || !page.text.contains("/news/p/"), "{path}: {}", page.text);
        assert!(!page.text.contains(word), "{path}: {}", page.text);
        let path = if part == "feedback" { "/b/" } else { part };
        assert!(!page.text.contains(&format!("/news/{path}")), "{path}: {}", page.text);
    }
}

#[rstest]
#[tokio::test]
async fn a_portal_that_is_not_listed_says_so_on_each_page(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, draft("acmeword", json!({"is_indexed": false}))).await;
    let visitor = portal.browser();
    for path in pages("acmeword").iter().filter(|path| !path.contains("similar")) {
        let page: Page = visitor.get(&format!("/news{path}")).await;
        match &**path {
            path if path.starts_with("/sitemap-") => assert_eq!(page.status, 404),
            _ => assert_eq!(page.header("X-Robots-Tag"), "noindex", "{path}"),
        }
    }
    assert_eq!(visitor.get("/news/robots.txt").await.text, "User-agent: *\nDisallow: /\n");
}
