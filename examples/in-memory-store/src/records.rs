//! Changes of records.

use crate::state::State;
use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::record::{Key, Known, Step};
use hearback_domain::{Time, Uuid};
use hearback_ports::records::Name;
use hearback_ports::{Change, Kind, Record, RecordRepository, Recorded, Unique};

#[async_trait]
impl RecordRepository for MemoryStore {
    async fn load(&self, organization: OrganizationId, keys: Vec<Key>) -> Result<Known> {
        let load = |tenant: &Tenant| {
            Known::new(keys.iter().filter_map(|key| tenant.record(*key)).cloned())
        };
        Ok(self.read(organization, load))
    }

    async fn named(
        &self,
        organization: OrganizationId,
        kind: Kind,
        name: Name,
        names: Vec<String>,
    ) -> Result<Vec<(String, Uuid)>> {
        let rule = match name {
            Name::Slug => Unique::Slug,
            Name::Code => Unique::Code,
            Name::ExternalId => Unique::ExternalId,
        };
        Ok(self.read(organization, |tenant| {
            let found = |name: String| Some((tenant.holder(kind, rule, &name)?, name));
            names.into_iter().filter_map(found).map(|(id, name)| (name, id)).collect()
        }))
    }

    async fn apply(&self, organization: OrganizationId, change: Change) -> Result<Recorded> {
        self.record(|state| apply(state, organization, change))
    }
}

fn apply(state: &mut State, organization: OrganizationId, change: Change) -> Result<(), Recorded> {
    let Change { steps, needs, events, announced, receipt, at } = change;
    let stored = |key: Key| state.tenant(organization).and_then(|tenant| tenant.record(key));
    if let Some(need) = needs.iter().find(|need| !stored(**need).is_some_and(Record::is_active)) {
        return Err(Recorded::Missing(*need));
    }
    for before in steps.iter().filter_map(Step::before) {
        if !stored(before.key()).is_some_and(|stored| stored.is_unchanged(before)) {
            return Err(Recorded::Stale);
        }
    }
    for step in steps {
        take(state, organization, step, at)?;
    }
    let tenant = state.tenant_mut(organization).ok_or(Recorded::Stale)?;
    for event in &events {
        tenant.record_event(event);
    }
    for entry in announced {
        tenant.mailings.entry(entry).or_default();
    }
    tenant.keep(receipt)
}

/// Takes one step of a change.
fn take(
    state: &mut State,
    organization: OrganizationId,
    step: Step,
    at: Time,
) -> Result<(), Recorded> {
    if let Step::Make(Record::Organization(made)) = step {
        return state.add_organization(made).map_err(Recorded::Taken);
    }
    let tenant = state.tenant_mut(organization).ok_or(Recorded::Stale)?;
    let new_name = step.new_name();
    let position = step
        .new_parent()
        .zip(step.after())
        .map(|(parent, after)| tenant.next_position(after.kind(), parent));
    let stands_since = match &step {
        Step::Edit { before, after } if before.is_active() == after.is_active() => None,
        Step::Make(Record::WebhookSubscription(made)) => Some(made.created_at),
        _ => Some(at),
    };
    let mut record = match step {
        Step::Make(record) => record,
        Step::Edit { before, mut after } => {
            if let Some(stored) = tenant.record(before.key()) {
                keep_counters(stored, &mut after);
            }
            tenant.remove(before.key());
            after
        }
        Step::Remove(record) => {
            tenant.remove(record.key());
            return Ok(());
        }
    };
    if let Some(position) = position {
        record.put_at(position);
    }
    if let (Record::WebhookSubscription(subscription), Some(since)) = (&record, stands_since) {
        tenant.stand(subscription, since);
    }
    let key = record.key();
    state.add(organization, record).map_err(Recorded::Taken)?;
    let tenant = state.tenant(organization).ok_or(Recorded::Stale)?;
    if new_name.is_some_and(|name| tenant.has_named(key, &name)) {
        return Err(Recorded::Taken(Unique::Name));
    }
    Ok(())
}

impl Tenant {
    /// Whether another active record of the kind has a name.
    fn has_named(&self, (kind, id): Key, name: &str) -> bool {
        self.of_kind(kind)
            .filter(|record| record.is_active() && record.key().1 != id)
            .any(|record| record.name_key().as_deref() == Some(name))
    }
}

/// Gives an edited article the stored counters of its readers, which an edit leaves alone.
fn keep_counters(stored: &Record, after: &mut Record) {
    if let (Record::HelpArticle(stored), Record::HelpArticle(after)) = (stored, after) {
        after.view_count = stored.view_count;
        after.helpful_count = stored.helpful_count;
        after.not_helpful_count = stored.not_helpful_count;
    }
}
