//! `/help-articles/…`

use crate::once::{Outcome, Repeat};
use crate::write;
use crate::{Caller, Error, Missing, Precondition};
use hearback_domain::help_article::{
    ArticleDetails, ArticleFilter, ArticleParent, ArticleSort, ArticleSummary, HelpArticle,
};
use hearback_domain::id::HelpArticleId;
use hearback_domain::record::Kind;
use hearback_ports::Ports;
use hearback_ports::page::{ByArticle, Page, PageRequest};

/// `/help-articles/list` and `/help-articles/search`: the active articles that the filter admits.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    filter: ArticleFilter,
    sort: ArticleSort,
    page: PageRequest<ByArticle>,
) -> Result<Page<ArticleSummary, ByArticle>, Error> {
    let organization = caller.view(Kind::HelpArticle)?;
    Ok(ports.help_articles.page(organization, filter, sort, page).await?)
}

/// `/help-articles/retrieve`: an active article. The call does not count as a view.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    id: HelpArticleId,
) -> Result<ArticleDetails, Error> {
    let organization = caller.view(Kind::HelpArticle)?;
    ports
        .help_articles
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::HelpArticle)))
}

/// `/help-articles/publish`
pub async fn publish(
    ports: &Ports,
    caller: Caller,
    id: HelpArticleId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit_at(ports, caller, id, repeat, |article: HelpArticle, at| Ok(article.published(at)))
        .await
}

/// `/help-articles/unpublish`: makes a draft of an article.
pub async fn unpublish(
    ports: &Ports,
    caller: Caller,
    id: HelpArticleId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, caller, id, repeat, |article: HelpArticle| Ok(article.unpublished())).await
}

/// `/help-articles/restore`: for a time after the deletion, if the category or collection of the
/// article is active.
pub async fn restore(
    ports: &Ports,
    caller: Caller,
    id: HelpArticleId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let refusal = Precondition::ArticleNotRestored;
    write::restore(ports, caller, id, repeat, refusal, |article: HelpArticle, now| {
        let place = match article.parent {
            ArticleParent::Collection(id) => write::need("collection_id", Kind::HelpCollection, id),
            ArticleParent::Category(id) => write::need("category_id", Kind::HelpCategory, id),
        };
        Ok((article.restored(ports.erase_after, now)?, place))
    })
    .await
}
