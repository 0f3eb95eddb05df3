//! The visitor's notifications.

use super::Visit;
use crate::Error;
use crate::mail::scene::Scene;
use hearback_domain::Time;
use hearback_domain::id::MailingId;
use hearback_domain::mail::{NOTICES_KEPT, News};
use hearback_ports::notices::Notice;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Limit, Ports};

/// A notification as its reader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenNotice {
    /// The change.
    pub id: MailingId,
    /// When it was.
    pub at: Time,
    /// Whether the reader has not read it.
    pub is_unread: bool,
    /// What it tells. `None` if that was withdrawn, or the reader may not see it any more.
    pub news: Option<News>,
}

/// The visitor's notifications, newest first.
pub async fn notices(
    ports: &Ports,
    visit: &Visit,
    after: Option<ByTime>,
) -> Result<Page<SeenNotice, ByTime>, Error> {
    let (_, user) = visit.oneself()?;
    let (organization, since) =
        (visit.organization(), ports.clock.now().plus_millis(-NOTICES_KEPT));
    let page = PageRequest { after, limit: Limit::DEFAULT };
    let page = ports.notices.page(organization, user.user_id, since, page).await?;
    let mailings: Vec<_> = page.items.iter().map(|notice| notice.mailing).collect();
    let scene = Scene::load(ports, organization, &mailings, []).await?;
    let seen = |Notice { mailing, at, is_unread }| {
        let news = scene.is_seen_by(user, &mailing).then(|| scene.news(mailing)).flatten();
        SeenNotice { id: mailing.id, at, is_unread, news }
    };
    Ok(Page { items: page.items.into_iter().map(seen).collect(), next: page.next })
}

/// The number of the visitor's unread notifications, at most [`MOST_UNREAD`].
pub async fn unread(ports: &Ports, visit: &Visit) -> Result<i64, Error> {
    match visit.user() {
        Some(user) => {
            Ok(ports.notices.unread(visit.organization(), user.user_id, MOST_UNREAD).await?)
        }
        None => Ok(0),
    }
}

/// The greatest number of unread notifications that is told.
pub const MOST_UNREAD: i64 = 100;

/// Marks one of the visitor's notifications as read, or all of them.
pub async fn read_notices(
    ports: &Ports,
    visit: &Visit,
    one: Option<MailingId>,
) -> Result<(), Error> {
    let (_, user) = visit.oneself()?;
    Ok(ports.notices.read(visit.organization(), user.user_id, one).await?)
}
