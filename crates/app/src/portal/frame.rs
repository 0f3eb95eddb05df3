//! The records of an organization that every page needs, kept for half a second.

use crate::Error;
use hearback_domain::category::Category;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::{BoardId, CategoryId, LabelId, StatusId, TagId};
use hearback_domain::label::Label;
use hearback_domain::organization::Organization;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::slug::Slug;
use hearback_domain::status::Status;
use hearback_domain::tag::Tag;
use hearback_ports::page::PageRequest;
use hearback_ports::{Limit, Ports, StoreError};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::Mutex;

/// An organization with the records that every page needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The organization.
    pub organization: Organization,
    /// Its feedback boards, in their order.
    pub boards: Vec<FeedbackBoard>,
    /// Its roadmap boards, in their order.
    pub roadmap_boards: Vec<RoadmapBoard>,
    /// Its statuses, in the order of the workflow.
    pub statuses: Vec<Status>,
    /// Its categories of posts, by name.
    pub categories: Vec<Category>,
    /// Its tags that the portal shows, by name.
    pub tags: Vec<Tag>,
    /// The first labels of its changelog, by name.
    pub labels: Vec<Label>,
    /// Whether the mail server did not take the organization's latest mail.
    pub has_mail_trouble: bool,
}

impl Frame {
    /// The board with an identifier.
    pub fn board(&self, id: BoardId) -> Option<&FeedbackBoard> {
        self.boards.iter().find(|board| board.id == id)
    }

    /// The status with an identifier.
    pub fn status(&self, id: StatusId) -> Option<&Status> {
        self.statuses.iter().find(|status| status.id == id)
    }

    /// The category with an identifier.
    pub fn category(&self, id: CategoryId) -> Option<&Category> {
        self.categories.iter().find(|category| category.id == id)
    }

    /// The tag with an identifier.
    pub fn tag(&self, id: TagId) -> Option<&Tag> {
        self.tags.iter().find(|tag| tag.id == id)
    }

    /// The label with an identifier.
    pub fn label(&self, id: LabelId) -> Option<&Label> {
        self.labels.iter().find(|label| label.id == id)
    }
}

/// The way in which a request names an organization.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// By nothing but the address of the service: the organization that was made first.
    First,
    /// By the slug in the path.
    Slug(String),
    /// By the host name, in lower case and without the port.
    Host(String),
}

/// The time for which a frame is kept, from before its look-up began. So a change of a board's
/// access, as of any other setting, takes effect everywhere within this time.
const FRAME_KEPT: Duration = Duration::from_millis(500);

/// The frames of the organizations that were asked for lately.
pub struct Frames {
    ports: Ports,
    kept: RwLock<HashMap<Site, (Duration, Arc<Frame>)>>,
    /// The turns of look-ups, by the hash of their site.
    turns: [Mutex<()>; TURNS],
}

impl Frames {
    /// Without any frame.
    pub fn new(ports: &Ports) -> Self {
        let turns = [const { Mutex::const_new(()) }; TURNS];
        Self { ports: ports.clone(), kept: RwLock::default(), turns }
    }

    /// The frame of the organization at a site.
    pub async fn at(&self, site: Site) -> Result<Option<Arc<Frame>>, Error> {
        let asked = self.ports.clock.elapsed();
        if let Some(frame) = self.kept(&site, asked) {
            return Ok(Some(frame));
        }
        // One request looks a frame up while the others for its site wait. If each did so, the
        // look-ups of a crowd would slow each other down until none ends while its frame is fresh.
        let _turn = self.turns[turn(&site)].lock().await;
        if let Some(frame) = self.kept(&site, asked) {
            return Ok(Some(frame));
        }
        let began = self.ports.clock.elapsed();
        let organizations = &self.ports.organizations;
        let organization = match &site {
            Site::First => first(organizations.list().await?),
            // A text that is no slug may have characters that a store does not take.
            Site::Slug(slug) if Slug::parse(slug).is_err() => None,
            Site::Slug(slug) => organizations.find_by_slug(slug).await?,
            Site::Host(host) => organizations.find_by_host(host).await?,
        };
        let Some(organization) = organization else {
            self.kept.write().unwrap_or_else(PoisonError::into_inner).remove(&site);
            return Ok(None);
        };
        let frame = Arc::new(load(&self.ports, organization).await?);
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.retain(|_, (at, _)| is_fresh(*at, began));
        }
        if kept.len() < MOST {
            kept.insert(site, (began, Arc::clone(&frame)));
        }
        Ok(Some(frame))
    }

    /// The frame as it was when it was last looked up, for the look of a page that shows nothing
    /// else. `None` if it is not kept any more.
    pub fn former(&self, site: &Site) -> Option<Arc<Frame>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.get(site).map(|(_, frame)| Arc::clone(frame))
    }

    fn kept(&self, site: &Site, now: Duration) -> Option<Arc<Frame>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.get(site).filter(|(at, _)| is_fresh(*at, now)).map(|(_, frame)| Arc::clone(frame))
    }
}

/// The address of an organization's portal, without a slash at its end. `public_url` is the address
/// of the service.
pub async fn home(
    ports: &Ports,
    organization: &Organization,
    public_url: &str,
) -> Result<String, StoreError> {
    if let Some(home) = home_at_host(organization, public_url) {
        return Ok(home);
    }
    let first = first(ports.organizations.list().await?);
    Ok(match first.is_some_and(|first| first.id == organization.id) {
        true => public_url.to_owned(),
        false => lasting_home(organization, public_url),
    })
}

/// The address of the portal of an organization with a host of its own.
fn home_at_host(organization: &Organization, public_url: &str) -> Option<String> {
    let host = organization.portal.host.as_ref()?;
    let (scheme, rest) = public_url.split_once("://").unwrap_or(("https", public_url));
    let port = rest.split('/').next().and_then(|authority| authority.rsplit_once(':'));
    let port = port.filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    Some(match port {
        Some((_, port)) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    })
}

/// The address of an organization's portal for links that last: it stays right when another
/// organization becomes the first one.
pub fn lasting_home(organization: &Organization, public_url: &str) -> String {
    home_at_host(organization, public_url)
        .unwrap_or_else(|| format!("{public_url}/o/{}", organization.slug.as_str()))
}

/// The organization that was made first.
fn first(all: Vec<Organization>) -> Option<Organization> {
    all.into_iter().min_by_key(|it| (it.created_at, it.id))
}

fn is_fresh(at: Duration, now: Duration) -> bool {
    now.saturating_sub(at) < FRAME_KEPT
}

/// The place of a site's turn.
fn turn(site: &Site) -> usize {
    let mut hasher = DefaultHasher::new();
    site.hash(&mut hasher);
    usize::try_from(hasher.finish() % TURNS as u64).unwrap_or(0)
}

/// The number of turns: enough that two crowds seldom share one.
const TURNS: usize = 64;

/// The most frames that are kept.
const MOST: usize = 1024;

async fn load(ports: &Ports, organization: Organization) -> Result<Frame, StoreError> {
    let id = organization.id;
    let first =
        PageRequest { after: None, limit: Limit::new(Limit::MAX).unwrap_or(Limit::DEFAULT) };
    Ok(Frame {
        boards: ports.whole_lists.feedback_boards(id).await?,
        roadmap_boards: ports.whole_lists.roadmap_boards(id).await?,
        statuses: ports.whole_lists.statuses(id).await?,
        categories: ports.whole_lists.categories(id).await?,
        tags: ports.whole_lists.tags(id).await?.into_iter().filter(|tag| tag.is_public).collect(),
        labels: ports.labels.page(id, first).await?.items,
        has_mail_trouble: ports.notices.trouble(id).await?.is_some(),
        organization,
    })
}
