//! Releases: deliveries are returned without an attempt.

use super::keys::{HeldKeys, Only, push_from_held};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use hearback_domain::Uuid;
use hearback_ports::delivery_queue::DeliveryKey;

/// Ends the lease of each delivery that is still held by its holder, so that it can be claimed
/// again.
#[derive(QueryId)]
pub(super) struct Release {
    pub(super) held: HeldKeys,
}

impl Release {
    /// The release of deliveries, which are sorted.
    pub(super) fn new(deliveries: &[(DeliveryKey, Uuid)], only: Only) -> Self {
        Self { held: HeldKeys { only, ..deliveries.iter().copied().collect() } }
    }
}

impl QueryFragment<Pg> for Release {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH given AS MATERIALIZED (SELECT * FROM unnest(");
        self.held.walk_ast(out.reborrow())?;
        out.push_sql(") AS given (organization_id, event_id, subscription_id, holder) WHERE organization_id ");
        self.held.push_is_of_organization_that_stays(out.reborrow())?;
        out.push_sql(") UPDATE deliveries SET lease_holder = NULL, leased_until = NULL");
        push_from_held(&mut out, &self.held)
    }
}
