//! Secrets of single sign-on.

use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{OrganizationId, SsoSecretId};
use hearback_domain::sso_secret::{MOST_SSO_SECRETS, SealedSsoSecret};
use hearback_ports::{Recorded, SsoSecretRepository};
use std::cmp::Reverse;

#[async_trait]
impl SsoSecretRepository for MemoryStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<SealedSsoSecret>> {
        self.read(organization, |tenant| tenant.sso_secrets.clone())
    }

    async fn add(
        &self,
        organization: OrganizationId,
        secret: SealedSsoSecret,
        entry: AuditEntry,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            if tenant.sso_secrets.len() >= MOST_SSO_SECRETS {
                return Err(Recorded::Stale);
            }
            tenant.sso_secrets.push(secret);
            tenant.sso_secrets.sort_by_key(|secret| Reverse((secret.created_at, secret.id)));
            tenant.log(entry)
        })
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        id: SsoSecretId,
        entry: AuditEntry,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let before = tenant.sso_secrets.len();
            tenant.sso_secrets.retain(|secret| secret.id != id);
            if tenant.sso_secrets.len() == before {
                return Err(Recorded::Stale);
            }
            tenant.log(entry)
        })
    }
}
