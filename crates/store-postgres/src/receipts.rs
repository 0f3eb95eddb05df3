//! Receipts of writes.

use crate::PgStore;
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Binary, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::id::OrganizationId;
use hearback_domain::{Time, Uuid};
use hearback_ports::receipts::StoredReceipt;
use hearback_ports::{IdempotencyKey, Receipt, ReceiptRepository, StoreError};
use hearback_store_rows::receipts::{FINDING, stored};
use hearback_store_rows::schema::receipts;
use hearback_store_rows::{Id, SqlStamp, Stamp};
use std::collections::BTreeMap;

#[async_trait]
impl ReceiptRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        since: Time,
    ) -> Result<Option<StoredReceipt>, StoreError> {
        let row: Option<(Vec<u8>, String)> = self
            .readers
            .row(FINDING, || {
                receipts::table
                    .filter(receipts::organization_id.eq(Id::of(organization)))
                    .filter(receipts::path.eq(path))
                    .filter(receipts::idempotency_key.eq(key.as_str().to_owned()))
                    .filter(receipts::created_at.ge(Stamp::of(since)))
                    .select((receipts::body_digest, receipts::answer))
            })
            .await?;
        row.map(|row| stored(organization, path, row)).transpose()
    }

    async fn forget(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        before: Time,
    ) -> Result<(), StoreError> {
        let work = self.writer.write("removing a receipt", move |connection| {
            let this = receipts::table
                .filter(receipts::organization_id.eq(Id::of(organization)))
                .filter(receipts::path.eq(path))
                .filter(receipts::idempotency_key.eq(key.as_str().to_owned()))
                .filter(receipts::created_at.lt(Stamp::of(before)));
            async move { diesel::delete(this).execute(connection).await }.boxed()
        });
        // `None`: another transaction was faster, and removed it.
        work.await?;
        Ok(())
    }

    async fn prune(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let work = self.writer.write("removing old receipts", move |connection| {
            async move { prune(connection, organization, before, limit).await }.boxed()
        });
        // `None`: another transaction was faster, and removed them.
        Ok(work.await?.unwrap_or(0))
    }
}

async fn prune(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    before: Time,
    limit: i64,
) -> QueryResult<usize> {
    let old: Vec<(String, String)> = receipts::table
        .filter(receipts::organization_id.eq(Id::of(organization)))
        .filter(receipts::created_at.lt(Stamp::of(before)))
        .order(receipts::created_at)
        .limit(limit)
        .select((receipts::path, receipts::idempotency_key))
        .for_update()
        .skip_locked()
        .load(connection)
        .await?;
    let mut removed = 0;
    for (path, keys) in by_path(old) {
        removed += diesel::delete(receipts::table)
            .filter(receipts::organization_id.eq(Id::of(organization)))
            .filter(receipts::path.eq(path))
            .filter(receipts::idempotency_key.eq_any(keys))
            .execute(connection)
            .await?;
    }
    Ok(removed)
}

/// The keys of each path. One statement can name the receipts of one path.
fn by_path(receipts: Vec<(String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut keys_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, key) in receipts {
        keys_of.entry(path).or_default().push(key);
    }
    keys_of
}

/// Stores the receipt of a change, in the change's transaction.
pub(crate) async fn insert(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    receipt: Option<&Receipt>,
) -> QueryResult<()> {
    let Some(receipt) = receipt else { return Ok(()) };
    diesel::insert_into(receipts::table)
        .values((
            receipts::organization_id.eq(Id::of(organization)),
            receipts::path.eq(receipt.path),
            receipts::idempotency_key.eq(receipt.key.as_str()),
            receipts::body_digest.eq(receipt.body.as_slice()),
            receipts::answer.eq(receipt.answer.encode()),
            receipts::created_at.eq(Stamp::of(receipt.at)),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// [`insert`] as a part of a statement with a part `changed`. It inserts a receipt for each row of
/// `changed`.
#[derive(QueryId)]
pub(crate) struct InsertReceipt {
    organization: Uuid,
    path: &'static str,
    key: String,
    body: [u8; 32],
    answer: String,
    at: Stamp,
}

impl InsertReceipt {
    /// A receipt of an organization.
    pub(crate) fn new(organization: OrganizationId, receipt: Receipt) -> Self {
        Self {
            organization: organization.0,
            path: receipt.path,
            key: receipt.key.as_str().to_owned(),
            body: receipt.body,
            answer: receipt.answer.encode(),
            at: Stamp::of(receipt.at),
        }
    }
}

impl QueryFragment<Pg> for InsertReceipt {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            ", receipt AS (INSERT INTO receipts \
             (organization_id, path, idempotency_key, body_digest, answer, created_at) SELECT ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.path)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.key)?;
        out.push_sql(", ");
        out.push_bind_param::<Binary, _>(&self.body)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.answer)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlStamp, _>(&self.at)?;
        out.push_sql(" FROM changed)");
        Ok(())
    }
}
