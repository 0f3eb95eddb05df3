//! Counts. All but those of recent votes and of days are counted when they are read.

use crate::lists::count;
use crate::state::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::comment::Comment;
use hearback_domain::daily_count::{Daily, DailyCounts, Day};
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::id::OrganizationId;
use hearback_domain::vote::Target;
use hearback_domain::{Time, Uuid};
use hearback_ports::CountRepository;
use std::collections::{BTreeMap, BTreeSet};

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

    async fn refresh_days(&self, organization: OrganizationId) -> Result<u64> {
        self.write(|state| {
            let Some(tenant) = state.tenant_mut(organization) else { return Ok(0) };
            let counted = tenant.count_days();
            let former = std::mem::replace(&mut tenant.days, counted);
            let days: BTreeSet<_> = former.keys().chain(tenant.days.keys()).collect();
            let changed = days.into_iter().filter(|day| former.get(day) != tenant.days.get(day));
            Ok(changed.count() as u64)
        })
    }

    async fn days(
        &self,
        organization: OrganizationId,
        from: Day,
        until: Day,
    ) -> Result<DailyCounts> {
        let counts = self.read(organization, |tenant| {
            let mut by_day = BTreeMap::<_, i64>::new();
            let mut by_parent = BTreeMap::<_, i64>::new();
            for (&(kind, parent, day), number) in &tenant.days {
                if (from..=until).contains(&day) {
                    *by_day.entry((kind, day)).or_default() += number;
                    *by_parent.entry((kind, parent)).or_default() += number;
                }
            }
            let by_day = by_day.into_iter().map(|((kind, day), number)| (kind, day, number));
            let by_parent = by_parent.into_iter().map(|((kind, id), number)| (kind, id, number));
            Some(DailyCounts { by_day: by_day.collect(), by_parent: by_parent.collect() })
        });
        Ok(counts?.unwrap_or_default())
    }
}

impl Tenant {
    fn count_days(&self) -> BTreeMap<(Daily, Uuid, Day), i64> {
        let mut days = BTreeMap::new();
        let mut add = |kind, parent: Uuid, at| {
            *days.entry((kind, parent, Day::of(at))).or_default() += 1;
        };
        for post in self.all::<FeedbackPost>() {
            let is_counted = post.is_active
                && post.merged_into_id.is_none()
                && post.moderation == Moderation::Accepted;
            if !is_counted {
                continue;
            }
            add(Daily::Posts, post.board_id.0, post.created_at);
            add(Daily::Statuses, post.status_id.0, post.created_at);
            for vote in self.votes(Target::Feedback(post.id)) {
                add(Daily::Votes, post.board_id.0, vote.created_at);
            }
            let comments = self.all::<Comment>().filter(|it| it.feedback_post_id == post.id);
            for comment in comments {
                if comment.is_active && comment.moderation == Moderation::Accepted {
                    add(Daily::Comments, post.board_id.0, comment.created_at);
                }
            }
        }
        days
    }
}
