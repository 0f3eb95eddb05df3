//! The keys of deliveries in statements.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Array, Uuid as SqlUuid};
use hearback_domain::Uuid;
use hearback_ports::delivery_queue::DeliveryKey;

/// The condition that selects the row of a delivery in `held`. Until PostgreSQL analyzes the table
/// for the first time, within a minute, the row may be searched for among all deliveries to the
/// subscription. From then on it is looked up by its key.
pub(super) const IS_HELD: &str = "deliveries.organization_id = held.organization_id AND deliveries.event_id = held.event_id \
                       AND deliveries.subscription_id = held.subscription_id";

/// Appends the end of an update that changes each delivery in `given` whose lease is still held by
/// its holder. The deliveries change one after the other. Only a pending delivery has a lease.
///
/// The update waits if another transaction has locked a delivery. That may be a claim that found
/// the delivery before it was handed to its holder, and now leaves it alone.
pub(super) fn push_from_held<'b>(
    out: &mut AstPass<'_, 'b, Pg>,
    held: &'b HeldKeys,
) -> QueryResult<()> {
    out.push_sql(" FROM given AS held WHERE ");
    out.push_sql(IS_HELD);
    held.only.push(out, "deliveries.organization_id")?;
    out.push_sql(" AND deliveries.lease_holder = held.holder");
    Ok(())
}

/// The one organization whose rows a statement reaches, which tells Citus the node of the rows.
/// `None` if the database has no Citus.
#[derive(Clone, Copy, Default, QueryId)]
pub(super) struct Only(pub(super) Option<Uuid>);

impl Only {
    /// Appends the condition that the value of a column is the organization.
    pub(super) fn push<'b>(
        &'b self,
        out: &mut AstPass<'_, 'b, Pg>,
        column: &'static str,
    ) -> QueryResult<()> {
        let Some(organization) = &self.0 else { return Ok(()) };
        out.push_sql(" AND ");
        out.push_sql(column);
        out.push_sql(" = ");
        out.push_bind_param::<SqlUuid, _>(organization)
    }
}

/// Deliveries and the supposed holders of their leases, as columns, in the order in which the
/// deliveries are locked.
#[derive(Default)]
pub(super) struct HeldKeys {
    pub(super) only: Only,
    pub(super) organizations: Vec<Uuid>,
    pub(super) events: Vec<Uuid>,
    pub(super) subscriptions: Vec<Uuid>,
    pub(super) holders: Vec<Uuid>,
}

impl HeldKeys {
    /// Appends the condition that an organization is not being deleted: the deliveries of an
    /// organization that is being deleted go with it. Each of the organizations is held once.
    pub(super) fn push_is_of_organization_that_stays<'b>(
        &'b self,
        mut out: AstPass<'_, 'b, Pg>,
    ) -> QueryResult<()> {
        out.push_sql("= ANY (ARRAY(SELECT id FROM organizations WHERE is_active AND id = ANY (");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.organizations)?;
        out.push_sql(")");
        self.only.push(&mut out, "id")?;
        out.push_sql(" FOR KEY SHARE SKIP LOCKED))");
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
