//! New identifiers.

use hearback_domain::Uuid;
use hearback_ports::Ids;

/// UUIDs of version 7. The UUIDs of a process sort in the order of their making, even if the wall
/// clock jumps.
#[derive(Clone, Copy, Debug, Default)]
pub struct UuidIds;

impl Ids for UuidIds {
    fn fresh(&self) -> Uuid {
        #[expect(clippy::disallowed_methods, reason = "this is the port that all other code uses")]
        Uuid::now_v7()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_sort_in_the_order_in_which_they_were_made() {
        let ids: Vec<Uuid> = (0..10_000).map(|_| UuidIds.fresh()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }
}
