//! A request's JSON, read straight from the bytes of its body. A body has no tree in memory: the
//! members that the endpoint reads keep their text, and nothing is kept of all others.

use crate::fault::Wrong;
use hearback_http::mask;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// A JSON value, by its text. The text is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Json<'a>(&'a str);

/// The members of a body that an endpoint reads, each with the value that it has last.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Members<'a>(Vec<(&'static str, Json<'a>)>);

/// Checks that a body is a JSON object, and returns its `api_key` if that is a string. An empty
/// body is an object without members.
///
/// Members that no endpoint reads are checked too: a body with a fault anywhere is not JSON.
/// `serde_json` refuses text that is not UTF-8, lone surrogates, numbers beyond a double and more
/// than 127 levels of nesting.
pub(crate) fn api_key(body: &[u8]) -> Result<Option<Cow<'_, str>>, Wrong> {
    if body.is_empty() {
        return Ok(None);
    }
    match serde_json::from_slice(body) {
        Ok(Checked::Body { api_key }) => Ok(api_key),
        Ok(_) => Err(Wrong::BodyType),
        Err(_) => Err(Wrong::BodyJson),
    }
}

/// The members with these names, of a body that was checked.
pub(crate) fn members<'a>(body: &'a [u8], names: &[&'static str]) -> Result<Members<'a>, Wrong> {
    if body.is_empty() {
        return Ok(Members::default());
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    Named(names).deserialize(&mut json).map_err(|_| Wrong::BodyJson)
}

impl<'a> Members<'a> {
    /// The value of a member.
    pub(crate) fn get(&self, name: &str) -> Option<Json<'a>> {
        self.0.iter().find(|(given, _)| *given == name).map(|(_, value)| *value)
    }
}

impl<'a> Json<'a> {
    /// Whether the value is `null`.
    pub(crate) fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// The value of `true` and `false`.
    pub(crate) fn boolean(self) -> Option<bool> {
        serde_json::from_str(self.0).ok()
    }

    /// The value of a number.
    pub(crate) fn number(self) -> Option<Number> {
        serde_json::from_str(self.0).ok()
    }

    /// The characters of a string, borrowed if it has no escapes.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        serde_json::from_str(self.0).ok().map(|Text(text)| text)
    }

    /// Whether the value is this string.
    pub(crate) fn is(self, text: &str) -> bool {
        self.text().is_some_and(|given| given == text)
    }

    /// Whether the value is an array.
    pub(crate) fn is_array(self) -> bool {
        self.0.starts_with('[')
    }

    /// The text.
    pub(crate) fn as_str(self) -> &'a str {
        self.0
    }

    /// The members of an object by name. Of several members with one name, the last counts.
    pub(crate) fn entries(self) -> Option<BTreeMap<String, Json<'a>>> {
        serde_json::from_str(self.0).ok()
    }

    /// The members of an object that have these names.
    pub(crate) fn members(self, names: &[&'static str]) -> Option<Members<'a>> {
        Named(names).deserialize(&mut serde_json::Deserializer::from_str(self.0)).ok()
    }

    /// Calls `each` with the elements of an array and their indexes, until it returns an error.
    pub(crate) fn elements<E>(
        self,
        each: impl FnMut(usize, Json<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut json = serde_json::Deserializer::from_str(self.0);
        json.deserialize_any(Elements(each)).unwrap_or(Ok(()))
    }

    /// The text as it was sent, without the white space between its parts. A string that looks like
    /// a key is masked.
    pub(crate) fn shown(self) -> Box<RawValue> {
        let mut shown = String::with_capacity(self.0.len());
        let mut rest = self.0;
        while let Some(begin) = rest.find('"') {
            shown.extend(rest[..begin].split_ascii_whitespace());
            let string = &rest[begin..begin + length(&rest[begin..])];
            let is_key = Json(string).text().is_none_or(|text| mask(&text) != text);
            shown.push_str(if is_key { r#""***""# } else { string });
            rest = &rest[begin + string.len()..];
        }
        shown.extend(rest.split_ascii_whitespace());
        RawValue::from_string(shown).unwrap_or_default()
    }
}

/// The length of the string at the beginning of a text, with its quotes.
fn length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 2)
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| Self(raw.get()))
    }
}

/// A string. A derived `Cow` would always copy.
#[derive(Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// A value of which nothing is kept, but the key of a body.
enum Checked<'a> {
    /// An object.
    Body {
        api_key: Option<Cow<'a, str>>,
    },
    /// A string.
    Text(Cow<'a, str>),
    Other,
}

impl<'de> Deserialize<'de> for Checked<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // `deserialize_any` checks more than `deserialize_ignored_any`, which leaves out escapes,
        // the range of numbers and the depth.
        deserializer.deserialize_any(CheckedVisitor)
    }
}

struct CheckedVisitor;

impl<'de> Visitor<'de> for CheckedVisitor {
    type Value = Checked<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Checked::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Checked::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Checked::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Checked::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Checked::Other)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Checked::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Checked::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        while let Some(_element) = sequence.next_element::<Checked<'_>>()? {}
        Ok(Checked::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut api_key = None;
        while let Some((Text(name), value)) = map.next_entry::<Text<'de>, Checked<'de>>()? {
            if name == "api_key" {
                api_key = if let Checked::Text(key) = value { Some(key) } else { None };
            }
        }
        Ok(Checked::Body { api_key })
    }
}

/// Reads the members with these names.
struct Named<'n>(&'n [&'static str]);

impl<'de> DeserializeSeed<'de> for Named<'_> {
    type Value = Members<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Named<'_> {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members: Vec<(&'static str, Json<'de>)> = Vec::new();
        while let Some(Text(name)) = map.next_key()? {
            let Some(name) = self.0.iter().find(|wanted| **wanted == name) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = map.next_value()?;
            match members.iter_mut().find(|(given, _)| given == name) {
                Some(given) => given.1 = value,
                None => members.push((name, value)),
            }
        }
        Ok(Members(members))
    }
}

/// Calls a function with each element of an array.
struct Elements<F>(F);

impl<'de, E, F: FnMut(usize, Json<'de>) -> Result<(), E>> Visitor<'de> for Elements<F> {
    type Value = Result<(), E>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut index = 0;
        while let Some(element) = sequence.next_element()? {
            if let Err(error) = self.0(index, element) {
                // The rest was checked with the whole body.
                while let Some(IgnoredAny) = sequence.next_element()? {}
                return Ok(Err(error));
            }
            index += 1;
        }
        Ok(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn an_empty_body_is_an_empty_object_and_white_space_is_not() {
        assert_eq!(api_key(b""), Ok(None));
        assert_eq!(api_key(b" {} "), Ok(None));
        assert_eq!(api_key(b" "), Err(Wrong::BodyJson));
        assert_eq!(members(b"", &["a"]), Ok(Members::default()));
    }

    #[test]
    fn a_body_with_a_fault_anywhere_is_no_json() {
        let nested = |levels| "[".repeat(levels) + &"]".repeat(levels);
        let bodies = [
            "\u{feff}{}",
            r#"{"a":"\udc00\ud800"}"#,
            r#"{"a":[{"b":1e999}]}"#,
            r#"{"a":1}{"#,
            r#"{"a":01}"#,
            r#"[{"a":}]"#,
            &format!(r#"{{"a":{}}}"#, nested(127)),
        ];
        for body in bodies {
            assert_eq!(api_key(body.as_bytes()), Err(Wrong::BodyJson), "{body}");
        }
        assert_eq!(api_key(b"{\"a\":\"\xff\"}"), Err(Wrong::BodyJson));
        assert_eq!(api_key(format!(r#"{{"a":{}}}"#, nested(126)).as_bytes()), Ok(None));
        for body in ["[]", "\"{}\"", "5", "null", r#"[{"api_key":"a"}]"#] {
            assert_eq!(api_key(body.as_bytes()), Err(Wrong::BodyType), "{body}");
        }
    }

    #[test]
    fn the_last_of_several_members_with_one_name_counts() {
        let body = br#"{"api_key":"x","a":1,"api\u005fkey":"k\u0065y","a":[2],"b":{"api_key":3}}"#;
        assert_eq!(api_key(body), Ok(Some("key".into())));
        let members = members(body, &["a", "c"]).unwrap();
        assert_eq!(members, Members(vec![("a", Json("[2]"))]));
        assert_eq!(api_key(br#"{"api_key":"x","api_key":5}"#), Ok(None));
    }

    #[test]
    fn a_string_without_escapes_is_borrowed() {
        assert!(matches!(Json(r#""plain""#).text(), Some(Cow::Borrowed("plain"))));
        assert_eq!(Json(r#""\u0062""#).text(), Some("b".into()));
        assert_eq!(Json("5").text(), None);
    }

    #[test]
    fn the_elements_of_an_array_are_read_up_to_the_first_error() {
        let mut seen = Vec::new();
        let result = Json(r#"[1, "x]", {"a": []}, 4]"#).elements(|index, element| {
            seen.push(element.0);
            if index == 2 { Err(index) } else { Ok(()) }
        });
        assert_eq!((seen, result), (vec!["1", r#""x]""#, r#"{"a": []}"#], Err(2)));
        assert_eq!(Json("[ ]").elements(|_, _| Err(())), Ok(()));
    }

    #[test]
    fn a_value_is_shown_as_it_was_sent() {
        let body = r#"[null, true, -1, 18446744073709551617,
            2.50, 1E30, "é\n \"\\", {"b": {}, "b": [ ]}]"#;
        let expected =
            r#"[null,true,-1,18446744073709551617,2.50,1E30,"é\n \"\\",{"b":{},"b":[]}]"#;
        assert_eq!(Json(body).shown().get(), expected);
        assert_eq!(Json(r#""""#).shown().get(), r#""""#);
    }

    #[test]
    fn keys_are_masked_wherever_they_stand() {
        let key = "hbk_0123456789012345678901234567890123456789012";
        let body = json!([format!("my key: {key}."), {(key): key}, "@bk_x", "hbk"]).to_string();
        let body = body.replace('@', "\\u0068");
        let shown: Value = serde_json::from_str(Json(&body).shown().get()).unwrap();
        assert_eq!(shown, json!(["***", {"***": "***"}, "***", "hbk"]));
    }
}
