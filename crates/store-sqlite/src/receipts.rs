//! Receipts.

use crate::SqliteStore;
use crate::error::{Undone, store_error};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::id::OrganizationId;
use hearback_ports::receipts::StoredReceipt;
use hearback_ports::{IdempotencyKey, Receipt, ReceiptRepository, StoreError};
use hearback_store_rows::receipts::{FINDING, stored};
use hearback_store_rows::schema::receipts;
use hearback_store_rows::{Id, Stamp};

#[async_trait]
impl ReceiptRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        since: Time,
    ) -> Result<Option<StoredReceipt>, StoreError> {
        let found = self.readers.read(FINDING, |connection| {
            receipts::table
                .filter(receipts::organization_id.eq(Id::of(organization)))
                .filter(receipts::path.eq(path))
                .filter(receipts::idempotency_key.eq(key.as_str()))
                .filter(receipts::created_at.ge(Stamp::of(since)))
                .select((receipts::body_digest, receipts::answer))
                .first::<(Vec<u8>, String)>(connection)
                .optional()
        })?;
        found.map(|row| stored(organization, path, row)).transpose()
    }

    async fn forget(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        before: Time,
    ) -> Result<(), StoreError> {
        let doing = "removing a receipt";
        let work = move |connection: &mut SqliteConnection| {
            diesel::delete(receipts::table)
                .filter(receipts::organization_id.eq(Id::of(organization)))
                .filter(receipts::path.eq(path))
                .filter(receipts::idempotency_key.eq(key.as_str()))
                .filter(receipts::created_at.lt(Stamp::of(before)))
                .execute(connection)
        };
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))?;
        Ok(())
    }

    async fn prune(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let doing = "removing old receipts";
        let work =
            move |connection: &mut SqliteConnection| prune(connection, organization, before, limit);
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }
}

fn prune(
    connection: &mut SqliteConnection,
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
        .load(connection)?;
    let mut removed = 0;
    for (path, key) in old {
        removed += diesel::delete(receipts::table)
            .filter(receipts::organization_id.eq(Id::of(organization)))
            .filter(receipts::path.eq(path))
            .filter(receipts::idempotency_key.eq(key))
            .execute(connection)?;
    }
    Ok(removed)
}

/// Stores the receipt of a change, in the change's transaction.
pub(crate) fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
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
        .execute(connection)?;
    Ok(())
}
