//! Companies.

use crate::StoreError;
use crate::page::{BySort, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::company::{Company, CompanyFilter, CompanySort};
use hearback_domain::id::OrganizationId;

/// Lists an organization's companies.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CompanyRepository: Send + Sync {
    /// The companies that the filter admits, in an order. They are active unless the filter
    /// includes deleted ones.
    async fn page(
        &self,
        organization: OrganizationId,
        filter: CompanyFilter,
        sort: CompanySort,
        page: PageRequest<BySort>,
    ) -> Result<Page<Company, BySort>, StoreError>;
}
