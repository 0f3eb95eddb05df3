//! Queries and the fields of forms.

use crate::parts::parts;
use actix_web::web::Bytes;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use url::form_urlencoded;

/// The fields of a query or a form. Of a field that is there twice, the last one counts.
#[derive(Clone, Default)]
pub(crate) struct Fields {
    texts: HashMap<String, String>,
    /// The file of the form.
    pub(crate) file: Option<Upload>,
    /// The turn of the form, whose file is in memory.
    _turn: Option<Arc<OwnedSemaphorePermit>>,
}

impl Fields {
    /// Reads `a=b&c=d`. Bytes that are no UTF-8 become U+FFFD; U+0000 is left out.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(text).take(MOST_FIELDS);
        let texts = pairs.map(|(name, value)| (name.into_owned(), value.replace('\0', "")));
        Self { texts: texts.collect(), file: None, _turn: None }
    }

    /// Reads the parts of a form with a file, as far as they have come.
    pub(crate) fn of_parts(body: &Bytes, boundary: &str) -> Self {
        let mut fields = Self::default();
        for part in parts(body, boundary).take(MOST_FIELDS) {
            match part.file {
                None => {
                    let text = String::from_utf8_lossy(&part.content).replace('\0', "");
                    fields.texts.insert(part.name, text);
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
    pub(crate) fn holding(self, turn: Option<OwnedSemaphorePermit>) -> Self {
        Self { _turn: turn.map(Arc::new), ..self }
    }

    /// Replaces a text.
    pub(crate) fn set(&mut self, name: &str, value: String) {
        self.texts.insert(name.to_owned(), value);
    }

    /// A field, or an empty text. The line ends of a form are those of Unix.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    /// A field without the white space around it, if the form has it.
    pub(crate) fn typed(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(|text| text.trim())
    }

    /// A field without the white space around it, if something is left.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        Some(self.get(name).trim()).filter(|value| !value.is_empty())
    }

    /// A text of several lines, whose line ends are those of Unix.
    pub(crate) fn lines(&self, name: &str) -> String {
        self.get(name).replace("\r\n", "\n").trim().to_owned()
    }
}

/// A file of a form.
#[derive(Clone)]
pub(crate) struct Upload {
    /// The name that the browser gives it.
    pub(crate) name: String,
    /// The content. `None` if it is longer than what was read.
    pub(crate) content: Option<Bytes>,
}

/// The most fields that are read.
const MOST_FIELDS: usize = 64;

/// The query of an address, of those of the fields that have a value.
pub(crate) fn query(fields: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    let query = query.finish();
    if query.is_empty() { query } else { format!("?{query}") }
}

/// A fault of a field, in words that say what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The name of the field.
    pub(crate) field: &'static str,
    /// The words.
    pub(crate) text: String,
}

/// The faults of a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, field: &'static str, text: String) {
        self.0.push(Fault { field, text });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fault of a field.
    pub(crate) fn of(&self, field: &str) -> Option<&str> {
        self.0.iter().find(|fault| fault.field == field).map(|fault| &*fault.text)
    }

    /// All faults, for the list at the head of the form.
    pub(crate) fn all(&self) -> &[Fault] {
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
