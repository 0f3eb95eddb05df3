//! The header `Idempotency-Key`: a client names a write, so that it can safely send it again.

use crate::error::ApiFailure;
use crate::json::Text;
use actix_web::http::header::{HeaderMap, HeaderName};
use hearback_app::Repeat;
use hearback_http::Failure;
use hearback_ports::IdempotencyKey;
use ring::digest::{self, SHA256};
use serde::Serialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io::Write;
use std::{fmt, mem};

/// The client sets it.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The idempotency key of a write, with its path and the digest of its body. `None` if the client
/// sends no key.
pub(crate) fn of(
    path: &'static str,
    headers: &HeaderMap,
    body: &[u8],
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
    named(path, key, body).map(Some)
}

/// An idempotency key with the path and the digest of the body of its write.
pub(crate) fn named(
    path: &'static str,
    key: IdempotencyKey,
    body: &[u8],
) -> Result<Repeat, Failure> {
    Ok(Repeat { path, key, body: digest(body)? })
}

/// The digest of a body's canonical form.
fn digest(body: &[u8]) -> Result<[u8; 32], Failure> {
    let mut canonical = Vec::new();
    write(body, &mut canonical)?;
    // SHA-256 has 32 bytes.
    digest::digest(&SHA256, &canonical).as_ref().try_into().map_err(|_| Failure::Misplaced)
}

fn write(body: &[u8], out: &mut impl Write) -> serde_json::Result<()> {
    let body = if body.is_empty() { b"{}" } else { body };
    let mut json = serde_json::Deserializer::from_slice(body);
    Canonical { out, before: "", is_body: true }.deserialize(&mut json)
}

/// Writes the canonical form of JSON, which digests are made of. It does not depend on the order of
/// members, on white space or escapes, nor on the notation of integers: `25.0` is `25`. That of a
/// body leaves out the API key.
struct Canonical<'o, W> {
    out: &'o mut W,
    /// The text before the value.
    before: &'static str,
    is_body: bool,
}

impl<W: Write> Canonical<'_, W> {
    fn value<E: de::Error>(self, value: impl Serialize) -> Result<(), E> {
        serde_json::to_writer(self.out, &value).map_err(E::custom)
    }

    fn text<E: de::Error>(&mut self, text: &str) -> Result<(), E> {
        self.out.write_all(text.as_bytes()).map_err(E::custom)
    }

    fn part(&mut self, before: &'static str) -> Canonical<'_, W> {
        Canonical { out: self.out, before, is_body: false }
    }
}

impl<'de, W: Write> DeserializeSeed<'de> for Canonical<'_, W> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<(), D::Error> {
        self.text(self.before)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de, W: Write> Visitor<'de> for Canonical<'_, W> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.value(())
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.value(value)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.value(value)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.value(value)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        // A double within `i64` is written as an integer. `as` would saturate beyond.
        if value.fract() == 0.0 && value.abs() < 2f64.powi(63) {
            return self.value(value as i64);
        }
        self.value(value)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<(), E> {
        self.value(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut sequence: A) -> Result<(), A::Error> {
        let mut before = "";
        self.text("[")?;
        while sequence.next_element_seed(self.part(before))?.is_some() {
            before = ",";
        }
        self.text("]")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut members = BTreeMap::new();
        while let Some((Text(name), value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
            members.insert(name, value);
        }
        if self.is_body {
            members.remove("api_key");
        }
        let mut before = "";
        self.text("{")?;
        for (name, value) in members {
            self.text(mem::replace(&mut before, ","))?;
            self.part("").value(name)?;
            let mut value = serde_json::Deserializer::from_str(value.get());
            self.part(":").deserialize(&mut value).map_err(de::Error::custom)?;
        }
        self.text("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{KEY, Reply, mocks, post, send};
    use hearback_ports::WriteResult;
    use hearback_ports::mock::Mocks;
    use hearback_ports::receipts::StoredReceipt;
    use serde_json::{Value, json};

    const ID: &str = "0199aabb-ccdd-7eee-8fff-001122334455";

    fn canonical(body: &str) -> String {
        let mut canonical = Vec::new();
        write(body.as_bytes(), &mut canonical).unwrap();
        String::from_utf8(canonical).unwrap()
    }

    #[test]
    fn a_body_is_compared_without_its_key_in_any_notation() {
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
        let body = digest(body.to_string().as_bytes()).unwrap();
        let mut mocks = mocks();
        mocks
            .receipts
            .expect_find()
            .once()
            .withf(move |_, asked, key, _| asked == path && key.as_str() == "a~1")
            .returning(move |_, _, _, _| Ok(Some(StoredReceipt { body, answer: answer.clone() })));
        mocks
    }

    const PATH: &str = "/votes/toggle";

    fn vote() -> Value {
        json!({"user_id": ID, "post_id": ID, "post_type": "feedback"})
    }

    #[actix_web::test]
    async fn the_kept_answer_is_repeated_with_a_mark() {
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
