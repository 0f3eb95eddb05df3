//! Events on their way to subscriptions.
//!
//! # Who waits for whom
//!
//! Rows are locked in this order by all that has to do with deliveries:
//!
//! 1. the organization: whoever waits for rows of it holds it, and its deletion has it alone;
//! 2. subscriptions, by id;
//! 3. deliveries, by subscription and event;
//! 4. events, by id.
//!
//! Claims wait for nobody: they leave out what somebody has locked. Nobody waits for an
//! organization to be deleted but requests, since that may take long: what is its goes with it. A
//! recorded event shares the subscriptions that want it. It waits for one that is being deleted,
//! which is gone then, or not active any more.

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
    Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue, Settled, Unreadable,
};
use hearback_ports::{DeliveryQueue, StoreError};
use hearback_store_rows::BadRow;
use release::Release;
use settle::{HeldRow, Keep, Receivers};
use std::collections::HashSet;

#[async_trait]
impl DeliveryQueue for PgStore {
    async fn claim(&self, claim: Claim) -> Result<Claimed, StoreError> {
        let Some(take) = Take::new(&claim) else { return Ok(Claimed::default()) };
        let taken = self.dispatcher.write_alone("claiming deliveries", |connection| {
            take.load::<ClaimedRow>(connection).boxed()
        });
        let mut rows = taken.await?.ok_or(StoreError::Busy)?;
        // They come in the order in which they were written.
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
        mut settled: Vec<Settled>,
    ) -> Result<Vec<(Queue, Deactivation)>, StoreError> {
        let doing = "settling deliveries";
        // Whoever settles one has it no more.
        let mut keys = HashSet::new();
        settled.retain(|settled| keys.insert((settled.key, settled.holder)));
        // Most often all succeeded and all receivers were well: then one statement does it, and
        // subscriptions stay as they are.
        if settled.iter().all(|settled| settled.attempt.response.is_success()) {
            let keep = Keep::new(&settled, Receivers::Well);
            let kept = self
                .dispatcher
                .write_alone(doing, |connection| keep.load::<HeldRow>(connection).boxed());
            let kept = kept.await?.ok_or(StoreError::Busy)?;
            let kept: HashSet<(DeliveryKey, Uuid)> = kept.into_iter().map(HeldRow::held).collect();
            settled.retain(|settled| !kept.contains(&(settled.key, settled.holder)));
        }
        if settled.is_empty() {
            return Ok(Vec::new());
        }
        let deactivated = self.dispatcher.write(doing, move |connection| {
            async move { settle::settle(connection, settled).await }.boxed()
        });
        deactivated.await?.ok_or(StoreError::Busy)
    }

    async fn release(&self, mut deliveries: Vec<(DeliveryKey, Uuid)>) -> Result<(), StoreError> {
        deliveries.sort_unstable();
        let release = Release { held: deliveries.into_iter().collect() };
        let released = self
            .dispatcher
            .write_alone("releasing deliveries", |connection| release.execute(connection).boxed());
        released.await?.ok_or(StoreError::Busy)?;
        Ok(())
    }
}
