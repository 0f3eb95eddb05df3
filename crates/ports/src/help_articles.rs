//! Help articles.

use crate::StoreError;
use crate::page::{ByArticle, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::help_article::{ArticleDetails, ArticleFilter, ArticleSort, ArticleSummary};
use hearback_domain::id::{HelpArticleId, OrganizationId};

/// Keeps an organization's help articles.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait HelpArticleRepository: Send + Sync {
    /// The active ones that the filter lets through, in the order of `sort`, ties by id in the same direction. An article shows
    /// its collection and category whether these are active or not; as a filter, an inactive one matches nothing.
    async fn page(
        &self,
        organization: OrganizationId,
        filter: ArticleFilter,
        sort: ArticleSort,
        page: PageRequest<ByArticle>,
    ) -> Result<Page<ArticleSummary, ByArticle>, StoreError>;

    /// An active one, also of an inactive parent.
    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpArticleId,
    ) -> Result<Option<ArticleDetails>, StoreError>;
}
