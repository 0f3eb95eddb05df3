//! Why a use case fails.

use crate::Denied;
use crate::vault::SecretError;
use hearback_domain::attributes::TooManyAttributes;
use hearback_domain::comment::CommentRefusal;
use hearback_domain::feedback_post::PostRefusal;
use hearback_domain::id::{DeliveryId, HelpArticleId};
use hearback_domain::merge::MergeRefusal;
use hearback_domain::record::{Kind, Reference};
use hearback_domain::vote::VoteRefusal;
use hearback_ports::StoreError;

/// A use case failed and changed nothing, except perhaps after [`StoreError::Lost`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The organization does not have a record that the request names.
    #[error("not found: {0:?}")]
    NotFound(Missing),
    /// All records are there, but a precondition does not hold.
    #[error("refused: {0:?}")]
    Refused(Precondition),
    /// The caller lacks the permission. Nothing was looked up.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The idempotency key was used for another request.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// A secret could not be made, sealed or opened.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The record that the organization does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A record to retrieve or change, or one that another record names.
    Record(Kind),
    /// The post to vote on.
    VoteTarget,
    /// The post to merge.
    MergeSource,
    /// The post to merge into.
    MergeTarget,
    /// A delivery to retrieve or replay.
    Delivery(DeliveryId),
}

/// The precondition that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// The board takes no votes.
    VotingDisabled,
    /// A post is inactive or merged already.
    CannotMerge,
    /// The organization does not have a related article.
    UnknownRelatedArticle(HelpArticleId),
    /// The record has another `updated_at` than the update expects.
    Changed,
    /// Another record of the kind has the slug.
    SlugTaken,
    /// Another organization has the host.
    HostTaken,
    /// Another record of the kind has the code.
    CodeTaken,
    /// Another record of the kind has the name.
    NameTaken,
    /// Another record of the kind has the external identifier.
    ExternalIdTaken,
    /// Another user has the email address.
    EmailTaken,
    /// Only owners make and unmake owners.
    OwnersAlone,
    /// The user is an owner. An API key neither blocks nor removes one, and changes no address of one.
    OwnerKept,
    /// The member is the last owner.
    LastOwner,
    /// The user is blocked, and may neither sign in, post, comment nor vote.
    UserBlocked,
    /// The record would have too many attributes.
    TooManyAttributes,
    /// The post is merged into another one.
    PostMerged,
    /// The post is not merged.
    PostNotMerged,
    /// The post is not deleted, or is merged, or was deleted too long ago, or its board is deleted,
    /// or another post has its external identifier.
    PostNotRestored,
    /// The parent comment is on another post.
    ParentElsewhere,
    /// The board takes no public comments.
    CommentingDisabled,
    /// A public comment cannot reply to an internal one.
    PublicReply,
    /// A post is on the board.
    BoardHasPosts,
    /// An article is in the help collection or in one of its categories.
    CollectionHasArticles,
    /// An article is in the help category.
    CategoryHasArticles,
    /// A post has the status.
    StatusInUse,
    /// The status is the default one, which cannot be deleted.
    DefaultStatusDeleted,
    /// The status is the default one, and another one must become it first.
    DefaultStatusUnset,
    /// The organization has no status for new posts.
    NoDefaultStatus,
    /// The article is not deleted, or was deleted too long ago, or its category or collection is
    /// deleted, or another article has its external identifier.
    ArticleNotRestored,
    /// The changelog entry is published already.
    AlreadyPublished,
    /// The changelog entry is not published.
    NotPublished,
    /// The sink does not admit the URL.
    UrlNotAllowed,
    /// The webhook was imported without its secret.
    AwaitsRotation,
    /// Another redirect begins at the path.
    PathTaken,
    /// The redirect would lead back to its own path.
    RedirectCircle,
    /// The identifiers of a new order are not those of the list.
    NotEveryOne,
    /// The organization does not have one of the records that this member lists.
    UnknownOf(&'static str),
}

impl Error {
    /// The error of a missing record that a change refers to.
    pub(crate) fn missing(reference: Reference) -> Self {
        let Reference { member, kind, id } = reference;
        match member {
            "related_article_ids" => Self::Refused(Precondition::UnknownRelatedArticle(id.into())),
            _ if member.ends_with("_ids") => Self::Refused(Precondition::UnknownOf(member)),
            _ => Self::NotFound(Missing::Record(kind)),
        }
    }
}

impl From<TooManyAttributes> for Precondition {
    fn from(TooManyAttributes: TooManyAttributes) -> Self {
        Self::TooManyAttributes
    }
}

impl From<PostRefusal> for Precondition {
    fn from(refusal: PostRefusal) -> Self {
        match refusal {
            PostRefusal::Merged => Self::PostMerged,
            PostRefusal::Attributes => Self::TooManyAttributes,
        }
    }
}

impl From<CommentRefusal> for Error {
    fn from(refusal: CommentRefusal) -> Self {
        Self::Refused(match refusal {
            CommentRefusal::ParentElsewhere => Precondition::ParentElsewhere,
            CommentRefusal::Disabled => Precondition::CommentingDisabled,
            CommentRefusal::PublicReply => Precondition::PublicReply,
        })
    }
}

impl From<VoteRefusal> for Error {
    fn from(refusal: VoteRefusal) -> Self {
        match refusal {
            VoteRefusal::PostNotFound => Self::NotFound(Missing::VoteTarget),
            VoteRefusal::UserNotFound => Self::NotFound(Missing::Record(Kind::User)),
            VoteRefusal::UserBlocked => Self::Refused(Precondition::UserBlocked),
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
