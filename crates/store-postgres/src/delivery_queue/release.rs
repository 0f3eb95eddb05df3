//! Releases: deliveries are returned without an attempt.

use super::keys::{HeldKeys, push_from_held};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};

/// Ends the lease of each delivery that is still held by its holder, so that it can be claimed
/// again.
#[derive(QueryId)]
pub(super) struct Release {
    pub(super) held: HeldKeys,
}

impl QueryFragment<Pg> for Release {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH given AS MATERIALIZED (SELECT * FROM unnest(");
        self.held.walk_ast(out.reborrow())?;
        out.push_sql(") AS given (organization_id, event_id, subscription_id, holder) WHERE organization_id ");
        self.held.push_is_of_organization_that_stays(out.reborrow())?;
        out.push_sql(") UPDATE deliveries SET lease_holder = NULL, leased_until = NULL");
        push_from_held(&mut out);
        Ok(())
    }
}
