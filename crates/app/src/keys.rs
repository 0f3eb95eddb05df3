//! Manages an organization's API key.

use crate::audit;
use crate::caller::{Caller, Denied};
use crate::key_ring::{LEASE, PREFIX};
use crate::vault::{NoRandomness, Purpose, SealError, Vault, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_domain::Uuid;
use hearback_domain::api_key::ApiKey;
use hearback_domain::id::OrganizationId;
use hearback_domain::record::Kind;
use hearback_ports::{Ports, Recorded, StoreError};
use serde_json::{Value, json};
use std::fmt;
use zeroize::Zeroizing;

/// An API key in clear text. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct PlainKey(Zeroizing<String>);

impl PlainKey {
    /// The key, to show to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PlainKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlainKey(…)")
    }
}

/// Why a key was not made, shown or revoked.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The caller lacks the permission.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The organization has an active key already.
    #[error("the organization has an active key: rotate it or revoke it")]
    AlreadyActive,
    /// The organization has no active key.
    #[error("the organization has no active key: generate one")]
    NoActiveKey,
    /// Another command changed the key at the same time.
    #[error("another command changed the key at the same time: try again")]
    Raced,
    /// The operating system gave no random bytes.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    /// The key could not be sealed or opened.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The store failed.
    #[error("cannot manage the API key")]
    Store(#[from] StoreError),
}

/// Makes the organization's key. The key is valid at once.
pub async fn generate(ports: &Ports, vault: &Vault, caller: Caller) -> Result<PlainKey, KeyError> {
    let organization = caller.manage(Kind::ApiKey)?;
    let (plain, record) = fresh(ports, vault, organization)?;
    let entry =
        audit::of_organization(ports, caller, json!({ "before": null, "after": shown(&record) }));
    match ports.keys.insert(organization, record, entry).await? {
        Recorded::Done => Ok(plain),
        Recorded::Taken(_) => Err(KeyError::AlreadyActive),
        Recorded::Stale | Recorded::Missing(_) | Recorded::InUse(_) => Err(KeyError::Raced),
    }
}

/// Replaces the organization's key. The new key is valid as soon as it is committed. When this
/// returns, every process refuses the old key in each request that begins from then on.
pub async fn rotate(ports: &Ports, vault: &Vault, caller: Caller) -> Result<PlainKey, KeyError> {
    let organization = caller.manage(Kind::ApiKey)?;
    let old = ports.keys.active(organization).await?.ok_or(KeyError::NoActiveKey)?;
    let (plain, record) = fresh(ports, vault, organization)?;
    let data = json!({ "before": shown(&old), "after": shown(&record) });
    let entry = audit::of_organization(ports, caller, data);
    retired(ports, ports.keys.replace(organization, old.id, record, entry).await).await?;
    Ok(plain)
}

/// Whether the organization has a key.
pub async fn is_there(ports: &Ports, caller: Caller) -> Result<bool, KeyError> {
    Ok(ports.keys.active(caller.view(Kind::ApiKey)?).await?.is_some())
}

/// Shows the organization's key again. The audit log says which member saw it.
pub async fn reveal(ports: &Ports, vault: &Vault, caller: Caller) -> Result<PlainKey, KeyError> {
    let organization = caller.view(Kind::ApiKey)?;
    let key = ports.keys.active(organization).await?.ok_or(KeyError::NoActiveKey)?;
    if caller.user().is_some() {
        audit::note_done(ports, caller, shown(&key).to_string()).await?;
    }
    Ok(PlainKey(vault.open(organization, key.id.0, Purpose::ApiKey, &key.sealed)?))
}

/// Revokes the organization's key. When this returns, every process refuses it, as after
/// [`rotate`].
pub async fn revoke(ports: &Ports, caller: Caller) -> Result<(), KeyError> {
    let organization = caller.manage(Kind::ApiKey)?;
    let key = ports.keys.active(organization).await?.ok_or(KeyError::NoActiveKey)?;
    let entry =
        audit::of_organization(ports, caller, json!({ "before": shown(&key), "after": null }));
    retired(ports, ports.keys.revoke(organization, key.id, entry).await).await
}

/// Returns when no process accepts the old key any more. If the outcome of the commit is unknown,
/// the key may be retired: the lease is waited out before the error is returned.
async fn retired(ports: &Ports, recorded: Result<Recorded, StoreError>) -> Result<(), KeyError> {
    match recorded {
        Ok(Recorded::Done) | Err(StoreError::Lost { .. }) => ports.clock.sleep(LEASE).await,
        Ok(Recorded::Stale | Recorded::Taken(_) | Recorded::Missing(_) | Recorded::InUse(_)) => {
            return Err(KeyError::Raced);
        }
        Err(
            StoreError::Busy
            | StoreError::Unreachable { .. }
            | StoreError::Full { .. }
            | StoreError::Backend { .. },
        ) => {}
    }
    recorded.map(|_| ()).map_err(KeyError::Store)
}

/// The data of a key in the audit log. It has neither the key nor its digest.
fn shown(key: &ApiKey) -> Value {
    json!({ "api_key_id": key.id.to_string() })
}

fn fresh(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
) -> Result<(PlainKey, ApiKey), KeyError> {
    let secret = vault.random::<32>()?;
    let plain =
        Zeroizing::new(format!("{PREFIX}{}", *Zeroizing::new(URL_SAFE_NO_PAD.encode(*secret))));
    let id: Uuid = ports.ids.fresh();
    let record = ApiKey {
        id: id.into(),
        digest: digest(&plain),
        sealed: vault.seal(organization, id, Purpose::ApiKey, &plain)?,
        created_at: ports.clock.now(),
    };
    Ok((PlainKey(plain), record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_ring::is_key;
    use crate::{MasterKey, Who};
    use hearback_domain::Time;
    use hearback_domain::id::UserId;
    use hearback_domain::permission::Role;
    use hearback_domain::plan::Plan;
    use hearback_ports::clock::MockClock;
    use hearback_ports::mock::Mocks;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const CALLER: Caller = Caller::background(ORGANIZATION);

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap())
    }

    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(5));
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks
    }

    fn sealed(plain: &str) -> ApiKey {
        let sealed =
            vault().seal(ORGANIZATION, Uuid::from_u128(4), Purpose::ApiKey, plain).unwrap();
        ApiKey {
            id: Uuid::from_u128(4).into(),
            digest: digest(plain),
            sealed,
            created_at: Time::MIN,
        }
    }

    #[tokio::test]
    async fn a_generated_key_has_the_form_of_a_key_and_is_stored_sealed_and_by_digest() {
        let mut mocks = mocks();
        mocks.keys.expect_insert().once().returning(|_, key, entry| {
            let plain = vault().open(ORGANIZATION, key.id.0, Purpose::ApiKey, &key.sealed).unwrap();
            assert_eq!(digest(&plain), key.digest);
            assert_eq!(entry.target, (Kind::Organization, ORGANIZATION.0));
            let data = json!({ "before": null, "after": { "api_key_id": key.id.to_string() } });
            assert_eq!(entry.data, data.to_string());
            Ok(Recorded::Done)
        });
        let key = generate(&mocks.ports(), &vault(), CALLER).await.unwrap();
        assert!(is_key(key.reveal()));
        assert_eq!(format!("{key:?}"), "PlainKey(…)");
    }

    #[tokio::test]
    async fn rotate_and_revoke_wait_out_the_lease_after_they_committed() {
        let mut mocks = mocks();
        mocks.keys.expect_active().returning(|_| Ok(Some(sealed("hbk_old"))));
        let mut order = mockall::Sequence::new();
        let waits = |clock: &mut MockClock, order: &mut mockall::Sequence| {
            let sleep = clock.expect_sleep().once().in_sequence(order);
            sleep.withf(|time| *time >= LEASE).returning(|_| ());
        };
        let replace = mocks.keys.expect_replace().once().in_sequence(&mut order);
        replace.returning(|_, _, _, _| Ok(Recorded::Done));
        waits(&mut mocks.clock, &mut order);
        let revoked = mocks.keys.expect_revoke().once().in_sequence(&mut order);
        revoked.returning(|_, _, _| Ok(Recorded::Done));
        waits(&mut mocks.clock, &mut order);
        let ports = mocks.ports();
        rotate(&ports, &vault(), CALLER).await.unwrap();
        revoke(&ports, CALLER).await.unwrap();
    }

    #[tokio::test]
    async fn the_lease_is_waited_out_also_if_the_outcome_of_the_commit_is_unknown() {
        let mut mocks = mocks();
        mocks.keys.expect_active().returning(|_| Ok(Some(sealed("hbk_old"))));
        mocks.keys.expect_revoke().returning(|_, _, _| {
            Err(StoreError::Lost { doing: "revoking", source: "gone".into() })
        });
        mocks.clock.expect_sleep().once().withf(|time| *time >= LEASE).returning(|_| ());
        let revoked = revoke(&mocks.ports(), CALLER).await;
        assert!(matches!(revoked, Err(KeyError::Store(StoreError::Lost { .. }))));
    }

    #[tokio::test]
    async fn a_member_who_sees_the_key_is_in_the_audit_log() {
        let (at, user) = (ORGANIZATION, UserId(Uuid::from_u128(7)));
        let member = Caller::new(at, Plan::FULL, Who::Member { user, role: Role::Owner });
        for (caller, entries) in [(member.doing("api-keys/show"), 1), (CALLER, 0)] {
            let mut mocks = mocks();
            mocks.keys.expect_active().returning(|_| Ok(Some(sealed("hbk_key"))));
            mocks.records.expect_apply().times(entries).returning(move |_, change| {
                let [entry] = &change.audit[..] else { panic!("{change:?}") };
                assert_eq!((entry.action.as_str(), entry.actor_id), ("api-keys/show", Some(user)));
                assert!(!entry.data.contains("hbk_"), "{}", entry.data);
                Ok(Recorded::Done)
            });
            let ports = mocks.ports();
            assert!(is_there(&ports, caller).await.unwrap());
            let key = reveal(&ports, &vault(), caller).await;
            assert_eq!(key.unwrap().reveal(), "hbk_key");
        }
    }

    #[tokio::test]
    async fn an_api_key_neither_shows_nor_changes_a_key() {
        let key = Caller::new(ORGANIZATION, Plan::FULL, Who::Key);
        let (ports, vault) = (Mocks::default().ports(), vault());
        let refusals = [
            generate(&ports, &vault, key).await.err(),
            rotate(&ports, &vault, key).await.err(),
            reveal(&ports, &vault, key).await.err(),
            revoke(&ports, key).await.err(),
        ];
        for refusal in refusals {
            assert!(matches!(refusal, Some(KeyError::Denied(Denied::Permission(_)))));
        }
    }

    #[tokio::test]
    async fn generate_fails_while_a_key_is_active_and_the_others_without_one() {
        let mut mocks = mocks();
        mocks
            .keys
            .expect_insert()
            .returning(|_, _, _| Ok(Recorded::Taken(hearback_ports::Unique::ActiveKey)));
        mocks.keys.expect_active().returning(|_| Ok(None));
        let ports = mocks.ports();
        assert!(matches!(generate(&ports, &vault(), CALLER).await, Err(KeyError::AlreadyActive)));
        assert!(matches!(rotate(&ports, &vault(), CALLER).await, Err(KeyError::NoActiveKey)));
        assert!(matches!(reveal(&ports, &vault(), CALLER).await, Err(KeyError::NoActiveKey)));
        assert!(matches!(revoke(&ports, CALLER).await, Err(KeyError::NoActiveKey)));
    }

    #[tokio::test]
    async fn a_lost_race_is_not_taken_for_an_active_key() {
        let mut mocks = mocks();
        mocks.keys.expect_insert().returning(|_, _, _| Ok(Recorded::Stale));
        assert!(matches!(generate(&mocks.ports(), &vault(), CALLER).await, Err(KeyError::Raced)));
    }
}
