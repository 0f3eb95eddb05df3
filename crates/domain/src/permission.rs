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
    /// To invite members, change their roles, and end their memberships: `member:manage`.
    ManageMembers,
    /// To fill the organization with the records of a file: `organization:import`.
    Import,
    /// To take all records of the organization out, without secrets: `organization:export`.
    Export,
    /// To take the secrets out, too: `organization:export_secrets`.
    ExportSecrets,
}

impl Permission {
    /// The kind of the records.
    pub fn kind(self) -> Kind {
        match self {
            Self::View(kind) | Self::Manage(kind) => kind,
            Self::ManageMembers => Kind::User,
            Self::Import | Self::Export | Self::ExportSecrets => Kind::Organization,
        }
    }

    /// Whether the API keys of an organization have it. Keys are managed by people, so that a key
    /// that leaked neither shows nor replaces itself. A file has keys and roles, too.
    pub fn is_held_by_keys(self) -> bool {
        match self {
            Self::View(kind) | Self::Manage(kind) => kind != Kind::ApiKey,
            Self::ManageMembers | Self::Import | Self::Export | Self::ExportSecrets => false,
        }
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = self.kind().noun().to_lowercase().replace(' ', "_");
        match self {
            Self::View(_) => write!(f, "{noun}:view"),
            Self::Manage(_) => write!(f, "{noun}:manage"),
            Self::ManageMembers => f.write_str("member:manage"),
            Self::Import => write!(f, "{noun}:import"),
            Self::Export => write!(f, "{noun}:export"),
            Self::ExportSecrets => write!(f, "{noun}:export_secrets"),
        }
    }
}

/// The role of a member of the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `owner`: has every permission.
    Owner,
    /// `admin`: has every permission, but exports no secrets, and makes and unmakes no owner.
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
        use Permission::{Export, ExportSecrets, Import, Manage, ManageMembers, View};
        match (self, permission) {
            (Self::Admin, ExportSecrets) => false,
            (Self::Owner | Self::Admin, _) => true,
            (_, ManageMembers | Import | Export | ExportSecrets) => false,
            // A view of a key shows the key itself.
            (_, View(ApiKey) | Manage(ApiKey | Organization | WebhookSubscription)) => false,
            (Self::Member, _) | (Self::Viewer, View(_)) => true,
            (Self::Viewer, Manage(_)) => false,
        }
    }

    /// Whether a member in this role may give a person a role, or take it away. `from` is the role
    /// that the person has. Only owners make and unmake owners.
    pub fn may_give(self, from: Option<Self>, to: Option<Self>) -> bool {
        let is_of_owner = [from, to].contains(&Some(Self::Owner));
        self.may(Permission::ManageMembers) && (self == Self::Owner || !is_of_owner)
    }

    /// Whether the role is `other`, or greater than `other`.
    pub fn is_at_least(self, other: Self) -> bool {
        let place = |role| Self::ALL.iter().position(|it| *it == role);
        place(self) <= place(other)
    }

    /// All permissions, in the order of the kinds.
    pub fn permissions() -> impl Iterator<Item = Permission> {
        let of_kind = |kind: &Kind| [Permission::View(*kind), Permission::Manage(*kind)];
        let others = [
            Permission::ManageMembers,
            Permission::Import,
            Permission::Export,
            Permission::ExportSecrets,
        ];
        Kind::ALL.iter().flat_map(of_kind).chain(others)
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
    fn owners_and_admins_manage_members_and_owners_alone_manage_owners() {
        let all = [None, Some(Role::Owner), Some(Role::Admin), Some(Role::Member)];
        for role in Role::ALL {
            let manages = matches!(role, Role::Owner | Role::Admin);
            assert_eq!(role.may(Permission::ManageMembers), manages, "{role:?}");
            for (from, to) in all.iter().flat_map(|from| all.map(|to| (*from, to))) {
                let is_of_owner = from == Some(Role::Owner) || to == Some(Role::Owner);
                let expected = *role == Role::Owner || *role == Role::Admin && !is_of_owner;
                assert_eq!(role.may_give(from, to), expected, "{role:?}: {from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn roles_have_an_order() {
        let at_least = |least| {
            let roles =
                Role::ALL.iter().copied().filter(move |role: &Role| role.is_at_least(least));
            roles.collect::<Vec<_>>()
        };
        assert_eq!(at_least(Role::Owner), [Role::Owner]);
        assert_eq!(at_least(Role::Member), [Role::Owner, Role::Admin, Role::Member]);
        assert_eq!(at_least(Role::Viewer), Role::ALL);
    }

    #[test]
    fn owners_alone_take_secrets_out() {
        let table = [
            (Role::Owner, [true, true, true]),
            (Role::Admin, [true, true, false]),
            (Role::Member, [false, false, false]),
            (Role::Viewer, [false, false, false]),
        ];
        for (role, expected) in table {
            let held = [Permission::Import, Permission::Export, Permission::ExportSecrets];
            assert_eq!(held.map(|permission| role.may(permission)), expected, "{role:?}");
        }
    }

    #[test]
    fn a_key_has_every_permission_but_those_for_keys_members_and_files() {
        use Permission::{Export, ExportSecrets, Import, ManageMembers};
        for permission in [ManageMembers, Import, Export, ExportSecrets] {
            assert!(!permission.is_held_by_keys(), "{permission}");
        }
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
            (Permission::ManageMembers, "member:manage"),
            (Permission::Import, "organization:import"),
            (Permission::Export, "organization:export"),
            (Permission::ExportSecrets, "organization:export_secrets"),
        ];
        for (permission, name) in shown {
            assert_eq!(permission.to_string(), name);
        }
    }

    #[test]
    fn the_documentation_has_the_table() {
        let table: String = Role::permissions()
            .map(|permission| {
                let may =
                    Role::ALL.iter().map(|role| if role.may(permission) { "yes" } else { "no" });
                format!("| `{permission}` | {} |\n", may.collect::<Vec<_>>().join(" | "))
            })
            .collect();
        let page = include_str!("../../../docs/permissions.md");
        assert!(page.contains(&table), "docs/permissions.md has to have\n{table}");
    }
}
