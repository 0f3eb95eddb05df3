//! Receipts: what a write answered, kept with the change itself, so that a repeated request gets the same answer.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::{Time, Uuid};

/// The client's name for one write: 1 to [`IdempotencyKey::MAX`] visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The most characters.
    pub const MAX: usize = 255;

    /// `None` unless the text is 1 to [`Self::MAX`] visible ASCII characters.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=Self::MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// The key as sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The result of a successful write, from which its response is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteResult {
    /// `/votes/toggle`: whether there is a vote now.
    Voted(bool),
    /// An update or a merge.
    Success,
    /// A creation: the new record's identifier.
    Created(Uuid),
}

impl WriteResult {
    /// The form that adapters store.
    pub fn encode(self) -> String {
        match self {
            Self::Voted(true) => "voted".to_owned(),
            Self::Voted(false) => "unvoted".to_owned(),
            Self::Success => "success".to_owned(),
            Self::Created(id) => format!("created {id}"),
        }
    }

    /// Reads what [`WriteResult::encode`] made; `None` for anything else.
    pub fn decode(text: &str) -> Option<Self> {
        match text {
            "voted" => Some(Self::Voted(true)),
            "unvoted" => Some(Self::Voted(false)),
            "success" => Some(Self::Success),
            other => Uuid::parse_str(other.strip_prefix("created ")?).ok().map(Self::Created),
        }
    }
}

/// A write that can be repeated safely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The endpoint, such as `/votes/toggle`.
    pub path: &'static str,
    /// The client's name for the write.
    pub key: IdempotencyKey,
    /// SHA-256 of the canonical body without the API key.
    pub body: [u8; 32],
    /// What was answered.
    pub answer: WriteResult,
    /// When.
    pub at: Time,
}

/// The receipt of an earlier write, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredReceipt {
    /// SHA-256 of the canonical body of that write.
    pub body: [u8; 32],
    /// What it answered.
    pub answer: WriteResult,
}

/// Finds and removes receipts. They are written by the repositories whose changes they belong to.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ReceiptRepository: Send + Sync {
    /// The receipt of a write, if it is not older than `since`.
    async fn find(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        since: Time,
    ) -> Result<Option<StoredReceipt>, StoreError>;

    /// Removes the receipt of a write if it is older than `before`, so that its key can be used again.
    async fn forget(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        before: Time,
    ) -> Result<(), StoreError>;

    /// Removes up to `limit` receipts that are older than `before`, oldest first. Answers how many.
    async fn prune(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_is_read_back_from_what_it_is_stored_as() {
        for answer in [
            WriteResult::Voted(true),
            WriteResult::Voted(false),
            WriteResult::Success,
            WriteResult::Created(Uuid::from_u128(7)),
        ] {
            assert_eq!(WriteResult::decode(&answer.encode()), Some(answer));
        }
        assert_eq!(WriteResult::decode("created"), None);
    }
}
