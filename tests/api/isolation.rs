//! What another organization has is answered exactly as what nobody has.

use crate::support::{Draft, ENDPOINTS, Store, id};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A record of each kind that a request may name, by what it is.
fn furnish(draft: &mut Draft) -> BTreeMap<&'static str, String> {
    let (board, status, user) =
        (draft.board(json!({})), draft.status(json!({})), draft.user(json!({})));
    let post = draft.post(json!({"board_id": board, "status_id": status, "author_id": user}));
    let other_post = draft.post(json!({}));
    let merged_post = draft.post(json!({"merged_into_id": post}));
    let roadmap_post = draft.roadmap_post(json!({}));
    let comment = draft.comment(&post, json!({"author_id": user}));
    draft.vote(&user, &post, json!({}));
    let (category, tag, label) =
        (draft.category(json!({})), draft.tag(json!({})), draft.label(json!({})));
    let entry = draft.entry(json!({"author_id": user, "label_ids": [label]}));
    let collection = draft.collection(json!({}));
    let help_category = draft.help_category(json!({"collection_id": collection}));
    let article = draft.article(json!({"category_id": help_category}));
    BTreeMap::from([
        ("board", board),
        ("status", status),
        ("user", user),
        ("post", post),
        ("other post", other_post),
        ("merged post", merged_post),
        ("roadmap post", roadmap_post),
        ("comment", comment),
        ("category", category),
        ("tag", tag),
        ("label", label),
        ("entry", entry),
        ("collection", collection),
        ("help category", help_category),
        ("article", article),
    ])
}

/// What a field of an endpoint names.
fn named(path: &str, field: &str) -> &'static str {
    match (field, path) {
        ("user_id" | "merger_id" | "author_id", _) => "user",
        ("post_id" | "feedback_post_id" | "merge_post_id", _)
        | ("id", "/feedback-posts/retrieve") => "post",
        ("into_post_id", _) => "other post",
        ("board_id", _) | ("id", "/feedback-boards/retrieve") => "board",
        ("status_id", _) => "status",
        ("id", "/comments/retrieve") => "comment",
        ("id", "/categories/retrieve") => "category",
        ("tag_id", _) | ("id", "/tags/retrieve") => "tag",
        ("label_ids", _) => "label",
        ("collection_id", _) => "collection",
        ("category_id", _) => "help category",
        ("article_id" | "related_article_ids", _) => "article",
        _ => panic!("{field} of {path} names nothing"),
    }
}

#[rstest]
#[tokio::test]
async fn a_foreign_id_in_any_field_of_any_endpoint_answers_byte_for_byte_as_an_unknown_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let own = furnish(&mut acme);
    let foreign = furnish(&mut globex);
    let (acme, globex) = (acme.open(store).await, globex.open(store).await);
    let (before, theirs_before) = (acme.export().await, globex.export().await);
    let (unknown, nobodys) = (id(), id());
    let mut compared = 0;
    for endpoint in ENDPOINTS.iter() {
        for field in endpoint.ids() {
            // The other fields once as ids that are there, once as ids that are not.
            let own_ids = endpoint.body(|field| own[named(endpoint.path, field)].clone());
            for mut body in [own_ids, endpoint.body(|_| nobodys.clone())] {
                field.put(&mut body, &unknown);
                let expected = acme.post(endpoint.path, body.clone()).await;
                for foreign in foreign.values() {
                    field.put(&mut body, foreign);
                    let answer = acme.post(endpoint.path, body.clone()).await;
                    assert_eq!(answer.status, expected.status, "{} {}", endpoint.path, field.name);
                    // Some messages tell the id that was sent.
                    assert_eq!(
                        answer.text().replace(foreign, &unknown),
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
    assert!(compared > 800, "{compared} pairs were compared");
    assert_eq!(
        (acme.export().await, globex.export().await),
        (before, theirs_before),
        "nothing was changed"
    );
}

#[rstest]
#[tokio::test]
async fn lists_show_nothing_of_another_organization(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut globex = Draft::new();
    furnish(&mut globex);
    let (acme, globex) = (Draft::new().open(store).await, globex.open(store).await);
    let is_whole_list = |path: &str| {
        (path.ends_with("/list") && path != "/comments/list") || path.ends_with("/search")
    };
    for endpoint in ENDPOINTS.iter().filter(|endpoint| is_whole_list(endpoint.path)) {
        let items = |list: Value| list.get("items").cloned().unwrap_or(list);
        let mut body = endpoint.bare();
        if body["query"].is_string() {
            body["query"] = json!("t");
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
