//! A request's JSON, borrowed from its body. An identifier or a key costs no allocation.

use crate::fault::Wrong;
use hearback_http::mask;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// A JSON value.
#[derive(Debug, PartialEq)]
pub(crate) enum Json<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string, borrowed if it has no escapes.
    Text(Cow<'a, str>),
    /// An array.
    Array(Vec<Self>),
    /// An object.
    Object(Members<'a>),
}

/// The members of an object. The last of several members with one name counts.
pub(crate) type Members<'a> = BTreeMap<Cow<'a, str>, Json<'a>>;

/// Reads a body. An empty body is an object without members.
///
/// Members that no endpoint reads are parsed too: a body with a fault anywhere is not JSON.
/// `serde_json` refuses text that is not UTF-8, lone surrogates, numbers beyond a double and more
/// than 127 levels of nesting.
pub(crate) fn object(body: &[u8]) -> Result<Members<'_>, Wrong> {
    if body.is_empty() {
        return Ok(Members::new());
    }
    match serde_json::from_slice(body) {
        Ok(Json::Object(members)) => Ok(members),
        Ok(_) => Err(Wrong::BodyType),
        Err(_) => Err(Wrong::BodyJson),
    }
}

impl Json<'_> {
    /// A copy to show to the client, in which everything that looks like a key is masked.
    pub(crate) fn shown(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(mask(text).to_owned()),
            Self::Array(items) => items.iter().map(Self::shown).collect(),
            Self::Object(members) => {
                members.iter().map(|(name, value)| (mask(name), value.shown())).collect()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        // JSON has no infinity and no NaN, the only doubles that a `Number` cannot hold.
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members::new();
        while let Some(Name(name)) = map.next_key()? {
            members.insert(name, map.next_value()?);
        }
        Ok(Json::Object(members))
    }
}

/// A derived `Cow` would always copy.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_empty_body_is_an_empty_object_and_white_space_is_not() {
        assert_eq!(object(b""), Ok(Members::new()));
        assert_eq!(object(b" {} "), Ok(Members::new()));
        assert_eq!(object(b" "), Err(Wrong::BodyJson));
    }

    #[test]
    fn a_byte_order_mark_and_a_lone_surrogate_are_no_json() {
        for body in ["\u{feff}{}", r#"{"a":"\udc00\ud800"}"#] {
            assert_eq!(object(body.as_bytes()), Err(Wrong::BodyJson), "{body}");
        }
    }

    #[test]
    fn a_string_without_escapes_is_borrowed() {
        let members = object(br#"{"a":"plain","b":"\u0062"}"#).unwrap();
        assert!(matches!(members["a"], Json::Text(Cow::Borrowed("plain"))));
        assert_eq!(members["b"], Json::Text("b".into()));
    }

    #[test]
    fn a_value_is_shown_as_it_was_sent() {
        let body = br#"{"a":[null,true,-1,18446744073709551615,2.5,1e30,"\u00e9\n",{"b":{}}]}"#;
        let value: Value = serde_json::from_slice(body).unwrap();
        assert_eq!(Json::Object(object(body).unwrap()).shown(), value);
    }

    #[test]
    fn keys_are_masked_wherever_they_stand() {
        let key = "hbk_0123456789012345678901234567890123456789012";
        let body = json!({"a": [format!("my key: {key}."), {(key): key}, "\u{68}bk_x", "hbk"]})
            .to_string();
        let shown = Json::Object(object(body.as_bytes()).unwrap()).shown();
        assert_eq!(shown, json!({"a": ["***", {"***": "***"}, "***", "hbk"]}));
    }
}
