//! `/help-categories/…`

use crate::content::{self, Content, DeleteWithContent};
use crate::crud::edit_and_follow;
use crate::effects::{Effects, Tried};
use crate::once::Repeat;
use crate::{Caller, Error, Missing, Precondition, write};
use hearback_domain::Uuid;
use hearback_domain::follow_up::FollowUp;
use hearback_domain::help_category::{CategoryDetails, HelpCategory};
use hearback_domain::help_collection::HelpCollection;
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

/// `/help-categories/delete`: the articles of the category move to the end of a collection, or are
/// deleted, or the category must have none.
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    DeleteWithContent { id, content, dry_run }: DeleteWithContent<HelpCategoryId, HelpCollectionId>,
    repeat: Option<Repeat>,
) -> Result<Tried, Error> {
    caller.manage(Kind::HelpCategory)?;
    let moved = move |to| FollowUp::MoveArticles { category: id, to };
    let rule = |category: HelpCategory| {
        let member = "move_to_collection_id";
        content.delete::<_, HelpCollection>(ports, caller, category, member, moved)
    };
    if !dry_run {
        return edit_and_follow(ports, caller, id, repeat, rule).await.map(Tried::Did);
    }
    rule(write::find(ports, caller, id).await?).await?;
    let articles = articles(ports, caller, id.0).await?;
    if content == Content::Refuse && articles > 0 {
        return Err(Error::Refused(Precondition::CategoryHasArticles));
    }
    Ok(Tried::Would(help_effects((0, 0), content.split(articles))))
}

/// The number of active articles of a category.
pub(crate) async fn articles(ports: &Ports, caller: Caller, id: Uuid) -> Result<i64, Error> {
    content::count(ports, caller, (Kind::HelpArticle, "category_id"), id).await
}

/// The effects of a deletion in the help center, each as the numbers of records that move and that
/// are deleted. Each moved article has another URL.
pub(crate) fn help_effects(categories: (i64, i64), articles: (i64, i64)) -> Effects {
    Effects(vec![
        ("categories_moved", categories.0),
        ("categories_deleted", categories.1),
        ("articles_moved", articles.0),
        ("articles_deleted", articles.1),
        ("urls_changed", articles.0),
    ])
}
