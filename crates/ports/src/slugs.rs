//! Which slugs are taken.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::slug::Slug;

/// The kinds of records that are given a slug when they are made. A slug is unique within its kind and organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slugged {
    /// Changelog entries.
    ChangelogEntry,
    /// Help categories.
    HelpCategory,
    /// Help articles.
    HelpArticle,
}

/// Tells which slugs are taken.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SlugRepository: Send + Sync {
    /// Those of `candidates` that a record of this kind has, active or not, compared by [`Slug::key`]; in any order.
    async fn taken(
        &self,
        organization: OrganizationId,
        of: Slugged,
        candidates: Vec<Slug>,
    ) -> Result<Vec<Slug>, StoreError>;
}
