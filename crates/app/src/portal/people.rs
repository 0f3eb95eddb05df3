//! The people whom pages name.

use super::{Visit, gone};
use crate::Error;
use hearback_domain::Time;
use hearback_domain::feedback_post::{PostFilter, PostSort};
use hearback_domain::id::UserId;
use hearback_domain::record::{Key, Kind};
use hearback_domain::user::User;
use hearback_ports::page::PageRequest;
use hearback_ports::{Limit, Ports, StoreError};
use std::collections::{BTreeSet, HashMap};

use super::feedback::{SeenPost, seen};

/// A person as pages show them. Pages show no address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Byline {
    /// The person.
    pub id: UserId,
    /// The name. Empty if the person has left.
    pub name: String,
    /// The URL of a picture, or empty.
    pub avatar_url: String,
    /// Whether the person is on the team.
    pub is_on_team: bool,
    /// Whether the person is a guest, of whom nothing is known.
    pub is_guest: bool,
}

impl Byline {
    fn of(user: &User) -> Self {
        Self {
            id: user.user_id,
            name: user.name.clone(),
            avatar_url: user.avatar_url.clone(),
            is_on_team: user.role().is_some(),
            is_guest: user.is_guest(),
        }
    }

    fn unknown(id: UserId) -> Self {
        let (name, avatar_url) = (String::new(), String::new());
        Self { id, name, avatar_url, is_on_team: false, is_guest: false }
    }
}

/// The people of a page.
pub(super) struct Bylines(HashMap<UserId, Byline>);

impl Bylines {
    /// Loads the people in one statement.
    pub(super) async fn load(
        ports: &Ports,
        visit: &Visit,
        people: impl IntoIterator<Item = UserId>,
    ) -> Result<Self, StoreError> {
        let people: BTreeSet<UserId> = people.into_iter().collect();
        if people.is_empty() {
            return Ok(Self(HashMap::new()));
        }
        let keys: Vec<Key> = people.iter().map(|id| (Kind::User, id.0)).collect();
        let known = ports.records.load(visit.organization(), keys).await?;
        let byline = |id: &UserId| known.active::<User>(*id).map(|user| (*id, Byline::of(user)));
        Ok(Self(people.iter().filter_map(byline).collect()))
    }

    /// A person.
    pub(super) fn of(&self, id: UserId) -> Byline {
        self.0.get(&id).cloned().unwrap_or_else(|| Byline::unknown(id))
    }
}

/// A person, since when they are here, and their newest posts that the visitor sees.
pub async fn profile(
    ports: &Ports,
    visit: &Visit,
    id: UserId,
) -> Result<(Byline, Time, Vec<SeenPost>), Error> {
    let known = ports.records.load(visit.organization(), vec![(Kind::User, id.0)]).await?;
    let user = known.active::<User>(id).ok_or(gone(Kind::User))?;
    let filter = PostFilter {
        author_id: Some(id),
        board_ids: Some(visit.boards().map(|board| board.id).collect()),
        is_merged: Some(false),
        audience: visit.audience(),
        ..PostFilter::default()
    };
    let first = PageRequest { after: None, limit: Limit::DEFAULT };
    let sort = PostSort::Newest;
    let page = ports.feedback_posts.page(visit.organization(), filter, sort, first).await?;
    let posts = seen(ports, visit, page.items).await?;
    Ok((Byline::of(user), user.created_at, posts))
}
