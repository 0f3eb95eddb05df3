//! The conformance suite on the store.

use async_trait::async_trait;
use hearback_domain::ClosedSet;
use hearback_domain::id::{MailingId, OrganizationId, UserId};
use hearback_domain::mail::MailFailure;
use hearback_in_memory_store::MemoryStore;
use hearback_tests::conformance::{Probe, Stage};
use hearback_tests::system::{MachineClock, NoAlarm, OrderedIds};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

hearback_tests::conformance!(stage);

/// The store, made once for all cases.
async fn stage() -> Stage {
    static STAGE: LazyLock<Stage> = LazyLock::new(|| {
        let store = MemoryStore::new(Arc::new(MachineClock));
        Stage {
            ports: store.clone().ports(Arc::new(OrderedIds), Arc::new(NoAlarm)),
            schema: Arc::new(store.clone()),
            examination: Arc::new(store.clone()),
            probe: Arc::new(MemoryProbe(store)),
        }
    });
    STAGE.clone()
}

struct MemoryProbe(MemoryStore);

#[async_trait]
impl Probe for MemoryProbe {
    async fn rows(&self, organization: OrganizationId) -> BTreeMap<String, i64> {
        self.0.rows(organization)
    }

    async fn mails(&self, organization: OrganizationId) -> BTreeMap<(MailingId, UserId), String> {
        let told = |(state, failure): (&str, Option<MailFailure>)| {
            let failure = failure.map(|failure| format!(" {}", failure.code()));
            format!("{state}{}", failure.unwrap_or_default())
        };
        let mails = self.0.mails(organization);
        mails.into_iter().map(|(key, mail)| (key, told(mail))).collect()
    }
}
