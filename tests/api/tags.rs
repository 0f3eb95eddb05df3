//! `/tags/…`

use crate::support::{Draft, Store, error, eventually, id};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn active_tags_are_listed_by_name_then_id(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let first = acme.tag(json!({"name": "mobile"}));
    let second = acme.tag(json!({"name": "mobile", "code": "mobile"}));
    let capital = acme.tag(json!({"name": "Web", "show_on_roadmap": false}));
    acme.tag(json!({"name": "gone", "is_active": false}));
    let acme = acme.open(store).await;
    let tag = |id: &str, name: &str, code: Option<&str>, on_roadmap: bool| {
        json!({"id": id, "name": name, "code": code, "color": "#abc", "show_on_feedback": true, "show_on_roadmap": on_roadmap,
            "created_at": "2026-01-02T00:00:00.000Z", "is_public": true, "external_id": null})
    };
    assert_eq!(
        acme.post("/tags/list", json!({})).await.expect(200),
        json!([
            tag(&capital, "Web", None, false),
            tag(&first, "mobile", None, true),
            tag(&second, "mobile", Some("mobile"), true)
        ])
    );
}

fn plain(message: &str) -> Value {
    json!({"detail": message})
}

#[rstest]
#[tokio::test]
async fn a_tag_is_made_changed_and_deleted(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    let made = acme.post("/tags/create", json!({"name": "Dark Mode"})).await.expect(200);
    let tag_id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(made, json!({"id": tag_id}));
    let retrieve = async || acme.post("/tags/retrieve", json!({"id": tag_id})).await;
    let mut shown = retrieve().await.expect(200);
    let created_at = shown["created_at"].take();
    assert!(created_at.as_str().is_some_and(|at| at.ends_with('Z')));
    assert_eq!(
        shown,
        json!({"id": tag_id, "name": "Dark Mode", "code": "dark-mode", "color": "#64748b", "show_on_feedback": true,
            "show_on_roadmap": true, "created_at": null, "is_public": true, "external_id": null})
    );
    let patch = json!({"tag_id": tag_id, "name": "Night", "code": "night", "color": "#000", "show_on_feedback": false,
        "show_on_roadmap": false, "is_public": false, "external_id": "t-1"});
    assert_eq!(acme.post("/tags/update", patch).await.expect(200), json!({"success": true}));
    let changed = json!({"id": tag_id, "name": "Night", "code": "night", "color": "#000", "show_on_feedback": false,
        "show_on_roadmap": false, "created_at": created_at, "is_public": false, "external_id": "t-1"});
    assert_eq!(retrieve().await.expect(200), changed);
    // An update without values, or with null alone, changes nothing.
    for same in [json!({"tag_id": tag_id}), json!({"tag_id": tag_id, "name": null, "clear": []})] {
        assert_eq!(acme.post("/tags/update", same).await.expect(200), json!({"success": true}));
        assert_eq!(retrieve().await.expect(200), changed);
    }
    let clear = json!({"tag_id": tag_id, "clear": ["external_id"]});
    assert_eq!(acme.post("/tags/update", clear).await.expect(200), json!({"success": true}));
    assert_eq!(retrieve().await.expect(200)["external_id"], json!(null));
    let delete = json!({"tag_id": tag_id});
    assert_eq!(
        acme.post("/tags/delete", delete.clone()).await.expect(200),
        json!({"success": true})
    );
    assert_eq!(retrieve().await.expect(404), error("tag not found"));
    assert_eq!(acme.post("/tags/delete", delete).await.expect(404), error("tag not found"));
    let gone = json!({"tag_id": tag_id, "name": "Day"});
    assert_eq!(acme.post("/tags/update", gone).await.expect(404), error("tag not found"));
    assert_eq!(acme.post("/tags/list", json!({})).await.expect(200), json!([]));
}

#[rstest]
#[tokio::test]
async fn posts_lose_a_deleted_tag_with_an_event_each(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let gone = acme.tag(json!({"name": "Legacy"}));
    let kept = acme.tag(json!({"name": "Mobile"}));
    let tag_ids = json!([gone, kept]);
    let board = acme.board(json!({"name": "Ideas"}));
    let mut post = |members: Value| {
        let mut post = json!({"board_id": board, "tag_ids": tag_ids});
        post.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        acme.post(post)
    };
    let first = post(json!({"updated_at": "2026-01-03"}));
    let merged = post(json!({"merged_into_id": first}));
    post(json!({"is_active": false}));
    post(json!({"moderation_status_code": "pending"}));
    acme.receiver();
    let acme = acme.open(store).await;
    acme.post("/tags/delete", json!({"tag_id": gone})).await.expect(200);
    let retrieve =
        async |id: &str| acme.post("/feedback-posts/retrieve", json!({"id": id})).await.expect(200);
    for id in [&first, &merged] {
        assert_eq!(retrieve(id).await["tag_ids"], json!([kept]));
    }
    let mut events = eventually("the events of the posts", async || {
        Some(acme.events().await).filter(|events| events.len() >= 2)
    })
    .await;
    events.sort_by_key(|event| event["data"]["id"] != json!(first));
    for (event, id) in events.iter().zip([&first, &merged]) {
        let post = json!({"id": id, "title": "Dark mode", "board_id": board, "board_name": "Ideas",
            "tag_id": gone, "tag_name": "Legacy"});
        assert_eq!(*event, json!({"event": "post.tag_removed", "data": post}));
    }
    // Pending and deleted posts lose the tag, too.
    eventually("the end of the removal", async || {
        let left = acme.export().await;
        (!left.iter().any(|record| record["tag_ids"] == tag_ids)).then_some(())
    })
    .await;
    assert_eq!(acme.events().await.len(), 2);
    assert_eq!(retrieve(&first).await["tag_ids"], json!([kept]));
    assert_ne!(retrieve(&first).await["updated_at"], json!("2026-01-03T00:00:00.000Z"));
}

#[rstest]
#[tokio::test]
async fn names_codes_and_external_ids_are_unique_among_active_tags(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let create = async |body: Value| acme.post("/tags/create", body).await;
    let first = create(json!({"name": "Größe", "external_id": "t-1"})).await.expect(200);
    assert_eq!(
        create(json!({"name": "GRÖSSE"})).await.expect(200)["id"].as_str().map(str::len),
        Some(36),
        "ß folds to no two letters"
    );
    assert_eq!(create(json!({"name": "GRÖßE"})).await.expect(400), plain("Name already exists"));
    // A taken code gets a number. A known external id returns its tag.
    let second = create(json!({"name": "Size", "code": "grosse"})).await.expect(200);
    let code = acme.post("/tags/retrieve", json!({"id": second["id"]})).await.expect(200);
    assert_eq!(code["code"], json!("grosse-3"));
    let known = create(json!({"name": "Anything", "external_id": "t-1"})).await.expect(200);
    assert_eq!(known, first);
    let update = async |body: Value| acme.post("/tags/update", body).await;
    let tag_id = &second["id"];
    for (patch, message) in [
        (json!({"tag_id": tag_id, "name": "größe"}), "Name already exists"),
        (json!({"tag_id": tag_id, "code": "grosse"}), "Code already exists"),
        (json!({"tag_id": tag_id, "external_id": "t-1"}), "External id already exists"),
    ] {
        assert_eq!(update(patch).await.expect(400), plain(message));
    }
    // A deleted tag releases its name, code and external id.
    acme.post("/tags/delete", json!({"tag_id": first["id"]})).await.expect(200);
    let patch = json!({"tag_id": tag_id, "name": "größe", "code": "grosse", "external_id": "t-1"});
    assert_eq!(update(patch).await.expect(200), json!({"success": true}));
}

#[rstest]
#[tokio::test]
async fn a_field_that_may_be_cleared_is_either_given_or_cleared(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let cases = [
        (
            json!({"clear": ["name"]}),
            json!({"type": "literal_error", "loc": ["body", "clear", 0],
            "msg": "Input should be 'external_id'", "input": "name"}),
        ),
        (
            json!({"clear": ["external_id"], "external_id": "t-1"}),
            json!({"type": "value_error", "loc": ["body", "clear"],
            "msg": "Value error, a field is either given or cleared", "input": ["external_id"]}),
        ),
    ];
    for (mut body, fault) in cases {
        body["tag_id"] = id().into();
        let answer = acme.post("/tags/update", body).await;
        assert_eq!(answer.expect(422), json!({"detail": [fault]}));
    }
}

#[rstest]
#[tokio::test]
async fn the_posts_of_a_merged_tag_get_the_other_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let [old, new] = ["old", "new"].map(|name| acme.tag(json!({"name": name})));
    let other = acme.tag(json!({"name": "other"}));
    let first = acme.post(json!({"tag_ids": [old, other]}));
    let both = acme.post(json!({"tag_ids": [old, new]}));
    let plan = acme.roadmap_post(json!({"tag_ids": [old]}));
    acme.receiver();
    let acme = acme.open(store).await;
    let merge = json!({"tag_id": old, "into_tag_id": new});
    let answer = acme.post("/tags/merge", merge.clone()).await;
    assert_eq!(answer.expect(200), json!({"success": true}));
    assert_eq!(acme.post("/tags/merge", merge).await.expect(404), error("tag not found"));
    for (path, id, tags) in [
        ("/feedback-posts/retrieve", &first, json!([new, other])),
        ("/feedback-posts/retrieve", &both, json!([new])),
        ("/roadmap-posts/retrieve", &plan, json!([new])),
    ] {
        assert_eq!(acme.post(path, json!({"id": id})).await.expect(200)["tag_ids"], tags);
    }
    let mut events: Vec<_> = acme.events().await.iter().map(|it| it["event"].clone()).collect();
    events.sort_by_key(Value::to_string);
    assert_eq!(events, ["post.tag_added", "post.tag_removed", "post.tag_removed"]);
    let itself = json!({"tag_id": new, "into_tag_id": new});
    let faults = acme.faults("/tags/merge", itself).await;
    assert_eq!(faults, [json!(["value_error", "into_tag_id", new])]);
    let unknown = json!({"tag_id": new, "into_tag_id": id()});
    assert_eq!(acme.post("/tags/merge", unknown).await.expect(404), error("tag not found"));
}
