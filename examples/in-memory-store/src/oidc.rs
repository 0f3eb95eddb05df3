//! Providers of OpenID Connect, and accounts at them.

use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{OidcProviderId, OrganizationId, UserId};
use hearback_domain::oidc::{MOST_PROVIDERS, OidcAccount, OidcProvider};
use hearback_domain::session::TokenDigest;
use hearback_domain::user::User;
use hearback_ports::{OidcRepository, Recorded};

#[async_trait]
impl OidcRepository for MemoryStore {
    async fn providers(&self, organization: OrganizationId) -> Result<Vec<OidcProvider>> {
        self.read(organization, |tenant| tenant.oidc_providers.clone())
    }

    async fn add_provider(
        &self,
        organization: OrganizationId,
        provider: OidcProvider,
        entry: AuditEntry,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            if tenant.oidc_providers.len() >= MOST_PROVIDERS {
                return Err(Recorded::Stale);
            }
            tenant.oidc_providers.push(provider);
            tenant.oidc_providers.sort_by_key(|provider| (provider.created_at, provider.id));
            tenant.log(entry)
        })
    }

    async fn remove_provider(
        &self,
        organization: OrganizationId,
        id: OidcProviderId,
        entry: AuditEntry,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let before = tenant.oidc_providers.len();
            tenant.oidc_providers.retain(|provider| provider.id != id);
            if tenant.oidc_providers.len() == before {
                return Err(Recorded::Stale);
            }
            tenant.log(entry)
        })
    }

    async fn user_of(
        &self,
        organization: OrganizationId,
        account: TokenDigest,
    ) -> Result<Option<UserId>> {
        self.read(organization, |tenant| Some(tenant.oidc_accounts.get(&account)?.user_id))
    }

    async fn link(&self, organization: OrganizationId, account: OidcAccount) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.find::<User>(account.user_id).ok_or(Recorded::Stale)?;
            tenant.oidc_accounts.insert(account.digest, account);
            Ok(())
        })
    }
}
