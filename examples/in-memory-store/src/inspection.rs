//! The store from outside: what no port tells.

use crate::MemoryStore;
use crate::tenant::Tenant;
use hearback_domain::id::{ChangelogEntryId, OrganizationId, UserId};
use hearback_domain::mail::MailFailure;
use std::collections::BTreeMap;

impl MemoryStore {
    /// How many values an organization has in each map.
    pub fn rows(&self, organization: OrganizationId) -> BTreeMap<String, i64> {
        self.read(organization, Tenant::rows)
    }

    /// The state of each mail, with why its last try failed.
    pub fn mails(
        &self,
        organization: OrganizationId,
    ) -> BTreeMap<(ChangelogEntryId, UserId), (&'static str, Option<MailFailure>)> {
        self.read(organization, |tenant| {
            tenant.mails.iter().map(|(key, mail)| (*key, (mail.state(), mail.failure))).collect()
        })
    }
}

impl Tenant {
    fn rows(&self) -> BTreeMap<String, i64> {
        let attempts = self.deliveries.values().flat_map(|sending| &sending.attempts);
        [
            ("records", self.records.len()),
            ("revoked_keys", self.revoked_keys.len()),
            ("receipts", self.receipts.len()),
            ("events", self.events.len()),
            ("deliveries", self.deliveries.len()),
            ("delivery_attempts", attempts.count()),
            ("mailings", self.mailings.len()),
            ("mails", self.mails.len()),
        ]
        .map(|(name, count)| (name.to_owned(), i64::try_from(count).unwrap_or(i64::MAX)))
        .into()
    }
}
