//! Users.

use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserSelector};
use hearback_ports::{Recorded, UserRepository};

#[async_trait]
impl UserRepository for MemoryStore {
    async fn find(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>> {
        Ok(self.read(organization, |tenant| match selector {
            UserSelector::Id(id) => tenant.find(id).cloned(),
            UserSelector::Email(email) if email.is_empty() => None,
            UserSelector::Email(email) => {
                tenant.active::<User>().find(|user| user.email == email).cloned()
            }
        }))
    }

    async fn unsubscribe(&self, organization: OrganizationId, user: UserId) -> Result<Recorded> {
        self.update(organization, |tenant| {
            tenant.edit(user, |user: &mut User| user.is_subscribed = false);
        })?;
        Ok(Recorded::Done)
    }
}
