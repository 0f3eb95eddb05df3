//! Walking lists by cursor.

use crate::support::{Draft, Organization, Store};
use rstest::rstest;
use serde_json::{Value, json};

async fn walk(acme: &Organization, path: &str, body: Value, limit: usize) -> Vec<Value> {
    let mut all = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut body = body.clone();
        body["limit"] = limit.into();
        body["cursor"] = cursor;
        let page = acme.post(path, body).await.expect(200);
        let items = page["items"].as_array().expect("items");
        assert!(items.len() <= limit);
        all.extend(items.iter().cloned());
        if page["has_next_page"] == false {
            assert_eq!(page["cursor"], Value::Null);
            return all;
        }
        assert_eq!(items.len(), limit);
        cursor = page["cursor"].clone();
    }
}

/// 23 posts, comments and voters in groups of the same time, and what lists them.
async fn crowd(store: Store) -> (Organization, Vec<(&'static str, Value)>) {
    let mut acme = Draft::new();
    let (board, status, author) = (acme.board(json!({})), acme.status(json!({})), acme.user(json!({})));
    let at = |n: usize| format!("2026-01-1{}", n / 5);
    let members = |n: usize| json!({"board_id": board, "status_id": status, "author_id": author, "created_at": at(n), "title": format!("Post {n}")});
    let posts: Vec<String> = (0..23).map(|n| acme.post(members(n))).collect();
    for n in 0..23 {
        acme.comment(&posts[0], json!({"author_id": author, "created_at": at(n)}));
        let voter = acme.user(json!({}));
        acme.vote(&voter, &posts[0], json!({"created_at": at(n)}));
    }
    let post = json!({"feedback_post_id": posts[0]});
    let lists = vec![
        ("/feedback-posts/list", json!({})),
        ("/feedback-posts/list", json!({"board_id": board})),
        ("/feedback-posts/list", json!({"status_id": status, "search": "POST"})),
        ("/comments/list", post),
        ("/votes/voters", json!({"post_id": posts[0], "post_type": "feedback"})),
    ];
    (acme.open(store).await, lists)
}

#[rstest]
#[tokio::test]
async fn a_walk_shows_every_record_once_in_order_whatever_the_limit(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let (acme, lists) = crowd(store).await;
    for (path, body) in lists {
        let whole = walk(&acme, path, body.clone(), 100).await;
        assert_eq!(whole.len(), 23, "{path}");
        for limit in [1, 4, 23, 24] {
            assert_eq!(walk(&acme, path, body.clone(), limit).await, whole, "{path} by {limit}");
        }
        let default = acme.post(path, body.clone()).await.expect(200);
        assert_eq!(default["items"].as_array().map(Vec::len), Some(23), "25 is the default");
    }
}

#[rstest]
#[tokio::test]
async fn a_cursor_is_good_for_its_list_filters_and_organization_only(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let (acme, lists) = crowd(store).await;
    let (globex, _) = crowd(store).await;
    let mut cursors = Vec::new();
    for (path, body) in &lists {
        let mut first = body.clone();
        first["limit"] = 2.into();
        cursors.push(acme.post(path, first).await.expect(200)["cursor"].as_str().expect("a cursor").to_owned());
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
    assert_eq!(json!([item["type"], item["loc"], item["input"]]), json!(["value_error", ["body", "cursor"], cursor]));
}
