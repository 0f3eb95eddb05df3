//! The queue of posts and comments that wait for moderation.

use crate::Time;
use crate::Uuid;
use crate::event::Moderated;
use crate::feedback_post::Moderation;
use crate::id::{BoardId, PostId, UserId};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClosedSet;

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
}
