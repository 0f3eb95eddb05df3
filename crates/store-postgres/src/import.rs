//! Writes whole organizations.

use crate::PgStore;
use crate::connection::{Owned, Role};
use crate::error::{read_error, violated, write_error};
use crate::help_articles as articles;
use crate::stored::Stored;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::{Array, Bool, Uuid as SqlUuid};
use diesel_async::{
    AnsiTransactionManager, AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection,
    TransactionManager,
};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::{Uuid, with_batch, with_kind};
use hearback_ports::import::{Ending, Import, Links, MergedPost, PutError, PutFault};
use hearback_ports::record::Reference;
use hearback_ports::{Batch, Importer, Kind, Record, StoreError, Unique};
use hearback_store_rows::Id;
use hearback_store_rows::counts::{self, Range};
use hearback_store_rows::schema::{feedback_posts, help_articles, organizations};
use hearback_store_rows::statement::beginnings;
use std::collections::{BTreeSet, HashSet};

#[async_trait]
impl Importer for PgStore {
    async fn begin(&self) -> Result<Box<dyn Import>, StoreError> {
        let doing = "beginning an import";
        let mut connection = self.connect(doing, Role::Bulk).await?;
        AnsiTransactionManager::begin_transaction(&mut connection)
            .await
            .map_err(|error| read_error(doing, error))?;
        Ok(Box::new(PgImport {
            connection: Owned::new(connection),
            growth: Growth::default(),
            begun: BTreeSet::new(),
        }))
    }
}

/// An import in progress: the transaction of its connection. Closing the connection rolls it back.
struct PgImport {
    connection: Owned,
    growth: Growth,
    /// The organizations with records.
    begun: BTreeSet<OrganizationId>,
}

/// The operation that an error of the import names.
const DOING: &str = "importing records";

#[async_trait]
impl Import for PgImport {
    async fn make_way(&mut self, organization: OrganizationId) -> Result<bool, StoreError> {
        self.connection
            .run(DOING, async |connection| match make_way(connection, organization).await {
                Ok(()) => Ok(true),
                Err(Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _)) => Ok(false),
                Err(error) => Err(read_error(DOING, error)),
            })
            .await
    }

    async fn put(&mut self, organization: OrganizationId, batch: Batch) -> Result<(), PutError> {
        self.begun.insert(organization);
        let has_outgrown_plans = self.growth.count(organization, &batch);
        let put = self.connection.run(DOING, async |connection| {
            put(connection, organization, batch).await?;
            if has_outgrown_plans { forget_plans(connection).await.map_err(failed) } else { Ok(()) }
        });
        put.await
    }

    async fn link(&mut self, organization: OrganizationId, links: Links) -> Result<(), PutError> {
        self.connection
            .run(DOING, async |connection| link(connection, organization, links).await)
            .await
    }

    async fn finish(mut self: Box<Self>, ending: Ending) -> Result<(), StoreError> {
        let doing = "ending an import";
        match ending {
            Ending::Commit => {
                let (grown, begun) = (self.growth.grown, self.begun);
                self.connection
                    .run(doing, async |connection| {
                        count(connection, &begun)
                            .await
                            .map_err(|error| write_error(doing, error))?;
                        commit(connection, &grown).await
                    })
                    .await
            }
            // Closing the connection rolls the import back.
            Ending::Discard => Ok(()),
        }
    }
}

/// The growth of the tables.
///
/// PostgreSQL plans the checks of a foreign key at the first check, and uses that plan from then
/// on. While an organization has few rows, every index that begins with the organization seems as
/// good as the key's own. With another index, each check would later read all rows of the
/// organization that is imported next.
#[derive(Default)]
struct Growth {
    /// The organization and the kind of the last batch.
    kind: Option<(OrganizationId, Kind)>,
    /// The number of records of that kind that came in a row.
    count: usize,
    /// The tables with so many records in a row that other sessions need new statistics.
    grown: BTreeSet<&'static str>,
}

impl Growth {
    /// Counts a batch. Returns whether earlier plans are no good any more: each time that the
    /// number of records in a row reaches another power of ten, from 1,000 on.
    fn count(&mut self, organization: OrganizationId, batch: &Batch) -> bool {
        let kind = (organization, batch.kind());
        let before = if self.kind == Some(kind) { self.count } else { 0 };
        self.kind = Some(kind);
        self.count = before + batch.len();
        let has_grown = before.max(100).ilog10() < self.count.max(100).ilog10();
        if has_grown {
            let (table, _) = column(batch.kind());
            self.grown.insert(table);
        }
        has_grown
    }
}

/// Discards the plans of the session, so that they are made again when they are next needed.
async fn forget_plans(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    connection.batch_execute("DISCARD PLANS").await
}

/// Counts the records of the organizations.
async fn count(
    connection: &mut AsyncPgConnection,
    organizations: &BTreeSet<OrganizationId>,
) -> QueryResult<()> {
    for &organization in organizations {
        // The organization may have been there before, with people who vote meanwhile.
        let counted = counts::hold_posts::<()>(organization, Range::default());
        counted.execute(connection).await?;
        counts::hold_others::<()>(organization).execute(connection).await?;
        let posts = counts::mend_posts::<()>(organization, Range::default());
        posts.execute(connection).await?;
        counts::mend_others::<()>(organization).execute(connection).await?;
    }
    Ok(())
}

/// Commits the transaction, with new statistics of the tables that have grown. Servers have plans
/// that were good for small tables, and would use them until the database analyzes the tables by
/// itself. A table that another session is analyzing is skipped.
async fn commit(
    connection: &mut AsyncPgConnection,
    grown: &BTreeSet<&str>,
) -> Result<(), StoreError> {
    if !grown.is_empty() {
        let tables = Vec::from_iter(grown.iter().copied()).join(", ");
        let analyzed = connection.batch_execute(&format!("ANALYZE (SKIP_LOCKED) {tables}")).await;
        analyzed.map_err(|error| write_error("analyzing the imported tables", error))?;
    }
    let committed = AnsiTransactionManager::commit_transaction(connection).await;
    committed.map_err(|error| write_error("committing an import", error))
}

async fn put(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    batch: Batch,
) -> Result<(), PutError> {
    match insert(connection, organization, &batch).await {
        Ok(()) => check_lists(connection, organization, batch).await,
        Err(error) if is_violation(&error) => put_one_by_one(connection, organization, batch).await,
        Err(error) => Err(failed(error)),
    }
}

/// Finds the first record that breaks a rule, by writing the records again, one by one.
async fn put_one_by_one(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    batch: Batch,
) -> Result<(), PutError> {
    for (index, record) in batch.into_records().into_iter().enumerate() {
        let batch = Batch::from(record.clone());
        if let Err(error) = insert(connection, organization, &batch).await {
            let fault = fault(connection, organization, &record, error).await?;
            return Err(PutError::Fault { index, fault });
        }
        if let Some(fault) =
            first_unknown(connection, organization, &record.listed_references()).await?
        {
            return Err(PutError::Fault { index, fault });
        }
    }
    Ok(())
}

/// Finds the first of the written records with a list that refers to a missing record.
async fn check_lists(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    batch: Batch,
) -> Result<(), PutError> {
    for (index, record) in batch.into_records().into_iter().enumerate() {
        if let Some(fault) =
            first_unknown(connection, organization, &record.listed_references()).await?
        {
            return Err(PutError::Fault { index, fault });
        }
    }
    Ok(())
}

/// Removes the records with which an organization began, or changes nothing.
async fn make_way(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
) -> QueryResult<()> {
    // Within the import's transaction this is a savepoint.
    connection
        .transaction(async |connection| {
            for removal in beginnings::<()>(organization) {
                removal.execute(connection).await?;
            }
            Ok(())
        })
        .await
}

/// Appends a batch, or changes nothing.
async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    batch: &Batch,
) -> QueryResult<()> {
    // Within the import's transaction this is a savepoint.
    connection
        .transaction(async |connection| {
            with_batch!(batch, all => Stored::insert(connection, organization, all).await)
        })
        .await
}

/// Returns whether a record broke a rule. `false` if the store failed.
fn is_violation(error: &Error) -> bool {
    use DatabaseErrorKind::{CheckViolation, ForeignKeyViolation, UniqueViolation};
    matches!(error, Error::DatabaseError(CheckViolation | ForeignKeyViolation | UniqueViolation, _))
}

/// The rule that a record broke when it was written.
async fn fault(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    record: &Record,
    error: Error,
) -> Result<PutFault, PutError> {
    if let Some(unique) = violated(&error) {
        return Ok(PutFault::Taken(
            first_broken(connection, organization, record, unique).await.map_err(failed)?,
        ));
    }
    let references = record.references();
    // A comment that refers to itself as its parent breaks a CHECK.
    if matches!(
        error,
        Error::DatabaseError(
            DatabaseErrorKind::ForeignKeyViolation | DatabaseErrorKind::CheckViolation,
            _
        )
    ) && let Some(fault) = first_unknown(connection, organization, &references).await?
    {
        return Ok(fault);
    }
    match (&error, references.last()) {
        (Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _), Some(reference)) => {
            Ok(PutFault::Mismatch { member: reference.member })
        }
        _ => Err(failed(error)),
    }
}

/// The fault of the first reference to a missing record. `None` if all records exist.
async fn first_unknown(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    references: &[Reference],
) -> Result<Option<PutFault>, PutError> {
    for &Reference { member, kind, id } in references {
        if !is_there(connection, organization, column(kind), id).await.map_err(failed)? {
            return Ok(Some(PutFault::Unknown { member, id }));
        }
    }
    Ok(None)
}

/// The rule to return if a record broke several. The rule that a database names depends on how its
/// indexes were created. So that all stores return the same rule, the identifier comes first, then
/// that of a person, then the rule that the database named.
async fn first_broken(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    record: &Record,
    named: Unique,
) -> QueryResult<Unique> {
    let (table, _) = column(record.kind());
    let has_id = match record {
        // A deleted organization counts.
        Record::Organization(record) => {
            let query = organizations::table.find(Id::of(record.id)).count();
            query.get_result::<i64>(connection).await? == 1
        }
        _ => is_there(connection, organization, (table, "id"), record.id()).await?,
    };
    if has_id {
        return Ok(Unique::Id);
    }
    if let Record::User(user) = record
        && is_there(connection, organization, (table, "user_id"), user.user_id.0).await?
    {
        return Ok(Unique::UserId);
    }
    Ok(named)
}

/// Returns whether an organization has a row with an identifier in this column.
async fn is_there(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    (table, column): (&str, &str),
    id: Uuid,
) -> QueryResult<bool> {
    let query = format!(
        "SELECT EXISTS (SELECT FROM {table} WHERE organization_id = $1 AND {column} = $2) AS is_there"
    );
    let found: Found = diesel::sql_query(query)
        .bind::<SqlUuid, _>(organization.0)
        .bind::<SqlUuid, _>(id)
        .get_result(connection)
        .await?;
    Ok(found.is_there)
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Bool)]
    is_there: bool,
}

/// The table of a kind, and the column by which other records refer to its records.
fn column(kind: Kind) -> (&'static str, &'static str) {
    with_kind!(kind, R => (R::TABLE, R::KEY))
}

async fn link(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    links: Links,
) -> Result<(), PutError> {
    let Links { merged_posts, related_articles } = links;
    if let Some((index, id)) =
        unknown_post(connection, organization, &merged_posts).await.map_err(failed)?
    {
        return Err(PutError::Fault {
            index,
            fault: PutFault::Unknown { member: "merged_into_id", id: id.0 },
        });
    }
    if let Some((index, id)) =
        unknown_article(connection, organization, &related_articles).await.map_err(failed)?
    {
        let index = merged_posts.len() + index;
        return Err(PutError::Fault {
            index,
            fault: PutFault::Unknown { member: "related_article_ids", id: id.0 },
        });
    }
    merge(connection, organization, &merged_posts).await.map_err(failed)?;
    articles::relate(connection, organization, &related_articles).await.map_err(failed)?;
    Ok(())
}

/// The index of the first merged post whose target is missing, and the target.
async fn unknown_post(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    merged: &[MergedPost],
) -> QueryResult<Option<(usize, Id)>> {
    let targets: HashSet<Id> = merged.iter().map(|post| Id::of(post.into)).collect();
    let there: Vec<Id> = feedback_posts::table
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::id.eq_any(Vec::from_iter(targets)))
        .select(feedback_posts::id)
        .load(connection)
        .await?;
    let there: HashSet<Id> = there.into_iter().collect();
    let targets = merged.iter().map(|post| Id::of(post.into));
    Ok(targets.enumerate().find(|(_, target)| !there.contains(target)))
}

/// The index of the first article with a related article that is missing, and the missing article.
async fn unknown_article(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    related: &[(HelpArticleId, Vec<HelpArticleId>)],
) -> QueryResult<Option<(usize, Id)>> {
    let named: HashSet<Id> =
        related.iter().flat_map(|(_, related)| related.iter().map(|id| Id::of(*id))).collect();
    let there: Vec<Id> = help_articles::table
        .filter(help_articles::organization_id.eq(Id::of(organization)))
        .filter(help_articles::id.eq_any(Vec::from_iter(named)))
        .select(help_articles::id)
        .load(connection)
        .await?;
    let there: HashSet<Id> = there.into_iter().collect();
    let unknown = |related: &[HelpArticleId]| {
        related.iter().map(|id| Id::of(*id)).find(|id| !there.contains(id))
    };
    Ok(related
        .iter()
        .enumerate()
        .find_map(|(index, (_, related))| Some((index, unknown(related)?))))
}

/// Marks posts as merged.
async fn merge(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    merged: &[MergedPost],
) -> QueryResult<()> {
    let ids = |of: fn(&MergedPost) -> Uuid| merged.iter().map(of).collect::<Vec<Uuid>>();
    diesel::sql_query(
        "UPDATE feedback_posts SET merged_into_id = merged.into_id, canonical_id = merged.canonical_id \
         FROM unnest($2, $3, $4) AS merged (id, into_id, canonical_id) \
         WHERE feedback_posts.organization_id = $1 AND feedback_posts.id = merged.id",
    )
    .bind::<SqlUuid, _>(organization.0)
    .bind::<Array<SqlUuid>, _>(ids(|post| post.id.0))
    .bind::<Array<SqlUuid>, _>(ids(|post| post.into.0))
    .bind::<Array<SqlUuid>, _>(ids(|post| post.finally.0))
    .execute(connection)
    .await?;
    Ok(())
}

fn failed(error: Error) -> PutError {
    PutError::Store(read_error(DOING, error))
}
