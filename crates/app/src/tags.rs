//! `/tags/…`

use crate::once::{Outcome, Repeat};
use crate::write::{self, Update};
use crate::{Caller, Error};
use hearback_domain::id::TagId;
use hearback_domain::record::Kind;
use hearback_domain::tag::{Tag, TagDraft, TagPatch};
use hearback_ports::Ports;

/// `/tags/list`: the active ones, by name.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<Tag>, Error> {
    let organization = caller.view(Kind::Tag)?;
    Ok(ports.tags.list(organization).await?)
}

/// `/tags/retrieve`: an active one.
pub async fn retrieve(ports: &Ports, caller: Caller, id: TagId) -> Result<Tag, Error> {
    write::find(ports, caller, id).await
}

/// `/tags/create`
pub async fn create(
    ports: &Ports,
    caller: Caller,
    draft: TagDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::make_named(ports, caller, draft.code(), repeat, |id, code, now| {
        draft.clone().create(id.into(), code, now)
    })
    .await
}

/// The input of [`update`].
pub type UpdateTag = Update<TagId, TagPatch>;

/// `/tags/update`: changes the given values.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    Update { id, patch }: UpdateTag,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, caller, id, repeat, |tag| Ok(patch.clone().edit(tag))).await
}

/// `/tags/delete`: a post that has the tag keeps showing its identifier.
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    id: TagId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, caller, id, repeat, |tag| Ok(Tag { is_active: false, ..tag })).await
}
