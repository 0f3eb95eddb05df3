//! The values that templates show of posts, people and comments.

use hearback_app::portal::{Byline, SeenComment, SeenPlan, SeenPost, Visit};
use hearback_app::rich_text::{self, Breaks};
use hearback_domain::Time;
use hearback_domain::comment::Comment;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::guest::Way;
use hearback_domain::status::Status;
use hearback_domain::tag::Tag;
use hearback_web::chrome::{Chrome, hue, initial};
use hearback_web::form::with_fields;

/// A person.
pub(crate) struct Face {
    /// The name, or words for a person who has left.
    pub(crate) name: String,
    /// The address of the person's page. Empty if there is none.
    pub(crate) href: String,
    /// The URL of a picture, or empty.
    pub(crate) avatar_url: String,
    /// The first letter of the name.
    pub(crate) initial: String,
    /// One of eight hues.
    pub(crate) hue: u8,
    /// Whether the person is on the team.
    pub(crate) is_on_team: bool,
}

impl Face {
    pub(crate) fn of(byline: &Byline, c: &Chrome) -> Self {
        let is_known = !byline.name.is_empty() && !byline.is_guest;
        let name = match (is_known, byline.is_guest) {
            (true, _) => byline.name.clone(),
            (false, true) => c.t("guest"),
            (false, false) => c.t("someone"),
        };
        Self {
            href: if is_known { c.url(&format!("/u/{}", byline.id)) } else { String::new() },
            avatar_url: byline.avatar_url.clone(),
            initial: initial(&name),
            hue: hue(byline.id.0.as_bytes()),
            is_on_team: byline.is_on_team,
            name,
        }
    }
}

/// The button by which a visitor votes.
pub(crate) struct VoteButton {
    /// The address of the form.
    pub(crate) action: String,
    /// The number of votes.
    pub(crate) count: i64,
    /// The title of what is voted on.
    pub(crate) title: String,
    /// Whether the visitor has a vote.
    pub(crate) is_voted: bool,
    /// Whether votes are taken.
    pub(crate) is_open: bool,
    /// The address of the page on which the visitor votes: to sign in first, or to give an address.
    /// Empty if the button itself votes.
    pub(crate) page: String,
}

/// A status: its colour is that of the class `s-` and the identifier.
pub(crate) struct StatusView {
    pub(crate) id: String,
    pub(crate) name: String,
}

impl StatusView {
    pub(crate) fn of(status: &Status) -> Self {
        Self { id: status.id.to_string(), name: status.name.clone() }
    }
}

/// A post in a list.
pub(crate) struct PostRow {
    pub(crate) href: String,
    pub(crate) title: String,
    pub(crate) excerpt: String,
    pub(crate) vote: VoteButton,
    pub(crate) status: Option<StatusView>,
    /// The name of the board. Empty if the page is about one board.
    pub(crate) board: String,
    pub(crate) tags: Vec<Link>,
    pub(crate) comments: i64,
    pub(crate) author: Face,
    /// When the post was made, if the board shows it.
    pub(crate) at: Option<Time>,
    pub(crate) is_pinned: bool,
    /// Whether the post waits for moderation.
    pub(crate) waits: bool,
}

impl PostRow {
    pub(crate) fn of(seen: &SeenPost, visit: &Visit, c: &Chrome) -> Self {
        let SeenPost { post, comment_count, author, .. } = seen;
        let frame = &visit.frame;
        let board = frame.board(post.board_id);
        Self {
            href: c.url(&format!("/p/{}", post.slug.as_str())),
            title: post.title.clone(),
            excerpt: rich_text::beginning(&post.description, EXCERPT),
            vote: vote_button(seen, visit, c),
            status: frame.status(post.status_id).map(StatusView::of),
            board: board.map(|board| board.name.clone()).unwrap_or_default(),
            tags: tags_of(post, visit, c),
            comments: *comment_count,
            author: Face::of(author, c),
            at: board.is_none_or(|board| board.show_post_dates).then_some(post.created_at),
            is_pinned: post.is_pinned,
            waits: post.moderation == Moderation::Pending,
        }
    }
}

/// The tags of a post. Each leads to the posts that have it.
pub(crate) fn tags_of(post: &FeedbackPost, visit: &Visit, c: &Chrome) -> Vec<Link> {
    let tags = post.tag_ids.iter().filter_map(|id| visit.frame.tag(*id));
    let link = |tag: &Tag| Link {
        href: with_fields(&c.url("/"), &[("tag", &tag.id.to_string())]),
        text: tag.name.clone(),
        is_here: false,
    };
    tags.map(link).collect()
}

/// The button of a post.
pub(crate) fn vote_button(seen: &SeenPost, visit: &Visit, c: &Chrome) -> VoteButton {
    let SeenPost { post, vote_count, is_voted, .. } = seen;
    let slug = post.slug.as_str();
    let board = visit.frame.board(post.board_id);
    let action = c.url(&format!("/p/{slug}/vote"));
    VoteButton {
        page: match board.map_or(Some(Way::SignIn), |board| visit.way(board, false)) {
            None | Some(Way::Guest) => String::new(),
            Some(Way::Mail) => action.clone(),
            Some(Way::SignIn) => c.sign_in_to(&c.url(&format!("/p/{slug}"))),
        },
        action,
        count: *vote_count,
        title: post.title.clone(),
        is_voted: *is_voted,
        is_open: board.is_some_and(|board| board.is_voting_enabled),
    }
}

/// A plan of the roadmap.
pub(crate) struct PlanCard {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) eta: Option<Time>,
    pub(crate) status: Option<StatusView>,
    pub(crate) vote: VoteButton,
    pub(crate) tags: Vec<String>,
    pub(crate) feedback: Vec<Link>,
}

/// An address and its words.
pub(crate) struct Link {
    pub(crate) href: String,
    pub(crate) text: String,
    /// Whether the link leads to what the page shows already.
    pub(crate) is_here: bool,
}

impl Link {
    pub(crate) fn of_post(post: &FeedbackPost, c: &Chrome) -> Self {
        let href = c.url(&format!("/p/{}", post.slug.as_str()));
        Self { href, text: post.title.clone(), is_here: false }
    }
}

impl PlanCard {
    pub(crate) fn of(seen: &SeenPlan, is_open: bool, visit: &Visit, c: &Chrome) -> Self {
        let SeenPlan { plan, vote_count, is_voted, feedback } = seen;
        let tags = plan.tag_ids.iter().filter_map(|id| visit.frame.tag(*id));
        Self {
            title: plan.title.clone(),
            text: rich_text::beginning(&plan.description, EXCERPT),
            eta: plan.eta,
            status: visit.frame.status(plan.status_id).map(StatusView::of),
            vote: VoteButton {
                action: c.url(&format!("/roadmap/vote/{}", plan.id)),
                count: *vote_count,
                title: plan.title.clone(),
                is_voted: *is_voted,
                is_open,
                page: if visit.user().is_some() { String::new() } else { c.sign_in() },
            },
            tags: tags.map(|tag| tag.name.clone()).collect(),
            feedback: feedback.iter().map(|post| Link::of_post(post, c)).collect(),
        }
    }
}

/// A comment with its replies.
pub(crate) struct CommentView {
    pub(crate) id: String,
    pub(crate) author: Face,
    pub(crate) html: String,
    pub(crate) at: Time,
    pub(crate) is_own: bool,
    pub(crate) waits: bool,
    pub(crate) replies: Vec<CommentView>,
}

impl CommentView {
    pub(crate) fn of(seen: &SeenComment, c: &Chrome) -> Self {
        let SeenComment { comment, author, is_own } = seen;
        Self {
            id: comment.id.to_string(),
            author: Face::of(author, c),
            html: rich_text::shown(&comment.content, Breaks::Hard, &c.base).html,
            at: comment.created_at,
            is_own: *is_own,
            waits: comment.moderation == Moderation::Pending,
            replies: vec![],
        }
    }

    /// The comments as threads of two levels: a reply to a reply stands below the same comment.
    pub(crate) fn threads(all: &[SeenComment], c: &Chrome) -> Vec<Self> {
        let root = |comment: &Comment| {
            let mut at = comment;
            // A comment replies to an earlier one. A limit is for imported circles.
            for _ in 0..all.len() {
                let parent = at.parent_comment_id;
                let Some(above) = all.iter().find(|it| Some(it.comment.id) == parent) else {
                    break;
                };
                at = &above.comment;
            }
            at.id
        };
        let mut threads: Vec<(_, Self)> = Vec::new();
        for seen in all {
            let root = root(&seen.comment);
            let view = Self::of(seen, c);
            match threads.iter_mut().find(|(id, _)| *id == root) {
                Some((_, thread)) => thread.replies.push(view),
                None => threads.push((root, view)),
            }
        }
        threads.into_iter().map(|(_, thread)| thread).collect()
    }
}

/// A choice of a filter.
pub(crate) struct Choice {
    pub(crate) href: String,
    pub(crate) text: String,
    pub(crate) is_chosen: bool,
    /// The identifier of the status of the choice, or empty.
    pub(crate) status: String,
}

/// The most characters of the beginning of a text.
const EXCERPT: usize = 240;
