//! The views of the inbox that members of the team keep.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::saved_view::SavedView;

/// Stores the views of members.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SavedViewRepository: Send + Sync {
    /// The views of a user, by name in the order of code points.
    async fn of_user(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Vec<SavedView>, StoreError>;

    /// Stores a view in place of the one of the user that has its name. [`Recorded::Stale`] if there
    /// is none and the user has `most` of them already, if the user is not linked, or if the
    /// organization is gone.
    async fn save(
        &self,
        organization: OrganizationId,
        view: SavedView,
        most: i64,
    ) -> Result<Recorded, StoreError>;

    /// Removes a view of a user.
    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        name: String,
    ) -> Result<(), StoreError>;
}
