//! Help articles.

use crate::StoreError;
use crate::page::{ByArticle, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::help_article::{
    ArticleDetails, ArticleFilter, ArticleLink, ArticleParent, ArticleSort, ArticleSummary,
};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::position::Position;

/// Stores an organization's help articles.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait HelpArticleRepository: Send + Sync {
    /// The active articles that match `filter`, in the order of `sort`; ties by id in the same
    /// direction. An article is returned with its collection and category, active or not. An
    /// inactive collection or category in the filter matches nothing.
    async fn page(
        &self,
        organization: OrganizationId,
        filter: ArticleFilter,
        sort: ArticleSort,
        page: PageRequest<ByArticle>,
    ) -> Result<Page<ArticleSummary, ByArticle>, StoreError>;

    /// An active article. Its collection and category may be inactive.
    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpArticleId,
    ) -> Result<Option<ArticleDetails>, StoreError>;

    /// The articles directly before and directly behind an article of `parent`, by position, ties by
    /// id. Both are active and published, and the portal shows them.
    async fn around(
        &self,
        organization: OrganizationId,
        parent: ArticleParent,
        position: Position,
        id: HelpArticleId,
    ) -> Result<[Option<ArticleLink>; 2], StoreError>;

    /// Up to `limit` superseded versions of an article below a number, newest first.
    async fn versions(
        &self,
        organization: OrganizationId,
        id: HelpArticleId,
        below: i64,
        limit: i64,
    ) -> Result<Vec<HelpArticleVersion>, StoreError>;
}
