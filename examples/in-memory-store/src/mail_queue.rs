//! The queue of mails.

use crate::lists::{first, size};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::entry_link::EntryLink;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::mail::{Audience, MailFailure, MailOutcome, Mailing};
use hearback_domain::subscription::Subscription;
use hearback_domain::user::User;
use hearback_domain::{Time, Uuid};
use hearback_ports::mail_queue::{ClaimedMail, SettledMail, Written};
use hearback_ports::mailer::Recipient;
use hearback_ports::{Lease, MailQueue};

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

/// A mail.
#[derive(Clone, Default)]
pub(crate) struct StoredMail {
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
            _ => "sent",
        }
    }
}

#[async_trait]
impl MailQueue for MemoryStore {
    async fn write(&self, organization: OrganizationId, now: Time, limit: i64) -> Result<Written> {
        let written = self.update(organization, |tenant| {
            let mut mailings = tenant.mailings.iter();
            let (_, stored) = mailings.find(|(_, stored)| !stored.is_finished)?;
            let StoredMailing { mailing, after, .. } = *stored;
            let reached = tenant.all().filter(|user: &&User| tenant.reaches(&mailing, user));
            let behind = reached.map(|user| user.user_id).filter(|user| Some(*user) > after);
            let batch = first(behind, limit);
            for user in &batch {
                let mail = StoredMail { due_at: Some(now), ..StoredMail::default() };
                tenant.mails.entry((mailing.id, *user)).or_insert(mail);
            }
            let (after, is_finished) = (batch.last().copied().or(after), batch.is_empty());
            tenant.mailings.insert(mailing.id, StoredMailing { mailing, after, is_finished });
            Some(batch.len())
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
            let due = tenant.mails.iter().filter(|(_, mail)| mail.is_due(now));
            let due = first(due.map(|(key, mail)| (mail.due_at, *key)), limit);
            let hand_out = |(_, (id, user))| {
                let mailing = tenant.mailings.get(&id)?.mailing;
                let reached = tenant.any(user).filter(|user| tenant.reaches(&mailing, user));
                let recipient = reached
                    .map(|it| Recipient { name: it.name.clone(), address: it.email.clone() });
                let mail = tenant.mails.get_mut(&(id, user))?;
                mail.due_at = None;
                mail.lease = Some(lease);
                mail.attempts += 1;
                Some(ClaimedMail { mailing, user, attempt: mail.attempts, recipient })
            };
            due.into_iter().filter_map(hand_out).collect()
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
}

impl Tenant {
    /// Whether a mail of a mailing goes to a user.
    pub(crate) fn reaches(&self, mailing: &Mailing, user: &User) -> bool {
        let (entry, posts) = match mailing.subject.audience() {
            Audience::Subscribers(post, _) => (None, vec![post]),
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
