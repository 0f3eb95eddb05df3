//! Organizations, the tenants.

use crate::Time;
use crate::draft::Patches;
use crate::edit::replace;
use crate::id::OrganizationId;
use crate::portal::{PortalPatch, PortalSettings};
use crate::slug::Slug;
use crate::text::Name;

/// A tenant. Every other record belongs to exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organization {
    /// The identifier.
    pub id: OrganizationId,
    /// The name.
    pub name: String,
    /// The slug, unique among all organizations. ASCII case does not count.
    pub slug: Slug,
    /// Whether the plan has the help center.
    pub help_center: HelpCenter,
    /// Whether the events of the organization are kept in its ledger.
    pub events_ledger: bool,
    /// The settings of its portal.
    pub portal: PortalSettings,
    /// When the organization was made.
    pub created_at: Time,
}

/// The new values of `hearback organization set`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrganizationPatch {
    /// The name.
    pub name: Option<Name>,
    /// Whether the events of the organization are kept in its ledger.
    pub events_ledger: Option<bool>,
    /// The settings of its portal.
    pub portal: PortalPatch,
}

impl Patches for OrganizationPatch {
    type Record = Organization;

    fn edit(self, mut organization: Organization) -> Organization {
        replace(&mut organization.name, self.name);
        replace(&mut organization.events_ledger, self.events_ledger);
        organization.portal = self.portal.edit(organization.portal);
        organization
    }
}

/// Whether an organization's plan has the help center.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpCenter {
    /// The help endpoints are available.
    Enabled,
    /// The help endpoints return `403`.
    Disabled,
}

impl HelpCenter {
    /// Reads the flag of the portable format and of a column.
    pub fn from_flag(enabled: bool) -> Self {
        if enabled { Self::Enabled } else { Self::Disabled }
    }

    /// The flag of the portable format and of a column.
    pub fn is_enabled(self) -> bool {
        self == Self::Enabled
    }
}
