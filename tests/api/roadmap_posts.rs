//! `/roadmap-posts/…`

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

async fn post(acme: &Organization, verb: &str, body: Value) -> Value {
    acme.post(&format!("/roadmap-posts/{verb}"), body).await.expect(200)
}

async fn retrieve(acme: &Organization, id: &str) -> Value {
    post(acme, "retrieve", json!({"id": id})).await
}

/// The posts of a board, each with its position.
async fn places(acme: &Organization, board: &str) -> Vec<(String, i64)> {
    let list = post(acme, "list", json!({"roadmap_board_id": board})).await;
    let place = |post: &Value| {
        (
            post["id"].as_str().expect("an id").to_owned(),
            post["position"].as_i64().expect("a position"),
        )
    };
    list["items"].as_array().expect("items").iter().map(place).collect()
}

#[rstest]
#[tokio::test]
async fn a_roadmap_post_is_made_changed_and_deleted(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (board, other_board) = (acme.roadmap_board(json!({})), acme.roadmap_board(json!({})));
    let (status, closed) = (
        acme.status(json!({"is_default_status": true})),
        acme.status(json!({"status_group_code": "closed"})),
    );
    let (user, category) = (acme.user(json!({})), acme.category(json!({})));
    let (tag, other_tag) = (acme.tag(json!({})), acme.tag(json!({"name": "web"})));
    let asked = acme.post(json!({}));
    let acme = acme.open(store).await;
    let body = json!({"roadmap_board_id": board, "title": "Work offline", "description": "On trains.",
        "category_id": category, "tag_ids": [other_tag, tag], "owner_id": user, "author_id": user, "eta": "2027-01-01",
        "feedback_post_ids": [asked], "external_id": "p-1"});
    let made = post(&acme, "create", body.clone()).await;
    assert_eq!(post(&acme, "create", body).await, made);
    let plan = made["id"].as_str().unwrap().to_owned();
    let mut expected = json!({"id": plan, "title": "Work offline", "description": "On trains.", "slug": "work-offline",
        "roadmap_board_id": board, "author_id": user, "owner_id": user, "status_id": status, "category_id": category,
        "eta": "2027-01-01T00:00:00.000Z", "position": 1, "created_at": null, "updated_at": null,
        "tag_ids": [other_tag, tag], "feedback_post_ids": [asked], "vote_count": 0, "external_id": "p-1"});
    let shown = retrieve(&acme, &plan).await;
    for time in ["created_at", "updated_at"] {
        expected[time] = shown[time].clone();
    }
    assert_eq!(shown, expected);
    let patch = json!({"post_id": plan, "title": "Offline", "roadmap_board_id": other_board, "tag_ids": [tag],
        "clear": ["owner_id", "eta", "external_id"]});
    assert_eq!(post(&acme, "update", patch).await, json!({"success": true}));
    let change = json!({"post_id": plan, "status_id": closed});
    assert_eq!(post(&acme, "change-status", change).await, json!({"success": true}));
    let shown = retrieve(&acme, &plan).await;
    for (member, value) in [
        ("title", json!("Offline")),
        ("roadmap_board_id", json!(other_board)),
        ("tag_ids", json!([tag])),
        ("owner_id", Value::Null),
        ("eta", Value::Null),
        ("external_id", Value::Null),
        ("status_id", json!(closed)),
        ("updated_at", shown["updated_at"].clone()),
    ] {
        expected[member] = value;
    }
    assert_eq!(shown, expected);
    for filter in [
        json!({"status_id": closed}),
        json!({"category_id": category}),
        json!({"search": "TRAINS"}),
        json!({"roadmap_board_id": other_board, "search": "offline"}),
    ] {
        assert_eq!(post(&acme, "list", filter).await["items"], json!([expected]));
    }
    for filter in [
        json!({"status_id": status}),
        json!({"owner_id": user}),
        json!({"search": "planes"}),
        json!({"roadmap_board_id": id()}),
    ] {
        assert_eq!(post(&acme, "list", filter).await["items"], json!([]));
    }
    assert_eq!(post(&acme, "delete", json!({"post_id": plan})).await, json!({"success": true}));
    let gone = acme.post("/roadmap-posts/retrieve", json!({"id": plan})).await;
    assert_eq!(gone.expect(404), error("roadmap post not found"));
    let tags = json!({"roadmap_board_id": board, "title": "Online", "tag_ids": [id()]});
    let unknown = error("one or more tag_ids do not belong to this organization");
    assert_eq!(acme.post("/roadmap-posts/create", tags).await.expect(400), unknown);
}

#[rstest]
#[tokio::test]
async fn a_roadmap_post_takes_the_position_that_it_is_given(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (board, other_board) = (acme.roadmap_board(json!({})), acme.roadmap_board(json!({})));
    let status = acme.status(json!({}));
    let [a, b, c] =
        [0; 3].map(|_| acme.roadmap_post(json!({"roadmap_board_id": board, "status_id": status})));
    let d = acme.roadmap_post(json!({"roadmap_board_id": other_board, "status_id": status}));
    let acme = acme.open(store).await;
    let placed = |places: &[(&String, i64)]| {
        Vec::from_iter(places.iter().map(|(id, place)| ((*id).clone(), *place)))
    };
    assert_eq!(places(&acme, &board).await, placed(&[(&a, 1), (&b, 2), (&c, 3)]));
    post(&acme, "update", json!({"post_id": c, "position": 1})).await;
    assert_eq!(places(&acme, &board).await, placed(&[(&c, 1), (&a, 2), (&b, 3)]));
    post(&acme, "update", json!({"post_id": d, "roadmap_board_id": board, "position": 1})).await;
    assert_eq!(places(&acme, &board).await, placed(&[(&d, 1), (&c, 2), (&a, 3), (&b, 4)]));
    let body = json!({"roadmap_board_id": board, "title": "Last", "status_id": status});
    let made = post(&acme, "create", body).await;
    let e = made["id"].as_str().unwrap().to_owned();
    let body =
        json!({"roadmap_board_id": board, "title": "Third", "status_id": status, "position": 3});
    let made = post(&acme, "create", body).await;
    let f = made["id"].as_str().unwrap().to_owned();
    let expected = placed(&[(&d, 1), (&c, 2), (&f, 3), (&a, 4), (&b, 5), (&e, 6)]);
    assert_eq!(places(&acme, &board).await, expected);
    acme.refuses(
        "/roadmap-posts/update",
        &json!({"post_id": a}),
        &[
            ("position", json!(0), "greater_than_equal"),
            ("position", json!(1_000_001), "less_than_equal"),
            ("position", json!("1"), "int_type"),
        ],
    )
    .await;
}

#[rstest]
#[tokio::test]
async fn the_status_of_a_roadmap_post_is_carried_to_the_posts_that_follow_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (open, closed) =
        (acme.status(json!({})), acme.status(json!({"status_group_code": "closed"})));
    let plan = acme.roadmap_post(json!({"status_id": open}));
    let [follows, stays, gone] = [true, true, false]
        .map(|is_active| acme.post(json!({"status_id": open, "is_active": is_active})));
    let merged = acme.post(json!({"status_id": open, "merged_into_id": stays}));
    acme.receiver();
    let acme = acme.open(store).await;
    let link =
        json!({"post_id": plan, "feedback_post_ids": [follows, merged], "sync_status": true});
    assert_eq!(post(&acme, "link", link).await, json!({"success": true}));
    post(&acme, "link", json!({"post_id": plan, "feedback_post_ids": [stays]})).await;
    assert_eq!(retrieve(&acme, &plan).await["feedback_post_ids"], json!([follows, merged, stays]));
    let unknown = error("one or more feedback_post_ids do not belong to this organization");
    for verb in ["link", "unlink"] {
        let body = json!({"post_id": plan, "feedback_post_ids": [follows, gone]});
        let answer = acme.post(&format!("/roadmap-posts/{verb}"), body).await;
        assert_eq!(answer.expect(400), unknown);
    }
    post(&acme, "change-status", json!({"post_id": plan, "status_id": closed})).await;
    let status = async |id: &str| {
        let post = acme.post("/feedback-posts/retrieve", json!({"id": id})).await.expect(200);
        post["status_id"].clone()
    };
    assert_eq!(
        json!([status(&follows).await, status(&stays).await, status(&merged).await]),
        json!([closed, open, open])
    );
    let events = acme.events().await;
    assert_eq!(
        json!([events[0]["event"], events[0]["data"]["id"]]),
        json!(["post.status_changed", follows])
    );
    assert_eq!(events.len(), 1);
    let unlink = json!({"post_id": plan, "feedback_post_ids": [follows]});
    assert_eq!(post(&acme, "unlink", unlink.clone()).await, json!({"success": true}));
    assert_eq!(post(&acme, "unlink", unlink).await, json!({"success": true}));
    assert_eq!(retrieve(&acme, &plan).await["feedback_post_ids"], json!([merged, stays]));
}

#[rstest]
#[tokio::test]
async fn a_feedback_post_shows_the_active_roadmap_posts_that_it_is_linked_to(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let asked = acme.post(json!({}));
    let [first, second] = [acme.roadmap_post(json!({})), acme.roadmap_post(json!({}))];
    let deleted = acme.roadmap_post(json!({"is_active": false}));
    for plan in [&first, &deleted] {
        acme.link(plan, &asked);
    }
    let acme = acme.open(store).await;
    let shown = async || {
        let post = acme.post("/feedback-posts/retrieve", json!({"id": asked})).await.expect(200);
        let list = acme.post("/feedback-posts/list", json!({})).await.expect(200);
        assert_eq!(list["items"], json!([post]));
        let similar = acme.post("/feedback-posts/similar", json!({"title": post["title"]})).await;
        assert_eq!(similar.expect(200)[0]["roadmap_post_ids"], post["roadmap_post_ids"]);
        post["roadmap_post_ids"].clone()
    };
    assert_eq!(shown().await, json!([first]));
    let links = json!({"post_id": second, "feedback_post_ids": [asked]});
    post(&acme, "link", links.clone()).await;
    assert_eq!(shown().await, json!([first, second]));
    post(&acme, "delete", json!({"post_id": first})).await;
    assert_eq!(shown().await, json!([second]));
    post(&acme, "unlink", links).await;
    assert_eq!(shown().await, json!([]));
}

#[rstest]
#[tokio::test]
async fn changes_of_roadmap_posts_are_walked_oldest_first_and_a_deleted_one_shows_no_content(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let board = acme.roadmap_board(json!({}));
    let [late, early] = ["2026-03-02", "2026-02-01"]
        .map(|time| acme.roadmap_post(json!({"roadmap_board_id": board, "updated_at": time})));
    let gone = json!({"updated_at": "2026-03-01", "is_active": false, "title": "Online"});
    let gone = acme.roadmap_post(gone);
    let acme = acme.open(store).await;
    let mut all = json!({"updated_after": "2026-02-01", "include_deleted": true});
    for (body, expected) in [
        (json!({"updated_after": "2026-02-01"}), vec![&early, &late]),
        (json!({"updated_after": "2026-02-02"}), vec![&late]),
        (all.clone(), vec![&early, &gone, &late]),
        (
            json!({"updated_after": "2026-02-01", "include_deleted": true, "search": "online"}),
            vec![&gone],
        ),
        (json!({"updated_after": "2026-02-01", "roadmap_board_id": board}), vec![&early, &late]),
    ] {
        assert_eq!(acme.ids("/roadmap-posts/list", body.clone()).await, json!(expected), "{body}");
    }
    all["limit"] = 2.into();
    let page = post(&acme, "list", all.clone()).await;
    let deleted = json!({"id": gone, "is_active": false, "updated_at": "2026-03-01T00:00:00.000Z"});
    assert_eq!(page["items"][1], deleted);
    all["cursor"] = page["cursor"].clone();
    assert_eq!(acme.ids("/roadmap-posts/list", all.clone()).await, json!([late]));
    all["include_deleted"] = json!(false);
    acme.post("/roadmap-posts/list", all).await.expect(422);
    let answer = acme.post("/roadmap-posts/list", json!({"include_deleted": true})).await;
    assert_eq!(answer.expect(422)["detail"][0]["loc"], json!(["body", "include_deleted"]));
    // The last change is the deletion.
    post(&acme, "delete", json!({"post_id": early})).await;
    let all = json!({"updated_after": "2026-02-01", "include_deleted": true});
    assert_eq!(acme.ids("/roadmap-posts/list", all).await, json!([gone, late, early]));
}
