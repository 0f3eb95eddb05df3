//! `/help-articles/…`

use crate::once::{Outcome, Repeat};
use crate::{Error, Missing, write};
use hearback_domain::help_article::{
    ArticleDetails, ArticleDraft, ArticleFilter, ArticleSort, ArticleSummary,
};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::record::Kind;
use hearback_ports::Ports;
use hearback_ports::page::{ByArticle, Page, PageRequest};

/// `/help-articles/list` and `/help-articles/search`: the active ones that the filter lets through.
pub async fn list(
    ports: &Ports,
    organization: OrganizationId,
    filter: ArticleFilter,
    sort: ArticleSort,
    page: PageRequest<ByArticle>,
) -> Result<Page<ArticleSummary, ByArticle>, Error> {
    Ok(ports.help_articles.page(organization, filter, sort, page).await?)
}

/// `/help-articles/retrieve`: an active one. That it was read is not counted.
pub async fn retrieve(
    ports: &Ports,
    organization: OrganizationId,
    id: HelpArticleId,
) -> Result<ArticleDetails, Error> {
    ports
        .help_articles
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::HelpArticle)))
}

/// `/help-articles/create`: makes an article at the end of its parent.
pub async fn create(
    ports: &Ports,
    organization: OrganizationId,
    draft: ArticleDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::make_named(ports, organization, draft.slug(), repeat, |id, slug, now| {
        draft.clone().create(id.into(), slug, now)
    })
    .await
}
