//! `/users/retrieve`, `list`, `upsert`, `update`, `delete`, `block`, `unblock`

use crate::support::{Draft, Organization, Store, error, id, invalid};
use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn a_user_is_found_by_id_and_by_email(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let link = id();
    let user =
        acme.user(json!({"id": link, "email": "Ada@Example.com", "name": "Ada L.", "avatar_url": "https://example.com/a.png",
        "portal_role": "admin", "company_name": "Analytical", "customer_status": "paying", "is_subscribed": true,
        "created_at": "2026-01-02T03:04:05.006789+01:00"}));
    let acme = acme.open(store).await;
    let ada = json!({"id": link, "user_id": user, "email": "Ada@Example.com", "name": "Ada L.",
        "avatar_url": "https://example.com/a.png", "portal_role": "admin", "company_name": "Analytical",
        "customer_status": "paying", "created_at": "2026-01-02T02:04:05.006Z", "is_subscribed": true, "external_id": null,
        "company_id": null, "locale": "", "attributes": {}, "is_blocked": false, "is_trusted": false,
        "updated_at": "2026-01-02T02:04:05.006Z"});
    assert_eq!(acme.post("/users/retrieve", json!({"user_id": user})).await.expect(200), ada);
    assert_eq!(
        acme.post("/users/retrieve", json!({"email": "Ada@Example.com"})).await.expect(200),
        ada
    );
    assert_eq!(
        acme.post("/users/retrieve", json!({"email": "Ada@Example.com", "user_id": null}))
            .await
            .expect(200),
        ada
    );
}

#[rstest]
#[tokio::test]
async fn an_unknown_member_of_a_user_is_an_empty_string(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let link = id();
    let user = acme.user(json!({"id": link, "email": ""}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post("/users/retrieve", json!({"user_id": user})).await.expect(200),
        json!({"id": link, "user_id": user, "email": "", "name": "Ada", "avatar_url": "", "portal_role": "end_user",
            "company_name": "", "customer_status": "", "created_at": "2026-01-02T00:00:00.000Z", "is_subscribed": false, "external_id": null,
            "company_id": null, "locale": "", "attributes": {}, "is_blocked": false, "is_trusted": false, "updated_at": "2026-01-02T00:00:00.000Z"})
    );
    assert_eq!(
        acme.post("/users/retrieve", json!({"email": ""})).await.expect(404),
        error("user not found")
    );
}

#[rstest]
#[tokio::test]
async fn exactly_one_selector_is_given(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    for neither in [json!({}), json!({"user_id": null}), json!({"user_id": null, "email": null})] {
        let answer = acme.post("/users/retrieve", neither).await.expect(422);
        assert_eq!(answer, invalid(&[("missing", "user_id", "Field required", Value::Null)]));
    }
    let both = acme
        .post("/users/retrieve", json!({"user_id": id(), "email": "ada@example.com"}))
        .await
        .expect(422);
    assert_eq!(both["detail"].as_array().map(Vec::len), Some(1));
    assert_eq!(both["detail"][0]["type"], "value_error");
    assert_eq!(both["detail"][0]["loc"], json!(["body", "email"]));
    assert_eq!(both["detail"][0]["input"], "ada@example.com");
    let wrong =
        acme.post("/users/retrieve", json!({"user_id": 5, "email": false})).await.expect(422);
    let types: Vec<&Value> =
        wrong["detail"].as_array().expect("items").iter().map(|item| &item["type"]).collect();
    assert_eq!(types, ["uuid_type", "string_type"]);
}

async fn upsert(acme: &Organization, body: Value) -> Value {
    acme.post("/users/upsert", body).await.expect(200)
}

async fn retrieve(acme: &Organization, user: &Value) -> Value {
    acme.post("/users/retrieve", json!({"user_id": user})).await.expect(200)
}

/// The recorded events, oldest first, each with its name and the user's.
async fn events(acme: &Organization) -> Vec<(String, Value)> {
    let told = |event: Value| {
        let name = event["event"].as_str().expect("a name").to_owned();
        (name, event["data"]["user_id"].clone())
    };
    acme.events().await.into_iter().map(told).collect()
}

/// An organization with a receiver of the events of users.
async fn told(mut acme: Draft, store: Store) -> Organization {
    let types = json!(["user.created", "user.updated", "user.deleted"]);
    acme.receiver_of(types);
    acme.open(store).await
}

#[rstest]
#[tokio::test]
async fn an_upsert_makes_a_user_with_a_company_and_then_changes_both(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = told(Draft::new(), store).await;
    let company = json!({"external_id": "c-1", "name": "Analytical", "monthly_spend": "12.5",
        "customer_status": "paying", "attributes": {"size": 7}});
    let body = json!({"external_id": "crm-7", "email": "ada@example.com", "name": "Ada",
        "avatar_url": "https://example.com/a.png", "company": company, "customer_status": "paying",
        "attributes": {"plan": "pro", "seats": 2.50, "beta": true, "gone": null}, "locale": "de-CH",
        "is_subscribed": true, "created_at": "2020-02-03"});
    let made = upsert(&acme, body.clone()).await;
    assert_eq!(made, json!({"id": made["id"], "user_id": made["user_id"], "created": true}));
    let user = retrieve(&acme, &made["user_id"]).await;
    let company_id = user["company_id"].clone();
    let expected = json!({"id": made["id"], "user_id": made["user_id"], "email": "ada@example.com", "name": "Ada",
        "avatar_url": "https://example.com/a.png", "portal_role": "end_user", "company_name": "Analytical",
        "customer_status": "paying", "created_at": "2020-02-03T00:00:00.000Z", "is_subscribed": true,
        "external_id": "crm-7", "company_id": company_id, "locale": "de-CH",
        "attributes": {"beta": true, "plan": "pro", "seats": 2.5}, "is_blocked": false, "is_trusted": false,
        "updated_at": user["updated_at"]});
    assert_eq!(user, expected);
    let company = acme.post("/companies/retrieve", json!({"id": company_id})).await.expect(200);
    assert_eq!(
        (&company["external_id"], &company["monthly_spend"]),
        (&json!("c-1"), &json!("12.50"))
    );
    assert_eq!(company["attributes"], json!({"size": 7}));

    // The second time nothing changes.
    let again = upsert(&acme, body).await;
    assert_eq!(again, json!({"id": made["id"], "user_id": made["user_id"], "created": false}));
    assert_eq!(retrieve(&acme, &made["user_id"]).await, user);
    assert_eq!(events(&acme).await, [("user.created".to_owned(), made["user_id"].clone())]);

    let change = json!({"external_id": "crm-7", "name": "Ada L.",
        "attributes": {"beta": null, "seats": 3}, "company": {"external_id": "c-1", "monthly_spend": "20"}});
    assert_eq!(upsert(&acme, change).await, again);
    let changed = retrieve(&acme, &made["user_id"]).await;
    assert_eq!(changed["name"], "Ada L.");
    assert_eq!(changed["attributes"], json!({"plan": "pro", "seats": 3}));
    assert_eq!(changed["email"], "ada@example.com");
    assert!(changed["updated_at"].as_str() > user["updated_at"].as_str());
    let company = acme.post("/companies/retrieve", json!({"external_id": "c-1"})).await.expect(200);
    assert_eq!(
        (&company["name"], &company["monthly_spend"]),
        (&json!("Analytical"), &json!("20.00"))
    );
    assert_eq!(events(&acme).await[1..], [("user.updated".to_owned(), made["user_id"].clone())]);
}

#[rstest]
#[tokio::test]
async fn the_external_id_finds_first_and_then_the_address(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let ada = acme.user(json!({"external_id": "a", "email": "ada@example.com"}));
    let bea = acme.user(json!({"email": "bea@example.com"}));
    let acme = told(acme, store).await;
    let found = async |body| upsert(&acme, body).await["user_id"].clone();
    assert_eq!(found(json!({"external_id": "a", "email": "new@example.com"})).await, json!(ada));
    assert_eq!(found(json!({"external_id": "b", "email": "bea@example.com"})).await, json!(bea));
    assert_eq!(found(json!({"external_id": "b"})).await, json!(bea));
    let taken = json!({"external_id": "a", "email": "bea@example.com", "name": "Other"});
    let refused = || error("the email belongs to another user");
    assert_eq!(acme.post("/users/upsert", taken).await.expect(400), refused());
    let taken = json!({"user_id": ada, "email": "bea@example.com"});
    assert_eq!(acme.post("/users/update", taken).await.expect(400), refused());
    let taken = json!({"user_id": ada, "external_id": "b"});
    let refused = json!({"detail": "External id already exists"});
    assert_eq!(acme.post("/users/update", taken).await.expect(400), refused);
    assert_eq!(retrieve(&acme, &json!(ada)).await["name"], "Ada");
}

#[rstest]
#[tokio::test]
async fn a_deleted_user_is_linked_again_by_an_upsert(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let ada = acme.user(json!({"external_id": "a", "email": "ada@example.com"}));
    let bea = acme.user(json!({"external_id": "b", "email": ""}));
    let post = acme.post(json!({"author_id": ada}));
    acme.vote(&ada, &post, json!({}));
    let acme = told(acme, store).await;
    for user in [&ada, &bea] {
        let deleted = acme.post("/users/delete", json!({"user_id": user})).await.expect(200);
        assert_eq!(deleted, json!({"success": true}));
        let gone = acme.post("/users/retrieve", json!({"user_id": user})).await.expect(404);
        assert_eq!(gone, error("user not found"));
    }
    let shown = acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200);
    assert_eq!((&shown["author_id"], &shown["vote_count"]), (&json!(ada), &json!(1)));
    for (user, handle) in [
        (&ada, json!({"email": "ada@example.com", "name": "Ada L."})),
        (&bea, json!({"external_id": "b"})),
    ] {
        let linked = upsert(&acme, handle.clone()).await;
        assert_eq!((&linked["user_id"], &linked["created"]), (&json!(user), &json!(true)));
        assert_eq!(upsert(&acme, handle).await["created"], false);
    }
    assert_eq!(retrieve(&acme, &json!(ada)).await["external_id"], "a");
    let expected = [
        ("user.deleted", &ada),
        ("user.deleted", &bea),
        ("user.created", &ada),
        ("user.created", &bea),
    ];
    let expected = expected.map(|(name, user)| (name.to_owned(), json!(user)));
    assert_eq!(events(&acme).await, expected);
    let deleted = &acme.events().await[0]["data"];
    assert_eq!(deleted.as_object().expect("facts").len(), 2, "{deleted}");
}

#[rstest]
#[tokio::test]
async fn of_64_upserts_of_one_address_at_once_one_makes_the_user(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let acme = told(Draft::new(), store).await;
    let body = json!({"external_id": "a", "email": "ada@example.com",
        "company": {"external_id": "c"}});
    let answers = join_all((0..64).map(|_| upsert(&acme, body.clone()))).await;
    let made = answers.iter().filter(|answer| answer["created"] == true).count();
    assert_eq!(made, 1);
    assert!(answers.iter().all(|answer| answer["user_id"] == answers[0]["user_id"]));
    assert_eq!(events(&acme).await.len(), 1);
    let companies = acme.ids("/companies/list", json!({})).await;
    assert_eq!(companies.as_array().map(Vec::len), Some(1));
}

#[rstest]
#[tokio::test]
async fn an_update_changes_the_given_fields_and_clears_others(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let company = acme.company(json!({"external_id": "c-1", "name": "Analytical"}));
    let ada = acme.user(json!({"external_id": "a", "company_id": company,
        "company_name": "Analytical", "attributes": {"plan": "pro"}}));
    let acme = told(acme, store).await;
    let update = async |mut body: Value| {
        body["user_id"] = json!(ada);
        acme.post("/users/update", body).await.expect(200);
        retrieve(&acme, &json!(ada)).await
    };
    let before = retrieve(&acme, &json!(ada)).await;
    assert_eq!((&before["company_id"], update(json!({})).await), (&json!(company), before.clone()));
    // The name of the present company changes nothing.
    assert_eq!(update(json!({"company_name": "Analytical"})).await, before);
    let other = update(json!({"company_name": "Other", "locale": "fr"})).await;
    assert_eq!(
        (&other["company_id"], &other["company_name"], &other["locale"]),
        (&Value::Null, &json!("Other"), &json!("fr"))
    );
    let joined = update(json!({"company": {"external_id": "c-1"}})).await;
    assert_eq!(
        (&joined["company_id"], &joined["company_name"]),
        (&json!(company), &json!("Analytical"))
    );
    let cleared = update(json!({"clear": ["company_id", "external_id", "attributes"]})).await;
    assert_eq!(
        (&cleared["company_id"], &cleared["company_name"], &cleared["external_id"]),
        (&Value::Null, &json!(""), &Value::Null)
    );
    assert_eq!(cleared["attributes"], json!({}));
    assert_eq!(cleared["portal_role"], "end_user");
    let rule = "Value error, a field is either given or cleared";
    let both = json!({"user_id": ada, "company": {"external_id": "c-1"}, "clear": ["company_id"]});
    assert_eq!(
        acme.post("/users/update", both).await.expect(422),
        invalid(&[("value_error", "clear", rule, json!(["company_id"]))])
    );
}

#[rstest]
#[tokio::test]
async fn a_company_is_named_by_record_or_in_words_and_its_faults_name_their_member(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let before = acme.export().await;
    let both =
        json!({"email": "ada@example.com", "company": {"external_id": "c"}, "company_name": "C"});
    let rule = "Value error, company and company_name exclude each other";
    assert_eq!(
        acme.post("/users/upsert", both).await.expect(422),
        invalid(&[("value_error", "company_name", rule, json!("C"))])
    );
    let wrong = json!({"email": "ada@example.com",
        "company": {"monthly_spend": "-1", "attributes": {"a b": 1}}});
    let answer = acme.post("/users/upsert", wrong).await.expect(422);
    let faults: Vec<(&Value, &Value)> = answer["detail"]
        .as_array()
        .expect("faults")
        .iter()
        .map(|fault| (&fault["type"], &fault["loc"]))
        .collect();
    let [missing, pattern, rule] =
        ["missing", "string_pattern_mismatch", "value_error"].map(Value::from);
    let loc = |member: &str| json!(["body", "company", member]);
    let expected = [loc("external_id"), loc("monthly_spend"), loc("attributes")];
    assert_eq!(faults, [(&missing, &expected[0]), (&pattern, &expected[1]), (&rule, &expected[2])]);
    let nobody = acme.post("/users/upsert", json!({"name": "Ada"})).await.expect(422);
    assert_eq!(nobody, invalid(&[("missing", "external_id", "Field required", Value::Null)]));
    let future = json!({"email": "ada@example.com", "created_at": "2999-01-01"});
    assert_eq!(acme.post("/users/upsert", future).await.status, 422);
    assert_eq!(acme.export().await, before);
}

#[rstest]
#[tokio::test]
async fn a_user_has_fifty_attributes_at_most(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let ada = acme.user(json!({}));
    let acme = acme.open(store).await;
    let some = |numbers: std::ops::Range<usize>| -> Value {
        numbers.map(|n| (format!("k{n}"), json!(n))).collect::<serde_json::Map<_, _>>().into()
    };
    let set = async |attributes: Value| {
        acme.post("/users/update", json!({"user_id": ada, "attributes": attributes})).await
    };
    set(some(0..50)).await.expect(200);
    assert_eq!(set(some(50..51)).await.expect(400), error("too many attributes"));
    let message = "Dictionary should have at most 50 items";
    assert_eq!(
        set(some(0..51)).await.expect(422),
        invalid(&[("too_long", "attributes", message, some(0..51))])
    );
    set(json!({"k0": null, "k50": 50})).await.expect(200);
    assert_eq!(retrieve(&acme, &json!(ada)).await["attributes"], some(1..51));
}

#[rstest]
#[tokio::test]
async fn a_blocked_user_posts_comments_and_votes_no_more(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let ada = acme.user(json!({"email": "ada@example.com"}));
    let (post, voted) = (acme.post(json!({})), acme.post(json!({})));
    acme.vote(&ada, &voted, json!({}));
    let board = acme.board(json!({}));
    acme.status(json!({"is_default_status": true}));
    let acme = told(acme, store).await;
    let set = async |verb: &str| {
        let answer = acme.post(&format!("/users/{verb}"), json!({"user_id": ada})).await;
        assert_eq!(answer.expect(200), json!({"success": true}));
    };
    let writes = [
        ("/feedback-posts/create", json!({"board_id": board, "title": "T", "author_id": ada})),
        (
            "/feedback-posts/create",
            json!({"board_id": board, "title": "T", "author_email": "ada@example.com"}),
        ),
        ("/comments/create", json!({"feedback_post_id": post, "content": "C", "author_id": ada})),
        ("/votes/toggle", json!({"user_id": ada, "post_id": post, "post_type": "feedback"})),
    ];
    for _ in 0..2 {
        set("block").await;
    }
    assert_eq!(retrieve(&acme, &json!(ada)).await["is_blocked"], true);
    let before = acme.export().await;
    for (path, body) in &writes {
        let answer = acme.post(path, body.clone()).await;
        assert_eq!(answer.expect(403), error("the user is blocked"), "{path}");
    }
    assert_eq!(acme.export().await, before);
    let back = json!({"user_id": ada, "post_id": voted, "post_type": "feedback"});
    assert_eq!(acme.post("/votes/toggle", back).await.expect(200), json!({"voted": false}));
    set("unblock").await;
    for (path, body) in &writes {
        acme.post(path, body.clone()).await.expect(200);
    }
    assert_eq!(events(&acme).await, [], "blocking has no event");
}

#[rstest]
#[tokio::test]
async fn users_are_listed_by_filters_and_in_orders(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let company = acme.company(json!({}));
    let user = |acme: &mut Draft, n: usize, members: Value| {
        let mut all = json!({"id": id(), "created_at": format!("2026-01-0{n}"),
            "updated_at": format!("2026-02-0{}", 5 - n)});
        all.as_object_mut()
            .expect("members")
            .extend(members.as_object().cloned().expect("members"));
        acme.user(all.clone());
        all["id"].clone()
    };
    let a = user(
        &mut acme,
        1,
        json!({"name": "Zoë", "email": "zoe@example.com", "company_id": company,
        "attributes": {"plan": "pro", "seats": 1}}),
    );
    let b = user(
        &mut acme,
        2,
        json!({"name": "Ada", "email": "a@zoe.example", "is_subscribed": true,
        "attributes": {"plan": "pro", "seats": 10}, "portal_role": "admin"}),
    );
    let c = user(
        &mut acme,
        3,
        json!({"name": "Bea", "is_blocked": true, "customer_status": "paying",
        "attributes": {"plan": "free"}}),
    );
    let gone = user(&mut acme, 4, json!({"name": "Gone", "is_active": false}));
    let acme = acme.open(store).await;
    let listed = async |body: Value| acme.ids("/users/list", body).await;
    let cases = [
        (json!({}), json!([c, b, a])),
        (json!({"sort": "oldest"}), json!([a, b, c])),
        (json!({"sort": "name"}), json!([b, c, a])),
        (json!({"sort": "updated"}), json!([a, b, c])),
        (json!({"search": "ZOË"}), json!([a])),
        (json!({"search": "zoe"}), json!([b, a])),
        (json!({"company_id": company}), json!([a])),
        (json!({"company_id": id()}), json!([])),
        (json!({"customer_status": "paying"}), json!([c])),
        (json!({"portal_role": "admin"}), json!([b])),
        (json!({"attributes": {"plan": "pro"}}), json!([b, a])),
        (json!({"attributes": {"plan": "pro", "seats": 1.0}}), json!([a])),
        (json!({"attributes": {"plan": true}}), json!([])),
        (json!({"is_subscribed": true}), json!([b])),
        (json!({"is_blocked": false}), json!([b, a])),
        (json!({"created_after": "2026-01-02"}), json!([c, b])),
        (json!({"updated_after": "2026-02-02"}), json!([c, b, a])),
        (json!({"updated_after": "2026-01-01", "include_deleted": true}), json!([gone, c, b, a])),
    ];
    for (body, expected) in cases {
        assert_eq!(listed(body.clone()).await, expected, "{body}");
    }
    let changes = json!({"updated_after": "2026-01-01", "include_deleted": true, "limit": 1});
    let page = acme.post("/users/list", changes.clone()).await.expect(200);
    let expected =
        json!({"id": gone, "is_active": false, "updated_at": "2026-02-01T00:00:00.000Z"});
    assert_eq!(page["items"], json!([expected]));
    let mut next = changes.clone();
    next["cursor"] = page["cursor"].clone();
    assert_eq!(acme.post("/users/list", next.clone()).await.expect(200)["items"][0]["id"], c);
    next["attributes"] = json!({"plan": "free"});
    acme.post("/users/list", next).await.expect(422);
    for (wrong, field) in [
        (json!({"updated_after": "2026-01-01", "sort": "name"}), "sort"),
        (json!({"include_deleted": true}), "include_deleted"),
        (json!({"attributes": {"a": null}}), "attributes"),
    ] {
        let answer = acme.post("/users/list", wrong).await.expect(422);
        assert_eq!(answer["detail"][0]["loc"], json!(["body", field]), "{answer}");
        assert_eq!(answer["detail"][0]["type"], "value_error");
    }
}
