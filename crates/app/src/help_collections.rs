//! `/help-collections/…`

use crate::once::{Outcome, Repeat};
use crate::write::{self, Update};
use crate::{Error, Missing};
use hearback_domain::help_collection::{CollectionDetails, CollectionPatch};
use hearback_domain::id::{HelpCollectionId, OrganizationId};
use hearback_domain::record::Kind;
use hearback_ports::Ports;
use hearback_ports::page::{ByPosition, Page, PageRequest};

/// `/help-collections/list`: the active ones, by position, then name.
pub async fn list(
    ports: &Ports,
    organization: OrganizationId,
    page: PageRequest<ByPosition>,
) -> Result<Page<CollectionDetails, ByPosition>, Error> {
    Ok(ports.help_collections.page(organization, page).await?)
}

/// `/help-collections/retrieve`: an active one.
pub async fn retrieve(
    ports: &Ports,
    organization: OrganizationId,
    id: HelpCollectionId,
) -> Result<CollectionDetails, Error> {
    ports
        .help_collections
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::HelpCollection)))
}

/// The input of [`update`].
pub type UpdateCollection = Update<HelpCollectionId, CollectionPatch>;

/// `/help-collections/update`: changes the given values. If no value changes, nothing is written.
pub async fn update(
    ports: &Ports,
    organization: OrganizationId,
    Update { id, patch }: UpdateCollection,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, organization, id, repeat, |collection| Ok(patch.clone().edit(collection)))
        .await
}
