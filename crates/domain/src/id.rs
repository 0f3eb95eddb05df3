//! An identifier type for each kind of record, so that the compiler distinguishes them.

use std::fmt;
use uuid::Uuid;

/// Reads a UUID as the API accepts it: 32 hex digits in any case, with all four hyphens or none.
pub fn parse_uuid(text: &str) -> Option<Uuid> {
    // `Uuid` also reads braces and `urn:uuid:`. Their lengths differ.
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
    /// An organization: the tenant of every other record.
    OrganizationId,
    /// A user's link to one organization: the `id` of a user in the API.
    MembershipId,
    /// A person: the `user_id` in the API. It is the same in every organization.
    UserId,
    /// An entry of the audit log.
    AuditEntryId,
    /// A company.
    CompanyId,
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
    /// A link between a roadmap post and a feedback post.
    RoadmapLinkId,
    /// A comment on a feedback post.
    CommentId,
    /// A user's subscription to a feedback post.
    PostSubscriptionId,
    /// A vote.
    VoteId,
    /// The audit record of a merge.
    MergeId,
    /// A changelog label.
    LabelId,
    /// A changelog entry.
    ChangelogEntryId,
    /// A link between a changelog entry and a feedback post.
    EntryLinkId,
    /// A help collection.
    HelpCollectionId,
    /// A help category.
    HelpCategoryId,
    /// A help article.
    HelpArticleId,
    /// A version of a help article.
    HelpArticleVersionId,
    /// A redirect of the portal.
    HelpRedirectId,
    /// A webhook subscription.
    SubscriptionId,
    /// The record of an API key, not the key itself.
    ApiKeyId,
    /// A secret of single sign-on, not the secret itself.
    SsoSecretId,
    /// A provider of OpenID Connect.
    OidcProviderId,
    /// A recorded event.
    EventId,
    /// A delivery of an event to a subscription.
    DeliveryId,
    /// A mailing.
    MailingId,
}

impl DeliveryId {
    /// The only delivery of an event to a subscription: a UUID of version 5 from both identifiers.
    pub fn of(event: EventId, subscription: SubscriptionId) -> Self {
        Self(Uuid::new_v5(&event.0, subscription.0.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_delivery_follows_from_its_event_and_subscription() {
        let (event, subscription) =
            (EventId(Uuid::from_u128(1)), SubscriptionId(Uuid::from_u128(2)));
        let delivery = DeliveryId::of(event, subscription);
        // Version 5 of RFC 9562. Receivers may compute it, so that it must never change.
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
