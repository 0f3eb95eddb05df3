//! Changelog labels.

use crate::StoreError;
use crate::page::{ByName, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::id::{LabelId, OrganizationId};
use hearback_domain::label::Label;

/// Stores the labels of an organization's changelog.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait LabelRepository: Send + Sync {
    /// The active labels, by name, then id.
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByName>,
    ) -> Result<Page<Label, ByName>, StoreError>;

    /// Whether all of `labels` are active labels of the organization. `true` if `labels` is empty.
    async fn are_known(
        &self,
        organization: OrganizationId,
        labels: Vec<LabelId>,
    ) -> Result<bool, StoreError>;
}
