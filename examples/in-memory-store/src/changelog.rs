//! The changelog and its labels.

use crate::page::{Order, first, page};
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryFilter, EntrySort, EntryStatus, Publication, ScheduledEntry,
};
use hearback_domain::id::{LabelId, OrganizationId};
use hearback_domain::label::Label;
use hearback_ports::page::{ByName, ByOptionalTime};
use hearback_ports::{ChangelogEntryRepository, LabelRepository, Page, PageRequest};

#[async_trait]
impl ChangelogEntryRepository for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: EntryFilter,
        sort: EntrySort,
        skip: u64,
        request: PageRequest<ByOptionalTime>,
    ) -> Result<Page<ChangelogEntry, ByOptionalTime>> {
        let EntryFilter { entry_type, label_ids } = filter;
        let is_shown = |entry: &&ChangelogEntry| {
            let has_label = entry.label_ids.iter().any(|label| label_ids.contains(label));
            (entry_type.is_none() || entry.entry_type == entry_type)
                && (label_ids.is_empty() || has_label)
        };
        let order = match sort {
            EntrySort::Newest | EntrySort::Published => Order::Descending,
            EntrySort::Oldest => Order::Ascending,
        };
        let key = |entry: &ChangelogEntry| ByOptionalTime { at: sort.time(entry), id: entry.id.0 };
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        Ok(self.read(organization, |tenant| {
            let mut shown: Vec<&ChangelogEntry> = tenant.active().filter(is_shown).collect();
            shown.sort_by(|a, b| order.compare(&key(a), &key(b)));
            page(shown.into_iter().skip(skip).cloned(), order, request, key)
        }))
    }

    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ScheduledEntry>> {
        Ok(self.read(organization, |tenant| {
            let due = tenant.scheduled().filter(|(_, at)| *at <= now);
            let due = due.map(|(entry, scheduled_at)| ScheduledEntry {
                id: entry.id,
                scheduled_at,
                notify: entry.notify,
                show_on_portal: entry.show_on_portal,
            });
            first(due, limit, |entry| (entry.scheduled_at, entry.id))
        }))
    }

    async fn publish(
        &self,
        organization: OrganizationId,
        publications: Vec<Publication>,
    ) -> Result<usize> {
        self.update(organization, |tenant| {
            let mut count = 0;
            for Publication { id, at, is_announced } in publications {
                if !tenant.scheduled().any(|(entry, time)| entry.id == id && time <= at) {
                    continue;
                }
                tenant.edit(id, |entry: &mut ChangelogEntry| {
                    entry.status = EntryStatus::Published;
                    entry.published_at = Some(at);
                    entry.updated_at = at;
                });
                if is_announced {
                    tenant.mailings.entry(id).or_default();
                }
                count += 1;
            }
            count
        })
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
        Ok(self.read(organization, |tenant| {
            page(tenant.active().cloned(), Order::Ascending, request, key)
        }))
    }

    async fn are_known(&self, organization: OrganizationId, labels: Vec<LabelId>) -> Result<bool> {
        Ok(self.read(organization, |tenant| {
            labels.iter().all(|label| tenant.find::<Label>(*label).is_some())
        }))
    }
}
