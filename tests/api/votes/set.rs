//! `/votes/set`, `/votes/set-many` and `/votes/list`

use crate::support::{Draft, Organization, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

async fn votes(acme: &Organization, filter: Value) -> Vec<Value> {
    let page = acme.post("/votes/list", filter).await.expect(200);
    page["items"].as_array().expect("items").clone()
}

#[rstest]
#[tokio::test]
async fn the_wanted_state_is_reached_once_with_one_event_each_way(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, kim) = (acme.post(json!({})), acme.user(json!({})));
    acme.receiver();
    let acme = acme.open(store).await;
    let set = async |voted: bool| {
        let body = json!({
            "post_id": post, "post_type": "feedback", "voter_email": "ada@example.com",
            "voter_name": "Ada", "voted": voted, "created_by_id": kim,
            "source_url": "https://example.com/call", "created_at": "2026-01-05T10:00:00Z",
        });
        acme.post("/votes/set", body).await.expect(200)
    };
    assert_eq!(set(false).await, json!({"voted": false, "changed": false}));
    let nobody = acme.post("/users/retrieve", json!({"email": "ada@example.com"})).await;
    assert_eq!(nobody.status, 404, "a vote that is taken back makes nobody");
    assert_eq!(set(true).await, json!({"voted": true, "changed": true}));
    assert_eq!(set(true).await, json!({"voted": true, "changed": false}));
    let ada = acme.post("/users/retrieve", json!({"email": "ada@example.com"})).await.expect(200);
    assert_eq!(ada["name"], "Ada");
    let cast = votes(&acme, json!({"post_id": post, "post_type": "feedback"})).await;
    let expected = json!([{
        "id": cast[0]["id"], "post_id": post, "post_type": "feedback", "user_id": ada["user_id"],
        "created_by_id": kim, "source_url": "https://example.com/call",
        "created_at": "2026-01-05T10:00:00.000Z",
    }]);
    assert_eq!(json!(cast), expected);
    assert_eq!(set(false).await, json!({"voted": false, "changed": true}));
    assert_eq!(votes(&acme, json!({})).await, Vec::<Value>::new());
    let events = acme.events().await;
    let types: Vec<&Value> = events.iter().map(|event| &event["event"]).collect();
    assert_eq!(types, ["vote.created", "vote.deleted"], "user.created is only sent if it is named");
}

#[rstest]
#[tokio::test]
async fn many_voters_are_set_together_and_a_repeated_one_counts_once(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, plan) = (acme.post(json!({})), acme.roadmap_post(json!({})));
    let ada = acme.user(json!({"email": "ada@example.com"}));
    let kim = acme.user(json!({"external_id": "crm-7"}));
    acme.vote(&kim, &post, json!({}));
    let acme = acme.open(store).await;
    let set = async |post: &str, post_type: &str, voted: bool| {
        let body = json!({"post_id": post, "post_type": post_type, "voted": voted, "voters": [
            {"voter_id": ada, "created_at": "2026-01-04"},
            {"voter_email": "ada@example.com"},
            {"voter_external_id": "crm-7"},
            {"voter_email": "new@example.com"},
            {"voter_email": "new@example.com"},
        ]});
        acme.post("/votes/set-many", body).await.expect(200)
    };
    assert_eq!(set(&post, "feedback", true).await, json!({"changed": 2, "unchanged": 1}));
    assert_eq!(set(&post, "feedback", true).await, json!({"changed": 0, "unchanged": 3}));
    assert_eq!(set(&plan, "roadmap", true).await, json!({"changed": 3, "unchanged": 0}));
    let shown = acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200);
    assert_eq!(shown["vote_count"], 3);
    let of_ada = votes(&acme, json!({"user_id": ada})).await;
    let types: Vec<&Value> = of_ada.iter().map(|vote| &vote["post_type"]).collect();
    assert_eq!(types, ["feedback", "roadmap"]);
    let late = votes(&acme, json!({"user_id": ada, "created_after": "2026-01-04"})).await;
    assert!(late.is_empty(), "both votes were cast at that time: {late:?}");
    assert_eq!(set(&post, "feedback", false).await, json!({"changed": 3, "unchanged": 0}));
}

#[rstest]
#[tokio::test]
async fn a_refused_vote_changes_nothing(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::new();
    let closed = acme.board(json!({"is_voting_enabled": false}));
    let (post, shut) = (acme.post(json!({})), acme.post(json!({"board_id": closed})));
    let ada = acme.user(json!({}));
    let acme = acme.open(store).await;
    let before = acme.export().await;
    let many = |post: &str, voters: Value| json!({"post_id": post, "post_type": "feedback", "voted": true, "voters": voters});
    let new = json!({"voter_email": "new@example.com"});
    let cases = [
        (many(&id(), json!([new])), 404, error("post not found")),
        (many(&post, json!([new, {"voter_id": id()}])), 404, error("user not found")),
        (
            many(&shut, json!([new])),
            403,
            json!({"detail": "Voting is not permitted for this board"}),
        ),
    ];
    for (body, status, expected) in cases {
        assert_eq!(acme.post("/votes/set-many", body).await.expect(status), expected);
    }
    let unknown_filer = json!({
        "post_id": post, "post_type": "feedback", "voted": true, "voter_id": ada,
        "created_by_id": id(),
    });
    let answer = acme.post("/votes/set", unknown_filer).await;
    assert_eq!(answer.expect(404), error("user not found"));
    assert_eq!(acme.export().await, before);
}

#[rstest]
#[tokio::test]
async fn the_first_wrong_voter_is_named_with_its_faults(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, ada) = (acme.post(json!({})), acme.user(json!({})));
    let acme = acme.open(store).await;
    let faults = async |voters: Value| {
        let body =
            json!({"post_id": post, "post_type": "feedback", "voted": true, "voters": voters});
        acme.post("/votes/set-many", body).await.expect(422)["detail"].clone()
    };
    let missing = "Field required";
    assert_eq!(
        faults(json!([{"voter_id": ada}, {"created_at": "9999-01-01"}, {"voter_id": 5}])).await,
        json!([
            {"type": "missing", "loc": ["body", "voters", 1, "voter_id"], "msg": missing,
             "input": null},
            {"type": "value_error", "loc": ["body", "voters", 1, "created_at"],
             "msg": "Value error, a time in the future", "input": "9999-01-01"},
        ])
    );
    assert_eq!(
        faults(json!([5])).await,
        json!([{"type": "dict_type", "loc": ["body", "voters", 0],
                "msg": "Input should be a valid dictionary", "input": 5}])
    );
    assert_eq!(faults(json!([])).await[0]["type"], "too_short");
    let many: Vec<Value> = (0..501).map(|_| json!({"voter_id": ada})).collect();
    assert_eq!(faults(json!(many)).await[0]["type"], "too_long");
    let body = json!({"user_id": ada, "post_id": post, "post_type": "feedback"});
    let answer = acme.post("/votes/list", body).await.expect(422);
    assert_eq!(answer["detail"][0]["loc"], json!(["body", "post_id"]));
    let answer = acme.post("/votes/list", json!({"post_id": post})).await.expect(422);
    assert_eq!(answer["detail"][0]["loc"], json!(["body", "post_type"]));
}

#[rstest]
#[tokio::test]
async fn votes_of_a_company_are_those_of_its_users_and_selectors_exclude_each_other(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (company, gone) = (acme.company(json!({})), acme.company(json!({"is_active": false})));
    let [kim, ash, lost] =
        [&company, &company, &gone].map(|company| acme.user(json!({"company_id": company})));
    let left = acme.user(json!({"company_id": company, "is_active": false}));
    let (post, plan) = (acme.post(json!({})), acme.roadmap_post(json!({})));
    for user in [&lost, &left] {
        acme.vote(user, &post, json!({}));
    }
    acme.vote(&kim, &post, json!({"created_at": "2026-02-02"}));
    acme.vote(&ash, &post, json!({"created_at": "2026-02-03"}));
    acme.vote(&ash, &plan, json!({"created_at": "2026-02-01", "post_type": "roadmap"}));
    let acme = acme.open(store).await;
    let voters = async |filter: Value| -> Vec<Value> {
        votes(&acme, filter).await.iter().map(|vote| vote["user_id"].clone()).collect()
    };
    assert_eq!(
        voters(json!({"company_id": company})).await,
        [&ash, &kim, &ash].map(|id| json!(id))
    );
    let late = json!({"company_id": company, "created_after": "2026-02-02"});
    assert_eq!(voters(late).await, [json!(ash)]);
    for nothing in [&gone, &id()] {
        assert_eq!(voters(json!({"company_id": nothing})).await, Vec::<Value>::new());
    }
    let first = json!({"company_id": company, "limit": 1});
    let page = acme.post("/votes/list", first.clone()).await.expect(200);
    let mut next = first;
    next["cursor"] = page["cursor"].clone();
    assert_eq!(voters(next.clone()).await, [json!(kim)]);
    next["company_id"] = json!(gone);
    acme.post("/votes/list", next).await.expect(422);
    let rule = "Value error, user_id, company_id and post_id exclude each other";
    for (two, field) in [
        (json!({"user_id": kim, "company_id": company}), "company_id"),
        (json!({"company_id": company, "post_id": post, "post_type": "feedback"}), "post_id"),
        (json!({"user_id": kim, "post_id": post, "post_type": "feedback"}), "post_id"),
    ] {
        let answer = acme.post("/votes/list", two).await.expect(422);
        assert_eq!(answer["detail"][0]["loc"], json!(["body", field]), "{answer}");
        assert_eq!(answer["detail"][0]["msg"], rule);
        assert_eq!(answer["detail"].as_array().map(Vec::len), Some(1));
    }
}
