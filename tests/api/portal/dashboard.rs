//! The dashboard, as members of the team in each role use it.

use super::forms::FOREIGN;
use super::{Browser, Draft, Page, Portal, plain};
use crate::support::{Organization, Store, eventually};
use hearback_domain::ClosedSet;
use hearback_domain::permission::Permission::{self, Manage, View};
use hearback_domain::permission::Role;
use hearback_domain::record::Kind;
use rstest::rstest;
use serde_json::{Value, json};

/// The lists of records.
const SECTIONS: [&str; 20] = [
    "roadmap-posts",
    "changelog",
    "help-articles",
    "help-collections",
    "help-categories",
    "help-redirects",
    "people",
    "companies",
    "posts",
    "votes",
    "webhooks",
    "deliveries",
    "events",
    "boards",
    "statuses",
    "categories",
    "tags",
    "labels",
    "roadmap-boards",
    "settings",
];

/// An organization with a board, a status, and two posts.
struct World {
    draft: Draft,
    board: String,
    posts: [String; 2],
    author: String,
}

fn world() -> World {
    let mut draft = Draft::new();
    let board = draft.board(json!({"name": "Ideas", "slug": "ideas"}));
    let author = draft.user(json!({"email": "eve@example.com", "name": "Eve"}));
    let posts = ["Dark mode", "Night theme"]
        .map(|title| draft.post(json!({"title": title, "board_id": board, "author_id": author})));
    World { draft, board, posts, author }
}

/// The fields of a form of the dashboard that a call needs, with a value of each kind.
fn filled(schema: &Value) -> Vec<(String, String)> {
    let schema = schema.pointer("/allOf/0").unwrap_or(schema);
    let value = |name: &str| {
        let field = &schema["properties"][name];
        let code = field["enum"][0].as_str();
        match (name, code, field["type"].as_str(), field["format"].as_str()) {
            ("color", ..) => "#112233".to_owned(),
            ("url", ..) => "https://hooks.example/a".to_owned(),
            ("from_path" | "to_path", ..) => format!("/{name}"),
            (_, Some(code), ..) => code.to_owned(),
            (_, _, Some("boolean"), _) => "yes".to_owned(),
            (_, _, Some("integer"), _) => "1".to_owned(),
            (_, _, _, Some("uuid")) => UNKNOWN.to_owned(),
            (_, _, Some("array"), _) => UNKNOWN.to_owned(),
            _ => "x".to_owned(),
        }
    };
    let mut fields = vec![("confirm".to_owned(), "yes".to_owned())];
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("a name");
        fields.push((name.to_owned(), value(name)));
        // The places of a list in an order.
        fields.extend((name == "ids").then(|| ("place".to_owned(), "1".to_owned())));
    }
    // A record that one of several fields names.
    for name in ["voter_id", "delivery_id", "collection_id", "external_id", "id"] {
        let is_there = fields.iter().any(|(it, _)| it == name);
        if !is_there && schema["properties"].get(name).is_some() {
            fields.push((name.to_owned(), UNKNOWN.to_owned()));
        }
    }
    fields
}

/// An identifier that no record has.
const UNKNOWN: &str = "0199aabb-ccdd-7eee-8fff-001122334455";

fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields.iter().map(|(name, value)| (&**name, &**value)).collect()
}

/// Sends a form of the dashboard.
async fn act(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    browser.post(&format!("/news/dashboard/do{path}"), fields).await
}

async fn post_of(acme: &Organization, id: &str) -> Value {
    acme.post("/feedback-posts/retrieve", json!({"id": id})).await.expect(200)
}

#[rstest]
#[tokio::test]
async fn the_dashboard_is_there_for_the_team_alone(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world().draft).await;
    let (nobody, eve) = (portal.browser(), portal.signed_in("eve@example.com").await);
    let viewer = portal.member("vera@example.com", "viewer").await;
    let paths = SECTIONS.map(|section| format!("/news/dashboard/{section}"));
    let others = ["", "/moderation", "/roadmap", "/insights", "/insights/posts.csv", "/members"]
        .map(|it| format!("/news/dashboard{it}"));
    for path in paths.iter().chain(&others) {
        assert!(nobody.get(path).await.location().starts_with("/news/sign-in"), "{path}");
        let gone = eve.get("/news/dashboard/nothing").await;
        assert_eq!(eve.get(path).await.seen("", ""), (404, gone.text), "{path}");
        assert_eq!(viewer.get(path).await.status, 200, "{path}");
    }
    // The session of one organization opens nothing of another one.
    let other = portal.another(Draft::new()).await;
    let path = format!("/news/o/{}/dashboard", other.slug());
    assert!(viewer.get(&path).await.location().contains("/sign-in"));
}

/// The kind of the records of an endpoint.
fn kind_of(path: &str) -> Kind {
    match path.split('/').nth(1).expect("a group") {
        "users" => Kind::User,
        "companies" => Kind::Company,
        "feedback-boards" => Kind::FeedbackBoard,
        "feedback-posts" => Kind::FeedbackPost,
        "comments" => Kind::Comment,
        "votes" => Kind::Vote,
        "categories" => Kind::Category,
        "tags" => Kind::Tag,
        "statuses" => Kind::Status,
        "roadmap-boards" => Kind::RoadmapBoard,
        "roadmap-posts" => Kind::RoadmapPost,
        "webhooks" | "deliveries" => Kind::WebhookSubscription,
        "labels" => Kind::Label,
        "changelog" => Kind::ChangelogEntry,
        "help-collections" => Kind::HelpCollection,
        "help-categories" => Kind::HelpCategory,
        "help-articles" => Kind::HelpArticle,
        "help-redirects" => Kind::HelpRedirect,
        group => panic!("{group}"),
    }
}

/// The pages that are no list and no form of an endpoint, each with the permission that shows it.
/// The dashboard has no page for a member who lacks the permission of one that may have secrets.
const PAGES: [(&str, Permission); 13] = [
    ("", View(Kind::FeedbackPost)),
    ("/moderation", View(Kind::FeedbackPost)),
    ("/roadmap", View(Kind::RoadmapPost)),
    ("/insights", View(Kind::FeedbackPost)),
    ("/members", View(Kind::User)),
    ("/help", View(Kind::HelpArticle)),
    ("/audit", Manage(Kind::Organization)),
    ("/webhooks", View(Kind::WebhookSubscription)),
    ("/organization", Manage(Kind::Organization)),
    ("/sign-in", Manage(Kind::ApiKey)),
    ("/keys", View(Kind::ApiKey)),
    ("/data", Permission::Import),
    ("/people/import", Manage(Kind::User)),
];

/// A form: the page, its fields, and the permission to send it.
type Form = (&'static str, &'static [(&'static str, &'static str)], Permission);

/// The forms of these pages.
const FORMS: [Form; 10] = [
    ("", &[("post_ids", UNKNOWN), ("owner_id", UNKNOWN)], Manage(Kind::FeedbackPost)),
    (
        "/moderation",
        &[("item", "post:0199aabb-ccdd-7eee-8fff-001122334455"), ("decision", "accepted")],
        Manage(Kind::FeedbackPost),
    ),
    (
        "/help",
        &[("up", "help-articles:0199aabb-ccdd-7eee-8fff-001122334455")],
        Manage(Kind::HelpArticle),
    ),
    ("/members", &[("act", "withdraw"), ("email", "x@example.com")], Permission::ManageMembers),
    ("/organization", &[("theme", "x")], Manage(Kind::Organization)),
    ("/sign-in", &[("act", "add")], Manage(Kind::ApiKey)),
    ("/keys", &[("act", "generate")], Manage(Kind::ApiKey)),
    ("/data", &[], Permission::Export),
    ("/data", &[("secrets", "yes")], Permission::ExportSecrets),
    ("/people/import", &[("act", "preview"), ("text", "email\n")], Manage(Kind::User)),
];

#[rstest]
#[tokio::test]
async fn each_role_does_what_the_table_of_permissions_says(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world().draft).await;
    let document = reqwest::get(format!("{}/openapi.json", portal.server.base())).await.unwrap();
    let document: Value = document.json().await.unwrap();
    let paths = document["paths"].as_object().expect("paths").clone();
    for role in Role::ALL {
        let code = role.code();
        let browser = portal.member(&format!("{code}@example.com"), code).await;
        let token = browser.form_token("/news").await;
        for (path, operation) in &paths {
            let operation = &operation["post"];
            // The form of a decision is the page of the queue.
            if operation.get("parameters").is_none() || path.ends_with("/moderation/decide") {
                continue;
            }
            let path = path.strip_prefix("/api/external/v1").expect("a path");
            let may = role.may(Manage(kind_of(path)));
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let mut fields = filled(schema);
            fields.push(("form_token".to_owned(), token.clone()));
            let page = browser.send(&format!("/news/dashboard/do{path}"), &borrowed(&fields)).await;
            let answers: &[u16] = if may { &[200, 303, 404, 422] } else { &[403] };
            assert!(answers.contains(&page.status), "{code} {path}: {} {}", page.status, page.text);
            if !may {
                // Neither a search nor a preview lets a member in.
                fields.push(("preview".to_owned(), "yes".to_owned()));
                let page = format!("/news/dashboard/do{path}");
                let page = browser.send(&page, &borrowed(&fields)).await;
                assert_eq!(page.status, 403, "{code} {path}: {}", page.text);
            }
            let form = browser.get(&format!("/news/dashboard/do{path}")).await;
            assert_eq!(form.status, if may { 200 } else { 403 }, "{code} {path}: {}", form.text);
        }
        for (page, permission) in PAGES {
            let status = browser.get(&format!("/news/dashboard{page}")).await.status;
            let is_seen = status == 200;
            assert_eq!(is_seen, role.may(permission), "{code} {page}: {status}");
            assert!([200, 403, 404].contains(&status), "{code} {page}: {status}");
        }
        for (page, fields, permission) in FORMS {
            let answer = browser.post(&format!("/news/dashboard{page}"), fields).await;
            match role.may(permission) {
                true => assert_ne!(answer.status, 403, "{code} {page} {fields:?}"),
                false => {
                    let refused = [403, 404].contains(&answer.status);
                    assert!(refused, "{code} {page} {fields:?}: {}", answer.status);
                }
            }
        }
    }
    // What viewers sent has changed nothing.
    let log = portal.acme.post("/audit/list", json!({"limit": 100})).await.expect(200);
    let viewer = portal.members("viewer@example.com").await.expect(200);
    for entry in log["items"].as_array().expect("entries") {
        let is_own = entry["action"] == "portal/sign-in" || entry["door"] != "dashboard";
        assert!(is_own || entry["actor_id"] != viewer["user_id"], "{entry}");
    }
}

#[rstest]
#[tokio::test]
async fn a_record_is_made_changed_and_deleted(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world().draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let made = act(&owner, "/tags/create", &[("name", "Mobile"), ("color", "#112233")]).await;
    let place = made.location();
    let path = place.split('?').next().unwrap_or_default().to_owned();
    let id = path.rsplit('/').next().unwrap_or_default().to_owned();
    let page = owner.get(&path).await;
    assert_eq!(page.field("name").as_deref(), Some("Mobile"), "{}", page.text);

    // A fault stands at its field, and what was typed stays.
    let long = "x".repeat(513);
    let refused = act(&owner, "/tags/update", &[("tag_id", &id), ("name", &long)]).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("id=\"name-fault\"") && refused.text.contains(&long));
    let empty = act(&owner, "/tags/create", &[("name", " ")]).await;
    assert_eq!(empty.status, 422, "{}", empty.text);

    let fields = [("tag_id", &*id), ("name", "Phones"), ("shown", "is_public")];
    assert_eq!(act(&owner, "/tags/update", &fields).await.status, 303);
    let tag = portal.acme.post("/tags/retrieve", json!({"id": id})).await.expect(200);
    assert_eq!((&tag["name"], &tag["is_public"]), (&json!("Phones"), &json!(false)));
    assert_eq!(tag["show_on_feedback"], true, "a field that the form does not have stays");

    let asked = owner.get(&format!("/news/dashboard/do/tags/delete?tag_id={id}")).await;
    assert!(asked.text.contains("Phones") && asked.field("confirm").is_some());
    assert_eq!(
        act(&owner, "/tags/delete", &[("tag_id", &id), ("confirm", "yes")]).await.status,
        303
    );
    assert_eq!(portal.acme.post("/tags/list", json!({})).await.expect(200), json!([]));
}

/// The fields of a form whose values were there when the page was made.
async fn seen(browser: &Browser, form: &str, names: &[&str]) -> Vec<(String, String)> {
    let page = browser.get(form).await;
    let names = names.iter().map(|name| format!("seen-{name}"));
    names.map(|name| (name.clone(), page.field(&name).expect("a digest"))).collect()
}

#[rstest]
#[tokio::test]
async fn the_second_of_two_editors_is_shown_the_first_ones_change(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { mut draft, posts: [post, _], .. } = world();
    let tag = draft.tag(json!({"name": "Phone"}));
    let portal = Portal::new(store, draft).await;
    let [ada, bob] = [
        portal.member("ada@example.com", "owner").await,
        portal.member("bob@example.com", "member").await,
    ];
    let form = format!("/news/dashboard/do/feedback-posts/update?post_id={post}");
    let digests = seen(&bob, &form, &["title", "description", "tag_ids"]).await;
    let before = bob.get(&form).await.field("expected_updated_at").expect("the present version");
    let tagged = json!({"post_id": post, "title": "By Ada", "tag_ids": [tag]});
    portal.acme.post("/feedback-posts/update", tagged).await.expect(200);

    // Bob has left the tags alone, and has written into the text.
    let text = "Two\r\nlines";
    let typed = [("post_id", &*post), ("description", text), ("shown", "tag_ids")];
    let save = async |browser: &Browser, digests: &[(String, String)], more: &[(&str, &str)]| {
        let fields = [&typed[..], more, &borrowed(digests)].concat();
        act(browser, "/feedback-posts/update", &fields).await
    };
    let stale = [("expected_updated_at", &*before), ("title", "By Bob")];
    let conflict = save(&bob, &digests, &stale).await;
    assert_eq!(conflict.status, 409);
    let page = plain(&conflict.text);
    assert!(page.contains("By Ada</td>") && page.contains("By Bob</td>"), "{page}");
    assert!(page.contains("Phone</td><td class=\"said\" dir=\"auto\">left as it was"), "{page}");
    assert!(page.contains(&format!("value=\"{tag}\" checked")), "{page}");
    assert!(!page.contains("lines</td>"), "nobody else has changed the text: {page}");
    assert_eq!(post_of(&portal.acme, &post).await["title"], "By Ada");

    // The next form is made of the present record. Nothing of Ada's is lost.
    let now = conflict.field("expected_updated_at").expect("the present version");
    let digests = ["title", "description", "tag_ids"].map(|name| {
        let name = format!("seen-{name}");
        (name.clone(), conflict.field(&name).expect("a digest"))
    });
    let fresh = [("expected_updated_at", &*now), ("title", "By both"), ("tag_ids", &*tag)];
    assert_eq!(save(&bob, &digests, &fresh).await.status, 303);
    let saved = post_of(&portal.acme, &post).await;
    assert_eq!((&saved["title"], &saved["tag_ids"]), (&json!("By both"), &json!([tag])));
    assert_eq!(saved["description"], "Two\nlines");
    assert_eq!(saved["created_by_id"], Value::Null, "an edit tells nothing of who made the post");
    assert_eq!(ada.get(&form).await.status, 200);
}

#[rstest]
#[tokio::test]
async fn a_record_without_a_time_of_its_last_change_has_two_editors_too(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { mut draft, .. } = world();
    let tag = draft.tag(json!({"name": "Phone", "color": "#ff0000"}));
    let portal = Portal::new(store, draft).await;
    let bob = portal.member("bob@example.com", "member").await;
    let form = format!("/news/dashboard/tags/{tag}");
    let digests = seen(&bob, &form, &["name", "color", "is_public"]).await;
    let paint = json!({"tag_id": tag, "color": "#00ff00"});
    portal.acme.post("/tags/update", paint).await.expect(200);
    let of = async || portal.acme.post("/tags/retrieve", json!({"id": tag})).await.expect(200);
    let fields = [("tag_id", &*tag), ("name", "Phones"), ("color", "#ff0000")];
    let fields = [&fields[..], &[("shown", "is_public"), ("is_public", "yes")]].concat();
    let conflict = act(&bob, "/tags/update", &[&fields[..], &borrowed(&digests)].concat()).await;
    assert_eq!(conflict.status, 409);
    assert!(conflict.text.contains("#00ff00</td>"), "{}", conflict.text);
    assert_eq!(of().await["name"], "Phone");
    // The form has the other's colour now, which Bob has left alone.
    assert_eq!(conflict.field("color").as_deref(), Some("#00ff00"));
    let digests = seen(&bob, &form, &["name", "color", "is_public"]).await;
    let fields = [&fields[..2], &[("color", "#00ff00")], &fields[3..]].concat();
    let saved = act(&bob, "/tags/update", &[&fields[..], &borrowed(&digests)].concat()).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    assert_eq!((&of().await["name"], &of().await["color"]), (&json!("Phones"), &json!("#00ff00")));
}

#[rstest]
#[tokio::test]
async fn a_deletion_says_what_it_does_and_is_undone(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { mut draft, posts: [post, _], .. } = world();
    let shelf = draft.collection(json!({"slug": "shelf"}));
    let article = draft.article(json!({"title": "Printers", "collection_id": shelf}));
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    for (group, section, field, id, words) in [
        ("feedback-posts", "posts", "post_id", &post, "The post leaves the portal"),
        ("help-articles", "help-articles", "article_id", &article, "The article leaves the help"),
    ] {
        let form = format!("/news/dashboard/do/{group}/delete?{field}={id}");
        let asked = owner.get(&form).await;
        assert!(asked.text.contains(words), "{}", asked.text);
        let delete = [(field, &**id), ("confirm", "yes")];
        let to = act(&owner, &format!("/{group}/delete"), &delete).await.location();
        assert_eq!(to, format!("/news/dashboard/{section}?undo={id}&done=saved"));
        let list = owner.get(&to).await;
        assert!(list.text.contains(&format!("action=\"/news/dashboard/do/{group}/restore\"")));
        assert_eq!(list.field(field).as_ref(), Some(id));
        let record = format!("/news/dashboard/{section}/{id}");
        assert_eq!(owner.get(&record).await.status, 404);
        // The audit log has the way back later.
        let restoration = format!("href=\"/news/dashboard/do/{group}/restore?{field}={id}\"");
        let log = owner.get("/news/dashboard/audit").await;
        assert!(log.text.contains(&restoration), "{}", log.text);
        let back = act(&owner, &format!("/{group}/restore"), &[(field, id)]).await.location();
        assert_eq!(back, format!("{record}?done=saved"));
        assert_eq!(owner.get(&record).await.status, 200);
    }
}

#[rstest]
#[tokio::test]
async fn a_form_that_a_browser_sends_twice_makes_one_record(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { draft, posts: [post, _], .. } = world();
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let form = owner.get("/news/dashboard/do/labels/create").await.field("nonce").expect("a name");
    let label = [("name", "News"), ("color", "#ff0000"), ("nonce", &*form)];
    let first = act(&owner, "/labels/create", &label).await.location();
    assert_eq!(act(&owner, "/labels/create", &label).await.location(), first);
    // The same form with other values, and another form, make other records.
    let other = [("name", "Tips"), ("color", "#ff0000"), ("nonce", &*form)];
    assert_ne!(act(&owner, "/labels/create", &other).await.location(), first);
    let labels = portal.acme.post("/labels/list", json!({})).await.expect(200);
    assert_eq!(labels["items"].as_array().map(Vec::len), Some(2), "{labels}");

    let page = format!("/news/dashboard/posts/{post}");
    let note = async || {
        let nonce = owner.get(&page).await.field("nonce").expect("a name");
        let note =
            [("feedback_post_id", &*post), ("content", "+1"), ("nonce", &nonce), ("back", &page)];
        for _ in 0..2 {
            assert_eq!(act(&owner, "/comments/create", &note).await.status, 303);
        }
    };
    note().await;
    note().await;
    assert_eq!(portal.comments().await.len(), 2);
    // A reply is a comment of its own form.
    let first = portal.comments().await[0]["id"].as_str().expect("an id").to_owned();
    let shown = plain(&owner.get(&page).await.text);
    let reply = shown.split('"').find(|it| it.contains(&format!("parent_comment_id={first}")));
    let form = owner.get(reply.expect("a link")).await;
    let fields = [
        ("feedback_post_id", &*post),
        ("parent_comment_id", &*form.field("parent_comment_id").expect("the comment")),
        ("content", "Why?"),
    ];
    assert_eq!(act(&owner, "/comments/create", &fields).await.status, 303);
    let replies = portal.comments().await;
    assert!(replies.iter().any(|it| it["parent_comment_id"] == first), "{replies:?}");
}

#[rstest]
#[tokio::test]
async fn all_that_is_stored_of_a_person_is_a_file_for_those_who_manage_people(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { draft, author, .. } = world();
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let path = format!("/news/dashboard/people/{author}");
    let file = format!("{path}/export");
    assert!(owner.get(&path).await.text.contains(&format!("\"{file}\"")));
    let export = owner.get(&file).await;
    let header = ["Content-Disposition", "Cache-Control"].map(|name| export.header(name));
    assert_eq!(header, [format!("attachment; filename=\"{author}.json\""), "no-store".to_owned()]);
    let file: Value = serde_json::from_str(&export.text).expect("JSON");
    assert_eq!(file["user"]["email"], "eve@example.com", "{file}");
    let unknown = format!("/news/dashboard/people/{UNKNOWN}/export");
    assert_eq!(owner.get(&unknown).await.status, 404);
}

#[rstest]
#[tokio::test]
async fn settings_that_two_members_change_are_those_of_both(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world().draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let page = "/news/dashboard/organization";
    let names = ["welcome_title", "accent", "is_private"];
    let digests = seen(&owner, page, &names).await;
    portal.set(portal.acme.slug(), &["--welcome-title", "By Ada", "--private", "on"]).await;
    let save = async |fields: &[(&str, &str)], digests: &[(String, String)]| {
        owner.post(page, &[fields, &borrowed(digests)].concat()).await
    };
    let both = [("welcome_title", "By Bob"), ("accent", "#123456")];
    let refused = save(&both, &digests).await;
    assert_eq!(refused.status, 409);
    let words = refused.text.replace(['\u{2068}', '\u{2069}'], "");
    assert!(words.contains("set this to “By Ada” meanwhile"), "{words}");
    // The former title was left alone, and so was the switch.
    let saved = save(&[("welcome_title", ""), ("accent", "#123456")], &digests).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    let shown = owner.get(page).await;
    let [title, accent] = ["welcome_title", "accent"].map(|name| shown.field(name).expect(name));
    assert_eq!((&*title, &*accent), ("By Ada", "#123456"));
    let digests = seen(&owner, page, &names).await;
    assert_eq!(save(&[("welcome_title", "By Bob")], &digests).await.status, 303);
}

#[rstest]
#[tokio::test]
async fn a_form_empties_what_it_shows_and_keeps_an_owner_who_has_left_the_team(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { draft, posts: [post, _], author, .. } = world();
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let owned = json!({"post_id": post, "owner_id": author});
    portal.acme.post("/feedback-posts/update", owned).await.expect(200);
    let form = format!("/news/dashboard/do/feedback-posts/update?post_id={post}");
    let page = owner.get(&form).await;
    assert!(page.text.contains(&format!("value=\"{author}\" selected")), "{}", page.text);
    let digests = seen(&owner, &form, &["title", "owner_id", "tag_ids"]).await;
    let save = async |title: &str| {
        let fields = [("post_id", &*post), ("title", title), ("owner_id", &author)];
        let fields = [&fields[..], &[("shown", "tag_ids")], &borrowed(&digests)].concat();
        act(&owner, "/feedback-posts/update", &fields).await
    };
    let refused = save("").await;
    assert!(refused.status == 422 && refused.text.contains("title-fault"), "{}", refused.text);
    assert_eq!(save("Light mode").await.status, 303);
    let saved = post_of(&portal.acme, &post).await;
    assert_eq!((&saved["title"], &saved["owner_id"]), (&json!("Light mode"), &json!(author)));
}

#[rstest]
#[tokio::test]
async fn a_form_of_another_site_changes_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { draft, posts: [post, _], .. } = world();
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let token = owner.form_token("/news").await;
    let before = portal.acme.export().await;
    let [delete, invite] = [
        [("post_id", &*post), ("confirm", "yes")],
        [("email", "eve@evil.example"), ("role", "owner")],
    ];
    for (path, fields) in [
        ("/do/feedback-posts/delete", &delete[..]),
        ("/do/tags/create", &[("name", "Evil")]),
        ("/members", &[&invite[..], &[("act", "invite")]].concat()),
        ("/organization", &[("welcome_title", "Evil")]),
        ("/keys", &[("act", "generate")]),
        ("/sign-in", &[("act", "generate")]),
        ("/views", &[("name", "Evil"), ("filter", "")]),
        ("/moderation", &[("decision", "spam")]),
        ("/data", &[]),
        ("/help", &[]),
        ("", &[("post_ids", &*post)]),
    ] {
        let path = format!("/news/dashboard{path}");
        let whole = [fields, &[("form_token", &*token)]].concat();
        for headers in FOREIGN {
            let page = owner.with_headers(headers).send(&path, &whole).await;
            assert_eq!(page.status, 403, "{path} {headers:?}");
        }
        for fields in [fields, &[fields, &[("form_token", "x")]].concat()] {
            // The typed values come back in a form with a token.
            let expected = if path.contains("/do/") { 303 } else { 403 };
            assert_eq!(owner.send(&path, fields).await.status, expected, "{path}");
        }
    }
    assert_eq!(portal.acme.export().await, before);
}

#[rstest]
#[tokio::test]
async fn a_company_is_changed_on_its_page(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let World { mut draft, .. } = world();
    let company = json!({"external_id": "c-1", "name": "Acme", "monthly_spend": "12.50"});
    let company = draft.company(company);
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let page = owner.get(&format!("/news/dashboard/companies/{company}")).await;
    assert_eq!(page.field("external_id").as_deref(), Some("c-1"));
    let fields = [("external_id", "c-1"), ("name", "Acme & Co"), ("monthly_spend", "x")];
    let refused = act(&owner, "/companies/upsert", &fields).await;
    assert!(refused.status == 422 && refused.text.contains("monthly_spend-fault"));
    assert!(refused.text.contains("<h1>Change</h1>"), "{}", refused.text);
    // The identifier of a new one stays a field.
    let fields = [("external_id", "c-2"), ("name", "Globex"), ("monthly_spend", "x")];
    let refused = act(&owner, "/companies/upsert", &fields).await;
    assert!(refused.text.contains("<h1>New company</h1>"), "{}", refused.text);
    assert!(refused.text.contains("id=\"external_id\""), "{}", refused.text);
    let fields = [("external_id", "c-1"), ("name", "Acme & Co"), ("monthly_spend", "99")];
    let saved = act(&owner, "/companies/upsert", &fields).await.location();
    assert_eq!(saved, format!("/news/dashboard/companies/{company}?done=saved"));
    let saved = portal.acme.post("/companies/retrieve", json!({"id": company})).await.expect(200);
    assert_eq!((&saved["name"], &saved["monthly_spend"]), (&json!("Acme & Co"), &json!("99.00")));
}

#[rstest]
#[tokio::test]
async fn a_form_of_a_member_whose_session_has_ended_waits(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world().draft).await;
    let bob = portal.member("bob@example.com", "member").await;
    let form = "/news/dashboard/do/tags/create";
    let fields = [("name", "Mobile & co"), ("color", "#ff0000")];
    let nobody = portal.browser();
    let sent = nobody.send(form, &fields).await;
    assert!(sent.location().contains("return_to=%2Fnews%2Fdashboard%2Fdo%2Ftags%2Fcreate"));
    for (name, value) in nobody.cookies() {
        bob.keep(&name, &value);
    }
    let waiting = bob.get(form).await;
    assert_eq!(waiting.field("color").as_deref(), Some("#ff0000"));
    assert!(plain(&waiting.text).contains("Mobile & co"), "{}", waiting.text);
    assert_eq!(act(&bob, "/tags/create", &fields).await.status, 303);
    assert!(!bob.get(form).await.text.contains("Mobile"));
}

#[rstest]
#[tokio::test]
async fn a_time_that_is_left_alone_keeps_its_seconds(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { draft, posts: [post, _], .. } = world();
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let eta = "2031-03-01T12:30:45.250Z";
    let update = json!({"post_id": post, "eta": eta});
    portal.acme.post("/feedback-posts/update", update).await.expect(200);

    let form = owner.get(&format!("/news/dashboard/do/feedback-posts/update?post_id={post}")).await;
    let [shown, former] = ["eta", "former-eta"].map(|name| form.field(name).expect(name));
    assert_eq!((&*shown, &*former), ("2031-03-01T12:30", eta));
    let save = async |eta: &str| {
        let fields = [("post_id", &*post), ("eta", eta), ("former-eta", &*former)];
        assert_eq!(act(&owner, "/feedback-posts/update", &fields).await.status, 303);
        post_of(&portal.acme, &post).await["eta"].clone()
    };
    assert_eq!(save(&shown).await, eta);
    assert_eq!(save("2031-03-01T12:31").await, "2031-03-01T12:31:00.000Z");
    assert_eq!(save("").await, Value::Null);
}

#[rstest]
#[tokio::test]
async fn insights_are_the_counted_numbers_as_a_page_and_as_csv(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { mut draft, author, posts: [post, _], .. } = world();
    let board = draft.board(json!({"name": "=1+1", "slug": "formula"}));
    draft.post(json!({"title": "New", "board_id": board, "author_id": author}));
    let company = draft.company(json!({"name": "Acme", "monthly_spend": "12.50"}));
    let voter = draft.user(json!({"email": "vic@example.com", "company_id": company}));
    draft.vote(&voter, &post, json!({}));
    let portal = Portal::new(store, draft).await;
    let viewer = portal.member("vera@example.com", "viewer").await;
    let csv = async |figure: &str| {
        let path = format!("/news/dashboard/insights/{figure}.csv?span=years");
        let page = viewer.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        page.text
    };
    let counted = eventually("the days are counted", async || {
        Some(csv("posts-by-board").await).filter(|csv| csv.contains("Ideas"))
    });
    assert_eq!(counted.await, "\"Board\",\"Number\"\r\n\"Ideas\",\"2\"\r\n\"'=1+1\",\"1\"\r\n");
    let days = csv("posts").await;
    let numbers = days.lines().skip(1).filter_map(|line| line.split('"').nth(3));
    assert_eq!(numbers.filter_map(|number| number.parse::<u32>().ok()).sum::<u32>(), 3);
    assert_eq!(days.lines().count(), 1 + 1_826);
    let spend = "\"Post\",\"Number\"\r\n\"Dark mode\",\"12.5\"\r\n";
    assert_eq!(csv("most-spend").await, spend);

    let page = viewer.get("/news/dashboard/insights?span=years").await;
    assert_eq!(page.text.matches("<svg class=\"chart\"").count(), 3);
    assert_eq!(page.text.matches(".csv?span=years").count(), 11);
    for unknown in ["posts", "nothing.csv"] {
        let path = format!("/news/dashboard/insights/{unknown}");
        assert_eq!(viewer.get(&path).await.status, 404, "{path}");
    }
}

#[rstest]
#[tokio::test]
async fn insights_tell_what_the_help_center_lacks(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { mut draft, .. } = world();
    let shelf = draft.collection(json!({"slug": "shelf"}));
    for (title, helpful, not_helpful) in [("Printers", 9, 0), ("=Proxies", 1, 5)] {
        draft.article(json!({"title": title, "collection_id": shelf, "status_code": "published",
            "published_at": "2026-01-04", "helpful_count": helpful, "not_helpful_count": not_helpful}));
    }
    let portal = Portal::new(store, draft).await;
    let visitor = portal.browser();
    for path in [
        "/help?q=VPN++Tunnel",
        // A page that is kept for other visitors counts, too.
        "/help?q=VPN++Tunnel",
        "/search?q=fax",
        // A hit, a hit elsewhere, an address, an empty search, and a page that is only loaded.
        "/help?q=printers",
        "/search?q=dark",
        "/help?q=eve%40example.com",
        "/help?q=+",
    ] {
        assert_eq!(visitor.get(&format!("/news{path}")).await.status, 200, "{path}");
    }
    let prefetch = visitor.with_headers(&[("Sec-Purpose", "prefetch")]);
    assert_eq!(prefetch.get("/news/help?q=fax").await.status, 200);

    let viewer = portal.member("vera@example.com", "viewer").await;
    let csv = async |figure: &str| {
        viewer.get(&format!("/news/dashboard/insights/{figure}.csv")).await.text
    };
    let searches = "\"Words\",\"Number\"\r\n\"vpn tunnel\",\"2\"\r\n\"fax\",\"1\"\r\n";
    eventually("the searches are stored", async || {
        (csv("missed-searches").await == searches).then_some(())
    })
    .await;
    let answers = "\"Article\",\"Not helpful\",\"Helpful\"\r\n\"'=Proxies\",\"5\",\"1\"\r\n\
                   \"Printers\",\"0\",\"9\"\r\n";
    assert_eq!(csv("article-answers").await, answers);
    let page = viewer.get("/news/dashboard/insights").await;
    assert!(page.text.contains("/dashboard/help-articles?search=vpn"), "{}", page.text);
}

#[rstest]
#[tokio::test]
async fn a_member_keeps_a_filter_of_the_inbox_under_a_name(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world().draft).await;
    let viewer = portal.member("vera@example.com", "viewer").await;
    let owner = portal.member("ada@example.com", "owner").await;
    let query = "sort=votes&search=a%26b";
    let inbox = format!("/news/dashboard?{query}");
    let filter = viewer.get(&format!("{inbox}&unknown=1")).await.field("filter").expect("a form");
    assert_eq!(filter, query);
    let keep = async |browser: &Browser, fields: &[(&str, &str)]| {
        browser.post("/news/dashboard/views", fields).await
    };
    let kept = keep(&viewer, &[("filter", &filter), ("name", "<Mine>")]).await;
    assert_eq!(kept.location(), format!("{inbox}&done=saved"));
    let page = viewer.get("/news/dashboard").await.text;
    assert!(plain(&page).contains(&format!("\"{inbox}\"")), "{page}");
    assert!(plain(&page).contains("<Mine>") && !page.contains("<Mine>"));
    assert!(!owner.get("/news/dashboard").await.text.contains("Mine"));
    for name in ["", &"x".repeat(61)] {
        let refused = keep(&viewer, &[("filter", &filter), ("name", name)]).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        assert_eq!(refused.field("filter"), Some(query.to_owned()));
        let marked = format!("value=\"{name}\" maxlength=\"60\"");
        assert!(refused.text.contains(&marked), "{}", refused.text);
        assert!(refused.text.contains("id=\"name-fault\""), "{}", refused.text);
    }
    let page = viewer.get(&inbox).await;
    assert_eq!((page.field("filter"), page.field("forget")), (None, Some("<Mine>".to_owned())));
    assert_eq!(keep(&viewer, &[("forget", "<Mine>")]).await.status, 303);
    assert!(!viewer.get("/news/dashboard").await.text.contains("Mine"));
}

#[rstest]
#[tokio::test]
async fn a_merge_shows_what_moves_and_is_undone(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { draft, posts: [post, other], author, .. } = world();
    let portal = Portal::new(store, draft).await;
    let vote = json!({"user_id": author, "post_id": post, "post_type": "feedback"});
    portal.acme.post("/votes/toggle", vote).await.expect(200);
    let owner = portal.member("ada@example.com", "owner").await;
    let found = act(
        &owner,
        "/feedback-posts/merge",
        &[("merge_post_id", &post), ("find-into_post_id", "night"), ("search-records", "yes")],
    )
    .await;
    assert!(found.text.contains(&format!("value=\"{other}\"")), "{}", found.text);
    let fields = [("merge_post_id", &*post), ("into_post_id", &*other)];
    let asked = act(&owner, "/feedback-posts/merge", &fields).await;
    assert!(asked.text.contains("Votes that move: <b>1</b>"), "{}", asked.text);
    assert_eq!(post_of(&portal.acme, &post).await["merged_into_id"], Value::Null);
    let confirmed = [&fields[..], &[("confirm", "yes")]].concat();
    assert_eq!(act(&owner, "/feedback-posts/merge", &confirmed).await.status, 303);
    assert_eq!(post_of(&portal.acme, &post).await["merged_into_id"], json!(other));
    let page = owner.get(&format!("/news/dashboard/posts/{post}")).await;
    assert!(page.text.contains("/feedback-posts/unmerge"), "{}", page.text);
    let undone = [("post_id", &*post), ("confirm", "yes")];
    assert_eq!(act(&owner, "/feedback-posts/unmerge", &undone).await.status, 303);
    assert_eq!(post_of(&portal.acme, &post).await["merged_into_id"], Value::Null);
}

#[rstest]
#[tokio::test]
async fn posts_are_changed_together_and_moderated(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { mut draft, posts, board, author } = world();
    let pending = draft.post(json!({"title": "Buy pills", "board_id": board, "author_id": author,
        "moderation_status_code": "pending"}));
    let portal = Portal::new(store, draft).await;
    let member = portal.member("bob@example.com", "member").await;
    let user = portal.members("bob@example.com").await.expect(200);
    let owner = user["user_id"].as_str().expect("an id");
    let none = member.post("/news/dashboard", &[("owner_id", owner)]).await;
    assert_eq!(none.status, 422);
    // What is refused keeps the filter and the chosen posts.
    let back = ("back", "/news/dashboard?search=dark");
    let fields = [("post_ids", &*posts[0]), ("status_id", "x"), back];
    let refused = member.post("/news/dashboard", &fields).await;
    assert_eq!(refused.status, 422);
    assert!(!refused.text.contains("Night theme"), "{}", refused.text);
    assert!(refused.text.contains(&format!("value=\"{}\" checked", posts[0])), "{}", refused.text);
    assert!(refused.text.contains("id=\"bulk\" open"), "{}", refused.text);
    let fields = [("post_ids", &*posts[0]), ("post_ids", &*posts[1]), ("owner_id", owner)];
    assert_eq!(member.post("/news/dashboard", &fields).await.status, 303);
    for post in &posts {
        assert_eq!(post_of(&portal.acme, post).await["owner_id"], owner);
    }
    let queue = member.get("/news/dashboard/moderation").await;
    assert!(queue.text.contains("Buy pills"));
    let item = format!("post:{pending}");
    let fields = [("item", &*item), ("decision", "spam"), ("state", "pending")];
    assert_eq!(member.post("/news/dashboard/moderation", &fields).await.status, 303);
    assert_eq!(post_of(&portal.acme, &pending).await["moderation_status_code"], "spam");
    assert!(!member.get("/news/dashboard/moderation").await.text.contains("Buy pills"));
    let log = portal.acme.post("/audit/list", json!({"target_id": pending})).await.expect(200);
    assert_eq!(log["items"][0]["door"], "dashboard");
    assert_eq!(log["items"][0]["actor_id"], owner);
}

#[rstest]
#[tokio::test]
async fn a_member_is_invited_gets_another_role_and_leaves_while_signed_in(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world().draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let members = "/news/dashboard/members";
    let invite = [("act", "invite"), ("email", "bob@example.com"), ("role", "admin")];
    let page = owner.post(members, &invite).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let (_, link) = page.text.split_once("https://feedback.example").expect("a link");
    let link = link.split('<').next().expect("a link").to_owned();
    eventually("the invitation is mailed", async || {
        (!portal.mails_to("bob@example.com").is_empty()).then_some(())
    })
    .await;
    assert!(owner.get(members).await.text.contains("bob@example.com"));

    let bob = portal.browser();
    assert_eq!(bob.post(&link, &[]).await.status, 303);
    assert_eq!(bob.get(members).await.status, 200);
    let id = async |email: &str| {
        let user = portal.members(email).await.expect(200);
        user["user_id"].as_str().expect("an id").to_owned()
    };
    let change = async |browser: &Browser, email: &str, role: &str| {
        let id = id(email).await;
        let fields = [("act", "change"), ("user_id", &id), ("role", role), ("confirm", "yes")];
        browser.post(members, &fields).await
    };
    // An admin makes and unmakes no owner, and the last one stays.
    assert_eq!(change(&bob, "bob@example.com", "owner").await.status, 422);
    assert_eq!(change(&bob, "ada@example.com", "").await.status, 422);
    let owner_invite = [("act", "invite"), ("email", "eve@example.com"), ("role", "owner")];
    assert_eq!(bob.post(members, &owner_invite).await.status, 422);
    let last = change(&owner, "ada@example.com", "admin").await;
    assert!(last.status == 422 && last.text.contains("The last owner stays"), "{}", last.text);

    // An invitation that is withdrawn lets nobody in.
    let invite = [("act", "invite"), ("email", "carl@example.com"), ("role", "viewer")];
    let page = owner.post(members, &invite).await;
    let (_, link) = page.text.split_once("https://feedback.example").expect("a link");
    let link = link.split('<').next().expect("a link").to_owned();
    let open = owner.get(members).await.field("invitation").expect("an invitation");
    let withdraw = [("act", "withdraw"), ("invitation", &*open), ("email", "carl@example.com")];
    let asked = owner.post(members, &withdraw).await;
    assert!(asked.status == 200 && asked.text.contains("sent to"), "{}", asked.text);
    assert_eq!(asked.field("confirm").as_deref(), Some("yes"));
    assert!(owner.get(members).await.text.contains("carl@example.com"));
    let withdraw = [&withdraw[..], &[("confirm", "yes")]].concat();
    assert_eq!(owner.post(members, &withdraw).await.status, 303);
    assert!(!owner.get(members).await.text.contains("carl@example.com"));
    let carl = portal.browser();
    carl.post(&link, &[]).await;
    assert!(!carl.is_signed_in().await);

    // A removal asks once.
    let bobs = id("bob@example.com").await;
    let remove = [("act", "change"), ("user_id", &*bobs), ("role", ""), ("name", "<Bob>")];
    let asked = plain(&owner.post(members, &remove).await.text);
    assert!(asked.contains("<Bob>") && asked.contains("leaves the team"), "{asked}");
    let vera = portal.member("vera@example.com", "viewer").await;
    assert_eq!(vera.post(members, &remove).await.status, 403);
    assert!(bob.is_signed_in().await);
    // A role that is taken away holds for the next request, and the sessions have ended.
    assert_eq!(change(&owner, "bob@example.com", "").await.status, 303);
    assert!(!bob.is_signed_in().await);
    assert!(bob.get("/news/dashboard").await.location().contains("/sign-in"));
    let log = portal.acme.post("/audit/list", json!({"limit": 100})).await.expect(200);
    let actions: Vec<&str> =
        log["items"].as_array().unwrap().iter().filter_map(|it| it["action"].as_str()).collect();
    for action in ["members/invite", "members/withdraw", "members/change"] {
        assert!(actions.contains(&action), "{actions:?}");
    }
}

#[rstest]
#[tokio::test]
async fn a_member_of_the_team_is_changed_by_those_alone_who_manage_members(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { draft, author, .. } = world();
    let portal = Portal::new(store, draft).await;
    let [owner, admin, member] = [
        portal.member("olga@example.com", "owner").await,
        portal.member("adam@example.com", "admin").await,
        portal.member("mia@example.com", "member").await,
    ];
    let id = async |email: &str| {
        let user = portal.members(email).await.expect(200);
        user["user_id"].as_str().expect("an id").to_owned()
    };
    let (olga, adam) = (id("olga@example.com").await, id("adam@example.com").await);
    // Whoever has the address of a member can sign in as the member.
    for (path, body) in [
        ("/users/update", json!({"user_id": olga, "email": "mine@example.com"})),
        ("/users/block", json!({"user_id": olga})),
        ("/users/delete", json!({"user_id": olga})),
        ("/users/erase", json!({"user_id": olga})),
        ("/users/merge", json!({"merge_user_id": olga, "into_user_id": author})),
    ] {
        let fields = body.as_object().expect("fields").iter();
        let fields = fields.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()));
        let fields = Vec::from_iter(fields.chain([("confirm".to_owned(), "yes".to_owned())]));
        for browser in [&admin, &member] {
            assert_eq!(act(browser, path, &borrowed(&fields)).await.status, 403, "{path}");
        }
        let refusal = json!({"detail": {"error": "an owner is changed in the dashboard"}});
        assert_eq!(portal.acme.post(path, body).await.expect(403), refusal, "{path}");
    }
    // A key changes the address of an admin.
    let moved = json!({"user_id": adam, "email": "adam@example.org"});
    portal.acme.post("/users/update", moved).await.expect(200);
    // All other values are those of any user.
    let named = json!({"email": "olga@example.com", "name": "Olga B."});
    portal.acme.post("/users/upsert", named).await.expect(200);
    let renamed = [("user_id", &*olga), ("name", "Olga")];
    assert_eq!(act(&member, "/users/update", &renamed).await.status, 303);
    // An owner stays, and removes others.
    let own = [("user_id", &*olga), ("confirm", "yes")];
    assert_eq!(act(&owner, "/users/delete", &own).await.status, 403);
    let other = [("user_id", &*adam), ("confirm", "yes")];
    assert_eq!(act(&owner, "/users/delete", &other).await.status, 303);
    assert!(!admin.is_signed_in().await);
    assert!(owner.is_signed_in().await && member.is_signed_in().await);
}

#[rstest]
#[tokio::test]
async fn secrets_are_shown_once_and_a_replaced_key_is_refused(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world().draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let made = act(&owner, "/webhooks/create", &[("url", "https://hooks.example/a")]).await;
    assert_eq!(made.status, 200, "{}", made.text);
    assert_eq!(made.header("cache-control"), "no-store");
    assert!(made.text.contains("whsec_") || made.text.contains("Signing secret"), "{}", made.text);
    let list = owner.get("/news/dashboard/webhooks").await;
    assert!(list.text.contains("hooks.example") && !list.text.contains("whsec_"));

    let keys = "/news/dashboard/keys";
    portal.acme.post("/ping", json!({})).await.expect(200);
    assert!(!owner.get(keys).await.text.contains("hbk_"));
    let shown = owner.post(keys, &[("act", "show")]).await;
    assert!(shown.text.contains("hbk_") && shown.header("cache-control") == "no-store");
    let replaced = owner.post(keys, &[("act", "rotate")]).await;
    assert!(replaced.text.contains("hbk_"), "{}", replaced.text);
    assert_eq!(portal.acme.post("/ping", json!({})).await.status, 401, "from the page on");
    // The audit log says who has seen and changed the key.
    let log = owner.get("/news/dashboard/audit").await.text;
    for action in ["api-keys/show", "api-keys/rotate", "member invite"] {
        assert_eq!(log.matches(action).count(), 1, "{action}: {log}");
    }
    assert!(!log.contains("hbk_"), "{log}");
    assert!(log.contains("Command line"), "{log}");
}

#[rstest]
#[tokio::test]
async fn the_settings_of_the_organization_are_saved_or_refused_as_a_whole(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world().draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let path = "/news/dashboard/organization";
    let all = [
        ("welcome_title", "What is missing?"),
        ("accent", "#0f766e"),
        ("theme", "dark"),
        ("shows_feedback", "yes"),
        ("signs_in_by_mail", "yes"),
        ("name", "Acme & Sons"),
    ];
    let unnamed = owner.post(path, &[&all[..], &[("name", " ")]].concat()).await;
    assert!(unnamed.status == 422 && unnamed.text.contains("id=\"name-fault\""));
    let wrong = [&all[..], &[("logo_url", "no address")]].concat();
    let refused = owner.post(path, &wrong).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("id=\"logo_url-fault\"") && refused.text.contains("no address"));
    assert_eq!(owner.get(path).await.field("welcome_title").as_deref(), Some(""));
    assert_eq!(owner.post(path, &all).await.status, 303);
    let page = eventually("the settings hold", async || {
        let page = owner.get(path).await;
        (page.field("welcome_title").as_deref() == Some("What is missing?")).then_some(page)
    });
    let page = page.await;
    assert_eq!(page.field("accent").as_deref(), Some("#0f766e"));
    assert!(page.text.contains("value=\"Acme &#38; Sons\""), "{}", page.text);
    assert!(!portal.browser().get("/news/").await.text.contains("/news/changelog"));
}
