//! Reading a whole organization as of one moment.

use crate::state::State;
use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::comment::Comment;
use hearback_domain::fold::ascii_key;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;
use hearback_domain::with_kind;
use hearback_ports::export::{ExportKey, ExportPage, Snapshot};
use hearback_ports::record::OfKind;
use hearback_ports::{Exporter, Kind, Record};
use std::sync::Arc;

#[async_trait]
impl Exporter for MemoryStore {
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        Ok(Box::new(MemorySnapshot(self.state())))
    }
}

struct MemorySnapshot(Arc<State>);

#[async_trait]
impl Snapshot for MemorySnapshot {
    async fn organization(&mut self, slug: &str) -> Result<Option<Organization>> {
        Ok(self.0.organization(&ascii_key(slug)).cloned())
    }

    async fn page(
        &mut self,
        organization: OrganizationId,
        kind: Kind,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage> {
        let none = Tenant::default();
        let tenant = self.0.tenant(organization).unwrap_or(&none);
        let limit = usize::try_from(limit).unwrap_or_default();
        let all = tenant.of_kind(kind).map(|record| (place(tenant, record), record));
        let mut behind: Vec<_> = all.filter(|(place, _)| Some(*place) > after).collect();
        behind.sort_by_key(|(place, _)| *place);
        let has_next = behind.len() > limit;
        behind.truncate(limit);
        let next = behind.last().filter(|_| has_next).map(|(place, _)| *place);
        let records = behind.iter().map(|(_, record)| *record);
        let batch = with_kind!(kind, R => R::into_batch(records.filter_map(R::of_record).cloned().collect()));
        Ok(ExportPage { batch, next })
    }
}

fn place(tenant: &Tenant, record: &Record) -> ExportKey {
    let mut depth = 0;
    let mut comment = Comment::of_record(record);
    while let Some(parent) = comment.and_then(|comment| comment.parent_comment_id) {
        depth += 1;
        comment = tenant.any(parent);
    }
    ExportKey { depth, id: record.id() }
}
