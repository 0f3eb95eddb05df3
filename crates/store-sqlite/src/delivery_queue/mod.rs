//! The queues of events on their way to subscriptions.

mod claim;
mod keys;
mod release;
mod settle;
#[cfg(test)]
pub(crate) mod tests;

use crate::SqliteStore;
use crate::error::store_error;
use async_trait::async_trait;
use claim::{Found, find, take};
use diesel::SqliteConnection;
use hearback_domain::Uuid;
use hearback_domain::webhook_subscription::Deactivation;
use hearback_ports::delivery_queue::{
    Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue, SettledDelivery, Unreadable,
};
use hearback_ports::{DeliveryQueue, StoreError};
use hearback_store_rows::BadRow;
use release::release;
use settle::settle;

#[async_trait]
impl DeliveryQueue for SqliteStore {
    async fn claim(&self, claim: Claim) -> Result<Claimed, StoreError> {
        let doing = "claiming deliveries";
        // A reader looks for due deliveries first: most often there are none, and the writer stays
        // free for other writes. The writer then takes the deliveries that are still due.
        let (lease, now) = (claim.lease, claim.now);
        let find = move |connection: &mut SqliteConnection| find(connection, &claim);
        let Found { due, next_after } = self.queue_readers.snapshot(doing, find).await?;
        let mut claimed = Claimed { next_after, ..Claimed::default() };
        if due.is_empty() {
            return Ok(claimed);
        }
        let work = move |connection: &mut SqliteConnection| take(connection, due, lease, now);
        for row in
            self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))?
        {
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
        settled: Vec<SettledDelivery>,
    ) -> Result<Vec<(Queue, Deactivation)>, StoreError> {
        let doing = "settling deliveries";
        let work = move |connection: &mut SqliteConnection| settle(connection, &settled);
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }

    async fn release(&self, deliveries: Vec<(DeliveryKey, Uuid)>) -> Result<(), StoreError> {
        let doing = "releasing deliveries";
        let work = move |connection: &mut SqliteConnection| release(connection, &deliveries);
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }
}
