#![doc = include_str!("../README.md")]

pub mod alarm;
pub mod attributes;
pub mod audit;
pub mod backlog;
pub mod changelog_entries;
pub mod clock;
pub mod comments;
pub mod companies;
pub mod counts;
pub mod deadline;
pub mod deliveries;
pub mod delivery_queue;
pub mod error;
pub mod event_sink;
pub mod events;
pub mod examination;
pub mod export;
pub mod feedback_posts;
pub mod health;
pub mod help_articles;
pub mod help_categories;
pub mod help_collections;
pub mod help_redirects;
pub mod ids;
pub mod images;
pub mod import;
pub mod instance;
pub mod keys;
pub mod labels;
pub mod lease;
pub mod mail_queue;
pub mod mailer;
pub mod moderation;
pub mod notices;
pub mod oidc;
pub mod organizations;
pub mod page;
pub mod passwords;
pub mod portal;
pub mod receipts;
pub mod record;
pub mod records;
pub mod roadmap_posts;
pub mod saved_views;
pub mod schema;
pub mod second_factors;
pub mod sessions;
pub mod sso_secrets;
pub mod subscriptions;
pub mod users;
pub mod votes;
pub mod webhook_subscriptions;
pub mod whole_lists;

#[cfg(feature = "mock")]
pub mod mock;

pub use alarm::Alarm;
pub use audit::AuditLog;
pub use backlog::Backlog;
pub use changelog_entries::ChangelogEntryRepository;
pub use clock::Clock;
pub use comments::CommentRepository;
pub use companies::CompanyRepository;
pub use counts::CountRepository;
pub use deliveries::DeliveryRepository;
pub use delivery_queue::DeliveryQueue;
pub use error::{Recorded, StoreError, Unique};
pub use event_sink::EventSink;
pub use events::EventLog;
pub use examination::Examination;
pub use export::Exporter;
pub use feedback_posts::FeedbackPostRepository;
pub use health::StoreHealth;
pub use help_articles::HelpArticleRepository;
pub use help_categories::HelpCategoryRepository;
pub use help_collections::HelpCollectionRepository;
pub use help_redirects::HelpRedirectRepository;
pub use ids::Ids;
pub use images::{ImageFiles, ImageReader, ImageRepository};
pub use import::Importer;
pub use instance::InstanceRepository;
pub use keys::KeyRepository;
pub use labels::LabelRepository;
pub use lease::Lease;
pub use mail_queue::MailQueue;
pub use mailer::Mailer;
pub use moderation::ModerationQueue;
pub use notices::NoticeRepository;
pub use oidc::{OidcClient, OidcRepository};
pub use organizations::OrganizationRepository;
pub use page::{Limit, Page, PageRequest};
pub use passwords::PasswordRepository;
pub use receipts::{IdempotencyKey, Receipt, ReceiptRepository, WriteResult};
pub use record::{Batch, Kind, Record};
pub use records::{Change, RecordRepository};
pub use roadmap_posts::RoadmapPostRepository;
pub use saved_views::SavedViewRepository;
pub use schema::Schema;
pub use second_factors::SecondFactorRepository;
pub use sessions::SessionRepository;
pub use sso_secrets::SsoSecretRepository;
pub use subscriptions::SubscriptionRepository;
pub use users::UserRepository;
pub use votes::{VoteChanges, VoteFilter, VoteRepository};
pub use webhook_subscriptions::WebhookSubscriptionRepository;
pub use whole_lists::WholeLists;

use hearback_domain::erasure::EraseAfter;
use std::sync::Arc;

/// All ports that a use case may call. Cloning is cheap.
#[derive(Clone)]
pub struct Ports {
    /// The alarm that wakes the dispatcher.
    pub alarm: Arc<dyn Alarm>,
    /// The audit log.
    pub audit: Arc<dyn AuditLog>,
    /// The work that waits for background steps.
    pub backlog: Arc<dyn Backlog>,
    /// The changelog.
    pub changelog_entries: Arc<dyn ChangelogEntryRepository>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Comments.
    pub comments: Arc<dyn CommentRepository>,
    /// Companies.
    pub companies: Arc<dyn CompanyRepository>,
    /// Stored counts.
    pub counts: Arc<dyn CountRepository>,
    /// The ledger of deliveries.
    pub deliveries: Arc<dyn DeliveryRepository>,
    /// The queues of deliveries.
    pub delivery_queue: Arc<dyn DeliveryQueue>,
    /// How long deleted records can be restored, before they are erased. It is a setting.
    pub erase_after: EraseAfter,
    /// Recorded events.
    pub events: Arc<dyn EventLog>,
    /// Exports of an organization.
    pub exporter: Arc<dyn Exporter>,
    /// Feedback posts.
    pub feedback_posts: Arc<dyn FeedbackPostRepository>,
    /// The reachability of the store.
    pub health: Arc<dyn StoreHealth>,
    /// Help articles.
    pub help_articles: Arc<dyn HelpArticleRepository>,
    /// Help categories.
    pub help_categories: Arc<dyn HelpCategoryRepository>,
    /// Help collections.
    pub help_collections: Arc<dyn HelpCollectionRepository>,
    /// Redirects of the portal.
    pub help_redirects: Arc<dyn HelpRedirectRepository>,
    /// New identifiers.
    pub ids: Arc<dyn Ids>,
    /// Images.
    pub images: Arc<dyn ImageRepository>,
    /// Imports of organizations.
    pub importer: Arc<dyn Importer>,
    /// The facts of the installation.
    pub instance: Arc<dyn InstanceRepository>,
    /// API keys.
    pub keys: Arc<dyn KeyRepository>,
    /// Changelog labels.
    pub labels: Arc<dyn LabelRepository>,
    /// The queue of mails.
    pub mail_queue: Arc<dyn MailQueue>,
    /// The queue of moderation.
    pub moderation: Arc<dyn ModerationQueue>,
    /// The notifications of users.
    pub notices: Arc<dyn NoticeRepository>,
    /// Providers of OpenID Connect, and accounts at them.
    pub oidc: Arc<dyn OidcRepository>,
    /// Organizations.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// The passwords of users.
    pub passwords: Arc<dyn PasswordRepository>,
    /// Records of every kind.
    pub records: Arc<dyn RecordRepository>,
    /// Receipts of writes.
    pub receipts: Arc<dyn ReceiptRepository>,
    /// Roadmap posts.
    pub roadmap_posts: Arc<dyn RoadmapPostRepository>,
    /// The views of members.
    pub saved_views: Arc<dyn SavedViewRepository>,
    /// The second factors of users.
    pub second_factors: Arc<dyn SecondFactorRepository>,
    /// Sessions and sign-ins of the portal.
    pub sessions: Arc<dyn SessionRepository>,
    /// Secrets of single sign-on.
    pub sso_secrets: Arc<dyn SsoSecretRepository>,
    /// Subscriptions to posts.
    pub subscriptions: Arc<dyn SubscriptionRepository>,
    /// Users.
    pub users: Arc<dyn UserRepository>,
    /// Votes.
    pub votes: Arc<dyn VoteRepository>,
    /// Webhook subscriptions.
    pub webhook_subscriptions: Arc<dyn WebhookSubscriptionRepository>,
    /// Lists without pages.
    pub whole_lists: Arc<dyn WholeLists>,
}

impl Ports {
    /// All ports: those that the store implements, and those of the process. Deleted records can be
    /// restored for the default time.
    pub fn new<S>(
        store: Arc<S>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        alarm: Arc<dyn Alarm>,
    ) -> Self
    where
        S: AuditLog
            + Backlog
            + ChangelogEntryRepository
            + CommentRepository
            + CompanyRepository
            + CountRepository
            + DeliveryRepository
            + DeliveryQueue
            + EventLog
            + Exporter
            + FeedbackPostRepository
            + StoreHealth
            + HelpArticleRepository
            + HelpCategoryRepository
            + HelpCollectionRepository
            + HelpRedirectRepository
            + ImageRepository
            + Importer
            + InstanceRepository
            + KeyRepository
            + LabelRepository
            + MailQueue
            + ModerationQueue
            + NoticeRepository
            + OidcRepository
            + OrganizationRepository
            + PasswordRepository
            + RecordRepository
            + ReceiptRepository
            + RoadmapPostRepository
            + SavedViewRepository
            + SecondFactorRepository
            + SessionRepository
            + SsoSecretRepository
            + SubscriptionRepository
            + UserRepository
            + VoteRepository
            + WebhookSubscriptionRepository
            + WholeLists
            + 'static,
    {
        Self {
            alarm,
            audit: store.clone(),
            backlog: store.clone(),
            changelog_entries: store.clone(),
            clock,
            comments: store.clone(),
            companies: store.clone(),
            counts: store.clone(),
            deliveries: store.clone(),
            delivery_queue: store.clone(),
            erase_after: EraseAfter::default(),
            events: store.clone(),
            exporter: store.clone(),
            feedback_posts: store.clone(),
            health: store.clone(),
            help_articles: store.clone(),
            help_categories: store.clone(),
            help_collections: store.clone(),
            help_redirects: store.clone(),
            ids,
            images: store.clone(),
            importer: store.clone(),
            instance: store.clone(),
            keys: store.clone(),
            labels: store.clone(),
            mail_queue: store.clone(),
            moderation: store.clone(),
            notices: store.clone(),
            oidc: store.clone(),
            organizations: store.clone(),
            passwords: store.clone(),
            records: store.clone(),
            receipts: store.clone(),
            roadmap_posts: store.clone(),
            saved_views: store.clone(),
            second_factors: store.clone(),
            sessions: store.clone(),
            sso_secrets: store.clone(),
            subscriptions: store.clone(),
            users: store.clone(),
            votes: store.clone(),
            webhook_subscriptions: store.clone(),
            whole_lists: store,
        }
    }
}
