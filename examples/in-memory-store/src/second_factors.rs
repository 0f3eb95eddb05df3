//! Second factors of users.

use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::second_factor::{FactorProof, SecondFactor};
use hearback_domain::session::{Factor, TokenDigest};
use hearback_domain::user::User;
use hearback_ports::{Recorded, SecondFactorRepository};

#[async_trait]
impl SecondFactorRepository for MemoryStore {
    async fn find(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Option<SecondFactor>> {
        self.read(organization, |tenant| tenant.second_factors.get(&user).cloned())
    }

    async fn add(
        &self,
        organization: OrganizationId,
        factor: SecondFactor,
        session: TokenDigest,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let user = factor.user_id;
            tenant.find::<User>(user).ok_or(Recorded::Stale)?;
            if tenant.second_factors.contains_key(&user) {
                return Err(Recorded::Stale);
            }
            tenant.second_factors.insert(user, factor);
            tenant.end_all(user, Some(session));
            tenant.note(session, Factor::Shown);
            Ok(())
        })
    }

    async fn show(
        &self,
        organization: OrganizationId,
        user: UserId,
        proof: FactorProof,
        session: TokenDigest,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let found = tenant.second_factors.get(&user).cloned();
            let shown = found.and_then(|factor| factor.show(proof)).ok_or(Recorded::Stale)?;
            tenant.second_factors.insert(user, shown);
            tenant.note(session, Factor::Shown);
            Ok(())
        })
    }

    async fn renew(
        &self,
        organization: OrganizationId,
        user: UserId,
        recovery: Vec<TokenDigest>,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let factor = tenant.second_factors.get_mut(&user).ok_or(Recorded::Stale)?;
            factor.recovery = recovery;
            Ok(())
        })
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.second_factors.remove(&user).ok_or(Recorded::Stale)?;
            tenant.end_all(user, except);
            if let Some(session) = except {
                tenant.note(session, Factor::None);
            }
            Ok(())
        })
    }
}

impl Tenant {
    /// Notes whether the second factor was shown in a session.
    fn note(&mut self, session: TokenDigest, factor: Factor) {
        if let Some(session) = self.sessions.get_mut(&session) {
            session.factor = factor;
        }
    }
}
