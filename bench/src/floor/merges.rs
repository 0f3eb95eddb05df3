//! Merges of feedback posts, by the fewest and best statements for the same rows.

use crate::failure::Failure;
use crate::rows::Value;
use rusqlite::{Connection, TransactionBehavior, named_params};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};
use uuid::Uuid;

/// A merge of an open post into another open post of its organization.
pub(crate) struct Merge {
    pub(crate) organization: Uuid,
    /// The identifier of the record.
    pub(crate) id: Uuid,
    pub(crate) source: Uuid,
    pub(crate) target: Uuid,
    pub(crate) merger: Uuid,
}

/// A connection that merges posts.
pub(crate) trait Merger {
    /// Merges, and returns after the commit.
    fn merge(&mut self, merge: &Merge) -> Result<(), Failure>;
}

/// The time of all merges, in milliseconds since the Unix epoch: 2026-01-01.
const AT: i64 = 1_767_225_600_000;

/// PostgreSQL.
pub(super) struct ByCte<'a> {
    client: Client,
    runtime: &'a Runtime,
    lock: Statement,
    transfer: Statement,
    close: Statement,
    redirect: Statement,
}

/// Locks both posts against votes and other merges. A statement of its own, so that the next one
/// sees the votes that were committed during the wait.
const LOCK: &str = "
    SELECT id FROM feedback_posts
    WHERE organization_id = $1 AND id IN ($2, $3) AND is_active AND merged_into_id IS NULL
    ORDER BY id FOR NO KEY UPDATE";

/// A user who voted for both posts loses the younger vote, all other votes move, and the record
/// lists the voters. The move is compared with the deletions, so it comes after them.
const TRANSFER: &str = "
    WITH twice AS MATERIALIZED (
        SELECT one.user_id,
            CASE WHEN (one.created_at, one.id) < (other.created_at, other.id) THEN other.id ELSE one.id END AS younger
        FROM votes one JOIN votes other ON other.organization_id = one.organization_id AND other.user_id = one.user_id
        WHERE one.organization_id = $1 AND one.feedback_post_id = $2
            AND other.organization_id = $1 AND other.feedback_post_id = $3
    ), dropped AS (
        DELETE FROM votes WHERE organization_id = $1 AND id IN (SELECT younger FROM twice) RETURNING id
    ), moved AS (
        UPDATE votes SET feedback_post_id = $3
        WHERE organization_id = $1 AND feedback_post_id = $2 AND id NOT IN (SELECT id FROM dropped)
        RETURNING user_id
    )
    INSERT INTO merges (organization_id, id, merge_post_id, into_post_id, merger_id, moved_user_ids, dropped_user_ids, created_at)
    VALUES ($1, $4, $2, $3, $5,
        ARRAY(SELECT user_id FROM moved ORDER BY user_id), ARRAY(SELECT user_id FROM twice ORDER BY user_id), $6)";

const CLOSE: &str = "
    UPDATE feedback_posts SET merged_into_id = $3, canonical_id = $3, updated_at = $4
    WHERE organization_id = $1 AND id = $2";

const REDIRECT: &str =
    "UPDATE feedback_posts SET canonical_id = $3 WHERE organization_id = $1 AND canonical_id = $2";

impl<'a> ByCte<'a> {
    pub(super) fn new(client: Client, runtime: &'a Runtime) -> Result<Self, Failure> {
        let preparing = async {
            let [lock, transfer, close, redirect] =
                [LOCK, TRANSFER, CLOSE, REDIRECT].map(|query| client.prepare(query));
            Ok((lock.await?, transfer.await?, close.await?, redirect.await?))
        };
        let prepared =
            runtime.block_on(preparing).map_err(Failure::postgres("preparing merges"))?;
        let (lock, transfer, close, redirect) = prepared;
        Ok(Self { client, runtime, lock, transfer, close, redirect })
    }
}

impl Merger for ByCte<'_> {
    fn merge(&mut self, merge: &Merge) -> Result<(), Failure> {
        let Merge { organization, id, source, target, merger } = merge;
        let merging = async {
            let at = Value::Moment(AT);
            let posts: [&(dyn ToSql + Sync); 3] = [organization, source, target];
            let transaction = self.client.transaction().await?;
            transaction.execute(&self.lock, &posts).await?;
            transaction
                .execute(&self.transfer, &[organization, source, target, id, merger, &at])
                .await?;
            transaction.execute(&self.close, &[organization, source, target, &at]).await?;
            transaction.execute(&self.redirect, &posts).await?;
            transaction.commit().await
        };
        self.runtime.block_on(merging).map_err(Failure::postgres("merging"))
    }
}

/// SQLite.
pub(super) struct ByStatements {
    connection: Connection,
}

/// The users who voted for both posts, with the younger vote of each.
const TWICE: &str = "
    SELECT one.user_id, iif((one.created_at, one.id) < (other.created_at, other.id), other.id, one.id)
    FROM votes one JOIN votes other ON other.organization_id = one.organization_id AND other.user_id = one.user_id
    WHERE one.organization_id = :organization AND one.feedback_post_id = :source AND other.feedback_post_id = :target";

const DROP: &str = "DELETE FROM votes WHERE organization_id = :organization AND id = :vote";

/// Read before the move: returning them from the move takes SQLite longer.
const VOTERS: &str = "SELECT user_id FROM votes WHERE organization_id = :organization AND feedback_post_id = :source ORDER BY user_id";

const MOVE: &str = "UPDATE votes SET feedback_post_id = :target WHERE organization_id = :organization AND feedback_post_id = :source";

const CLOSE_NAMED: &str = "
    UPDATE feedback_posts SET merged_into_id = :target, canonical_id = :target, updated_at = :at
    WHERE organization_id = :organization AND id = :source";

const REDIRECT_NAMED: &str = "UPDATE feedback_posts SET canonical_id = :target WHERE organization_id = :organization AND canonical_id = :source";

const RECORD: &str = "
    INSERT INTO merges (organization_id, id, merge_post_id, into_post_id, merger_id, moved_user_ids, dropped_user_ids, created_at)
    VALUES (:organization, :id, :source, :target, :merger, :moved, :dropped, :at)";

/// An identifier.
type Bytes = [u8; 16];

impl ByStatements {
    pub(super) fn new(connection: Connection) -> Result<Self, Failure> {
        // The settings of Hearback's writer.
        let settings =
            "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -32768";
        connection.execute_batch(settings).map_err(Failure::sqlite("preparing merges"))?;
        connection
            .busy_timeout(Duration::from_secs(5))
            .map_err(Failure::sqlite("preparing merges"))?;
        Ok(Self { connection })
    }
}

impl Merger for ByStatements {
    fn merge(&mut self, merge: &Merge) -> Result<(), Failure> {
        let [organization, id, source, target, merger] =
            [merge.organization, merge.id, merge.source, merge.target, merge.merger]
                .map(Uuid::into_bytes);
        let merging = |connection: &mut Connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let posts = named_params! { ":organization": organization, ":source": source, ":target": target };
            let mut comparing = transaction.prepare_cached(TWICE)?;
            let twice = comparing
                .query_map(posts, |row| Ok((row.get::<_, Bytes>(0)?, row.get::<_, Bytes>(1)?)))?;
            let (mut dropped, younger): (Vec<_>, Vec<_>) =
                twice.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
            drop(comparing);
            for vote in younger {
                transaction
                    .prepare_cached(DROP)?
                    .execute(named_params! { ":organization": organization, ":vote": vote })?;
            }
            let mut reading = transaction.prepare_cached(VOTERS)?;
            let voters = named_params! { ":organization": organization, ":source": source };
            let moved = reading
                .query_map(voters, |row| row.get::<_, Bytes>(0))?
                .collect::<Result<Vec<_>, _>>()?;
            drop(reading);
            transaction.prepare_cached(MOVE)?.execute(posts)?;
            dropped.sort_unstable();
            transaction.prepare_cached(CLOSE_NAMED)?.execute(named_params! {
                ":organization": organization, ":source": source, ":target": target, ":at": AT
            })?;
            transaction.prepare_cached(REDIRECT_NAMED)?.execute(posts)?;
            transaction.prepare_cached(RECORD)?.execute(named_params! {
                ":organization": organization, ":id": id, ":source": source, ":target": target, ":merger": merger,
                ":moved": moved.concat(), ":dropped": dropped.concat(), ":at": AT
            })?;
            transaction.commit()
        };
        merging(&mut self.connection).map_err(Failure::sqlite("merging"))
    }
}
