//! `/help-collections/create`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

#[rstest]
#[tokio::test]
async fn a_collection_is_made_behind_the_others(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    acme.collection(json!({"slug": "guides"}));
    let acme = acme.open(store).await;
    let made = acme.post("/help-collections/create", json!({"name": "Guides"})).await.expect(200);
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(made, json!({"id": id}));
    let retrieve = async |id: &str| {
        let body = json!({"collection_id": id});
        acme.post("/help-collections/retrieve", body).await.expect(200)
    };
    let shown = retrieve(&id).await;
    assert_eq!(
        shown,
        json!({"id": id, "name": "Guides", "slug": "guides-2", "description": "", "icon": "book",
            "color": "#64748b", "seq_number": "2.0000", "category_count": 0,
            "created_at": shown["created_at"], "updated_at": shown["created_at"],
            "external_id": null})
    );
    let whole = json!({"name": "For managers", "slug": "managers", "description": "Rotas",
        "icon": "users", "color": "#abc", "external_id": "c-1"});
    let made = acme.post("/help-collections/create", whole.clone()).await.expect(200);
    let again = acme.post("/help-collections/create", whole).await.expect(200);
    assert_eq!(again, made);
    let shown = retrieve(made["id"].as_str().unwrap()).await;
    assert_eq!(
        json!([shown["slug"], shown["description"], shown["icon"], shown["color"]]),
        json!(["managers", "Rotas", "users", "#abc"])
    );
    assert_eq!(json!([shown["seq_number"], shown["external_id"]]), json!(["3.0000", "c-1"]));
    let clear = json!({"collection_id": made["id"], "clear": ["external_id"]});
    acme.post("/help-collections/update", clear).await.expect(200);
    let shown = retrieve(made["id"].as_str().unwrap()).await;
    assert_eq!(shown["external_id"], json!(null));
    let unnamed = json!({});
    acme.refuses("/help-collections/create", &unnamed, &[("name", json!(null), "string_type")])
        .await;
}
