//! Counts. All but those of recent votes, of days and of searches are counted when they are read.

use crate::lists::{count, first};
use crate::state::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::comment::Comment;
use hearback_domain::daily_count::{Daily, DailyCounts, Day};
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::help_article::{ArticleAnswers, HelpArticle};
use hearback_domain::id::OrganizationId;
use hearback_domain::missed_search::{MissedSearch, fitting};
use hearback_domain::vote::Target;
use hearback_domain::{Time, Uuid};
use hearback_ports::CountRepository;
use std::cmp::Reverse;
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

    async fn add_misses(
        &self,
        organization: OrganizationId,
        day: Day,
        misses: BTreeMap<MissedSearch, i64>,
        most: i64,
    ) -> Result<()> {
        self.update(organization, |tenant| {
            let of_day = tenant.misses.keys().filter(|(_, of)| *of == day);
            let known = of_day.map(|(search, _)| search.as_str().to_owned()).collect();
            for (search, number) in fitting(misses, known, most) {
                *tenant.misses.entry((search, day)).or_default() += number;
            }
        })
    }

    async fn misses(
        &self,
        organization: OrganizationId,
        from: Day,
        until: Day,
        limit: i64,
    ) -> Result<Vec<(String, i64)>> {
        self.read(organization, |tenant| {
            let mut numbers = BTreeMap::<_, i64>::new();
            for ((search, day), number) in &tenant.misses {
                if (from..=until).contains(day) {
                    *numbers.entry(search.as_str()).or_default() += number;
                }
            }
            let numbers = numbers.into_iter();
            let found = first(numbers.map(|(words, number)| (Reverse(number), words)), limit);
            found.into_iter().map(|(Reverse(number), words)| (words.to_owned(), number)).collect()
        })
    }

    async fn prune_misses(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize> {
        self.update(organization, |tenant| {
            let old = tenant.misses.keys().filter(|(_, day)| day.start() < before);
            let old = first(old.map(|(search, day)| (*day, search.clone())), limit);
            let count = old.len();
            for (day, search) in old {
                tenant.misses.remove(&(search, day));
            }
            count
        })
    }

    async fn answers(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Vec<ArticleAnswers>> {
        self.read(organization, |tenant| {
            let answered = tenant
                .active::<HelpArticle>()
                .filter(|it| it.helpful_count > 0 || it.not_helpful_count > 0)
                .map(|it| (Reverse(it.not_helpful_count), it.helpful_count, it.id, &*it.title));
            let answers = |(Reverse(not_helpful), helpful, id, title): (_, _, _, &str)| {
                ArticleAnswers { id, title: title.to_owned(), helpful, not_helpful }
            };
            first(answered, limit).into_iter().map(answers).collect()
        })
    }
}

impl Tenant {
    fn count_days(&self) -> BTreeMap<(Daily, Uuid, Day), i64> {
        let mut days = BTreeMap::new();
        let mut add = |kind, parent: Uuid, at| {
            *days.entry((kind, parent, Day::of(at))).or_default() += 1;
        };
        for post in self.all::<FeedbackPost>().filter(|post| post.is_open()) {
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
