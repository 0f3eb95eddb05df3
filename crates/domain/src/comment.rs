//! Comments on feedback posts.

use crate::draft::Patches;
use crate::edit::{Patch, replace};
use crate::feedback_post::Moderation;
use crate::id::{CommentId, PostId, UserId};
use crate::moderation::Audience;
use crate::text::{Content, ExternalId};
use crate::{ClosedSet, Time};

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The identifier.
    pub id: CommentId,
    /// The text.
    pub content: String,
    /// The author.
    pub author_id: UserId,
    /// The comment on the same post that this one replies to.
    pub parent_comment_id: Option<CommentId>,
    /// The post.
    pub feedback_post_id: PostId,
    /// The visibility in the portal.
    pub visibility: Visibility,
    /// The state of moderation.
    pub moderation: Moderation,
    /// Whether the portal shows the comment before the others. At most one of a post is.
    pub is_pinned: bool,
    /// The identifier that another tool gave the comment, unique among the organization's active comments.
    pub external_id: Option<String>,
    /// `false` if the comment is deleted.
    pub is_active: bool,
    /// When the comment was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

/// The fields of `/comments/create`, but for the author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentDraft {
    /// The post.
    pub feedback_post_id: PostId,
    /// The text.
    pub content: Content,
    /// The comment that this one replies to.
    pub parent_comment_id: Option<CommentId>,
    /// The visibility in the portal. `None`: that of the comment that this one replies to, or else
    /// public.
    pub visibility: Option<Visibility>,
    /// The state of moderation.
    pub moderation: Moderation,
    /// The identifier that another tool gave the comment.
    pub external_id: Option<ExternalId>,
    /// When the comment was made, if it comes from another tool.
    pub created_at: Option<Time>,
}

/// The reasons to refuse a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentRefusal {
    /// The parent comment is on another post.
    ParentElsewhere,
    /// The board takes no public comments.
    Disabled,
    /// A public comment cannot reply to an internal one.
    PublicReply,
}

impl CommentDraft {
    /// Decides the visibility. `is_enabled` is whether the board takes public comments.
    pub fn decide(
        &self,
        parent: Option<&Comment>,
        is_enabled: bool,
    ) -> Result<Visibility, CommentRefusal> {
        if parent.is_some_and(|parent| parent.feedback_post_id != self.feedback_post_id) {
            return Err(CommentRefusal::ParentElsewhere);
        }
        let inherited = parent.map_or(Visibility::Public, |parent| parent.visibility);
        let visibility = self.visibility.unwrap_or(inherited);
        if visibility == Visibility::Public && inherited == Visibility::Internal {
            return Err(CommentRefusal::PublicReply);
        }
        if visibility == Visibility::Public && !is_enabled {
            return Err(CommentRefusal::Disabled);
        }
        Ok(visibility)
    }

    /// Makes the comment.
    pub fn create(
        self,
        id: CommentId,
        author: UserId,
        visibility: Visibility,
        now: Time,
    ) -> Comment {
        let created_at = self.created_at.unwrap_or(now);
        Comment {
            id,
            content: self.content.into(),
            author_id: author,
            parent_comment_id: self.parent_comment_id,
            feedback_post_id: self.feedback_post_id,
            visibility,
            moderation: self.moderation,
            is_pinned: false,
            external_id: self.external_id.map(String::from),
            is_active: true,
            created_at,
            updated_at: created_at,
        }
    }
}

/// The new values of `/comments/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommentPatch {
    /// The text.
    pub content: Option<Content>,
    /// The visibility in the portal.
    pub visibility: Option<Visibility>,
    /// The state of moderation.
    pub moderation: Option<Moderation>,
    /// Whether the portal shows the comment before the others.
    pub is_pinned: Option<bool>,
    /// The identifier that another tool gave the comment.
    pub external_id: Patch<ExternalId>,
}

impl Patches for CommentPatch {
    type Record = Comment;

    fn edit(self, mut comment: Comment) -> Comment {
        replace(&mut comment.content, self.content);
        replace(&mut comment.visibility, self.visibility);
        replace(&mut comment.moderation, self.moderation);
        replace(&mut comment.is_pinned, self.is_pinned);
        self.external_id.apply(&mut comment.external_id);
        comment
    }
}

/// The visibility of a comment in the portal. The API returns comments of any visibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// `public`
    Public,
    /// `internal`
    Internal,
}

impl ClosedSet for Visibility {
    const ALL: &'static [Self] = &[Self::Public, Self::Internal];

    fn code(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Internal => "internal",
        }
    }
}

/// Selects the comments of a list. An identifier that the organization does not have matches
/// nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommentFilter {
    /// Only comments on this post, if it is active.
    pub feedback_post_id: Option<PostId>,
    /// Only comments of this author.
    pub author_id: Option<UserId>,
    /// Only comments of this visibility.
    pub visibility: Option<Visibility>,
    /// Only comments in this state of moderation.
    pub moderation: Option<Moderation>,
    /// Only comments that were updated at this time or later. The list has the order of updates.
    pub updated_after: Option<Time>,
    /// Whether the list has deleted comments, too.
    pub include_deleted: bool,
    /// Only comments that this audience sees. Visitors see no internal comments.
    pub audience: Audience,
}

impl CommentFilter {
    /// Whether the filter admits a comment. The post must also exist.
    pub fn admits(&self, comment: &Comment) -> bool {
        (comment.is_active || self.include_deleted)
            && self.feedback_post_id.is_none_or(|id| comment.feedback_post_id == id)
            && self.author_id.is_none_or(|id| comment.author_id == id)
            && self.visibility.is_none_or(|visibility| comment.visibility == visibility)
            && self.moderation.is_none_or(|state| comment.moderation == state)
            && self.updated_after.is_none_or(|time| comment.updated_at >= time)
            && self.audience.sees(comment.moderation, comment.author_id)
            && (self.audience == Audience::Team || comment.visibility == Visibility::Public)
    }

    /// The time by which the list is ordered.
    pub fn time_of(&self, comment: &Comment) -> Time {
        if self.updated_after.is_some() { comment.updated_at } else { comment.created_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;
    use crate::told::tests::{comment, id};

    fn draft(visibility: Option<Visibility>) -> CommentDraft {
        CommentDraft {
            feedback_post_id: Uuid::from_u128(1).into(),
            content: Content::parse("Yes").unwrap(),
            parent_comment_id: None,
            visibility,
            moderation: Moderation::Accepted,
            external_id: None,
            created_at: None,
        }
    }

    #[test]
    fn a_reply_is_on_the_post_of_its_parent_and_not_more_public_than_it() {
        use Visibility::{Internal, Public};
        let author = Uuid::nil().into();
        let comment = |post: u128, visibility| Comment {
            feedback_post_id: Uuid::from_u128(post).into(),
            ..draft(None).create(Uuid::nil().into(), author, visibility, Time::MIN)
        };
        let (public, internal) = (comment(1, Public), comment(1, Internal));
        let cases = [
            (None, None, true, Ok(Public)),
            (Some(Internal), None, false, Ok(Internal)),
            (None, None, false, Err(CommentRefusal::Disabled)),
            (None, Some(&internal), false, Ok(Internal)),
            (Some(Internal), Some(&public), true, Ok(Internal)),
            (Some(Public), Some(&internal), true, Err(CommentRefusal::PublicReply)),
            (None, Some(&comment(2, Public)), true, Err(CommentRefusal::ParentElsewhere)),
        ];
        for (given, parent, is_enabled, expected) in cases {
            assert_eq!(draft(given).decide(parent, is_enabled), expected);
        }
    }

    #[test]
    fn each_condition_of_a_filter_refuses_the_comments_that_differ_in_it() {
        let none = CommentFilter::default;
        let comment = comment();
        let later = Time::from_unix_millis(0).ok();
        for (met, unmet) in [
            (
                CommentFilter { feedback_post_id: Some(id(1)), ..none() },
                CommentFilter { feedback_post_id: Some(id(2)), ..none() },
            ),
            (
                CommentFilter { author_id: Some(id(3)), ..none() },
                CommentFilter { author_id: Some(id(4)), ..none() },
            ),
            (
                CommentFilter { visibility: Some(Visibility::Public), ..none() },
                CommentFilter { visibility: Some(Visibility::Internal), ..none() },
            ),
            (
                CommentFilter { moderation: Some(Moderation::Accepted), ..none() },
                CommentFilter { moderation: Some(Moderation::Pending), ..none() },
            ),
            (
                CommentFilter { updated_after: Some(Time::MIN), ..none() },
                CommentFilter { updated_after: later, ..none() },
            ),
        ] {
            assert!(met.admits(&comment) && !unmet.admits(&comment), "{unmet:?}");
        }
        let deleted = Comment { is_active: false, ..comment.clone() };
        assert!(!none().admits(&deleted));
        assert!(CommentFilter { include_deleted: true, ..none() }.admits(&deleted));
        let seen = CommentFilter { audience: Audience::Visitor(Some(id(3))), ..none() };
        let internal = Comment { visibility: Visibility::Internal, ..comment.clone() };
        assert!(none().admits(&internal) && !seen.admits(&internal) && seen.admits(&comment));
        let refused = Comment { moderation: Moderation::Rejected, ..comment };
        assert!(none().admits(&refused) && !seen.admits(&refused));
    }
}
