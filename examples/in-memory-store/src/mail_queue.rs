//! The queue of mails.

use crate::lists::{Order, count, first, size, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::entry_link::EntryLink;
use hearback_domain::id::{ChangelogEntryId, OrganizationId, UserId};
use hearback_domain::mail::{
    Audience, Delivery, MOST_IN_DIGEST, MailFailure, MailOutcome, Mailing,
};
use hearback_domain::subscription::Subscription;
use hearback_domain::user::User;
use hearback_domain::{Time, Uuid};
use hearback_ports::mail_queue::{ClaimedMail, Draft, Readers, SettledMail, Written};
use hearback_ports::mailer::Recipient;
use hearback_ports::{Lease, MailQueue};
use std::collections::{BTreeSet, HashMap};

/// A mailing, and the progress of writing its mails.
#[derive(Clone)]
pub(crate) struct StoredMailing {
    pub(crate) mailing: Mailing,
    /// The last user whose mail is written.
    after: Option<UserId>,
    pub(crate) is_finished: bool,
}

impl From<Mailing> for StoredMailing {
    fn from(mailing: Mailing) -> Self {
        Self { mailing, after: None, is_finished: false }
    }
}

/// A mail, which is also a notification.
#[derive(Clone)]
pub(crate) struct StoredMail {
    pub(crate) at: Time,
    pub(crate) is_unread: bool,
    in_digest: bool,
    /// Whether the portal alone tells of the change.
    is_kept: bool,
    /// When the next attempt is due. `None` if the mail has a lease or has ended.
    pub(crate) due_at: Option<Time>,
    lease: Option<Lease>,
    attempts: u32,
    /// The reason for the failure of the last attempt.
    pub(crate) failure: Option<MailFailure>,
}

impl StoredMail {
    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.due_at.is_some_and(|at| at <= now)
    }

    /// Whether the notification may be removed: it was written before `before`, and no mail of it is
    /// still to be sent.
    pub(crate) fn is_old(&self, before: Time) -> bool {
        self.at < before && self.due_at.is_none() && self.lease.is_none()
    }

    /// Whether the lease has run out.
    pub(crate) fn is_interrupted(&self, now: Time) -> bool {
        self.lease.is_some_and(|lease| lease.until < now)
    }

    /// The name of the state.
    pub(crate) fn state(&self) -> &'static str {
        match self {
            Self { due_at: Some(_), .. } => "pending",
            Self { lease: Some(_), .. } => "sending",
            Self { failure: Some(_), .. } => "failed",
            Self { is_kept: true, .. } => "kept",
            _ => "sent",
        }
    }
}

#[async_trait]
impl MailQueue for MemoryStore {
    async fn next(&self, organization: OrganizationId, limit: i64) -> Result<Option<Draft>> {
        self.read(organization, |tenant| {
            let mut mailings = tenant.mailings.values();
            let StoredMailing { mailing, after, .. } = *mailings.find(|it| !it.is_finished)?;
            let reached = tenant.all().filter(|user: &&User| tenant.reaches(&mailing, user));
            let behind = reached.filter(|user| Some(user.user_id) > after).cloned();
            let mut users = sorted(behind, Order::Ascending, |user: &User| user.user_id);
            let is_last = users.len() < size(limit);
            users.truncate(size(limit));
            Some(Draft { mailing, after, users, is_last })
        })
    }

    async fn write(
        &self,
        organization: OrganizationId,
        Draft { mailing, after, users, is_last }: Draft,
        mails: Vec<(UserId, Delivery)>,
        now: Time,
    ) -> Result<Written> {
        let written = self.update(organization, |tenant| {
            let stored = tenant.mailings.get_mut(&mailing.id)?;
            if stored.after != after || stored.is_finished {
                return None;
            }
            stored.after = users.last().map(|user| user.user_id).or(after);
            stored.is_finished = is_last;
            for (user, delivery) in &mails {
                let due_at = match delivery {
                    Delivery::Kept => None,
                    Delivery::Mail(at) | Delivery::Digest(at) => Some(*at),
                };
                let mail = StoredMail {
                    at: now,
                    is_unread: true,
                    in_digest: matches!(delivery, Delivery::Digest(_)),
                    is_kept: due_at.is_none(),
                    due_at,
                    lease: None,
                    attempts: 0,
                    failure: None,
                };
                tenant.mails.entry((mailing.id, *user)).or_insert(mail);
            }
            Some(mails.len())
        });
        Ok(written?.map_or(Written::Nothing, Written::Batch))
    }

    async fn claim(
        &self,
        organization: OrganizationId,
        lease: Lease,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ClaimedMail>> {
        self.update(organization, |tenant| {
            let mails = tenant.mails.iter_mut();
            let interrupted = mails.filter(|(_, mail)| mail.is_interrupted(now));
            for (_, mail) in interrupted.take(size(limit)) {
                mail.lease = None;
                mail.failure = Some(MailFailure::Interrupted);
            }
            tenant.shorten_digests(now);
            let due = |in_digest| {
                let mails = tenant.mails.iter();
                mails.filter(move |(_, it)| it.in_digest == in_digest && it.is_due(now))
            };
            let mut claimed = first(due(false).map(|(key, mail)| (mail.due_at, *key)), limit);
            let rest = limit - claimed.len() as i64;
            let users: BTreeSet<UserId> = due(true).map(|((_, user), _)| *user).collect();
            let users: Vec<UserId> = users.into_iter().take(size(rest)).collect();
            let digests = due(true).filter(|((_, user), _)| users.contains(user));
            claimed.extend(digests.map(|(key, mail)| (mail.due_at, *key)));
            let hand_out = |(_, (id, user))| {
                let mailing = tenant.mailings.get(&id)?.mailing;
                let reached = tenant
                    .any(user)
                    .filter(|user: &&User| user.receives_mail() && tenant.reaches(&mailing, user));
                let recipient = reached
                    .map(|it| Recipient { name: it.name.clone(), address: it.email.clone() });
                let mail = tenant.mails.get_mut(&(id, user))?;
                mail.due_at = None;
                mail.lease = Some(lease);
                mail.attempts += 1;
                let (attempt, in_digest) = (mail.attempts, mail.in_digest);
                Some(ClaimedMail { mailing, user, attempt, in_digest, recipient })
            };
            claimed.into_iter().filter_map(hand_out).collect()
        })
    }

    async fn settle(
        &self,
        organization: OrganizationId,
        holder: Uuid,
        mails: Vec<SettledMail>,
        _now: Time,
    ) -> Result<()> {
        self.update(organization, |tenant| {
            for SettledMail { mailing, user, outcome } in mails {
                if let Some(mail) = tenant.mails.get_mut(&(mailing, user))
                    && mail.lease.is_some_and(|lease| lease.holder == holder)
                {
                    mail.lease = None;
                    (mail.due_at, mail.failure) = match outcome {
                        MailOutcome::Sent => (None, None),
                        MailOutcome::Retry { at, failure } => (Some(at), Some(failure)),
                        MailOutcome::Failed { failure } => (None, Some(failure)),
                    };
                }
            }
        })
    }

    async fn readers(
        &self,
        organization: OrganizationId,
        entry: ChangelogEntryId,
        most: i64,
    ) -> Result<Readers> {
        self.read(organization, |tenant| {
            if tenant.mailings.contains_key(&Mailing::of_entry(entry).id) {
                return Readers::default();
            }
            let posts: Vec<_> = tenant
                .all()
                .filter(|link: &&EntryLink| link.changelog_entry_id == entry)
                .map(|link| link.feedback_post_id)
                .collect();
            let is_voter = |user: &&User| {
                let is_its = |it: &Subscription| {
                    it.user_id == user.user_id && posts.contains(&it.feedback_post_id)
                };
                !user.is_blocked && tenant.all().any(is_its)
            };
            let readers = || tenant.all().filter(|user: &&User| user.receives_changelog());
            let most = size(most);
            Readers {
                all: count(readers().take(most)),
                voters: count(readers().filter(is_voter).take(most)),
            }
        })
    }
}

impl Tenant {
    /// Keeps the older mails of long digests that are due as notifications.
    fn shorten_digests(&mut self, now: Time) {
        let mut newest: HashMap<UserId, usize> = HashMap::new();
        let due = self.mails.iter_mut().filter(|(_, mail)| mail.in_digest && mail.is_due(now));
        let due = sorted(due, Order::Descending, |((id, _), mail)| (mail.at, *id));
        for ((_, user), mail) in due {
            let count = newest.entry(*user).or_default();
            *count += 1;
            if *count > MOST_IN_DIGEST {
                mail.due_at = None;
                mail.is_kept = true;
            }
        }
    }

    /// Queues a mailing if it reaches a user.
    pub(crate) fn announce(&mut self, mailing: Mailing) {
        if self.all().any(|user: &User| self.reaches(&mailing, user)) {
            self.mailings.entry(mailing.id).or_insert(mailing.into());
        }
    }

    /// Whether a mail of a mailing goes to a user.
    pub(crate) fn reaches(&self, mailing: &Mailing, user: &User) -> bool {
        let (entry, posts) = match mailing.subject.audience() {
            Audience::Subscribers { post, .. } => (None, vec![post]),
            Audience::One(_) | Audience::Moderators => (None, vec![]),
            Audience::Readers(entry) => {
                let links = self.all().filter(|link: &&EntryLink| link.changelog_entry_id == entry);
                (self.any(entry), links.map(|link| link.feedback_post_id).collect())
            }
        };
        let mut subscriptions = self.all::<Subscription>();
        let its = subscriptions
            .find(|it| it.user_id == user.user_id && posts.contains(&it.feedback_post_id));
        mailing.reaches(user, its.map(|it| it.level), entry)
    }
}
