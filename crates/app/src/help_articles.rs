//! `/help-articles/…`

use crate::once::{Outcome, Repeat};
use crate::{Caller, Error, Missing, write};
use hearback_domain::help_article::{
    ArticleDetails, ArticleDraft, ArticleFilter, ArticleSort, ArticleSummary,
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

/// `/help-articles/create`: creates an article at the end of its parent.
pub async fn create(
    ports: &Ports,
    caller: Caller,
    draft: ArticleDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::make_named(ports, caller, draft.slug(), repeat, |id, slug, now| {
        draft.clone().create(id.into(), slug, now)
    })
    .await
}
