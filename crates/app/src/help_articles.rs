//! `/help-articles/…`

use crate::{Caller, Error, Missing};
use hearback_domain::help_article::{ArticleDetails, ArticleFilter, ArticleSort, ArticleSummary};
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
