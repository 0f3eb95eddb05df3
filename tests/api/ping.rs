//! `/ping`

use crate::support::{Draft, Store, now, time};
use hearback_domain::Uuid;
use rstest::rstest;
use serde_json::json;

#[rstest]
#[tokio::test]
async fn a_key_names_its_organization_and_the_time(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let before = now();
    let pong = acme.post("/ping", json!({})).await.expect(200);
    assert!((before..=now()).contains(&time(&pong["timestamp"])));
    let id = pong["organization_id"].clone();
    assert!(Uuid::parse_str(id.as_str().unwrap()).is_ok());
    let exported = acme.export().await;
    let organization = exported.iter().find(|record| record["kind"] == "organization").unwrap();
    let expected = json!({"organization_id": organization["id"],
        "organization_slug": organization["slug"], "timestamp": pong["timestamp"]});
    assert_eq!(pong, expected);
}
