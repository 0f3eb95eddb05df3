//! Receipts: the results of writes, stored with the changes, so that a repeated request gets the
//! same response.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::OrganizationId;
use hearback_domain::{Time, Uuid};

/// A client's key of one write: 1 to [`IdempotencyKey::MAX`] visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The most characters.
    pub const MAX: usize = 255;

    /// Checks a key. `None` unless the text is 1 to [`Self::MAX`] visible ASCII characters.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteResult {
    /// A toggle of a vote: whether the voter has a vote now.
    Voted(bool),
    /// An update, a deletion or a merge.
    Success,
    /// A creation: the identifier of the new record.
    Created(Uuid),
    /// A change of many records: the number of changed ones.
    Updated(u64),
    /// Posts and comments were moderated: the number of changed ones.
    Decided(u64),
    /// A vote was set.
    Set {
        /// Whether the voter has a vote now.
        voted: bool,
        /// Whether the voter had none before, or the other way round.
        changed: bool,
    },
    /// Votes of many voters were set.
    SetMany {
        /// The number of votes that changed.
        changed: u64,
        /// The number of votes that were as wanted.
        unchanged: u64,
    },
    /// A webhook got a secret.
    Secret {
        /// The identifier of the webhook.
        id: Uuid,
        /// The secret. Only the vault opens it.
        sealed: Sealed,
    },
    /// Deliveries were replayed: their number.
    Replayed(u64),
    /// A record that was made or changed.
    Upserted {
        /// The identifier of the record.
        id: Uuid,
        /// The identifier of the person, if the record is a user.
        user_id: Option<Uuid>,
        /// Whether the record was made.
        created: bool,
    },
}

impl WriteResult {
    /// The form that adapters store.
    pub fn encode(&self) -> String {
        match self {
            Self::Voted(true) => "voted".to_owned(),
            Self::Voted(false) => "unvoted".to_owned(),
            Self::Success => "success".to_owned(),
            Self::Created(id) => format!("created {id}"),
            Self::Updated(count) => format!("updated {count}"),
            Self::Decided(count) => format!("decided {count}"),
            Self::Set { voted, changed } => format!("set {voted} {changed}"),
            Self::SetMany { changed, unchanged } => format!("set-many {changed} {unchanged}"),
            Self::Secret { id, sealed } => {
                let sealed: String = sealed.0.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("secret {id} {sealed}")
            }
            Self::Replayed(count) => format!("replayed {count}"),
            Self::Upserted { id, user_id, created } => {
                let user_id = user_id.map(|id| id.to_string()).unwrap_or_default();
                format!("upserted {id} {user_id} {created}")
            }
        }
    }

    /// Reads the text that [`WriteResult::encode`] made. `None` for any other text.
    pub fn decode(text: &str) -> Option<Self> {
        match text {
            "voted" => Some(Self::Voted(true)),
            "unvoted" => Some(Self::Voted(false)),
            "success" => Some(Self::Success),
            other => match other.split_once(' ')? {
                ("created", id) => Uuid::parse_str(id).ok().map(Self::Created),
                ("updated", count) => count.parse().ok().map(Self::Updated),
                ("decided", count) => count.parse().ok().map(Self::Decided),
                ("secret", both) => {
                    let (id, sealed) = both.split_once(' ')?;
                    let byte = |at| u8::from_str_radix(sealed.get(at..at + 2)?, 16).ok();
                    let sealed = (0..sealed.len()).step_by(2).map(byte).collect::<Option<_>>()?;
                    let id = Uuid::parse_str(id).ok()?;
                    Some(Self::Secret { id, sealed: Sealed(sealed) })
                }
                ("replayed", count) => count.parse().ok().map(Self::Replayed),
                ("set", both) => {
                    let (voted, changed) = both.split_once(' ')?;
                    Some(Self::Set { voted: voted.parse().ok()?, changed: changed.parse().ok()? })
                }
                ("set-many", both) => {
                    let (changed, unchanged) = both.split_once(' ')?;
                    let (changed, unchanged) = (changed.parse().ok()?, unchanged.parse().ok()?);
                    Some(Self::SetMany { changed, unchanged })
                }
                ("upserted", rest) => {
                    let [id, user_id, created] = rest.splitn(3, ' ').collect::<Vec<_>>()[..] else {
                        return None;
                    };
                    let user_id = match user_id {
                        "" => None,
                        id => Some(Uuid::parse_str(id).ok()?),
                    };
                    let id = Uuid::parse_str(id).ok()?;
                    Some(Self::Upserted { id, user_id, created: created.parse().ok()? })
                }
                _ => None,
            },
        }
    }
}

/// The receipt of a write. It makes the write safe to repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The path of the endpoint, such as `/votes/toggle`.
    pub path: &'static str,
    /// The client's key of the write.
    pub key: IdempotencyKey,
    /// The SHA-256 of the canonical body without the API key.
    pub body: [u8; 32],
    /// The result of the write.
    pub answer: WriteResult,
    /// When the write was made.
    pub at: Time,
}

/// The receipt of an earlier write, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReceipt {
    /// The SHA-256 of the canonical body of that write.
    pub body: [u8; 32],
    /// The result of that write.
    pub answer: WriteResult,
}

/// Finds and removes receipts. The methods that record changes write them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ReceiptRepository: Send + Sync {
    /// The receipt of a write, unless it is older than `since`.
    async fn find(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        since: Time,
    ) -> Result<Option<StoredReceipt>, StoreError>;

    /// Removes the receipt of a write if it is older than `before`, so that its key can be used
    /// again.
    async fn forget(
        &self,
        organization: OrganizationId,
        path: &'static str,
        key: IdempotencyKey,
        before: Time,
    ) -> Result<(), StoreError>;

    /// Removes up to `limit` receipts older than `before`, oldest first. Returns the number of
    /// receipts removed.
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
    fn every_result_is_decoded_from_its_stored_form() {
        for result in [
            WriteResult::Voted(true),
            WriteResult::Voted(false),
            WriteResult::Success,
            WriteResult::Created(Uuid::from_u128(7)),
            WriteResult::Decided(4),
            WriteResult::Secret { id: Uuid::from_u128(7), sealed: Sealed(vec![0, 1, 255]) },
            WriteResult::Replayed(3),
            WriteResult::Set { voted: true, changed: false },
            WriteResult::SetMany { changed: 2, unchanged: 0 },
            WriteResult::Updated(7),
            WriteResult::Upserted {
                id: Uuid::from_u128(7),
                user_id: Some(Uuid::from_u128(8)),
                created: true,
            },
            WriteResult::Upserted { id: Uuid::from_u128(7), user_id: None, created: false },
        ] {
            assert_eq!(WriteResult::decode(&result.encode()), Some(result));
        }
        assert_eq!(WriteResult::decode("created"), None);
    }
}
