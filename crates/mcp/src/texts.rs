//! The texts of end users in answers. An agent must not take them for instructions, so an answer
//! has them in a member of their own.

use serde_json::{Map, Value};

/// The member of a record that has its texts.
pub(crate) const UNTRUSTED: &str = "untrusted_text";

/// The records that end users fill in. The team fills in all others.
const OF_END_USERS: [&str; 6] =
    ["/feedback-posts/", "/comments/", "/users/", "/companies/", "/votes/", "/moderation/"];

/// Where an answer has texts of end users.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Texts {
    /// Nowhere.
    None,
    /// The value is such a text, or consists of such texts.
    All,
    /// In elements of the array.
    Each(Box<Self>),
    /// In these members of the object.
    In(Vec<(String, Self)>),
}

impl Texts {
    /// The texts in answers of an endpoint with this schema.
    pub(crate) fn of(path: &str, schema: &Value, document: &Value) -> Self {
        if !OF_END_USERS.iter().any(|records| path.starts_with(records)) {
            return Self::None;
        }
        match schema["properties"].get("items") {
            // The cursor of a page is a text of the server.
            Some(items) => Self::In(vec![("items".to_owned(), Self::within(items, document))]),
            None => Self::within(schema, document),
        }
    }

    /// A text is every string without a form. So a new member is marked, too.
    fn within(schema: &Value, document: &Value) -> Self {
        if let Some(place) = schema["$ref"].as_str() {
            let schema = document.pointer(place.trim_start_matches('#'));
            return schema.map_or(Self::All, |schema| Self::within(schema, document));
        }
        if let Some(Value::Array(parts)) =
            ["oneOf", "anyOf", "allOf"].iter().find_map(|parts| schema.get(parts))
        {
            let parts = parts.iter().map(|part| Self::within(part, document));
            return parts.fold(Self::None, Self::or);
        }
        let is = |name: &str| match &schema["type"] {
            Value::Array(types) => types.iter().any(|one| one == name),
            one => one == name,
        };
        if is("array") {
            return match Self::within(&schema["items"], document) {
                Self::None => Self::None,
                Self::All => Self::All,
                texts => Self::Each(Box::new(texts)),
            };
        }
        if is("object") {
            let Some(members) = schema["properties"].as_object() else {
                let others = &schema["additionalProperties"];
                let texts = others.is_object().then(|| Self::within(others, document));
                return if texts == Some(Self::None) { Self::None } else { Self::All };
            };
            let members =
                members.iter().map(|(name, it)| (name.clone(), Self::within(it, document)));
            let members: Vec<_> = members.filter(|(_, texts)| *texts != Self::None).collect();
            return if members.is_empty() { Self::None } else { Self::In(members) };
        }
        let has_form = ["format", "enum", "pattern"].iter().any(|form| schema.get(form).is_some());
        if is("string") && !has_form { Self::All } else { Self::None }
    }

    /// The texts of a value that has one of two schemas, or both.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, texts) | (texts, Self::None) => texts,
            (Self::In(mut members), Self::In(others)) => {
                members.extend(others);
                Self::In(members)
            }
            (texts, _) => texts,
        }
    }

    /// Moves the texts of each record into its member [`UNTRUSTED`].
    pub(crate) fn mark(&self, value: &mut Value) {
        match (self, value) {
            (Self::Each(texts), Value::Array(elements)) => {
                elements.iter_mut().for_each(|element| texts.mark(element));
            }
            (Self::In(members), Value::Object(record)) => {
                let mut untrusted = Map::new();
                for (name, texts) in members {
                    match texts {
                        Self::All => {
                            let text = record.shift_remove(name);
                            untrusted.extend(text.map(|text| (name.clone(), text)));
                        }
                        texts => record.get_mut(name).into_iter().for_each(|it| texts.mark(it)),
                    }
                }
                if !untrusted.is_empty() {
                    record.insert(UNTRUSTED.to_owned(), untrusted.into());
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn marked(path: &str, mut answer: Value) -> Value {
        let document: Value = serde_json::from_str(hearback_api::openapi()).unwrap();
        let operation = &document["paths"][format!("/api/external/v1{path}")]["post"];
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        Texts::of(path, schema, &document).mark(&mut answer);
        answer
    }

    #[test]
    fn the_texts_of_each_record_of_a_page_are_marked() {
        let page = |items: Value| json!({"items": items, "has_next_page": true, "cursor": "c"});
        let post = json!({
            "id": "0199", "title": "Dark theme", "slug": "dark-theme", "vote_count": 3,
            "moderation_status_code": "accepted", "attributes": {"plan": "pro"},
        });
        let deleted = json!({"id": "0198", "is_active": false});
        let expected = json!({
            "id": "0199", "vote_count": 3, "moderation_status_code": "accepted",
            "untrusted_text": {
                "title": "Dark theme", "slug": "dark-theme", "attributes": {"plan": "pro"},
            },
        });
        assert_eq!(
            marked("/feedback-posts/list", page(json!([post, deleted]))),
            page(json!([expected, deleted]))
        );
    }

    #[test]
    fn numbers_are_not_marked() {
        let tried = json!({"dry_run": true, "effects": {"votes_moved": 3}});
        assert_eq!(marked("/feedback-posts/merge", tried.clone()), tried);
    }

    #[test]
    fn the_texts_of_the_team_are_not_marked() {
        let tag = json!({"id": "0199", "name": "mobile"});
        assert_eq!(marked("/tags/retrieve", tag.clone()), tag);
    }
}
