//! Exports and imports of whole organizations.

use crate::lists::{Order, size, sorted};
use crate::{MemoryStore, Result, State, Tenant};
use async_trait::async_trait;
use hearback_domain::comment::Comment;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::fold::ascii_key;
use hearback_domain::help_article::HelpArticle;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;
use hearback_domain::with_kind;
use hearback_ports::export::{ExportKey, ExportPage, Snapshot};
use hearback_ports::import::{Ending, Import, Links, MergedPost, PutError, PutFault};
use hearback_ports::record::{Key, OfKind, Reference};
use hearback_ports::{Batch, Exporter, Importer, Kind, Record, Recorded, StoreError};
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
        let keyed = tenant.of_kind(kind).map(|record| (tenant.export_key(record), record));
        let behind = keyed.filter(|(key, _)| Some(*key) > after);
        let mut page = sorted(behind, Order::Ascending, |(key, _)| *key);
        let has_next = page.len() > size(limit);
        page.truncate(size(limit));
        let next = page.last().filter(|_| has_next).map(|(key, _)| *key);
        let mut batch = with_kind!(kind, R => R::into_batch(Vec::new()));
        for (_, record) in page {
            batch.push(record.clone());
        }
        Ok(ExportPage { batch, next })
    }
}

#[async_trait]
impl Importer for MemoryStore {
    async fn begin(&self) -> Result<Box<dyn Import>> {
        let before = self.state();
        let state = State::clone(&before);
        Ok(Box::new(MemoryImport { store: self.clone(), before, state }))
    }
}

/// An import: a copy of the state that changes beside the state.
struct MemoryImport {
    store: MemoryStore,
    /// The state at the beginning.
    before: Arc<State>,
    state: State,
}

#[async_trait]
impl Import for MemoryImport {
    async fn make_way(&mut self, organization: OrganizationId) -> Result<bool> {
        let Some(tenant) = self.state.tenant_mut(organization) else { return Ok(true) };
        Ok(tenant.make_way())
    }

    async fn put(&mut self, organization: OrganizationId, batch: Batch) -> Result<(), PutError> {
        for (index, record) in batch.into_records().into_iter().enumerate() {
            self.add(organization, record).map_err(|fault| PutError::Fault { index, fault })?;
        }
        Ok(())
    }

    async fn link(
        &mut self,
        organization: OrganizationId,
        Links { merged_posts, related_articles }: Links,
    ) -> Result<(), PutError> {
        let Some(tenant) = self.state.tenant_mut(organization) else { return Ok(()) };
        let count = merged_posts.len();
        for (index, MergedPost { id, into, .. }) in merged_posts.into_iter().enumerate() {
            tenant.edit(id, |post: &mut FeedbackPost| post.merged_into_id = Some(into));
            tenant.check_links(index, (Kind::FeedbackPost, id.0))?;
        }
        for (index, (id, related)) in related_articles.into_iter().enumerate() {
            tenant.edit(id, |article: &mut HelpArticle| article.related_article_ids = related);
            tenant.check_links(count + index, (Kind::HelpArticle, id.0))?;
        }
        Ok(())
    }

    async fn finish(self: Box<Self>, ending: Ending) -> Result<()> {
        match ending {
            Ending::Commit => self.store.write(|state| self.commit(state)),
            Ending::Discard => Ok(()),
        }
    }
}

impl MemoryImport {
    fn add(&mut self, organization: OrganizationId, mut record: Record) -> Result<(), PutFault> {
        match &mut record {
            Record::FeedbackPost(post) => post.merged_into_id = None,
            Record::HelpArticle(article) => article.related_article_ids.clear(),
            _ => {}
        }
        if record.kind() != Kind::Organization {
            let unknown = PutFault::Unknown { member: "organization_id", id: organization.0 };
            self.state.tenant(organization).ok_or(unknown)?.check_references(&record)?;
        }
        match self.state.add(organization, record) {
            Err(Recorded::Taken(rule)) => Err(PutFault::Taken(rule)),
            _ => Ok(()),
        }
    }

    /// Puts the changed organizations into a state. The store is busy if another write changed one
    /// of them, or took a value that is unique among all organizations.
    fn commit(&self, state: &mut State) -> Result<()> {
        for (id, tenant) in &self.state.tenants {
            let before = self.before.tenants.get(id).map(Arc::as_ptr);
            if before == Some(Arc::as_ptr(tenant)) {
                continue;
            }
            let is_unchanged = state.tenants.remove(id).as_ref().map(Arc::as_ptr) == before;
            let mut alone = tenant.of_kind(Kind::Organization).chain(tenant.of_kind(Kind::ApiKey));
            if !is_unchanged || alone.any(|record| state.taken(record).is_some()) {
                return Err(StoreError::Busy);
            }
            state.tenants.insert(*id, Arc::clone(tenant));
        }
        Ok(())
    }
}

impl Tenant {
    fn export_key(&self, record: &Record) -> ExportKey {
        let mut depth = 0;
        let mut comment = Comment::of_record(record);
        while let Some(parent) = comment.and_then(|comment| comment.parent_comment_id) {
            depth += 1;
            comment = self.any(parent);
        }
        ExportKey { depth, id: record.id() }
    }

    /// Fails with the first reference to a record that does not exist.
    fn check(&self, references: &[Reference]) -> Result<(), PutFault> {
        let unknown = references.iter().find(|it| self.record(it.key()).is_none());
        unknown.map_or(Ok(()), |it| Err(PutFault::Unknown { member: it.member, id: it.id }))
    }

    fn check_links(&self, index: usize, key: Key) -> Result<(), PutError> {
        let links = self.record(key).map(Record::links).unwrap_or_default();
        self.check(&links).map_err(|fault| PutError::Fault { index, fault })
    }

    fn check_references(&self, record: &Record) -> Result<(), PutFault> {
        self.check(&[record.references(), record.listed_references()].concat())?;
        let Record::Comment(Comment { parent_comment_id, feedback_post_id, .. }) = record else {
            return Ok(());
        };
        let parent = parent_comment_id.and_then(|id| self.any::<Comment>(id));
        if parent.is_some_and(|parent| parent.feedback_post_id != *feedback_post_id) {
            return Err(PutFault::Mismatch { member: "parent_comment_id" });
        }
        Ok(())
    }
}
