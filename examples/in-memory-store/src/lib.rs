//! A storage adapter that keeps everything in memory: the example of `docs/storage.md`.
//!
//! The `State` is a value. A read looks at the state of one moment. A write changes
//! a copy, and puts the copy in the place of the state if nothing stood in its way. So a load is of
//! one moment, a write is all or nothing, and a snapshot is a copy.
//!
//! A copy is cheap: organizations are shared until one is changed, and their records likewise.

mod backlog;
mod changelog;
mod deliveries;
mod delivery_queue;
mod events;
mod feedback;
mod help_center;
mod import;
mod inspection;
mod instance;
mod keys;
mod mail_queue;
mod merge;
mod organizations;
mod page;
mod receipts;
mod records;
mod snapshot;
mod state;
mod tenant;
mod users;
mod votes;
mod webhook_subscriptions;

use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_ports::examination::{Finding, StoreTime};
use hearback_ports::health::{PoolMeter, PoolUse, ReplicaReads};
use hearback_ports::schema::SchemaState;
use hearback_ports::{Alarm, Clock, Examination, Health, Ids, Ports, Recorded, Schema, StoreError};
use state::State;
use std::sync::{Arc, PoisonError, RwLock};
use tenant::Tenant;

/// The answer of a method of a port.
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

    /// The state of this moment.
    fn state(&self) -> Arc<State> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads an organization. One that is not there has nothing.
    fn read<T>(&self, organization: OrganizationId, read: impl FnOnce(&Tenant) -> T) -> T {
        read(self.state().tenant(organization).unwrap_or(&Tenant::default()))
    }

    /// Changes the state, or leaves it as it was if the change fails.
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

    /// Records a change of an organization: stale if it is gone.
    fn record_in(
        &self,
        organization: OrganizationId,
        change: impl FnOnce(&mut Tenant) -> Result<(), Recorded>,
    ) -> Result<Recorded> {
        self.record(|state| change(state.tenant_mut(organization).ok_or(Recorded::Stale)?))
    }

    /// Changes an organization if it is there. The change cannot fail.
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
impl Health for MemoryStore {
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
