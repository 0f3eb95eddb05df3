//! Permissions, and the table of the roles that have them.

use crate::ClosedSet;
use crate::record::Kind;
use std::fmt;

/// A permission for all records of a kind. It shows as `<noun>:view` or `<noun>:manage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// To read them.
    View(Kind),
    /// To make, change and remove them.
    Manage(Kind),
}

impl Permission {
    /// The kind of the records.
    pub fn kind(self) -> Kind {
        match self {
            Self::View(kind) | Self::Manage(kind) => kind,
        }
    }

    /// Whether the API keys of an organization have it. Keys are managed by people, so that a key
    /// that leaked neither shows nor replaces itself.
    pub fn is_held_by_keys(self) -> bool {
        self.kind() != Kind::ApiKey
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = self.kind().noun().to_lowercase().replace(' ', "_");
        match self {
            Self::View(_) => write!(f, "{noun}:view"),
            Self::Manage(_) => write!(f, "{noun}:manage"),
        }
    }
}

/// The role of a member of the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `owner`: has every permission.
    Owner,
    /// `admin`: has every permission.
    Admin,
    /// `member`: manages the content, but not the set-up of the organization.
    Member,
    /// `viewer`: reads the same records as a member.
    Viewer,
}

impl ClosedSet for Role {
    const ALL: &'static [Self] = &[Self::Owner, Self::Admin, Self::Member, Self::Viewer];

    fn code(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Member => "member",
            Self::Viewer => "viewer",
        }
    }
}

impl Role {
    /// Whether a member in this role has a permission.
    pub fn may(self, permission: Permission) -> bool {
        use Kind::{ApiKey, Organization, WebhookSubscription};
        use Permission::{Manage, View};
        match (self, permission) {
            (Self::Owner | Self::Admin, _) => true,
            // A view of a key shows the key itself.
            (_, View(ApiKey) | Manage(ApiKey | Organization | WebhookSubscription)) => false,
            (Self::Member, _) | (Self::Viewer, View(_)) => true,
            (Self::Viewer, Manage(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Permission::{Manage, View};

    /// The kinds with which an organization is set up.
    const SETTINGS: [Kind; 3] = [Kind::Organization, Kind::WebhookSubscription, Kind::ApiKey];

    #[test]
    fn each_role_has_its_permissions() {
        let table = [
            // Role, view and manage content, view and manage webhooks, view and manage API keys.
            (Role::Owner, [true, true], [true, true], [true, true]),
            (Role::Admin, [true, true], [true, true], [true, true]),
            (Role::Member, [true, true], [true, false], [false, false]),
            (Role::Viewer, [true, false], [true, false], [false, false]),
        ];
        for (role, content, settings, keys) in table {
            for &kind in Kind::ALL {
                let expected = match kind {
                    Kind::ApiKey => keys,
                    kind if SETTINGS.contains(&kind) => settings,
                    _ => content,
                };
                let held = [View(kind), Manage(kind)].map(|permission| role.may(permission));
                assert_eq!(held, expected, "{role:?} {kind:?}");
            }
        }
    }

    #[test]
    fn a_key_has_every_permission_but_those_for_keys() {
        for &kind in Kind::ALL {
            for permission in [View(kind), Manage(kind)] {
                assert_eq!(permission.is_held_by_keys(), kind != Kind::ApiKey, "{permission}");
            }
        }
    }

    #[test]
    fn a_permission_shows_as_the_contract_names_it() {
        let shown = [
            (View(Kind::ApiKey), "api_key:view"),
            (Manage(Kind::ApiKey), "api_key:manage"),
            (View(Kind::WebhookSubscription), "webhook:view"),
            (Manage(Kind::WebhookSubscription), "webhook:manage"),
            (Manage(Kind::FeedbackBoard), "feedback_board:manage"),
        ];
        for (permission, name) in shown {
            assert_eq!(permission.to_string(), name);
        }
    }
}
