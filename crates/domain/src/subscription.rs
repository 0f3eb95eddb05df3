//! Subscriptions of users to feedback posts.

use crate::id::{PostId, PostSubscriptionId, UserId};
use crate::{ClosedSet, Time};

/// A user who wants to hear about a feedback post. There is at most one for both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// The identifier.
    pub id: PostSubscriptionId,
    /// The post.
    pub feedback_post_id: PostId,
    /// The user.
    pub user_id: UserId,
    /// The news that the user wants.
    pub level: Level,
    /// When the subscription was made.
    pub created_at: Time,
}

/// The news of a post that a subscriber wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// `all`
    All,
    /// `status`: changes of the status alone.
    Status,
}

impl ClosedSet for Level {
    const ALL: &'static [Self] = &[Self::All, Self::Status];

    fn code(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Status => "status",
        }
    }
}

/// A subscriber, as `/feedback-posts/subscribers` returns them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscriber {
    /// The subscription.
    pub id: PostSubscriptionId,
    /// The user.
    pub user_id: UserId,
    /// The name of the user.
    pub name: String,
    /// The email address of the user, or empty.
    pub email: String,
    /// The news that the user wants.
    pub level: Level,
    /// When the subscription was made.
    pub subscribed_at: Time,
}
