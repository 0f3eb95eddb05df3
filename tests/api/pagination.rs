//! Walking lists by cursor.

use crate::support::{Draft, Organization, Store};
use rstest::rstest;
use serde_json::{Value, json};

/// 23 records of each kind, in groups that differ in the id only, and the calls that list all of
/// them.
async fn crowd(store: Store) -> (Organization, Vec<(&'static str, Value)>) {
    let mut acme = Draft::new();
    let (board, status, author) =
        (acme.board(json!({})), acme.status(json!({})), acme.user(json!({})));
    let [label, other] = ["Name 0", "Name 1"].map(|name| acme.label(json!({"name": name})));
    let collection = acme.collection(json!({"name": "Name", "seq_number": "-1.0000"}));
    let at = |n: usize| format!("2026-01-1{}", n / 5);
    let members = |n: usize| json!({"board_id": board, "status_id": status, "author_id": author, "created_at": at(n), "title": format!("Post {n}")});
    let posts: Vec<String> = (0..23).map(|n| acme.post(members(n))).collect();
    for n in 0..23 {
        acme.comment(&posts[0], json!({"author_id": author, "created_at": at(n)}));
        let voter = acme.user(json!({}));
        acme.vote(&voter, &posts[0], json!({"created_at": at(n)}));
        let (name, seq_number) = (format!("Name {}", n / 10), format!("{}.5000", n / 5));
        if n > 0 {
            acme.collection(json!({"name": name, "seq_number": seq_number}));
        }
        if n > 1 {
            acme.label(json!({"name": name}));
        }
        // Two of three entries have a published time, which several of them share. The others have
        // none.
        let published_at = (n % 3 > 0).then(|| at(n));
        acme.entry(
            json!({"title": name, "type": "new", "label_ids": [label], "created_at": at(n), "published_at": published_at}),
        );
        let category = acme.help_category(
            json!({"collection_id": collection, "name": name, "seq_number": seq_number}),
        );
        let parent =
            if n % 2 == 0 { ("collection_id", &collection) } else { ("category_id", &category) };
        acme.article(
            json!({"title": name, parent.0: parent.1, "seq_number": seq_number, "created_at": at(n),
            "updated_at": at(22 - n).replace("2026", "2027"), "is_favourite": true}),
        );
    }
    let post = json!({"feedback_post_id": posts[0]});
    let mut lists = vec![
        ("/feedback-posts/list", json!({})),
        ("/feedback-posts/list", json!({"board_id": board})),
        ("/feedback-posts/list", json!({"status_id": status, "search": "POST"})),
        ("/comments/list", post),
        ("/votes/voters", json!({"post_id": posts[0], "post_type": "feedback"})),
        ("/labels/list", json!({})),
        ("/changelog/list", json!({})),
        ("/changelog/list", json!({"sort": "oldest"})),
        ("/changelog/list", json!({"sort": "published"})),
        ("/changelog/list", json!({"type": "new"})),
        ("/changelog/list", json!({"label_ids": [label]})),
        ("/changelog/list", json!({"label_ids": [label, other]})),
        ("/changelog/list", json!({"label_ids": [label], "type": "new"})),
        ("/changelog/list", json!({"label_ids": [label], "sort": "published"})),
        ("/help-collections/list", json!({})),
        ("/help-categories/list", json!({})),
        ("/help-categories/list", json!({"collection_id": collection})),
        ("/help-articles/search", json!({"query": "NAME"})),
        ("/help-articles/search", json!({"query": "n"})),
        ("/help-articles/list", json!({"search": "name"})),
        ("/help-articles/list", json!({"search": "name", "sort": "title"})),
        ("/help-articles/list", json!({"collection_id": collection})),
        ("/help-articles/list", json!({"collection_id": collection, "sort": "position"})),
        ("/help-articles/list", json!({"status_code": "draft", "is_favourite": true})),
    ];
    lists.extend(
        ["updated", "newest", "oldest", "title", "position"]
            .map(|sort| ("/help-articles/list", json!({"sort": sort}))),
    );
    (acme.open(store).await, lists)
}

#[rstest]
#[tokio::test]
async fn a_walk_shows_every_record_once_in_order_with_any_limit(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (acme, lists) = crowd(store).await;
    for (path, body) in lists {
        let whole = acme.walk(path, body.clone(), 100).await;
        assert_eq!(whole.len(), 23, "{path} {body}");
        for limit in [1, 4, 23, 24] {
            assert_eq!(
                acme.walk(path, body.clone(), limit).await,
                whole,
                "{path} {body} by {limit}"
            );
        }
        let default = acme.post(path, body.clone()).await.expect(200);
        assert_eq!(default["items"].as_array().map(Vec::len), Some(23), "25 is the default");
    }
}

#[rstest]
#[tokio::test]
async fn a_cursor_is_good_for_its_list_filters_and_organization_only(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (acme, lists) = crowd(store).await;
    let (globex, _) = crowd(store).await;
    let mut cursors = Vec::new();
    for (path, body) in &lists {
        let mut first = body.clone();
        first["limit"] = 2.into();
        cursors.push(
            acme.post(path, first).await.expect(200)["cursor"]
                .as_str()
                .expect("a cursor")
                .to_owned(),
        );
    }
    for (from, cursor) in cursors.iter().enumerate() {
        for (to, (path, body)) in lists.iter().enumerate() {
            let mut body = body.clone();
            body["cursor"] = cursor.as_str().into();
            let answer = acme.post(path, body.clone()).await;
            if from == to {
                answer.expect(200);
                body["limit"] = 7.into();
                acme.post(path, body.clone()).await.expect(200);
            } else {
                refused(&answer.expect(422), cursor);
            }
            refused(&globex.post(path, body).await.expect(422), cursor);
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_damaged_cursor_is_refused(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let (acme, _) = crowd(store).await;
    let page = acme.post("/feedback-posts/list", json!({"limit": 2})).await.expect(200);
    let cursor = page["cursor"].as_str().expect("a cursor");
    let mut damaged: Vec<String> = (0..cursor.len())
        .map(|at| {
            let other = if &cursor[at..=at] == "A" { "B" } else { "A" };
            format!("{}{other}{}", &cursor[..at], &cursor[at + 1..])
        })
        .collect();
    damaged.extend([
        cursor[1..].to_owned(),
        format!("{cursor}A"),
        format!("{cursor}="),
        String::new(),
        "%".to_owned(),
        "é".repeat(600),
    ]);
    for cursor in damaged {
        let answer = acme.post("/feedback-posts/list", json!({"cursor": cursor})).await;
        refused(&answer.expect(422), &cursor);
    }
    acme.post("/feedback-posts/list", json!({"cursor": null})).await.expect(200);
    let number = acme.post("/feedback-posts/list", json!({"cursor": 5})).await.expect(422);
    assert_eq!(number["detail"][0]["type"], "string_type");
}

fn refused(answer: &Value, cursor: &str) {
    assert_eq!(answer["detail"].as_array().map(Vec::len), Some(1));
    let item = &answer["detail"][0];
    assert_eq!(
        json!([item["type"], item["loc"], item["input"]]),
        json!(["value_error", ["body", "cursor"], cursor])
    );
}
