//! `/statuses/…`

use crate::{Caller, Error};
use hearback_domain::record::Kind;
use hearback_domain::status::Status;
use hearback_ports::Ports;

/// `/statuses/list`: the active statuses, in workflow order.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<Status>, Error> {
    let organization = caller.view(Kind::Status)?;
    Ok(ports.whole_lists.statuses(organization).await?)
}
