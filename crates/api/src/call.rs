//! Receives a request in five steps: it counts the address, reads the body, looks up the key,
//! counts the key and reads the fields. A step begins after the one before it has succeeded. Then
//! the use case runs. It checks the caller's permission before it looks anything up.

use crate::answer::Answer;
use crate::endpoint::{Call, Effect, Endpoint};
use crate::error::ApiFailure;
use crate::fault::Fault;
use crate::fields;
use crate::json::{self, Json, Members};
use crate::repeat;
use crate::{Api, Shared};
use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use futures_util::future::LocalBoxFuture;
use hearback_app::Error;
use hearback_http::{Failure, RequestContext};
use hearback_ports::keys::KeyOwner;

/// Answers a request to an endpoint.
pub(crate) async fn answer(
    api: Shared,
    endpoint: &'static Endpoint,
    request: HttpRequest,
) -> Answer {
    receive(api, endpoint, &request).await?.await
}

/// Receives a request and makes the future of its use case.
async fn receive(
    api: Shared,
    endpoint: &'static Endpoint,
    request: &HttpRequest,
) -> Result<LocalBoxFuture<'static, Answer>, Failure> {
    let context = RequestContext::of(request)?;
    context.count_address(request)?;
    let body = context.body(request.headers()).await?;
    if !request.headers().get_all(CONTENT_TYPE).all(is_json) {
        return Err(ApiFailure::NotJson.into());
    }
    let members =
        json::object(&body).map_err(|wrong| ApiFailure::Invalid(vec![Fault::body(wrong)]))?;
    let owner = owner(&api, &members).await?;
    let organization = owner.organization;
    context.set_organization(organization);
    context.count_key(organization)?;
    let repeat = match endpoint.effect {
        Effect::Read => None,
        Effect::Write => repeat::of(endpoint.path, request.headers(), &members)?,
    };
    let call = Call { api: Shared::clone(&api), caller: owner.into(), repeat };
    fields::read(&members, &api.cursors, organization, endpoint.path, |fields| {
        (endpoint.handler.begin)(fields, call)
    })
    .map_err(|faults| ApiFailure::Invalid(faults).into())
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

async fn owner(api: &Api, members: &Members<'_>) -> Result<KeyOwner, ApiFailure> {
    let Some(Json::Text(key)) = members.get("api_key") else {
        return Err(ApiFailure::Unauthorized);
    };
    let owner = api.ring.owner(key).await.map_err(Error::from)?;
    owner.ok_or(ApiFailure::Unauthorized)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{KEY, MAX_BODY, Reply, call, mocks, post, send, stream};
    use actix_web::http::header::CONTENT_LENGTH;
    use actix_web::test::TestRequest;
    use actix_web::web::Bytes;
    use futures_util::stream::{iter, pending, repeat_with};
    use hearback_domain::vote::Ballot;
    use hearback_ports::StoreError;
    use hearback_ports::mock::Mocks;
    use serde_json::{Value, json};
    use std::time::Duration;

    const UNAUTHORIZED: (u16, &str) = (401, r#"{"detail":{"error":"invalid api_key"}}"#);
    const TOO_LARGE: (u16, &str) = (413, r#"{"detail":{"error":"request body too large"}}"#);
    const NOT_JSON: &str = r#"{"detail":[{"type":"json_invalid","loc":["body"],"msg":"Body should be valid JSON","input":null}]}"#;
    const ID_MISSING: &str = r#"{"detail":[{"type":"missing","loc":["body","id"],"msg":"Field required","input":null}]}"#;

    fn retrieve() -> TestRequest {
        post("/categories/retrieve")
    }

    /// Sends `body` unchanged. The mocks expect no look-up except that of the key.
    async fn body(body: impl Into<Bytes>) -> Reply {
        send(mocks(), retrieve().set_payload(body)).await
    }

    fn keyed() -> String {
        json!({"api_key": KEY}).to_string()
    }

    #[actix_web::test]
    async fn an_unknown_path_is_404_whatever_is_sent_to_it() {
        for path in [
            "/",
            "/api/external/v1",
            "/api/external/v1/votes/toggle/",
            "/api/external/v2/votes/toggle",
            "/votes/toggle",
            "//",
        ] {
            for request in [TestRequest::post(), TestRequest::get()] {
                let reply =
                    send(mocks(), request.uri(path).set_payload("x".repeat(MAX_BODY + 1))).await;
                assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"not found"}}"#), "{path}");
            }
        }
    }

    #[actix_web::test]
    async fn any_other_method_than_post_is_405() {
        use actix_web::http::Method;
        for method in [
            Method::GET,
            Method::HEAD,
            Method::OPTIONS,
            Method::PUT,
            Method::DELETE,
            Method::PATCH,
            Method::TRACE,
        ] {
            let reply =
                send(mocks(), retrieve().method(method).set_payload("x".repeat(MAX_BODY + 1)))
                    .await;
            assert_eq!(reply.shown(), (405, r#"{"detail":{"error":"method not allowed"}}"#));
            assert_eq!(reply.header("allow"), "POST");
        }
    }

    #[actix_web::test]
    async fn a_body_above_the_limit_is_413_by_its_length_before_any_of_it_is_read() {
        let request = retrieve()
            .insert_header((CONTENT_LENGTH, MAX_BODY + 1))
            .insert_header((CONTENT_TYPE, "text/plain"));
        assert_eq!(stream(mocks(), request, pending()).await.shown(), TOO_LARGE);
        let request = retrieve().insert_header((CONTENT_LENGTH, "18446744073709551615"));
        assert_eq!(stream(mocks(), request, pending()).await.shown(), TOO_LARGE);
    }

    #[actix_web::test]
    async fn a_body_above_the_limit_is_413_as_soon_as_that_much_of_it_was_read() {
        let endless = repeat_with(|| Ok(Bytes::from_static(&[b' '; 4096])));
        let reply = stream(mocks(), retrieve(), endless).await;
        assert_eq!(reply.shown(), TOO_LARGE);
    }

    #[actix_web::test]
    async fn a_body_of_just_the_limit_is_read() {
        let mut text = keyed();
        text.push_str(&" ".repeat(MAX_BODY - text.len()));
        assert_eq!(body(text).await.shown(), (422, ID_MISSING));
    }

    #[actix_web::test]
    async fn a_body_may_come_in_pieces() {
        let pieces = [&b"{\"api_key\":\""[..], KEY.as_bytes(), b"", b"\"}"];
        let reply =
            stream(mocks(), retrieve(), iter(pieces.map(|piece| Ok(Bytes::from_static(piece)))))
                .await;
        assert_eq!(reply.shown(), (422, ID_MISSING));
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
    async fn a_body_that_breaks_off_is_400() {
        let broken = iter([
            Ok(Bytes::from_static(b"{")),
            Err(actix_web::error::PayloadError::Incomplete(None)),
        ]);
        let reply = stream(mocks(), retrieve(), broken).await;
        assert_eq!(reply.shown(), (400, r#"{"detail":{"error":"request body incomplete"}}"#));
    }

    #[actix_web::test]
    async fn a_content_type_that_is_not_json_is_415() {
        for content_type in [
            "text/plain",
            "application/jsonx",
            "application/x-www-form-urlencoded",
            "json",
            "",
            "application/+json",
            "é",
        ] {
            let reply = send(
                mocks(),
                retrieve().insert_header((CONTENT_TYPE, content_type)).set_payload(keyed()),
            )
            .await;
            let expected = r#"{"detail":{"error":"content type must be application/json"}}"#;
            assert_eq!(reply.shown(), (415, expected), "{content_type}");
        }
    }

    #[actix_web::test]
    async fn a_content_type_that_is_json_or_missing_is_taken() {
        for content_type in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json;x",
            "application/problem+json",
        ] {
            let reply = send(
                mocks(),
                retrieve().insert_header((CONTENT_TYPE, content_type)).set_payload(keyed()),
            )
            .await;
            assert_eq!(reply.shown(), (422, ID_MISSING), "{content_type}");
        }
        assert_eq!(body(keyed()).await.shown(), (422, ID_MISSING));
    }

    #[actix_web::test]
    async fn a_body_that_is_no_json_object_is_422_before_the_key_is_looked_at() {
        let nested =
            format!(r#"{{"api_key":"{KEY}","x":{}{}}}"#, "[".repeat(40_000), "]".repeat(40_000));
        for text in ["{", "nonsense", " ", "{\"api_key\":}", r#"{"x":"\ud800"}"#, &nested] {
            assert_eq!(body(text.to_owned()).await.shown(), (422, NOT_JSON));
        }
        assert_eq!(body(&b"{\"x\":\"\xff\"}"[..]).await.shown(), (422, NOT_JSON));
        let expected = r#"{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Body should be a JSON object","input":null}]}"#;
        for text in ["[]", "null", "\"x\""] {
            assert_eq!(body(text).await.shown(), (422, expected));
        }
    }

    #[actix_web::test]
    async fn without_a_good_key_the_answer_is_the_same_401_whatever_the_reason() {
        let unknown = KEY.replace('9', "8");
        let keys: [Value; 9] = [
            json!(null),
            json!(5),
            json!(true),
            json!([KEY]),
            json!({"x": KEY}),
            json!(""),
            json!("x"),
            json!(unknown),
            json!("a\0"),
        ];
        for key in keys {
            let reply = body(json!({"api_key": key, "id": 5}).to_string()).await;
            assert_eq!(reply.shown(), UNAUTHORIZED, "{key}");
        }
        assert_eq!(body("").await.shown(), UNAUTHORIZED);
        assert_eq!(body("{}").await.shown(), UNAUTHORIZED);
    }

    #[actix_web::test]
    async fn a_key_outside_of_the_body_is_not_taken() {
        let request = TestRequest::post()
            .uri(&format!("/api/external/v1/categories/retrieve?api_key={KEY}"))
            .insert_header(("authorization", format!("Bearer {KEY}")))
            .insert_header(("api_key", KEY));
        assert_eq!(send(mocks(), request.set_payload("{}")).await.shown(), UNAUTHORIZED);
    }

    #[actix_web::test]
    async fn of_two_keys_the_last_counts() {
        assert_eq!(
            body(format!(r#"{{"api_key":"{KEY}","api_key":"x"}}"#)).await.shown(),
            UNAUTHORIZED
        );
        assert_eq!(
            body(format!(r#"{{"api_key":"x","api_key":"{KEY}"}}"#)).await.shown(),
            (422, ID_MISSING)
        );
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
    async fn fields_come_before_anything_is_looked_up() {
        let reply = call(mocks(), "/categories/retrieve", json!({"id": KEY})).await;
        assert_eq!(
            reply.shown(),
            (
                422,
                r#"{"detail":[{"type":"uuid_parsing","loc":["body","id"],"msg":"Input should be a valid UUID","input":"***"}]}"#
            )
        );
    }

    #[actix_web::test]
    async fn the_look_up_comes_last() {
        let mut mocks = mocks();
        mocks.votes.expect_ballot().returning(|_, _, voter| {
            Ok(Ballot { post: None, voter, voter_linked: false, present: None })
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
