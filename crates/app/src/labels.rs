//! `/labels/…`

use crate::Error;
use hearback_domain::id::OrganizationId;
use hearback_domain::label::Label;
use hearback_ports::Ports;
use hearback_ports::page::{ByName, Page, PageRequest};

/// `/labels/list`: the active ones, by name.
pub async fn list(
    ports: &Ports,
    organization: OrganizationId,
    page: PageRequest<ByName>,
) -> Result<Page<Label, ByName>, Error> {
    Ok(ports.labels.page(organization, page).await?)
}
