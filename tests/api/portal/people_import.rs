//! Imports of people in the dashboard.

use super::{Browser, Draft, Page, Portal};
use crate::support::{Store, eventually};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};

const PAGE: &str = "/news/dashboard/people/import";

/// Sends a form of the page, with a file if there is one.
async fn send(browser: &Browser, fields: &[(&str, &str)], file: Option<&[u8]>) -> Page {
    let token = browser.form_token("/news").await;
    let mut body = Vec::new();
    for (name, value) in [("form_token", token.as_str())].iter().chain(fields) {
        let head = format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend([head.as_bytes(), value.as_bytes(), b"\r\n"].concat());
    }
    let head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"p.csv\"\r\n\r\n";
    body.extend([head.as_bytes(), file.unwrap_or_default(), b"\r\n--x--\r\n"].concat());
    let body = Some(("multipart/form-data; boundary=x", body));
    browser.request_of(Method::POST, PAGE, body).await
}

/// What the page says, without the marks around numbers.
fn said(page: &Page) -> String {
    page.text.replace(['\u{2068}', '\u{2069}'], "")
}

/// Imports the lines, and returns the address of the import once it has ended.
async fn import(browser: &Browser, lines: &str) -> (String, String) {
    let begun = send(browser, &[("act", "import"), ("text", lines)], None).await;
    let address = begun.location();
    let ended = ended(browser, &address).await;
    (address, ended)
}

/// The page of an import once nothing is under way.
async fn ended(browser: &Browser, address: &str) -> String {
    eventually("the import has ended", async || {
        let page = browser.get(address).await;
        assert_eq!(page.status, 200, "{}", page.text);
        (!page.headers.contains_key("Refresh")).then(|| said(&page))
    })
    .await
}

async fn user(portal: &Portal, email: &str) -> Option<Value> {
    let found = portal.acme.post("/users/retrieve", json!({"email": email})).await;
    (found.status == 200).then(|| found.expect(200))
}

fn world() -> Draft {
    let mut draft = Draft::new();
    let ada = json!({"email": "ada@example.com", "name": "Ada", "customer_status": "trial"});
    draft.user(ada);
    draft.user(json!({"email": "same@example.com", "name": "Same"}));
    draft.company(json!({"external_id": "c-1", "name": "Acme"}));
    draft
}

const LINES: &str = "email,name,company_id,company,mrr,status,shoe size\n\
    ada@example.com,Ada Lovelace,,,,paying,\n\
    new@example.com,Neo,c-1,,12.50,,42\n\
    other@example.com,Other,c-2,Globex,,,\n\
    same@example.com,Same,,,,,\n";

#[rstest]
#[tokio::test]
async fn an_import_is_shown_before_it_is_made_and_can_be_undone(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world()).await;
    let member = portal.member("mia@example.com", "member").await;
    let before = portal.acme.export().await;
    let preview = send(&member, &[("act", "preview")], Some(LINES.as_bytes())).await;
    assert_eq!(preview.status, 200, "{}", preview.text);
    assert_eq!(preview.header("Cache-Control"), "no-store");
    let preview = said(&preview);
    for text in [
        "New people: 2",
        "People who change: 1",
        "People who stay as they are: 1",
        "These columns are left out: shoe size",
        "Ada → Ada Lovelace",
        "New company: Globex",
        "Import (changes: 3)",
    ] {
        assert!(preview.contains(text), "{text}: {preview}");
    }
    assert_eq!(portal.acme.export().await, before);

    let (address, done) = import(&member, LINES).await;
    for text in
        ["People who are new: 2", "People who changed: 1", "People who stayed as they were: 1"]
    {
        assert!(done.contains(text), "{text}: {done}");
    }
    let new = user(&portal, "new@example.com").await.expect("a user");
    assert_eq!((&new["name"], &new["company_name"]), (&json!("Neo"), &json!("Acme")));
    let company = json!({"external_id": "c-1"});
    let company = portal.acme.post("/companies/retrieve", company).await.expect(200);
    assert_eq!(company["monthly_spend"], "12.50");
    // The same file changes nothing.
    let (_, again) = import(&member, LINES).await;
    assert!(again.contains("People who stayed as they were: 4"), "{again}");

    // Somebody changes one of the new people, and another value of the one who was there.
    let other = user(&portal, "other@example.com").await.expect("a user")["user_id"].clone();
    let renamed = json!({"user_id": other, "name": "Renamed"});
    portal.acme.post("/users/update", renamed).await.expect(200);
    let ada = user(&portal, "ada@example.com").await.expect("a user")["user_id"].clone();
    let moved = json!({"user_id": ada, "locale": "de"});
    portal.acme.post("/users/update", moved).await.expect(200);

    assert_eq!(member.post(&address, &[]).await.location(), address);
    let undone = ended(&member, &address).await;
    // Ada, Neo, and the spend of Acme.
    assert!(undone.contains("Undone. Changes that went back: 3"), "{undone}");
    assert!(undone.contains(">Renamed</a>"), "{undone}");
    assert!(undone.contains(">Globex</a>"), "{undone}");
    assert!(!undone.contains("Undo the import"), "{undone}");
    assert_eq!(user(&portal, "new@example.com").await, None);
    let ada = user(&portal, "ada@example.com").await.expect("a user");
    let values = ["name", "customer_status", "locale"].map(|name| ada[name].clone());
    assert_eq!(values, [json!("Ada"), json!("trial"), json!("de")]);
    assert_eq!(user(&portal, "other@example.com").await.expect("a user")["name"], "Renamed");

    // An import is undone once.
    assert_eq!(member.post(&address, &[]).await.location(), address);
    let log = portal.acme.post("/audit/list", json!({"limit": 100})).await.expect(200);
    let entries = log["items"].as_array().expect("entries");
    let count = |action: &str| entries.iter().filter(|it| it["action"] == action).count();
    // Both imports begin and end. The undoing begins and ends, and makes three changes.
    assert_eq!((count("people/import"), count("people/undo-import")), (4, 5));
    // Nobody is mailed or told of an imported person.
    assert_eq!(portal.acme.events().await, Vec::<Value>::new());
}

#[rstest]
#[tokio::test]
async fn lines_with_a_fault_are_named_and_left_out(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, world()).await;
    let admin = portal.member("adam@example.com", "admin").await;
    let lines = "email;name;company;mrr\nnobody;Nobody;;\nada@example.com;Ada;;\n\
        ADA@example.com;Ada again;;\nx@example.com;X;Initech;5\nnew@example.com;<b>New</b>;;\n";
    let preview = said(&send(&admin, &[("act", "preview"), ("text", lines)], None).await);
    for text in [
        "Lines with a fault: 3",
        "<td>2</td><td dir=\"auto\">nobody</td><td dir=\"auto\"><span class=\"said\">Mail address: This is no",
        "This person is on line 3 already.",
        "<td>5</td><td dir=\"auto\">x@example.com</td>",
        "Import (changes: 1)",
    ] {
        assert!(preview.contains(text), "{text}: {preview}");
    }
    assert!(!preview.contains("<b>"), "{preview}");
    let (_, done) = import(&admin, lines).await;
    assert!(done.contains("People who are new: 1"), "{done}");
    assert!(done.contains("Lines with a fault: 3"), "{done}");
    for line in [2, 4, 5] {
        assert!(done.contains(&format!("<li>Line {line}: ")), "{line}: {done}");
    }
    assert!(user(&portal, "new@example.com").await.is_some());
    assert!(user(&portal, "x@example.com").await.is_none());

    let long = format!("email\n{}", "a@example.com\n".repeat(5_001));
    let large = "x".repeat(1024 * 1024 + 1);
    for (file, words) in [
        (&b""[..], "Choose a file, or paste lines."),
        (b" \r\n", "Choose a file, or paste lines."),
        (b"email\n\xff@example.com\n", "The file is not text in UTF-8."),
        (b"name\nAda\n", "names neither a column email nor a column external_id"),
        (b"email,name\n", "The file has no people."),
        (b"email,name\na@example.com\n", "Line 2 has another number of values"),
        (long.as_bytes(), "The file has more people than 5,000"),
        (large.as_bytes(), "The file is longer than 1 MiB."),
    ] {
        let refused = send(&admin, &[("act", "import")], Some(file)).await;
        assert_eq!(refused.status, 422, "{words}");
        assert!(said(&refused).contains(words), "{words}: {}", refused.text);
    }
    let list = admin.get("/news/dashboard/people").await.text;
    assert!(list.contains("/dashboard/people/import\""), "{list}");

    let viewer = portal.member("vera@example.com", "viewer").await;
    assert_eq!(viewer.get(PAGE).await.status, 403);
    assert_eq!(send(&viewer, &[("act", "import"), ("text", lines)], None).await.status, 403);
    let list = viewer.get("/news/dashboard/people").await.text;
    assert!(!list.contains("/dashboard/people/import\""), "{list}");
    let missing = "/news/dashboard/people/imports/00000000-0000-7000-8000-000000000009";
    assert_eq!(admin.get(missing).await.status, 404);
    assert_eq!(admin.post(missing, &[]).await.status, 404);
}
