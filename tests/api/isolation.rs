//! What another organization has is answered exactly as what nobody has.

use crate::support::{Draft, ENDPOINTS, Store, id};
use rstest::rstest;
use serde_json::{Value, json};

/// Every kind of id that an endpoint may be given, of one organization.
struct Everything {
    ids: Vec<String>,
}

fn furnish(draft: &mut Draft) -> Everything {
    let (board, status, user) = (draft.board(json!({})), draft.status(json!({})), draft.user(json!({})));
    let post = draft.post(json!({"board_id": board, "status_id": status, "author_id": user}));
    let roadmap_post = draft.roadmap_post(json!({}));
    let comment = draft.comment(&post, json!({"author_id": user}));
    draft.vote(&user, &post, json!({}));
    let (category, tag) = (draft.category(json!({})), draft.tag(json!({})));
    let other = draft.post(json!({"merged_into_id": post}));
    Everything { ids: vec![board, status, user, post, roadmap_post, comment, category, tag, other] }
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
    let unknown = id();
    let mut compared = 0;
    for endpoint in ENDPOINTS.iter().filter(|endpoint| !endpoint.ids.is_empty()) {
        for field in endpoint.ids {
            // The other fields once as ids that are there, once as ids that are not.
            for filler in [&own.ids[3], &own.ids[2], &unknown] {
                for foreign in &foreign.ids {
                    let mut body = endpoint.body(|index| if index == 0 { filler.clone() } else { own.ids[8 - index].clone() });
                    body[*field] = unknown.as_str().into();
                    let mut same = body.clone();
                    same[*field] = foreign.as_str().into();
                    if body["merge_post_id"] == body["into_post_id"] && body["merge_post_id"].is_string() {
                        continue;
                    }
                    let nobodys = acme.post(endpoint.path, body).await;
                    let theirs = acme.post(endpoint.path, same).await;
                    assert_eq!(theirs.status, nobodys.status, "{} {field}", endpoint.path);
                    assert_eq!(theirs.bytes, nobodys.bytes, "{} {field}", endpoint.path);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 300, "{compared} pairs were compared");
    let untouched = globex.post("/feedback-posts/retrieve", json!({"id": foreign.ids[3]})).await.expect(200);
    assert_eq!(untouched["vote_count"], 1);
}

#[rstest]
#[tokio::test]
async fn lists_show_nothing_of_another_organization(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut globex = Draft::new();
    furnish(&mut globex);
    let (acme, globex) = (Draft::new().open(store).await, globex.open(store).await);
    for endpoint in
        ENDPOINTS.iter().filter(|endpoint| endpoint.path.ends_with("/list") && endpoint.ids.first() != Some(&"feedback_post_id"))
    {
        let items = |list: Value| list.get("items").cloned().unwrap_or(list);
        assert_eq!(items(acme.post(endpoint.path, json!({})).await.expect(200)), json!([]), "{}", endpoint.path);
        assert_ne!(items(globex.post(endpoint.path, json!({})).await.expect(200)), json!([]), "{}", endpoint.path);
    }
}
