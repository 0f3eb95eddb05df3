//! Maps each failure of a call to its HTTP response. Each message of the wire stands here once.

use crate::fault::{Fault, Wrong};
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
    /// The token of an unsubscribe link is malformed or was not made by this server.
    #[error("the token is not ours")]
    UnknownToken,
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
            Self::UnknownToken => (StatusCode::NOT_FOUND, usual("not found")),
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
            Self::UseCase(Error::Refused(Precondition::SlugTaken)) => {
                (StatusCode::BAD_REQUEST, Plain("Slug already exists"))
            }
            Self::UseCase(Error::Refused(Precondition::CodeTaken)) => {
                (StatusCode::BAD_REQUEST, Plain("Code already exists"))
            }
            Self::UseCase(Error::Refused(Precondition::NameTaken)) => {
                (StatusCode::BAD_REQUEST, Plain("Name already exists"))
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
            Self::UseCase(Error::Store(StoreError::Busy | StoreError::Unreachable { .. })) => {
                (StatusCode::SERVICE_UNAVAILABLE, usual("temporarily unavailable"))
            }
            Self::UseCase(Error::Store(StoreError::Lost { .. } | StoreError::Backend { .. })) => {
                (StatusCode::INTERNAL_SERVER_ERROR, usual("internal error"))
            }
        }
    }
}

fn not_found(missing: Missing) -> String {
    let noun = match missing {
        Missing::Record(kind) => kind.noun(),
        Missing::VoteTarget => "post",
        Missing::MergeSource => "merge_post",
        Missing::MergeTarget => "into_post",
    };
    format!("{noun} not found")
}

fn not_allowed(denied: Denied) -> Cow<'static, str> {
    match denied {
        Denied::Feature(Feature::HelpCenter) => NO_HELP_CENTER.into(),
        Denied::Permission(permission) => format!("{permission} is not permitted").into(),
    }
}

const NO_HELP_CENTER: &str =
    "The Help Center is not enabled on your current plan. Please upgrade your plan to use it.";

static KEY_REUSED: [Fault; 1] =
    [Fault::body(Wrong::Rule("the Idempotency-Key was used for another request"))];

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
    use crate::fault::Place;
    use hearback_domain::Uuid;
    use hearback_domain::merge::MergeRefusal;
    use hearback_domain::permission::Permission;
    use hearback_domain::record::Kind;
    use hearback_domain::vote::VoteRefusal;
    use serde_json::json;

    fn written(failure: impl Into<ApiFailure>) -> (u16, String) {
        let failure = failure.into();
        (failure.status().as_u16(), String::from_utf8(failure.body()).unwrap())
    }

    #[test]
    fn a_fault_of_the_request_itself_has_the_usual_shape() {
        let expected = [
            (ApiFailure::NotJson, 415, "content type must be application/json"),
            (ApiFailure::Unauthorized, 401, "invalid api_key"),
            (ApiFailure::UnknownToken, 404, "not found"),
        ];
        for (failure, status, message) in expected {
            assert_eq!(
                written(failure),
                (status, format!(r#"{{"detail":{{"error":"{message}"}}}}"#))
            );
        }
    }

    #[test]
    fn a_denied_caller_has_the_contracts_message_or_the_name_of_the_permission() {
        let expected = [
            (
                Denied::Feature(Feature::HelpCenter),
                "The Help Center is not enabled on your current plan. Please upgrade your plan to use it.",
            ),
            (Denied::Permission(Permission::View(Kind::ApiKey)), "api_key:view is not permitted"),
        ];
        for (denied, message) in expected {
            assert_eq!(
                written(Error::from(denied)),
                (403, format!(r#"{{"detail":{{"error":"{message}"}}}}"#))
            );
        }
    }

    #[test]
    fn a_missing_record_has_the_contracts_message() {
        let expected = [
            (Missing::Record(Kind::User), "user not found"),
            (Missing::Record(Kind::FeedbackBoard), "feedback board not found"),
            (Missing::Record(Kind::FeedbackPost), "feedback post not found"),
            (Missing::Record(Kind::Category), "category not found"),
            (Missing::Record(Kind::Comment), "comment not found"),
            (Missing::VoteTarget, "post not found"),
            (Missing::MergeSource, "merge_post not found"),
            (Missing::MergeTarget, "into_post not found"),
            (Missing::Record(Kind::HelpCollection), "help collection not found"),
            (Missing::Record(Kind::HelpCategory), "help category not found"),
            (Missing::Record(Kind::HelpArticle), "help article not found"),
        ];
        for (missing, message) in expected {
            assert_eq!(
                written(Error::NotFound(missing)),
                (404, format!(r#"{{"detail":{{"error":"{message}"}}}}"#))
            );
        }
    }

    #[test]
    fn three_refusals_have_a_plain_string() {
        assert_eq!(
            written(Error::from(VoteRefusal::VotingDisabled)),
            (403, r#"{"detail":"Voting is not permitted for this board"}"#.to_owned())
        );
        assert_eq!(
            written(Error::from(MergeRefusal::CannotMerge)),
            (
                400,
                r#"{"detail":"Cannot merge posts. Ensure both posts exist, are active, and neither is already merged."}"#
                    .to_owned()
            )
        );
        assert_eq!(
            written(Error::Refused(Precondition::SlugTaken)),
            (400, r#"{"detail":"Slug already exists"}"#.to_owned())
        );
    }

    #[test]
    fn an_unknown_reference_is_400() {
        assert_eq!(
            written(Error::Refused(Precondition::UnknownOf("label_ids"))),
            (400, r#"{"detail":{"error":"one or more label_ids do not belong to this organization"}}"#.to_owned())
        );
        let id = "0199aabb-ccdd-7eee-8fff-001122334455";
        assert_eq!(
            written(Error::Refused(Precondition::UnknownRelatedArticle(
                id.parse::<Uuid>().unwrap().into()
            ))),
            (
                400,
                format!(
                    r#"{{"detail":{{"error":"related article {id} not found in this organization"}}}}"#
                )
            )
        );
    }

    #[test]
    fn faulty_fields_are_listed() {
        let faults = vec![
            Fault { place: Place::Field("id"), wrong: Wrong::UuidParsing, input: json!("x") },
            Fault { place: Place::Field("limit"), wrong: Wrong::Above(100), input: json!(101) },
        ];
        assert_eq!(
            written(ApiFailure::Invalid(faults)),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"uuid_parsing","loc":["body","id"],"msg":"Input should be a valid UUID","input":"x"},"#,
                    r#"{"type":"less_than_equal","loc":["body","limit"],"#,
                    r#""msg":"Input should be less than or equal to 100","input":101}]}"#
                )
                .to_owned()
            )
        );
        assert_eq!(
            written(Error::KeyReused),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"value_error","loc":["body"],"#,
                    r#""msg":"Value error, the Idempotency-Key was used for another request","input":null}]}"#
                )
                .to_owned()
            )
        );
    }

    #[test]
    fn a_store_that_is_busy_is_told_from_one_that_failed() {
        let of = |error: StoreError| written(Error::from(error));
        let busy = (503, r#"{"detail":{"error":"temporarily unavailable"}}"#.to_owned());
        assert_eq!(of(StoreError::Busy), busy);
        assert_eq!(of(StoreError::Unreachable { doing: "reading", source: "secret".into() }), busy);
        let internal = (500, r#"{"detail":{"error":"internal error"}}"#.to_owned());
        assert_eq!(of(StoreError::Lost { doing: "voting", source: "secret".into() }), internal);
        assert_eq!(of(StoreError::Backend { doing: "reading", source: "secret".into() }), internal);
    }

    #[test]
    fn the_log_text_of_an_invalid_body_has_no_value() {
        let faults = || {
            vec![
                Fault {
                    place: Place::Field("id"),
                    wrong: Wrong::UuidParsing,
                    input: json!("secret"),
                },
                Fault {
                    place: Place::Field("limit"),
                    wrong: Wrong::IntType,
                    input: json!("secret"),
                },
            ]
        };
        assert_eq!(
            ApiFailure::Invalid(faults()).to_string(),
            "the body is not valid: id: uuid_parsing, limit: int_type"
        );
        assert!(!format!("{:?}", ApiFailure::Invalid(faults())).contains("secret"));
    }
}
