//! The parts of the dashboard beside its lists: the way to it, badges, the first steps, the help
//! center, and texts before they are saved.

use super::{Browser, Draft, Portal};
use crate::support::{Store, eventually};
use rstest::rstest;
use serde_json::{Value, json};

/// A text without the marks around the values in it.
fn said(text: &str) -> String {
    text.replace(['\u{2068}', '\u{2069}'], "")
}

/// The entry of the menu that leads to a page.
async fn entry(browser: &Browser, path: &str) -> String {
    let page = browser.get("/news/dashboard").await;
    let (_, rest) = page.text.split_once(&format!("href=\"{path}\"")).expect("an entry");
    said(rest.split("</a>").next().expect("an end"))
}

/// The steps of the guide: whether each is done.
async fn steps(browser: &Browser) -> Vec<bool> {
    let page = browser.get("/news/dashboard").await;
    let Some((_, guide)) = page.text.split_once("id=\"guide\"") else { return Vec::new() };
    let guide = guide.split("</section>").next().expect("an end");
    guide.split("<li").skip(1).map(|step| step.starts_with(" class=\"done\"")).collect()
}

#[rstest]
#[tokio::test]
async fn the_portal_leads_the_team_alone_to_the_dashboard(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    draft.board(json!({"name": "Ideas"}));
    draft.user(json!({"email": "eve@example.com", "name": "Eve"}));
    let portal = Portal::new(store, draft).await;
    let link = "href=\"/news/dashboard\"";
    let viewer = portal.member("vera@example.com", "viewer").await;
    let eve = portal.signed_in("eve@example.com").await;
    for path in ["/news", "/news/changelog", "/news/account"] {
        assert!(viewer.get(path).await.text.contains(link), "{path}");
        assert!(!eve.get(path).await.text.contains(link), "{path}");
        assert!(!portal.browser().get(path).await.text.contains(link), "{path}");
    }
    assert!(viewer.get("/news/dashboard").await.text.contains("href=\"/news/\""));
}

#[rstest]
#[tokio::test]
async fn the_menu_counts_what_waits_and_what_fails(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let board = draft.board(json!({}));
    let post = draft.post(json!({"board_id": board, "moderation_status_code": "pending"}));
    let other = draft.post(json!({"board_id": board}));
    draft.comment(&other, json!({"moderation_status_code": "pending"}));
    draft.receiver();
    let portal = Portal::new(store, draft).await;
    let member = portal.member("bob@example.com", "member").await;
    let waits = entry(&member, "/news/dashboard/moderation").await;
    assert!(waits.contains(">2<") && waits.contains("2 wait"), "{waits}");
    let item = format!("post:{post}");
    let fields = [("item", &*item), ("decision", "accepted")];
    assert_eq!(member.post("/news/dashboard/moderation", &fields).await.status, 303);
    let waits = entry(&member, "/news/dashboard/moderation").await;
    assert!(waits.contains("1 waits"), "{waits}");
    // The receiver is nowhere.
    eventually("the webhook fails", async || {
        let fails = entry(&member, "/news/dashboard/webhooks").await;
        fails.contains("1 fails").then_some(())
    })
    .await;
}

#[rstest]
#[tokio::test]
async fn a_new_organization_is_shown_its_first_steps_until_they_are_done(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let board = draft.board(json!({}));
    draft.status(json!({"is_default_status": true}));
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    // The first one is an import, until there is a post.
    assert_eq!(steps(&owner).await, [false, true, false, false, false]);
    let inbox = owner.get("/news/dashboard").await.text;
    assert!(inbox.contains(r#"<a href="/news/dashboard/data">Bring along"#), "{inbox}");
    assert_eq!(owner.get("/news/dashboard?sort=votes").await.status, 200);

    let fields =
        [("board_id", &*board), ("title", "Dark mode"), ("author_email", "eve@example.com")];
    let made = owner.post("/news/dashboard/do/feedback-posts/create", &fields).await;
    assert_eq!(made.status, 303, "{}", made.text);
    assert_eq!(steps(&owner).await, [true, false, true, false]);
    let invite = [("act", "invite"), ("email", "bob@example.com"), ("role", "member")];
    assert_eq!(owner.post("/news/dashboard/members", &invite).await.status, 200);
    assert_eq!(steps(&owner).await, [true, false, true, true]);
    let look = [("accent", "#0f766e"), ("theme", "auto"), ("shows_feedback", "yes")];
    let saved = owner.post("/news/dashboard/organization", &look).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    eventually("the look is known", async || steps(&owner).await.is_empty().then_some(())).await;
    // A viewer may do none of them.
    let viewer = portal.member("vera@example.com", "viewer").await;
    assert_eq!(steps(&viewer).await, Vec::<bool>::new());
}

#[rstest]
#[tokio::test]
async fn an_organization_with_some_posts_needs_no_guide(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let board = draft.board(json!({}));
    draft.status(json!({"is_default_status": true}));
    for _ in 0..4 {
        draft.post(json!({"board_id": board}));
    }
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    assert_eq!(steps(&owner).await.len(), 4);
    let fields =
        [("board_id", &*board), ("title", "Night theme"), ("author_email", "eve@example.com")];
    let made = owner.post("/news/dashboard/do/feedback-posts/create", &fields).await;
    assert_eq!(made.status, 303, "{}", made.text);
    assert_eq!(steps(&owner).await, Vec::<bool>::new());
}

#[rstest]
#[tokio::test]
async fn the_help_center_is_a_tree_in_which_records_move(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let collection = draft.collection(json!({"name": "Guides"}));
    let category = draft.help_category(json!({"collection_id": collection, "name": "Basics"}));
    let article = |draft: &mut Draft, title: &str, place: &str| {
        draft.article(json!({"category_id": category, "title": title, "seq_number": place}))
    };
    let first = article(&mut draft, "First", "1.0000");
    let second = article(&mut draft, "Second", "2.0000");
    draft.article(json!({"collection_id": collection, "title": "Alone"}));
    let portal = Portal::new(store, draft).await;
    let member = portal.member("bob@example.com", "member").await;
    let tree = "/news/dashboard/help";
    let order = async || {
        let page = member.get(tree).await.text;
        let place = |title: &str| page.find(&format!(">{title}</a>")).expect("an article");
        assert!(place("Guides") < place("Alone") && place("Alone") < place("Basics"), "{page}");
        place("First") < place("Second")
    };
    let before = order().await;
    let (up, down) = if before { (&second, &first) } else { (&first, &second) };
    let moved = member.post(tree, &[("up", &format!("help-articles:{up}"))]).await;
    assert_eq!(moved.status, 303, "{}", moved.text);
    assert!(moved.location().ends_with(&format!("#n-{up}")), "{}", moved.location());
    assert_ne!(order().await, before);
    let back = member.post(tree, &[("up", &format!("help-articles:{down}"))]).await;
    assert_eq!(back.status, 303);
    assert_eq!(order().await, before);
    // The first one goes no further, and nothing else is moved.
    let value = format!("help-articles:{down}");
    assert_eq!(member.post(tree, &[("up", &value)]).await.status, 303);
    assert_eq!(order().await, before);
    for wrong in ["help-articles:x", "users:1", "", "help-articles"] {
        let page = member.post(tree, &[("down", wrong)]).await;
        assert!((400..500).contains(&page.status), "{wrong}: {}", page.status);
    }
    let value = format!("help-categories:{category}");
    assert_eq!(member.post(tree, &[("down", &value)]).await.status, 303);

    let viewer = portal.member("vera@example.com", "viewer").await;
    assert!(!viewer.get(tree).await.text.contains("name=\"up\""));
    assert_eq!(viewer.post(tree, &[("up", &format!("help-articles:{up}"))]).await.status, 403);
}

#[rstest]
#[tokio::test]
async fn a_record_of_the_help_center_is_dropped_at_another_place(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let [guides, more] = ["Guides", "More"].map(|name| draft.collection(json!({"name": name})));
    let basics = draft.help_category(json!({"collection_id": guides, "name": "Basics"}));
    let [first, second, third] = [("First", "1.0000"), ("Second", "2.0000"), ("Third", "3.0000")]
        .map(|(title, place)| {
            let article = json!({"category_id": basics, "title": title, "seq_number": place});
            format!("help-articles:{}", draft.article(article))
        });
    let portal = Portal::new(store, draft).await;
    let member = portal.member("bob@example.com", "member").await;
    let tree = "/news/dashboard/help";
    let put = async |moved: &str, to: &str| {
        let page = member.post(tree, &[("moved", moved), ("to", to)]).await;
        assert_eq!(page.status, 303, "{}", page.text);
    };
    let titles = async |parent: &str, id: &str| -> Vec<String> {
        let wanted = json!({parent: id, "sort": "position"});
        let found = portal.acme.post("/help-articles/list", wanted).await.expect(200);
        let articles = found["items"].as_array().expect("articles").iter();
        articles.map(|it| it["title"].as_str().expect("a title").to_owned()).collect()
    };
    put(&first, &third).await;
    assert_eq!(titles("category_id", &basics).await, ["Second", "Third", "First"]);
    put(&first, &second).await;
    assert_eq!(titles("category_id", &basics).await, ["First", "Second", "Third"]);
    put(&first, &format!("help-categories:{basics}")).await;
    assert_eq!(titles("category_id", &basics).await, ["Second", "Third", "First"]);
    // Into another parent, and beside a record of another parent.
    put(&first, &format!("help-collections:{more}")).await;
    put(&second, &first).await;
    assert_eq!(titles("category_id", &basics).await, ["Third"]);
    assert_eq!(titles("collection_id", &more).await, ["Second", "First"]);
    let category = format!("help-categories:{basics}");
    put(&category, &format!("help-collections:{more}")).await;
    let found = portal.acme.post("/help-categories/retrieve", json!({"category_id": basics})).await;
    assert_eq!(found.expect(200)["collection_id"], json!(more));
    let collections = async || {
        let found = portal.acme.post("/help-collections/list", json!({})).await.expect(200);
        let all = found["items"].as_array().expect("collections").iter();
        all.map(|it| it["id"].clone()).collect::<Vec<Value>>()
    };
    let before = collections().await;
    put(&format!("help-collections:{more}"), &format!("help-collections:{guides}")).await;
    assert_eq!(collections().await, before.into_iter().rev().collect::<Vec<_>>());

    for (moved, to) in [
        (&*third, ""),
        (&third, "users:1"),
        (&third, "help-categories:x"),
        ("help-articles:x", &category),
        (&category, &third),
        ("help-collections:x", &format!("help-collections:{more}")),
    ] {
        let page = member.post(tree, &[("moved", moved), ("to", to)]).await;
        assert!((400..500).contains(&page.status), "{moved} {to}: {}", page.status);
    }
    let viewer = portal.member("vera@example.com", "viewer").await;
    assert!(!viewer.get(tree).await.text.contains("data-drag"));
    assert_eq!(viewer.post(tree, &[("moved", &third), ("to", &first)]).await.status, 403);
}

#[rstest]
#[tokio::test]
async fn versions_of_an_article_are_shown_compared_and_restored(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let article = draft.article(json!({"title": "Buttons", "content": "Press the red button."}));
    let portal = Portal::new(store, draft).await;
    let update =
        json!({"article_id": article, "content": "Press the **green** <script>button</script>."});
    portal.acme.post("/help-articles/update", update).await.expect(200);
    let member = portal.member("bob@example.com", "member").await;
    let path = format!("/news/dashboard/help-articles/{article}/versions");
    assert!(
        member.get(&format!("/news/dashboard/help-articles/{article}")).await.text.contains(&path)
    );
    let list = member.get(&path).await;
    assert_eq!(list.status, 200, "{}", list.text);
    let versions = said(&list.text);
    assert!(versions.contains("Version 1") && versions.contains("Version 2"), "{versions}");

    let shown = member.get(&format!("{path}?version=2")).await.text;
    assert!(shown.contains("<strong>green</strong>"), "{shown}");
    let compared = member.get(&format!("{path}?older=2&newer=1")).await.text;
    assert!(
        compared.contains("<del>red</del>") && compared.contains("<ins>**green**</ins>"),
        "{compared}"
    );
    let same = member.get(&format!("{path}?older=1&newer=1")).await.text;
    assert!(same.contains("Both versions have the same text."), "{same}");
    for wrong in ["version=3", "version=0", "older=1&newer=99", "version=-9223372036854775808"] {
        assert_eq!(member.get(&format!("{path}?{wrong}")).await.status, 404, "{wrong}");
    }

    let restore = "/news/dashboard/do/help-articles/restore-version";
    let fields = [("article_id", &*article), ("version", "1"), ("back", &*path)];
    let restored = member.post(restore, &fields).await;
    assert_eq!(restored.status, 303, "{}", restored.text);
    assert!(restored.location().starts_with(&path));
    let now = portal.acme.post("/help-articles/retrieve", json!({"article_id": article})).await;
    assert_eq!(now.expect(200)["content"], "Press the red button.");
    assert!(said(&member.get(&path).await.text).contains("Version 3"));

    let viewer = portal.member("vera@example.com", "viewer").await;
    assert!(!viewer.get(&path).await.text.contains("restore-version"));
    let unknown = "/news/dashboard/help-articles/0199aabb-ccdd-7eee-8fff-001122334455/versions";
    assert_eq!(viewer.get(unknown).await.status, 404);
    assert_eq!(viewer.get("/news/dashboard/help-articles/x/versions").await.status, 404);
}

#[rstest]
#[tokio::test]
async fn a_text_is_looked_at_before_it_is_saved(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let post = draft.post(json!({"title": "Dark mode"}));
    let portal = Portal::new(store, draft).await;
    let member = portal.member("bob@example.com", "member").await;
    let path = "/news/dashboard/do/changelog/create";
    assert!(member.get(path).await.text.contains("name=\"preview\""));
    let text = "**Easy** on\nthe eyes. <script>alert(1)</script>";
    let fields = [("title", "Night"), ("details", text), ("preview", "yes")];
    let page = member.post(path, &fields).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("<strong>Easy</strong> on\nthe eyes."), "{}", page.text);
    assert!(!page.text.contains("<script>alert"), "{}", page.text);
    assert_eq!(page.field("title").as_deref(), Some("Night"));
    let entries = portal.acme.post("/changelog/list", json!({})).await.expect(200);
    assert_eq!(entries["items"], json!([]));

    // In a comment a line end stays one. Nobody outside of the team is told by accident.
    let path = "/news/dashboard/do/comments/create";
    let fields = [("feedback_post_id", &*post), ("content", "one\ntwo"), ("preview", "yes")];
    let page = member.post(path, &fields).await;
    assert!(page.text.contains("one<br"), "{}", page.text);
    assert!(page.text.contains("value=\"internal\" selected"), "{}", page.text);
    let fields = [("feedback_post_id", &*post), ("content", "Ask Tom.")];
    assert_eq!(member.post(path, &fields).await.status, 303);
    let of_post = json!({"feedback_post_id": post});
    let comments = portal.acme.post("/comments/list", of_post).await.expect(200);
    let comments: Vec<&Value> = comments["items"].as_array().expect("comments").iter().collect();
    assert_eq!((comments.len(), &comments[0]["visibility_code"]), (1, &json!("internal")));
    assert!(!member.get("/news/dashboard/do/tags/create").await.text.contains("name=\"preview\""));
}

#[rstest]
#[tokio::test]
async fn before_an_entry_is_published_the_people_who_are_mailed_are_counted(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let readers = ["eve", "tom", "zoe"].map(|name| {
        draft.user(json!({"email": format!("{name}@example.com"), "is_subscribed": true}))
    });
    let post = draft.post(json!({}));
    draft.subscription(&readers[0], &post);
    let [entry, hidden] = [true, false].map(|show| draft.entry(json!({"show_on_portal": show})));
    draft.entry_link(&entry, &post);
    let portal = Portal::new(store, draft).await;
    let member = portal.member("bob@example.com", "member").await;
    let form = async |id: &str| {
        member.get(&format!("/news/dashboard/do/changelog/publish?entry_id={id}")).await.text
    };
    let page = form(&entry).await;
    let hint = |name: &str| {
        let (_, rest) = page.split_once(&format!("id=\"{name}-hint\">")).expect("a hint");
        said(rest.split('<').next().expect("an end"))
    };
    let all = hint("notify");
    // Members of the team read mail, too.
    let count: i64 = all.split(' ').nth(1).expect("a number").parse().expect("a number");
    assert!((3..=5).contains(&count), "{all}");
    assert_eq!(hint("notify_voters"), "Mails 1 person");
    assert!(form(&hidden).await.contains("Mails nobody"));
}
