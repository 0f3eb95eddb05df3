//! Passwords of users.

use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::password::StoredPassword;
use hearback_domain::session::TokenDigest;
use hearback_domain::user::User;
use hearback_ports::{PasswordRepository, Recorded};

/// The tries of somebody.
#[derive(Clone)]
pub(crate) struct Tries {
    count: i32,
    pub(crate) expires_at: Time,
}

#[async_trait]
impl PasswordRepository for MemoryStore {
    async fn find(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Option<StoredPassword>> {
        self.read(organization, |tenant| tenant.passwords.get(&user).cloned())
    }

    async fn set(
        &self,
        organization: OrganizationId,
        password: StoredPassword,
        except: Option<TokenDigest>,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let user = password.user_id;
            tenant.find::<User>(user).ok_or(Recorded::Stale)?;
            tenant.passwords.insert(user, password);
            tenant.end_all(user, except);
            Ok(())
        })
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<()> {
        self.update(organization, |tenant| {
            tenant.passwords.remove(&user);
            tenant.end_all(user, except);
        })
    }

    async fn attempt(
        &self,
        organization: OrganizationId,
        whose: TokenDigest,
        most: i32,
        now: Time,
        until: Time,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let open = tenant.tries.get_mut(&whose).filter(|tries| tries.expires_at > now);
            match open {
                Some(tries) if tries.count >= most => return Err(Recorded::Stale),
                Some(tries) => tries.count += 1,
                None => drop(tenant.tries.insert(whose, Tries { count: 1, expires_at: until })),
            }
            Ok(())
        })
    }

    async fn forget(&self, organization: OrganizationId, whose: TokenDigest) -> Result<()> {
        self.update(organization, |tenant| {
            tenant.tries.remove(&whose);
        })
    }
}

impl Tenant {
    /// Ends the sessions of a user, except one.
    pub(crate) fn end_all(&mut self, user: UserId, except: Option<TokenDigest>) {
        self.sessions.retain(|_, it| it.user_id != user || Some(it.digest) == except);
    }
}
