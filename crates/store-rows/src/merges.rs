//! Statements of merges that both stores run as they are.

use crate::statement::Statement;
use crate::values::Id;
use diesel::sql_types::BigInt;
use hearback_domain::id::{OrganizationId, UserId};

/// Keeps the second votes that a merge is about to drop: those of one voter, or of all.
///
/// A vote that was dropped before, and was cast on the same post, was withdrawn meanwhile as far as
/// its voter can see. So the later one takes its place.
pub fn keep_dropped<A>(
    organization: OrganizationId,
    source: Id,
    target: Id,
    voter: Option<UserId>,
) -> Statement<(), A> {
    let mut statement = Statement::new(
        "INSERT INTO dropped_votes (organization_id, id, user_id, feedback_post_id, kept_post_id, \
         created_by_id, source_url, created_at) \
         SELECT one.organization_id, one.id, one.user_id, \
         coalesce(one.cast_on_id, one.feedback_post_id), \
         coalesce(other.cast_on_id, other.feedback_post_id), \
         one.created_by_id, one.source_url, one.created_at \
         FROM votes AS one JOIN votes AS other ON other.user_id = one.user_id \
         AND (other.created_at, other.id) < (one.created_at, one.id) AND other.organization_id = ",
    );
    statement = statement.id(organization).sql(" AND other.feedback_post_id IN (").id(source);
    statement = statement.sql(", ").id(target).sql(") WHERE one.organization_id = ");
    statement = statement.id(organization).sql(" AND one.feedback_post_id IN (").id(source);
    statement = statement.sql(", ").id(target).sql(")");
    if let Some(voter) = voter {
        statement = statement.sql(" AND one.user_id = ").id(voter);
    }
    statement.sql(
        " ON CONFLICT (organization_id, user_id, feedback_post_id) DO UPDATE SET \
         id = excluded.id, kept_post_id = excluded.kept_post_id, \
         created_by_id = excluded.created_by_id, source_url = excluded.source_url, \
         created_at = excluded.created_at",
    )
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
        "SELECT count(*) - count(other.id), count(other.id) FROM votes AS one \
         LEFT JOIN votes AS other ON other.user_id = one.user_id AND other.organization_id = ",
    );
    let statement = statement.id(organization).sql(" AND other.feedback_post_id = ").id(target);
    let statement = statement.sql(" WHERE one.organization_id = ").id(organization);
    statement.sql(" AND one.feedback_post_id = ").id(source)
}
