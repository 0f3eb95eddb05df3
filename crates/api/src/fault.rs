//! The items of a `422`. Types and messages are those of Pydantic, which the contract's clients
//! were written against.

use serde::Serialize;
use serde::ser::{SerializeStruct, SerializeTuple, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// One offending field, or the body as a whole.
pub(crate) struct Fault {
    /// The part of the body.
    pub(crate) place: Place,
    /// The fault of that part.
    pub(crate) wrong: Wrong,
    /// The offending value, with keys masked. `None` shows as `null`.
    pub(crate) input: Option<Box<RawValue>>,
}

/// The part of a body that is wrong: the wire's `loc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The whole body.
    Body,
    /// A field.
    Field(&'static str),
    /// An element of a list, by field and index. The first index is 0.
    Element(&'static str, usize),
    /// A field of an object in a list, by list, index and field.
    Inside(&'static str, usize, &'static str),
    /// A member of an object, by field and name.
    Member(&'static str, &'static str),
}

/// Why a value is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// The body is not JSON.
    BodyJson,
    /// The body is JSON, but not an object.
    BodyType,
    /// A required field is missing.
    Missing,
    /// The value is not a string.
    StringType,
    /// The string has fewer characters than this.
    TooShort(usize),
    /// The string has more characters than this.
    TooLong(usize),
    /// The value of a UUID field is not a string.
    UuidType,
    /// The string is not a UUID.
    UuidParsing,
    /// The value is not an integer.
    IntType,
    /// The integer is less than this.
    Below(i64),
    /// The integer is greater than this.
    Above(i64),
    /// The value is neither `true` nor `false`.
    BoolType,
    /// The value is not a list.
    ListType,
    /// The value is not an object.
    DictType,
    /// The object has more members than this.
    ManyMembers(usize),
    /// The list has fewer elements than this.
    FewItems(usize),
    /// The list has more elements than this.
    ManyItems(usize),
    /// The value of a time field is not a string.
    DatetimeType,
    /// The string is not a time.
    DatetimeParsing,
    /// The string does not match this pattern.
    Pattern(&'static str),
    /// The value is not one of these.
    NotOneOf(Vec<&'static str>),
    /// The value breaks a rule that no other type names.
    Rule(&'static str),
}

impl Fault {
    /// A fault of the body as a whole.
    pub(crate) const fn body(wrong: Wrong) -> Self {
        Self { place: Place::Body, wrong, input: None }
    }

    /// The fault of an object in a list, from the list's field and the index.
    pub(crate) fn inside(self, list: &'static str, index: usize) -> Self {
        let place = match self.place {
            Place::Field(field) => Place::Inside(list, index, field),
            _ => Place::Element(list, index),
        };
        Self { place, ..self }
    }
}

impl Wrong {
    /// The wire's `type`.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::BodyJson => "json_invalid",
            Self::BodyType => "model_attributes_type",
            Self::Missing => "missing",
            Self::StringType => "string_type",
            Self::TooShort(_) => "string_too_short",
            Self::TooLong(_) => "string_too_long",
            Self::UuidType => "uuid_type",
            Self::UuidParsing => "uuid_parsing",
            Self::IntType => "int_type",
            Self::Below(_) => "greater_than_equal",
            Self::Above(_) => "less_than_equal",
            Self::BoolType => "bool_type",
            Self::ListType => "list_type",
            Self::DictType => "dict_type",
            Self::FewItems(_) => "too_short",
            Self::ManyItems(_) | Self::ManyMembers(_) => "too_long",
            Self::DatetimeType => "datetime_type",
            Self::DatetimeParsing => "datetime_parsing",
            Self::Pattern(_) => "string_pattern_mismatch",
            Self::NotOneOf(_) => "literal_error",
            Self::Rule(_) => "value_error",
        }
    }

    /// The wire's `msg`.
    fn message(&self) -> Cow<'static, str> {
        match self {
            Self::BodyJson => "Body should be valid JSON".into(),
            Self::BodyType => "Body should be a JSON object".into(),
            Self::Missing => "Field required".into(),
            Self::StringType => "Input should be a valid string".into(),
            Self::TooShort(least) => {
                format!("String should have at least {}", characters(*least)).into()
            }
            Self::TooLong(most) => {
                format!("String should have at most {}", characters(*most)).into()
            }
            Self::UuidType => "UUID input should be a string".into(),
            Self::UuidParsing => "Input should be a valid UUID".into(),
            Self::IntType => "Input should be a valid integer".into(),
            Self::Below(least) => {
                format!("Input should be greater than or equal to {least}").into()
            }
            Self::Above(most) => format!("Input should be less than or equal to {most}").into(),
            Self::BoolType => "Input should be a valid boolean".into(),
            Self::ListType => "Input should be a valid list".into(),
            Self::DictType => "Input should be a valid dictionary".into(),
            Self::ManyMembers(most) => {
                format!("Dictionary should have at most {most} item{}", plural(*most)).into()
            }
            Self::FewItems(least) => {
                format!("List should have at least {least} item{}", plural(*least)).into()
            }
            Self::ManyItems(most) => {
                format!("List should have at most {most} item{}", plural(*most)).into()
            }
            Self::DatetimeType => "Input should be a valid datetime".into(),
            Self::DatetimeParsing => "Input should be a valid datetime as in RFC 3339".into(),
            Self::Pattern(pattern) => format!("String should match pattern '{pattern}'").into(),
            Self::NotOneOf(codes) => format!("Input should be {}", alternatives(codes)).into(),
            Self::Rule(rule) => format!("Value error, {rule}").into(),
        }
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut item = serializer.serialize_struct("Fault", 4)?;
        item.serialize_field("type", self.wrong.code())?;
        item.serialize_field("loc", &self.place)?;
        item.serialize_field("msg", &self.wrong.message())?;
        item.serialize_field("input", &self.input)?;
        item.end()
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut steps = serializer.serialize_tuple(match self {
            Self::Body => 1,
            Self::Field(_) => 2,
            Self::Element(..) | Self::Member(..) => 3,
            Self::Inside(..) => 4,
        })?;
        steps.serialize_element("body")?;
        if let Self::Field(field)
        | Self::Element(field, _)
        | Self::Member(field, _)
        | Self::Inside(field, ..) = self
        {
            steps.serialize_element(field)?;
        }
        match self {
            Self::Element(_, index) => steps.serialize_element(index)?,
            Self::Member(_, member) => steps.serialize_element(member)?,
            Self::Inside(_, index, member) => {
                steps.serialize_element(index)?;
                steps.serialize_element(member)?;
            }
            Self::Body | Self::Field(_) => {}
        }
        steps.end()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body => f.write_str("body"),
            Self::Field(field) => f.write_str(field),
            Self::Element(field, index) => write!(f, "{field}[{index}]"),
            Self::Inside(list, index, field) => write!(f, "{list}[{index}].{field}"),
            Self::Member(field, member) => write!(f, "{field}.{member}"),
        }
    }
}

/// Shows place and type. Logs show this text, so it leaves out the value.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.wrong.code())
    }
}

/// Same text as [`fmt::Display`], for the same reason.
impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn characters(count: usize) -> String {
    format!("{count} character{}", if count == 1 { "" } else { "s" })
}

/// `'a'`, `'a' or 'b'`, `'a', 'b' or 'c'`
fn alternatives(codes: &[&str]) -> String {
    let quoted: Vec<String> = codes.iter().map(|code| format!("'{code}'")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> Option<Box<RawValue>> {
        RawValue::from_string(json.to_owned()).ok()
    }

    fn written(wrong: Wrong) -> (&'static str, String) {
        (wrong.code(), wrong.message().into_owned())
    }

    #[test]
    fn each_type_has_the_message_of_pydantic() {
        let literal = |codes: &[&'static str]| Wrong::NotOneOf(codes.to_vec());
        let expected = [
            (Wrong::BodyJson, "json_invalid", "Body should be valid JSON"),
            (Wrong::BodyType, "model_attributes_type", "Body should be a JSON object"),
            (Wrong::Missing, "missing", "Field required"),
            (Wrong::StringType, "string_type", "Input should be a valid string"),
            (Wrong::TooShort(1), "string_too_short", "String should have at least 1 character"),
            (Wrong::TooLong(512), "string_too_long", "String should have at most 512 characters"),
            (Wrong::UuidType, "uuid_type", "UUID input should be a string"),
            (Wrong::UuidParsing, "uuid_parsing", "Input should be a valid UUID"),
            (Wrong::IntType, "int_type", "Input should be a valid integer"),
            (Wrong::Below(1), "greater_than_equal", "Input should be greater than or equal to 1"),
            (Wrong::Above(100), "less_than_equal", "Input should be less than or equal to 100"),
            (Wrong::BoolType, "bool_type", "Input should be a valid boolean"),
            (Wrong::ListType, "list_type", "Input should be a valid list"),
            (Wrong::DictType, "dict_type", "Input should be a valid dictionary"),
            (Wrong::ManyMembers(50), "too_long", "Dictionary should have at most 50 items"),
            (Wrong::DatetimeType, "datetime_type", "Input should be a valid datetime"),
            (
                Wrong::DatetimeParsing,
                "datetime_parsing",
                "Input should be a valid datetime as in RFC 3339",
            ),
            (Wrong::Pattern("^a$"), "string_pattern_mismatch", "String should match pattern '^a$'"),
            (literal(&["a"]), "literal_error", "Input should be 'a'"),
            (literal(&["a", "b"]), "literal_error", "Input should be 'a' or 'b'"),
            (literal(&["a", "b", "c"]), "literal_error", "Input should be 'a', 'b' or 'c'"),
            (Wrong::Rule("no"), "value_error", "Value error, no"),
        ];
        for (wrong, code, message) in expected {
            assert_eq!(written(wrong), (code, message.to_owned()));
        }
    }

    #[test]
    fn an_item_names_its_place_and_its_value() {
        let fault =
            Fault { place: Place::Field("limit"), wrong: Wrong::IntType, input: shown("\"25\"") };
        assert_eq!(
            serde_json::to_string(&fault).unwrap(),
            r#"{"type":"int_type","loc":["body","limit"],"msg":"Input should be a valid integer","input":"25"}"#
        );
        let fault = Fault {
            place: Place::Element("label_ids", 3),
            wrong: Wrong::UuidType,
            input: shown("7"),
        };
        assert_eq!(
            serde_json::to_string(&fault).unwrap(),
            r#"{"type":"uuid_type","loc":["body","label_ids",3],"msg":"UUID input should be a string","input":7}"#
        );
        let fault = Fault {
            place: Place::Member("company", "name"),
            wrong: Wrong::StringType,
            input: shown("7"),
        };
        assert_eq!(
            serde_json::to_string(&fault).unwrap(),
            r#"{"type":"string_type","loc":["body","company","name"],"msg":"Input should be a valid string","input":7}"#
        );
        assert_eq!(
            serde_json::to_string(&Fault::body(Wrong::BodyType)).unwrap(),
            r#"{"type":"model_attributes_type","loc":["body"],"msg":"Body should be a JSON object","input":null}"#
        );
    }

    #[test]
    fn the_log_text_has_no_value() {
        let text = |place| {
            let fault = Fault { place, wrong: Wrong::IntType, input: shown("\"secret\"") };
            format!("{fault} {fault:?}")
        };
        assert_eq!(text(Place::Body), "body: int_type body: int_type");
        assert_eq!(text(Place::Field("limit")), "limit: int_type limit: int_type");
        assert_eq!(text(Place::Element("ids", 3)), "ids[3]: int_type ids[3]: int_type");
    }
}
