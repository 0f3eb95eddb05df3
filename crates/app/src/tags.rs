//! `/tags/…`

use crate::Error;
use crate::once::{Outcome, Repeat};
use crate::write::{self, Update};
use hearback_domain::id::{OrganizationId, TagId};
use hearback_domain::tag::{Tag, TagDraft, TagPatch};
use hearback_ports::Ports;

/// `/tags/list`: the active ones, by name.
pub async fn list(ports: &Ports, organization: OrganizationId) -> Result<Vec<Tag>, Error> {
    Ok(ports.tags.list(organization).await?)
}

/// `/tags/retrieve`: an active one.
pub async fn retrieve(
    ports: &Ports,
    organization: OrganizationId,
    id: TagId,
) -> Result<Tag, Error> {
    write::find(ports, organization, id).await
}

/// `/tags/create`
pub async fn create(
    ports: &Ports,
    organization: OrganizationId,
    draft: TagDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::make_named(ports, organization, draft.code(), repeat, |id, code, now| {
        draft.clone().create(id.into(), code, now)
    })
    .await
}

/// The input of [`update`].
pub type UpdateTag = Update<TagId, TagPatch>;

/// `/tags/update`: changes the given values.
pub async fn update(
    ports: &Ports,
    organization: OrganizationId,
    Update { id, patch }: UpdateTag,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, organization, id, repeat, |tag| Ok(patch.clone().edit(tag))).await
}

/// `/tags/delete`: a post that has the tag keeps showing its identifier.
pub async fn delete(
    ports: &Ports,
    organization: OrganizationId,
    id: TagId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, organization, id, repeat, |tag| Ok(Tag { is_active: false, ..tag })).await
}
