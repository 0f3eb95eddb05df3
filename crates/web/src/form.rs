//! Queries and the fields of forms.

use crate::parts::parts;
use actix_web::web::Bytes;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use url::form_urlencoded;

/// The fields of a query or a form. Of a field that is there several times, the last value counts,
/// unless all are asked for.
#[derive(Clone, Default)]
pub struct Fields {
    texts: HashMap<String, Vec<String>>,
    /// The file of the form.
    pub file: Option<Upload>,
    /// The turn of the form, whose file is in memory.
    _turn: Option<Arc<OwnedSemaphorePermit>>,
}

impl Fields {
    /// Reads `a=b&c=d`. Bytes that are no UTF-8 become U+FFFD; U+0000 is left out.
    pub fn parse(text: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(text).take(MOST_FIELDS);
        let mut fields = Self::default();
        for (name, value) in pairs {
            fields.add(name.into_owned(), value.replace('\0', ""));
        }
        fields
    }

    /// Reads the parts of a form with a file, as far as they have come.
    pub fn of_parts(body: &Bytes, boundary: &str) -> Self {
        let mut fields = Self::default();
        for part in parts(body, boundary).take(MOST_FIELDS) {
            match part.file {
                None => {
                    let text = String::from_utf8_lossy(&part.content).replace('\0', "");
                    fields.add(part.name, text);
                }
                // A field without a choice is an empty file.
                Some(_) if part.is_whole && part.content.is_empty() => {}
                Some(name) => {
                    let content = Some(part.content).filter(|_| part.is_whole);
                    fields.file = Some(Upload { name, content });
                }
            }
        }
        fields
    }

    /// The fields, which have a turn, if there is one, as long as they are there.
    pub fn holding(self, turn: Option<OwnedSemaphorePermit>) -> Self {
        Self { _turn: turn.map(Arc::new), ..self }
    }

    /// Replaces a text.
    pub fn set(&mut self, name: &str, value: String) {
        self.texts.insert(name.to_owned(), vec![value]);
    }

    /// Replaces all values of a field.
    pub fn set_all(&mut self, name: &str, values: Vec<String>) {
        self.texts.insert(name.to_owned(), values);
    }

    /// Removes a field.
    pub fn remove(&mut self, name: &str) {
        self.texts.remove(name);
    }

    fn add(&mut self, name: String, value: String) {
        self.texts.entry(name).or_default().push(value);
    }

    /// All texts, by the names of their fields. Those of one field are in their order.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.texts.iter();
        all.flat_map(|(name, texts)| texts.iter().map(move |text| (name.as_str(), text.as_str())))
    }

    /// All values of a field, in their order.
    pub fn all(&self, name: &str) -> Vec<&str> {
        self.texts.get(name).into_iter().flatten().map(String::as_str).collect()
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether the field is there, with a value or not.
    pub fn has(&self, name: &str) -> bool {
        self.texts.contains_key(name)
    }

    /// A field, or an empty text. The line ends of a form are those of Unix.
    pub fn get(&self, name: &str) -> &str {
        self.texts.get(name).and_then(|all| all.last()).map_or("", String::as_str)
    }

    /// A field without the white space around it, if the form has it.
    pub fn typed(&self, name: &str) -> Option<&str> {
        self.texts.get(name).and_then(|all| all.last()).map(|text| text.trim())
    }

    /// A field without the white space around it, if something is left.
    pub fn given(&self, name: &str) -> Option<&str> {
        Some(self.get(name).trim()).filter(|value| !value.is_empty())
    }

    /// A text of several lines, whose line ends are those of Unix.
    pub fn lines(&self, name: &str) -> String {
        self.get(name).replace("\r\n", "\n").trim().to_owned()
    }
}

/// A file of a form.
#[derive(Clone)]
pub struct Upload {
    /// The name that the browser gives it.
    pub name: String,
    /// The content. `None` if it is longer than what was read.
    pub content: Option<Bytes>,
}

/// The most fields that are read.
const MOST_FIELDS: usize = 512;

/// The query of an address, of those of the fields that have a value.
pub fn query(fields: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    let query = query.finish();
    if query.is_empty() { query } else { format!("?{query}") }
}

/// The address of the page with the fields that have a value.
pub fn with_fields(path: &str, fields: &[(&str, &str)]) -> String {
    format!("{path}{}", query(fields))
}

/// A fault of a field, in words that say what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name of the field.
    pub field: &'static str,
    /// The words.
    pub text: String,
}

/// The faults of a form.
#[derive(Clone, Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Adds a fault of a field.
    pub fn add(&mut self, field: &'static str, text: String) {
        self.0.push(Fault { field, text });
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fault of a field.
    pub fn of(&self, field: &str) -> Option<&str> {
        self.0.iter().find(|fault| fault.field == field).map(|fault| &*fault.text)
    }

    /// All faults, for the list at the head of the form.
    pub fn all(&self) -> &[Fault] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_browsers_send_them() {
        let fields = Fields::parse(b"title=+Dark+mode%21+&text=a%0D%0Ab&x=1&x=2&n=%00a%ff");
        assert_eq!(fields.given("title"), Some("Dark mode!"));
        assert_eq!(fields.lines("text"), "a\nb");
        assert_eq!((fields.get("x"), fields.get("n")), ("2", "a\u{fffd}"));
        assert_eq!((fields.get("none"), fields.given("none")), ("", None));
    }

    #[test]
    fn a_query_has_the_fields_with_a_value() {
        assert_eq!(query(&[("a", "1 & 2"), ("b", ""), ("c", "ü")]), "?a=1+%26+2&c=%C3%BC");
        assert_eq!(query(&[("a", "")]), "");
    }
}
