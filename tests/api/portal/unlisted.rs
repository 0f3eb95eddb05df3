//! Records that are there and that the public does not see yet, or not any more: drafts, entries for
//! later, articles beside the portal, and texts that wait for moderation.

use super::{Browser, Page, Portal};
use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::{Value, json};

const EVE: &str = "eve@example.com";

/// The JSON-LD of a page. `None` if it has none.
fn json_ld(page: &Page) -> Option<Value> {
    let (_, rest) = page.text.split_once("<script type=\"application/ld+json\">")?;
    let (data, _) = rest.split_once("</script>").expect("an end");
    Some(serde_json::from_str(data).expect("JSON"))
}

/// Entries and articles in each state. Those that the public sees have the word `quokka`, all
/// others `zanzibar`.
async fn drafts(store: Store) -> (Portal, Vec<String>) {
    let mut acme = Draft::new();
    acme.board(json!({"slug": "ideas"}));
    let out = json!({"status_code": "published", "published_at": "2026-01-04"});
    let hidden = json!({"status_code": "published", "published_at": "2026-01-04",
        "show_on_portal": false});
    let draft = json!({"status_code": "draft"});
    let later = json!({"status_code": "scheduled", "scheduled_at": "2999-01-01"});
    let mut addresses = Vec::new();
    let with = |state: &Value, name: &str, members: Value| {
        let word = if state == &out { "quokka" } else { "zanzibar" };
        let slug = format!("{word}-{name}");
        let mut all = json!({"slug": slug, "title": format!("{word} {name}"),
            "content": format!("The text of {word}")});
        for more in [state, &members] {
            let more = more.as_object().expect("an object").clone();
            all.as_object_mut().expect("an object").extend(more);
        }
        (all, slug)
    };
    for (state, name) in [(&out, "out"), (&hidden, "hid"), (&draft, "draft"), (&later, "later")] {
        let (entry, slug) = with(state, name, json!({}));
        acme.entry(entry);
        addresses.push(format!("/changelog/{slug}"));
    }
    let shelf = acme.collection(json!({"slug": "shelf"}));
    let guide = acme.help_category(json!({"slug": "guide", "collection_id": shelf}));
    let mut related = Vec::new();
    for (place, (state, name)) in
        [(&out, "first"), (&hidden, "hid"), (&draft, "draft"), (&out, "last")].iter().enumerate()
    {
        let members = json!({"category_id": guide, "seq_number": format!("{}.0000", place + 1),
            "related_article_ids": related.clone()});
        let (article, slug) = with(state, name, members);
        related.push(acme.article(article));
        addresses.push(format!("/help/shelf/guide/{slug}"));
    }
    (Portal::new(store, acme).await, addresses)
}

#[rstest]
#[tokio::test]
async fn what_is_not_published_is_on_no_page_and_in_no_list(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, addresses) = drafts(store).await;
    let member = portal.member("team@example.com", "owner").await;
    for browser in [&portal.browser(), &portal.signed_in(EVE).await, &member] {
        for path in [
            "/changelog",
            "/search?q=text",
            "/feeds/changelog.atom",
            "/feeds/changelog.json",
            "/sitemap-entries.xml",
            "/sitemap-articles.xml",
            "/help/shelf",
            "/help/shelf?category=guide",
            "/help?q=text",
            // Those beside it are the first one and the last one, and so are the related ones.
            "/help/shelf/guide/quokka-first",
            "/help/shelf/guide/quokka-last",
            "/changelog/quokka-out",
        ] {
            let page = browser.get(&format!("/news{path}")).await;
            assert_eq!(page.status, 200, "{path}");
            assert!(page.text.contains("quokka"), "{path}: {}", page.text);
            assert!(!page.text.contains("zanzibar"), "{path}: {}", page.text);
        }
        for path in &addresses {
            let page = browser.get(&format!("/news{path}")).await;
            if path.contains("quokka") {
                assert_eq!(page.status, 200, "{path}");
                continue;
            }
            let nothing = path.replace("zanzibar", "zanzibat");
            let nothing = browser.get(&format!("/news{nothing}")).await;
            assert_eq!(page.seen("", ""), nothing.seen("zanzibat", "zanzibar"), "{path}");
            assert_eq!(page.status, 404, "{path}");
        }
    }
    let [first, last] =
        ["first", "last"].map(|name| format!("/news/help/shelf/guide/quokka-{name}"));
    let page = portal.browser().get(&first).await;
    assert!(page.text.contains(&format!("rel=\"next\" href=\"{last}\"")), "{}", page.text);
    let page = portal.browser().get(&last).await;
    assert!(page.text.contains(&format!("rel=\"prev\" href=\"{first}\"")), "{}", page.text);
    let (_, related) = page.text.split_once("id=\"related\"").expect("related articles");
    assert!(related.contains(&first), "{related}");
}

#[rstest]
#[tokio::test]
async fn the_former_address_of_a_draft_says_no_more_than_its_present_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, addresses) = drafts(store).await;
    let secret = |path: &str| path.contains("zanzibar");
    let records = portal.acme.export().await;
    for record in records.iter().filter(|it| secret(it["slug"].as_str().unwrap_or_default())) {
        let (path, id) = match record["kind"].as_str() {
            Some("changelog_entry") => ("/changelog/update", "entry_id"),
            _ => ("/help-articles/update", "article_id"),
        };
        let slug = format!("renamed-{}", record["slug"].as_str().expect("a slug"));
        portal.acme.post(path, json!({id: record["id"], "slug": slug})).await.expect(200);
    }
    for path in addresses.iter().filter(|path| secret(path)) {
        let page = portal.browser().get(&format!("/news{path}")).await;
        assert_eq!((page.status, page.header("Location")), (404, String::new()), "{path}");
        assert!(!page.text.contains("renamed"), "{path}");
    }
}

/// A portal with posts and comments that wait, one of which is pinned. Their texts have the word
/// `zanzibar`. Returns the identifier of their author.
async fn waiting(store: Store) -> (Portal, String) {
    let mut acme = Draft::new();
    acme.status(json!({"is_default_status": true}));
    let board = acme.board(json!({"slug": "ideas"}));
    let author = acme.user(json!({"email": "ada@example.com"}));
    let open = acme.post(json!({"board_id": board, "slug": "open"}));
    let pending = |members: Value| {
        let mut all = json!({"author_id": author, "moderation_status_code": "pending"});
        let members = members.as_object().expect("an object").clone();
        all.as_object_mut().expect("an object").extend(members);
        all
    };
    let post = |more: Value| {
        let mut all = pending(json!({"board_id": board, "title": "zanzibar title",
            "description": "zanzibar text"}));
        let more = more.as_object().expect("an object").clone();
        all.as_object_mut().expect("an object").extend(more);
        all
    };
    acme.post(post(json!({"slug": "zanzibar-title"})));
    acme.post(post(json!({"slug": "zanzibar-merged", "merged_into_id": open})));
    acme.comment(&open, pending(json!({"content": "zanzibar reply"})));
    acme.comment(&open, pending(json!({"content": "zanzibar update", "is_pinned": true})));
    acme.comment(&open, json!({"content": "quokka reply"}));
    let plan = acme.roadmap_post(json!({}));
    acme.link(&plan, &open);
    let eve = acme.user(json!({"email": EVE}));
    acme.subscription(&eve, &open);
    (Portal::new(store, acme).await, author)
}

#[rstest]
#[tokio::test]
async fn what_waits_is_in_no_json_ld_and_on_no_page_of_others(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, author) = waiting(store).await;
    let ada = portal.signed_in("ada@example.com").await;
    let member = portal.member("team@example.com", "viewer").await;
    let eve = portal.signed_in(EVE).await;
    let visitor = portal.browser();

    // Those who may read a post that waits get no JSON-LD of it.
    for browser in [&ada, &member] {
        let page = browser.get("/news/p/zanzibar-title").await;
        assert!(page.status == 200 && page.text.contains("zanzibar text"), "{}", page.text);
        assert_eq!(json_ld(&page), None);
    }
    // The JSON-LD of a public post counts the comments that the public sees.
    let page = visitor.get("/news/p/open").await;
    let question = json_ld(&page).expect("JSON-LD")["mainEntity"].take();
    assert_eq!(question["answerCount"], 1);
    assert_eq!(question["acceptedAnswer"], Value::Null);
    let answers = question["suggestedAnswer"].as_array().expect("answers");
    assert!(answers.len() == 1 && answers[0]["text"] == "quokka reply", "{answers:?}");
    for browser in [&ada, &member, &eve] {
        let page = browser.get("/news/p/open").await;
        let data = json_ld(&page).map_or_else(String::new, |data| data.to_string());
        assert!(!data.contains("zanzibar"), "{data}");
    }

    // The author has it in front of them, and nobody else has.
    let own = ada.get("/news/p/open").await;
    assert!(own.text.contains("zanzibar update") && own.text.contains("zanzibar reply"));
    for browser in [&eve, &visitor] {
        for path in ["/p/open", &format!("/u/{author}"), "/roadmap", "/changelog", "/sitemap.xml"] {
            let page = browser.get(&format!("/news{path}")).await;
            assert_eq!(page.status, 200, "{path}");
            assert!(!page.text.contains("zanzibar"), "{path}: {}", page.text);
        }
        assert_eq!(browser.get("/news/p/zanzibar-merged").await.status, 404);
    }
    let notices = eve.get("/news/notifications").await;
    assert!(notices.status == 200 && !notices.text.contains("zanzibar"), "{}", notices.text);
}

#[rstest]
#[tokio::test]
async fn the_team_finds_what_waits_at_its_address_and_in_no_list_of_the_portal(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, author) = waiting(store).await;
    let member = portal.member("team@example.com", "viewer").await;
    let found = async |browser: &Browser, path: &str| {
        let page = browser.get(&format!("/news{path}")).await;
        page.text.contains("zanzibar title")
    };
    let profile = format!("/u/{author}");
    for path in ["/", "/b/ideas", "/?sort=new", "/feeds/posts.json", "/search?q=title", &profile] {
        assert!(!found(&member, path).await, "{path}");
    }
    assert!(found(&member, "/p/zanzibar-title").await);
}
