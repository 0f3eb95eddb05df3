//! Recorded events.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::event::{Event, EventType, Happening, VoteFacts};
use hearback_domain::id::{EventId, OrganizationId};
use hearback_domain::{Time, Uuid};
use serde::Serialize;

/// An event as it is kept: its payload is in the contract's JSON from the start, so that every delivery has the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Identifier.
    pub id: EventId,
    /// Type.
    pub event_type: EventType,
    /// The contract's `data` as compact JSON.
    pub data: String,
    /// When the change was made.
    pub recorded_at: Time,
}

impl From<&Event> for StoredEvent {
    fn from(event: &Event) -> Self {
        Self { id: event.id, event_type: event.what.event_type(), data: data(&event.what), recorded_at: event.at }
    }
}

/// Reads recorded events.
///
/// An event is recorded only where at least one active subscription wants it: with its fan-out it is one change.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Up to `limit` events behind `after`, by id.
    async fn list(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: i64,
    ) -> Result<Vec<StoredEvent>, StoreError>;
}

/// The contract's `data` of an event as compact JSON.
fn data(what: &Happening) -> String {
    match what {
        Happening::VoteCreated(facts) | Happening::VoteDeleted(facts) => json(&VoteData::from(facts)),
    }
}

#[derive(Serialize)]
struct VoteData<'a> {
    id: Uuid,
    post_id: Uuid,
    post_title: &'a str,
    board_id: Uuid,
}

impl<'a> From<&'a VoteFacts> for VoteData<'a> {
    fn from(facts: &'a VoteFacts) -> Self {
        Self { id: facts.id.0, post_id: facts.post_id.0, post_title: &facts.post_title, board_id: facts.board_id.0 }
    }
}

fn json(data: &impl Serialize) -> String {
    // Strings and identifiers only: there is nothing in the payload structs that serde_json could refuse.
    serde_json::to_string(data).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_of_a_vote_is_the_contracts() {
        let facts = VoteFacts {
            id: Uuid::from_u128(1).into(),
            post_id: Uuid::from_u128(2).into(),
            post_title: "Say \"hi\"".to_owned(),
            board_id: Uuid::from_u128(3).into(),
        };
        assert_eq!(
            data(&Happening::VoteCreated(facts)),
            concat!(
                r#"{"id":"00000000-0000-0000-0000-000000000001","post_id":"00000000-0000-0000-0000-000000000002","#,
                r#""post_title":"Say \"hi\"","board_id":"00000000-0000-0000-0000-000000000003"}"#
            )
        );
    }
}
