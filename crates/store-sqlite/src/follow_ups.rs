//! Changes of many records that are not finished.

use crate::stored::Stored;
use diesel::prelude::*;
use hearback_domain::follow_up::{FollowUp, referring};
use hearback_domain::id::OrganizationId;
use hearback_domain::record::Key;
use hearback_domain::with_kind;
use hearback_ports::Kind;
use hearback_store_rows::follow_ups::FollowUpRow;
use hearback_store_rows::schema::follow_ups;
use hearback_store_rows::{Id, statement};

/// Stores follow-ups with the change that they follow from.
pub(crate) fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    all: Vec<FollowUp>,
) -> QueryResult<()> {
    for follow_up in all {
        diesel::insert_into(follow_ups::table)
            .values((
                follow_ups::organization_id.eq(Id::of(organization)),
                FollowUpRow::from(follow_up),
            ))
            .on_conflict_do_nothing()
            .execute(connection)?;
    }
    Ok(())
}

/// A follow-up with up to `limit` of the records that it still has to change. Ends those that have
/// none.
pub(crate) fn next(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    limit: i64,
) -> QueryResult<Option<(FollowUp, Vec<Key>)>> {
    let waiting: Vec<FollowUpRow> = follow_ups::table
        .filter(follow_ups::organization_id.eq(Id::of(organization)))
        .select(FollowUpRow::as_select())
        .load(connection)?;
    for row in waiting {
        let follow_up = FollowUp::try_from(row)?;
        let mut keys = Vec::new();
        for affected in follow_up.affected() {
            let table = with_kind!(affected.kind, R => R::TABLE);
            let found: Vec<Id> = statement::affected::<()>(
                table,
                organization,
                affected,
                follow_up.value(),
                ("instr(tag_ids, ", ") > 0"),
                limit,
            )
            .load(connection)?;
            keys.extend(found.into_iter().map(|id| (affected.kind, id.0)));
        }
        if !keys.is_empty() {
            return Ok(Some((follow_up, keys)));
        }
        end(connection, organization, follow_up)?;
    }
    Ok(None)
}

fn end(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    follow_up: FollowUp,
) -> QueryResult<()> {
    if let FollowUp::Replace { key: (Kind::Tag, tag), .. } = follow_up {
        statement::end_tag_removal::<()>(organization, tag).execute(connection)?;
    }
    statement::end_follow_up::<()>(organization, follow_up).execute(connection)?;
    Ok(())
}

/// The number of active posts that refer to a record.
pub(crate) fn uses(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    (kind, id): Key,
) -> QueryResult<i64> {
    let mut count = 0;
    for &(kind, member) in referring(kind) {
        let table = with_kind!(kind, R => R::TABLE);
        let some: i64 =
            statement::uses::<()>(table, organization, member, id).get_result(connection)?;
        count += some;
    }
    Ok(count)
}
