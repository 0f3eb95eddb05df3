//! The notifications of users, and the trouble with mails.

use crate::lists::{Order, first, page, size};
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::{MailingId, OrganizationId, UserId};
use hearback_ports::notices::{MailTrouble, Notice};
use hearback_ports::page::ByTime;
use hearback_ports::{NoticeRepository, Page, PageRequest};

#[async_trait]
impl NoticeRepository for MemoryStore {
    async fn unread(&self, organization: OrganizationId, user: UserId, limit: i64) -> Result<i64> {
        self.read(organization, |tenant| {
            let its = tenant.mails.iter().filter(|((_, of), mail)| *of == user && mail.is_unread);
            its.take(size(limit)).count() as i64
        })
    }

    async fn page(
        &self,
        organization: OrganizationId,
        user: UserId,
        since: Time,
        request: PageRequest<ByTime>,
    ) -> Result<Page<Notice, ByTime>> {
        let key = |it: &Notice| ByTime { at: it.at, id: it.mailing.id.0 };
        self.read(organization, |tenant| {
            let notice =
                |((id, of), mail): (&(MailingId, UserId), &crate::mail_queue::StoredMail)| {
                    let is_its = *of == user && mail.at > since;
                    let mailing = tenant.mailings.get(id).filter(|_| is_its)?.mailing;
                    Some(Notice { mailing, at: mail.at, is_unread: mail.is_unread })
                };
            page(tenant.mails.iter().filter_map(notice), Order::Descending, request, key)
        })
    }

    async fn read(
        &self,
        organization: OrganizationId,
        user: UserId,
        one: Option<MailingId>,
    ) -> Result<()> {
        self.update(organization, |tenant| {
            for ((id, of), mail) in &mut tenant.mails {
                if *of == user && one.is_none_or(|one| one == *id) {
                    mail.is_unread = false;
                }
            }
        })
    }

    async fn prune(&self, organization: OrganizationId, before: Time, limit: i64) -> Result<usize> {
        self.update(organization, |tenant| {
            let old = tenant.mails.iter().filter(|(_, mail)| mail.is_old(before));
            let old = first(old.map(|(key, mail)| (mail.at, *key)), limit);
            for (_, key) in &old {
                tenant.mails.remove(key);
            }
            old.len()
        })
    }

    async fn trouble(&self, organization: OrganizationId) -> Result<Option<MailTrouble>> {
        self.read(organization, |tenant| {
            tenant.troubles.iter().max_by_key(|trouble| trouble.at).cloned()
        })
    }

    async fn note(&self, organization: OrganizationId, trouble: Option<MailTrouble>) -> Result<()> {
        self.update(organization, |tenant| match trouble {
            None => tenant.troubles.clear(),
            Some(trouble) => {
                tenant.troubles.retain(|other| other.failure != trouble.failure);
                tenant.troubles.push(trouble);
            }
        })
    }
}
