//! The readers, one for each kind of field.

use crate::fault::Wrong;
use crate::json::Json;
use crate::page::Cursor;
use hearback_domain::access::{Domain, MAX_DOMAIN};
use hearback_domain::attributes::{
    Attribute, Attributes, AttributesPatch, MAX_ATTRIBUTE_TEXT, MOST_ATTRIBUTES, is_key,
};
use hearback_domain::color::Color;
use hearback_domain::fold::Folded;
use hearback_domain::help_redirect::{MAX_PATH, NoPath, Path};
use hearback_domain::id::parse_uuid;
use hearback_domain::person::{Email, MAX_EMAIL};
use hearback_domain::slug::{Code, MAX_CODE, MAX_SLUG, NoSlug, Slug};
use hearback_domain::spend::Spend;
use hearback_domain::text::{Query, Text, WrongLength};
use hearback_domain::web_url::WebUrl;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::Limit;
use hearback_ports::attributes::value_from_json;
use std::borrow::Cow;

/// A string of any length.
pub(crate) fn string(value: &Json<'_>) -> Result<String, Wrong> {
    text(value).map(Cow::into_owned)
}

/// A string whose length has bounds, in characters.
pub(crate) fn bounded<const MIN: usize, const MAX: usize>(
    value: &Json<'_>,
) -> Result<Text<MIN, MAX>, Wrong> {
    Text::parse(&text(value)?).map_err(|wrong| match wrong {
        WrongLength::Below(least) => Wrong::TooShort(least),
        WrongLength::Above(most) => Wrong::TooLong(most),
    })
}

/// A search query.
pub(crate) fn query(value: &Json<'_>) -> Result<Folded, Wrong> {
    let query: Query = bounded(value)?;
    Ok(query.into())
}

/// An identifier.
pub(crate) fn uuid(value: &Json<'_>) -> Result<Uuid, Wrong> {
    parse_uuid(&text_or(value, || Wrong::UuidType)?).ok_or(Wrong::UuidParsing)
}

/// A code of a closed set. A value that is not a string is not in the set either.
pub(crate) fn one_of<T: ClosedSet>(value: &Json<'_>) -> Result<T, Wrong> {
    let not_one_of = || Wrong::NotOneOf(T::ALL.iter().map(|value| value.code()).collect());
    T::parse(&text_or(value, not_one_of)?).ok_or_else(not_one_of)
}

/// `true` or `false`. No other value is converted.
pub(crate) fn boolean(value: &Json<'_>) -> Result<bool, Wrong> {
    value.boolean().ok_or(Wrong::BoolType)
}

/// A time in the format of RFC 3339.
pub(crate) fn timestamp(value: &Json<'_>) -> Result<Time, Wrong> {
    Time::parse(&text_or(value, || Wrong::DatetimeType)?).map_err(|_| Wrong::DatetimeParsing)
}

/// A slug that the client chose.
pub(crate) fn slug(value: &Json<'_>) -> Result<Slug, Wrong> {
    Slug::parse(&text(value)?).map_err(|wrong| match wrong {
        NoSlug::Empty => Wrong::TooShort(1),
        NoSlug::TooLong => Wrong::TooLong(MAX_SLUG),
        NoSlug::Characters => Wrong::Pattern(SLUG_PATTERN),
    })
}

/// A path of an address.
pub(crate) fn path(value: &Json<'_>) -> Result<Path, Wrong> {
    Path::parse(&text(value)?).map_err(|wrong| match wrong {
        NoPath::Empty => Wrong::TooShort(1),
        NoPath::TooLong => Wrong::TooLong(MAX_PATH),
        NoPath::Characters => Wrong::Pattern(PATH_PATTERN),
    })
}

/// A code that the client chose.
pub(crate) fn code(value: &Json<'_>) -> Result<Code, Wrong> {
    Code::parse(&text(value)?).map_err(|wrong| match wrong {
        NoSlug::Empty => Wrong::TooShort(1),
        NoSlug::TooLong => Wrong::TooLong(MAX_CODE),
        NoSlug::Characters => Wrong::Pattern(CODE_PATTERN),
    })
}

/// A hex colour.
pub(crate) fn color(value: &Json<'_>) -> Result<Color, Wrong> {
    let text = text(value)?;
    Color::parse(&text).map_err(|_| {
        if text.chars().nth(MAX_COLOR).is_some() {
            return Wrong::TooLong(MAX_COLOR);
        }
        Wrong::Pattern(COLOR_PATTERN)
    })
}

/// A domain.
pub(crate) fn domain(value: &Json<'_>) -> Result<Domain, Wrong> {
    let text = text(value)?;
    Domain::parse(&text).map_err(|_| match text.len() {
        length if length > MAX_DOMAIN => Wrong::TooLong(MAX_DOMAIN),
        _ => Wrong::Rule("not a domain"),
    })
}

/// The number of a record in its list, from 1.
pub(crate) fn rank(value: &Json<'_>) -> Result<Rank, Wrong> {
    match integer(value)? {
        ..1 => Err(Wrong::Below(1)),
        place if place > Rank::MAX => Err(Wrong::Above(Rank::MAX)),
        place => Ok(Rank(place)),
    }
}

/// The number of a record in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rank(pub(crate) i64);

impl Rank {
    /// The greatest number.
    pub(crate) const MAX: i64 = 1_000_000;
}

/// The number of records of a short list.
pub(super) fn few(value: &Json<'_>) -> Result<Few, Wrong> {
    match integer(value)? {
        ..1 => Err(Wrong::Below(1)),
        count if count > Few::MAX => Err(Wrong::Above(Few::MAX)),
        count => Ok(Few(count)),
    }
}

/// The number of records of a short list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Few(pub(super) i64);

impl Few {
    /// The number if none is given.
    pub(crate) const DEFAULT: Self = Self(5);
    /// The greatest number.
    pub(crate) const MAX: i64 = 20;

    /// The number.
    pub(crate) fn get(self) -> usize {
        usize::try_from(self.0).unwrap_or_default()
    }
}

/// How long a former secret is used beside the new one.
pub(crate) fn overlap(value: &Json<'_>) -> Result<Overlap, Wrong> {
    match integer(value)? {
        ..0 => Err(Wrong::Below(0)),
        seconds if seconds > Overlap::MAX => Err(Wrong::Above(Overlap::MAX)),
        seconds => Ok(Overlap(seconds)),
    }
}

/// A time in seconds, up to a week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overlap(pub(crate) i64);

impl Overlap {
    /// The longest time.
    pub(crate) const MAX: i64 = 7 * 24 * 60 * 60;
}

/// New values of attributes. `null` removes one.
pub(crate) fn attributes(value: &Json<'_>) -> Result<AttributesPatch, Wrong> {
    let members = value.entries().ok_or(Wrong::DictType)?;
    if members.len() > MOST_ATTRIBUTES {
        return Err(Wrong::ManyMembers(MOST_ATTRIBUTES));
    }
    let member = |(key, value): (String, Json<'_>)| {
        if !is_key(&key) {
            return Err(Wrong::Rule("the name of an attribute is 1 to 64 of A-Z a-z 0-9 _ . -"));
        }
        Ok((key, if value.is_null() { None } else { Some(attribute(value)?) }))
    };
    members.into_iter().map(member).collect::<Result<_, _>>().map(AttributesPatch)
}

fn attribute(value: Json<'_>) -> Result<Attribute, Wrong> {
    let no_attribute = "an attribute is a string, a number, true, false or null";
    match value_from_json(value.as_str()) {
        None => Err(Wrong::Rule(no_attribute)),
        Some(Attribute::Text(_)) => {
            bounded::<0, MAX_ATTRIBUTE_TEXT>(&value).map(|text| Attribute::Text(text.into()))
        }
        Some(other) => Ok(other),
    }
}

/// The attributes that a record of a list has.
pub(crate) fn wanted(value: &Json<'_>) -> Result<Attributes, Wrong> {
    let members = attributes(value)?.0.into_iter();
    let member = |(key, value): (String, Option<Attribute>)| Some((key, value?));
    members.map(member).collect::<Option<_>>().ok_or(Wrong::Rule("a filter has no null"))
}

/// An amount of money.
pub(crate) fn spend(value: &Json<'_>) -> Result<Spend, Wrong> {
    Spend::parse(&text(value)?).map_err(|_| Wrong::Pattern(SPEND_PATTERN))
}

/// An email address.
pub(crate) fn email(value: &Json<'_>) -> Result<Email, Wrong> {
    let text = text(value)?;
    Email::parse(&text).map_err(|_| match text.chars().count() {
        0..3 => Wrong::TooShort(3),
        count if count > MAX_EMAIL => Wrong::TooLong(MAX_EMAIL),
        _ => Wrong::Rule("not an email address"),
    })
}

/// A URL with the scheme `http` or `https`.
pub(crate) fn web_url(value: &Json<'_>) -> Result<WebUrl, Wrong> {
    WebUrl::parse(&text(value)?).map_err(|_| Wrong::Rule("not an http or https URL"))
}

/// The number of records of a page.
pub(super) fn limit(value: &Json<'_>) -> Result<Limit, Wrong> {
    let limit = integer(value)?;
    let wrong =
        if limit < Limit::MIN { Wrong::Below(Limit::MIN) } else { Wrong::Above(Limit::MAX) };
    Limit::new(limit).ok_or(wrong)
}

/// The number of records to leave out.
pub(super) fn skip(value: &Json<'_>) -> Result<u64, Wrong> {
    u64::try_from(integer(value)?).map_err(|_| Wrong::Below(0))
}

/// The position where a page begins.
pub(super) fn cursor(value: &Json<'_>) -> Result<Cursor, Wrong> {
    Cursor::parse(&text(value)?).ok_or(NO_CURSOR)
}

/// The cursor is damaged, or belongs to another list, organization or filter. The client need not
/// distinguish these: in each case it starts over.
pub(super) const NO_CURSOR: Wrong = Wrong::Rule("not a cursor of this list");

/// The contract's bound of a colour, in characters. Every valid colour is far shorter.
pub(super) const MAX_COLOR: usize = 50;

/// The texts that [`Color::parse`] takes.
pub(super) const COLOR_PATTERN: &str =
    "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$";

/// The texts that [`Slug::parse`] takes, except for their length.
pub(super) const SLUG_PATTERN: &str = r"^(?!\.{1,2}$)[A-Za-z0-9_.~-]+$";

/// The texts that [`Path::parse`] accepts, except for their length.
pub(super) const PATH_PATTERN: &str = r"^/[^\s?#\x00-\x1f\x7f-\x9f]*$";

/// The texts that [`Code::parse`] takes, except for their length.
pub(super) const CODE_PATTERN: &str = "^[a-z0-9_-]+$";

/// The name of an attribute as a regular expression.
pub(super) const KEY_PATTERN: &str = "^[A-Za-z0-9_.-]{1,64}$";

/// The texts that [`Spend::parse`] takes.
pub(crate) const SPEND_PATTERN: &str = r"^[0-9]{1,12}(\.[0-9]{1,2})?$";

fn text<'a>(value: &Json<'a>) -> Result<Cow<'a, str>, Wrong> {
    text_or(value, || Wrong::StringType)
}

/// The characters of a string, or the fault of another type.
fn text_or<'a>(value: &Json<'a>, wrong: impl FnOnce() -> Wrong) -> Result<Cow<'a, str>, Wrong> {
    let text = value.text().ok_or_else(wrong)?;
    if text.contains('\0') {
        return Err(Wrong::Rule("a text cannot contain U+0000"));
    }
    Ok(text)
}

/// A number with an integral value, in any notation. The result saturates at the bounds of `i64`,
/// which no field's range reaches.
fn integer(value: &Json<'_>) -> Result<i64, Wrong> {
    let number = value.number().ok_or(Wrong::IntType)?;
    if let Some(integer) = number.as_i64() {
        return Ok(integer);
    }
    // `as` saturates. The bounds of every field lie far inside of `i64`.
    number
        .as_f64()
        .filter(|float| float.fract() == 0.0)
        .map(|float| float as i64)
        .ok_or(Wrong::IntType)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::vote::PostType;
    use serde_json::{Value, json};

    const ID: &str = "0199aabb-ccdd-7eee-8fff-001122334455";

    /// The value that a reader makes of a JSON text, or the wire's `type` of the fault.
    fn read<T>(
        reader: impl Fn(&Json<'_>) -> Result<T, Wrong>,
        json: &str,
    ) -> Result<T, &'static str> {
        reader(&serde_json::from_str(json).unwrap()).map_err(|wrong| wrong.code())
    }

    /// The fault of each of these values.
    fn wrong<T>(
        reader: impl Fn(&Json<'_>) -> Result<T, Wrong>,
        values: impl IntoIterator<Item = Value>,
    ) -> Vec<&'static str> {
        values.into_iter().filter_map(|value| read(&reader, &value.to_string()).err()).collect()
    }

    /// A value of each type except string.
    fn no_strings() -> [Value; 5] {
        [json!(null), json!(5), json!(true), json!([ID]), json!({"id": ID})]
    }

    #[test]
    fn each_reader_of_strings_refuses_other_types_and_u_0000() {
        type Check = fn(&Json<'_>) -> Option<Wrong>;
        let readers: [(&str, Check, &str); 10] = [
            ("string", |json| string(json).err(), "string_type"),
            ("bounded", |json| bounded::<0, 9>(json).err(), "string_type"),
            ("query", |json| query(json).err(), "string_type"),
            ("uuid", |json| uuid(json).err(), "uuid_type"),
            ("one_of", |json| one_of::<PostType>(json).err(), "literal_error"),
            ("timestamp", |json| timestamp(json).err(), "datetime_type"),
            ("slug", |json| slug(json).err(), "string_type"),
            ("color", |json| color(json).err(), "string_type"),
            ("web_url", |json| web_url(json).err(), "string_type"),
            ("cursor", |json| cursor(json).err(), "string_type"),
        ];
        for (name, check, expected) in readers {
            let reader = |json: &Json<'_>| check(json).map_or(Ok(()), Err);
            assert_eq!(wrong(reader, no_strings()), [expected; 5], "{name}");
            assert_eq!(wrong(reader, [json!("a\0b")]), ["value_error"], "{name}");
        }
    }

    #[test]
    fn an_identifier_is_a_string_of_32_hex_digits() {
        for id in [ID.to_owned(), ID.to_uppercase(), ID.replace('-', "")] {
            assert_eq!(read(uuid, &json!(id).to_string()), Ok(ID.parse().unwrap()));
        }
        let others = [
            json!(""),
            json!(format!("{{{ID}}}")),
            json!(format!(" {ID}")),
            json!(format!("urn:uuid:{ID}")),
        ];
        assert_eq!(wrong(uuid, others), ["uuid_parsing"; 4]);
    }

    #[test]
    fn a_closed_set_is_matched_to_the_letter() {
        assert_eq!(read(one_of, r#""roadmap""#), Ok(PostType::Roadmap));
        assert_eq!(
            wrong(one_of::<PostType>, [json!("Roadmap"), json!(""), json!("roadmap ")]),
            ["literal_error"; 3]
        );
    }

    #[test]
    fn lengths_count_characters() {
        let of = |text: String| wrong(bounded::<1, 512>, [json!(text)]);
        assert!(of("é".repeat(512)).is_empty() && of("🙂".to_owned()).is_empty());
        assert_eq!(of("é".repeat(513)), ["string_too_long"]);
        assert_eq!(of(String::new()), ["string_too_short"]);
    }

    #[test]
    fn a_query_is_folded() {
        assert_eq!(read(query, r#""GRÜẞE""#), Ok(Folded::new("grüße")));
        assert_eq!(wrong(query, [json!("")]), ["string_too_short"]);
        assert_eq!(wrong(query, [json!("a".repeat(513))]), ["string_too_long"]);
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        assert_eq!((read(boolean, "true"), read(boolean, "false")), (Ok(true), Ok(false)));
        let others =
            [json!(null), json!(0), json!(1), json!("true"), json!(""), json!([true]), json!({})];
        assert_eq!(wrong(boolean, others), ["bool_type"; 7]);
    }

    #[test]
    fn a_time_is_rfc_3339_and_kept_to_the_millisecond() {
        for text in [
            "2026-03-01T09:30:00.1239Z",
            "2026-03-01T09:30:00.123",
            "2026-03-01T10:30:00.123+01:00",
        ] {
            let time = read(timestamp, &json!(text).to_string()).unwrap();
            assert_eq!(time.to_string(), "2026-03-01T09:30:00.123Z");
        }
        assert!(read(timestamp, r#""2026-03-01""#).is_ok());
        let others =
            ["", "yesterday", "1767225600", "0000-12-31", "2026-02-30", "2026-03-01T09:30"];
        assert_eq!(wrong(timestamp, others.map(Value::from)), ["datetime_parsing"; 6]);
    }

    #[test]
    fn a_slug_is_kept_as_given() {
        assert_eq!(read(slug, r#""Dark-Mode_2.0~x""#).unwrap().as_str(), "Dark-Mode_2.0~x");
        assert_eq!(wrong(slug, [json!("")]), ["string_too_short"]);
        assert_eq!(
            wrong(slug, [json!("a".repeat(513)), json!("é".repeat(513))]),
            ["string_too_long"; 2]
        );
        let others = [".", "..", "a b", "a/b", "ü", "a\n", &"é".repeat(512)];
        assert_eq!(wrong(slug, others.map(Value::from)), ["string_pattern_mismatch"; 7]);
    }

    #[test]
    fn a_colour_is_a_number_sign_and_hex_digits() {
        for text in ["#abc", "#ABCD", "#12abEF", "#12abEF80"] {
            assert_eq!(
                read(color, &json!(text).to_string()).map(String::from),
                Ok(text.to_owned())
            );
        }
        let others = ["", "abc", "#", "#ab", "#abcde", "#abcdefg", "red", "#ggg", &"é".repeat(50)];
        assert_eq!(wrong(color, others.map(Value::from)), ["string_pattern_mismatch"; 9]);
        assert_eq!(
            wrong(color, [json!("é".repeat(51)), json!(format!("#{}", "a".repeat(50)))]),
            ["string_too_long"; 2]
        );
    }

    #[test]
    fn attributes_are_an_object_of_plain_values() {
        let patch = read(attributes, r#"{"a":"x","b":1.50,"c":false,"a.b":null,"a":"y"}"#);
        let patch = patch.unwrap().0;
        assert_eq!(patch["a"], Some(Attribute::Text("y".to_owned())));
        assert_eq!((patch.len(), &patch["a.b"]), (4, &None));
        assert!(read(wanted, r#"{"a":"x"}"#).is_ok());
        assert_eq!(wrong(wanted, [json!({"a": null})]), ["value_error"]);
        let many: serde_json::Map<String, Value> =
            (0..51).map(|n| (n.to_string(), Value::Null)).collect();
        let others = [
            (json!([]), "dict_type"),
            (json!("x"), "dict_type"),
            (json!({"ü": 1}), "value_error"),
            (json!({"": 1}), "value_error"),
            (json!({"a": []}), "value_error"),
            (json!({"a": "a\0b"}), "value_error"),
            (json!({"a": "é".repeat(513)}), "string_too_long"),
            (Value::Object(many), "too_long"),
        ];
        for (value, code) in others {
            assert_eq!(wrong(attributes, [value]), [code]);
        }
    }

    #[test]
    fn an_address_on_the_web_is_http_or_https() {
        for text in ["https://example.com/hero.png?x=1#y", "HTTP://example.com"] {
            assert_eq!(
                read(web_url, &json!(text).to_string()).map(String::from),
                Ok(text.to_owned())
            );
        }
        let others = [
            "",
            "example.com",
            "/hero.png",
            "javascript://x",
            "ftp://example.com",
            "https://",
            "https://a b",
        ];
        assert_eq!(wrong(web_url, others.map(Value::from)), ["value_error"; 7]);
    }

    #[test]
    fn a_number_with_an_integral_value_is_an_integer() {
        let limit = |text: &str| read(limit, text).map(Limit::get);
        for (text, records) in [
            ("1", 1),
            ("25", 25),
            ("100", 100),
            ("25.0", 25),
            ("2.5e1", 25),
            ("1e2", 100),
            ("1000e-1", 100),
        ] {
            assert_eq!(limit(text), Ok(records), "{text}");
        }
        for text in ["\"25\"", "2.5", "1e-1", "true", "[25]", "{}", "null"] {
            assert_eq!(limit(text), Err("int_type"), "{text}");
            assert_eq!(read(skip, text), Err("int_type"), "{text}");
        }
        for text in ["0", "-0", "-0.0", "-1", "-9223372036854775809", "-1e300"] {
            assert_eq!(limit(text), Err("greater_than_equal"), "{text}");
        }
        for text in
            ["101", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e300"]
        {
            assert_eq!(limit(text), Err("less_than_equal"), "{text}");
        }
    }

    #[test]
    fn skip_is_any_number_that_is_not_negative() {
        for (text, records) in [
            ("0", 0),
            ("-0.0", 0),
            ("7.0", 7),
            ("1000000", 1_000_000),
            ("1e300", i64::MAX.unsigned_abs()),
        ] {
            assert_eq!(read(skip, text), Ok(records), "{text}");
        }
        for text in ["-1", "-1.0", "-1e300"] {
            assert_eq!(read(skip, text), Err("greater_than_equal"), "{text}");
        }
    }
}
