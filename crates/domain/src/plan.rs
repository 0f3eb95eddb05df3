//! Plans, and the parts of the product that they include.

use crate::organization::HelpCenter;
use crate::record::Kind;

/// A part of the product that not every plan includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The help center.
    HelpCenter,
}

impl Feature {
    /// The feature that records of a kind belong to. `None` if every plan includes them. Every use
    /// case works on records of a kind, so this table has all effects of a plan.
    pub fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::HelpCollection
            | Kind::HelpCategory
            | Kind::HelpArticle
            | Kind::HelpArticleVersion
            | Kind::HelpRedirect => Some(Self::HelpCenter),
            Kind::Organization
            | Kind::Company
            | Kind::User
            | Kind::FeedbackBoard
            | Kind::RoadmapBoard
            | Kind::Status
            | Kind::Category
            | Kind::Tag
            | Kind::FeedbackPost
            | Kind::RoadmapPost
            | Kind::RoadmapLink
            | Kind::EntryLink
            | Kind::Subscription
            | Kind::Comment
            | Kind::Vote
            | Kind::Merge
            | Kind::DroppedVote
            | Kind::Label
            | Kind::ChangelogEntry
            | Kind::WebhookSubscription
            | Kind::ApiKey => None,
        }
    }
}

/// The plan of an organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Whether it includes the help center.
    pub help_center: HelpCenter,
}

impl Plan {
    /// Includes everything.
    pub const FULL: Self = Self { help_center: HelpCenter::Enabled };

    /// Whether it includes a feature.
    pub fn includes(self, feature: Feature) -> bool {
        match feature {
            Feature::HelpCenter => self.help_center.is_enabled(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClosedSet;

    #[test]
    fn the_help_center_is_all_that_a_plan_may_lack() {
        let bare = Plan { help_center: HelpCenter::Disabled };
        for &kind in Kind::ALL {
            let feature = Feature::of(kind);
            assert_eq!(feature.is_some(), kind.code().starts_with("help_"), "{kind:?}");
            assert!(feature.is_none_or(|feature| Plan::FULL.includes(feature)), "{kind:?}");
            assert!(feature.is_none_or(|feature| !bare.includes(feature)), "{kind:?}");
        }
    }
}
