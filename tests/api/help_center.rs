//! The help center as a feature of the plan.

use crate::support::{Draft, ENDPOINTS, Site, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const NOT_ENABLED: &str =
    "The Help Center is not enabled on your current plan. Please upgrade your plan to use it.";

#[rstest]
#[tokio::test]
async fn without_help_center_its_endpoints_refuse_before_any_look_up(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::with(json!({"help_center_enabled": false}));
    let collection = acme.collection(json!({}));
    let category = acme.help_category(json!({"collection_id": collection}));
    let article = acme.article(json!({"category_id": category}));
    let acme = acme.open(store).await;
    let before = acme.export().await;
    let of_field = |field: &str| match field {
        "collection_id" => collection.clone(),
        "category_id" => category.clone(),
        _ => article.clone(),
    };
    let mut paths = BTreeSet::new();
    for endpoint in ENDPOINTS.iter().filter(|endpoint| endpoint.is_of_help_center) {
        paths.insert(endpoint.path);
        // The response is the same for known and for unknown ids.
        for body in [endpoint.body(of_field), endpoint.body(|_| id())] {
            assert_eq!(
                acme.post(endpoint.path, body).await.expect(403),
                error(NOT_ENABLED),
                "{}",
                endpoint.path
            );
        }
    }
    assert_eq!(paths.len(), 28);
    assert_eq!(acme.export().await, before, "no request changes a record");
}

#[rstest]
#[tokio::test]
async fn fields_are_checked_before_the_plan_and_the_key_before_the_fields(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::with(json!({"help_center_enabled": false})).open(store).await;
    let site = Site::of(store).await;
    for endpoint in ENDPOINTS.iter().filter(|endpoint| endpoint.is_of_help_center) {
        for field in &endpoint.fields {
            let mut body = endpoint.body(|_| id());
            body[field.name] = json!({});
            let faults = acme.faults(endpoint.path, body.clone()).await;
            assert_eq!(faults.len(), 1, "{} {}", endpoint.path, field.name);
            assert_eq!(faults[0][1], field.name, "{} {}", endpoint.path, field.name);
            assert_eq!(
                site.raw(endpoint.path, &body.to_string()).await.expect(401),
                error("invalid api_key")
            );
        }
    }
}

#[rstest]
#[tokio::test]
async fn the_other_endpoints_work(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mut acme = Draft::with(json!({"help_center_enabled": false}));
    acme.label(json!({}));
    let acme = acme.open(store).await;
    for endpoint in ENDPOINTS.iter().filter(|endpoint| !endpoint.is_of_help_center) {
        let answer = acme.post(endpoint.path, endpoint.body(|_| id())).await;
        assert_ne!(answer.status, 403, "{}", endpoint.path);
    }
    acme.post("/changelog/create", json!({"title": "Dark mode"})).await.expect(200);
    assert_ne!(
        acme.post("/labels/list", json!({})).await.expect(200)["items"],
        Value::Array(vec![])
    );
}

#[rstest]
#[tokio::test]
async fn a_new_order_names_all_records_of_one_parent(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let shelves = [0; 3].map(|_| acme.collection(json!({})));
    let shelf = &shelves[0];
    let in_shelf = json!({"collection_id": shelf});
    let guides = [0; 3].map(|_| acme.help_category(in_shelf.clone()));
    let pages = [0; 3].map(|_| acme.article(in_shelf.clone()));
    let in_guide = json!({"category_id": guides[0]});
    let steps = [0; 3].map(|_| acme.article(in_guide.clone()));
    let stray = acme.help_category(json!({"collection_id": shelves[1]}));
    let acme = acme.open(store).await;
    let cases = [
        ("/help-collections", json!({}), &shelves),
        ("/help-categories", in_shelf.clone(), &guides),
        ("/help-articles", in_shelf, &pages),
        ("/help-articles", in_guide, &steps),
    ];
    for (path, parent, [a, b, c]) in cases {
        let order = async |ids: Value| {
            let mut body = parent.clone();
            body["ids"] = ids;
            acme.post(&format!("{path}/reorder"), body).await
        };
        let list = async || {
            let mut body = parent.clone();
            if path == "/help-articles" {
                body["sort"] = "position".into();
            }
            let all = acme.post(&format!("{path}/list"), body).await.expect(200);
            let ids = all["items"].as_array().expect("items").iter().map(|it| it["id"].clone());
            // A list of a collection has the articles of its categories, too.
            Value::from_iter(ids.filter(|id| [a, b, c].iter().any(|it| id == *it)))
        };
        let wrong = [json!([c, b]), json!([c, b, b]), json!([c, b, a, id()]), json!([c, b, stray])];
        for ids in wrong {
            assert_eq!(order(ids).await.expect(400), error("ids must name every one"), "{path}");
        }
        assert_eq!(list().await, json!([a, b, c]), "{path}");
        for ids in [json!([c, a, b]), json!([c, a, b]), json!([b, c, a])] {
            assert_eq!(order(ids.clone()).await.expect(200), json!({"success": true}));
            assert_eq!(list().await, ids, "{path}");
        }
    }
}
