//! Recorded events.

use crate::{Caller, Error};
use hearback_domain::Uuid;
use hearback_domain::event::{LEDGER_KEPT, LedgerFilter};
use hearback_domain::id::EventId;
use hearback_domain::record::Kind;
use hearback_ports::Ports;
use hearback_ports::events::StoredEvent;
use hearback_ports::page::{ByTime, Page, PageRequest};

/// `/events/list`: the events of the ledger that the filter admits, in the order of recording, for
/// 90 days.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    filter: LedgerFilter,
    page: PageRequest<ByTime>,
) -> Result<Page<StoredEvent, ByTime>, Error> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    let since = ports.clock.now().plus_millis(-LEDGER_KEPT);
    let created_after = Some(filter.created_after.map_or(since, |time| time.max(since)));
    Ok(ports.events.ledger(organization, LedgerFilter { created_after, ..filter }, page).await?)
}

/// An event with its payload, in the ledger or not. `None` if it is no longer kept.
pub async fn find(
    ports: &Ports,
    caller: Caller,
    id: EventId,
) -> Result<Option<StoredEvent>, Error> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    // The log lists the events behind an identifier: here, behind the one before this.
    let before = id.0.as_u128().checked_sub(1).map(|before| EventId(Uuid::from_u128(before)));
    let found = ports.events.list(organization, before, 1).await?;
    Ok(found.into_iter().find(|event| event.id == id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Time;
    use hearback_domain::event::EventType;
    use hearback_domain::id::OrganizationId;
    use hearback_ports::mock::Mocks;

    #[tokio::test]
    async fn an_event_is_the_first_one_behind_its_predecessor_or_gone() {
        let mut mocks = Mocks::default();
        mocks.events.expect_list().returning(|_, after, limit| {
            assert_eq!((after, limit), (Some(EventId(Uuid::from_u128(6))), 1));
            let id = EventId(Uuid::from_u128(7));
            let event_type = EventType::VoteCreated;
            let data = "{}".to_owned();
            Ok(vec![StoredEvent { id, event_type, data, recorded_at: Time::MIN, in_ledger: false }])
        });
        let ports = mocks.ports();
        let caller = Caller::background(OrganizationId(Uuid::from_u128(1)));
        let found = find(&ports, caller, EventId(Uuid::from_u128(7))).await.unwrap();
        assert_eq!(found.map(|event| event.event_type), Some(EventType::VoteCreated));

        let mut mocks = Mocks::default();
        mocks.events.expect_list().returning(|_, _, _| Ok(vec![]));
        let gone = find(&mocks.ports(), caller, EventId(Uuid::from_u128(7))).await.unwrap();
        assert_eq!(gone, None);
    }
}
