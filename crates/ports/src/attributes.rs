//! The JSON form of attributes, in which stores hold them.

use hearback_domain::attributes::{Attribute, Attributes, Number};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Attributes as JSON: compact, by name.
pub fn to_json(attributes: &Attributes) -> String {
    let member = |(key, value)| format!("\"{key}\":{}", value_to_json(value));
    let members: Vec<String> = attributes.iter().map(member).collect();
    format!("{{{}}}", members.join(","))
}

/// The value of an attribute as JSON.
pub fn value_to_json(value: &Attribute) -> String {
    match value {
        Attribute::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
        Attribute::Number(number) => number.to_string(),
        Attribute::Flag(flag) => flag.to_string(),
    }
}

/// Reads the output of [`to_json`], or the same object in another notation. `None` if a value is
/// not that of an attribute.
pub fn from_json(json: &str) -> Option<Attributes> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).ok()?;
    let member = |(key, value): (String, &RawValue)| Some((key, value_from_json(value.get())?));
    members.into_iter().map(member).collect()
}

/// Reads the value of an attribute. `None` if it is neither a text, nor a finite number, nor a flag.
pub fn value_from_json(json: &str) -> Option<Attribute> {
    match json.as_bytes().first()? {
        b'"' => serde_json::from_str(json).ok().map(Attribute::Text),
        b't' | b'f' => serde_json::from_str(json).ok().map(Attribute::Flag),
        // serde_json would round some numbers.
        b'-' | b'0'..=b'9' => Number::parse(json).ok().map(Attribute::Number),
        _ => None,
    }
}

/// Attributes, for a body that shows them.
pub struct Shown<'a>(pub &'a Attributes);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| {
            let value = match value {
                Attribute::Text(text) => text.as_str().into(),
                Attribute::Number(Number::Whole(whole)) => (*whole).into(),
                Attribute::Number(Number::Real(real)) => (*real).into(),
                Attribute::Flag(flag) => serde_json::Value::from(*flag),
            };
            (key, value)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_back_and_written_by_name() {
        let json = r#"{"a.b":"\" \\\n😀","flag":true,"n":-2.5,"z":1000}"#;
        let other = r#"{ "z": 1e3, "n": -2.50, "flag": true, "a.b": "\" \\\n\ud83d\ude00" }"#;
        let attributes = from_json(json).unwrap();
        assert_eq!(from_json(other), Some(attributes.clone()));
        assert_eq!(to_json(&attributes), json);
        assert_eq!(serde_json::to_string(&Shown(&attributes)).unwrap(), json);
        for wrong in ["[]", r#"{"a":null}"#, r#"{"a":[]}"#, r#"{"a":1e999}"#, ""] {
            assert_eq!(from_json(wrong), None, "{wrong}");
        }
    }
}
