//! Reading a whole organization as of one moment.

use crate::comments::StoredComment;
use crate::connection::{Owned, Role};
use crate::error::{BadRow, store_error};
use crate::rows::{Id, all};
use crate::schema::instance;
use crate::{
    SqliteStore, categories, changelog_entries, comments, feedback_boards, feedback_posts,
    help_articles, help_categories, help_collections, keys, labels, merges, organizations,
    roadmap_boards, roadmap_posts, statuses, tags, users, votes, webhook_subscriptions,
};
use async_trait::async_trait;
use diesel::connection::{AnsiTransactionManager, TransactionManager};
use diesel::prelude::*;
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;
use hearback_ports::export::{ExportKey, ExportPage, Snapshot};
use hearback_ports::{Batch, Exporter, Kind, StoreError};
use std::sync::Arc;

#[async_trait]
impl Exporter for SqliteStore {
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        let doing = "beginning an export";
        let begin = move |connection: &mut SqliteConnection| {
            AnsiTransactionManager::begin_transaction(connection)
                .map_err(|error| store_error(doing, error))?;
            // The moment of a read transaction is that of its first read.
            let read =
                instance::table.select(instance::name).first::<String>(connection).optional();
            read.map(|_| ()).map_err(|error| store_error(doing, error))
        };
        let connection =
            Owned::begin(doing, Arc::clone(&self.database), Role::Reader, begin).await?;
        Ok(Box::new(SqliteSnapshot { connection }))
    }
}

/// A read transaction, which ends when its connection is closed.
struct SqliteSnapshot {
    connection: Owned,
}

/// What the export does, in an error.
const DOING: &str = "exporting records";

#[async_trait]
impl Snapshot for SqliteSnapshot {
    async fn organization(&mut self, slug: &str) -> Result<Option<Organization>, StoreError> {
        let slug = slug.to_owned();
        let find = move |connection: &mut SqliteConnection| {
            organizations::by_slug(connection, &slug).map_err(|error| store_error(DOING, error))
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
            .run(DOING, move |connection| page(connection, organization, kind, after, limit))
            .await
    }
}

fn page(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    kind: Kind,
    after: Option<ExportKey>,
    limit: i64,
) -> Result<ExportPage, StoreError> {
    let (to, behind, fetch) = (organization, after.map(|key| Id(key.id)), limit.saturating_add(1));
    match kind {
        Kind::Organization => {
            let found =
                if after.is_none() { organizations::by_id(connection, to) } else { Ok(None) };
            cut(found.map(Vec::from_iter), limit, |it| it.id.0, Batch::Organization)
        }
        Kind::User => {
            cut(users::export(connection, to, behind, fetch), limit, |it| it.id.0, Batch::User)
        }
        Kind::FeedbackBoard => cut(
            feedback_boards::export(connection, to, behind, fetch),
            limit,
            |it| it.id.0,
            Batch::FeedbackBoard,
        ),
        Kind::RoadmapBoard => cut(
            roadmap_boards::export(connection, to, behind, fetch),
            limit,
            |it| it.id.0,
            Batch::RoadmapBoard,
        ),
        Kind::Status => {
            cut(statuses::export(connection, to, behind, fetch), limit, |it| it.id.0, Batch::Status)
        }
        Kind::Category => cut(
            categories::export(connection, to, behind, fetch),
            limit,
            |it| it.id.0,
            Batch::Category,
        ),
        Kind::Tag => {
            cut(tags::export(connection, to, behind, fetch), limit, |it| it.id.0, Batch::Tag)
        }
        Kind::FeedbackPost => cut(
            feedback_posts::export(connection, to, behind, fetch),
            limit,
            |it| it.id.0,
            Batch::FeedbackPost,
        ),
        Kind::RoadmapPost => cut(
            roadmap_posts::export(connection, to, behind, fetch),
            limit,
            |it| it.id.0,
            Batch::RoadmapPost,
        ),
        Kind::Comment => comments(connection, to, after, limit),
        Kind::Vote => {
            cut(votes::export(connection, to, behind, fetch), limit, |it| it.id.0, Batch::Vote)
        }
        Kind::Merge => {
            cut(merges::export(connection, to, behind, fetch), limit, |it| it.id.0, Batch::Merge)
        }
        Kind::Label => {
            cut(labels::export(connection, to, behind, fetch), limit, |it| it.id.0, Batch::Label)
        }
        Kind::ChangelogEntry => cut(
            changelog_entries::export(connection, to, behind, fetch),
            limit,
            |it| it.id.0,
            Batch::ChangelogEntry,
        ),
        Kind::HelpCollection => cut(
            help_collections::export(connection, to, behind, fetch),
            limit,
            |it| it.id.0,
            Batch::HelpCollection,
        ),
        Kind::HelpCategory => cut(
            help_categories::export(connection, to, behind, fetch),
            limit,
            |it| it.id.0,
            Batch::HelpCategory,
        ),
        Kind::HelpArticle => cut(
            help_articles::export(connection, to, behind, fetch),
            limit,
            |it| it.id.0,
            Batch::HelpArticle,
        ),
        Kind::WebhookSubscription => cut(
            webhook_subscriptions::export(connection, to, behind, fetch),
            limit,
            |it| it.id.0,
            Batch::WebhookSubscription,
        ),
        Kind::ApiKey => {
            cut(keys::export(connection, to, behind, fetch), limit, |it| it.id.0, Batch::ApiKey)
        }
    }
}

/// A page of what was fetched, which is one record more than asked for where more follow.
fn cut<R, T: TryFrom<R, Error = BadRow>>(
    fetched: QueryResult<Vec<R>>,
    limit: i64,
    id: impl Fn(&T) -> Uuid,
    batch: impl FnOnce(Vec<T>) -> Batch,
) -> Result<ExportPage, StoreError> {
    let mut records: Vec<T> = all(fetched.map_err(|error| store_error(DOING, error))?)?;
    let next = last_kept(&mut records, limit).map(|last| ExportKey { depth: 0, id: id(last) });
    Ok(ExportPage { batch: batch(records), next })
}

/// [`cut`] for comments, whose key has a depth that is no part of a comment.
fn comments(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    after: Option<ExportKey>,
    limit: i64,
) -> Result<ExportPage, StoreError> {
    let rows = comments::export(connection, organization, after, limit.saturating_add(1));
    let mut rows = rows.map_err(|error| store_error(DOING, error))?;
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
