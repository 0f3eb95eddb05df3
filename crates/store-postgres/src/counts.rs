//! Stored counts.

use crate::readers::Reach;
use crate::{PgStore, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use futures_util::future::{try_join, try_join_all};
use hearback_domain::counted::Count;
use hearback_domain::daily_count::{DailyCounts, Day};
use hearback_domain::help_article::ArticleAnswers;
use hearback_domain::id::OrganizationId;
use hearback_domain::missed_search::{MissedSearch, fitting};
use hearback_domain::{Time, Uuid};
use hearback_ports::{CountRepository, StoreError};
use hearback_store_rows::Id;
use hearback_store_rows::counts::{self, PART, Range};
use std::collections::BTreeMap;

#[async_trait]
impl CountRepository for PgStore {
    async fn miscounted(&self, organization: OrganizationId) -> Result<u64, StoreError> {
        let doing = "checking counts";
        let (mut wrong, mut range) = (0, Range::default());
        loop {
            let (end, some) = self
                .writer
                .read(doing, move |connection| {
                    async move {
                        let range = part(connection, organization, range.after).await?;
                        let wrong = counts::wrong_posts::<()>(organization, range);
                        Ok((range.until, wrong.get_result::<i64>(connection).await?))
                    }
                    .boxed()
                })
                .await?;
            wrong += some;
            range.after = end;
            if end.is_none() {
                break;
            }
        }
        let others = self.writer.read(doing, move |connection| {
            let wrong = counts::wrong_others::<()>(organization);
            async move { wrong.get_result::<i64>(connection).await }.boxed()
        });
        wrong += others.await?;
        Ok(wrong.unsigned_abs())
    }

    async fn recount(&self, organization: OrganizationId) -> Result<u64, StoreError> {
        let doing = "counting anew";
        let (mut mended, mut range) = (0, Range::default());
        loop {
            let mend = self.writer.write(doing, move |connection| {
                async move {
                    let range = part(connection, organization, range.after).await?;
                    counts::hold_posts::<()>(organization, range).execute(connection).await?;
                    let mend = counts::mend_posts::<()>(organization, range);
                    Ok((range.until, mend.execute(connection).await?))
                }
                .boxed()
            });
            let (end, some) = mend.await?.ok_or(StoreError::Busy)?;
            mended += some;
            range.after = end;
            if end.is_none() {
                break;
            }
        }
        let others = self.writer.write(doing, move |connection| {
            async move {
                counts::hold_others::<()>(organization).execute(connection).await?;
                counts::mend_others::<()>(organization).execute(connection).await
            }
            .boxed()
        });
        mended += others.await?.ok_or(StoreError::Busy)?;
        Ok(mended as u64)
    }

    async fn refresh_trends(
        &self,
        organization: OrganizationId,
        since: Time,
    ) -> Result<u64, StoreError> {
        let doing = "counting recent votes";
        let trends = self.writer.read(doing, move |connection| {
            let trends = counts::trends::<()>(organization, since);
            async move { trends.load::<(Id, i64)>(connection).await }.boxed()
        });
        let (trends, mut changed) = (trends.await?, 0);
        for part in trends.chunks(PART as usize) {
            let mut part = part.to_vec();
            // Two processes that do the same must not wait for each other.
            part.sort_unstable();
            let set = self.writer.write(doing, move |connection| {
                async move {
                    let mut changed = 0;
                    for (post, recent) in part {
                        let set = counts::set_trend::<()>(organization, post.0, recent);
                        changed += set.execute(connection).await?;
                    }
                    Ok(changed)
                }
                .boxed()
            });
            changed += set.await?.ok_or(StoreError::Busy)?;
        }
        Ok(changed as u64)
    }

    async fn sum_spends(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<u64, StoreError> {
        let sum = self.writer.write("summing the spend on posts", move |connection| {
            async move {
                // A vote that waits for the lock marks the post again.
                let lock = " FOR NO KEY UPDATE";
                let due = counts::due_spends::<()>(organization, limit, lock);
                let due: Vec<Id> = due.load(connection).await?;
                for post in &due {
                    counts::sum_spend::<()>(organization, post.0).execute(connection).await?;
                }
                Ok(due.len())
            }
            .boxed()
        });
        Ok(sum.await?.ok_or(StoreError::Busy)? as u64)
    }

    async fn refresh_days(&self, organization: OrganizationId) -> Result<u64, StoreError> {
        let doing = "counting days";
        let changed = self.writer.read(doing, move |connection| {
            let changed = counts::changed_days::<()>(organization, counts::DAY_OF_POSTGRES);
            async move {
                // It reads all posts, votes and comments.
                let patience = diesel::sql_query("SET LOCAL statement_timeout = '5min'");
                patience.execute(connection).await?;
                changed.load::<(String, Id, i64, i64)>(connection).await
            }
            .boxed()
        });
        let changed = changed.await?;
        // The rows have an order, so that two processes that do the same do not wait for each other.
        for part in changed.chunks(PART as usize) {
            let part = part.to_vec();
            let set = self.writer.write(doing, move |connection| {
                async move {
                    for day in &part {
                        counts::set_day::<()>(organization, day).execute(connection).await?;
                    }
                    Ok(())
                }
                .boxed()
            });
            set.await?.ok_or(StoreError::Busy)?;
        }
        Ok(changed.len() as u64)
    }

    async fn days(
        &self,
        organization: OrganizationId,
        from: Day,
        until: Day,
    ) -> Result<DailyCounts, StoreError> {
        let days = || counts::by_day::<()>(organization, from, until);
        let parents = || counts::by_parent::<()>(organization, from, until);
        // Each may read 100,000 rows, so they run where no point read waits behind them.
        let by_day = self.list_rows(Reach::Long, "reading the counts of days", days);
        let by_parent = self.list_rows(Reach::Long, "reading the counts of boards", parents);
        let (by_day, by_parent) = try_join(by_day, by_parent).await?;
        Ok(counts::daily(by_day, by_parent))
    }

    async fn add_misses(
        &self,
        organization: OrganizationId,
        day: Day,
        misses: BTreeMap<MissedSearch, i64>,
        most: i64,
    ) -> Result<(), StoreError> {
        let work = self.writer.write("counting searches", move |connection| {
            async move { add_misses(connection, organization, day, misses, most).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn misses(
        &self,
        organization: OrganizationId,
        from: Day,
        until: Day,
        limit: i64,
    ) -> Result<Vec<(String, i64)>, StoreError> {
        let misses = || counts::misses::<()>(organization, from, until, limit);
        self.list_rows(Reach::Long, "reading the counts of searches", misses).await
    }

    async fn prune_misses(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let work = self.writer.write("removing old counts of searches", move |connection| {
            async move {
                counts::prune_misses::<()>(organization, before, limit).execute(connection).await
            }
            .boxed()
        });
        // `None`: another transaction was faster, and removed them.
        Ok(work.await?.unwrap_or(0))
    }

    async fn answers(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Vec<ArticleAnswers>, StoreError> {
        let answers = || counts::answers::<()>(organization, limit);
        let rows: Vec<(Id, String, i64, i64)> =
            self.list_rows(Reach::Long, "reading the answers to articles", answers).await?;
        Ok(rows.into_iter().map(counts::answered).collect())
    }
}

/// Adds the numbers of searches. The calls for an organization take turns, so that two of them do
/// not fill the same room.
async fn add_misses(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    day: Day,
    misses: BTreeMap<MissedSearch, i64>,
    most: i64,
) -> QueryResult<()> {
    if !organizations::hold_alone(connection, organization).await? {
        return Ok(());
    }
    let known: Vec<String> = counts::missed::<()>(organization, day).load(connection).await?;
    // The statements are sent without a wait for each other.
    let connection = &*connection;
    let adding = fitting(misses, known.into_iter().collect(), most).map(|(search, number)| {
        let add = counts::add_miss::<()>(organization, day, search.as_str(), number);
        async move { add.execute(&mut &*connection).await }
    });
    try_join_all(adding).await?;
    Ok(())
}

/// The next part of an organization's posts.
async fn part(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
) -> QueryResult<Range> {
    let end = counts::part_end::<()>(organization, after);
    let until = end.get_result::<Id>(connection).await.optional()?;
    Ok(Range { after, until: until.map(Uuid::from) })
}

/// Moves counts. A change does this last, in this order: who waits for a count holds no later one.
pub(crate) async fn add(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    moved: impl IntoIterator<Item = ((Uuid, Count), i64)>,
) -> QueryResult<()> {
    for (count, by) in moved {
        counts::add::<()>(organization, count, by).execute(&mut connection).await?;
    }
    Ok(())
}

/// Counts posts anew, within the transaction of a change that moved many votes.
pub(crate) async fn recount(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    mut posts: [Id; 2],
) -> QueryResult<()> {
    posts.sort_unstable();
    for post in posts {
        let range = Range::only(post.0);
        counts::hold_posts::<()>(organization, range).execute(connection).await?;
        counts::mend_posts::<()>(organization, range).execute(connection).await?;
    }
    Ok(())
}
