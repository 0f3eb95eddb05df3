//! Mocks of all ports (feature `mock`). A mock panics on a call that it does not expect, so a test
//! without an expectation proves that a method is not called.

use crate::Ports;
use crate::alarm::MockAlarm;
use crate::audit::MockAuditLog;
use crate::backlog::MockBacklog;
use crate::changelog_entries::MockChangelogEntryRepository;
use crate::clock::MockClock;
use crate::comments::MockCommentRepository;
use crate::companies::MockCompanyRepository;
use crate::counts::MockCountRepository;
use crate::deliveries::MockDeliveryRepository;
use crate::delivery_queue::MockDeliveryQueue;
use crate::events::MockEventLog;
use crate::export::MockExporter;
use crate::feedback_posts::MockFeedbackPostRepository;
use crate::health::MockStoreHealth;
use crate::help_articles::MockHelpArticleRepository;
use crate::help_categories::MockHelpCategoryRepository;
use crate::help_collections::MockHelpCollectionRepository;
use crate::help_redirects::MockHelpRedirectRepository;
use crate::ids::MockIds;
use crate::images::MockImageRepository;
use crate::import::MockImporter;
use crate::instance::MockInstanceRepository;
use crate::keys::MockKeyRepository;
use crate::labels::MockLabelRepository;
use crate::mail_queue::MockMailQueue;
use crate::moderation::MockModerationQueue;
use crate::notices::MockNoticeRepository;
use crate::oidc::MockOidcRepository;
use crate::organizations::MockOrganizationRepository;
use crate::passwords::MockPasswordRepository;
use crate::receipts::MockReceiptRepository;
use crate::records::MockRecordRepository;
use crate::roadmap_posts::MockRoadmapPostRepository;
use crate::saved_views::MockSavedViewRepository;
use crate::second_factors::MockSecondFactorRepository;
use crate::sessions::MockSessionRepository;
use crate::sso_secrets::MockSsoSecretRepository;
use crate::subscriptions::MockSubscriptionRepository;
use crate::users::MockUserRepository;
use crate::votes::MockVoteRepository;
use crate::webhook_subscriptions::MockWebhookSubscriptionRepository;
use crate::whole_lists::MockWholeLists;
use hearback_domain::erasure::EraseAfter;
use std::sync::Arc;

/// One mock for each port.
#[derive(Default)]
#[expect(missing_docs, reason = "each field is the mock of the port of the same name in `Ports`")]
pub struct Mocks {
    pub alarm: MockAlarm,
    pub audit: MockAuditLog,
    pub backlog: MockBacklog,
    pub changelog_entries: MockChangelogEntryRepository,
    pub clock: MockClock,
    pub comments: MockCommentRepository,
    pub companies: MockCompanyRepository,
    pub counts: MockCountRepository,
    pub deliveries: MockDeliveryRepository,
    pub delivery_queue: MockDeliveryQueue,
    pub events: MockEventLog,
    pub exporter: MockExporter,
    pub feedback_posts: MockFeedbackPostRepository,
    pub health: MockStoreHealth,
    pub help_articles: MockHelpArticleRepository,
    pub help_categories: MockHelpCategoryRepository,
    pub help_collections: MockHelpCollectionRepository,
    pub help_redirects: MockHelpRedirectRepository,
    pub ids: MockIds,
    pub images: MockImageRepository,
    pub importer: MockImporter,
    pub instance: MockInstanceRepository,
    pub keys: MockKeyRepository,
    pub labels: MockLabelRepository,
    pub mail_queue: MockMailQueue,
    pub moderation: MockModerationQueue,
    pub notices: MockNoticeRepository,
    pub oidc: MockOidcRepository,
    pub organizations: MockOrganizationRepository,
    pub passwords: MockPasswordRepository,
    pub receipts: MockReceiptRepository,
    pub roadmap_posts: MockRoadmapPostRepository,
    pub saved_views: MockSavedViewRepository,
    pub second_factors: MockSecondFactorRepository,
    pub sessions: MockSessionRepository,
    pub sso_secrets: MockSsoSecretRepository,
    pub subscriptions: MockSubscriptionRepository,
    pub records: MockRecordRepository,
    pub users: MockUserRepository,
    pub votes: MockVoteRepository,
    pub webhook_subscriptions: MockWebhookSubscriptionRepository,
    pub whole_lists: MockWholeLists,
}

impl Mocks {
    /// The mocks as ports.
    pub fn ports(self) -> Ports {
        Ports {
            alarm: Arc::new(self.alarm),
            audit: Arc::new(self.audit),
            backlog: Arc::new(self.backlog),
            changelog_entries: Arc::new(self.changelog_entries),
            clock: Arc::new(self.clock),
            comments: Arc::new(self.comments),
            companies: Arc::new(self.companies),
            counts: Arc::new(self.counts),
            deliveries: Arc::new(self.deliveries),
            delivery_queue: Arc::new(self.delivery_queue),
            erase_after: EraseAfter::default(),
            events: Arc::new(self.events),
            exporter: Arc::new(self.exporter),
            feedback_posts: Arc::new(self.feedback_posts),
            health: Arc::new(self.health),
            help_articles: Arc::new(self.help_articles),
            help_categories: Arc::new(self.help_categories),
            help_collections: Arc::new(self.help_collections),
            help_redirects: Arc::new(self.help_redirects),
            ids: Arc::new(self.ids),
            images: Arc::new(self.images),
            importer: Arc::new(self.importer),
            instance: Arc::new(self.instance),
            keys: Arc::new(self.keys),
            labels: Arc::new(self.labels),
            mail_queue: Arc::new(self.mail_queue),
            moderation: Arc::new(self.moderation),
            notices: Arc::new(self.notices),
            oidc: Arc::new(self.oidc),
            organizations: Arc::new(self.organizations),
            passwords: Arc::new(self.passwords),
            receipts: Arc::new(self.receipts),
            roadmap_posts: Arc::new(self.roadmap_posts),
            saved_views: Arc::new(self.saved_views),
            second_factors: Arc::new(self.second_factors),
            sessions: Arc::new(self.sessions),
            sso_secrets: Arc::new(self.sso_secrets),
            subscriptions: Arc::new(self.subscriptions),
            records: Arc::new(self.records),
            users: Arc::new(self.users),
            votes: Arc::new(self.votes),
            webhook_subscriptions: Arc::new(self.webhook_subscriptions),
            whole_lists: Arc::new(self.whole_lists),
        }
    }
}
