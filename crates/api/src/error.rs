//! Maps each failure of a call to its HTTP response. Each message of the wire stands here once.

use crate::fault::{Fault, Place, Wrong};
use actix_web::http::StatusCode;
use hearback_app::{Denied, Error, Missing, Precondition};
use hearback_domain::plan::Feature;
use hearback_http::{DoorError, Failure};
use hearback_ports::StoreError;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// Why the response to a call is not `200`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiFailure {
    /// The content type is not JSON.
    #[error("the content type is not JSON")]
    NotJson,
    /// The key is missing, malformed, unknown or revoked.
    #[error("the key is not good")]
    Unauthorized,
    /// The idempotency key is malformed, or there are several.
    #[error("the idempotency key is not good")]
    BadIdempotencyKey,
    /// The body or some fields are wrong.
    #[error("the body is not valid: {}", Listed(.0))]
    Invalid(Vec<Fault>),
    /// The use case failed or refused.
    #[error(transparent)]
    UseCase(#[from] Error),
}

impl From<ApiFailure> for Failure {
    fn from(failure: ApiFailure) -> Self {
        Self::Door(Box::new(failure))
    }
}

impl DoorError for ApiFailure {
    fn status(&self) -> StatusCode {
        self.answer().0
    }

    fn body(&self) -> Vec<u8> {
        // The body has strings and JSON values only: serde_json serializes all of them.
        serde_json::to_vec(&Body { detail: self.answer().1 }).unwrap_or_default()
    }
}

impl ApiFailure {
    fn answer(&self) -> (StatusCode, Detail<'_>) {
        use Detail::{Items, Plain};
        match self {
            Self::NotJson => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, usual("content type must be application/json"))
            }
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, usual("invalid api_key")),
            Self::BadIdempotencyKey => (
                StatusCode::BAD_REQUEST,
                usual("Idempotency-Key must be one value of 1 to 255 visible ASCII characters"),
            ),
            Self::Invalid(faults) => (StatusCode::UNPROCESSABLE_ENTITY, Items(faults)),
            Self::UseCase(Error::Denied(denied)) => {
                (StatusCode::FORBIDDEN, usual(not_allowed(*denied)))
            }
            Self::UseCase(Error::NotFound(missing)) => {
                (StatusCode::NOT_FOUND, usual(not_found(*missing)))
            }
            Self::UseCase(Error::Refused(Precondition::VotingDisabled)) => {
                (StatusCode::FORBIDDEN, Plain("Voting is not permitted for this board"))
            }
            Self::UseCase(Error::Refused(Precondition::CannotMerge)) => (
                StatusCode::BAD_REQUEST,
                Plain(
                    "Cannot merge posts. Ensure both posts exist, are active, and neither is already merged.",
                ),
            ),
            Self::UseCase(Error::Refused(Precondition::Changed)) => {
                (StatusCode::BAD_REQUEST, usual("the record was changed meanwhile"))
            }
            Self::UseCase(Error::Refused(Precondition::SlugTaken)) => {
                (StatusCode::BAD_REQUEST, Plain("Slug already exists"))
            }
            Self::UseCase(Error::Refused(Precondition::HostTaken)) => {
                (StatusCode::BAD_REQUEST, Plain("Host already exists"))
            }
            Self::UseCase(Error::Refused(Precondition::CodeTaken)) => {
                (StatusCode::BAD_REQUEST, Plain("Code already exists"))
            }
            Self::UseCase(Error::Refused(Precondition::NameTaken)) => {
                (StatusCode::BAD_REQUEST, Plain("Name already exists"))
            }
            Self::UseCase(Error::Refused(Precondition::EmailTaken)) => {
                (StatusCode::BAD_REQUEST, usual("the email belongs to another user"))
            }
            Self::UseCase(Error::Refused(Precondition::OwnersAlone)) => {
                (StatusCode::FORBIDDEN, usual("only owners make and unmake owners"))
            }
            Self::UseCase(Error::Refused(Precondition::OwnerKept)) => {
                (StatusCode::FORBIDDEN, usual("an owner is changed in the dashboard"))
            }
            Self::UseCase(Error::Refused(Precondition::LastOwner)) => {
                (StatusCode::BAD_REQUEST, usual("the last owner stays"))
            }
            Self::UseCase(Error::Refused(Precondition::UserBlocked)) => {
                (StatusCode::FORBIDDEN, usual("the user is blocked"))
            }
            Self::UseCase(Error::Refused(Precondition::TooManyAttributes)) => {
                (StatusCode::BAD_REQUEST, usual("too many attributes"))
            }
            Self::UseCase(Error::Refused(Precondition::PostMerged)) => {
                (StatusCode::BAD_REQUEST, usual("the post is merged"))
            }
            Self::UseCase(Error::Refused(Precondition::PostNotMerged)) => {
                (StatusCode::BAD_REQUEST, usual("the post is not merged"))
            }
            Self::UseCase(Error::Refused(Precondition::PostNotRestored)) => {
                (StatusCode::BAD_REQUEST, usual("the post cannot be restored"))
            }
            Self::UseCase(Error::Refused(Precondition::BoardHasPosts)) => {
                (StatusCode::BAD_REQUEST, usual("the board has posts"))
            }
            Self::UseCase(Error::Refused(Precondition::CollectionHasArticles)) => {
                (StatusCode::BAD_REQUEST, usual("the collection has articles"))
            }
            Self::UseCase(Error::Refused(Precondition::CategoryHasArticles)) => {
                (StatusCode::BAD_REQUEST, usual("the category has articles"))
            }
            Self::UseCase(Error::Refused(Precondition::StatusInUse)) => {
                (StatusCode::BAD_REQUEST, usual("the status is in use"))
            }
            Self::UseCase(Error::Refused(Precondition::DefaultStatusDeleted)) => {
                (StatusCode::BAD_REQUEST, usual("the default status cannot be deleted"))
            }
            Self::UseCase(Error::Refused(Precondition::DefaultStatusUnset)) => {
                (StatusCode::BAD_REQUEST, usual("the default status cannot be unset"))
            }
            Self::UseCase(Error::Refused(Precondition::NoDefaultStatus)) => {
                (StatusCode::BAD_REQUEST, usual("there is no default status"))
            }
            Self::UseCase(Error::Refused(Precondition::ArticleNotRestored)) => {
                (StatusCode::BAD_REQUEST, usual("the article cannot be restored"))
            }
            Self::UseCase(Error::Refused(Precondition::AlreadyPublished)) => {
                (StatusCode::BAD_REQUEST, usual("the entry is already published"))
            }
            Self::UseCase(Error::Refused(Precondition::NotPublished)) => {
                (StatusCode::BAD_REQUEST, usual("the entry is not published"))
            }
            Self::UseCase(Error::Refused(Precondition::UrlNotAllowed)) => {
                (StatusCode::BAD_REQUEST, usual("the URL is not allowed"))
            }
            Self::UseCase(Error::Refused(Precondition::AwaitsRotation)) => (
                StatusCode::BAD_REQUEST,
                usual("the webhook was imported without its secret: rotate it first"),
            ),
            Self::UseCase(Error::Refused(Precondition::PathTaken)) => {
                (StatusCode::BAD_REQUEST, Plain("Path already exists"))
            }
            Self::UseCase(Error::Refused(Precondition::RedirectCircle)) => {
                (StatusCode::BAD_REQUEST, usual("the redirect leads in a circle"))
            }
            Self::UseCase(Error::Refused(Precondition::NotEveryOne)) => {
                (StatusCode::BAD_REQUEST, usual("ids must name every one"))
            }
            Self::UseCase(Error::Refused(Precondition::ParentElsewhere)) => {
                (StatusCode::BAD_REQUEST, usual("the parent comment is on another post"))
            }
            Self::UseCase(Error::Refused(Precondition::CommentingDisabled)) => {
                (StatusCode::FORBIDDEN, Plain("Commenting is disabled for this board"))
            }
            Self::UseCase(Error::Refused(Precondition::PublicReply)) => {
                (StatusCode::UNPROCESSABLE_ENTITY, Items(&PUBLIC_REPLY))
            }
            Self::UseCase(Error::Refused(Precondition::ExternalIdTaken)) => {
                (StatusCode::BAD_REQUEST, Plain("External id already exists"))
            }
            Self::UseCase(Error::Refused(Precondition::UnknownOf(member))) => (
                StatusCode::BAD_REQUEST,
                usual(format!("one or more {member} do not belong to this organization")),
            ),
            Self::UseCase(Error::Refused(Precondition::UnknownRelatedArticle(id))) => (
                StatusCode::BAD_REQUEST,
                usual(format!("related article {id} not found in this organization")),
            ),
            Self::UseCase(Error::KeyReused) => {
                (StatusCode::UNPROCESSABLE_ENTITY, Items(&KEY_REUSED))
            }
            Self::UseCase(Error::Store(
                StoreError::Busy | StoreError::Unreachable { .. } | StoreError::Full { .. },
            )) => (StatusCode::SERVICE_UNAVAILABLE, usual("temporarily unavailable")),
            Self::UseCase(
                Error::Secret(_)
                | Error::Store(StoreError::Lost { .. } | StoreError::Backend { .. }),
            ) => (StatusCode::INTERNAL_SERVER_ERROR, usual("internal error")),
        }
    }
}

fn not_found(missing: Missing) -> String {
    let noun = match missing {
        Missing::Record(kind) => kind.noun(),
        Missing::VoteTarget => "post",
        Missing::MergeSource => "merge_post",
        Missing::MergeTarget => "into_post",
        Missing::Delivery(_) => "delivery",
    };
    format!("{noun} not found")
}

fn not_allowed(denied: Denied) -> Cow<'static, str> {
    match denied {
        Denied::Feature(Feature::HelpCenter) => NO_HELP_CENTER.into(),
        Denied::NotSignedIn => "nobody has signed in".into(),
        Denied::SecondFactor => "the second factor was not shown".into(),
        Denied::Permission(permission) => format!("{permission} is not permitted").into(),
    }
}

const NO_HELP_CENTER: &str =
    "The Help Center is not enabled on your current plan. Please upgrade your plan to use it.";

static KEY_REUSED: [Fault; 1] =
    [Fault::body(Wrong::Rule("the Idempotency-Key was used for another request"))];

static PUBLIC_REPLY: [Fault; 1] = [Fault {
    place: Place::Field("visibility_code"),
    wrong: Wrong::Rule("a reply to an internal comment is internal"),
    input: None,
}];

fn usual<'a>(message: impl Into<Cow<'static, str>>) -> Detail<'a> {
    Detail::Error(message.into())
}

#[derive(Serialize)]
struct Body<'a> {
    detail: Detail<'a>,
}

/// The shapes of the wire's `detail`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Detail<'a> {
    /// The usual shape: `{"error": …}`.
    Error(Cow<'static, str>),
    /// A plain string, the shape of a few `400` and `403`.
    #[serde(untagged)]
    Plain(&'static str),
    /// The items of a `422`.
    #[serde(untagged)]
    Items(&'a [Fault]),
}

/// Shows faults without their values.
struct Listed<'a>(&'a [Fault]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Uuid;
    use hearback_domain::merge::MergeRefusal;
    use hearback_domain::permission::Permission;
    use hearback_domain::record::Kind;
    use hearback_domain::vote::VoteRefusal;
    use serde_json::json;
    use serde_json::value::to_raw_value;

    fn written(failure: impl Into<ApiFailure>) -> (u16, String) {
        let failure = failure.into();
        (failure.status().as_u16(), String::from_utf8(failure.body()).unwrap())
    }

    #[test]
    fn each_failure_has_its_status_and_message() {
        let record = |kind| Error::NotFound(Missing::Record(kind));
        let related: Uuid = "0199aabb-ccdd-7eee-8fff-001122334455".parse().unwrap();
        let source = || "secret".into();
        let expected: [(ApiFailure, u16, &str); 22] = [
            (ApiFailure::NotJson, 415, "content type must be application/json"),
            (ApiFailure::Unauthorized, 401, "invalid api_key"),
            (
                Error::from(Denied::Feature(Feature::HelpCenter)).into(),
                403,
                "The Help Center is not enabled on your current plan. Please upgrade your plan to use it.",
            ),
            (
                Error::from(Denied::Permission(Permission::View(Kind::ApiKey))).into(),
                403,
                "api_key:view is not permitted",
            ),
            (record(Kind::User).into(), 404, "user not found"),
            (record(Kind::FeedbackBoard).into(), 404, "feedback board not found"),
            (record(Kind::FeedbackPost).into(), 404, "feedback post not found"),
            (record(Kind::Category).into(), 404, "category not found"),
            (record(Kind::Comment).into(), 404, "comment not found"),
            (Error::NotFound(Missing::VoteTarget).into(), 404, "post not found"),
            (Error::NotFound(Missing::MergeSource).into(), 404, "merge_post not found"),
            (Error::NotFound(Missing::MergeTarget).into(), 404, "into_post not found"),
            (record(Kind::HelpCollection).into(), 404, "help collection not found"),
            (record(Kind::HelpCategory).into(), 404, "help category not found"),
            (record(Kind::HelpArticle).into(), 404, "help article not found"),
            (
                Error::Refused(Precondition::UnknownOf("label_ids")).into(),
                400,
                "one or more label_ids do not belong to this organization",
            ),
            (
                Error::Refused(Precondition::UnknownRelatedArticle(related.into())).into(),
                400,
                "related article 0199aabb-ccdd-7eee-8fff-001122334455 not found in this organization",
            ),
            (Error::from(StoreError::Busy).into(), 503, "temporarily unavailable"),
            (
                Error::from(StoreError::Unreachable { doing: "reading", source: source() }).into(),
                503,
                "temporarily unavailable",
            ),
            (
                Error::from(StoreError::Full { doing: "voting", source: source() }).into(),
                503,
                "temporarily unavailable",
            ),
            (
                Error::from(StoreError::Lost { doing: "voting", source: source() }).into(),
                500,
                "internal error",
            ),
            (
                Error::from(StoreError::Backend { doing: "reading", source: source() }).into(),
                500,
                "internal error",
            ),
        ];
        for (failure, status, message) in expected {
            let body = json!({"detail": {"error": message}}).to_string();
            assert_eq!(written(failure), (status, body));
        }
        let plain: [(Error, u16, &str); 3] = [
            (VoteRefusal::VotingDisabled.into(), 403, "Voting is not permitted for this board"),
            (
                MergeRefusal::CannotMerge.into(),
                400,
                "Cannot merge posts. Ensure both posts exist, are active, and neither is already merged.",
            ),
            (Error::Refused(Precondition::SlugTaken), 400, "Slug already exists"),
        ];
        for (error, status, message) in plain {
            assert_eq!(written(error), (status, json!({"detail": message}).to_string()));
        }
    }

    #[test]
    fn the_log_text_of_an_invalid_body_has_no_value() {
        let fault = |name, wrong| Fault {
            place: Place::Field(name),
            wrong,
            input: to_raw_value("secret").ok(),
        };
        let faults = vec![fault("id", Wrong::UuidParsing), fault("limit", Wrong::IntType)];
        let failure = ApiFailure::Invalid(faults);
        let expected = "the body is not valid: id: uuid_parsing, limit: int_type";
        assert_eq!(failure.to_string(), expected);
        assert!(!format!("{failure:?}").contains("secret"));
    }
}
