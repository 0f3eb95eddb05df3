//! The actions of the dashboard, found as a person finds them: by links from its first page.

use super::{Browser, Draft, Portal, plain};
use crate::support::Store;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The endpoints whose forms are pages of their own, each with the page.
const PAGES: [(&str, &str); 2] = [
    ("/feedback-posts/bulk-update", "/dashboard"),
    ("/moderation/decide", "/dashboard/moderation"),
];

/// The endpoints that the dashboard leaves out. `LEFT_OUT` in its sections has the reasons.
const LEFT_OUT: [&str; 5] = [
    "/votes/set-many",
    "/votes/toggle",
    "/feedback-posts/add-tag",
    "/feedback-posts/remove-tag",
    "/help-articles/feedback",
];

/// An organization with a record of each kind, and one of each state that has an action of its own.
/// Returns it with a post to merge, a post and an article to delete, and a user.
fn draft() -> (Draft, [String; 2], String, String) {
    let mut draft = Draft::new();
    let company = draft.company(json!({}));
    let eve = draft.user(json!({"name": "Eve", "company_id": company}));
    draft.user(json!({"name": "Joe", "is_blocked": true}));
    let board = draft.board(json!({}));
    let category = draft.category(json!({}));
    let tag = draft.tag(json!({}));
    let filed = json!({"board_id": board, "category_id": category, "tag_ids": [tag]});
    let [post, other, deleted] = [(); 3].map(|()| draft.post(filed.clone()));
    let waiting = json!({"board_id": board, "moderation_status_code": "pending"});
    draft.post(waiting);
    draft.vote(&eve, &post, json!({}));
    draft.subscription(&eve, &post);
    let comment = draft.comment(&post, json!({}));
    draft.comment(&post, json!({"parent_comment_id": comment, "is_pinned": true}));
    let plan = draft.roadmap_post(json!({}));
    draft.link(&plan, &post);
    draft.label(json!({}));
    draft.entry(json!({}));
    let published = json!({"status_code": "published", "published_at": "2026-01-04"});
    let entry = draft.entry(published);
    draft.entry_link(&entry, &post);
    let shelf = draft.help_category(json!({}));
    let article = draft.article(json!({"category_id": shelf, "version": 2}));
    draft.version(&article, 1, "2026-01-04");
    draft.article(json!({"category_id": shelf, "status_code": "published",
        "published_at": "2026-01-04"}));
    let gone = draft.article(json!({"category_id": shelf}));
    draft.redirect("/from", "/to");
    draft.webhook(json!({}));
    (draft, [other, deleted], gone, eve)
}

#[tokio::test]
async fn links_lead_to_every_action_that_the_api_has() {
    let (draft, [merged, deleted], article, eve) = draft();
    let portal = Portal::new(Store::Sqlite, draft).await;
    let acme = &portal.acme;
    let owner = portal.member("ada@example.com", "owner").await;
    for (path, body) in [
        ("/feedback-posts/delete", json!({"post_id": deleted})),
        ("/help-articles/delete", json!({"article_id": article})),
    ] {
        acme.post(path, body).await.expect(200);
    }
    let posts = acme.post("/feedback-posts/list", json!({})).await.expect(200);
    let mut ids = posts["items"].as_array().expect("posts").iter().map(|post| &post["id"]);
    let into = ids.find(|id| **id != merged).expect("another post");
    let merge = json!({"merge_post_id": merged, "into_post_id": into, "merger_id": eve});
    acme.post("/feedback-posts/merge", merge).await.expect(200);
    let webhooks = acme.post("/webhooks/list", json!({})).await.expect(200);
    let tested = json!({"webhook_id": webhooks["items"][0]["id"]});
    acme.post("/webhooks/test", tested).await.expect(200);

    let found = actions(&owner).await;
    let document = reqwest::get(format!("{}/openapi.json", portal.server.base())).await.unwrap();
    let document: Value = document.json().await.unwrap();
    // Every write takes the header of its idempotency key.
    let writes = document["paths"].as_object().expect("paths").iter();
    let writes = writes.filter(|(_, operation)| operation["post"].get("parameters").is_some());
    let writes: BTreeSet<String> =
        writes.map(|(path, _)| path.replace("/api/external/v1", "")).collect();
    let elsewhere = PAGES.iter().map(|(path, _)| path).chain(&LEFT_OUT);
    let elsewhere: BTreeSet<String> = elsewhere.map(|path| (*path).to_owned()).collect();
    assert!(writes.contains("/tags/create"), "{writes:?}");
    let linked: BTreeSet<String> = found.intersection(&writes).cloned().collect();
    assert_eq!(linked, writes.difference(&elsewhere).cloned().collect());
    assert!(elsewhere.is_subset(&writes), "{elsewhere:?}");
    for (path, page) in PAGES {
        let form = format!("method=\"post\" action=\"/news{page}\"");
        let text = owner.get(&format!("/news{page}")).await.text;
        assert!(text.contains(&form), "{path}: {text}");
    }
}

/// Opens each page that links lead to from the first one. Returns the endpoints of all actions on them.
async fn actions(browser: &Browser) -> BTreeSet<String> {
    let mut waiting = vec!["/news/dashboard".to_owned()];
    let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
    let mut found = BTreeSet::new();
    while let Some(path) = waiting.pop() {
        let page = browser.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        for attribute in ["href=\"", "action=\""] {
            for address in page.text.split(attribute).skip(1) {
                let address = plain(address.split('"').next().expect("an end"));
                let (bare, _) = address.split_once(['?', '#']).unwrap_or((&address, ""));
                if let Some(endpoint) = bare.strip_prefix("/news/dashboard/do") {
                    found.insert(endpoint.to_owned());
                } else if attribute == "href=\""
                    && bare.starts_with("/news/dashboard")
                    && seen.insert(bare.to_owned())
                {
                    waiting.push(address.clone());
                }
            }
        }
    }
    found
}
