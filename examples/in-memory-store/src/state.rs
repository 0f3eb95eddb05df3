//! Everything that is stored.

use crate::tenant::Tenant;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;
use hearback_ports::{Record, Unique};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything that is stored.
#[derive(Clone, Default)]
pub(crate) struct State {
    /// The organizations.
    pub(crate) tenants: BTreeMap<OrganizationId, Arc<Tenant>>,
    /// The facts about the installation.
    pub(crate) facts: BTreeMap<&'static str, Vec<u8>>,
}

impl State {
    /// An organization.
    pub(crate) fn tenant(&self, id: OrganizationId) -> Option<&Tenant> {
        self.tenants.get(&id).map(Arc::as_ref)
    }

    /// An organization, to be changed.
    pub(crate) fn tenant_mut(&mut self, id: OrganizationId) -> Option<&mut Tenant> {
        self.tenants.get_mut(&id).map(Arc::make_mut)
    }

    /// The organization of a slug, without regard to ASCII case.
    pub(crate) fn organization(&self, slug_key: &str) -> Option<&Organization> {
        self.organizations().find(|organization| organization.slug.key() == slug_key)
    }

    /// All organizations, by identifier.
    pub(crate) fn organizations(&self) -> impl Iterator<Item = &Organization> {
        self.tenants.values().flat_map(|tenant| tenant.all::<Organization>())
    }

    /// Adds an organization.
    pub(crate) fn add_organization(&mut self, organization: Organization) -> Result<(), Unique> {
        let id = organization.id;
        if self.tenants.contains_key(&id) {
            return Err(Unique::Id);
        }
        self.tenants.insert(id, Arc::default());
        self.add(id, Record::Organization(organization))
    }

    /// Adds a record to an organization. If it breaks a unique rule, the state is not to be used any
    /// more.
    pub(crate) fn add(&mut self, id: OrganizationId, record: Record) -> Result<(), Unique> {
        let taken = self.taken_anywhere(id, &record);
        self.tenant_mut(id).map_or(Ok(()), |tenant| tenant.add(record))?;
        taken.map_or(Ok(()), Err)
    }

    /// The rule of all organizations that a record breaks.
    pub(crate) fn taken_anywhere(&self, id: OrganizationId, record: &Record) -> Option<Unique> {
        match record {
            Record::Organization(organization) => self
                .organization(&organization.slug.key())
                .is_some_and(|other| other.id != id)
                .then_some(Unique::Slug),
            Record::ApiKey(key) => self
                .tenants
                .values()
                .any(|tenant| tenant.has_known(key.digest))
                .then_some(Unique::KeyDigest),
            _ => None,
        }
    }
}
