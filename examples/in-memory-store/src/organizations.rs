//! Organizations, their users and their keys.

use crate::lists::{Order, page, size, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::api_key::{ApiKey, KeyDigest};
use hearback_domain::audit::AuditEntry;
use hearback_domain::company::{Company, CompanyFilter, CompanySort};
use hearback_domain::fold::ascii_key;
use hearback_domain::id::{ApiKeyId, OrganizationId, UserId};
use hearback_domain::organization::Organization;
use hearback_domain::user::{User, UserFilter, UserSelector, UserSort};
use hearback_ports::keys::KeyOwner;
use hearback_ports::page::BySort;
use hearback_ports::{
    CompanyRepository, KeyRepository, Kind, OrganizationRepository, Page, PageRequest, Record,
    Recorded, UserRepository,
};
use std::sync::Arc;

#[async_trait]
impl OrganizationRepository for MemoryStore {
    async fn find_by_slug(&self, slug: &str) -> Result<Option<Organization>> {
        Ok(self.state().organization(&ascii_key(slug)).cloned())
    }

    async fn find_by_host(&self, host: &str) -> Result<Option<Organization>> {
        Ok(self.state().at_host(&ascii_key(host)).cloned())
    }

    async fn list(&self) -> Result<Vec<Organization>> {
        let mut all: Vec<Organization> = self.state().organizations().cloned().collect();
        all.sort_by(|a, b| a.slug.as_str().cmp(b.slug.as_str()));
        Ok(all)
    }

    async fn insert(&self, organization: Organization) -> Result<Recorded> {
        self.record(|state| state.add(organization.id, Record::Organization(organization)))
    }

    async fn delete(&self, id: OrganizationId) -> Result<Recorded> {
        self.record(|state| state.tenants.remove(&id).map(|_| ()).ok_or(Recorded::Stale))
    }

    async fn deleted(&self) -> Result<Vec<Organization>> {
        Ok(Vec::new())
    }

    async fn remove(&self, _: OrganizationId) -> Result<usize> {
        Ok(0)
    }
}

#[async_trait]
impl UserRepository for MemoryStore {
    async fn find(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>> {
        self.read(organization, |tenant| match selector {
            UserSelector::Id(id) => tenant.find(id).cloned(),
            UserSelector::Email(email) => {
                let mut named = tenant.active().filter(|user: &&User| user.email == email);
                named.find(|user| !user.email.is_empty()).cloned()
            }
            UserSelector::AnyCase(email) => {
                let has_it =
                    |user: &&User| !email.is_empty() && user.email.eq_ignore_ascii_case(&email);
                let order = |user: &&User| (user.email != email, user.created_at, user.id);
                tenant.active().filter(has_it).min_by_key(order).cloned()
            }
            UserSelector::ExternalId(id) => {
                let id = Some(id);
                tenant.active().find(|user: &&User| user.external_id == id).cloned()
            }
        })
    }

    async fn find_any(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>> {
        self.read(organization, |tenant| {
            let is_selected = |user: &&User| match &selector {
                UserSelector::Id(id) => user.user_id == *id,
                UserSelector::Email(email) => user.email == *email && !email.is_empty(),
                UserSelector::AnyCase(email) => {
                    user.email.eq_ignore_ascii_case(email) && !email.is_empty()
                }
                UserSelector::ExternalId(id) => user.external_id.as_ref() == Some(id),
            };
            let found = tenant.all().filter(is_selected);
            found.max_by_key(|user| (user.is_active, user.updated_at, user.id)).cloned()
        })
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: UserFilter,
        sort: UserSort,
        request: PageRequest<BySort>,
    ) -> Result<Page<User, BySort>> {
        let order = match sort {
            UserSort::Newest | UserSort::Updated => Order::Descending,
            UserSort::Oldest | UserSort::Name | UserSort::Changes => Order::Ascending,
        };
        self.read(organization, |tenant| {
            let has_company = |id| tenant.find::<Company>(id).is_some();
            let is_shown = |user: &&User| {
                (user.is_active || filter.include_deleted)
                    && filter
                        .search
                        .as_ref()
                        .is_none_or(|it| user.search_text().contains(it.as_str()))
                    && filter
                        .company_id
                        .is_none_or(|id| user.company_id == Some(id) && has_company(id))
                    && filter.customer_status.as_ref().is_none_or(|it| user.customer_status == *it)
                    && filter.portal_role.as_ref().is_none_or(|it| user.portal_role == *it)
                    && user.attributes.include(&filter.attributes)
                    && filter.is_subscribed.is_none_or(|flag| user.is_subscribed == flag)
                    && filter.is_blocked.is_none_or(|flag| user.is_blocked == flag)
                    && filter.created_after.is_none_or(|time| user.created_at >= time)
                    && filter.updated_after.is_none_or(|time| user.updated_at >= time)
            };
            let shown = tenant.all().filter(is_shown).cloned();
            page(shown, order, request, |user| BySort::of_user(user, sort))
        })
    }

    async fn team(&self, organization: OrganizationId, limit: i64) -> Result<Vec<User>> {
        self.read(organization, |tenant| {
            let team = tenant.active().filter(|user: &&User| user.role().is_some());
            sorted(team.cloned(), Order::Ascending, |user: &User| user.user_id)
                .into_iter()
                .take(size(limit))
                .collect()
        })
    }

    async fn unsubscribe(
        &self,
        organization: OrganizationId,
        user: UserId,
        at: Time,
    ) -> Result<Recorded> {
        self.update(organization, |tenant| {
            tenant.edit(user, |user: &mut User| {
                if user.is_subscribed {
                    (user.is_subscribed, user.updated_at) = (false, at);
                }
            });
        })?;
        Ok(Recorded::Done)
    }
}

#[async_trait]
impl CompanyRepository for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: CompanyFilter,
        sort: CompanySort,
        request: PageRequest<BySort>,
    ) -> Result<Page<Company, BySort>> {
        let order = match sort {
            CompanySort::Newest | CompanySort::Updated | CompanySort::Spend => Order::Descending,
            CompanySort::Oldest | CompanySort::Name | CompanySort::Changes => Order::Ascending,
        };
        let is_shown = |company: &&Company| {
            (company.is_active || filter.include_deleted)
                && filter.customer_status.as_ref().is_none_or(|it| company.customer_status == *it)
                && company.attributes.include(&filter.attributes)
                && filter.created_after.is_none_or(|time| company.created_at >= time)
                && filter.updated_after.is_none_or(|time| company.updated_at >= time)
        };
        self.read(organization, |tenant| {
            let shown = tenant.all().filter(is_shown).cloned();
            page(shown, order, request, |company| BySort::of_company(company, sort))
        })
    }
}

#[async_trait]
impl KeyRepository for MemoryStore {
    async fn owner(&self, digest: KeyDigest) -> Result<Option<KeyOwner>> {
        let state = self.state();
        let has_key = |tenant: &&Arc<Tenant>| tenant.all().any(|key: &ApiKey| key.digest == digest);
        let mut owners = state.tenants.values().filter(has_key).flat_map(|tenant| tenant.all());
        let owner = |it: &Organization| KeyOwner {
            organization: it.id,
            help_center: it.help_center,
            events_ledger: it.events_ledger,
        };
        Ok(owners.next().map(owner))
    }

    async fn active(&self, organization: OrganizationId) -> Result<Option<ApiKey>> {
        self.read(organization, |tenant| tenant.all().next().cloned())
    }

    async fn insert(
        &self,
        organization: OrganizationId,
        key: ApiKey,
        entry: AuditEntry,
    ) -> Result<Recorded> {
        self.record(|state| {
            state.add(organization, Record::ApiKey(key))?;
            state.tenant_mut(organization).ok_or(Recorded::Stale)?.log(entry)
        })
    }

    async fn replace(
        &self,
        organization: OrganizationId,
        old: ApiKeyId,
        new: ApiKey,
        entry: AuditEntry,
    ) -> Result<Recorded> {
        self.record(|state| {
            let tenant = state.tenant_mut(organization).ok_or(Recorded::Stale)?;
            tenant.revoke(old)?;
            tenant.log(entry)?;
            state.add(organization, Record::ApiKey(new))
        })
    }

    async fn revoke(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
        entry: AuditEntry,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.revoke(id)?;
            tenant.log(entry)
        })
    }
}

impl Tenant {
    /// Writes an entry of the audit log.
    pub(crate) fn log(&mut self, entry: AuditEntry) -> Result<(), Recorded> {
        self.audit.insert(entry.id, entry);
        Ok(())
    }

    fn revoke(&mut self, id: ApiKeyId) -> Result<(), Recorded> {
        let key: ApiKey = self.any(id).cloned().ok_or(Recorded::Stale)?;
        self.remove((Kind::ApiKey, id.0));
        self.revoked_keys.insert(id, key);
        Ok(())
    }
}
