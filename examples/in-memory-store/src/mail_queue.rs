//! Mails on their way.

use crate::page::first;
use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::id::{ChangelogEntryId, OrganizationId, UserId};
use hearback_domain::mail::{MailFailure, MailOutcome};
use hearback_domain::organization::Organization;
use hearback_domain::user::User;
use hearback_domain::{Time, Uuid};
use hearback_ports::mail_queue::{Announcement, ClaimedMail, SettledMail, Written};
use hearback_ports::mailer::Recipient;
use hearback_ports::{Lease, MailQueue};

/// How far the mails of an entry are written.
#[derive(Clone, Default)]
pub(crate) struct Mailing {
    /// The last user who was looked at.
    after: Option<UserId>,
    pub(crate) is_finished: bool,
}

/// A mail.
#[derive(Clone, Default)]
pub(crate) struct StoredMail {
    /// When it is to be sent, unless it is on its way or has ended.
    pub(crate) due_at: Option<Time>,
    /// Who sends it.
    lease: Option<Lease>,
    attempts: u32,
    /// Why the last try failed.
    pub(crate) failure: Option<MailFailure>,
}

impl StoredMail {
    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.due_at.is_some_and(|at| at <= now)
    }

    pub(crate) fn is_interrupted(&self, now: Time) -> bool {
        self.lease.is_some_and(|lease| lease.until < now)
    }

    /// The name of its state.
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
        let written = self.update(organization, |tenant| tenant.write_mails(now, limit))?;
        Ok(written.map_or(Written::Nothing, Written::Batch))
    }

    async fn claim(
        &self,
        organization: OrganizationId,
        lease: Lease,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ClaimedMail>> {
        self.update(organization, |tenant| {
            let all = tenant.mails.iter();
            let interrupted = all.filter(|(_, mail)| mail.is_interrupted(now)).map(|(key, _)| *key);
            for key in first(interrupted, limit, |key| *key) {
                let mail = tenant.mails.entry(key).or_default();
                mail.lease = None;
                mail.failure = Some(MailFailure::Interrupted);
            }
            let due = tenant.mails.iter().filter(|(_, mail)| mail.is_due(now));
            let due = first(due.map(|(key, mail)| (mail.due_at, *key)), limit, |due| *due);
            due.into_iter().map(|(_, key)| tenant.hand_out_mail(key, lease)).collect()
        })
    }

    async fn announcement(
        &self,
        organization: OrganizationId,
        entry: ChangelogEntryId,
    ) -> Result<Option<Announcement>> {
        Ok(self.read(organization, |tenant| {
            let organization_name = tenant.all::<Organization>().next()?.name.clone();
            let entry = tenant.any::<ChangelogEntry>(entry)?.clone();
            Some(Announcement { organization_name, entry })
        }))
    }

    async fn settle(
        &self,
        organization: OrganizationId,
        holder: Uuid,
        mails: Vec<SettledMail>,
        _now: Time,
    ) -> Result<()> {
        self.update(organization, |tenant| {
            for SettledMail { entry, user, outcome } in mails {
                let Some(mail) = tenant.mails.get_mut(&(entry, user)) else { continue };
                if mail.lease.is_some_and(|lease| lease.holder == holder) {
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
    /// Writes the next mails of an unfinished mailing, and tells how many.
    fn write_mails(&mut self, now: Time, limit: i64) -> Option<usize> {
        let (entry, mailing) = self.mailings.iter().find(|(_, mailing)| !mailing.is_finished)?;
        let (entry, after) = (*entry, mailing.after);
        let receivers = self.all::<User>().filter(|user| user.receives_mail());
        let next = receivers.map(|user| user.user_id).filter(|user| Some(*user) > after);
        let batch = first(next, limit, |user| *user);
        for user in &batch {
            let mail = StoredMail { due_at: Some(now), ..StoredMail::default() };
            self.mails.entry((entry, *user)).or_insert(mail);
        }
        let mailing = self.mailings.entry(entry).or_default();
        mailing.is_finished = batch.is_empty();
        mailing.after = batch.last().copied().or(after);
        Some(batch.len())
    }

    fn hand_out_mail(
        &mut self,
        (entry, user): (ChangelogEntryId, UserId),
        lease: Lease,
    ) -> ClaimedMail {
        let receiver = self.any::<User>(user).filter(|user| user.receives_mail());
        let recipient =
            receiver.map(|user| Recipient { name: user.name.clone(), address: user.email.clone() });
        let mail = self.mails.entry((entry, user)).or_default();
        mail.due_at = None;
        mail.lease = Some(lease);
        mail.attempts += 1;
        ClaimedMail { entry, user, attempt: mail.attempts, recipient }
    }
}
