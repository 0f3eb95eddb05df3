//! Records of every kind: loaded by their keys, and changed together.

use crate::{Receipt, Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::audit::AuditEntry;
use hearback_domain::counted::{Counted, counted};
use hearback_domain::event::Event;
use hearback_domain::follow_up::{Affected, FollowUp};
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::mail::Mailing;
use hearback_domain::record::{Key, Kind, Known, Parent, Step};
use hearback_domain::{Time, Uuid};

/// A change of records: all of it is stored, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The records that are made, edited and removed, in this order. No record occurs twice.
    pub steps: Vec<Step>,
    /// The records that must exist and be active when the change is stored.
    pub needs: Vec<Key>,
    /// The records to which no active record may refer once the steps are made, by
    /// the members that [`referring`](hearback_domain::follow_up::referring) lists.
    pub unused: Vec<Key>,
    /// The counts that move beside those that the steps [move](hearback_domain::counted::counted).
    pub counts: Counted,
    /// The changes of many records that follow from this one. They are stored with it, and
    /// [`RecordRepository::next_follow_up`] returns them.
    pub follow_ups: Vec<FollowUp>,
    /// The events of the change.
    pub events: Vec<Event>,
    /// The entries of the audit log.
    pub audit: Vec<AuditEntry>,
    /// The mailings of the change. A mailing about an entry is not queued if it reaches nobody: the
    /// entry is mailed when it is published again. Others that reach nobody may be left out.
    pub mailings: Vec<Mailing>,
    /// The receipt that makes the change safe to repeat.
    pub receipt: Option<Receipt>,
    /// When the change is made.
    pub at: Time,
}

impl Change {
    /// All counts that the change moves. The order is that in which a store writes them.
    pub fn counted(&self) -> Counted {
        let mut counted = counted(&self.steps);
        for (count, by) in &self.counts {
            *counted.entry(*count).or_default() += by;
        }
        counted
    }

    /// A change at a time, without steps.
    pub fn at(at: Time) -> Self {
        Self {
            steps: vec![],
            needs: vec![],
            unused: vec![],
            counts: Counted::new(),
            follow_ups: vec![],
            events: vec![],
            audit: vec![],
            mailings: vec![],
            receipt: None,
            at,
        }
    }
}

/// The names that are unique among the records of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// The slug, by [`Slug::key`](hearback_domain::slug::Slug::key). A deleted record keeps its
    /// slug.
    Slug,
    /// The code. The code of a deleted tag is free; other deleted records keep theirs.
    Code,
    /// The identifier of another tool. That of a deleted record is free.
    ExternalId,
    /// The path that a redirect begins at.
    FromPath,
}

/// Changes records of every kind. Toggles of votes and merges of posts have ports of their own.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RecordRepository: Send + Sync {
    /// The records with these keys, active or not. They may be of different moments:
    /// [`Self::apply`] guards against that.
    async fn load(&self, organization: OrganizationId, keys: Vec<Key>)
    -> Result<Known, StoreError>;

    /// Those of `names` that a record of the kind has, each with the record's identifier, in any
    /// order.
    async fn named(
        &self,
        organization: OrganizationId,
        kind: Kind,
        name: Name,
        names: Vec<String>,
    ) -> Result<Vec<(String, Uuid)>, StoreError>;

    /// The identifiers of up to `limit` records of a kind, active or not, in ascending order, from
    /// behind `after` on.
    async fn ids(
        &self,
        organization: OrganizationId,
        kind: Kind,
        after: Option<Uuid>,
        limit: i64,
    ) -> Result<Vec<Uuid>, StoreError>;

    /// Stores a change, with a delivery of each event to each subscription that receives it.
    ///
    /// In this order:
    ///
    /// * [`Recorded::Missing`] with the first of `needs` that is missing or not active;
    /// * [`Recorded::Stale`] if an edited or removed record is not
    ///   [unchanged](hearback_domain::record::Record::is_unchanged), or the organization no longer
    ///   exists;
    /// * [`Recorded::Taken`] if a record breaks a unique rule;
    /// * [`Recorded::Stale`] if a redirect that a step makes or edits leads to the beginning of
    ///   another one, or begins where another one leads. Two such changes never run at once;
    /// * [`Recorded::InUse`] with the first of `unused` to which an active record
    ///   [refers](hearback_domain::follow_up::referring).
    ///
    /// A record [placed](Step::placement) at the end of a list gets the position behind the last
    /// one that was ever given there. An edit never writes counters of readers.
    ///
    /// With [`FollowUp::Replace`] of a record, the records that it was to replace get its own
    /// replacement, and so do the articles that were to move to it. If the record is a user, the
    /// events that name the user name the other one from then on, and so do the mailings whose
    /// mails are not all written. With [`FollowUp::Erase`], the person's mails are removed, and the
    /// receipts whose key contains the person's address.
    ///
    /// The audit log has no values of a record that a step [erases](Step::erased), but for those of
    /// the change itself.
    ///
    /// From the edit that deletes a tag on, [`FeedbackPostRepository`] shows no post with the tag.
    ///
    /// [`FeedbackPostRepository`]: crate::FeedbackPostRepository
    async fn apply(
        &self,
        organization: OrganizationId,
        change: Change,
    ) -> Result<Recorded, StoreError>;

    /// A follow-up that is not finished, with up to `limit` of the records of each
    /// [`Affected`] that it still has to change. Follow-ups without such records end. `None` if all
    /// have ended.
    ///
    /// [`FollowUp::Erase`] comes without records while this method itself removes a part of the
    /// events whose payload [names](hearback_domain::event::Happening::person) the person, with their
    /// deliveries, and the sources of the person's votes.
    async fn next_follow_up(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Option<(FollowUp, Vec<Key>)>, StoreError>;

    /// Up to `limit` of the records of each [`Affected`] that a follow-up changes, stored or not.
    async fn affected(
        &self,
        organization: OrganizationId,
        follow_up: FollowUp,
        limit: i64,
    ) -> Result<Vec<Key>, StoreError>;

    /// Up to `limit` of the records that the [erasure](hearback_domain::record::Record::erase) of
    /// what was deleted before a time still has to reach. Each call with the records erased in
    /// between finds others, until none is left.
    ///
    /// These are deleted users, companies, comments, posts and roadmap posts that are not
    /// [erased](hearback_domain::record::Record::is_erased), the earliest deletions first. What
    /// belongs to a post comes before the post: its comments with a text or active, its
    /// subscriptions, its links and its votes. A vote that was cast on another post, which is merged
    /// into the post and active, stays for the end of the merge. So does the
    /// [dropped vote](hearback_domain::merge::DroppedVote) of such a post. The votes of the deleted
    /// posts that are merged into a deleted one are found with either.
    async fn erasable(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<Vec<Key>, StoreError>;

    /// The number of records whose member has a value.
    async fn count(
        &self,
        organization: OrganizationId,
        affected: Affected,
        value: Uuid,
    ) -> Result<i64, StoreError>;

    /// The number of posts on which both users have a vote (`kind` is a vote), or to which both
    /// are subscribed.
    async fn shared(
        &self,
        organization: OrganizationId,
        kind: Kind,
        users: (UserId, UserId),
    ) -> Result<i64, StoreError>;

    /// The active records of a list, by position, then by identifier.
    async fn siblings(
        &self,
        organization: OrganizationId,
        kind: Kind,
        parent: Parent,
    ) -> Result<Vec<Uuid>, StoreError>;
}
