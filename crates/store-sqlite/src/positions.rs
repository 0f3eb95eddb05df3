//! The ends of lists that somebody put in order.

use crate::statement::Statement;
use crate::stored::Stored;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use hearback_domain::record::Parent;
use hearback_domain::{ClosedSet, Uuid, with_kind};
use hearback_ports::Kind;

/// Takes the position behind the last one that was ever given in a list of a kind.
pub(crate) fn next(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    kind: Kind,
    parent: Parent,
) -> QueryResult<Position> {
    give(connection, organization, kind, parent, None)
}

/// Notes that a position was given in a list of a kind: what is new there goes behind it.
pub(crate) fn reach(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    kind: Kind,
    (parent, position): (Parent, Position),
) -> QueryResult<()> {
    give(connection, organization, kind, parent, Some(position)).map(drop)
}

fn give(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    kind: Kind,
    parent: Parent,
    reached: Option<Position>,
) -> QueryResult<Position> {
    let (list, id) = match parent {
        Parent::Organization => (kind.code().to_owned(), Uuid::nil()),
        Parent::Group(group) => (format!("{}:{}", kind.code(), group.code()), Uuid::nil()),
        Parent::Record(_, id) => (kind.code().to_owned(), id),
    };
    let advance = Statement::<BigInt>::new("UPDATE list_ends SET last_position = ");
    let advance = end(advance, "last_position", reached)
        .sql(" WHERE organization_id = ")
        .id(organization)
        .sql(" AND list = ")
        .text(&list)
        .sql(" AND parent_id = ")
        .id(id)
        .sql(" RETURNING last_position");
    if let Some(taken) = advance.get_result(connection).optional()? {
        return Ok(Position::from_ten_thousandths(taken));
    }
    // Nobody has appended to the list yet: what is in it was imported.
    let begin = Statement::<BigInt>::new(
        "INSERT INTO list_ends (organization_id, list, parent_id, last_position) SELECT ",
    )
    .id(organization)
    .sql(", ")
    .text(&list)
    .sql(", ")
    .id(id)
    .sql(", ");
    let begin = end(begin, "max(coalesce(max(seq_number), 0), 0)", reached)
        .sql(" FROM ")
        .sql(with_kind!(kind, R => R::TABLE))
        .sql(" WHERE organization_id = ")
        .id(organization);
    let begin = match parent {
        Parent::Organization => begin,
        Parent::Group(group) => begin.sql(" AND status_group_code = ").text(group.code()),
        Parent::Record(Kind::HelpCategory, id) => begin.sql(" AND category_id = ").id(id),
        Parent::Record(_, id) => begin.sql(" AND collection_id = ").id(id),
    };
    let begin =
        begin.sql(" ON CONFLICT (organization_id, list, parent_id) DO UPDATE SET last_position = ");
    let begin = end(begin, "list_ends.last_position", reached).sql(" RETURNING last_position");
    let taken: i64 = begin.get_result(connection)?;
    Ok(Position::from_ten_thousandths(taken))
}

/// Appends the end of a list that ended at `last`: one step behind it, or where it was `reached`.
fn end(
    statement: Statement<BigInt>,
    last: &'static str,
    reached: Option<Position>,
) -> Statement<BigInt> {
    match reached {
        None => {
            let statement = statement.sql("min(").sql(last).sql(" + ").number(Position::STEP);
            statement.sql(", ").number(Position::LAST.ten_thousandths()).sql(")")
        }
        Some(position) => {
            let statement = statement.sql("max(").sql(last).sql(", ");
            statement.number(position.ten_thousandths()).sql(")")
        }
    }
}
