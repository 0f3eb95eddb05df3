//! The use cases that need no rule but those of the records themselves.

use crate::derived::Derived;
use crate::finish;
use crate::once::{Outcome, Repeat};
use crate::write::{self, Decided, Update};
use crate::{Caller, Error};
use hearback_domain::Uuid;
use hearback_domain::draft::{Draft, Patches};
use hearback_domain::record::OfKind;
use hearback_ports::Ports;

/// An active record.
pub async fn retrieve<R: OfKind>(
    ports: &Ports,
    caller: Caller,
    id: impl Into<Uuid>,
) -> Result<R, Error> {
    write::find(ports, caller, id).await
}

/// Makes a record at the end of its list.
///
/// If a record with the same external identifier exists, returns its identifier and writes nothing
/// but the receipt.
pub async fn create<D>(
    ports: &Ports,
    caller: Caller,
    draft: D,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error>
where
    D: Draft<Name: Derived>,
{
    write::make_named(ports, caller, draft.name(), repeat, |id, name, now| {
        draft.clone().create(id, name, now)
    })
    .await
}

/// Changes the given values. Writes nothing but the receipt if no value changes.
pub async fn update<P: Patches>(
    ports: &Ports,
    caller: Caller,
    update: Update<impl Into<Uuid>, P>,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::update(ports, caller, update, repeat, P::edit).await
}

/// Deletes a record.
pub async fn delete<R: OfKind>(
    ports: &Ports,
    caller: Caller,
    id: impl Into<Uuid>,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, caller, id, repeat, |record: R| Ok(record.deleted())).await
}

/// Edits a record, and finishes what follows as far as there is time.
pub(crate) async fn edit_and_follow<R, F>(
    ports: &Ports,
    caller: Caller,
    id: impl Into<Uuid>,
    repeat: Option<Repeat>,
    rule: impl Fn(R) -> F,
) -> Result<Outcome, Error>
where
    R: OfKind,
    F: Future<Output = Result<Decided<R>, Error>>,
{
    let organization = caller.manage(R::KIND)?;
    let outcome = write::edit_with(ports, caller, id, repeat, rule).await?;
    finish::follow(ports, organization).await;
    Ok(outcome)
}
