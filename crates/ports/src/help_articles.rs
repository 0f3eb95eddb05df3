//! Help articles.

use crate::page::{ByArticle, Page, PageRequest};
use crate::{Receipt, Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::help_article::{
    ArticleCase, ArticleDetails, ArticleFilter, ArticleParent, ArticleSort, ArticleSummary,
    NewArticle,
};
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

    /// Loads what the making of an article rests on.
    async fn article_case(
        &self,
        organization: OrganizationId,
        parent: ArticleParent,
        related: Vec<HelpArticleId>,
    ) -> Result<ArticleCase, StoreError>;

    /// Records a new article at the end of its parent: one place behind the last that was ever given there. `Stale` where the
    /// parent is not active any more; `Taken(Slug)` where the organization has an article with this slug, active or not.
    async fn insert(
        &self,
        organization: OrganizationId,
        article: NewArticle,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError>;
}
