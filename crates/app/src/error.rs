//! Why a use case refused.

use crate::Denied;
use hearback_domain::id::HelpArticleId;
use hearback_domain::merge::MergeRefusal;
use hearback_domain::record::{Kind, Reference};
use hearback_domain::vote::VoteRefusal;
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
    /// The caller may not do it. Nothing was looked up.
    #[error(transparent)]
    Denied(#[from] Denied),
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
    /// A record that is retrieved, changed, or named by another one.
    Record(Kind),
    /// A post that is voted on.
    VoteTarget,
    /// The post that is to be merged.
    MergeSource,
    /// The post that it is to be merged into.
    MergeTarget,
}

/// What stands in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// The board takes no votes.
    VotingDisabled,
    /// A post is inactive or already merged.
    CannotMerge,
    /// The organization does not have a related article.
    UnknownRelatedArticle(HelpArticleId),
    /// Another record of the kind has the slug.
    SlugTaken,
    /// Another record of the kind has the code.
    CodeTaken,
    /// Another record of the kind has the name.
    NameTaken,
    /// Another record of the kind has the external identifier.
    ExternalIdTaken,
    /// The organization does not have one of the records that this member lists.
    UnknownOf(&'static str),
}

impl Error {
    /// A record that a change needs is not there.
    pub(crate) fn missing(reference: Reference) -> Self {
        let Reference { member, kind, id } = reference;
        match member {
            "related_article_ids" => Self::Refused(Precondition::UnknownRelatedArticle(id.into())),
            _ if member.ends_with("_ids") => Self::Refused(Precondition::UnknownOf(member)),
            _ => Self::NotFound(Missing::Record(kind)),
        }
    }
}

impl From<VoteRefusal> for Error {
    fn from(refusal: VoteRefusal) -> Self {
        match refusal {
            VoteRefusal::PostNotFound => Self::NotFound(Missing::VoteTarget),
            VoteRefusal::UserNotFound => Self::NotFound(Missing::Record(Kind::User)),
            VoteRefusal::VotingDisabled => Self::Refused(Precondition::VotingDisabled),
        }
    }
}

impl From<MergeRefusal> for Error {
    fn from(refusal: MergeRefusal) -> Self {
        match refusal {
            MergeRefusal::SourceNotFound => Self::NotFound(Missing::MergeSource),
            MergeRefusal::TargetNotFound => Self::NotFound(Missing::MergeTarget),
            MergeRefusal::UserNotFound => Self::NotFound(Missing::Record(Kind::User)),
            MergeRefusal::CannotMerge => Self::Refused(Precondition::CannotMerge),
        }
    }
}
