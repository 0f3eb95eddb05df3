//! `/categories/…`

use crate::write;
use crate::{Caller, Error};
use hearback_domain::category::Category;
use hearback_domain::id::CategoryId;
use hearback_domain::record::Kind;
use hearback_ports::Ports;

/// `/categories/list`: the active categories, by name.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<Category>, Error> {
    let organization = caller.view(Kind::Category)?;
    Ok(ports.whole_lists.categories(organization).await?)
}

/// `/categories/retrieve`: an active category.
pub async fn retrieve(ports: &Ports, caller: Caller, id: CategoryId) -> Result<Category, Error> {
    write::find(ports, caller, id).await
}
