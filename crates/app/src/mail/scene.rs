//! The records around mailings: who may know of them, and what they tell.

use hearback_domain::event::Moderated;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::mail::{Mailing, News, Subject};
use hearback_domain::moderation::QueueFilter;
use hearback_domain::organization::Organization;
use hearback_domain::record::{Key, Kind, Known};
use hearback_domain::user::User;
use hearback_ports::page::PageRequest;
use hearback_ports::{Limit, Ports, StoreError};
use std::collections::BTreeSet;

/// The records around some mailings of an organization, as they are now.
pub(crate) struct Scene {
    known: Known,
    boards: Known,
    /// Whether something waits for moderation.
    waits: bool,
}

impl Scene {
    /// Loads the records around mailings, with some users.
    pub(crate) async fn load(
        ports: &Ports,
        organization: OrganizationId,
        mailings: &[Mailing],
        users: impl IntoIterator<Item = UserId>,
    ) -> Result<Self, StoreError> {
        let mut keys: BTreeSet<Key> = mailings.iter().flat_map(|it| it.quoted()).collect();
        keys.insert((Kind::Organization, organization.0));
        keys.extend(users.into_iter().map(|user| (Kind::User, user.0)));
        let known = ports.records.load(organization, Vec::from_iter(keys)).await?;
        let posts = mailings.iter().flat_map(|it| it.subject.posts());
        let posts = posts.filter_map(|id| known.any::<FeedbackPost>(id));
        let boards: BTreeSet<Key> =
            posts.map(|post| (Kind::FeedbackBoard, post.board_id.0)).collect();
        let boards = match boards.is_empty() {
            true => Known::default(),
            false => ports.records.load(organization, Vec::from_iter(boards)).await?,
        };
        let asks = mailings.iter().any(|mailing| mailing.subject == Subject::Queue);
        let waits = asks && waits(ports, organization).await?;
        Ok(Self { known, boards, waits })
    }

    /// The organization. `None` if it is deleted.
    pub(crate) fn organization(&self, id: OrganizationId) -> Option<&Organization> {
        self.known.active(id)
    }

    /// A user who is linked.
    pub(crate) fn user(&self, id: UserId) -> Option<&User> {
        self.known.active(id)
    }

    /// Whether a user may know of a change.
    pub(crate) fn is_seen_by(&self, user: &User, mailing: &Mailing) -> bool {
        mailing.is_seen_by(user, &self.known, &self.boards)
    }

    /// The news of a mailing. `None` if its subject was withdrawn.
    pub(crate) fn news(&self, mailing: Mailing) -> Option<News> {
        let is_over = mailing.subject == Subject::Queue && !self.waits;
        News::of(mailing, &self.known).filter(|_| !is_over)
    }
}

/// Whether something waits for moderation.
async fn waits(ports: &Ports, organization: OrganizationId) -> Result<bool, StoreError> {
    for kind in [Moderated::Post, Moderated::Comment] {
        let filter = QueueFilter { kind, moderation: Moderation::Pending };
        let page = PageRequest { after: None, limit: Limit::new(1).unwrap_or(Limit::DEFAULT) };
        if !ports.moderation.page(organization, filter, page).await?.items.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
