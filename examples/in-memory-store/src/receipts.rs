//! Receipts of writes.

use crate::page::first;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::OrganizationId;
use hearback_ports::receipts::StoredReceipt;
use hearback_ports::{IdempotencyKey, ReceiptRepository};

#[async_trait]
impl ReceiptRepository for MemoryStore {
    async fn find(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        since: Time,
    ) -> Result<Option<StoredReceipt>> {
        Ok(self.read(organization, |tenant| {
            let receipt = tenant.receipts.get(&(path, key.as_str().to_owned()))?;
            (receipt.at >= since)
                .then_some(StoredReceipt { body: receipt.body, answer: receipt.answer })
        }))
    }

    async fn forget(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        before: Time,
    ) -> Result<()> {
        self.update(organization, |tenant| {
            let key = (path, key.as_str().to_owned());
            if tenant.receipts.get(&key).is_some_and(|receipt| receipt.at < before) {
                tenant.receipts.remove(&key);
            }
        })
    }

    async fn prune(&self, organization: OrganizationId, before: Time, limit: i64) -> Result<usize> {
        self.update(organization, |tenant| {
            let old = tenant.receipts.iter().filter(|(_, receipt)| receipt.at < before);
            let old = old.map(|(key, receipt)| (receipt.at, key.clone()));
            let removed = first(old, limit, Clone::clone);
            for (_, key) in &removed {
                tenant.receipts.remove(key);
            }
            removed.len()
        })
    }
}
