//! `/categories/…`

use crate::once::{Outcome, Repeat};
use crate::write::{self, Update};
use crate::{Caller, Error};
use hearback_domain::category::{Category, CategoryDraft, CategoryPatch};
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

/// `/categories/create`
pub async fn create(
    ports: &Ports,
    caller: Caller,
    draft: CategoryDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::make_named(ports, caller, draft.code(), repeat, |id, code, now| {
        draft.clone().create(id.into(), code, now)
    })
    .await
}

/// The input of [`update`].
pub type UpdateCategory = Update<CategoryId, CategoryPatch>;

/// `/categories/update`: changes the given values.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    update: UpdateCategory,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::update(ports, caller, update, repeat, CategoryPatch::edit).await
}
