//! Redirects of the portal.

use crate::StoreError;
use crate::page::{ByTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::help_redirect::{HelpRedirect, Path};
use hearback_domain::id::OrganizationId;

/// Reads an organization's redirects. [`Name::FromPath`](crate::records::Name) finds those that
/// begin at a path.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait HelpRedirectRepository: Send + Sync {
    /// The redirects, newest first; ties by id in the same direction.
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByTime>,
    ) -> Result<Page<HelpRedirect, ByTime>, StoreError>;

    /// The redirects that lead to one of these paths, in any order.
    async fn leading_to(
        &self,
        organization: OrganizationId,
        paths: Vec<Path>,
    ) -> Result<Vec<HelpRedirect>, StoreError>;
}
