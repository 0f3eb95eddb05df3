//! The values of records, as pages show them.

use hearback_web::chrome::Chrome;
use serde_json::Value;

/// A value as a text.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The name by which people know a record.
pub(crate) fn name_of(record: &Value) -> String {
    let member = |name: &str| record[name].as_str().filter(|text| !text.is_empty());
    let names = ["title", "name", "url", "email", "from_path", "event_type", "action", "content"];
    short(names.into_iter().find_map(member).or(member("id")).unwrap_or_default())
}

/// The beginning of a text that a list has room for.
pub(crate) fn short(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    match first.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &first[..end]),
        None => first.to_owned(),
    }
}

/// The most characters of a name.
const MOST: usize = 120;

/// A moment of the API, as a day and a time of UTC: `2026-03-01 12:30`.
pub(crate) fn moment(text: &str) -> String {
    match text.get(..16) {
        Some(minutes) => minutes.replace('T', " "),
        None => text.to_owned(),
    }
}

/// A number or an amount of the API.
pub(crate) fn count(c: &Chrome, value: &Value) -> String {
    c.amount(&text_of(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_record_has_the_name_that_people_know() {
        assert_eq!(name_of(&json!({"id": "1", "title": "Dark mode", "name": "x"})), "Dark mode");
        assert_eq!(name_of(&json!({"id": "1", "name": "", "email": "a@b.example"})), "a@b.example");
        assert_eq!(name_of(&json!({"id": "1", "content": "one\ntwo"})), "one");
        assert_eq!(name_of(&json!({"id": "1"})), "1");
        assert_eq!(name_of(&json!({"title": "é".repeat(200)})).chars().count(), 121);
    }

    #[test]
    fn a_moment_is_shown_to_the_minute() {
        assert_eq!(moment("2026-03-01T12:30:59.123Z"), "2026-03-01 12:30");
        assert_eq!(moment("soon"), "soon");
    }
}
