//! `/…/reorder`

use crate::once::{Outcome, Repeat, once};
use crate::write::{Changing, given};
use crate::{Caller, Error, Precondition};
use hearback_domain::Uuid;
use hearback_domain::position::Position;
use hearback_domain::record::{OfKind, Parent, Step};
use hearback_ports::{Ports, WriteResult};
use std::collections::BTreeSet;

/// A list, and all its records in their new order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The list.
    pub parent: Parent,
    /// The records.
    pub ids: Vec<Uuid>,
}

/// Puts all records of a list in a new order.
pub async fn reorder<R: OfKind>(
    ports: &Ports,
    caller: Caller,
    Order { parent, ids }: Order,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(R::KIND)?;
    let (ids, repeat) = (&ids, repeat.as_ref());
    once(ports, organization, (R::KIND, parent), repeat, |_| async move {
        let siblings = ports.records.siblings(organization, R::KIND, parent).await?;
        let are_all = ids.len() == siblings.len()
            && BTreeSet::from_iter(ids) == BTreeSet::from_iter(&siblings);
        if !are_all {
            return Err(Error::Refused(Precondition::NotEveryOne));
        }
        let keys = ids.iter().map(|id| (R::KIND, *id)).collect();
        let known = ports.records.load(organization, keys).await?;
        let at = ports.clock.now();
        let placed = |(place, id): (i64, &Uuid)| {
            let before = known.get((R::KIND, *id))?;
            let mut after = before.clone();
            after.put_at(Position::of_place(place));
            Some(Step::edit_record(before.clone(), after, at))
        };
        let steps = (1..).zip(ids).filter_map(placed).collect();
        Changing::new(ports, caller, repeat, at).record(steps, WriteResult::Success, given).await
    })
    .await
}
