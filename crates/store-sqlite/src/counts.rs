//! Stored counts.

use crate::error::store_error;
use crate::writer::give_way;
use crate::{SqliteStore, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
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
impl CountRepository for SqliteStore {
    async fn miscounted(&self, organization: OrganizationId) -> Result<u64, StoreError> {
        let wrong = self.slow_readers.snapshot("checking counts", move |connection| {
            let posts = counts::wrong_posts::<()>(organization, Range::default());
            let others = counts::wrong_others::<()>(organization);
            Ok(posts.get_result::<i64>(connection)? + others.get_result::<i64>(connection)?)
        });
        Ok(wrong.await?.unsigned_abs())
    }

    async fn recount(&self, organization: OrganizationId) -> Result<u64, StoreError> {
        let doing = "counting anew";
        let (mut mended, mut range) = (0, Range::default());
        loop {
            let mend = self.writer.write(doing, move |connection| {
                let range = part(connection, organization, range.after)?;
                let mend = counts::mend_posts::<()>(organization, range);
                Ok((range.until, mend.execute(connection)?))
            });
            let (end, some) = mend.await?.map_err(|error| store_error(doing, error))?;
            mended += some;
            range.after = end;
            if end.is_none() {
                break;
            }
            give_way().await;
        }
        let others = self.writer.write(doing, move |connection| {
            counts::mend_others::<()>(organization).execute(connection)
        });
        mended += others.await?.map_err(|error| store_error(doing, error))?;
        Ok(mended as u64)
    }

    async fn refresh_trends(
        &self,
        organization: OrganizationId,
        since: Time,
    ) -> Result<u64, StoreError> {
        let doing = "counting recent votes";
        let trends = self.slow_readers.read(doing, move |connection| {
            counts::trends::<()>(organization, since).load::<(Id, i64)>(connection)
        });
        let (trends, mut changed) = (trends.await?, 0);
        for part in trends.chunks(PART as usize) {
            let part = part.to_vec();
            let set = self.writer.write(doing, move |connection| {
                let mut changed = 0;
                for (post, recent) in part {
                    let set = counts::set_trend::<()>(organization, post.0, recent);
                    changed += set.execute(connection)?;
                }
                QueryResult::Ok(changed)
            });
            changed += set.await?.map_err(|error| store_error(doing, error))?;
            give_way().await;
        }
        Ok(changed as u64)
    }

    async fn sum_spends(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<u64, StoreError> {
        let doing = "summing the spend on posts";
        let sum = self.writer.write(doing, move |connection| {
            let due = counts::due_spends::<()>(organization, limit, "").load::<Id>(connection)?;
            for post in &due {
                counts::sum_spend::<()>(organization, post.0).execute(connection)?;
            }
            QueryResult::Ok(due.len())
        });
        let summed = sum.await?.map_err(|error| store_error(doing, error))?;
        give_way().await;
        Ok(summed as u64)
    }

    async fn refresh_days(&self, organization: OrganizationId) -> Result<u64, StoreError> {
        let doing = "counting days";
        let changed = self.slow_readers.read(doing, move |connection| {
            let changed = counts::changed_days::<()>(organization, counts::DAY_OF_SQLITE);
            changed.load::<(String, Id, i64, i64)>(connection)
        });
        let changed = changed.await?;
        for part in changed.chunks(PART as usize) {
            let part = part.to_vec();
            let set = self.writer.write(doing, move |connection| {
                for day in &part {
                    counts::set_day::<()>(organization, day).execute(connection)?;
                }
                QueryResult::Ok(())
            });
            set.await?.map_err(|error| store_error(doing, error))?;
            give_way().await;
        }
        Ok(changed.len() as u64)
    }

    async fn days(
        &self,
        organization: OrganizationId,
        from: Day,
        until: Day,
    ) -> Result<DailyCounts, StoreError> {
        let counts = self.slow_readers.snapshot("reading the counts of days", move |connection| {
            let by_day = counts::by_day::<()>(organization, from, until).load(connection)?;
            let by_parent = counts::by_parent::<()>(organization, from, until).load(connection)?;
            Ok(counts::daily(by_day, by_parent))
        });
        counts.await
    }

    async fn add_misses(
        &self,
        organization: OrganizationId,
        day: Day,
        misses: BTreeMap<MissedSearch, i64>,
        most: i64,
    ) -> Result<(), StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            add_misses(connection, organization, day, misses, most)
        };
        self.changed("counting searches", work).await
    }

    async fn misses(
        &self,
        organization: OrganizationId,
        from: Day,
        until: Day,
        limit: i64,
    ) -> Result<Vec<(String, i64)>, StoreError> {
        let misses = self.slow_readers.read("reading the counts of searches", move |connection| {
            counts::misses::<()>(organization, from, until, limit).load(connection)
        });
        misses.await
    }

    async fn prune_misses(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            counts::prune_misses::<()>(organization, before, limit).execute(connection)
        };
        self.changed("removing old counts of searches", work).await
    }

    async fn answers(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Vec<ArticleAnswers>, StoreError> {
        let answers =
            self.slow_readers.read("reading the answers to articles", move |connection| {
                counts::answers::<()>(organization, limit).load(connection)
            });
        let rows: Vec<(Id, String, i64, i64)> = answers.await?;
        Ok(rows.into_iter().map(counts::answered).collect())
    }
}

fn add_misses(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    day: Day,
    misses: BTreeMap<MissedSearch, i64>,
    most: i64,
) -> QueryResult<()> {
    if !organizations::is_there(connection, organization)? {
        return Ok(());
    }
    let known: Vec<String> = counts::missed::<()>(organization, day).load(connection)?;
    for (search, number) in fitting(misses, known.into_iter().collect(), most) {
        counts::add_miss::<()>(organization, day, search.as_str(), number).execute(connection)?;
    }
    Ok(())
}

/// The next part of an organization's posts.
fn part(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
) -> QueryResult<Range> {
    let until = counts::part_end::<()>(organization, after).get_result::<Id>(connection);
    Ok(Range { after, until: until.optional()?.map(Uuid::from) })
}

/// Moves counts.
pub(crate) fn add(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    moved: impl IntoIterator<Item = ((Uuid, Count), i64)>,
) -> QueryResult<()> {
    for (count, by) in moved {
        counts::add::<()>(organization, count, by).execute(connection)?;
    }
    Ok(())
}

/// Counts posts anew, within the transaction of a change that moved many votes.
pub(crate) fn recount(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    posts: [Id; 2],
) -> QueryResult<()> {
    for post in posts {
        counts::mend_posts::<()>(organization, Range::only(post.0)).execute(connection)?;
    }
    Ok(())
}
