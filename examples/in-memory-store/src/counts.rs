//! Counts. All but those of recent votes are counted when they are read.

use crate::lists::count;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::OrganizationId;
use hearback_domain::vote::Target;
use hearback_ports::CountRepository;

#[async_trait]
impl CountRepository for MemoryStore {
    async fn miscounted(&self, _: OrganizationId) -> Result<u64> {
        Ok(0)
    }

    async fn recount(&self, _: OrganizationId) -> Result<u64> {
        Ok(0)
    }

    async fn sum_spends(&self, _: OrganizationId, _: i64) -> Result<u64> {
        // The spend is summed whenever a post is read.
        Ok(0)
    }

    async fn refresh_trends(&self, organization: OrganizationId, since: Time) -> Result<u64> {
        self.write(|state| {
            let Some(tenant) = state.tenant_mut(organization) else { return Ok(0) };
            let mut changed = 0;
            let posts: Vec<_> = tenant.all::<FeedbackPost>().map(|post| post.id).collect();
            for post in posts {
                let votes = tenant.votes(Target::Feedback(post));
                let recent = count(votes.filter(|vote| vote.created_at >= since));
                let former = tenant.trends.insert(post, recent).unwrap_or_default();
                changed += u64::from(former != recent);
            }
            Ok(changed)
        })
    }
}
