//! The header `Idempotency-Key`: a client names a write, so that it can safely send it again.

use crate::error::ApiFailure;
use crate::json::{Json, Members};
use actix_web::http::header::{HeaderMap, HeaderName};
use hearback_app::Repeat;
use hearback_http::Failure;
use hearback_ports::IdempotencyKey;
use ring::digest::{SHA256, digest};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The client sets it.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The idempotency key of a write, with its path and the digest of its body. `None` if the client
/// sends no key.
pub(crate) fn of(
    path: &'static str,
    headers: &HeaderMap,
    members: &Members<'_>,
) -> Result<Option<Repeat>, Failure> {
    let mut given = headers.get_all(IDEMPOTENCY_KEY);
    let Some(key) = given.next() else { return Ok(None) };
    // A request with two keys is refused: neither has precedence.
    let key = if given.next().is_none() {
        key.to_str().ok().and_then(IdempotencyKey::parse)
    } else {
        None
    };
    let key = key.ok_or(ApiFailure::BadIdempotencyKey)?;
    let body = digest(&SHA256, &serde_json::to_vec(&Canonical(members))?);
    // SHA-256 has 32 bytes.
    let body = body.as_ref().try_into().map_err(|_| Failure::Misplaced)?;
    Ok(Some(Repeat { path, key, body }))
}

/// The canonical form of a body, which digests are made of. It leaves out the API key. It does not
/// depend on the order of members, on white space or escapes, nor on the notation of integers:
/// `25.0` is `25`.
struct Canonical<'a>(&'a Members<'a>);

impl Serialize for Canonical<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = self.0.iter().filter(|(name, _)| *name != "api_key");
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in members {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => {
                match number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0) {
                    // A double within `i64` is written as an integer. `as` would saturate beyond.
                    Some(float) if float.abs() < 2f64.powi(63) => {
                        serializer.serialize_i64(float as i64)
                    }
                    _ => number.serialize(serializer),
                }
            }
            Self::Text(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => serializer.collect_map(members),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::object;
    use crate::testing::{KEY, Reply, mocks, post, send};
    use hearback_ports::WriteResult;
    use hearback_ports::mock::Mocks;
    use hearback_ports::receipts::StoredReceipt;
    use serde_json::{Value, json};

    const ID: &str = "0199aabb-ccdd-7eee-8fff-001122334455";

    fn canonical(body: &str) -> String {
        serde_json::to_string(&Canonical(&object(body.as_bytes()).unwrap())).unwrap()
    }

    #[test]
    fn a_body_is_compared_without_its_key_whatever_way_it_is_written() {
        let expected = r#"{"a":[1,null,{"x":"é\n","y":25}],"b":true,"z":2.5}"#;
        for body in [
            r#"{"a":[1,null,{"x":"é\n","y":25}],"b":true,"z":2.5}"#,
            r#"{"z":2.5,"b":true,"api_key":"hbk_secret","a":[1.0,null,{"y":25.0,"x":"\u00e9\u000a"}]}"#,
            r#" { "b" : false, "b" : true, "z" : 25e-1, "a" : [ 1e0, null, { "y" : 2.5e1, "x" : "é\n" } ], "api_key": 5 } "#,
        ] {
            assert_eq!(canonical(body), expected);
        }
        assert_eq!(
            canonical(r#"{"x":-0.0,"y":1e300,"z":18446744073709551615}"#),
            r#"{"x":0,"y":1e+300,"z":18446744073709551615}"#
        );
        assert_ne!(canonical(r#"{"a":"1"}"#), canonical(r#"{"a":1}"#));
        // Only the key of the request is left out.
        assert_eq!(canonical(r#"{"a":{"api_key":1}}"#), r#"{"a":{"api_key":1}}"#);
    }

    async fn sent(mocks: Mocks, path: &str, mut body: Value, keys: &[&[u8]]) -> Reply {
        body["api_key"] = KEY.into();
        let request = keys
            .iter()
            .fold(post(path), |request, key| request.append_header(("idempotency-key", *key)));
        send(mocks, request.set_payload(body.to_string())).await
    }

    /// Mocks whose store has one receipt and expects no other call.
    fn with_receipt(path: &'static str, body: &Value, answer: WriteResult) -> Mocks {
        let body = object(body.to_string().as_bytes())
            .map(|members| serde_json::to_vec(&Canonical(&members)).unwrap())
            .unwrap();
        let body: [u8; 32] = digest(&SHA256, &body).as_ref().try_into().unwrap();
        let mut mocks = mocks();
        mocks
            .receipts
            .expect_find()
            .once()
            .withf(move |_, asked, key, _| asked == path && key.as_str() == "a~1")
            .returning(move |_, _, _, _| Ok(Some(StoredReceipt { body, answer })));
        mocks
    }

    const PATH: &str = "/votes/toggle";

    fn vote() -> Value {
        json!({"user_id": ID, "post_id": ID, "post_type": "feedback"})
    }

    #[actix_web::test]
    async fn the_kept_answer_is_given_again_and_says_so() {
        for (answer, shown) in [
            (WriteResult::Voted(true), r#"{"voted":true}"#),
            (WriteResult::Success, r#"{"success":true}"#),
        ] {
            let reply = sent(with_receipt(PATH, &vote(), answer), PATH, vote(), &[b"a~1"]).await;
            assert_eq!(reply.shown(), (200, shown));
            assert_eq!(reply.header("idempotent-replayed"), "true");
        }
    }

    #[actix_web::test]
    async fn another_body_under_the_same_key_is_422() {
        let expected = concat!(
            r#"{"detail":[{"type":"value_error","loc":["body"],"#,
            r#""msg":"Value error, the Idempotency-Key was used for another request","input":null}]}"#
        );
        let mut other = vote();
        other["x"] = json!(1);
        let mocks = with_receipt(PATH, &other, WriteResult::Success);
        assert_eq!(sent(mocks, PATH, vote(), &[b"a~1"]).await.shown(), (422, expected));
    }

    #[actix_web::test]
    async fn the_api_key_is_checked_before_the_idempotency_key() {
        let request = post(PATH).insert_header(("idempotency-key", "a b"));
        assert_eq!(send(mocks(), request.set_payload("{}")).await.status, 401);
    }
}
