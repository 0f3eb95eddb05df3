//! `/help-collections/…`

use crate::{Caller, Error, Missing};
use hearback_domain::help_collection::CollectionDetails;
use hearback_domain::id::HelpCollectionId;
use hearback_domain::record::Kind;
use hearback_ports::Ports;
use hearback_ports::page::{ByPosition, Page, PageRequest};

/// `/help-collections/list`: the active collections, by position, then by name.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    page: PageRequest<ByPosition>,
) -> Result<Page<CollectionDetails, ByPosition>, Error> {
    let organization = caller.view(Kind::HelpCollection)?;
    Ok(ports.help_collections.page(organization, page).await?)
}

/// `/help-collections/retrieve`: an active collection.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    id: HelpCollectionId,
) -> Result<CollectionDetails, Error> {
    let organization = caller.view(Kind::HelpCollection)?;
    ports
        .help_collections
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::HelpCollection)))
}
