//! `/statuses/…`

use crate::crud::edit_and_follow;
use crate::once::{Outcome, Repeat};
use crate::write::{self, Decided, Update};
use crate::{Caller, Error, Precondition};
use hearback_domain::Time;
use hearback_domain::draft::{Draft, Patches};
use hearback_domain::follow_up::FollowUp;
use hearback_domain::id::{OrganizationId, StatusId};
use hearback_domain::record::{Kind, OfKind, Step};
use hearback_domain::status::{Status, StatusDraft, StatusGroup, StatusPatch};
use hearback_ports::Ports;

/// `/statuses/list`: the active statuses, in workflow order.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<Status>, Error> {
    let organization = caller.view(Kind::Status)?;
    Ok(ports.whole_lists.statuses(organization).await?)
}

/// `/statuses/create`: creates a status at the end of its group. A new default status takes the
/// place of the former one.
pub async fn create(
    ports: &Ports,
    caller: Caller,
    draft: StatusDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::Status)?;
    write::make_with(ports, caller, draft.name(), repeat, |id, code, now| {
        let draft = draft.clone();
        async move {
            let status = draft.create(id, code, now);
            let first = former_default(ports, organization, &status, now).await?;
            Ok(Decided { first, ..status.into() })
        }
    })
    .await
}

/// The input of [`update`].
pub type UpdateStatus = Update<StatusId, StatusPatch>;

/// `/statuses/update`: changes the given values. The default status stays so until another one
/// takes its place.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    update: UpdateStatus,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::Status)?;
    write::update_with(ports, caller, update, repeat, async |patch: StatusPatch, before: Status| {
        let was_default = before.is_default_status;
        let status = patch.edit(before);
        if was_default && !status.is_default_status {
            return Err(Error::Refused(Precondition::DefaultStatusUnset));
        }
        let now = ports.clock.now();
        let first = match was_default {
            true => vec![],
            false => former_default(ports, organization, &status, now).await?,
        };
        Ok(Decided { first, ..status.into() })
    })
    .await
}

/// The step that takes the flag from the former default status, if `status` gets it.
async fn former_default(
    ports: &Ports,
    organization: OrganizationId,
    status: &Status,
    now: Time,
) -> Result<Vec<Step>, Error> {
    if !status.is_default_status {
        return Ok(vec![]);
    }
    let all = ports.whole_lists.statuses(organization).await?;
    let former = all.into_iter().filter(|other| other.is_default_status && other.id != status.id);
    let unset = |status: Status| {
        Step::edit(status.clone(), Status { is_default_status: false, ..status }, now)
    };
    Ok(former.map(unset).collect())
}

/// A status, and the one that its posts get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeleteStatus {
    /// The status.
    pub id: StatusId,
    /// The status that its posts get. `None`: no active post may have the status.
    pub replacement: Option<StatusId>,
}

/// `/statuses/delete`
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    DeleteStatus { id, replacement }: DeleteStatus,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit_and_follow(ports, caller, id, repeat, move |status: Status| async move {
        if let Some(replacement) = replacement {
            write::find::<Status>(ports, caller, replacement).await?;
        }
        if status.is_default_status {
            return Err(Error::Refused(Precondition::DefaultStatusDeleted));
        }
        let key = (Kind::Status, status.id.0);
        let deleted = status.deleted().into();
        Ok(match replacement {
            None => Decided { unused: vec![key], ..deleted },
            Some(by) => Decided {
                follow_ups: vec![FollowUp::Replace { key, by: Some(by.0) }],
                needs: vec![write::need("replacement_status_id", Kind::Status, by)],
                ..deleted
            },
        })
    })
    .await
}

/// The status of a new post: the default one, or else the first open one.
pub(crate) async fn default_status(
    ports: &Ports,
    organization: OrganizationId,
) -> Result<StatusId, Error> {
    let all = ports.whole_lists.statuses(organization).await?;
    let is_open = |status: &&Status| status.group == StatusGroup::Open;
    let default = all.iter().find(|status| status.is_default_status).or(all.iter().find(is_open));
    Ok(default.ok_or(Error::Refused(Precondition::NoDefaultStatus))?.id)
}
