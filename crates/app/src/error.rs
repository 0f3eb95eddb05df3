//! Why a use case refused.

use hearback_domain::id::HelpArticleId;
use hearback_domain::{changelog_entry, help_article, help_category, help_collection, merge, vote};
use hearback_ports::StoreError;

/// A use case did not do what it was asked; nothing was changed (but see [`StoreError::Lost`]).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something that the request names is not in the organization.
    #[error("not found: {0:?}")]
    NotFound(Missing),
    /// Everything is there, but what was asked cannot be done.
    #[error("refused: {0:?}")]
    Refused(Precondition),
    /// The idempotency key was used for another body.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is not in the organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A user, or their link to the organization.
    User,
    /// A feedback board.
    FeedbackBoard,
    /// A feedback post that is retrieved.
    FeedbackPost,
    /// A category.
    Category,
    /// A comment.
    Comment,
    /// A post that is voted on.
    VoteTarget,
    /// The post that is to be merged.
    MergeSource,
    /// The post that it is to be merged into.
    MergeTarget,
    /// A help collection.
    HelpCollection,
    /// A help category.
    HelpCategory,
    /// A help article.
    HelpArticle,
}

/// What stands in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// The board takes no votes.
    VotingDisabled,
    /// A post is inactive or already merged.
    CannotMerge,
    /// The organization does not have one of the labels.
    UnknownLabel,
    /// The organization does not have a related article.
    UnknownRelatedArticle(HelpArticleId),
    /// Another record of the kind has the slug.
    SlugTaken,
}

impl From<vote::Refusal> for Error {
    fn from(refusal: vote::Refusal) -> Self {
        match refusal {
            vote::Refusal::PostNotFound => Self::NotFound(Missing::VoteTarget),
            vote::Refusal::UserNotFound => Self::NotFound(Missing::User),
            vote::Refusal::VotingDisabled => Self::Refused(Precondition::VotingDisabled),
        }
    }
}

impl From<merge::Refusal> for Error {
    fn from(refusal: merge::Refusal) -> Self {
        match refusal {
            merge::Refusal::SourceNotFound => Self::NotFound(Missing::MergeSource),
            merge::Refusal::TargetNotFound => Self::NotFound(Missing::MergeTarget),
            merge::Refusal::UserNotFound => Self::NotFound(Missing::User),
            merge::Refusal::CannotMerge => Self::Refused(Precondition::CannotMerge),
        }
    }
}

impl From<changelog_entry::Refusal> for Error {
    fn from(refusal: changelog_entry::Refusal) -> Self {
        match refusal {
            changelog_entry::Refusal::AuthorNotFound => Self::NotFound(Missing::User),
            changelog_entry::Refusal::LabelNotFound => Self::Refused(Precondition::UnknownLabel),
        }
    }
}

impl From<help_collection::Refusal> for Error {
    fn from(refusal: help_collection::Refusal) -> Self {
        match refusal {
            help_collection::Refusal::NotFound => Self::NotFound(Missing::HelpCollection),
            help_collection::Refusal::SlugTaken => Self::Refused(Precondition::SlugTaken),
        }
    }
}

impl From<help_category::Refusal> for Error {
    fn from(refusal: help_category::Refusal) -> Self {
        match refusal {
            help_category::Refusal::NotFound => Self::NotFound(Missing::HelpCategory),
            help_category::Refusal::CollectionNotFound => Self::NotFound(Missing::HelpCollection),
            help_category::Refusal::SlugTaken => Self::Refused(Precondition::SlugTaken),
        }
    }
}

impl From<help_article::Refusal> for Error {
    fn from(refusal: help_article::Refusal) -> Self {
        match refusal {
            help_article::Refusal::CategoryNotFound => Self::NotFound(Missing::HelpCategory),
            help_article::Refusal::CollectionNotFound => Self::NotFound(Missing::HelpCollection),
            help_article::Refusal::RelatedNotFound(id) => {
                Self::Refused(Precondition::UnknownRelatedArticle(id))
            }
        }
    }
}
