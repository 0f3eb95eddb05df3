//! The document as indented text. A value that fits into a line stands on one line.

use serde::Serialize;
use serde_json::ser::Formatter;
use serde_json::{Serializer, Value};
use std::io;

/// The greatest length of a line, in characters. A line with one long text may exceed it.
const WIDTH: usize = 100;

/// The text of a document, with a newline at the end.
pub(super) fn of(document: &Value) -> String {
    let mut text = String::new();
    write(document, 0, 0, &mut text);
    text.push('\n');
    text
}

/// Writes a value with the given indent, whose line has `taken` other characters.
fn write(value: &Value, indent: usize, taken: usize, text: &mut String) {
    let line = on_a_line(value);
    let (members, open, close): (Vec<(String, &Value)>, _, _) = match value {
        _ if indent + taken + line.chars().count() <= WIDTH => return text.push_str(&line),
        Value::Object(members) => {
            let named = |(name, member): (&String, _)| {
                (format!("{}: ", on_a_line(&Value::from(name.as_str()))), member)
            };
            (members.iter().map(named).collect(), '{', '}')
        }
        Value::Array(items) => (items.iter().map(|item| (String::new(), item)).collect(), '[', ']'),
        _ => return text.push_str(&line),
    };
    text.push(open);
    let mut separator = "\n";
    for (name, member) in members {
        text.push_str(separator);
        text.extend(std::iter::repeat_n(' ', indent + 2));
        text.push_str(&name);
        // The `1` is the comma after the member.
        write(member, indent + 2, name.chars().count() + 1, text);
        separator = ",\n";
    }
    text.push('\n');
    text.extend(std::iter::repeat_n(' ', indent));
    text.push(close);
}

fn on_a_line(value: &Value) -> String {
    let mut line = Vec::new();
    // A `Value` can always be serialized, and a `Vec` takes all of it.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut line, Spaced));
    String::from_utf8(line).unwrap_or_default()
}

/// `{"a": 1, "b": [2, 3]}`
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_that_fits_into_a_line_stands_on_one() {
        let document =
            |long: &str| json!({"a": [1, {"b": null}], "c": {"d": [long, "\""]}, "e": {}});
        let long = "x".repeat(73);
        let expected = format!(
            "{{\n  \"a\": [1, {{\"b\": null}}],\n  \"c\": {{\"d\": [\"{long}\", \"\\\"\"]}},\n  \"e\": {{}}\n}}\n"
        );
        assert_eq!(of(&document(&long)), expected);
        let long = "x".repeat(90);
        let expected = format!(
            "{{\n  \"a\": [1, {{\"b\": null}}],\n  \"c\": {{\n    \"d\": [\n      \"{long}\",\n      \"\\\"\"\n    ]\n  }},\n  \"e\": {{}}\n}}\n"
        );
        assert_eq!(of(&document(&long)), expected);
    }
}
