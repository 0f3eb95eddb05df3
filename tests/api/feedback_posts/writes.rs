//! `/feedback-posts/create`, `update`, `add-tag`, `remove-tag`, `delete`, `restore`

use crate::support::{Draft, Organization, Store, error, id, now};
use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

/// The identifier in the answer to a `create`, which has no other member.
fn created(answer: &Value) -> String {
    let id = answer["id"].as_str().expect("an id").to_owned();
    assert_eq!(*answer, json!({"id": id}));
    id
}

async fn create(acme: &Organization, body: Value) -> String {
    created(&acme.post("/feedback-posts/create", body).await.expect(200))
}

async fn retrieve(acme: &Organization, post: &str) -> Value {
    acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200)
}

/// The names of the recorded events, oldest first.
async fn events(acme: &Organization) -> Vec<String> {
    let all = acme.events().await;
    all.iter().map(|event| event["event"].as_str().expect("a name").to_owned()).collect()
}

#[rstest]
#[tokio::test]
async fn a_post_is_made_with_all_its_fields(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (board, status) = (acme.board(json!({"name": "Ideas"})), acme.status(json!({})));
    let (author, owner) = (acme.user(json!({})), acme.user(json!({})));
    let (category, tag, second) =
        (acme.category(json!({})), acme.tag(json!({})), acme.tag(json!({"name": "web"})));
    acme.receiver();
    let acme = acme.open(store).await;
    let body = json!({"board_id": board, "title": "Dark mode", "description": "At night.", "author_id": author,
        "status_id": status, "category_id": category, "tag_ids": [second, tag, second], "owner_id": owner,
        "eta": "2027-01-01", "eta_is_public": false, "is_pinned": true, "created_by_id": owner, "slug": "Night",
        "attributes": {"plan": "pro", "seats": 2, "gone": null}, "external_id": "t-1",
        "created_at": "2020-02-03T04:05:06.7Z"});
    let post = create(&acme, body.clone()).await;
    let expected = json!({"id": post, "title": "Dark mode", "description": "At night.", "slug": "Night", "board_id": board,
        "author_id": author, "owner_id": owner, "status_id": status, "category_id": category,
        "eta": "2027-01-01T00:00:00.000Z", "moderation_status_code": "accepted",
        "created_at": "2020-02-03T04:05:06.700Z", "updated_at": "2020-02-03T04:05:06.700Z", "tag_ids": [second, tag],
        "vote_count": 0, "comment_count": 0, "monthly_spend": "0.00", "merged_into_id": null, "external_id": "t-1", "eta_is_public": false,
        "is_pinned": true, "created_by_id": owner, "status_changed_at": "2020-02-03T04:05:06.700Z",
        "roadmap_post_ids": [],
        "attributes": {"plan": "pro", "seats": 2}});
    assert_eq!(retrieve(&acme, &post).await, expected);
    assert_eq!(events(&acme).await, ["post.created", "post.tag_added", "post.tag_added"]);
    let told = &acme.events().await[0]["data"];
    assert_eq!(
        (&told["id"], &told["title"], &told["board_name"]),
        (&json!(post), &json!("Dark mode"), &json!("Ideas"))
    );

    // The external identifier answers, whatever else the request says.
    let again = json!({"board_id": board, "title": "Other", "author_email": "new@example.com", "external_id": "t-1"});
    assert_eq!(create(&acme, again).await, post);
    let nobody = json!({"email": "new@example.com"});
    assert_eq!(acme.post("/users/retrieve", nobody).await.expect(404), error("user not found"));
    // A derived slug gets a number.
    let other =
        create(&acme, json!({"board_id": board, "title": "Night", "author_id": author})).await;
    assert_eq!(retrieve(&acme, &other).await["slug"], "night-2");
}

#[rstest]
#[tokio::test]
async fn an_author_who_is_not_known_becomes_a_user(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let board = acme.board(json!({}));
    acme.status(json!({"code": "late"}));
    let status = acme.status(json!({"is_default_status": true}));
    let acme = acme.open(store).await;
    let by = |selector: Value| {
        let mut body = json!({"board_id": board, "title": "Dark mode"});
        body.as_object_mut().unwrap().extend(selector.as_object().unwrap().clone());
        body
    };
    let post =
        create(&acme, by(json!({"author_email": "ada@example.com", "author_name": "Ada"}))).await;
    let shown = retrieve(&acme, &post).await;
    assert_eq!(shown["status_id"], json!(status));
    let ada = acme.post("/users/retrieve", json!({"email": "ada@example.com"})).await.expect(200);
    assert_eq!(ada["user_id"], shown["author_id"]);
    assert_eq!(
        json!([ada["name"], ada["portal_role"], ada["is_subscribed"], ada["external_id"]]),
        json!(["Ada", "end_user", false, null])
    );
    let later =
        create(&acme, by(json!({"author_email": "ada@example.com", "author_name": "Not Ada"})))
            .await;
    assert_eq!(retrieve(&acme, &later).await["author_id"], ada["user_id"]);
    let first = create(&acme, by(json!({"author_external_id": "crm-7"}))).await;
    let second = create(&acme, by(json!({"author_external_id": "crm-7"}))).await;
    let author = retrieve(&acme, &first).await["author_id"].clone();
    assert_eq!(retrieve(&acme, &second).await["author_id"], author);
    let user = acme.post("/users/retrieve", json!({"user_id": author})).await.expect(200);
    assert_eq!(
        json!([user["email"], user["name"], user["external_id"]]),
        json!(["", "crm-7", "crm-7"])
    );

    let path = "/feedback-posts/create";
    assert_eq!(acme.faults(path, by(json!({}))).await, [json!(["missing", "author_id", null])]);
    let two = by(json!({"author_id": author, "author_email": "ada@example.com"}));
    assert_eq!(
        acme.faults(path, two).await,
        [json!(["value_error", "author_email", "ada@example.com"])]
    );
    let good = by(json!({"author_email": "ada@example.com"}));
    let future = json!("2999-01-01");
    acme.refuses(
        path,
        &good,
        &[
            ("author_email", json!("ada"), "value_error"),
            ("author_email", json!("@"), "string_too_short"),
            ("title", json!(""), "string_too_short"),
            ("slug", json!("a b"), "string_pattern_mismatch"),
            ("moderation_status_code", json!("maybe"), "literal_error"),
            ("created_at", future, "value_error"),
        ],
    )
    .await;
    let unknown = by(json!({"author_id": id()}));
    assert_eq!(acme.post(path, unknown).await.expect(404), error("user not found"));
}

#[rstest]
#[tokio::test]
async fn a_post_is_changed_tagged_deleted_and_restored(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (open, closed) =
        (acme.status(json!({})), acme.status(json!({"status_group_code": "closed"})));
    let (tag, owner, other_board) =
        (acme.tag(json!({})), acme.user(json!({})), acme.board(json!({})));
    let post = acme.post(json!({"status_id": open, "owner_id": owner, "eta": "2027-01-01"}));
    let merged = acme.post(json!({"merged_into_id": post}));
    let long_gone = acme.post(json!({"is_active": false, "updated_at": "2001-01-01"}));
    let twins = [0; 2].map(|_| {
        acme.post(
            json!({"is_active": false, "updated_at": now().to_string(), "external_id": "t-1"}),
        )
    });
    acme.receiver();
    let acme = acme.open(store).await;
    let success = json!({"success": true});
    let write =
        async |verb: &str, body: Value| acme.post(&format!("/feedback-posts/{verb}"), body).await;
    let mut expected = retrieve(&acme, &post).await;
    let patch = json!({"post_id": post, "title": "Light mode", "board_id": other_board, "status_id": closed,
        "tag_ids": [tag], "clear": ["owner_id", "eta"]});
    assert_eq!(write("update", patch).await.expect(200), success);
    let shown = retrieve(&acme, &post).await;
    for (member, value) in [
        ("title", json!("Light mode")),
        ("board_id", json!(other_board)),
        ("status_id", json!(closed)),
        ("tag_ids", json!([tag])),
        ("owner_id", Value::Null),
        ("eta", Value::Null),
        ("updated_at", shown["updated_at"].clone()),
        ("status_changed_at", shown["updated_at"].clone()),
    ] {
        expected[member] = value;
    }
    assert_eq!(shown, expected);
    assert_eq!(events(&acme).await, ["post.edited", "post.tag_added", "post.status_changed"]);

    let tagged = json!({"post_id": post, "tag_id": tag});
    for (verb, tags) in [
        ("add-tag", json!([tag])),
        ("remove-tag", json!([])),
        ("remove-tag", json!([])),
        ("add-tag", json!([tag])),
    ] {
        assert_eq!(write(verb, tagged.clone()).await.expect(200), success);
        assert_eq!(retrieve(&acme, &post).await["tag_ids"], tags);
    }
    assert_eq!(events(&acme).await[3..], ["post.tag_removed", "post.tag_added"]);

    let is_merged = write("update", json!({"post_id": merged, "title": "Other"})).await;
    assert_eq!(is_merged.expect(400), error("the post is merged"));
    let named = json!({"post_id": post});
    assert_eq!(write("delete", named.clone()).await.expect(200), success);
    let gone = acme.post("/feedback-posts/retrieve", json!({"id": post})).await;
    assert_eq!(gone.expect(404), error("feedback post not found"));
    assert_eq!(write("delete", named.clone()).await.expect(404), error("feedback post not found"));
    assert_eq!(write("restore", named.clone()).await.expect(200), success);
    let refused = error("the post cannot be restored");
    assert_eq!(write("restore", named).await.expect(400), refused, "an active post");
    assert_eq!(retrieve(&acme, &post).await["title"], "Light mode");
    assert_eq!(
        events(&acme).await[5..],
        ["post.deleted"],
        "a restoration is none of the contract's events"
    );
    let late = write("restore", json!({"post_id": long_gone})).await;
    assert_eq!(late.expect(400), refused);

    let [first, second] = twins;
    assert_eq!(write("restore", json!({"post_id": first})).await.expect(200), success);
    let second = write("restore", json!({"post_id": second})).await;
    assert_eq!(second.expect(400), refused, "another post has the external identifier");
}

#[rstest]
#[tokio::test]
async fn of_64_posts_at_once_by_one_address_and_with_one_external_id_one_is_made_by_one_user(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let mut acme = Draft::new();
    let board = acme.board(json!({}));
    acme.status(json!({}));
    let acme = acme.open(store).await;
    let body = json!({"board_id": board, "title": "Dark mode", "author_email": "ada@example.com", "external_id": "t-1"});
    let made = join_all((0..64).map(|_| create(&acme, body.clone()))).await;
    assert!(made.iter().all(|post| *post == made[0]));
    let records = acme.export().await;
    let count = |kind: &str| records.iter().filter(|record| record["kind"] == kind).count();
    assert_eq!((count("feedback_post"), count("user")), (1, 1));

    let mut body = body;
    body["external_id"] = Value::Null;
    body["author_email"] = "bea@example.com".into();
    let made = join_all((0..64).map(|_| create(&acme, body.clone()))).await;
    let records = acme.export().await;
    let count = |kind: &str| records.iter().filter(|record| record["kind"] == kind).count();
    assert_eq!((count("feedback_post"), count("user")), (1 + made.len(), 2));
}

#[rstest]
#[tokio::test]
async fn a_status_is_changed_with_a_note(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let (open, closed) =
        (acme.status(json!({})), acme.status(json!({"status_group_code": "closed"})));
    let ada = acme.user(json!({}));
    let post = acme.post(json!({"status_id": open}));
    let merged = acme.post(json!({"merged_into_id": post, "status_id": open}));
    acme.receiver();
    let acme = acme.open(store).await;
    let path = "/feedback-posts/change-status";
    let body = json!({"post_id": post, "status_id": closed, "changed_by_id": ada, "note": "Not now.", "eta": "2027-01-01"});
    let unknown = json!({"post_id": post, "status_id": closed, "changed_by_id": id()});
    assert_eq!(acme.post(path, unknown).await.expect(404), error("user not found"));
    let nobody = json!({"post_id": post, "status_id": closed, "note": "Not now."});
    assert_eq!(acme.faults(path, nobody).await, [json!(["missing", "changed_by_id", null])]);
    let of_merged = acme.post(path, json!({"post_id": merged, "status_id": closed})).await;
    assert_eq!(of_merged.expect(400), error("the post is merged"));
    assert_eq!(acme.post(path, body).await.expect(200), json!({"success": true}));
    let shown = retrieve(&acme, &post).await;
    assert_eq!(
        json!([shown["status_id"], shown["eta"], shown["comment_count"]]),
        json!([closed, "2027-01-01T00:00:00.000Z", 1])
    );
    let comments = acme.post("/comments/list", json!({"feedback_post_id": post})).await.expect(200);
    let note = &comments["items"][0];
    assert_eq!(
        json!([note["content"], note["author_id"], note["visibility_code"]]),
        json!(["Not now.", ada, "public"])
    );
    let told = ["post.edited", "post.status_changed", "comment.created"];
    assert_eq!(events(&acme).await, told);
}

#[rstest]
#[tokio::test]
async fn several_posts_are_changed_together_or_not_at_all(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (owner, tag, other_tag) =
        (acme.user(json!({})), acme.tag(json!({})), acme.tag(json!({"name": "web"})));
    let first = acme.post(json!({"owner_id": owner, "tag_ids": [tag]}));
    let second = acme.post(json!({"tag_ids": [other_tag]}));
    let merged = acme.post(json!({"merged_into_id": first}));
    acme.receiver();
    let acme = acme.open(store).await;
    let path = "/feedback-posts/bulk-update";
    let before = acme.export().await;
    let unknown = json!({"post_ids": [first, id(), second], "owner_id": owner});
    assert_eq!(acme.post(path, unknown).await.expect(404), error("feedback post not found"));
    let of_merged = json!({"post_ids": [second, merged], "owner_id": owner});
    assert_eq!(acme.post(path, of_merged).await.expect(400), error("the post is merged"));
    let tags = json!({"post_ids": [second], "remove_tag_ids": [id()]});
    let unknown = error("one or more tag_ids do not belong to this organization");
    assert_eq!(acme.post(path, tags).await.expect(400), unknown);
    let both = json!({"post_ids": [second], "add_tag_ids": [tag], "remove_tag_ids": [tag]});
    assert_eq!(acme.faults(path, both).await, [json!(["value_error", "remove_tag_ids", [tag]])]);
    let good = json!({"post_ids": [second]});
    acme.refuses(
        path,
        &good,
        &[
            ("post_ids", json!([]), "too_short"),
            ("post_ids", json!(vec![second.clone(); 101]), "too_long"),
            ("post_ids", json!(second), "list_type"),
        ],
    )
    .await;
    assert_eq!(acme.export().await, before);
    let body = json!({"post_ids": [first, second, first], "owner_id": owner, "add_tag_ids": [tag],
        "remove_tag_ids": [other_tag]});
    let updated = |count: u8| json!({"success": true, "updated": count});
    assert_eq!(acme.post(path, body.clone()).await.expect(200), updated(1));
    assert_eq!(acme.post(path, body).await.expect(200), updated(0));
    let shown = retrieve(&acme, &second).await;
    assert_eq!(json!([shown["owner_id"], shown["tag_ids"]]), json!([owner, [tag]]));
    assert_eq!(events(&acme).await, ["post.edited", "post.tag_removed", "post.tag_added"]);
}

#[rstest]
#[tokio::test]
async fn users_subscribe_to_posts(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let (board, ada) =
        (acme.board(json!({})), acme.user(json!({"name": "Ada", "email": "ada@example.com"})));
    let bea = acme.user(json!({"name": "Bea", "email": "bea@example.com"}));
    let gone = acme.user(json!({"is_active": false}));
    acme.status(json!({}));
    let silent = acme.post(json!({}));
    acme.subscription(&gone, &silent);
    let acme = acme.open(store).await;
    // The author of a new post is subscribed.
    let post =
        create(&acme, json!({"board_id": board, "title": "Dark mode", "author_id": ada})).await;
    let quiet = json!({"board_id": board, "title": "Light mode", "author_id": ada, "subscribe_author": false});
    let quiet = create(&acme, quiet).await;
    let subscribers = async |post: &str| {
        let page = acme.post("/feedback-posts/subscribers", json!({"post_id": post})).await;
        let mut page = page.expect(200);
        for item in page["items"].as_array_mut().unwrap() {
            assert!(item["subscribed_at"].take().is_string());
        }
        page
    };
    let item = |id: &str, name: &str, email: &str, level: &str| json!({"user_id": id, "name": name, "email": email, "level": level, "subscribed_at": null});
    let page = |items: Value| json!({"items": items, "has_next_page": false, "cursor": null});
    let ada_shown = item(&ada, "Ada", "ada@example.com", "all");
    assert_eq!(subscribers(&post).await, page(json!([ada_shown])));
    assert_eq!(subscribers(&quiet).await, page(json!([])));
    assert_eq!(subscribers(&silent).await, page(json!([])));
    let write = async |verb: &str, body: Value| {
        let answer = acme.post(&format!("/feedback-posts/{verb}"), body).await;
        assert_eq!(answer.expect(200), json!({"success": true}));
    };
    write("subscribe", json!({"post_id": post, "user_id": bea, "level": "status"})).await;
    let bea_shown = |level| item(&bea, "Bea", "bea@example.com", level);
    assert_eq!(subscribers(&post).await, page(json!([ada_shown, bea_shown("status")])));
    write("subscribe", json!({"post_id": post, "user_id": bea})).await;
    assert_eq!(subscribers(&post).await, page(json!([ada_shown, bea_shown("all")])));
    for _ in 0..2 {
        write("unsubscribe", json!({"post_id": post, "user_id": ada})).await;
    }
    assert_eq!(subscribers(&post).await, page(json!([bea_shown("all")])));
    for (body, message) in [
        (json!({"post_id": id(), "user_id": ada}), "feedback post not found"),
        (json!({"post_id": post, "user_id": gone}), "user not found"),
    ] {
        let answer = acme.post("/feedback-posts/subscribe", body).await;
        assert_eq!(answer.expect(404), error(message));
    }
}

#[rstest]
#[tokio::test]
async fn the_attributes_of_a_post_are_merged_by_name_and_filter_lists(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let post = acme.post(json!({"attributes": {"plan": "pro", "seats": 1}}));
    let other = acme.post(json!({"attributes": {"plan": "pro", "seats": 10}}));
    acme.receiver();
    let acme = acme.open(store).await;
    let update = async |mut body: Value| {
        body["post_id"] = json!(post);
        acme.post("/feedback-posts/update", body).await.expect(200);
        retrieve(&acme, &post).await["attributes"].clone()
    };
    let listed =
        async |filter| acme.ids("/feedback-posts/list", json!({"attributes": filter})).await;
    assert_eq!(listed(json!({"seats": 1})).await, json!([post]));
    assert_eq!(listed(json!({"plan": "pro", "seats": 10.0})).await, json!([other]));
    let merged = update(json!({"attributes": {"seats": null, "beta": true}})).await;
    assert_eq!(merged, json!({"beta": true, "plan": "pro"}));
    assert_eq!(listed(json!({"seats": 1})).await, json!([]));
    assert_eq!(listed(json!({"beta": true, "plan": "pro"})).await, json!([post]));
    assert_eq!(update(json!({"clear": ["attributes"]})).await, json!({}));
    assert_eq!(events(&acme).await, Vec::<String>::new(), "attributes have no event");
}
