//! `/events/list`

use crate::{Caller, Error};
use hearback_domain::event::{LEDGER_KEPT, LedgerFilter};
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
