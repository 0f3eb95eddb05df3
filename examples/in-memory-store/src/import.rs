//! Writing whole organizations.

use crate::state::State;
use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::comment::Comment;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::help_article::HelpArticle;
use hearback_domain::id::OrganizationId;
use hearback_ports::import::{Ending, Fault, Import, ImportError, Links, MergedPost};
use hearback_ports::record::{Key, Reference};
use hearback_ports::{Batch, Importer, Kind, Record, StoreError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// An import: a copy of the state that is changed beside it.
struct MemoryImport {
    store: MemoryStore,
    /// The state at the beginning.
    before: Arc<State>,
    state: State,
    /// The organizations that are written to.
    changed: BTreeSet<OrganizationId>,
}

#[async_trait]
impl Importer for MemoryStore {
    async fn begin(&self) -> Result<Box<dyn Import>> {
        let before = self.state();
        let state = State::clone(&before);
        Ok(Box::new(MemoryImport { store: self.clone(), before, state, changed: BTreeSet::new() }))
    }
}

#[async_trait]
impl Import for MemoryImport {
    async fn put(&mut self, organization: OrganizationId, batch: Batch) -> Result<(), ImportError> {
        for (index, record) in batch.into_records().into_iter().enumerate() {
            self.add(organization, record).map_err(|fault| ImportError::Fault { index, fault })?;
        }
        Ok(())
    }

    async fn link(
        &mut self,
        organization: OrganizationId,
        links: Links,
    ) -> Result<(), ImportError> {
        let Some(tenant) = self.state.tenant_mut(organization) else { return Ok(()) };
        let count = links.merged_posts.len();
        for (index, MergedPost { id, into, .. }) in links.merged_posts.into_iter().enumerate() {
            tenant.edit(id, |post: &mut FeedbackPost| post.merged_into_id = Some(into));
            tenant.know_links(index, (Kind::FeedbackPost, id.0))?;
        }
        for (index, (id, related)) in links.related_articles.into_iter().enumerate() {
            tenant.edit(id, |article: &mut HelpArticle| article.related_article_ids = related);
            tenant.know_links(count + index, (Kind::HelpArticle, id.0))?;
        }
        Ok(())
    }

    async fn finish(self: Box<Self>, ending: Ending) -> Result<()> {
        match ending {
            Ending::Commit => self.store.write(|state| self.merge(state)),
            Ending::Discard => Ok(()),
        }
    }
}

impl MemoryImport {
    fn add(&mut self, organization: OrganizationId, mut record: Record) -> Result<(), Fault> {
        match &mut record {
            Record::Organization(organization) => {
                self.changed.insert(organization.id);
                let added = self.state.add_organization(organization.clone());
                return added.map_err(Fault::Taken);
            }
            Record::FeedbackPost(post) => post.merged_into_id = None,
            Record::HelpArticle(article) => article.related_article_ids.clear(),
            _ => {}
        }
        self.changed.insert(organization);
        let unknown = Fault::Unknown { member: "organization_id", id: organization.0 };
        let tenant = self.state.tenant_mut(organization).ok_or(unknown)?;
        tenant.know(record.references())?;
        tenant.know(record.listed_references())?;
        match &record {
            Record::Comment(comment) => tenant.is_beside_parent(comment)?,
            Record::WebhookSubscription(subscription) => {
                tenant.stand(subscription, subscription.created_at);
            }
            _ => {}
        }
        self.state.add(organization, record).map_err(Fault::Taken)
    }

    /// Puts the organizations that were written to into a state, if they are still as they were and
    /// nobody took what is unique among all.
    fn merge(&self, state: &mut State) -> Result<()> {
        for id in &self.changed {
            let before = self.before.tenants.get(id).map(Arc::as_ptr);
            let is_unchanged = state.tenants.remove(id).as_ref().map(Arc::as_ptr) == before;
            let Some(tenant) = self.state.tenants.get(id) else { continue };
            let mut alone = tenant.of_kind(Kind::Organization).chain(tenant.of_kind(Kind::ApiKey));
            if !is_unchanged || alone.any(|record| state.taken_anywhere(*id, record).is_some()) {
                return Err(StoreError::Busy);
            }
            state.tenants.insert(*id, Arc::clone(tenant));
        }
        Ok(())
    }
}

impl Tenant {
    /// Fails with the first record that is not there.
    fn know(&self, references: Vec<Reference>) -> Result<(), Fault> {
        let unknown = references.into_iter().find(|it| self.record(it.key()).is_none());
        unknown.map_or(Ok(()), |Reference { member, id, .. }| Err(Fault::Unknown { member, id }))
    }

    /// Fails if a linked record names one that is not there.
    fn know_links(&self, index: usize, key: Key) -> Result<(), ImportError> {
        let links = self.record(key).map(Record::links).unwrap_or_default();
        self.know(links).map_err(|fault| ImportError::Fault { index, fault })
    }

    /// Fails if a comment answers one on another post.
    fn is_beside_parent(&self, comment: &Comment) -> Result<(), Fault> {
        let parent = comment.parent_comment_id.and_then(|id| self.any::<Comment>(id));
        if parent.is_some_and(|parent| parent.feedback_post_id != comment.feedback_post_id) {
            return Err(Fault::Mismatch { member: "parent_comment_id" });
        }
        Ok(())
    }
}
