//! Statements of merges that both stores run as they are.

use crate::statement::Statement;
use crate::values::Id;
use diesel::sql_types::BigInt;
use hearback_domain::id::{OrganizationId, UserId};

/// Keeps the younger votes of those who voted for both posts, which a merge is about to drop: the
/// one of `voter`, or all.
///
/// A vote that was dropped before, and was cast on the same post, was withdrawn meanwhile as far as
/// its voter can see. So the later one takes its place.
///
/// The statement reads each vote once. A join of both posts would compare each vote of one with
/// each vote of the other if the planner expects a few votes. The window names the organization, so
/// that Citus sends the whole statement to one node.
pub fn keep_dropped<ST, A>(
    organization: OrganizationId,
    source: Id,
    target: Id,
    voter: Option<UserId>,
) -> Statement<ST, A> {
    let mut statement = Statement::new(
        "INSERT INTO dropped_votes (organization_id, id, user_id, feedback_post_id, kept_post_id, \
         created_by_id, source_url, created_at) \
         SELECT organization_id, id, user_id, post_id, older_post_id, created_by_id, source_url, \
         created_at \
         FROM (SELECT organization_id, id, user_id, created_by_id, source_url, created_at, \
         coalesce(cast_on_id, feedback_post_id) AS post_id, \
         lag(coalesce(cast_on_id, feedback_post_id)) \
         OVER (PARTITION BY organization_id, user_id ORDER BY created_at, id) AS older_post_id \
         FROM votes WHERE ",
    );
    statement = on_both(statement, organization, source, target);
    if let Some(voter) = voter {
        statement = statement.sql(" AND user_id = ").id(voter);
    }
    statement.sql(
        ") AS counted WHERE older_post_id IS NOT NULL \
         ON CONFLICT (organization_id, user_id, feedback_post_id) DO UPDATE SET \
         id = excluded.id, kept_post_id = excluded.kept_post_id, \
         created_by_id = excluded.created_by_id, source_url = excluded.source_url, \
         created_at = excluded.created_at",
    )
}

/// The condition of votes on the source or the target of a merge.
fn on_both<ST, A>(
    statement: Statement<ST, A>,
    organization: OrganizationId,
    source: Id,
    target: Id,
) -> Statement<ST, A> {
    let statement = statement.sql("organization_id = ").id(organization);
    let statement = statement.sql(" AND feedback_post_id IN (").id(source);
    statement.sql(", ").id(target).sql(")")
}

/// Moves votes from the source of a merge to its target: one vote, or all.
pub fn move_votes<A>(
    organization: OrganizationId,
    source: Id,
    target: Id,
    vote: Option<Id>,
) -> Statement<(), A> {
    let mut statement = Statement::new(
        "UPDATE votes SET cast_on_id = coalesce(cast_on_id, feedback_post_id), feedback_post_id = ",
    );
    statement = statement.id(target).sql(" WHERE organization_id = ").id(organization);
    statement = statement.sql(" AND feedback_post_id = ").id(source);
    match vote {
        Some(vote) => statement.sql(" AND id = ").id(vote),
        None => statement,
    }
}

/// The number of votes on the source of a merge whose voter has none on the target, and of the
/// others.
pub fn effects<A>(
    organization: OrganizationId,
    source: Id,
    target: Id,
) -> Statement<(BigInt, BigInt), A> {
    let statement = Statement::new(
        "SELECT count(*) FILTER (WHERE votes = 1), count(*) FILTER (WHERE votes = 2) \
         FROM (SELECT count(*) AS votes FROM votes WHERE ",
    );
    let statement = on_both(statement, organization, source, target);
    let statement = statement.sql(" GROUP BY user_id HAVING count(*) FILTER (WHERE ");
    statement.sql("feedback_post_id = ").id(source).sql(") = 1) AS voters")
}
