//! `/companies/upsert`, `list`, `retrieve`, `delete`

use crate::support::{Draft, Store, error, id};
use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn a_company_is_made_changed_and_deleted_by_its_external_id(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let upsert = async |body| acme.post("/companies/upsert", body).await.expect(200);
    let retrieve = async |body| acme.post("/companies/retrieve", body).await;
    let made = upsert(json!({"external_id": "c-1"})).await;
    assert_eq!(made, json!({"id": made["id"], "created": true}));
    let bare = retrieve(json!({"id": made["id"]})).await.expect(200);
    let expected = json!({"id": made["id"], "external_id": "c-1", "name": "c-1", "monthly_spend": "0.00",
        "customer_status": "", "attributes": {}, "created_at": bare["created_at"],
        "updated_at": bare["created_at"]});
    assert_eq!(bare, expected);
    let values = json!({"external_id": "c-1", "name": "Analytical", "monthly_spend": "99.9",
        "customer_status": "paying", "attributes": {"a.b": "x\"}", "n": 1e2}});
    for _ in 0..2 {
        let changed = upsert(values.clone()).await;
        assert_eq!(changed, json!({"id": made["id"], "created": false}));
    }
    let full = retrieve(json!({"external_id": "c-1"})).await.expect(200);
    let expected = json!({"id": made["id"], "external_id": "c-1", "name": "Analytical",
        "monthly_spend": "99.90", "customer_status": "paying", "attributes": {"a.b": "x\"}", "n": 100},
        "created_at": bare["created_at"], "updated_at": full["updated_at"]});
    assert_eq!(full, expected);
    let deleted = acme.post("/companies/delete", json!({"external_id": "c-1"})).await.expect(200);
    assert_eq!(deleted, json!({"success": true}));
    for gone in [json!({"external_id": "c-1"}), json!({"id": made["id"]})] {
        let missing = error("company not found");
        assert_eq!(retrieve(gone.clone()).await.expect(404), missing);
        assert_eq!(acme.post("/companies/delete", gone).await.expect(404), missing);
    }
    // A deleted company gives up its external identifier.
    let other = upsert(json!({"external_id": "c-1"})).await;
    assert!(other["created"] == true && other["id"] != made["id"], "{other}");
}

#[rstest]
#[tokio::test]
async fn of_64_upserts_of_one_company_at_once_one_makes_it(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let body = |n| json!({"external_id": "c", "attributes": {(format!("k{}", n % 40)): true}});
    let upserts = (0..64).map(|n| acme.post("/companies/upsert", body(n)));
    let answers: Vec<Value> =
        join_all(upserts).await.iter().map(|answer| answer.expect(200)).collect();
    assert_eq!(answers.iter().filter(|answer| answer["created"] == true).count(), 1);
    let company = acme.post("/companies/retrieve", json!({"external_id": "c"})).await.expect(200);
    assert_eq!(company["attributes"].as_object().map(serde_json::Map::len), Some(40));
}

#[rstest]
#[tokio::test]
async fn companies_are_listed_by_filters_and_in_orders(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let company = |acme: &mut Draft, n: usize, name: &str, spend: &str, plan: &str| {
        acme.company(json!({"name": name, "monthly_spend": spend, "attributes": {"plan": plan},
            "customer_status": plan, "created_at": format!("2026-01-0{n}")}))
    };
    let a = company(&mut acme, 1, "Zoo", "10.00", "pro");
    let b = company(&mut acme, 2, "Bar", "9.50", "pro");
    let c = company(&mut acme, 3, "Foo", "100.00", "free");
    acme.company(json!({"is_active": false}));
    let acme = acme.open(store).await;
    for (body, expected) in [
        (json!({}), json!([c, b, a])),
        (json!({"sort": "oldest"}), json!([a, b, c])),
        (json!({"sort": "name"}), json!([b, c, a])),
        (json!({"sort": "spend"}), json!([c, a, b])),
        (json!({"attributes": {"plan": "pro"}, "sort": "name"}), json!([b, a])),
        (json!({"customer_status": "free"}), json!([c])),
        (json!({"updated_after": "2026-01-02"}), json!([b, c])),
    ] {
        assert_eq!(acme.ids("/companies/list", body.clone()).await, expected, "{body}");
    }
    let first = json!({"sort": "spend", "limit": 1});
    let page = acme.post("/companies/list", first.clone()).await.expect(200);
    let mut next = first;
    next["cursor"] = page["cursor"].clone();
    assert_eq!(acme.post("/companies/list", next).await.expect(200)["items"][0]["id"], a);
    let both = json!({"id": id(), "external_id": "c"});
    let answer = acme.post("/companies/retrieve", both).await.expect(422);
    assert_eq!(answer["detail"][0]["loc"], json!(["body", "external_id"]));
}

#[rstest]
#[tokio::test]
async fn a_post_shows_the_spend_of_its_voters_companies_each_once(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let post = acme.post(json!({}));
    let acme = acme.open(store).await;
    let spend = async || {
        let shown = acme.post("/feedback-posts/retrieve", json!({"id": post})).await.expect(200);
        shown["monthly_spend"].clone()
    };
    let company = async |id: &str, spend: &str| {
        let body = json!({"external_id": id, "monthly_spend": spend});
        acme.post("/companies/upsert", body).await.expect(200);
    };
    let vote = async |voter: &str, voted: bool| {
        let body =
            json!({"post_id": post, "post_type": "feedback", "voter_email": voter, "voted": voted});
        acme.post("/votes/set", body).await.expect(200);
    };
    company("c-1", "100.5").await;
    for (email, company) in [("ada@c-1", "c-1"), ("kim@c-1", "c-1"), ("lee@c-2", "c-2")] {
        let body = json!({"email": email, "company": {"external_id": company}});
        acme.post("/users/upsert", body).await.expect(200);
    }
    assert_eq!(spend().await, "0.00");
    for email in ["ada@c-1", "kim@c-1", "lee@c-2", "nobody@home"] {
        vote(email, true).await;
    }
    assert_eq!(spend().await, "100.50");
    company("c-2", "0.75").await;
    assert_eq!(spend().await, "101.25");
    vote("ada@c-1", false).await;
    assert_eq!(spend().await, "101.25");
    vote("kim@c-1", false).await;
    assert_eq!(spend().await, "0.75");
    let join = json!({"email": "nobody@home", "company": {"external_id": "c-1"}});
    acme.post("/users/upsert", join).await.expect(200);
    assert_eq!(spend().await, "101.25");
    acme.post("/companies/delete", json!({"external_id": "c-1"})).await.expect(200);
    assert_eq!(spend().await, "0.75");
    let page = acme.post("/feedback-posts/list", json!({"sort": "spend"})).await.expect(200);
    assert_eq!(page["items"][0]["monthly_spend"], "0.75");
}
