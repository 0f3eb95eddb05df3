//! The ends of lists that somebody put in order.

use crate::stored::Stored;
use diesel::prelude::*;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use hearback_domain::record::Parent;
use hearback_domain::with_kind;
use hearback_ports::Kind;
use hearback_store_rows::positions::List;

/// Takes the position behind the last one that was ever given in a list of a kind, or notes that a
/// position was `reached` there: what is new goes behind it.
pub(crate) fn give(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    kind: Kind,
    parent: Parent,
    reached: Option<Position>,
) -> QueryResult<Position> {
    let table = with_kind!(kind, R => R::TABLE);
    let list = List { organization, kind, table, parent, least: "min", greatest: "max" };
    let given = match list.advance::<()>(reached).get_result(connection).optional()? {
        Some(given) => given,
        None => list.begin::<()>(reached).get_result(connection)?,
    };
    Ok(Position::from_ten_thousandths(given))
}
