//! The names of deliveries in statements.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{Array, Uuid as SqlUuid};
use hearback_domain::Uuid;
use hearback_ports::delivery_queue::DeliveryKey;

/// What names the row of a delivery that was `held` above. Before PostgreSQL has analyzed the table
/// for the first time, within a minute, it may be searched for among all to its subscription, too;
/// from then on by its key.
pub(super) const IS_HELD: &str = "deliveries.organization_id = held.organization_id AND deliveries.event_id = held.event_id \
                       AND deliveries.subscription_id = held.subscription_id";

/// Changes those `given` that are still their holders', one after the other. Only a pending one has
/// a holder.
///
/// It waits for whoever has one locked: that may be a claim which found the delivery free before it
/// was handed to its holder, and leaves it alone now.
pub(super) fn push_from_held(out: &mut AstPass<'_, '_, Pg>) {
    out.push_sql(" FROM given AS held WHERE ");
    out.push_sql(IS_HELD);
    out.push_sql(" AND deliveries.lease_holder = held.holder");
}

/// Deliveries and who is said to have them, as columns: in the order in which they are locked.
#[derive(Default)]
pub(super) struct HeldKeys {
    pub(super) organizations: Vec<Uuid>,
    pub(super) events: Vec<Uuid>,
    pub(super) subscriptions: Vec<Uuid>,
    pub(super) holders: Vec<Uuid>,
}

impl HeldKeys {
    /// Whether an organization is one that nobody is deleting: what belongs to another goes with
    /// it. They are held, each once.
    pub(super) fn push_is_of_organization_that_stays<'b>(
        &'b self,
        mut out: AstPass<'_, 'b, Pg>,
    ) -> QueryResult<()> {
        out.push_sql("= ANY (ARRAY(SELECT id FROM organizations WHERE id = ANY (");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.organizations)?;
        out.push_sql(") FOR KEY SHARE SKIP LOCKED))");
        Ok(())
    }
}

impl FromIterator<(DeliveryKey, Uuid)> for HeldKeys {
    fn from_iter<I: IntoIterator<Item = (DeliveryKey, Uuid)>>(held: I) -> Self {
        let mut keys = Self::default();
        for (DeliveryKey { queue, event }, holder) in held {
            keys.organizations.push(queue.organization.0);
            keys.events.push(event.0);
            keys.subscriptions.push(queue.subscription.0);
            keys.holders.push(holder);
        }
        keys
    }
}

impl QueryFragment<Pg> for HeldKeys {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_bind_param::<Array<SqlUuid>, _>(&self.organizations)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.events)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.subscriptions)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.holders)
    }
}
