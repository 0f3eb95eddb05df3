//! `/labels/…`

use crate::support::{Draft, Store, error};
use rstest::rstest;
use serde_json::json;

#[rstest]
#[tokio::test]
async fn active_labels_are_listed_by_name_then_id(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let umlaut = acme.label(json!({"name": "Äpfel", "code": "d"}));
    let first =
        acme.label(json!({"name": "apps", "code": "a", "color": "#ABCDEF80", "description": ""}));
    let second = acme.label(json!({"name": "apps", "code": "b", "description": "On phones"}));
    let capital = acme.label(
        json!({"name": "Web", "code": "c", "created_at": "2026-01-02T03:04:05.678901+01:00"}),
    );
    acme.label(json!({"name": "gone", "is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post("/labels/list", json!({})).await.expect(200),
        json!({
            "items": [
                {"id": capital, "name": "Web", "code": "c", "color": "#abc", "description": null,
                    "created_at": "2026-01-02T02:04:05.678Z", "external_id": null},
                {"id": first, "name": "apps", "code": "a", "color": "#ABCDEF80", "description": "",
                    "created_at": "2026-01-02T00:00:00.000Z", "external_id": null},
                {"id": second, "name": "apps", "code": "b", "color": "#abc", "description": "On phones",
                    "created_at": "2026-01-02T00:00:00.000Z", "external_id": null},
                {"id": umlaut, "name": "Äpfel", "code": "d", "color": "#abc", "description": null,
                    "created_at": "2026-01-02T00:00:00.000Z", "external_id": null},
            ],
            "has_next_page": false,
            "cursor": null,
        })
    );
}

#[rstest]
#[tokio::test]
async fn a_page_has_25_labels_unless_another_limit_is_given(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    for n in 0..101 {
        acme.label(json!({"name": format!("Label {n:03}")}));
    }
    let acme = acme.open(store).await;
    for (body, count) in [
        (json!({}), 25),
        (json!({"limit": 1}), 1),
        (json!({"limit": 100}), 100),
        (json!({"limit": 26.0}), 26),
    ] {
        let page = acme.post("/labels/list", body).await.expect(200);
        assert_eq!(page["items"].as_array().map(Vec::len), Some(count));
        assert_eq!(page["has_next_page"], true);
        assert!(page["cursor"].is_string());
    }
    let all = acme.walk("/labels/list", json!({}), 100).await;
    let names: Vec<String> = (0..101).map(|n| format!("Label {n:03}")).collect();
    assert_eq!(
        all.iter().map(|label| label["name"].as_str().expect("a name")).collect::<Vec<_>>(),
        names
    );
}

#[rstest]
#[tokio::test]
async fn a_label_is_made_changed_and_deleted_and_gives_up_its_code(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    acme.label(json!({"code": "big-apps"}));
    let acme = acme.open(store).await;
    let body = json!({"name": "Big apps", "color": "#ABC", "description": "On phones"});
    let made = acme.post("/labels/create", body).await.expect(200);
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(made, json!({"id": id}));
    let retrieve = async || acme.post("/labels/retrieve", json!({"id": id})).await.expect(200);
    let mut expected = json!({"id": id, "name": "Big apps", "code": "big-apps-2", "color": "#ABC",
        "description": "On phones", "created_at": null, "external_id": null});
    expected["created_at"] = retrieve().await["created_at"].clone();
    assert_eq!(retrieve().await, expected);
    let patch = json!({"label_id": id, "name": "Apps", "code": "apps", "color": "#abcdef",
        "external_id": "l-1", "clear": ["description"]});
    assert_eq!(acme.post("/labels/update", patch).await.expect(200), json!({"success": true}));
    for (member, value) in [
        ("name", json!("Apps")),
        ("code", json!("apps")),
        ("color", json!("#abcdef")),
        ("description", json!(null)),
        ("external_id", json!("l-1")),
    ] {
        expected[member] = value;
    }
    assert_eq!(retrieve().await, expected);
    let taken = acme.post("/labels/update", json!({"label_id": id, "code": "big-apps"})).await;
    assert_eq!(taken.expect(400), json!({"detail": "Code already exists"}));
    let delete = async || acme.post("/labels/delete", json!({"label_id": id})).await;
    assert_eq!(delete().await.expect(200), json!({"success": true}));
    assert_eq!(delete().await.expect(404), error("label not found"));
    let again = json!({"name": "Apps", "color": "#abc", "code": "apps", "external_id": "l-1"});
    let again = acme.post("/labels/create", again).await.expect(200);
    assert_ne!(again["id"], json!(id));
    let create = json!({"name": "x"});
    acme.refuses("/labels/create", &create, &[("color", json!(null), "string_type")]).await;
}

#[rstest]
#[tokio::test]
async fn an_entry_keeps_a_deleted_label_and_takes_no_new_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let label = acme.label(json!({}));
    let [entry, other] =
        [json!({"label_ids": [label]}), json!({})].map(|members| acme.entry(members));
    let acme = acme.open(store).await;
    acme.post("/labels/delete", json!({"label_id": label})).await.expect(200);
    let shown = acme.post("/changelog/retrieve", json!({"id": entry})).await.expect(200);
    assert_eq!(shown["label_ids"], json!([label]));
    let body = json!({"entry_id": other, "label_ids": [label]});
    let refused = acme.post("/changelog/update", body).await.expect(400);
    assert_eq!(refused, error("one or more label_ids do not belong to this organization"));
}
