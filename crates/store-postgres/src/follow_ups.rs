//! Changes of many records that are not finished.

use crate::events;
use crate::stored::Stored;
use diesel::prelude::*;
use diesel::upsert::excluded;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
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
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[FollowUp],
) -> QueryResult<()> {
    for &follow_up in all {
        for statement in statement::with_follow_up::<()>(organization, follow_up, "strpos") {
            statement.execute(connection).await?;
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
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// A follow-up with up to `limit` of the records that it still has to change. Ends those that have
/// none. Of an erasure, the events come first.
pub(crate) async fn next(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    limit: i64,
) -> QueryResult<Option<(FollowUp, Vec<Key>)>> {
    let waiting: Vec<FollowUpRow> = follow_ups::table
        .filter(follow_ups::organization_id.eq(Id::of(organization)))
        .select(FollowUpRow::as_select())
        .load(connection)
        .await?;
    for row in waiting {
        let follow_up = FollowUp::try_from(row)?;
        if let FollowUp::Erase { user, .. } = follow_up {
            let forgotten = events::forget(connection, organization, user).await?;
            let sources = statement::forget_sources::<()>(organization, user, limit);
            if forgotten + sources.execute(connection).await? > 0 {
                return Ok(Some((follow_up, Vec::new())));
            }
        }
        if mark_spends(connection, organization, follow_up).await? {
            return Ok(Some((follow_up, Vec::new())));
        }
        let keys = affected(connection, organization, follow_up, limit).await?;
        if !keys.is_empty() {
            return Ok(Some((follow_up, keys)));
        }
        end(connection, organization, follow_up).await?;
    }
    Ok(None)
}

/// Marks the next posts on which the spend is due, and returns `true`. Returns `false` if there are
/// none.
async fn mark_spends(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    follow_up: FollowUp,
) -> QueryResult<bool> {
    let FollowUp::SumSpend { of, after } = follow_up else { return Ok(false) };
    let posts: Vec<Id> =
        counts::supported::<()>(organization, of, after, PART).load(connection).await?;
    let Some(last) = posts.last() else { return Ok(false) };
    for post in &posts {
        counts::mark_spend::<()>(organization, post.0).execute(connection).await?;
    }
    let advance = statement::advance_follow_up::<()>(organization, follow_up, last.0);
    advance.execute(connection).await?;
    Ok(true)
}

/// Up to `limit` of the records of each kind that a follow-up changes.
pub(crate) async fn affected(
    connection: &mut AsyncPgConnection,
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
            |found, column, value| found.id(value).sql(" = ANY (").sql(column).sql(")"),
            limit,
        )
        .load(connection)
        .await?;
        keys.extend(found.into_iter().map(|id| (affected.kind, id.0)));
    }
    Ok(keys)
}

async fn end(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    follow_up: FollowUp,
) -> QueryResult<()> {
    if let FollowUp::Replace { key: (Kind::Tag, tag), .. } = follow_up {
        statement::end_tag_removal::<()>(organization, tag).execute(connection).await?;
    }
    statement::end_follow_up::<()>(organization, follow_up).execute(connection).await?;
    Ok(())
}

/// The number of records whose member has a value.
pub(crate) async fn count(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    affected: Affected,
    value: Uuid,
) -> QueryResult<i64> {
    let table = with_kind!(affected.kind, R => R::TABLE);
    statement::count::<()>(table, organization, affected, value).get_result(&mut connection).await
}

/// The number of active posts that refer to a record.
pub(crate) async fn uses(
    connection: &AsyncPgConnection,
    organization: OrganizationId,
    (kind, id): Key,
) -> QueryResult<i64> {
    let mut uses = 0;
    for &(kind, member) in referring(kind) {
        let affected = Affected { kind, member, only: Only::Active };
        uses += count(connection, organization, affected, id).await?;
    }
    Ok(uses)
}
