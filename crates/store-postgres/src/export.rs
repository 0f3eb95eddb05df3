//! Reading a whole organization as of one moment.

use crate::PgStore;
use crate::comments::StoredComment;
use crate::connection::{Owned, Role};
use crate::error::{BadRow, read_error};
use crate::rows::all;
use crate::schema::instance;
use crate::{
    categories, changelog_entries, comments, feedback_boards, feedback_posts, help_articles,
    help_categories, help_collections, keys, labels, merges, organizations, roadmap_boards,
    roadmap_posts, statuses, tags, users, votes, webhook_subscriptions,
};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::result::Error;
use diesel_async::{AnsiTransactionManager, AsyncPgConnection, RunQueryDsl};
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;
use hearback_ports::export::{ExportKey, ExportPage, Snapshot};
use hearback_ports::{Batch, Exporter, Kind, StoreError};

#[async_trait]
impl Exporter for PgStore {
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        let mut connection = self.connect("beginning an export", Role::Bulk).await?;
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        AnsiTransactionManager::begin_transaction_sql(&mut connection, begin)
            .await
            .map_err(failed)?;
        // The moment of the transaction is that of its first read.
        instance::table
            .select(instance::name)
            .limit(1)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(Box::new(PgSnapshot { connection: Owned::new(connection) }))
    }
}

/// A read transaction, which ends when its connection is closed.
struct PgSnapshot {
    connection: Owned,
}

/// What the export does, in an error.
const DOING: &str = "exporting records";

#[async_trait]
impl Snapshot for PgSnapshot {
    async fn organization(&mut self, slug: &str) -> Result<Option<Organization>, StoreError> {
        let find = async |connection: &mut _| {
            organizations::by_slug(connection, slug).await.map_err(failed)
        };
        let row = self.connection.run(DOING, find).await?;
        Ok(row.map(Organization::try_from).transpose()?)
    }

    async fn page(
        &mut self,
        organization: OrganizationId,
        kind: Kind,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError> {
        self.connection
            .run(DOING, async |connection| page(connection, organization, kind, after, limit).await)
            .await
    }
}

async fn page(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    kind: Kind,
    after: Option<ExportKey>,
    limit: i64,
) -> Result<ExportPage, StoreError> {
    let (to, behind, fetch) = (organization, after.map(|key| key.id), limit.saturating_add(1));
    match kind {
        Kind::Organization => {
            let found =
                if after.is_none() { organizations::by_id(connection, to).await } else { Ok(None) };
            cut(found.map(Vec::from_iter), limit, |it| it.id.0, Batch::Organization)
        }
        Kind::User => cut(
            users::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::User,
        ),
        Kind::FeedbackBoard => cut(
            feedback_boards::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::FeedbackBoard,
        ),
        Kind::RoadmapBoard => cut(
            roadmap_boards::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::RoadmapBoard,
        ),
        Kind::Status => cut(
            statuses::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::Status,
        ),
        Kind::Category => cut(
            categories::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::Category,
        ),
        Kind::Tag => {
            cut(tags::export(connection, to, behind, fetch).await, limit, |it| it.id.0, Batch::Tag)
        }
        Kind::FeedbackPost => cut(
            feedback_posts::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::FeedbackPost,
        ),
        Kind::RoadmapPost => cut(
            roadmap_posts::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::RoadmapPost,
        ),
        Kind::Comment => comments(connection, to, after, limit).await,
        Kind::Vote => cut(
            votes::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::Vote,
        ),
        Kind::Merge => cut(
            merges::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::Merge,
        ),
        Kind::Label => cut(
            labels::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::Label,
        ),
        Kind::ChangelogEntry => cut(
            changelog_entries::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::ChangelogEntry,
        ),
        Kind::HelpCollection => cut(
            help_collections::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::HelpCollection,
        ),
        Kind::HelpCategory => cut(
            help_categories::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::HelpCategory,
        ),
        Kind::HelpArticle => cut(
            help_articles::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::HelpArticle,
        ),
        Kind::WebhookSubscription => {
            let fetched = webhook_subscriptions::export(connection, to, behind, fetch).await;
            cut(fetched, limit, |it| it.id.0, Batch::WebhookSubscription)
        }
        Kind::ApiKey => cut(
            keys::export(connection, to, behind, fetch).await,
            limit,
            |it| it.id.0,
            Batch::ApiKey,
        ),
    }
}

/// A page of what was fetched, which is one record more than asked for where more follow.
fn cut<R, T: TryFrom<R, Error = BadRow>>(
    fetched: QueryResult<Vec<R>>,
    limit: i64,
    id: impl Fn(&T) -> Uuid,
    batch: impl FnOnce(Vec<T>) -> Batch,
) -> Result<ExportPage, StoreError> {
    let mut records: Vec<T> = all(fetched.map_err(failed)?)?;
    let next = last_kept(&mut records, limit).map(|last| ExportKey { depth: 0, id: id(last) });
    Ok(ExportPage { batch: batch(records), next })
}

/// [`cut`] for comments, whose key has a depth that is no part of a comment.
async fn comments(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<ExportKey>,
    limit: i64,
) -> Result<ExportPage, StoreError> {
    let mut rows = comments::export(connection, organization, after, limit.saturating_add(1))
        .await
        .map_err(failed)?;
    let next = last_kept(&mut rows, limit).map(StoredComment::key);
    Ok(ExportPage { batch: Batch::Comment(all(rows)?), next })
}

/// Shortens to `limit` records; the last of them, if more followed it.
fn last_kept<T>(records: &mut Vec<T>, limit: i64) -> Option<&T> {
    let limit = usize::try_from(limit).unwrap_or(0);
    if records.len() <= limit {
        return None;
    }
    records.truncate(limit);
    records.last()
}

fn failed(error: Error) -> StoreError {
    read_error(DOING, error)
}
