//! One type for the identifier of each kind of record, so that a voter cannot be passed where a post is meant.

use std::fmt;
use uuid::Uuid;

/// Reads an identifier as the API takes it: 32 hex digits in any case, with the four hyphens or with none.
pub fn parse_uuid(text: &str) -> Option<Uuid> {
    // `Uuid` itself also takes braces and `urn:uuid:`, whose lengths are others.
    if matches!(text.len(), 32 | 36) { Uuid::try_parse(text).ok() } else { None }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    )+};
}

ids! {
    /// An organization: the tenant that every other record belongs to.
    OrganizationId,
    /// A user's link to one organization (the wire's `id` of a user).
    MembershipId,
    /// A person, the same in every organization that links to them (the wire's `user_id`).
    UserId,
    /// A feedback board.
    BoardId,
    /// A roadmap board.
    RoadmapBoardId,
    /// A status of posts.
    StatusId,
    /// A category of posts.
    CategoryId,
    /// A tag of posts.
    TagId,
    /// A feedback post.
    PostId,
    /// A roadmap post.
    RoadmapPostId,
    /// A comment on a feedback post.
    CommentId,
    /// A vote.
    VoteId,
    /// The audit record of a merge.
    MergeId,
    /// A changelog label.
    LabelId,
    /// A changelog entry.
    ChangelogEntryId,
    /// A help collection.
    HelpCollectionId,
    /// A help category.
    HelpCategoryId,
    /// A help article.
    HelpArticleId,
    /// A webhook subscription.
    SubscriptionId,
    /// An API key's record (never the key itself).
    ApiKeyId,
    /// A recorded event.
    EventId,
    /// An event on its way to a subscription.
    DeliveryId,
}

impl DeliveryId {
    /// The delivery of an event to a subscription: there is one, and it is told apart by what it is made of.
    pub fn of(event: EventId, subscription: SubscriptionId) -> Self {
        Self(Uuid::new_v5(&event.0, subscription.0.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_named_by_its_event_and_subscription() {
        let (event, subscription) =
            (EventId(Uuid::from_u128(1)), SubscriptionId(Uuid::from_u128(2)));
        let delivery = DeliveryId::of(event, subscription);
        // The version 5 of RFC 9562, so that whoever knows both can tell: it must never change.
        assert_eq!(delivery.to_string(), "cfc0356d-8612-54eb-a4d2-4ba6b70a12f0");
        assert_ne!(delivery, DeliveryId::of(event, SubscriptionId(Uuid::from_u128(3))));
        assert_ne!(delivery, DeliveryId::of(EventId(Uuid::from_u128(3)), subscription));
    }

    #[test]
    fn an_identifier_has_its_four_hyphens_or_none() {
        let id = Uuid::from_u128(0x0199_aabb_ccdd_7eee_8fff_0011_2233_4455);
        for text in ["0199aabb-ccdd-7eee-8fff-001122334455", "0199AABBCCDD7EEE8FFF001122334455"] {
            assert_eq!(parse_uuid(text), Some(id), "{text}");
        }
        for text in [
            "",
            "{0199aabb-ccdd-7eee-8fff-001122334455}",
            "urn:uuid:0199aabb-ccdd-7eee-8fff-001122334455",
            "0199aabbccdd-7eee-8fff-0011-22334455",
            "0199aabb-ccdd-7eee-8fff-00112233445g",
        ] {
            assert_eq!(parse_uuid(text), None, "{text}");
        }
    }
}
