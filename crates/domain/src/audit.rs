//! The audit log: who changed which record, and by which door.

use crate::id::{AuditEntryId, UserId};
use crate::millis::days;
use crate::record::Key;
use crate::{ClosedSet, Time, Uuid};

/// A change of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// The identifier.
    pub id: AuditEntryId,
    /// When the change was made.
    pub at: Time,
    /// The way by which the change came.
    pub door: Door,
    /// The user who made the change. `None` if a program made it by itself.
    pub actor_id: Option<UserId>,
    /// The path of the endpoint without its first `/`, or the name of the background step.
    pub action: String,
    /// The record.
    pub target: Key,
    /// A JSON object with the values of the changed members, `before` and `after`, by the names of
    /// the portable format. It has no secrets.
    pub data: String,
}

/// The ways by which a change comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// `api`
    Api,
    /// `dashboard`
    Dashboard,
    /// `portal`
    Portal,
    /// `command_line`
    CommandLine,
    /// `background`
    Background,
}

impl ClosedSet for Door {
    const ALL: &'static [Self] =
        &[Self::Api, Self::Dashboard, Self::Portal, Self::CommandLine, Self::Background];

    fn code(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Dashboard => "dashboard",
            Self::Portal => "portal",
            Self::CommandLine => "command_line",
            Self::Background => "background",
        }
    }
}

/// Selects the entries of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Only changes that this user made.
    pub actor_id: Option<UserId>,
    /// Only changes by this action.
    pub action: Option<String>,
    /// Only changes of this record.
    pub target_id: Option<Uuid>,
    /// Only changes that were made after this time.
    pub created_after: Option<Time>,
}

impl AuditFilter {
    /// Whether the filter admits an entry.
    pub fn admits(&self, entry: &AuditEntry) -> bool {
        self.actor_id.is_none_or(|id| entry.actor_id == Some(id))
            && self.action.as_ref().is_none_or(|action| entry.action == *action)
            && self.target_id.is_none_or(|id| entry.target.1 == id)
            && self.created_after.is_none_or(|time| entry.at > time)
    }
}

/// The time for which entries are kept, in milliseconds: a year.
pub const AUDIT_KEPT: i64 = days(365);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Kind;
    use crate::told::tests::id;

    #[test]
    fn each_condition_of_a_filter_refuses_the_entries_that_differ_in_it() {
        let entry = AuditEntry {
            id: id(1),
            at: Time::MIN.plus_millis(1),
            door: Door::Api,
            actor_id: Some(id(2)),
            action: "tags/create".to_owned(),
            target: (Kind::Tag, Uuid::from_u128(3)),
            data: "{}".to_owned(),
        };
        let none = AuditFilter::default;
        for (met, unmet) in [
            (
                AuditFilter { actor_id: Some(id(2)), ..none() },
                AuditFilter { actor_id: Some(id(3)), ..none() },
            ),
            (
                AuditFilter { action: Some("tags/create".to_owned()), ..none() },
                AuditFilter { action: Some("tags/delete".to_owned()), ..none() },
            ),
            (
                AuditFilter { target_id: Some(Uuid::from_u128(3)), ..none() },
                AuditFilter { target_id: Some(Uuid::from_u128(2)), ..none() },
            ),
            (
                AuditFilter { created_after: Some(Time::MIN), ..none() },
                AuditFilter { created_after: Some(entry.at), ..none() },
            ),
            (none(), AuditFilter { created_after: Some(Time::MAX), ..none() }),
        ] {
            assert!(met.admits(&entry) && !unmet.admits(&entry), "{unmet:?}");
        }
    }
}
