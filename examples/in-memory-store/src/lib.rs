//! A storage adapter that keeps everything in memory: the example of `docs/storage.md`.
//!
//! The `State` is a value. A read looks at the state of one moment. A write changes a copy of the
//! state, and the copy replaces the state if the write succeeds. So a load is of one moment, a
//! write is all or nothing, and a snapshot is a copy.
//!
//! A copy is cheap: copies share each organization and each record until one of them changes it.

mod audit;
mod backlog;
mod changelog;
mod counts;
mod deliveries;
mod erasure;
mod feedback;
mod help_center;
mod images;
mod instance;
mod lists;
mod mail_queue;
mod moderation;
mod notices;
mod oidc;
mod organizations;
mod passwords;
mod portable;
mod records;
mod roadmap;
mod saved_views;
mod second_factors;
mod sessions;
mod sso_secrets;
mod state;
mod votes;
mod webhook_subscriptions;

use async_trait::async_trait;
use hearback_domain::id::{MailingId, OrganizationId, UserId};
use hearback_domain::mail::MailFailure;
use hearback_ports::examination::{Finding, StoreTime};
use hearback_ports::health::{PoolMeter, PoolUse, ReplicaReads};
use hearback_ports::schema::SchemaState;
use hearback_ports::{
    Alarm, Clock, Examination, Ids, Ports, Recorded, Schema, StoreError, StoreHealth,
};
use state::{State, Tenant};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The result of a method of a port.
type Result<T, E = StoreError> = std::result::Result<T, E>;

/// The store. Cloning is cheap, and a clone is the same store.
#[derive(Clone)]
pub struct MemoryStore {
    state: Arc<RwLock<Arc<State>>>,
    writes: Arc<PoolMeter>,
    clock: Arc<dyn Clock>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { state: Arc::default(), writes: Arc::default(), clock }
    }

    /// The ports of the store.
    pub fn ports(self, ids: Arc<dyn Ids>, alarm: Arc<dyn Alarm>) -> Ports {
        let clock = Arc::clone(&self.clock);
        Ports::new(Arc::new(self), clock, ids, alarm)
    }

    /// The number of values in each map of an organization.
    pub fn rows(&self, organization: OrganizationId) -> BTreeMap<String, i64> {
        let state = self.state();
        let Some(tenant) = state.tenant(organization) else { return BTreeMap::new() };
        let attempts = tenant.deliveries.values().flat_map(|sending| &sending.attempts);
        [
            ("records", tenant.records.len()),
            ("revoked_keys", tenant.revoked_keys.len()),
            ("audit_entries", tenant.audit.len()),
            ("receipts", tenant.receipts.len()),
            ("spent_tokens", tenant.spent_tokens.len()),
            ("sign_ins", tenant.sign_ins.len()),
            ("sessions", tenant.sessions.len()),
            ("passwords", tenant.passwords.len()),
            ("saved_views", tenant.views.len()),
            ("daily_counts", tenant.days.len()),
            ("missed_searches", tenant.misses.len()),
            ("second_factors", tenant.second_factors.len()),
            ("password_tries", tenant.tries.len()),
            ("oidc_providers", tenant.oidc_providers.len()),
            ("oidc_accounts", tenant.oidc_accounts.len()),
            ("sso_secrets", tenant.sso_secrets.len()),
            ("images", tenant.images.len()),
            ("events", tenant.events.len()),
            ("deliveries", tenant.deliveries.len()),
            ("delivery_attempts", attempts.count()),
            ("mailings", tenant.mailings.len()),
            ("mails", tenant.mails.len()),
        ]
        .map(|(name, count)| (name.to_owned(), i64::try_from(count).unwrap_or(i64::MAX)))
        .into()
    }

    /// The state of each mail of an organization, and why its last attempt failed.
    pub fn mails(
        &self,
        organization: OrganizationId,
    ) -> BTreeMap<(MailingId, UserId), (&'static str, Option<MailFailure>)> {
        let state = self.state();
        let mails = state.tenant(organization).into_iter().flat_map(|tenant| &tenant.mails);
        mails.map(|(key, mail)| (*key, (mail.state(), mail.failure))).collect()
    }

    /// The state of this moment.
    fn state(&self) -> Arc<State> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads an organization. An organization that does not exist has no records.
    fn read<T>(&self, organization: OrganizationId, read: impl FnOnce(&Tenant) -> T) -> Result<T> {
        Ok(read(self.state().tenant(organization).unwrap_or(&Tenant::default())))
    }

    /// Changes the state. The state stays as it is if the change fails.
    fn write<T, E>(&self, change: impl FnOnce(&mut State) -> Result<T, E>) -> Result<T, E> {
        let wait = self.writes.wait();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let _in_use = wait.over();
        let mut copy = State::clone(&state);
        let changed = change(&mut copy)?;
        *state = Arc::new(copy);
        Ok(changed)
    }

    /// Records a change of the state.
    fn record(&self, change: impl FnOnce(&mut State) -> Result<(), Recorded>) -> Result<Recorded> {
        Ok(self.write(change).err().unwrap_or(Recorded::Done))
    }

    /// Records a change of an organization. The change is stale if the organization does not exist.
    fn record_in(
        &self,
        organization: OrganizationId,
        change: impl FnOnce(&mut Tenant) -> Result<(), Recorded>,
    ) -> Result<Recorded> {
        self.record(|state| change(state.tenant_mut(organization).ok_or(Recorded::Stale)?))
    }

    /// Changes an organization if it exists. The change cannot fail.
    fn update<T: Default>(
        &self,
        organization: OrganizationId,
        change: impl FnOnce(&mut Tenant) -> T,
    ) -> Result<T> {
        self.write(|state| Ok(state.tenant_mut(organization).map(change).unwrap_or_default()))
    }
}

#[async_trait]
impl Schema for MemoryStore {
    async fn state(&self) -> Result<SchemaState> {
        Ok(SchemaState::Current)
    }

    async fn migrate(&self) -> Result<()> {
        Ok(())
    }
}

#[async_trait]
impl Examination for MemoryStore {
    async fn examine(&self) -> Result<Vec<Finding>> {
        let count = self.state().tenants.len();
        Ok(vec![Finding::good(format!("a store in memory, with {count} organizations"))])
    }

    async fn time(&self) -> Result<StoreTime> {
        Ok(StoreTime::Now(self.clock.now()))
    }
}

#[async_trait]
impl StoreHealth for MemoryStore {
    async fn ping(&self) -> Result<()> {
        Ok(())
    }

    fn pools(&self) -> Vec<PoolUse> {
        vec![self.writes.read("writer", 1)]
    }

    fn replica_reads(&self) -> ReplicaReads {
        ReplicaReads::default()
    }
}
