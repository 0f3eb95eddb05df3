//! One organization with everything that it has.

use hearback_domain::api_key::{ApiKey, KeyDigest};
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::help_article::HelpArticle;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::id::{ApiKeyId, ChangelogEntryId, EventId, SubscriptionId, UserId};
use hearback_domain::position::Position;
use hearback_domain::record::Parent;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::{Uuid, slug::Slug};
use hearback_ports::events::StoredEvent;
use hearback_ports::record::{Key, OfKind};
use hearback_ports::{Kind, Receipt, Record, Recorded, Unique};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use crate::deliveries::Sending;
use crate::mail_queue::{Mailing, StoredMail};
use crate::webhook_subscriptions::Standing;

/// One organization with everything that it has.
#[derive(Clone, Default)]
pub(crate) struct Tenant {
    pub(crate) records: BTreeMap<Key, Arc<Record>>,
    /// The records that have the unique values.
    unique: BTreeMap<(Kind, Unique, String), Uuid>,
    /// The last position that was ever given in each list.
    ends: BTreeMap<(Kind, Parent), Position>,
    /// The keys that are not active any more.
    pub(crate) revoked_keys: BTreeMap<ApiKeyId, ApiKey>,
    /// What subscriptions have beside their records.
    pub(crate) standings: BTreeMap<SubscriptionId, Standing>,
    pub(crate) receipts: BTreeMap<(&'static str, String), Receipt>,
    pub(crate) events: BTreeMap<EventId, StoredEvent>,
    pub(crate) deliveries: BTreeMap<(SubscriptionId, EventId), Sending>,
    pub(crate) mailings: BTreeMap<ChangelogEntryId, Mailing>,
    pub(crate) mails: BTreeMap<(ChangelogEntryId, UserId), StoredMail>,
}

impl Tenant {
    /// A record, active or not.
    pub(crate) fn record(&self, key: Key) -> Option<&Record> {
        self.records.get(&key).map(Arc::as_ref)
    }

    /// The records of a kind, active or not, by key.
    pub(crate) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Record> {
        self.records.range((kind, Uuid::nil())..=(kind, Uuid::max())).map(|(_, record)| &**record)
    }

    /// The records of a kind, active or not, by key.
    pub(crate) fn all<R: OfKind>(&self) -> impl Iterator<Item = &R> {
        self.of_kind(R::KIND).filter_map(R::of_record)
    }

    /// The active records of a kind, by key.
    pub(crate) fn active<R: OfKind>(&self) -> impl Iterator<Item = &R> {
        self.of_kind(R::KIND).filter(|record| record.is_active()).filter_map(R::of_record)
    }

    /// A record of a kind, active or not.
    pub(crate) fn any<R: OfKind>(&self, id: impl Into<Uuid>) -> Option<&R> {
        self.record((R::KIND, id.into())).and_then(R::of_record)
    }

    /// An active record of a kind.
    pub(crate) fn find<R: OfKind>(&self, id: impl Into<Uuid>) -> Option<&R> {
        let record = self.record((R::KIND, id.into()))?;
        R::of_record(record).filter(|_| record.is_active())
    }

    /// The record of a kind that has a unique value.
    pub(crate) fn holder(&self, kind: Kind, rule: Unique, value: &str) -> Option<Uuid> {
        self.unique.get(&(kind, rule, value.to_owned())).copied()
    }

    /// Whether a key was ever one of this organization.
    pub(crate) fn has_known(&self, digest: KeyDigest) -> bool {
        self.all::<ApiKey>().chain(self.revoked_keys.values()).any(|key| key.digest == digest)
    }

    /// The position behind the last one that was ever given in a list.
    pub(crate) fn next_position(&self, kind: Kind, parent: Parent) -> Position {
        self.ends.get(&(kind, parent)).copied().unwrap_or(Position::START).next()
    }

    /// Adds a record. If it breaks a unique rule, the organization is not to be used any more.
    pub(crate) fn add(&mut self, record: Record) -> Result<(), Unique> {
        let key = record.key();
        for (rule, value) in unique_values(&record) {
            match self.unique.entry((key.0, rule, value)) {
                Entry::Occupied(_) => return Err(rule),
                Entry::Vacant(free) => free.insert(key.1),
            };
        }
        if let (Some(parent), Some(position)) = (record.parent(), record.position()) {
            let end = self.ends.entry((key.0, parent)).or_insert(position);
            *end = position.max(*end);
        }
        self.records.insert(key, Arc::new(record));
        Ok(())
    }

    /// Removes a record.
    pub(crate) fn remove(&mut self, key: Key) {
        if let Some(record) = self.records.remove(&key) {
            for (rule, value) in unique_values(&record) {
                self.unique.remove(&(key.0, rule, value));
            }
        }
    }

    /// Changes a record that is there, but none of its unique values.
    pub(crate) fn edit<R: OfKind>(&mut self, id: impl Into<Uuid>, change: impl FnOnce(&mut R)) {
        let key = (R::KIND, id.into());
        if let Some(record) = self.records.get_mut(&key)
            && let Some(mut changed) = R::of_record(record).cloned()
        {
            change(&mut changed);
            *record = Arc::new(changed.into_record());
        }
    }

    /// Keeps the receipt of a write, if it has one.
    pub(crate) fn keep(&mut self, receipt: Option<Receipt>) -> Result<(), Recorded> {
        let Some(receipt) = receipt else { return Ok(()) };
        match self.receipts.entry((receipt.path, receipt.key.as_str().to_owned())) {
            Entry::Occupied(_) => Err(Recorded::Taken(Unique::Receipt)),
            Entry::Vacant(free) => {
                free.insert(receipt);
                Ok(())
            }
        }
    }
}

/// The values of a record that no other record of its kind may have, the identifier first.
fn unique_values(record: &Record) -> Vec<(Unique, String)> {
    let mut all = vec![(Unique::Id, record.id().to_string())];
    let mut add = |rule, value: Option<String>| all.extend(value.map(|value| (rule, value)));
    let is_active = record.is_active();
    add(Unique::Slug, slug(record).map(Slug::key));
    add(Unique::Code, code(record).map(str::to_owned));
    add(Unique::ExternalId, record.external_id().filter(|_| is_active).map(str::to_owned));
    match record {
        Record::User(user) => {
            add(Unique::UserId, Some(user.user_id.to_string()));
            add(Unique::Email, Some(user.email.clone()).filter(|email| !email.is_empty()));
        }
        Record::Status(status) => {
            add(Unique::DefaultStatus, status.is_default_status.then(String::new));
        }
        Record::Vote(vote) => {
            add(Unique::Vote, Some(format!("{} {:?}", vote.user_id, vote.target)));
        }
        Record::ApiKey(_) => add(Unique::ActiveKey, Some(String::new())),
        _ => {}
    }
    all
}

fn slug(record: &Record) -> Option<&Slug> {
    match record {
        Record::FeedbackBoard(FeedbackBoard { slug, .. })
        | Record::RoadmapBoard(RoadmapBoard { slug, .. })
        | Record::FeedbackPost(FeedbackPost { slug, .. })
        | Record::RoadmapPost(RoadmapPost { slug, .. })
        | Record::ChangelogEntry(ChangelogEntry { slug, .. })
        | Record::HelpCollection(HelpCollection { slug, .. })
        | Record::HelpCategory(HelpCategory { slug, .. })
        | Record::HelpArticle(HelpArticle { slug, .. }) => Some(slug),
        _ => None,
    }
}

fn code(record: &Record) -> Option<&str> {
    match record {
        Record::Status(status) => Some(&status.code),
        Record::Category(category) => Some(&category.code),
        Record::Label(label) => Some(&label.code),
        // A deleted tag gives up its code, and no other record does.
        Record::Tag(tag) => tag.code.as_deref().filter(|_| tag.is_active),
        _ => None,
    }
}
