//! Releases: deliveries are returned without an attempt.

use diesel::prelude::*;
use hearback_domain::Uuid;
use hearback_ports::delivery_queue::DeliveryKey;
use hearback_store_rows::schema::deliveries;
use hearback_store_rows::{Id, Stamp};

pub(super) fn release(
    connection: &mut SqliteConnection,
    deliveries: &[(DeliveryKey, Uuid)],
) -> QueryResult<()> {
    for (key, holder) in deliveries {
        diesel::update(deliveries::table)
            .filter(deliveries::organization_id.eq(Id::of(key.queue.organization)))
            .filter(deliveries::event_id.eq(Id::of(key.event)))
            .filter(deliveries::subscription_id.eq(Id::of(key.queue.subscription)))
            .filter(deliveries::lease_holder.eq(Id(*holder)))
            .set((
                deliveries::lease_holder.eq(None::<Id>),
                deliveries::leased_until.eq(None::<Stamp>),
            ))
            .execute(connection)?;
    }
    Ok(())
}
