//! Writes whole organizations.
//!
//! Records are written one by one. With a prepared statement, this is as fast as many records in
//! one statement, and the record that breaks a rule is known at once.

use crate::connection::{Owned, Role, WAIT, begin_immediate};
use crate::error::{store_error, violated};
use crate::stored::Stored;
use crate::{SqliteStore, help_articles};
use async_trait::async_trait;
use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::BigInt;
use hearback_domain::id::OrganizationId;
use hearback_domain::{Uuid, with_kind, with_record};
use hearback_ports::import::{Ending, Import, Links, MergedPost, PutError, PutFault};
use hearback_ports::record::Reference;
use hearback_ports::{Batch, Importer, Kind, Record, StoreError, Unique};
use hearback_store_rows::counts::{self, Range};
use hearback_store_rows::schema::{feedback_posts, organizations};
use hearback_store_rows::statement::beginnings;
use hearback_store_rows::{Id, SqlId, one};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

#[async_trait]
impl Importer for SqliteStore {
    async fn begin(&self) -> Result<Box<dyn Import>, StoreError> {
        let doing = "beginning an import";
        let begin = move |connection: &mut SqliteConnection| {
            begin_immediate(connection, Instant::now() + WAIT)
                .map_err(|error| store_error(doing, error))
        };
        let connection = Owned::begin(doing, Arc::clone(&self.database), Role::Bulk, begin).await?;
        Ok(Box::new(SqliteImport { connection, begun: BTreeSet::new() }))
    }
}

/// An import in progress: the transaction of its connection. Closing the connection rolls it back.
struct SqliteImport {
    connection: Owned,
    /// The organizations with records.
    begun: BTreeSet<OrganizationId>,
}

/// The operation that an error of the import names.
const DOING: &str = "importing records";

#[async_trait]
impl Import for SqliteImport {
    async fn make_way(&mut self, organization: OrganizationId) -> Result<bool, StoreError> {
        let make_way = move |connection: &mut SqliteConnection| {
            // Within the import's transaction this is a savepoint.
            let removed = connection.transaction(|connection| {
                beginnings::<()>(organization)
                    .try_for_each(|removal| removal.execute(connection).map(drop))
            });
            match removed {
                Ok(()) => Ok(true),
                Err(Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _)) => Ok(false),
                Err(error) => Err(store_error(DOING, error)),
            }
        };
        self.connection.run(DOING, make_way).await
    }

    async fn put(&mut self, organization: OrganizationId, batch: Batch) -> Result<(), PutError> {
        self.begun.insert(organization);
        self.connection.run(DOING, move |connection| put(connection, organization, batch)).await
    }

    async fn link(&mut self, organization: OrganizationId, links: Links) -> Result<(), PutError> {
        self.connection.run(DOING, move |connection| link(connection, organization, &links)).await
    }

    async fn finish(mut self: Box<Self>, ending: Ending) -> Result<(), StoreError> {
        let doing = "ending an import";
        match ending {
            Ending::Commit => {
                let begun = self.begun;
                self.connection
                    .run(doing, move |connection| {
                        count(connection, &begun).map_err(|error| store_error(doing, error))?;
                        commit(connection)
                    })
                    .await
            }
            // Closing the connection rolls back.
            Ending::Discard => Ok(()),
        }
    }
}

/// Counts the records of new organizations.
fn count(
    connection: &mut SqliteConnection,
    organizations: &BTreeSet<OrganizationId>,
) -> QueryResult<()> {
    for &organization in organizations {
        counts::mend_posts::<()>(organization, Range::default()).execute(connection)?;
        counts::mend_others::<()>(organization).execute(connection)?;
    }
    Ok(())
}

fn commit(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    AnsiTransactionManager::commit_transaction(connection).map_err(|error| StoreError::Lost {
        doing: "committing an import",
        source: Box::new(error),
    })?;
    // The log contains the whole import, so it is truncated. Servers that are reading may prevent
    // this. One of them then does it later.
    if let Err(error) = connection.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)") {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "cannot shorten the write-ahead log after an import"
        );
    }
    Ok(())
}

fn put(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    batch: Batch,
) -> Result<(), PutError> {
    for (index, record) in batch.into_records().into_iter().enumerate() {
        let inserted =
            with_record!(&record, record => Stored::insert(connection, organization, record));
        if let Err(error) = inserted {
            let fault = fault(connection, organization, &record, error)?;
            return Err(PutError::Fault { index, fault });
        }
        if let Some(fault) = first_unknown(connection, organization, &record.listed_references())? {
            return Err(PutError::Fault { index, fault });
        }
    }
    Ok(())
}

/// The rule that a record broke when it was written.
fn fault(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    record: &Record,
    error: Error,
) -> Result<PutFault, StoreError> {
    if let Some(unique) = violated(&error) {
        return Ok(PutFault::Taken(first_broken(connection, organization, record, unique)?));
    }
    let references = record.references();
    // A comment that refers to itself as its parent breaks a CHECK.
    if matches!(
        error,
        Error::DatabaseError(
            DatabaseErrorKind::ForeignKeyViolation | DatabaseErrorKind::CheckViolation,
            _
        )
    ) && let Some(fault) = first_unknown(connection, organization, &references)?
    {
        return Ok(fault);
    }
    match (&error, references.last()) {
        (Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _), Some(reference)) => {
            Ok(PutFault::Mismatch { member: reference.member })
        }
        _ => Err(store_error(DOING, error)),
    }
}

/// The fault of the first reference to a missing record. `None` if all records exist.
fn first_unknown(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    references: &[Reference],
) -> Result<Option<PutFault>, StoreError> {
    for &Reference { member, kind, id } in references {
        if !is_there(connection, organization, column(kind), id)? {
            return Ok(Some(PutFault::Unknown { member, id }));
        }
    }
    Ok(None)
}

/// The rule to return if a record broke several. The rule that a database names depends on how its
/// indexes were created. So that all stores return the same rule, the identifier comes first, then
/// that of a person, then the rule that the database named.
fn first_broken(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    record: &Record,
    named: Unique,
) -> Result<Unique, StoreError> {
    let (table, _) = column(record.kind());
    let has_id = match record {
        // A deleted organization counts.
        Record::Organization(record) => {
            let query = organizations::table.find(Id::of(record.id)).count();
            query.get_result::<i64>(connection).map_err(|error| store_error(DOING, error))? == 1
        }
        _ => is_there(connection, organization, (table, "id"), record.id())?,
    };
    if has_id {
        return Ok(Unique::Id);
    }
    if let Record::User(user) = record
        && is_there(connection, organization, (table, "user_id"), user.user_id.0)?
    {
        return Ok(Unique::UserId);
    }
    Ok(named)
}

/// Returns whether an organization has a row with an identifier in this column.
fn is_there(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    (table, column): (&str, &str),
    id: Uuid,
) -> Result<bool, StoreError> {
    let found = diesel::sql_query(format!(
        "SELECT count(*) AS count FROM {table} WHERE organization_id = ? AND {column} = ?"
    ))
    .bind::<SqlId, _>(Id::of(organization))
    .bind::<SqlId, _>(Id(id))
    .get_result::<Found>(connection)
    .map_err(|error| store_error(DOING, error))?;
    Ok(found.count > 0)
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// The table of a kind, and the column by which other records refer to its records.
fn column(kind: Kind) -> (&'static str, &'static str) {
    with_kind!(kind, R => (R::TABLE, R::KEY))
}

fn link(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    links: &Links,
) -> Result<(), PutError> {
    for &post in &links.merged_posts {
        if let Err(error) = merge(connection, organization, post) {
            return Err(unknown_target(connection, organization, &links.merged_posts, error)?);
        }
    }
    for (index, (article, related)) in (links.merged_posts.len()..).zip(&links.related_articles) {
        for (place, &id) in (0..).zip(related) {
            if let Err(error) = help_articles::relate(connection, organization, *article, id, place)
            {
                let reference =
                    Reference { member: "related_article_ids", kind: Kind::HelpArticle, id: id.0 };
                return Err(unknown(connection, organization, index, reference)?
                    .unwrap_or_else(|| failed(error)));
            }
        }
    }
    Ok(())
}

/// Marks a post as merged.
fn merge(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: MergedPost,
) -> QueryResult<usize> {
    diesel::update(one!(feedback_posts, organization, Id::of(post.id)))
        .set((
            feedback_posts::merged_into_id.eq(Id::of(post.into)),
            feedback_posts::canonical_id.eq(Id::of(post.finally)),
        ))
        .execute(connection)
}

/// The fault of the first post whose target is missing. It may be another post than the one that
/// could not be written: that post may have been merged into a post that was itself merged into the
/// missing one.
fn unknown_target(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    merged_posts: &[MergedPost],
    error: Error,
) -> Result<PutError, StoreError> {
    for (index, post) in merged_posts.iter().enumerate() {
        let reference =
            Reference { member: "merged_into_id", kind: Kind::FeedbackPost, id: post.into.0 };
        if let Some(fault) = unknown(connection, organization, index, reference)? {
            return Ok(fault);
        }
    }
    Ok(failed(error))
}

/// The fault of a record that refers to a missing record. `None` if the record exists.
fn unknown(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    index: usize,
    reference: Reference,
) -> Result<Option<PutError>, StoreError> {
    let Reference { member, kind, id } = reference;
    let is_there = is_there(connection, organization, column(kind), id)?;
    Ok((!is_there).then_some(PutError::Fault { index, fault: PutFault::Unknown { member, id } }))
}

fn failed(error: Error) -> PutError {
    store_error(DOING, error).into()
}
