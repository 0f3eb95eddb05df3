//! Mocks of every port (feature `mock`). A mock that was told to expect nothing panics when it is called: "never called" for free.

use crate::Ports;
use crate::categories::MockCategoryRepository;
use crate::clock::MockClock;
use crate::comments::MockCommentRepository;
use crate::events::MockEventLog;
use crate::export::MockExporter;
use crate::feedback_boards::MockFeedbackBoardRepository;
use crate::feedback_posts::MockFeedbackPostRepository;
use crate::health::MockHealth;
use crate::ids::MockIds;
use crate::import::MockImporter;
use crate::instance::MockInstanceRepository;
use crate::keys::MockKeyRepository;
use crate::organizations::MockOrganizationRepository;
use crate::receipts::MockReceiptRepository;
use crate::roadmap_boards::MockRoadmapBoardRepository;
use crate::statuses::MockStatusRepository;
use crate::tags::MockTagRepository;
use crate::users::MockUserRepository;
use crate::votes::MockVoteRepository;
use std::sync::Arc;

/// One mock for each port.
#[derive(Default)]
#[expect(missing_docs, reason = "each field is the mock of the port of the same name in `Ports`")]
pub struct Mocks {
    pub categories: MockCategoryRepository,
    pub clock: MockClock,
    pub comments: MockCommentRepository,
    pub events: MockEventLog,
    pub exporter: MockExporter,
    pub feedback_boards: MockFeedbackBoardRepository,
    pub feedback_posts: MockFeedbackPostRepository,
    pub health: MockHealth,
    pub ids: MockIds,
    pub importer: MockImporter,
    pub instance: MockInstanceRepository,
    pub keys: MockKeyRepository,
    pub organizations: MockOrganizationRepository,
    pub receipts: MockReceiptRepository,
    pub roadmap_boards: MockRoadmapBoardRepository,
    pub statuses: MockStatusRepository,
    pub tags: MockTagRepository,
    pub users: MockUserRepository,
    pub votes: MockVoteRepository,
}

impl Mocks {
    /// The mocks as ports.
    pub fn ports(self) -> Ports {
        Ports {
            categories: Arc::new(self.categories),
            clock: Arc::new(self.clock),
            comments: Arc::new(self.comments),
            events: Arc::new(self.events),
            exporter: Arc::new(self.exporter),
            feedback_boards: Arc::new(self.feedback_boards),
            feedback_posts: Arc::new(self.feedback_posts),
            health: Arc::new(self.health),
            ids: Arc::new(self.ids),
            importer: Arc::new(self.importer),
            instance: Arc::new(self.instance),
            keys: Arc::new(self.keys),
            organizations: Arc::new(self.organizations),
            receipts: Arc::new(self.receipts),
            roadmap_boards: Arc::new(self.roadmap_boards),
            statuses: Arc::new(self.statuses),
            tags: Arc::new(self.tags),
            users: Arc::new(self.users),
            votes: Arc::new(self.votes),
        }
    }
}
