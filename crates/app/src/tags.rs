//! `/tags/…`

use crate::Error;
use hearback_domain::id::OrganizationId;
use hearback_domain::tag::Tag;
use hearback_ports::Ports;

/// `/tags/list`: the active ones, by name.
pub async fn list(ports: &Ports, organization: OrganizationId) -> Result<Vec<Tag>, Error> {
    Ok(ports.tags.list(organization).await?)
}
