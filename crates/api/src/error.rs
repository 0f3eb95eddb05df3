//! The one map from what went wrong to HTTP. The wire's messages stand here, each once.

use crate::fault::{Fault, Wrong};
use actix_web::error::PayloadError;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use hearback_app::{Error, Missing, Precondition};
use hearback_ports::StoreError;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// Why a request was not answered with `200`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Nothing is there.
    #[error("the path is unknown")]
    UnknownPath,
    /// Something is there, but not for this method.
    #[error("the path takes {0} only")]
    Method(Methods),
    /// There were too many requests.
    #[error("too many requests")]
    Limited {
        /// In how many seconds there is room for the next one.
        retry_after: u64,
    },
    /// The body is longer than the limit.
    #[error("the body is too long")]
    TooLarge,
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    Slow,
    /// The body broke off.
    #[error("reading the body")]
    Broken(#[source] PayloadError),
    /// The body is said to be something else than JSON.
    #[error("the content type is not JSON")]
    NotJson,
    /// The key is missing or not good, whatever the reason.
    #[error("the key is not good")]
    Unauthorized,
    /// The client's name for a write is none.
    #[error("the idempotency key is not good")]
    BadIdempotencyKey,
    /// The body or some fields are wrong.
    #[error("the body is not valid: {}", Listed(.0))]
    Invalid(Vec<Fault>),
    /// The organization's plan has no help center.
    #[error("the plan has no help center")]
    NoHelpCenter,
    /// The token of an unsubscribe link is not one of ours.
    #[error("the token is not ours")]
    UnknownToken,
    /// The use case did not do it.
    #[error(transparent)]
    UseCase(#[from] Error),
    /// The store does not answer the readiness probe.
    #[error("asking the store whether it is ready")]
    NotReady(#[source] StoreError),
    /// The background workers do not run.
    #[error("the background workers do not run")]
    WorkersDown,
    /// The answer could not be written.
    #[error("writing an answer as JSON")]
    Unwritable(#[from] serde_json::Error),
    /// The request reached a handler by another way than through [`crate::configure`].
    #[error("a handler was called outside of its application")]
    Misplaced,
    /// A handler panicked.
    #[error("a handler panicked")]
    Panicked,
}

/// The methods that a path takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Methods {
    /// The endpoints.
    Post,
    /// The probes.
    Get,
    /// The unsubscribe links.
    GetPost,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::UseCase(error.into())
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        self.answer().0
    }

    fn error_response(&self) -> HttpResponse {
        let (status, detail) = self.answer();
        let mut response = HttpResponse::build(status);
        response.insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")));
        if let Self::Method(methods) = self {
            response.insert_header((ALLOW, HeaderValue::from_static(methods.header())));
        }
        if let Self::Limited { retry_after } = self {
            response.insert_header((RETRY_AFTER, HeaderValue::from(*retry_after)));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.insert_header((RETRY_AFTER, HeaderValue::from_static("1")));
        }
        // Strings and JSON values only: there is nothing in the body that serde_json could refuse.
        response.body(serde_json::to_vec(&Body { detail }).unwrap_or_default())
    }
}

impl Failure {
    /// Its status and body.
    pub(crate) fn shown(&self) -> (StatusCode, Value) {
        let (status, detail) = self.answer();
        (status, serde_json::to_value(Body { detail }).unwrap_or_default())
    }

    fn answer(&self) -> (StatusCode, Detail<'_>) {
        use Detail::{Items, Plain};
        match self {
            Self::UnknownPath | Self::UnknownToken => (StatusCode::NOT_FOUND, usual("not found")),
            Self::Method(_) => (StatusCode::METHOD_NOT_ALLOWED, usual("method not allowed")),
            Self::Limited { .. } => (StatusCode::TOO_MANY_REQUESTS, usual("rate limit exceeded")),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, usual("request body too large")),
            Self::Slow => (StatusCode::REQUEST_TIMEOUT, usual("request body not received in time")),
            Self::Broken(_) => (StatusCode::BAD_REQUEST, usual("request body incomplete")),
            Self::NotJson => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, usual("content type must be application/json"))
            }
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, usual("invalid api_key")),
            Self::BadIdempotencyKey => (
                StatusCode::BAD_REQUEST,
                usual("Idempotency-Key must be one value of 1 to 255 visible ASCII characters"),
            ),
            Self::Invalid(faults) => (StatusCode::UNPROCESSABLE_ENTITY, Items(faults)),
            Self::NoHelpCenter => (StatusCode::FORBIDDEN, usual(NO_HELP_CENTER)),
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
            Self::UseCase(Error::Refused(Precondition::UnknownLabel)) => (
                StatusCode::BAD_REQUEST,
                usual("one or more label_ids do not belong to this organization"),
            ),
            Self::UseCase(Error::Refused(Precondition::UnknownRelatedArticle(id))) => (
                StatusCode::BAD_REQUEST,
                usual(format!("related article {id} not found in this organization")),
            ),
            Self::UseCase(Error::KeyReused) => {
                (StatusCode::UNPROCESSABLE_ENTITY, Items(&KEY_REUSED))
            }
            Self::UseCase(Error::Store(StoreError::Busy | StoreError::Unreachable { .. }))
            | Self::NotReady(_)
            | Self::WorkersDown => {
                (StatusCode::SERVICE_UNAVAILABLE, usual("temporarily unavailable"))
            }
            Self::UseCase(Error::Store(StoreError::Lost { .. } | StoreError::Backend { .. }))
            | Self::Unwritable(_)
            | Self::Misplaced
            | Self::Panicked => (StatusCode::INTERNAL_SERVER_ERROR, usual("internal error")),
        }
    }
}

impl Methods {
    fn header(self) -> &'static str {
        match self {
            Self::Post => "POST",
            Self::Get => "GET, HEAD",
            Self::GetPost => "GET, HEAD, POST",
        }
    }
}

impl fmt::Display for Methods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.header())
    }
}

fn not_found(missing: Missing) -> &'static str {
    match missing {
        Missing::User => "user not found",
        Missing::FeedbackBoard => "feedback board not found",
        Missing::FeedbackPost => "feedback post not found",
        Missing::Category => "category not found",
        Missing::Comment => "comment not found",
        Missing::VoteTarget => "post not found",
        Missing::MergeSource => "merge_post not found",
        Missing::MergeTarget => "into_post not found",
        Missing::HelpCollection => "help collection not found",
        Missing::HelpCategory => "help category not found",
        Missing::HelpArticle => "help article not found",
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
    /// The usual one: `{"error": …}`.
    Error(Cow<'static, str>),
    /// The plain string of a few `400` and `403`.
    #[serde(untagged)]
    Plain(&'static str),
    /// The items of a `422`.
    #[serde(untagged)]
    Items(&'a [Fault]),
}

/// Faults, without their values.
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
    use actix_web::body::MessageBody;
    use hearback_domain::{Uuid, changelog_entry, help_article, help_collection, merge, vote};
    use serde_json::json;

    /// Status, `Allow`, `Retry-After` and body.
    fn written(failure: impl Into<Failure>) -> (u16, Option<String>, Option<String>, String) {
        let failure = failure.into();
        let response = failure.error_response();
        assert_eq!(response.status(), failure.status_code());
        assert_eq!(response.headers().get(CONTENT_TYPE).unwrap(), "application/json");
        let header =
            |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let (allow, retry_after) = (header(ALLOW), header(RETRY_AFTER));
        let status = response.status().as_u16();
        let body = response.into_body().try_into_bytes().ok().unwrap();
        (status, allow, retry_after, String::from_utf8(body.to_vec()).unwrap())
    }

    fn plainly(failure: impl Into<Failure>) -> (u16, String) {
        let (status, None, None, body) = written(failure) else {
            panic!("no such headers are expected")
        };
        (status, body)
    }

    #[test]
    fn what_is_wrong_with_the_request_itself_has_the_usual_shape() {
        let expected = [
            (Failure::UnknownPath, 404, "not found"),
            (Failure::TooLarge, 413, "request body too large"),
            (Failure::Slow, 408, "request body not received in time"),
            (Failure::Broken(PayloadError::Overflow), 400, "request body incomplete"),
            (Failure::NotJson, 415, "content type must be application/json"),
            (Failure::Unauthorized, 401, "invalid api_key"),
            (Failure::UnknownToken, 404, "not found"),
            (
                Failure::NoHelpCenter,
                403,
                "The Help Center is not enabled on your current plan. Please upgrade your plan to use it.",
            ),
        ];
        for (failure, status, message) in expected {
            assert_eq!(
                plainly(failure),
                (status, format!(r#"{{"detail":{{"error":"{message}"}}}}"#))
            );
        }
    }

    #[test]
    fn a_method_that_is_not_taken_names_those_that_are() {
        let body = r#"{"detail":{"error":"method not allowed"}}"#.to_owned();
        assert_eq!(
            written(Failure::Method(Methods::Post)),
            (405, Some("POST".to_owned()), None, body.clone())
        );
        assert_eq!(
            written(Failure::Method(Methods::Get)),
            (405, Some("GET, HEAD".to_owned()), None, body.clone())
        );
        assert_eq!(
            written(Failure::Method(Methods::GetPost)),
            (405, Some("GET, HEAD, POST".to_owned()), None, body)
        );
    }

    #[test]
    fn what_is_missing_has_the_contracts_message() {
        let expected = [
            (Missing::User, "user not found"),
            (Missing::FeedbackBoard, "feedback board not found"),
            (Missing::FeedbackPost, "feedback post not found"),
            (Missing::Category, "category not found"),
            (Missing::Comment, "comment not found"),
            (Missing::VoteTarget, "post not found"),
            (Missing::MergeSource, "merge_post not found"),
            (Missing::MergeTarget, "into_post not found"),
            (Missing::HelpCollection, "help collection not found"),
            (Missing::HelpCategory, "help category not found"),
            (Missing::HelpArticle, "help article not found"),
        ];
        for (missing, message) in expected {
            assert_eq!(
                plainly(Error::NotFound(missing)),
                (404, format!(r#"{{"detail":{{"error":"{message}"}}}}"#))
            );
        }
    }

    #[test]
    fn three_refusals_have_a_plain_string() {
        assert_eq!(
            plainly(Error::from(vote::Refusal::VotingDisabled)),
            (403, r#"{"detail":"Voting is not permitted for this board"}"#.to_owned())
        );
        assert_eq!(
            plainly(Error::from(merge::Refusal::CannotMerge)),
            (
                400,
                r#"{"detail":"Cannot merge posts. Ensure both posts exist, are active, and neither is already merged."}"#
                    .to_owned()
            )
        );
        assert_eq!(
            plainly(Error::from(help_collection::Refusal::SlugTaken)),
            (400, r#"{"detail":"Slug already exists"}"#.to_owned())
        );
    }

    #[test]
    fn what_is_not_of_the_organization_but_only_referred_to_is_400() {
        assert_eq!(
            plainly(Error::from(changelog_entry::Refusal::LabelNotFound)),
            (400, r#"{"detail":{"error":"one or more label_ids do not belong to this organization"}}"#.to_owned())
        );
        let id = "0199aabb-ccdd-7eee-8fff-001122334455";
        assert_eq!(
            plainly(Error::from(help_article::Refusal::RelatedNotFound(
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
            plainly(Failure::Invalid(faults)),
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
            plainly(Error::KeyReused),
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
    fn what_may_be_tried_again_says_so_and_the_rest_says_nothing() {
        let busy = (
            503,
            None,
            Some("1".to_owned()),
            r#"{"detail":{"error":"temporarily unavailable"}}"#.to_owned(),
        );
        assert_eq!(written(StoreError::Busy), busy);
        assert_eq!(
            written(StoreError::Unreachable { doing: "reading", source: "secret".into() }),
            busy
        );
        let backend = || StoreError::Backend { doing: "reading", source: "secret".into() };
        assert_eq!(written(Failure::NotReady(backend())), busy);
        assert_eq!(written(Failure::WorkersDown), busy);
        let limited = (
            429,
            None,
            Some("7".to_owned()),
            r#"{"detail":{"error":"rate limit exceeded"}}"#.to_owned(),
        );
        assert_eq!(written(Failure::Limited { retry_after: 7 }), limited);
        let internal = (500, r#"{"detail":{"error":"internal error"}}"#.to_owned());
        for failure in [
            backend().into(),
            StoreError::Lost { doing: "voting", source: "secret".into() }.into(),
            Failure::Unwritable(serde_json::from_str::<()>("secret").unwrap_err()),
            Failure::Misplaced,
            Failure::Panicked,
        ] {
            assert_eq!(plainly(failure), internal);
        }
    }

    #[test]
    fn what_logs_show_of_an_invalid_body_has_no_value() {
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
            Failure::Invalid(faults()).to_string(),
            "the body is not valid: id: uuid_parsing, limit: int_type"
        );
        assert!(!format!("{:?}", Failure::Invalid(faults())).contains("secret"));
    }
}
