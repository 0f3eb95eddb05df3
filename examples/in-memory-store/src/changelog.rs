//! The changelog and its labels.

use crate::lists::{Order, first, page, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryFilter, EntrySort, EntryStatus, Publication, ScheduledEntry,
};
use hearback_domain::id::{LabelId, OrganizationId};
use hearback_domain::label::Label;
use hearback_domain::mail::Mailing;
use hearback_ports::page::{ByName, ByOptionalTime};
use hearback_ports::{ChangelogEntryRepository, LabelRepository, Page, PageRequest};

#[async_trait]
impl ChangelogEntryRepository for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        EntryFilter { entry_type, label_ids }: EntryFilter,
        sort: EntrySort,
        skip: u64,
        request: PageRequest<ByOptionalTime>,
    ) -> Result<Page<ChangelogEntry, ByOptionalTime>> {
        let is_shown = |entry: &&ChangelogEntry| {
            let has_label = entry.label_ids.iter().any(|label| label_ids.contains(label));
            (entry_type.is_none() || entry.entry_type == entry_type)
                && (label_ids.is_empty() || has_label)
        };
        let order = match sort {
            EntrySort::Newest | EntrySort::Published => Order::Descending,
            EntrySort::Oldest => Order::Ascending,
        };
        let key = |entry: &&ChangelogEntry| ByOptionalTime { at: sort.time(entry), id: entry.id.0 };
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        self.read(organization, |tenant| {
            let shown = sorted(tenant.active().filter(is_shown), order, key);
            page(shown.into_iter().skip(skip).cloned(), order, request, |entry| key(&entry))
        })
    }

    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ScheduledEntry>> {
        self.read(organization, |tenant| {
            let scheduled = tenant.scheduled().map(|(entry, at)| (at, entry.id));
            let due = first(scheduled.filter(|(at, _)| *at <= now), limit);
            let entry = |(scheduled_at, id)| {
                let ChangelogEntry { notify, show_on_portal, .. } = *tenant.any(id)?;
                Some(ScheduledEntry { id, scheduled_at, notify, show_on_portal })
            };
            due.into_iter().filter_map(entry).collect()
        })
    }

    async fn publish(
        &self,
        organization: OrganizationId,
        publications: Vec<Publication>,
    ) -> Result<usize> {
        self.update(organization, |tenant| {
            publications.into_iter().filter(|publication| tenant.publish(*publication)).count()
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

    /// Publishes an entry if it is still scheduled and its time has come.
    fn publish(&mut self, Publication { id, at, is_announced }: Publication) -> bool {
        let is_due = self.scheduled().any(|(entry, time)| entry.id == id && time <= at);
        if is_due {
            self.edit(id, |entry: &mut ChangelogEntry| {
                entry.status = EntryStatus::Published;
                entry.published_at = Some(at);
                entry.updated_at = at;
            });
        }
        if is_due && is_announced {
            let mailing = Mailing::of_entry(id);
            self.mailings.entry(mailing.id).or_insert(mailing.into());
        }
        is_due
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
