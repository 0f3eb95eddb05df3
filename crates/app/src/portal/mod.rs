//! The portal: what visitors of an organization see, and what they do.
//!
//! A visit knows the organization and the visitor. The use cases here look at the rules for
//! visitors in `hearback-domain`, and never at permissions, which are for the team.

mod account;
mod address;
mod changelog;
mod feedback;
mod frame;
mod guests;
mod help;
mod help_use;
mod notices;
mod people;
mod roadmap;
mod search;
mod sitemap;
mod writes;

#[cfg(test)]
pub(crate) mod tests;

pub use account::{AccountPatch, erase_account, export_account, follow_changelog, save_account};
pub use address::{
    AddressAnswer, MailTests, asked_address, confirm_address, mail_trouble, offer_address,
};
pub use changelog::{EntryPage, SeenEntry, entries, entry};
pub use feedback::{
    PostPage, PostsQuery, SeenComment, SeenPost, StatusChange, feed, glance, post, posts, similar,
};
pub use frame::{Frame, Frames, Site, home, lasting_home};
pub use guests::{Act, Acted, adopt, guest, guest_token, welcome};
pub use help::{
    ArticlePage, CollectionPage, FoundArticle, address, address_beside, article, article_search,
    collection, collections, missed,
};
pub use help_use::{HelpUse, Used};
pub use notices::{MOST_UNREAD, SeenNotice, notices, read_notices, unread};
pub use people::{Byline, profile};
pub use roadmap::{ColumnHead, Roadmap, RoadmapColumn, SeenPlan, roadmap};
pub use search::{Findings, search};
pub use sitemap::{MAPPED, map, maps};
pub use writes::{
    DraftComment, DraftPost, answer, comment, delete_comment, delete_post, edit_comment, edit_post,
    follow, submit, vote,
};

use crate::{Caller, Denied, Error, Missing, Who};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::OrganizationId;
use hearback_domain::moderation::Audience;
use hearback_domain::plan::Plan;
use hearback_domain::record::Kind;
use hearback_domain::session::{NextStep, Session};
use hearback_domain::slug::Slug;
use hearback_domain::user::User;
use std::sync::Arc;

/// A visit of an organization's portal.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The organization with the records that every page needs.
    pub frame: Arc<Frame>,
    /// The session and the visitor. `None` if the visitor has not signed in.
    pub signed_in: Option<(Session, User)>,
    /// The step that is left before the visitor, who is a member of the team, counts as one.
    pub next_step: Option<NextStep>,
    /// The guest for whom the browser stands.
    pub guest: Option<User>,
}

/// The subject of a page, or its present address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<T> {
    /// It is here.
    Here(T),
    /// A merge has moved it to the post with this slug.
    Moved(Slug),
}

impl Visit {
    /// The visit of somebody of whom nothing is known.
    pub fn of_nobody(frame: Arc<Frame>) -> Self {
        Self { frame, signed_in: None, next_step: None, guest: None }
    }

    /// The organization.
    pub fn organization(&self) -> OrganizationId {
        self.frame.organization.id
    }

    /// The visitor. `None` if the visitor has not signed in.
    pub fn user(&self) -> Option<&User> {
        self.signed_in.as_ref().map(|(_, user)| user)
    }

    /// The session and the visitor, who acts in the own name: a member of the team does so once the
    /// second factor was shown.
    pub fn oneself(&self) -> Result<(&Session, &User), Error> {
        let (session, user) = self.signed_in.as_ref().ok_or(Error::Denied(Denied::NotSignedIn))?;
        match self.next_step {
            None => Ok((session, user)),
            Some(_) => Err(Error::Denied(Denied::SecondFactor)),
        }
    }

    /// Whether the visitor is on the team.
    pub fn is_on_team(&self) -> bool {
        self.user().is_some_and(|user| user.role().is_some())
    }

    /// The feedback boards that the visitor sees, in their order: none where the portal does not show
    /// them.
    pub fn boards(&self) -> impl Iterator<Item = &FeedbackBoard> {
        let is_shown = self.frame.organization.portal.shows_feedback;
        self.frame.boards.iter().filter(move |board| is_shown && board.is_seen_by(self.user()))
    }

    /// The feedback board with a slug, if the visitor sees it.
    pub fn board(&self, slug: &str) -> Result<&FeedbackBoard, Error> {
        let found = self.boards().find(|board| board.slug.as_str().eq_ignore_ascii_case(slug));
        found.ok_or(Error::NotFound(Missing::Record(Kind::FeedbackBoard)))
    }

    /// The visitors to whom lists belong: they show no post and no comment that waits, but for the
    /// visitor's own.
    fn audience(&self) -> Audience {
        Audience::Visitor(self.actor().map(|user| user.user_id))
    }

    /// Whether lists show a post to the visitor.
    fn lists(&self, post: &FeedbackPost) -> bool {
        self.audience().sees(post.moderation, post.author_id)
            && self.boards().any(|board| board.id == post.board_id)
    }

    /// Whether the visitor may open a post. The team opens a post in each state of moderation.
    fn opens(&self, post: &FeedbackPost) -> bool {
        let is_on_a_board = || self.boards().any(|board| board.id == post.board_id);
        self.lists(post) || self.is_on_team() && is_on_a_board()
    }

    /// The visitor as the caller of a change that a rule for visitors has admitted.
    pub(crate) fn admitted(&self, action: &'static str) -> Caller {
        let Frame { organization, .. } = &*self.frame;
        let user = self.actor().map(|user| user.user_id);
        let who = match self.user().and_then(|user| Some((user.user_id, user.role()?))) {
            Some((user, role)) => Who::Member { user, role },
            None => Who::Visitor { user },
        };
        let plan = Plan { help_center: organization.help_center };
        let caller = Caller::new(organization.id, plan, who).doing(action);
        caller.keeping_events(organization.events_ledger).admitted()
    }
}

/// The failure of a page about something that is not there, or that the visitor does not see.
fn gone(kind: Kind) -> Error {
    Error::NotFound(Missing::Record(kind))
}
