//! `/categories/…`

use crate::{Caller, Error, Missing};
use hearback_domain::category::Category;
use hearback_domain::id::CategoryId;
use hearback_domain::record::Kind;
use hearback_ports::Ports;

/// `/categories/list`: the active categories, by name.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<Category>, Error> {
    let organization = caller.view(Kind::Category)?;
    Ok(ports.categories.list(organization).await?)
}

/// `/categories/retrieve`: an active category.
pub async fn retrieve(ports: &Ports, caller: Caller, id: CategoryId) -> Result<Category, Error> {
    let organization = caller.view(Kind::Category)?;
    ports
        .categories
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::Category)))
}
