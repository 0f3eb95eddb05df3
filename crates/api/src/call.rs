//! Receives a request in five steps: it counts the address, reads the body, looks up the key,
//! counts the key and reads the fields. A step begins after the one before it has succeeded. Then
//! the use case runs. It checks the caller's permission before it looks anything up.
//!
//! [`Api::call`] is for other doors, which know their caller: it reads the fields and runs the use
//! case.

use crate::answer::Answer;
use crate::endpoint::{Call, Effect, Endpoint};
use crate::error::ApiFailure;
use crate::fault::Fault;
use crate::fields;
use crate::json;
use crate::repeat;
use crate::v1::users;
use crate::{Api, Shared, v1};
use actix_web::body::to_bytes;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use actix_web::web::{Bytes, BytesMut};
use actix_web::{HttpRequest, ResponseError};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hearback_app::{Caller, Error, Repeat};
use hearback_domain::id::OrganizationId;
use hearback_http::{Failure, RequestContext};
use hearback_ports::keys::KeyOwner;
use hearback_ports::{IdempotencyKey, deadline};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// Answers a request to an endpoint, which reads the members with these names.
pub(crate) async fn answer(
    api: Shared,
    endpoint: &'static Endpoint,
    names: &'static [&'static str],
    request: HttpRequest,
) -> Answer {
    let context = RequestContext::of(&request)?;
    context.count_address(&request)?;
    let body = context.body(request.headers()).await?;
    let working = async { begin(api, endpoint, names, &request, &context, body).await?.await };
    deadline::within(working).await
}

/// Reads a body, and makes the future of its use case.
async fn begin(
    api: Shared,
    endpoint: &'static Endpoint,
    names: &[&'static str],
    request: &HttpRequest,
    context: &RequestContext,
    body: BytesMut,
) -> Result<BoxFuture<'static, Answer>, Failure> {
    if !request.headers().get_all(CONTENT_TYPE).all(is_json) {
        return Err(ApiFailure::NotJson.into());
    }
    let no_body = |wrong| ApiFailure::Invalid(vec![Fault::body(wrong)]);
    let Some(key) = json::api_key(&body).map_err(no_body)? else {
        return Err(ApiFailure::Unauthorized.into());
    };
    let owner = api.owner(&key).await?.ok_or(ApiFailure::Unauthorized)?;
    let organization = owner.organization;
    context.set_organization(organization);
    context.count_key(organization)?;
    let repeat = match endpoint.effect {
        Effect::Read => None,
        Effect::Write => repeat::of(endpoint.path, request.headers(), &body)?,
    };
    begin_as(api, endpoint, names, (organization, owner.into()), repeat, &body)
}

/// Reads the fields of a checked body, and makes the future of its use case.
fn begin_as(
    api: Shared,
    endpoint: &'static Endpoint,
    names: &[&'static str],
    (organization, caller): (OrganizationId, Caller),
    repeat: Option<Repeat>,
    body: &[u8],
) -> Result<BoxFuture<'static, Answer>, Failure> {
    let members = json::members(body, names)
        .map_err(|wrong| ApiFailure::Invalid(vec![Fault::body(wrong)]))?;
    let call = Call { api: Shared::clone(&api), caller: caller.doing(endpoint.path), repeat };
    let now = || api.ports.clock.now();
    let begun = fields::read(&members, &api.cursors, organization, endpoint.path, &now, |fields| {
        (endpoint.handler.begin)(fields, call)
    });
    let working = begun.map_err(ApiFailure::Invalid)?;
    Ok(match endpoint.effect {
        Effect::Read => working,
        Effect::Write => Box::pin(async move {
            let answer = working.await;
            api.host.note_change();
            answer
        }),
    })
}

/// The answer to a call within the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status that a request would have.
    pub status: u16,
    /// The body, JSON.
    pub body: Bytes,
}

impl Api {
    /// The organization of an API key. `None` if the key is malformed, unknown or revoked.
    pub async fn owner(&self, key: &str) -> Result<Option<KeyOwner>, Failure> {
        let owner = self.ring.owner(key).await;
        Ok(owner.map_err(|error| ApiFailure::UseCase(Error::from(error)))?)
    }

    /// Calls an endpoint for the owner of a key, as a request with this body would, without its
    /// key. The path is relative to the base of all paths, such as `/tags/list`.
    pub async fn call(
        self: &Arc<Self>,
        path: &str,
        owner: KeyOwner,
        body: &[u8],
        key: Option<IdempotencyKey>,
    ) -> Reply {
        self.call_as(path, (owner.organization, owner.into()), body, key).await
    }

    /// Calls an endpoint for a caller in an organization, as [`Api::call`] does for the owner of a
    /// key.
    pub async fn call_as(
        self: &Arc<Self>,
        path: &str,
        caller: (OrganizationId, Caller),
        body: &[u8],
        key: Option<IdempotencyKey>,
    ) -> Reply {
        let mut endpoints = v1::endpoints();
        match endpoints.find(|endpoint| endpoint.path == path) {
            Some(endpoint) => self.reply(endpoint, caller, body, key).await,
            None => written(&Failure::UnknownPath),
        }
    }

    /// The reply that a request of `/users/upsert` with this body would have if it failed by itself,
    /// or else the changes that it would make now: a list of objects with the `kind` of a record,
    /// and its changed members `before` and `after`.
    pub async fn preview_upsert(
        self: &Arc<Self>,
        caller: (OrganizationId, Caller),
        body: &[u8],
    ) -> Reply {
        self.reply(&users::UPSERT_PREVIEW, caller, body, None).await
    }

    async fn reply(
        self: &Arc<Self>,
        endpoint: &'static Endpoint,
        caller: (OrganizationId, Caller),
        body: &[u8],
        key: Option<IdempotencyKey>,
    ) -> Reply {
        let begun = || {
            json::api_key(body).map_err(|wrong| ApiFailure::Invalid(vec![Fault::body(wrong)]))?;
            let repeat = key.map(|key| repeat::named(endpoint.path, key, body)).transpose()?;
            let names = endpoint.names();
            begin_as(Shared::new(Arc::clone(self)), endpoint, names, caller, repeat, body)
        };
        let begun = begun().map_err(|failure: Failure| written(&failure));
        match begun {
            Ok(working) => {
                let answer = AssertUnwindSafe(deadline::within(working)).catch_unwind().await;
                whole(answer.unwrap_or(Err(Failure::Panicked)))
            }
            Err(reply) => reply,
        }
    }
}

/// The answer as a whole, with all of its body.
fn whole(answer: Answer) -> Reply {
    let response = match answer {
        Ok(response) => response,
        Err(failure) => return written(&failure),
    };
    let status = response.status().as_u16();
    // Every body is made from memory, and is never waited for.
    match to_bytes(response.into_body()).now_or_never() {
        Some(Ok(body)) => Reply { status, body },
        _ => written(&Failure::Misplaced),
    }
}

/// The answer to a call that failed. Also logs a fault of the server.
fn written(failure: &Failure) -> Reply {
    hearback_http::log_fault(failure);
    whole(Ok(failure.error_response()))
}

/// `application/json` or `application/*+json`, with any parameters.
fn is_json(content_type: &HeaderValue) -> bool {
    // Nearly all clients send this.
    if content_type == "application/json" {
        return true;
    }
    let essence =
        content_type.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let Some((kind, subtype)) = essence.split_once('/') else { return false };
    let is_suffixed =
        |(name, suffix): (&str, &str)| !name.is_empty() && suffix.eq_ignore_ascii_case("json");
    kind.eq_ignore_ascii_case("application")
        && (subtype.eq_ignore_ascii_case("json")
            || subtype.rsplit_once('+').is_some_and(is_suffixed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{KEY, MAX_BODY, ORGANIZATION, api, call, mocks, post, send, stream};
    use actix_web::error::PayloadError;
    use actix_web::http::Method;
    use actix_web::http::header::CONTENT_LENGTH;
    use actix_web::test::TestRequest;
    use actix_web::web::Bytes;
    use futures_util::stream::{iter, pending, repeat_with};
    use hearback_domain::organization::HelpCenter;
    use hearback_domain::vote::Ballot;
    use hearback_ports::StoreError;
    use hearback_ports::mock::Mocks;
    use serde_json::json;
    use std::time::Duration;

    const TOO_LARGE: (u16, &str) = (413, r#"{"detail":{"error":"request body too large"}}"#);
    const ID_MISSING: &str = r#"{"detail":[{"type":"missing","loc":["body","id"],"msg":"Field required","input":null}]}"#;

    fn retrieve() -> TestRequest {
        post("/categories/retrieve")
    }

    fn keyed() -> String {
        json!({"api_key": KEY}).to_string()
    }

    #[actix_web::test]
    async fn a_wrong_path_is_404_and_a_wrong_method_405_before_the_body_is_read() {
        let not_found = (404, r#"{"detail":{"error":"not found"}}"#, "");
        let not_allowed = (405, r#"{"detail":{"error":"method not allowed"}}"#, "POST");
        let cases = [
            (TestRequest::post().uri("//"), not_found),
            (TestRequest::get().uri("/api/external/v2/votes/toggle"), not_found),
            (TestRequest::post().uri("/votes/toggle"), not_found),
            (retrieve().method(Method::GET), not_allowed),
            (retrieve().method(Method::TRACE), not_allowed),
        ];
        for (number, (request, (status, body, allow))) in cases.into_iter().enumerate() {
            let reply = send(mocks(), request.set_payload("x".repeat(MAX_BODY + 1))).await;
            assert_eq!(reply.shown(), (status, body), "case {number}");
            assert_eq!(reply.header("allow"), allow, "case {number}");
        }
    }

    #[actix_web::test]
    async fn a_body_above_the_limit_is_413_by_its_length_or_as_soon_as_that_much_was_read() {
        let with_length = |length: &str| {
            retrieve()
                .insert_header((CONTENT_LENGTH, length))
                .insert_header((CONTENT_TYPE, "text/plain"))
        };
        for length in [&(MAX_BODY + 1).to_string(), "18446744073709551615"] {
            let reply = stream(mocks(), with_length(length), pending()).await;
            assert_eq!(reply.shown(), TOO_LARGE, "{length}");
        }
        let endless = repeat_with(|| Ok(Bytes::from_static(&[b' '; 4096])));
        assert_eq!(stream(mocks(), retrieve(), endless).await.shown(), TOO_LARGE);
    }

    #[actix_web::test]
    async fn a_body_may_come_in_pieces_and_is_400_if_it_breaks_off() {
        let pieces = [&b"{\"api_key\":\""[..], KEY.as_bytes(), b"", b"\"}"];
        let whole = pieces.map(|piece| Ok(Bytes::from_static(piece)));
        assert_eq!(stream(mocks(), retrieve(), iter(whole)).await.shown(), (422, ID_MISSING));
        let broken = [Ok(Bytes::from_static(b"{")), Err(PayloadError::Incomplete(None))];
        let reply = stream(mocks(), retrieve(), iter(broken)).await;
        assert_eq!(reply.shown(), (400, r#"{"detail":{"error":"request body incomplete"}}"#));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stalls_is_408_after_ten_seconds() {
        let began = tokio::time::Instant::now();
        let reply = stream(mocks(), retrieve(), pending()).await;
        assert_eq!(
            reply.shown(),
            (408, r#"{"detail":{"error":"request body not received in time"}}"#)
        );
        assert_eq!(began.elapsed().as_secs(), 10);
    }

    #[actix_web::test]
    async fn a_content_type_is_json() {
        let not_json = (415, r#"{"detail":{"error":"content type must be application/json"}}"#);
        let json = (422, ID_MISSING);
        for (content_type, expected) in [
            ("application/json;x", json),
            ("application/problem+json", json),
            ("application/jsonx", not_json),
            ("json", not_json),
            ("", not_json),
            ("application/+json", not_json),
            ("é", not_json),
        ] {
            let request = retrieve().insert_header((CONTENT_TYPE, content_type));
            let reply = send(mocks(), request.set_payload(keyed())).await;
            assert_eq!(reply.shown(), expected, "{content_type}");
        }
    }

    #[actix_web::test]
    async fn while_keys_cannot_be_looked_up_the_answer_is_no_401() {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.ids.expect_fresh().return_const(hearback_domain::Uuid::nil());
        mocks.keys.expect_owner().returning(|_| Err(StoreError::Busy));
        let reply = call(mocks, "/categories/retrieve", json!({})).await;
        assert_eq!(reply.shown(), (503, r#"{"detail":{"error":"temporarily unavailable"}}"#));
        assert_eq!(reply.header("retry-after"), "1");
    }

    #[actix_web::test]
    async fn a_call_within_the_process_has_the_answer_of_a_request() {
        let owner = KeyOwner {
            organization: ORGANIZATION,
            help_center: HelpCenter::Disabled,
            events_ledger: false,
        };
        let called = async |path, body: &[u8]| {
            let Reply { status, body } = api(mocks()).call(path, owner, body, None).await;
            (status, String::from_utf8(body.to_vec()).unwrap())
        };
        assert_eq!(called("/categories/retrieve", b"{}").await, (422, ID_MISSING.to_owned()));
        assert_eq!(called("/categories/retrieve", b"{").await.0, 422);
        assert_eq!(called("/categories", b"{}").await.0, 404);
        let panicked = (500, r#"{"detail":{"error":"internal error"}}"#.to_owned());
        assert_eq!(called("/tags/list", b"{}").await, panicked, "the mock expects no call");
    }

    #[actix_web::test]
    async fn the_look_up_comes_last() {
        let mut mocks = mocks();
        mocks.votes.expect_ballot().returning(|_, _, voter| {
            let (voter_linked, voter_blocked) = (false, false);
            Ok(Ballot { post: None, voter, voter_linked, voter_blocked, present: None })
        });
        let id = "0199aabb-ccdd-7eee-8fff-001122334455";
        let reply = call(
            mocks,
            "/votes/toggle",
            json!({"user_id": id, "post_id": id, "post_type": "roadmap", "unknown": {}}),
        )
        .await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"post not found"}}"#));
    }
}
