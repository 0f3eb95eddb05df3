//! Changes of many records that are not finished.

use crate::events;
use crate::stored::Stored;
use diesel::prelude::*;
use diesel::upsert::excluded;
use hearback_domain::follow_up::{Affected, FollowUp, Only, referring};
use hearback_domain::id::OrganizationId;
use hearback_domain::record::Key;
use hearback_domain::{Uuid, with_kind};
use hearback_ports::Kind;
use hearback_store_rows::counts::{self, PART};
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
        for statement in statement::with_follow_up::<()>(organization, follow_up, "instr") {
            statement.execute(connection)?;
        }
        diesel::insert_into(follow_ups::table)
            .values((
                follow_ups::organization_id.eq(Id::of(organization)),
                FollowUpRow::from(follow_up),
            ))
            .on_conflict((
                follow_ups::organization_id,
                follow_ups::task,
                follow_ups::kind,
                follow_ups::target_id,
            ))
            // The follow-up begins again. The background step waits for the lock of its row.
            .do_update()
            .set(follow_ups::replacement_id.eq(excluded(follow_ups::replacement_id)))
            .execute(connection)?;
    }
    Ok(())
}

/// A follow-up with up to `limit` of the records that it still has to change. Ends those that have
/// none. Of an erasure, the events come first.
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
        if let FollowUp::Erase { user, .. } = follow_up {
            let sources = statement::forget_sources::<()>(organization, user, limit);
            if events::forget(connection, organization, user)? + sources.execute(connection)? > 0 {
                return Ok(Some((follow_up, Vec::new())));
            }
        }
        if mark_spends(connection, organization, follow_up)? {
            return Ok(Some((follow_up, Vec::new())));
        }
        let keys = affected(connection, organization, follow_up, limit)?;
        if !keys.is_empty() {
            return Ok(Some((follow_up, keys)));
        }
        end(connection, organization, follow_up)?;
    }
    Ok(None)
}

/// Marks the next posts on which the spend is due, and returns `true`. Returns `false` if there are
/// none.
fn mark_spends(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    follow_up: FollowUp,
) -> QueryResult<bool> {
    let FollowUp::SumSpend { of, after } = follow_up else { return Ok(false) };
    let posts: Vec<Id> = counts::supported::<()>(organization, of, after, PART).load(connection)?;
    let Some(last) = posts.last() else { return Ok(false) };
    for post in &posts {
        counts::mark_spend::<()>(organization, post.0).execute(connection)?;
    }
    let advance = statement::advance_follow_up::<()>(organization, follow_up, last.0);
    advance.execute(connection)?;
    Ok(true)
}

/// Up to `limit` of the records of each kind that a follow-up changes.
pub(crate) fn affected(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    follow_up: FollowUp,
    limit: i64,
) -> QueryResult<Vec<Key>> {
    let mut keys = Vec::new();
    for affected in follow_up.affected() {
        let table = with_kind!(affected.kind, R => R::TABLE);
        let found: Vec<Id> = statement::affected::<()>(
            table,
            organization,
            affected,
            follow_up.value(),
            |found, column, value| found.sql("instr(").sql(column).sql(", ").id(value).sql(") > 0"),
            limit,
        )
        .load(connection)?;
        keys.extend(found.into_iter().map(|id| (affected.kind, id.0)));
    }
    Ok(keys)
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

/// The number of records whose member has a value.
pub(crate) fn count(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    affected: Affected,
    value: Uuid,
) -> QueryResult<i64> {
    let table = with_kind!(affected.kind, R => R::TABLE);
    statement::count::<()>(table, organization, affected, value).get_result(connection)
}

/// The number of active posts that refer to a record.
pub(crate) fn uses(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    (kind, id): Key,
) -> QueryResult<i64> {
    let mut uses = 0;
    for &(kind, member) in referring(kind) {
        let affected = Affected { kind, member, only: Only::Active };
        uses += count(connection, organization, affected, id)?;
    }
    Ok(uses)
}
