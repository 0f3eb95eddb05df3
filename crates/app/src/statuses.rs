//! `/statuses/…`

use crate::Error;
use hearback_domain::id::OrganizationId;
use hearback_domain::status::Status;
use hearback_ports::Ports;

/// `/statuses/list`: the active ones, in workflow order.
pub async fn list(ports: &Ports, organization: OrganizationId) -> Result<Vec<Status>, Error> {
    Ok(ports.statuses.list(organization).await?)
}
