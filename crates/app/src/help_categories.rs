//! `/help-categories/…`

use crate::{Caller, Error, Missing};
use hearback_domain::help_category::CategoryDetails;
use hearback_domain::id::{HelpCategoryId, HelpCollectionId};
use hearback_domain::record::Kind;
use hearback_ports::Ports;
use hearback_ports::page::{ByPosition, Page, PageRequest};

/// `/help-categories/list`: the active categories of a collection or of all collections, by
/// position, then by name.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    collection: Option<HelpCollectionId>,
    page: PageRequest<ByPosition>,
) -> Result<Page<CategoryDetails, ByPosition>, Error> {
    let organization = caller.view(Kind::HelpCategory)?;
    Ok(ports.help_categories.page(organization, collection, page).await?)
}

/// `/help-categories/retrieve`: an active category.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    id: HelpCategoryId,
) -> Result<CategoryDetails, Error> {
    let organization = caller.view(Kind::HelpCategory)?;
    ports
        .help_categories
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::HelpCategory)))
}
