//! Organizations: the tenants.

use crate::Time;
use crate::id::OrganizationId;
use crate::slug::Slug;

/// A tenant; every other record belongs to exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organization {
    /// Identifier.
    pub id: OrganizationId,
    /// Name.
    pub name: String,
    /// Unique among all organizations, without regard to ASCII case.
    pub slug: Slug,
    /// Whether the plan has the help center.
    pub help_center: HelpCenter,
    /// When it was made.
    pub created_at: Time,
}

/// Whether an organization's plan has the help center.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpCenter {
    /// The help endpoints answer.
    Enabled,
    /// The help endpoints answer `403`.
    Disabled,
}

impl HelpCenter {
    /// From the flag of the portable format and of a column.
    pub fn from_flag(enabled: bool) -> Self {
        if enabled { Self::Enabled } else { Self::Disabled }
    }

    /// As the flag of the portable format and of a column.
    pub fn is_enabled(self) -> bool {
        self == Self::Enabled
    }
}
