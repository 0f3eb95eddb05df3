//! The response for a deleted record, and for a record of another organization, equals the response
//! for a record that does not exist.

use crate::support::{Draft, ENDPOINTS, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Adds a record of each kind to which a request may refer. Returns their ids by kind.
fn furnish(draft: &mut Draft, is_active: bool) -> BTreeMap<&'static str, String> {
    let with = |mut members: Value| {
        members["is_active"] = is_active.into();
        members
    };
    let plain = || with(json!({}));
    let company = draft.company(plain());
    let employed = with(json!({"company_id": company}));
    let (board, status, user) = (draft.board(plain()), draft.status(plain()), draft.user(employed));
    let named = json!({"board_id": board, "status_id": status, "author_id": user});
    let (post, other_post) = (draft.post(with(named)), draft.post(plain()));
    let merged_post = draft.post(with(json!({"merged_into_id": post})));
    let roadmap_post = draft.roadmap_post(plain());
    let comment = draft.comment(&post, with(json!({"author_id": user})));
    draft.vote(&user, &post, json!({}));
    let roadmap_board = draft.roadmap_board(plain());
    let (other_board, other_category, other_tag) =
        (draft.board(plain()), draft.category(plain()), draft.tag(with(json!({"name": "other"}))));
    let other_collection = draft.collection(plain());
    let (category, tag, label) =
        (draft.category(plain()), draft.tag(plain()), draft.label(plain()));
    let entry = draft.entry(with(json!({"author_id": user, "label_ids": [label]})));
    let collection = draft.collection(plain());
    let help_category = draft.help_category(with(json!({"collection_id": collection})));
    let article = draft.article(with(json!({"category_id": help_category})));
    let redirect = if is_active { draft.redirect("/guide", "/help") } else { id() };
    let mut all = BTreeMap::from([
        ("board", board),
        ("status", status),
        ("other board", other_board),
        ("other category", other_category),
        ("other collection", other_collection),
        ("other tag", other_tag),
        ("company", company),
        ("user", user),
        ("post", post),
        ("other post", other_post),
        ("merged post", merged_post),
        ("roadmap board", roadmap_board),
        ("roadmap post", roadmap_post),
        ("comment", comment),
        ("category", category),
        ("tag", tag),
        ("label", label),
        ("entry", entry),
        ("collection", collection),
        ("help category", help_category),
        ("article", article),
        ("redirect", redirect),
        // A delivery cannot be imported.
        ("delivery", id()),
    ]);
    // An inactive webhook is not deleted.
    if is_active {
        let to = json!({"event_types": ["user.created"]});
        all.insert("webhook", draft.webhook(to));
    }
    all
}

/// The kind of record to which a field of an endpoint refers.
fn named(path: &str, field: &str) -> &'static str {
    match (field, path) {
        (
            "user_id" | "merger_id" | "author_id" | "owner_id" | "created_by_id" | "changed_by_id"
            | "allowed_user_ids" | "voter_id" | "actor_id" | "merge_user_id" | "into_user_id",
            _,
        ) => "user",
        ("post_id", path) if path.starts_with("/roadmap-posts/") => "roadmap post",
        ("id", "/roadmap-posts/retrieve") => "roadmap post",
        ("ids", "/feedback-boards/reorder") => "board",
        ("ids", "/roadmap-boards/reorder") => "roadmap board",
        ("ids", "/statuses/reorder") => "status",
        ("ids", "/help-collections/reorder") => "collection",
        ("ids", "/help-categories/reorder") => "help category",
        ("ids", "/help-articles/reorder") => "article",
        ("replacement_status_id", _) | ("id", "/statuses/retrieve") => "status",
        ("replacement_category_id", _) => "other category",
        ("into_tag_id", _) => "other tag",
        ("move_posts_to_board_id", _) => "other board",
        ("add_tag_ids", _) => "tag",
        ("remove_tag_ids", _) => "other tag",
        (
            "post_id" | "post_ids" | "feedback_post_ids" | "feedback_post_id" | "merge_post_id",
            _,
        )
        | ("id", "/feedback-posts/retrieve") => "post",
        ("target_id", _) => "post",
        ("into_post_id", _) => "other post",
        ("board_id" | "board_ids", _) | ("id", "/feedback-boards/retrieve") => "board",
        ("status_id", _) => "status",
        ("comment_id" | "parent_comment_id", _) | ("id", "/comments/retrieve") => "comment",
        ("id", "/categories/retrieve")
        | (
            "category_id",
            "/feedback-posts/create"
            | "/feedback-posts/update"
            | "/feedback-posts/list"
            | "/feedback-posts/bulk-update"
            | "/roadmap-posts/create"
            | "/roadmap-posts/update"
            | "/roadmap-posts/list"
            | "/categories/update"
            | "/categories/delete",
        ) => "category",
        ("company_id", _) | ("id", "/companies/retrieve" | "/companies/delete") => "company",
        ("roadmap_board_id", _) | ("id", "/roadmap-boards/retrieve") => "roadmap board",
        ("tag_id" | "tag_ids", _) | ("id", "/tags/retrieve") => "tag",
        ("label_id" | "label_ids", _) | ("id", "/labels/retrieve") => "label",
        ("webhook_id", _) | ("id", "/webhooks/retrieve") => "webhook",
        ("delivery_id", _) | ("id", "/deliveries/retrieve") => "delivery",
        ("entry_id", _) | ("id", "/changelog/retrieve") => "entry",
        ("move_to_collection_id", _) => "other collection",
        ("collection_id", _) => "collection",
        ("category_id", _) => "help category",
        ("article_id" | "related_article_ids", _) => "article",
        ("redirect_id", _) => "redirect",
        _ => panic!("{field} of {path} is not a reference"),
    }
}

/// The name of a missing record in the message of an endpoint.
fn subject(path: &str) -> &'static str {
    match path {
        "/categories/retrieve" => "category",
        "/changelog/retrieve" => "changelog entry",
        "/comments/retrieve" => "comment",
        "/companies/retrieve" => "company",
        "/feedback-boards/retrieve" => "feedback board",
        "/feedback-posts/retrieve" => "feedback post",
        "/help-articles/retrieve" => "help article",
        "/help-categories/retrieve" => "help category",
        "/help-collections/retrieve" => "help collection",
        "/labels/retrieve" => "label",
        "/roadmap-boards/retrieve" => "roadmap board",
        "/roadmap-posts/retrieve" => "roadmap post",
        "/statuses/retrieve" => "status",
        "/tags/retrieve" => "tag",
        "/users/retrieve" => "user",
        "/webhooks/retrieve" => "webhook",
        "/deliveries/retrieve" => "delivery",
        _ => panic!("{path} is not a retrieval"),
    }
}

#[rstest]
#[tokio::test]
async fn a_deleted_or_foreign_id_in_any_field_of_any_endpoint_answers_byte_for_byte_as_an_unknown_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let own = furnish(&mut acme, true);
    let deleted = furnish(&mut acme, false);
    let foreign = furnish(&mut globex, true);
    let (acme, globex) = (acme.open(store).await, globex.open(store).await);
    let (before, theirs_before) = (acme.export().await, globex.export().await);
    let (unknown, nobodys) = (id(), id());
    let mut compared = 0;
    for endpoint in ENDPOINTS.iter() {
        for field in endpoint.ids() {
            // The other fields have ids that exist, then ids that do not exist.
            let own_ids = endpoint.body(|field| own[named(endpoint.path, field)].clone());
            for mut body in [own_ids, endpoint.body(|_| nobodys.clone())] {
                field.put(&mut body, &unknown);
                let expected = acme.post(endpoint.path, body.clone()).await;
                if endpoint.path.ends_with("/retrieve") {
                    let message = format!("{} not found", subject(endpoint.path));
                    assert_eq!(expected.expect(404), error(&message));
                }
                // A merge refuses a deleted post in another way, a restoration restores it, and a
                // deleted user can be exported and erased.
                let knows_deleted = ["/merge", "/restore", "/export", "/erase"];
                let is_equal = !knows_deleted.iter().any(|verb| endpoint.path.ends_with(verb));
                let kind = named(endpoint.path, field.name);
                let deleted = deleted.get(kind).filter(|_| is_equal);
                for other in foreign.get(kind).into_iter().chain(deleted) {
                    field.put(&mut body, other);
                    let answer = acme.post(endpoint.path, body.clone()).await;
                    assert_eq!(answer.status, expected.status, "{} {}", endpoint.path, field.name);
                    // Some messages contain the id of the request.
                    assert_eq!(
                        answer.text().replace(other, &unknown),
                        expected.text(),
                        "{} {}",
                        endpoint.path,
                        field.name
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 300, "{compared} pairs were compared");
    assert_eq!(
        (acme.export().await, globex.export().await),
        (before, theirs_before),
        "no request changes a record"
    );
}

#[rstest]
#[tokio::test]
async fn lists_show_nothing_of_another_organization(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut globex = Draft::with(json!({"events_ledger": true}));
    furnish(&mut globex, true);
    globex.post(json!({"moderation_status_code": "pending"}));
    let (acme, globex) = (Draft::new().open(store).await, globex.open(store).await);
    globex.post("/categories/create", json!({"name": "In the audit log"})).await.expect(200);
    globex.post("/users/upsert", json!({"email": "told@example.com"})).await.expect(200);
    let is_whole_list = |path: &str| {
        (path.ends_with("/list") && path != "/comments/list") || path.ends_with("/search")
    };
    for endpoint in ENDPOINTS.iter().filter(|endpoint| is_whole_list(endpoint.path)) {
        let items = |list: Value| list.get("items").cloned().unwrap_or(list);
        let mut body = endpoint.bare();
        if body["query"].is_string() {
            body["query"] = json!("t");
        }
        if endpoint.path == "/audit/list" {
            // Each organization has the entry of its own key.
            body["action"] = json!("categories/create");
        }
        assert_eq!(
            items(acme.post(endpoint.path, body.clone()).await.expect(200)),
            json!([]),
            "{}",
            endpoint.path
        );
        assert_ne!(
            items(globex.post(endpoint.path, body).await.expect(200)),
            json!([]),
            "{}",
            endpoint.path
        );
    }
}
