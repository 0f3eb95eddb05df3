//! The queues of events on their way to subscriptions.
//!
//! # Order of locks
//!
//! Everything that changes deliveries locks rows in this order:
//!
//! 1. the organization: a transaction that waits for rows of an organization shares its lock, and
//!    the deletion of the organization has the lock alone;
//! 2. subscriptions, by id;
//! 3. deliveries, by subscription and event;
//! 4. events, by id.
//!
//! Claims wait for no lock: they skip locked rows. Only requests wait for the deletion of an
//! organization, since it may take long: its deliveries are deleted with it. A transaction that
//! records an event shares the locks of the subscriptions that receive the event. It waits for a
//! subscription that is being deleted. That subscription is then gone, or no longer active.

mod claim;
mod keys;
mod release;
mod settle;
#[cfg(test)]
pub(crate) mod tests;

use crate::PgStore;
use async_trait::async_trait;
use claim::{ClaimedRow, Take};
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use hearback_domain::Uuid;
use hearback_domain::webhook_subscription::Deactivation;
use hearback_ports::delivery_queue::{
    Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue, SettledDelivery, Unreadable,
};
use hearback_ports::{DeliveryQueue, StoreError};
use hearback_store_rows::BadRow;
use keys::Only;
use release::Release;
use settle::{HeldRow, Keep, Receivers};
use std::collections::{BTreeMap, HashSet};

#[async_trait]
impl DeliveryQueue for PgStore {
    async fn claim(&self, claim: Claim) -> Result<Claimed, StoreError> {
        let Some(take) = Take::new(&claim) else { return Ok(Claimed::default()) };
        let is_citus = self.connector.is_citus();
        let taken = self.dispatcher.write_alone("claiming deliveries", move |connection| {
            if is_citus {
                claim::take_by_organization(connection, take).boxed()
            } else {
                take.load::<ClaimedRow>(connection).boxed()
            }
        });
        let mut rows = taken.await?.ok_or(StoreError::Busy)?;
        // The rows come in the order in which they were updated.
        rows.sort_unstable_by_key(|row| (row.queue, row.next_attempt_at.0, row.event));
        let reached_limit = rows.len() >= claim.limit;
        let next_after = rows.last().filter(|_| reached_limit).map(|row| row.key().queue);
        let mut claimed = Claimed { next_after, ..Claimed::default() };
        for row in rows {
            let key = row.key();
            match ClaimedDelivery::try_from(row) {
                Ok(delivery) => claimed.deliveries.push(delivery),
                Err(BadRow { column, .. }) => claimed.unreadable.push(Unreadable { key, column }),
            }
        }
        Ok(claimed)
    }

    async fn settle(
        &self,
        mut settled: Vec<SettledDelivery>,
    ) -> Result<Vec<(Queue, Deactivation)>, StoreError> {
        // The first outcome ends the lease, so further outcomes under the same lease are dropped.
        let mut keys = HashSet::new();
        settled.retain(|settled| keys.insert((settled.key, settled.holder)));
        if self.connector.is_citus() {
            let mut deactivated = Vec::new();
            for (only, some) in by_organization(settled, |settled| settled.key) {
                deactivated.extend(self.settle_some(some, only).await?);
            }
            return Ok(deactivated);
        }
        // Most often all attempts succeeded and all receivers were well. One statement is then
        // enough, and no subscription changes.
        if settled.iter().all(|settled| settled.attempt.response.is_success()) {
            let keep = Keep::new(&settled, Receivers::Well, Only::default());
            let kept = self
                .dispatcher
                .write_alone(SETTLING, |connection| keep.load::<HeldRow>(connection).boxed());
            let kept = kept.await?.ok_or(StoreError::Busy)?;
            let kept: HashSet<(DeliveryKey, Uuid)> = kept.into_iter().map(HeldRow::held).collect();
            settled.retain(|settled| !kept.contains(&(settled.key, settled.holder)));
        }
        if settled.is_empty() {
            return Ok(Vec::new());
        }
        self.settle_some(settled, Only::default()).await
    }

    async fn release(&self, mut deliveries: Vec<(DeliveryKey, Uuid)>) -> Result<(), StoreError> {
        deliveries.sort_unstable();
        let parts = if self.connector.is_citus() {
            by_organization(deliveries, |(key, _)| *key)
        } else {
            vec![(Only::default(), deliveries)]
        };
        for (only, some) in parts {
            let release = Release::new(&some, only);
            let released = self.dispatcher.write_alone("releasing deliveries", |connection| {
                release.execute(connection).boxed()
            });
            released.await?.ok_or(StoreError::Busy)?;
        }
        Ok(())
    }
}

/// The operation that an error of a settlement names.
const SETTLING: &str = "settling deliveries";

impl PgStore {
    /// Settles deliveries in a transaction.
    async fn settle_some(
        &self,
        settled: Vec<SettledDelivery>,
        only: Only,
    ) -> Result<Vec<(Queue, Deactivation)>, StoreError> {
        let deactivated = self.dispatcher.write(SETTLING, move |connection| {
            async move { settle::settle(connection, settled, only).await }.boxed()
        });
        deactivated.await?.ok_or(StoreError::Busy)
    }
}

/// The deliveries of each organization, for statements on Citus.
fn by_organization<T>(deliveries: Vec<T>, key: impl Fn(&T) -> DeliveryKey) -> Vec<(Only, Vec<T>)> {
    let mut parts: BTreeMap<Uuid, Vec<T>> = BTreeMap::new();
    for delivery in deliveries {
        parts.entry(key(&delivery).queue.organization.0).or_default().push(delivery);
    }
    parts.into_iter().map(|(organization, some)| (Only(Some(organization)), some)).collect()
}
