//! `Health`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::Stage;

pub async fn a_store_that_can_be_reached_says_so(stage: Stage) {
    stage.ports.health.ping().await.unwrap();
}
