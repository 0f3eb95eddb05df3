//! The ends of ordered lists.

use crate::error::Undone;
use crate::stored::Stored;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use hearback_domain::record::Parent;
use hearback_domain::with_kind;
use hearback_ports::Kind;
use hearback_store_rows::positions::List;

/// Moves the end of a list one step on, or to `reached` if that is further. Returns the new end.
pub(crate) async fn give(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    kind: Kind,
    parent: Parent,
    reached: Option<Position>,
) -> Result<Position, Undone> {
    let list = list(organization, kind, parent);
    let given = match list.advance::<()>(reached).get_result(&mut connection).await.optional()? {
        Some(given) => given,
        None => {
            let last: Option<i64> = list.last::<()>().get_result(&mut connection).await?;
            list.begin::<()>(last, reached).get_result(&mut connection).await?
        }
    };
    Ok(Position::from_ten_thousandths(given))
}

/// An ordered list.
pub(crate) fn list(organization: OrganizationId, kind: Kind, parent: Parent) -> List {
    let table = with_kind!(kind, R => R::TABLE);
    List { organization, kind, table, parent, least: "least", greatest: "greatest" }
}
