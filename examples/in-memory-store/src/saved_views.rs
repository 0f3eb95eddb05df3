//! The views of members.

use crate::lists::count;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::saved_view::SavedView;
use hearback_domain::user::User;
use hearback_ports::{Recorded, SavedViewRepository};

#[async_trait]
impl SavedViewRepository for MemoryStore {
    async fn of_user(&self, organization: OrganizationId, user: UserId) -> Result<Vec<SavedView>> {
        self.read(organization, |tenant| {
            tenant.views.values().filter(|view| view.user_id == user).cloned().collect()
        })
    }

    async fn save(
        &self,
        organization: OrganizationId,
        view: SavedView,
        most: i64,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.find::<User>(view.user_id).ok_or(Recorded::Stale)?;
            let key = (view.user_id, view.name.clone());
            let others = tenant.views.keys().filter(|it| it.0 == key.0 && it.1 != key.1);
            if count(others) >= most {
                return Err(Recorded::Stale);
            }
            tenant.views.insert(key, view);
            Ok(())
        })
    }

    async fn remove(&self, organization: OrganizationId, user: UserId, name: String) -> Result<()> {
        self.update(organization, |tenant| {
            tenant.views.remove(&(user, name));
        })
    }
}
