//! Reads the fields of a body straight into the input of a use case, and collects every fault on the way.
//!
//! To read a field of another kind, write a reader: a function from [`Json`] to a value or what is [`Wrong`] with it.

use crate::fault::{Fault, Wrong};
use crate::json::{Json, Members};
use crate::page::{Cursor, Cursors, List, SortKey, Walk};
use hearback_domain::id::{OrganizationId, parse_uuid};
use hearback_domain::text::{Text, WrongLength};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::{Limit, PageRequest};

/// What an endpoint takes beyond the key.
pub(crate) trait Input: Sized {
    /// Reads each field, in the order of the endpoint's table, before it gives up on any: one faulty field hides no other.
    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted>;
}

/// Nothing.
impl Input for () {
    fn parse(_: &mut Fields<'_>) -> Result<Self, Noted> {
        Ok(())
    }
}

/// The identifier of what is retrieved.
pub(crate) struct ById<T>(pub(crate) T);

impl<T: From<Uuid>> Input for ById<T> {
    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        fields.required("id", uuid).map(|id| Self(id.into()))
    }
}

/// There is no value; the reason is among the faults.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted;

/// The fields of one request.
pub(crate) struct Fields<'a> {
    members: &'a Members<'a>,
    cursors: &'a Cursors,
    organization: OrganizationId,
    faults: Vec<Fault>,
}

/// Reads the input of a request; on failure all its faults, of which there is at least one.
pub(crate) fn read<T: Input>(members: &Members<'_>, cursors: &Cursors, organization: OrganizationId) -> Result<T, Vec<Fault>> {
    let mut fields = Fields { members, cursors, organization, faults: Vec::new() };
    match T::parse(&mut fields) {
        // A fault in a field whose value the input does not need is a fault all the same.
        Ok(input) if fields.faults.is_empty() => Ok(input),
        Ok(_) | Err(Noted) => Err(fields.faults),
    }
}

impl<'a> Fields<'a> {
    /// A field that must be there; `null` is of the wrong type.
    pub(crate) fn required<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<T, Noted> {
        match self.members.get(field) {
            None => Err(self.fault(field, Wrong::Missing)),
            Some(value) => read(value).map_err(|wrong| self.fault(field, wrong)),
        }
    }

    /// A field that may be left out; `null` leaves it out too.
    pub(crate) fn optional<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<Option<T>, Noted> {
        match self.members.get(field) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => read(value).map(Some).map_err(|wrong| self.fault(field, wrong)),
        }
    }

    /// A field that has a value when it is left out; `null` does not leave it out.
    fn defaulted<T>(
        &mut self,
        field: &'static str,
        default: T,
        read: impl FnOnce(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<T, Noted> {
        match self.members.get(field) {
            None => Ok(default),
            Some(value) => read(value).map_err(|wrong| self.fault(field, wrong)),
        }
    }

    /// The list that an endpoint pages through. What filters it is added to it by [`List::filter`].
    pub(crate) fn list(&self, path: &'static str, sort: &'static str) -> List {
        self.cursors.list(self.organization, path, sort)
    }

    /// `limit` and `cursor`. Whether the cursor is of this list can be told only where the list's filters were read.
    pub(crate) fn walk<K: SortKey>(&mut self, list: Result<List, Noted>) -> Result<Walk<K>, Noted> {
        let limit = self.defaulted("limit", Limit::DEFAULT, limit);
        let cursor = self.optional("cursor", cursor);
        let list = list?;
        let after = match cursor? {
            None => None,
            Some(cursor) => Some(list.open(&cursor).ok_or_else(|| self.fault("cursor", NO_CURSOR))?),
        };
        Ok(Walk { page: PageRequest { after, limit: limit? }, list })
    }

    /// Notes what is wrong with a field.
    pub(crate) fn fault(&mut self, field: &'static str, wrong: Wrong) -> Noted {
        let input = self.members.get(field).map(Json::shown).unwrap_or_default();
        self.faults.push(Fault { field: Some(field), wrong, input });
        Noted
    }
}

/// A string of any length.
pub(crate) fn string(value: &Json<'_>) -> Result<String, Wrong> {
    text(value).map(str::to_owned)
}

/// A string with bounds.
pub(crate) fn bounded<const MIN: usize, const MAX: usize>(value: &Json<'_>) -> Result<Text<MIN, MAX>, Wrong> {
    Text::parse(text(value)?).map_err(|wrong| match wrong {
        WrongLength::Below(least) => Wrong::TooShort(least),
        WrongLength::Above(most) => Wrong::TooLong(most),
    })
}

/// An identifier.
pub(crate) fn uuid(value: &Json<'_>) -> Result<Uuid, Wrong> {
    if !matches!(value, Json::Text(_)) {
        return Err(Wrong::UuidType);
    }
    parse_uuid(text(value)?).ok_or(Wrong::UuidParsing)
}

/// One of a closed set of codes. What is no string is none of them.
pub(crate) fn one_of<T: ClosedSet>(value: &Json<'_>) -> Result<T, Wrong> {
    let not_one_of = || Wrong::NotOneOf(T::ALL.iter().map(|value| value.code()).collect());
    if !matches!(value, Json::Text(_)) {
        return Err(not_one_of());
    }
    T::parse(text(value)?).ok_or_else(not_one_of)
}

fn text<'v>(value: &'v Json<'_>) -> Result<&'v str, Wrong> {
    match value {
        Json::Text(text) if text.contains('\0') => Err(Wrong::Rule("a text cannot contain U+0000")),
        Json::Text(text) => Ok(text),
        _ => Err(Wrong::StringType),
    }
}

/// A number with an integral value, however it is written; held within `i64`, which is enough to find it out of range.
fn integer(value: &Json<'_>) -> Result<i64, Wrong> {
    let Json::Number(number) = value else { return Err(Wrong::IntType) };
    if let Some(integer) = number.as_i64() {
        return Ok(integer);
    }
    // `as` saturates, and the bounds of every field lie far inside of `i64`.
    number.as_f64().filter(|float| float.fract() == 0.0).map(|float| float as i64).ok_or(Wrong::IntType)
}

fn limit(value: &Json<'_>) -> Result<Limit, Wrong> {
    let limit = integer(value)?;
    let wrong = if limit < Limit::MIN { Wrong::Below(Limit::MIN) } else { Wrong::Above(Limit::MAX) };
    Limit::new(limit).ok_or(wrong)
}

fn cursor(value: &Json<'_>) -> Result<Cursor, Wrong> {
    Cursor::parse(text(value)?).ok_or(NO_CURSOR)
}

/// Damaged, or of another list, organization or filter: all the same to a client, who can only begin anew.
const NO_CURSOR: Wrong = Wrong::Rule("not a cursor of this list");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::object;
    use hearback_domain::Time;
    use hearback_domain::text::Query;
    use hearback_domain::vote::PostType;
    use hearback_ports::page::ByTime;
    use serde_json::{Value, json};

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const ID: &str = "0199aabb-ccdd-7eee-8fff-001122334455";

    fn cursors() -> Cursors {
        Cursors::new(&[7; 32])
    }

    /// The faults that a body has as input of `T`, as the wire shows them, each without its message.
    fn faults<T: Input>(body: &Value) -> Vec<(String, Value, Value)> {
        let body = body.to_string();
        let faults = read::<T>(&object(body.as_bytes()).unwrap(), &cursors(), ORGANIZATION).err().unwrap_or_default();
        let items = faults.iter().map(|fault| serde_json::to_value(fault).unwrap());
        items.map(|item| (item["type"].as_str().unwrap().to_owned(), item["loc"][1].clone(), item["input"].clone())).collect()
    }

    fn fault(code: &str, field: &str, input: Value) -> (String, Value, Value) {
        (code.to_owned(), json!(field), input)
    }

    /// Every kind of field, and a list.
    struct Everything;

    impl Input for Everything {
        fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
            let id = fields.required("id", uuid);
            let kind = fields.optional("kind", one_of::<PostType>);
            let query = fields.optional::<Query>("query", bounded);
            let email = fields.optional("email", string);
            let list = id.map(|id| fields.list("/test", "newest").filter(Some(id)));
            let walk = fields.walk::<ByTime>(list);
            id.and(kind.map(drop)).and(query.map(drop)).and(email.map(drop)).and(walk.map(drop)).map(|()| Self)
        }
    }

    #[test]
    fn all_faults_come_at_once_in_the_order_of_the_table() {
        let body = json!({"cursor": 5, "limit": 0, "email": true, "query": "", "kind": "blog", "id": "x"});
        let expected = [
            fault("uuid_parsing", "id", json!("x")),
            fault("literal_error", "kind", json!("blog")),
            fault("string_too_short", "query", json!("")),
            fault("string_type", "email", json!(true)),
            fault("greater_than_equal", "limit", json!(0)),
            fault("string_type", "cursor", json!(5)),
        ];
        assert_eq!(faults::<Everything>(&body), expected);
    }

    #[test]
    fn what_may_be_left_out_may_be_null_except_the_limit() {
        assert_eq!(faults::<Everything>(&json!({"id": ID})), []);
        let nulls = json!({"id": ID, "kind": null, "query": null, "email": null, "cursor": null});
        assert_eq!(faults::<Everything>(&nulls), []);
        assert_eq!(faults::<Everything>(&json!({"id": ID, "limit": null})), [fault("int_type", "limit", json!(null))]);
    }

    #[test]
    fn what_is_required_is_missing_when_it_is_not_there_and_of_the_wrong_type_when_it_is_null() {
        assert_eq!(faults::<Everything>(&json!({})), [fault("missing", "id", json!(null))]);
        assert_eq!(faults::<Everything>(&json!({"id": null})), [fault("uuid_type", "id", json!(null))]);
    }

    #[test]
    fn an_identifier_is_a_string_of_32_hex_digits() {
        for id in [ID.to_owned(), ID.to_uppercase(), ID.replace('-', "")] {
            assert_eq!(faults::<Everything>(&json!({"id": id})), []);
        }
        for id in [json!(5), json!(true), json!([ID]), json!({"id": ID})] {
            assert_eq!(faults::<Everything>(&json!({"id": id})), [fault("uuid_type", "id", id)]);
        }
        for id in [json!(""), json!(format!("{{{ID}}}")), json!(format!(" {ID}")), json!(format!("urn:uuid:{ID}"))] {
            assert_eq!(faults::<Everything>(&json!({"id": id})), [fault("uuid_parsing", "id", id)]);
        }
    }

    #[test]
    fn a_closed_set_is_matched_to_the_letter() {
        assert_eq!(faults::<Everything>(&json!({"id": ID, "kind": "roadmap"})), []);
        for kind in [json!("Roadmap"), json!(""), json!(1), json!(["roadmap"])] {
            assert_eq!(faults::<Everything>(&json!({"id": ID, "kind": kind})), [fault("literal_error", "kind", kind)]);
        }
    }

    #[test]
    fn lengths_count_characters() {
        let query = |text: String| faults::<Everything>(&json!({"id": ID, "query": text}));
        assert_eq!(query("é".repeat(512)), []);
        assert_eq!(query("é".repeat(513)), [fault("string_too_long", "query", json!("é".repeat(513)))]);
        assert_eq!(query("🙂".to_owned()), []);
    }

    #[test]
    fn u_0000_is_refused_in_any_string() {
        for field in ["id", "kind", "query", "email", "cursor"] {
            let mut body = json!({"id": ID});
            body[field] = json!("a\0b");
            assert_eq!(faults::<Everything>(&body), [fault("value_error", field, json!("a\0b"))]);
        }
    }

    #[test]
    fn a_number_with_an_integral_value_is_an_integer() {
        let limit = |text: &str| {
            let body = format!(r#"{{"id":"{ID}","limit":{text}}}"#);
            let members = object(body.as_bytes()).unwrap();
            let faults = read::<Everything>(&members, &cursors(), ORGANIZATION).err().unwrap_or_default();
            faults.first().map(|fault| fault.wrong.code())
        };
        for text in ["1", "25", "100", "25.0", "2.5e1", "1e2", "1000e-1"] {
            assert_eq!(limit(text), None, "{text}");
        }
        for text in ["\"25\"", "2.5", "1e-1", "true", "[25]", "{}"] {
            assert_eq!(limit(text), Some("int_type"), "{text}");
        }
        for text in ["0", "-0", "-0.0", "-1", "-9223372036854775809", "-1e300"] {
            assert_eq!(limit(text), Some("greater_than_equal"), "{text}");
        }
        for text in ["101", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e300"] {
            assert_eq!(limit(text), Some("less_than_equal"), "{text}");
        }
    }

    #[test]
    fn a_cursor_is_good_for_the_same_filters_only() {
        let id: Uuid = ID.parse().unwrap();
        let list = cursors().list(ORGANIZATION, "/test", "newest").filter(Some(id));
        let cursor = list.seal(&ByTime { at: Time::MIN, id });
        assert_eq!(faults::<Everything>(&json!({"id": ID, "cursor": cursor})), []);
        assert_eq!(faults::<Everything>(&json!({"id": ID, "cursor": cursor, "limit": 7})), []);
        let other = json!({"id": Uuid::from_u128(2), "cursor": cursor});
        assert_eq!(faults::<Everything>(&other), [fault("value_error", "cursor", json!(cursor))]);
    }

    #[test]
    fn without_its_filters_only_the_form_of_a_cursor_is_checked() {
        let cursor = cursors().list(ORGANIZATION, "/other", "newest").seal(&ByTime { at: Time::MIN, id: Uuid::nil() });
        let of = |cursor: &str| faults::<Everything>(&json!({"id": 5, "cursor": cursor}));
        assert_eq!(of(&cursor), [fault("uuid_type", "id", json!(5))]);
        assert_eq!(of("x"), [fault("uuid_type", "id", json!(5)), fault("value_error", "cursor", json!("x"))]);
    }

    #[test]
    fn a_fault_in_a_field_that_the_input_does_without_is_a_fault() {
        struct Careless;
        impl Input for Careless {
            fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
                let _ = fields.required("id", uuid);
                Ok(Self)
            }
        }
        assert_eq!(faults::<Careless>(&json!({"id": 5})), [fault("uuid_type", "id", json!(5))]);
    }

    #[test]
    fn a_key_in_the_wrong_place_is_not_shown() {
        let key = "hbk_0123456789012345678901234567890123456789012";
        assert_eq!(faults::<Everything>(&json!({"id": key})), [fault("uuid_parsing", "id", json!("***"))]);
        assert_eq!(faults::<Everything>(&json!({"id": [key, 1]})), [fault("uuid_type", "id", json!(["***", 1]))]);
    }
}
