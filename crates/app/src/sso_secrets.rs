//! Manages the secrets of single sign-on of an organization.
//!
//! An organization has one secret, or two during a rotation: the present one and the former one.
//! Both are valid. They are stored sealed.

use crate::caller::{Caller, Denied};
use crate::sso::SsoSecret;
use crate::vault::{NoRandomness, Purpose, SealError, SecretError, Vault};
use crate::{Error, audit};
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::OrganizationId;
use hearback_domain::record::Kind;
use hearback_domain::sso_secret::{MOST_SSO_SECRETS, SealedSsoSecret};
use hearback_domain::{Time, Uuid};
use hearback_ports::{Ports, Recorded, StoreError};

/// Why a secret was not made or retired.
#[derive(Debug, thiserror::Error)]
pub enum SsoSecretError {
    /// The caller lacks the permission.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The organization has a present and a former secret.
    #[error("the organization has a former secret still: retire it first")]
    TwoSecrets,
    /// The organization has no former secret.
    #[error("the organization has no former secret: generate a new one first")]
    NoFormer,
    /// Another command changed the secrets at the same time.
    #[error("another command changed the secrets at the same time: try again")]
    Raced,
    /// The operating system gave no random bytes.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    /// The secret could not be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The store failed.
    #[error("cannot manage the secrets of single sign-on")]
    Store(#[from] StoreError),
}

/// When the secrets were made: that of the present one, then that of the former one.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<Time>, SsoSecretError> {
    let secrets = ports.sso_secrets.list(caller.manage(Kind::ApiKey)?).await?;
    Ok(secrets.iter().map(|secret| secret.created_at).collect())
}

/// Makes a secret. The one that was there stays valid beside it, as the former one.
pub async fn generate(
    ports: &Ports,
    vault: &Vault,
    caller: Caller,
) -> Result<SsoSecret, SsoSecretError> {
    let organization = caller.manage(Kind::ApiKey)?;
    let present = ports.sso_secrets.list(organization).await?;
    if present.len() >= MOST_SSO_SECRETS {
        return Err(SsoSecretError::TwoSecrets);
    }
    let secret = SsoSecret::generate()?;
    let id: Uuid = ports.ids.fresh();
    // A clock that was set back does not make the new secret the former one.
    let after = present.first().map(|present| present.created_at.plus_millis(1));
    let now = ports.clock.now();
    let sealed = SealedSsoSecret {
        id: id.into(),
        sealed: vault.seal(organization, id, Purpose::SsoSecret, secret.reveal())?,
        created_at: after.map_or(now, |after| after.max(now)),
    };
    let entry = entry(ports, caller, "generated");
    match ports.sso_secrets.add(organization, sealed, entry).await? {
        Recorded::Done => Ok(secret),
        _ => Err(SsoSecretError::Raced),
    }
}

/// Removes the former secret.
pub async fn retire(ports: &Ports, caller: Caller) -> Result<(), SsoSecretError> {
    let organization = caller.manage(Kind::ApiKey)?;
    let secrets = ports.sso_secrets.list(organization).await?;
    let former = secrets.get(1).ok_or(SsoSecretError::NoFormer)?;
    let entry = entry(ports, caller, "retired");
    match ports.sso_secrets.remove(organization, former.id, entry).await? {
        Recorded::Done => Ok(()),
        _ => Err(SsoSecretError::Raced),
    }
}

/// The entry of the audit log of a change. A secret is no record.
fn entry(ports: &Ports, caller: Caller, done: &'static str) -> AuditEntry {
    audit::of_organization(ports, caller, serde_json::json!({ "sso_secret": done }))
}

/// The secrets of an organization, opened.
pub(crate) async fn opened(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
) -> Result<Vec<SsoSecret>, Error> {
    let secrets = ports.sso_secrets.list(organization).await?;
    let open = |secret: SealedSsoSecret| {
        let text = vault.open(organization, secret.id.0, Purpose::SsoSecret, &secret.sealed)?;
        SsoSecret::parse(&text).map_err(|_| SealError::Open)
    };
    let opened: Result<_, SealError> = secrets.into_iter().map(open).collect();
    opened.map_err(|error| Error::Secret(SecretError::Seal(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MasterKey, Who};
    use hearback_domain::Time;
    use hearback_domain::plan::Plan;
    use hearback_ports::mock::Mocks;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const CALLER: Caller = Caller::background(ACME);

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap())
    }

    fn sealed(id: u128, text: &str, made: i64) -> SealedSsoSecret {
        let id = Uuid::from_u128(id);
        let sealed = vault().seal(ACME, id, Purpose::SsoSecret, text).unwrap();
        SealedSsoSecret { id: id.into(), sealed, created_at: Time::MIN.plus_millis(made) }
    }

    fn mocks(secrets: Vec<SealedSsoSecret>) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(5));
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.sso_secrets.expect_list().returning(move |_| Ok(secrets.clone()));
        mocks
    }

    #[tokio::test]
    async fn a_new_secret_is_stored_sealed_and_later_than_the_one_before() {
        for (before, made) in [(vec![], 0), (vec![sealed(4, "old", 7)], 8)] {
            let mut mocks = mocks(before);
            mocks.sso_secrets.expect_add().once().returning(move |organization, secret, entry| {
                assert_eq!(entry.data, r#"{"sso_secret":"generated"}"#);
                let SealedSsoSecret { id, sealed, created_at } = secret;
                let open = |purpose| vault().open(organization, id.0, purpose, &sealed);
                assert!(open(Purpose::SsoSecret).unwrap().starts_with("hbsso_"));
                assert_eq!(open(Purpose::ApiKey), Err(SealError::Open));
                assert_eq!(created_at, Time::MIN.plus_millis(made));
                Ok(Recorded::Done)
            });
            let secret = generate(&mocks.ports(), &vault(), CALLER).await.unwrap();
            assert_eq!(secret.reveal().len(), 49);
        }
    }

    #[tokio::test]
    async fn the_former_secret_is_retired_and_there_are_no_three() {
        let mut both = mocks(vec![sealed(5, "new", 8), sealed(4, "old", 7)]);
        both.sso_secrets
            .expect_remove()
            .once()
            .withf(|_, id, entry| {
                id.0 == Uuid::from_u128(4) && entry.data == r#"{"sso_secret":"retired"}"#
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        let ports = both.ports();
        let third = generate(&ports, &vault(), CALLER).await;
        assert!(matches!(third, Err(SsoSecretError::TwoSecrets)));
        retire(&ports, CALLER).await.unwrap();
        for few in [vec![], vec![sealed(5, "new", 8)]] {
            let retired = retire(&mocks(few).ports(), CALLER).await;
            assert!(matches!(retired, Err(SsoSecretError::NoFormer)));
        }
    }

    #[tokio::test]
    async fn a_lost_race_is_told() {
        let mut raced = mocks(vec![sealed(4, "old", 7)]);
        raced.sso_secrets.expect_add().returning(|_, _, _| Ok(Recorded::Stale));
        let made = generate(&raced.ports(), &vault(), CALLER).await;
        assert!(matches!(made, Err(SsoSecretError::Raced)));
    }

    #[tokio::test]
    async fn an_api_key_manages_no_secret() {
        let key = Caller::new(ACME, Plan::FULL, Who::Key);
        let ports = Mocks::default().ports();
        let made = generate(&ports, &vault(), key).await;
        assert!(matches!(made, Err(SsoSecretError::Denied(_))));
        assert!(matches!(retire(&ports, key).await, Err(SsoSecretError::Denied(_))));
    }

    #[tokio::test]
    async fn a_secret_opens_for_its_own_organization_alone() {
        let ports = mocks(vec![sealed(4, "old", 7)]).ports();
        let secrets = opened(&ports, &vault(), ACME).await.unwrap();
        assert_eq!(secrets.iter().map(SsoSecret::reveal).collect::<Vec<_>>(), ["old"]);
        let other = OrganizationId(Uuid::from_u128(2));
        assert!(matches!(opened(&ports, &vault(), other).await, Err(Error::Secret(_))));
    }
}
