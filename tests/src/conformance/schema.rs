//! `Schema`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, inventory};
use crate::build::Tenant;
use futures_util::future::join_all;
use hearback_ports::schema::SchemaState;

pub async fn a_schema_that_is_up_to_date_stays_as_it_is(stage: Stage) {
    let acme = Tenant::full().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    assert_eq!(stage.schema.state().await.unwrap(), SchemaState::Current);
    for migrated in join_all((0..4).map(|_| stage.schema.migrate())).await {
        migrated.unwrap();
    }
    assert_eq!(stage.schema.state().await.unwrap(), SchemaState::Current);
    assert_eq!(inventory(&stage, acme.id()).await, before);
}
