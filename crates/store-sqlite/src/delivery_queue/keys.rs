//! The keys of deliveries in statements.

use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sqlite::Sqlite;
use hearback_ports::delivery_queue::{DeliveryKey, Queue};
use hearback_store_rows::{Id, SqlId};

/// The condition that selects one delivery.
#[derive(Clone, Copy, QueryId)]
pub(super) struct KeyColumns {
    pub(super) organization: Id,
    pub(super) subscription: Id,
    pub(super) event: Id,
}

impl KeyColumns {
    pub(super) fn of(key: DeliveryKey) -> Self {
        let DeliveryKey { queue: Queue { organization, subscription }, event } = key;
        Self {
            organization: Id::of(organization),
            subscription: Id::of(subscription),
            event: Id::of(event),
        }
    }
}

impl QueryFragment<Sqlite> for KeyColumns {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("organization_id = ");
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(" AND event_id = ");
        out.push_bind_param::<SqlId, _>(&self.event)?;
        out.push_sql(" AND subscription_id = ");
        out.push_bind_param::<SqlId, _>(&self.subscription)
    }
}
