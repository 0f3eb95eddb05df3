//! The changelog and its labels.

use crate::lists::{Order, first, page, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryDetails, EntryFilter, EntrySort, EntryStatus,
};
use hearback_domain::entry_link::EntryLink;
use hearback_domain::id::{ChangelogEntryId, LabelId, OrganizationId};
use hearback_domain::label::Label;
use hearback_ports::page::{ByName, ByOptionalTime};
use hearback_ports::{ChangelogEntryRepository, LabelRepository, Page, PageRequest};

#[async_trait]
impl ChangelogEntryRepository for MemoryStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: ChangelogEntryId,
    ) -> Result<Option<EntryDetails>> {
        self.read(organization, |tenant| tenant.find(id).map(|entry| tenant.entry_details(entry)))
    }

    async fn links(
        &self,
        organization: OrganizationId,
        id: ChangelogEntryId,
    ) -> Result<Vec<EntryLink>> {
        self.read(organization, |tenant| tenant.entry_links(id).cloned().collect())
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: EntryFilter,
        sort: EntrySort,
        skip: u64,
        request: PageRequest<ByOptionalTime>,
    ) -> Result<Page<EntryDetails, ByOptionalTime>> {
        let is_shown = |entry: &&ChangelogEntry| filter.admits(entry);
        let order = match sort {
            EntrySort::Newest | EntrySort::Published => Order::Descending,
            EntrySort::Oldest => Order::Ascending,
        };
        let key = |entry: &&ChangelogEntry| ByOptionalTime { at: sort.time(entry), id: entry.id.0 };
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        self.read(organization, |tenant| {
            let shown = sorted(tenant.active().filter(is_shown), order, key);
            let Page { items, next } = page(shown.into_iter().skip(skip), order, request, key);
            Page { items: items.into_iter().map(|it| tenant.entry_details(it)).collect(), next }
        })
    }

    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ChangelogEntryId>> {
        self.read(organization, |tenant| {
            let scheduled = tenant.scheduled().map(|(entry, at)| (at, entry.id));
            let due = first(scheduled.filter(|(at, _)| *at <= now), limit);
            due.into_iter().map(|(_, id)| id).collect()
        })
    }
}

impl Tenant {
    /// The active scheduled entries, with their times.
    pub(crate) fn scheduled(&self) -> impl Iterator<Item = (&ChangelogEntry, Time)> {
        self.active::<ChangelogEntry>()
            .filter(|entry| entry.status == EntryStatus::Scheduled)
            .filter_map(|entry| Some((entry, entry.scheduled_at?)))
    }

    /// The links of an entry, by identifier.
    fn entry_links(&self, id: ChangelogEntryId) -> impl Iterator<Item = &EntryLink> {
        let links = self.all().filter(move |link: &&EntryLink| link.changelog_entry_id == id);
        sorted(links, Order::Ascending, |link| link.id).into_iter()
    }

    fn entry_details(&self, entry: &ChangelogEntry) -> EntryDetails {
        let post_ids = self.entry_links(entry.id).map(|link| link.feedback_post_id).collect();
        EntryDetails { entry: entry.clone(), post_ids }
    }
}

#[async_trait]
impl LabelRepository for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        request: PageRequest<ByName>,
    ) -> Result<Page<Label, ByName>> {
        let key = |label: &Label| ByName { name: label.name.clone(), id: label.id.0 };
        self.read(organization, |tenant| {
            page(tenant.active().cloned(), Order::Ascending, request, key)
        })
    }

    async fn are_known(&self, organization: OrganizationId, labels: Vec<LabelId>) -> Result<bool> {
        self.read(organization, |tenant| {
            labels.iter().all(|label| tenant.find::<Label>(*label).is_some())
        })
    }
}
