//! `/categories/…`

use crate::{Error, Missing};
use hearback_domain::category::Category;
use hearback_domain::id::{CategoryId, OrganizationId};
use hearback_domain::record::Kind;
use hearback_ports::Ports;

/// `/categories/list`: the active ones, by name.
pub async fn list(ports: &Ports, organization: OrganizationId) -> Result<Vec<Category>, Error> {
    Ok(ports.categories.list(organization).await?)
}

/// `/categories/retrieve`: an active one.
pub async fn retrieve(
    ports: &Ports,
    organization: OrganizationId,
    id: CategoryId,
) -> Result<Category, Error> {
    ports
        .categories
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::Category)))
}
