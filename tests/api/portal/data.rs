//! Import and export in the dashboard.

use super::{Browser, Draft, HOST, Page, Portal};
use crate::support::{Store, eventually};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// The page of an organization whose portal is not the first one.
const FRESH: &str = "/news/o/fresh/dashboard/data";

/// An organization with records of several kinds, among them the owner who imports them elsewhere.
fn world() -> Draft {
    let mut draft = Draft::new();
    let ada = json!({"email": "Ada@example.com", "name": "Ada", "portal_role": "owner"});
    let ada = draft.user(ada);
    let eve = draft.user(json!({"email": "eve@example.com", "name": "Eve"}));
    let tag = draft.tag(json!({"name": "Mobile \u{fc}"}));
    let post = draft.post(json!({"title": "Dark mode", "author_id": ada, "tag_ids": [tag]}));
    let other = draft.post(json!({"title": "Old", "author_id": eve, "merged_into_id": post}));
    draft.comment(&post, json!({"author_id": ada}));
    draft.comment(&other, json!({"author_id": eve}));
    draft.vote(&ada, &post, json!({}));
    draft.vote(&eve, &post, json!({}));
    draft.subscription(&ada, &post);
    draft
}

/// Sends a file as the form of the page does.
async fn upload(browser: &Browser, page: &str, is_dry: bool, file: &str) -> Page {
    let base = page.strip_suffix("/dashboard/data").expect("the page");
    let token = browser.form_token(base).await;
    let body = form(&token, is_dry, file);
    let path = format!("{page}/import");
    browser.request_of(Method::POST, &path, Some((MULTIPART, body.into_bytes()))).await
}

const MULTIPART: &str = "multipart/form-data; boundary=x";

fn form(token: &str, is_dry: bool, file: &str) -> String {
    let field = |name: &str, value: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let dry_run = if is_dry { field("dry_run", "yes") } else { String::new() };
    let token = field("form_token", token);
    let head = "Content-Disposition: form-data; name=\"file\"; filename=\"acme.jsonl\"";
    format!("{token}{dry_run}--x\r\n{head}\r\n\r\n{file}\r\n--x--\r\n")
}

/// Imports a file, and waits until the page says how that has ended.
async fn import(browser: &Browser, page: &str, is_dry: bool, file: &str) -> String {
    let answer = upload(browser, page, is_dry, file).await;
    assert_eq!(answer.location(), format!("{page}?import=begun"));
    let ended = eventually("the import has ended", async || {
        let shown = browser.get(page).await;
        assert_eq!(shown.status, 200, "{}", shown.text);
        let is_running = shown.text.contains("<progress");
        assert_eq!(shown.headers.contains_key("Refresh"), is_running);
        (!is_running).then_some(shown.text)
    });
    ended.await
}

/// An owner of a new organization, with the boards and statuses of its beginning.
async fn fresh(portal: &Portal, email: &str, role: &str) -> Browser {
    let list = portal.installation.command(&["organization", "list"]).await;
    if !list.contains("fresh") {
        let create = ["organization", "create", "--slug", "fresh", "--name", "Fresh"];
        portal.installation.command(&create).await;
    }
    let browser = portal.browser();
    let link = portal.invite("fresh", email, role).await;
    assert_eq!(browser.post(&link, &[]).await.status, 303);
    browser
}

async fn exported(portal: &Portal, slug: &str, options: &[&str]) -> String {
    let export = [&["export", "--organization", slug], options].concat();
    portal.installation.command(&export).await
}

fn records(file: &str) -> Vec<Value> {
    file.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

#[rstest]
#[tokio::test]
async fn an_export_is_the_file_of_the_command_line(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world()).await;
    let slug = portal.acme.slug();
    let owner = portal.member("olga@example.com", "owner").await;
    let admin = portal.member("adam@example.com", "admin").await;
    let page = "/news/dashboard/data";
    for (browser, options, fields) in [
        (&owner, &[][..], &[][..]),
        (&owner, &["--with-secrets"], &[("secrets", "yes")]),
        (&admin, &[], &[]),
    ] {
        let file = browser.post(page, fields).await;
        assert_eq!(file.status, 200, "{}", file.text);
        assert_eq!(file.text, exported(&portal, slug, options).await);
        assert_eq!(file.text.contains(portal.acme.key()), !fields.is_empty());
        let named = format!("attachment; filename=\"{slug}.jsonl\"");
        assert_eq!(file.header("Content-Disposition"), named);
        assert_eq!(file.header("Cache-Control"), "no-store");
    }
    assert!(owner.get(page).await.text.contains("name=\"secrets\""));
    assert!(!admin.get(page).await.text.contains("name=\"secrets\""));
    assert_eq!(admin.post(page, &[("secrets", "yes")]).await.status, 403);
    // A page of another site cannot fetch the file.
    assert_eq!(owner.send(page, &[]).await.status, 403);

    for role in ["member", "viewer"] {
        let browser = portal.member(&format!("{role}@example.com"), role).await;
        assert_eq!(browser.get(page).await.status, 404, "{role}");
        assert_eq!(browser.post(page, &[]).await.status, 404, "{role}");
        assert_eq!(upload(&browser, page, true, "x").await.status, 404, "{role}");
    }
    let log = portal.acme.post("/audit/list", json!({"limit": 100})).await.expect(200);
    let entries = log["items"].as_array().expect("entries");
    let of_exports = entries.iter().filter(|it| it["action"] == "organization/export");
    let secrets: Vec<bool> = of_exports.map(|it| it["data"].to_string().contains("true")).collect();
    assert_eq!(secrets, [false, true, false]);
}

#[rstest]
#[tokio::test]
async fn a_file_fills_an_organization_that_has_just_begun(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world()).await;
    let file = exported(&portal, portal.acme.slug(), &[]).await;
    let ada = fresh(&portal, "ada@example.com", "owner").await;
    let before = exported(&portal, "fresh", &[]).await;

    let checked = import(&ada, FRESH, true, &file).await;
    assert!(checked.contains("The file can be imported. Nothing is changed."), "{checked}");
    assert!(checked.contains("<code dir=\"ltr\">vote</code> 2"), "{checked}");
    assert_eq!(exported(&portal, "fresh", &[]).await, before);

    let done = import(&ada, FRESH, false, &file).await;
    assert!(done.contains("The file is imported"), "{done}");
    // People who are there already stand for those of the file.
    let person = |records: &[Value]| {
        let is_ada = |it: &&Value| it["email"].as_str().is_some_and(|it| it.starts_with("Ada@"));
        let is_here = |it: &&Value| it["email"] == "ada@example.com";
        let user = records.iter().find(is_ada).or(records.iter().find(is_here));
        user.expect("Ada")["user_id"].as_str().expect("an identifier").to_owned()
    };
    let (there, after) = (person(&records(&file)), exported(&portal, "fresh", &[]).await);
    let here = person(&records(&after));
    let others = |file: &str| -> Vec<String> {
        let is_own =
            |line: &&str| !line.contains("\"organization\"") && !line.contains("da@example.com");
        file.lines().filter(is_own).map(str::to_owned).collect()
    };
    assert_eq!(others(&file.replace(&there, &here)), others(&after));
    assert_eq!(records(&after)[0], records(&before)[0]);

    let log = ada.get("/news/o/fresh/dashboard/audit").await;
    assert!(log.text.contains("organization/import"), "{}", log.text);
    // The organization has records now.
    assert!(done.contains("an import never merges"), "{done}");
    let refused = upload(&ada, FRESH, false, &file).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
}

#[rstest]
#[tokio::test]
async fn a_fault_names_its_line_and_field_and_changes_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world()).await;
    let file = exported(&portal, portal.acme.slug(), &[]).await;
    let admin = fresh(&portal, "adam@example.com", "admin").await;
    let before = exported(&portal, "fresh", &[]).await;
    let lines: Vec<&str> = file.lines().collect();
    let organization = lines[0];
    let of = |kind: &str| {
        let kind = format!("\"kind\":\"{kind}\"");
        lines.iter().copied().find(|line| line.contains(&kind)).expect("a record")
    };
    let (tag, post) = (of("tag"), of("feedback_post"));
    let wrong = tag.replace("#aabbcc", "<b>").replace("#abc", "<b>");
    for (lines, line, field, words) in [
        ([organization, "", wrong.as_str()], 3, "color", "This is no colour."),
        ([organization, tag, tag], 3, "id", "Another record has this already."),
        ([organization, tag, post], 3, "board_id", "is not above this line."),
        ([organization, organization, tag], 2, "kind", "records of one organization only."),
        ([organization, lines[1], lines[2]], 2, "portal_role", "Only owners make owners."),
    ] {
        let failed = import(&admin, FRESH, false, &lines.join("\n")).await;
        assert!(failed.contains("The file is not imported"), "{failed}");
        let at = format!("Line {line} · <code dir=\"ltr\">{field}</code>");
        let failed = failed.replace(['\u{2068}', '\u{2069}'], "");
        assert!(failed.contains(&at) && failed.contains(words), "{at}: {failed}");
        assert!(!failed.contains("<b>"), "{failed}");
    }
    // All lines with a fault of their own are told, and the first one that the store refuses.
    let wrong_again = wrong.replace("Mobile", "Desktop");
    let lines = [organization, &wrong, tag, tag, "{", &wrong_again].join("\n");
    let failed = import(&admin, FRESH, true, &lines).await.replace(['\u{2068}', '\u{2069}'], "");
    for line in [2, 5, 6] {
        assert!(failed.contains(&format!("<p>Line {line}")), "{line}: {failed}");
    }
    let lines = [organization, tag, tag, "{", &wrong_again].join("\n");
    let failed = import(&admin, FRESH, true, &lines).await.replace(['\u{2068}', '\u{2069}'], "");
    for line in [3, 4, 5] {
        assert!(failed.contains(&format!("<p>Line {line}")), "{line}: {failed}");
    }
    let empty = upload(&admin, FRESH, false, "").await;
    assert_eq!(empty.status, 422, "{}", empty.text);
    assert!(empty.text.contains("id=\"file-fault\""), "{}", empty.text);
    let body = form("wrong", false, &file).into_bytes();
    let path = format!("{FRESH}/import");
    let forged = admin.request_of(Method::POST, &path, Some((MULTIPART, body))).await;
    assert_eq!(forged.status, 403);
    assert_eq!(exported(&portal, "fresh", &[]).await, before);
}

#[rstest]
#[tokio::test]
async fn one_import_is_under_way_at_a_time(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let portal = Portal::new(store, world()).await;
    let file = exported(&portal, portal.acme.slug(), &[]).await;
    let ada = fresh(&portal, "ada@example.com", "owner").await;
    // A file of which the end does not come.
    let token = ada.form_token("/news/o/fresh").await;
    let cookies: Vec<String> =
        ada.cookies().iter().map(|(name, value)| format!("{name}={value}")).collect();
    let cookies = cookies.join("; ");
    let body = form(&token, false, &file);
    let head = format!(
        "POST /o/fresh/dashboard/data/import HTTP/1.1\r\nHost: {HOST}\r\nCookie: {cookies}\r\n\
         Sec-Fetch-Site: same-origin\r\nContent-Type: {MULTIPART}\r\n\
         Content-Length: {}\r\n\r\n",
        body.len() + 1
    );
    let address = portal.server.base().strip_prefix("http://").expect("an address");
    let mut slow = TcpStream::connect(address).await.expect("a connection");
    slow.write_all(format!("{head}{body}").as_bytes()).await.expect("written");
    eventually("the first file is coming", async || {
        ada.get(FRESH).await.text.contains("A file is coming").then_some(())
    })
    .await;
    let second = upload(&ada, FRESH, false, &file).await;
    assert_eq!(second.status, 409, "{}", second.text);
    assert!(second.text.contains("Another import or export is under way"), "{}", second.text);
    drop(slow);
    eventually("the first file is given up", async || {
        (!ada.get(FRESH).await.text.contains("A file is coming")).then_some(())
    })
    .await;
    let done = import(&ada, FRESH, false, &file).await;
    assert!(done.contains("The file is imported"), "{done}");
}
