//! Manages the providers of OpenID Connect of an organization. Their client secrets are stored
//! sealed.

use crate::caller::{Caller, Denied};
use crate::vault::{Purpose, SealError, SecretError, Vault};
use crate::{Error, audit};
use hearback_domain::Uuid;
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{OidcProviderId, OrganizationId};
use hearback_domain::oidc::{ClaimNames, Issuer, MOST_PROVIDERS, OidcProvider, ProviderText};
use hearback_domain::permission::Role;
use hearback_domain::record::Kind;
use hearback_ports::{Ports, Recorded, StoreError};
use zeroize::Zeroizing;

/// Why a provider was not added or removed.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The caller lacks the permission.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The client secret is empty.
    #[error("the client secret is empty: give it on standard input")]
    NoSecret,
    /// The provider would sign in members of the team, and the caller is no owner.
    #[error("only owners add a provider that signs in members of the team")]
    OwnersAlone,
    /// The organization has the most providers.
    #[error("the organization has {MOST_PROVIDERS} providers: remove one first")]
    TooMany,
    /// The organization does not have the provider.
    #[error("the organization has no provider {0}: `hearback oidc list` lists them")]
    Unknown(OidcProviderId),
    /// The secret could not be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The store failed.
    #[error("cannot manage the providers of OpenID Connect")]
    Store(#[from] StoreError),
}

/// A provider to add.
#[derive(Clone, Debug)]
pub struct NewProvider {
    /// The name on the button.
    pub name: ProviderText,
    /// The issuer.
    pub issuer: Issuer,
    /// The name that the provider has for the portal.
    pub client_id: ProviderText,
    /// The claims that tell who the person is.
    pub claims: ClaimNames,
    /// Whether the provider signs in members of the team, too.
    pub for_members: bool,
}

/// Adds a provider. White space around the secret does not count.
///
/// The operator of a provider for members can sign in as any of them, also as an owner. So only
/// callers who may make owners add one.
pub async fn add(
    ports: &Ports,
    vault: &Vault,
    caller: Caller,
    new: NewProvider,
    secret: &str,
) -> Result<OidcProvider, ProviderError> {
    let organization = caller.manage(Kind::ApiKey)?;
    if new.for_members && !caller.may_give(None, Some(Role::Owner)) {
        return Err(ProviderError::OwnersAlone);
    }
    let secret = Some(secret.trim()).filter(|secret| !secret.is_empty());
    let secret = secret.ok_or(ProviderError::NoSecret)?;
    let id: Uuid = ports.ids.fresh();
    let provider = OidcProvider {
        id: id.into(),
        name: new.name.into(),
        issuer: new.issuer.as_str().to_owned(),
        client_id: new.client_id.into(),
        sealed: vault.seal(organization, id, Purpose::OidcSecret, secret)?,
        claims: new.claims,
        for_members: new.for_members,
        created_at: ports.clock.now(),
    };
    let entry = entry(ports, caller, "added", &provider);
    match ports.oidc.add_provider(organization, provider.clone(), entry).await? {
        Recorded::Done => Ok(provider),
        _ => Err(ProviderError::TooMany),
    }
}

/// The providers, the oldest first.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<OidcProvider>, ProviderError> {
    Ok(ports.oidc.providers(caller.manage(Kind::ApiKey)?).await?)
}

/// Removes a provider.
pub async fn remove(
    ports: &Ports,
    caller: Caller,
    id: OidcProviderId,
) -> Result<(), ProviderError> {
    let organization = caller.manage(Kind::ApiKey)?;
    let providers = ports.oidc.providers(organization).await?;
    let provider = providers.into_iter().find(|provider| provider.id == id);
    let provider = provider.ok_or(ProviderError::Unknown(id))?;
    let entry = entry(ports, caller, "removed", &provider);
    match ports.oidc.remove_provider(organization, id, entry).await? {
        Recorded::Done => Ok(()),
        _ => Err(ProviderError::Unknown(id)),
    }
}

/// The entry of the audit log of a change. A provider is no record.
fn entry(ports: &Ports, caller: Caller, done: &'static str, provider: &OidcProvider) -> AuditEntry {
    let OidcProvider { id, name, issuer, client_id, for_members, .. } = provider;
    let data = serde_json::json!({
        "oidc_provider": done,
        "id": id.to_string(),
        "name": name,
        "issuer": issuer,
        "client_id": client_id,
        "for_members": for_members,
    });
    audit::of_organization(ports, caller, data)
}

/// The client secret of a provider, opened.
pub(crate) fn secret(
    vault: &Vault,
    organization: OrganizationId,
    provider: &OidcProvider,
) -> Result<Zeroizing<String>, Error> {
    let opened = vault.open(organization, provider.id.0, Purpose::OidcSecret, &provider.sealed);
    opened.map_err(|error| Error::Secret(SecretError::Seal(error)))
}
