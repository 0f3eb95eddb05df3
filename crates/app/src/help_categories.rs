//! `/help-categories/…`

use crate::once::{Outcome, Repeat};
use crate::write::{self, Update};
use crate::{Caller, Error, Missing};
use hearback_domain::help_category::{CategoryDetails, CategoryDraft, CategoryPatch};
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

/// `/help-categories/create`: creates a category at the end of its collection.
pub async fn create(
    ports: &Ports,
    caller: Caller,
    draft: CategoryDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::make_named(ports, caller, draft.slug(), repeat, |id, slug, now| {
        draft.clone().create(id.into(), slug, now)
    })
    .await
}

/// The input of [`update`].
pub type UpdateCategory = Update<HelpCategoryId, CategoryPatch>;

/// `/help-categories/update`: changes the given values. A category that moves goes to the end of
/// its new collection, with its articles. Writes nothing but the receipt if no value changes.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    update: UpdateCategory,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::update(ports, caller, update, repeat, CategoryPatch::edit).await
}
