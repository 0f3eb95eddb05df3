//! The lists of the dashboard, and the pages of records that no form changes.

use super::{Browser, Page, Portal, plain};
use crate::deliveries::{Receiver, deliveries, hook, tell};
use crate::support::{Draft, Installation, Store};
use rstest::rstest;
use serde_json::json;
use std::slice;

/// The rows of the table of a page, without tags.
fn rows(page: &Page) -> Vec<String> {
    let body = page.text.split("<tbody>").nth(1).and_then(|it| it.split("</tbody>").next());
    let row = |row: &str| format!("|{}|", words(row.trim_end()));
    body.unwrap_or_default().split("<tr>").skip(1).map(row).collect()
}

/// A part of a page without tags, and without the marks around the arguments of a message.
fn words(html: &str) -> String {
    let parts = html.split('<').filter_map(|part| part.split_once('>'));
    let text = plain(&parts.map(|(_, text)| text).collect::<Vec<_>>().join("|"));
    text.replace(['\u{2068}', '\u{2069}'], "")
}

/// The rows of the audit log.
async fn log(browser: &Browser, query: &str) -> Vec<String> {
    let page = browser.get(&format!("/news/dashboard/audit{query}")).await;
    assert_eq!(page.status, 200, "{}", page.text);
    rows(&page)
}

#[rstest]
#[tokio::test]
async fn a_delivery_is_shown_with_its_attempts_its_request_and_no_secret(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let settings = [
        ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true"),
        ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1s"),
    ];
    let installation = Installation::new(store, &settings).await;
    let portal = Portal::of(installation, Draft::with(json!({"events_ledger": true}))).await;
    let viewer = portal.member("vera@example.com", "viewer").await;
    let receiver = Receiver::answering(&[503]);
    hook(&portal.acme, &receiver).await;
    tell(&portal.acme, "zoe").await;
    let delivery = deliveries(&portal.acme, "delivered", 1).await.remove(0);
    let got = receiver.got(2).await.remove(0);

    let id = delivery["id"].as_str().expect("an id");
    let page = viewer.get(&format!("/news/dashboard/deliveries/{id}")).await;
    let attempts = rows(&page);
    assert_eq!(attempts.len(), 2, "{}", page.text);
    for (attempt, status) in attempts.iter().zip(["|503|", "|200|"]) {
        assert!(attempt.contains(status) && attempt.contains("thanks"), "{attempt}");
    }
    let text = words(&page.text);
    assert!(text.contains(&receiver.url) && text.contains("zoe@example.com"), "{text}");
    for header in ["content-type", "x-service-event", "x-service-webhook-id"] {
        let value = got.header(header);
        let is_shown = |line: &str| line.to_lowercase().ends_with(&format!("{header}: {value}"));
        assert!(text.split(['\n', '|']).any(is_shown), "{header}: {value}: {text}");
    }
    let body = serde_json::to_string_pretty(&got.body).expect("JSON");
    assert!(text.contains(&body), "{body}: {text}");
    for secret in ["whsec_", "sha256=", got.header("webhook-signature")] {
        assert!(!text.contains(secret), "{secret}");
    }

    let events = rows(&viewer.get("/news/dashboard/events").await);
    assert!(events.iter().any(|event| event.contains("user.created")), "{events:?}");
    let none = viewer.get("/news/dashboard/events?event_types=vote.created").await;
    assert_eq!(rows(&none), Vec::<String>::new());
}

#[rstest]
#[tokio::test]
async fn the_audit_log_names_who_changed_what_and_is_filtered(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let ada = draft.user(json!({"email": "ada@example.com", "name": "Ada Lovelace"}));
    let tag = draft.tag(json!({"name": "Old name"}));
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let form = [("tag_id", &*tag), ("name", "New name"), ("is_public", "yes")];
    assert_eq!(owner.post("/news/dashboard/do/tags/update", &form).await.status, 303);
    portal.acme.post("/tags/create", json!({"name": "Made by a program"})).await.expect(200);

    let all = log(&owner, "").await;
    let found = |action: &str| all.iter().find(|row| row.starts_with(action));
    let row = |action: &str| found(action).unwrap_or_else(|| panic!("{action}: {all:?}"));
    let update = row("|tags/update|");
    assert!(update.contains("|Ada Lovelace|") && !update.contains(&ada), "{update}");
    assert!(update.contains("|Dashboard|"), "{update}");
    assert!(update.contains("Name: Old name → New name"), "{update}");
    let create = row("|tags/create|");
    assert_eq!(create.matches("|API|").count(), 2, "{create}");
    assert!(create.contains("Name: Made by a program"), "{create}");
    let joined = row("|portal/sign-in|");
    assert_eq!(joined.matches("|The server|").count(), 2, "{joined}");
    assert!(joined.contains("Role: Visitor → Owner"), "{joined}");

    assert_eq!(log(&owner, &format!("?target_id={tag}")).await, slice::from_ref(update));
    assert_eq!(log(&owner, "?action=tags/create").await, slice::from_ref(create));
    let of_ada = log(&owner, &format!("?actor_id={ada}&created_after=2026-01-01T00:00")).await;
    assert!(of_ada.contains(update) && !of_ada.contains(create), "{of_ada:?}");
    assert_eq!(log(&owner, "?created_after=2999-01-01T00:00").await, Vec::<String>::new());

    let found = owner.get("/news/dashboard/audit?find-actor_id=ada&search-records=yes").await;
    assert!(found.text.contains(&format!("<option value=\"{ada}\">Ada Lovelace")));
    let refused = owner.get("/news/dashboard/audit?target_id=x").await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("id=\"target_id-fault\""), "{}", refused.text);
}

#[rstest]
#[tokio::test]
async fn the_next_page_and_the_new_record_keep_all_values_of_a_filter(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let labels = ["Apps", "Web"].map(|name| draft.label(json!({"name": name})));
    let other = draft.entry(json!({"title": "Without a label"}));
    for number in 0..30 {
        draft.entry(json!({"title": "Labelled", "label_ids": [labels[number % 2]]}));
    }
    let portal = Portal::new(store, draft).await;
    let owner = portal.member("ada@example.com", "owner").await;
    let both = format!("label_ids={}&label_ids={}", labels[0], labels[1]);
    let first = owner.get(&format!("/news/dashboard/changelog?{both}")).await;
    assert_eq!(rows(&first).len(), 25, "{}", first.text);
    let text = plain(&first.text);
    assert!(text.contains(&format!("/news/dashboard/do/changelog/create?{both}\"")), "{text}");
    let next = text.split("rel=\"next\" href=\"").nth(1).and_then(|it| it.split('"').next());
    let next = next.expect("a next page");
    assert!(next.contains(&both), "{next}");
    let second = owner.get(next).await;
    assert_eq!(rows(&second).len(), 5, "{}", second.text);
    assert!(!second.text.contains(&other));
}
