//! The queue of posts and comments that wait for moderation.

use crate::access::Moderating;
use crate::event::Moderated;
use crate::feedback_board::FeedbackBoard;
use crate::feedback_post::{FeedbackPost, Moderation};
use crate::id::{BoardId, PostId, UserId};
use crate::record::{Known, Record, Step};
use crate::user::User;
use crate::{Time, Uuid};
use std::collections::BTreeSet;

/// Who looks at posts and comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// The team, and programs with a key: they see every state of moderation.
    #[default]
    Team,
    /// A visitor of the portal. Visitors see accepted posts and comments, and their own while these
    /// wait.
    Visitor(Option<UserId>),
}

impl Audience {
    /// Whether the audience sees a post or comment of an author.
    pub fn sees(self, moderation: Moderation, author: UserId) -> bool {
        match self {
            Self::Team => true,
            Self::Visitor(user) => {
                moderation == Moderation::Accepted
                    || moderation == Moderation::Pending && user == Some(author)
            }
        }
    }
}

/// A post or comment in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedItem {
    /// Whether it is a post or a comment.
    pub kind: Moderated,
    /// The post or comment.
    pub id: Uuid,
    /// The post, or the post of the comment.
    pub post_id: PostId,
    /// The board of the post.
    pub board_id: BoardId,
    /// The author of the post or comment.
    pub author_id: UserId,
    /// The title of the post.
    pub title: String,
    /// The description of the post, or the text of the comment.
    pub content: String,
    /// The state of moderation.
    pub moderation: Moderation,
    /// When the post or comment was made.
    pub created_at: Time,
}

/// Selects the items of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFilter {
    /// The kind of the items.
    pub kind: Moderated,
    /// The state of the items.
    pub moderation: Moderation,
}

impl FeedbackBoard {
    /// Which of the posts or comments of visitors wait for moderation.
    pub fn moderating(&self, kind: Moderated) -> Moderating {
        match kind {
            Moderated::Post => self.post_moderation,
            Moderated::Comment => self.comment_moderation,
        }
    }
}

/// A post or comment that waited for moderation, and is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// Whether it is a post or a comment.
    pub kind: Moderated,
    /// The board of the post.
    pub board_id: BoardId,
    /// The author of the post or comment.
    pub author_id: UserId,
}

impl Acceptance {
    /// The acceptance that a step is. `known` has the post of a comment.
    pub fn by(step: &Step, known: &Known) -> Option<Self> {
        let Step::Edit { before, after } = step else { return None };
        let of = |record: &Record| match record {
            Record::FeedbackPost(it) => {
                let of = (Moderated::Post, Some(it.board_id), it.author_id);
                Some((it.is_active, it.moderation, of))
            }
            Record::Comment(it) => {
                let post = known.any::<FeedbackPost>(it.feedback_post_id);
                let of = (Moderated::Comment, post.map(|post| post.board_id), it.author_id);
                Some((it.is_active, it.moderation, of))
            }
            _ => None,
        };
        let ((_, Moderation::Pending, _), (true, Moderation::Accepted, after)) =
            (of(before)?, of(after)?)
        else {
            return None;
        };
        let (kind, board_id, author_id) = after;
        Some(Self { kind, board_id: board_id?, author_id })
    }

    /// The steps by which the authors become trusted: those who are accepted on a board that
    /// moderates first posts, are linked, and are not blocked. `known` has the boards and authors.
    pub fn trust(all: &[Self], known: &Known, at: Time) -> Vec<Step> {
        let is_first = |it: &&Self| {
            let board = known.any::<FeedbackBoard>(it.board_id);
            board.is_some_and(|board| board.moderating(it.kind) == Moderating::FirstPost)
        };
        let authors: BTreeSet<UserId> =
            all.iter().filter(is_first).map(|it| it.author_id).collect();
        let users = authors.into_iter().filter_map(|author| known.active::<User>(author));
        let users = users.filter(|user| !user.is_blocked);
        let trust =
            |user: &User| Step::edit(user.clone(), User { is_trusted: true, ..user.clone() }, at);
        users.map(trust).filter(|step| !step.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClosedSet;
    use crate::attributes::Attributes;
    use crate::comment::{Comment, CommentDraft, Visibility};
    use crate::draft::Draft;
    use crate::feedback_board::BoardDraft;
    use crate::feedback_post::PostDraft;
    use crate::person::{Email, Handle};
    use crate::record::OfKind;
    use crate::slug::Slug;
    use crate::text::{Content, LongText, Title};
    use std::slice;

    #[test]
    fn a_visitor_sees_what_was_accepted_and_the_visitors_own_while_it_waits() {
        let [author, other] = [1, 2].map(|n| UserId(Uuid::from_u128(n)));
        let seen = |audience: Audience| -> Vec<Moderation> {
            let all = Moderation::ALL.iter().copied();
            all.filter(|moderation| audience.sees(*moderation, author)).collect()
        };
        assert_eq!(seen(Audience::Team), Moderation::ALL);
        assert_eq!(seen(Audience::Visitor(None)), [Moderation::Accepted]);
        assert_eq!(seen(Audience::Visitor(Some(other))), [Moderation::Accepted]);
        let own = seen(Audience::Visitor(Some(author)));
        assert_eq!(own, [Moderation::Pending, Moderation::Accepted]);
    }

    fn id<T: From<Uuid>>(n: u128) -> T {
        T::from(Uuid::from_u128(n))
    }

    fn board(post_moderation: Moderating, comment_moderation: Moderating) -> FeedbackBoard {
        let draft = BoardDraft { post_moderation, comment_moderation, ..BoardDraft::usual() };
        draft.create(id(2), Slug::parse("ideas").unwrap(), Time::MIN)
    }

    fn author() -> User {
        let address = Email::parse("ada@example.com").unwrap();
        Handle::Email(address).user(None, id(4), id(3), Time::MIN)
    }

    fn post(moderation: Moderation) -> FeedbackPost {
        let draft = PostDraft {
            board_id: id(2),
            title: Title::parse("Dark mode").unwrap(),
            description: LongText::default(),
            slug: None,
            status_id: None,
            category_id: None,
            tag_ids: vec![],
            owner_id: None,
            eta: None,
            eta_is_public: true,
            is_pinned: false,
            moderation,
            attributes: Attributes::default(),
            created_by_id: None,
            external_id: None,
            created_at: None,
        };
        let slug = draft.slug();
        draft.create(id(1), slug, id(3), id(5), Time::MIN)
    }

    fn comment(moderation: Moderation) -> Comment {
        let draft = CommentDraft {
            feedback_post_id: id(1),
            content: Content::parse("Yes").unwrap(),
            parent_comment_id: None,
            visibility: None,
            moderation,
            external_id: None,
            created_at: None,
        };
        draft.create(id(9), id(3), Visibility::Public, Time::MIN)
    }

    fn acceptance<R: OfKind>(of: fn(Moderation) -> R, before: Moderation) -> Option<Acceptance> {
        let step = Step::edit(of(before), of(Moderation::Accepted), Time::MAX);
        Acceptance::by(&step, &Known::new([post(before).into_record()]))
    }

    #[test]
    fn what_waited_for_moderation_is_accepted_once() {
        let of = |kind| Some(Acceptance { kind, board_id: id(2), author_id: id(3) });
        assert_eq!(acceptance(post, Moderation::Pending), of(Moderated::Post));
        assert_eq!(acceptance(comment, Moderation::Pending), of(Moderated::Comment));
        for before in [Moderation::Accepted, Moderation::Rejected, Moderation::Spam] {
            assert_eq!(acceptance(post, before), None, "{before:?}");
            assert_eq!(acceptance(comment, before), None, "{before:?}");
        }
        let made = Step::make(post(Moderation::Accepted));
        assert_eq!(Acceptance::by(&made, &Known::default()), None);
        let deleted = |moderation| FeedbackPost { is_active: false, ..post(moderation) };
        assert_eq!(acceptance(deleted, Moderation::Pending), None);
    }

    #[test]
    fn a_linked_author_is_trusted_after_an_acceptance_on_a_board_that_moderates_first_posts() {
        use Moderating::{FirstPost, Off, On};
        let all = [
            acceptance(post, Moderation::Pending).unwrap(),
            acceptance(comment, Moderation::Pending).unwrap(),
        ];
        let trusts = |board: FeedbackBoard, author: User, all: &[Acceptance]| {
            let known = Known::new([board.into_record(), author.into_record()]);
            !Acceptance::trust(all, &known, Time::MAX).is_empty()
        };
        let [accepted_post, accepted_comment] = &all;
        assert!(trusts(board(FirstPost, On), author(), slice::from_ref(accepted_post)));
        assert!(!trusts(board(FirstPost, On), author(), slice::from_ref(accepted_comment)));
        assert!(trusts(board(Off, FirstPost), author(), slice::from_ref(accepted_comment)));
        assert!(!trusts(board(On, Off), author(), &all));
        let both = || board(FirstPost, FirstPost);
        assert!(!trusts(both(), User { is_blocked: true, ..author() }, &all));
        assert!(!trusts(both(), User { is_active: false, ..author() }, &all));
        assert!(!trusts(both(), User { is_trusted: true, ..author() }, &all));
        let known = Known::new([both().into_record(), author().into_record()]);
        let trusted = User { is_trusted: true, ..author() };
        let step = Step::edit(author(), trusted, Time::MAX);
        assert_eq!(Acceptance::trust(&all, &known, Time::MAX), [step]);
    }
}
