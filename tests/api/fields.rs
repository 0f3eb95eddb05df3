//! The faults of wrong values, for each field of each endpoint.

use crate::support::{Draft, ENDPOINTS, Field, Store, id};
use rstest::rstest;
use serde_json::{Value, json};

/// The type and the message of the fault if a value has a type that the field does not accept.
fn of_no_type(field: &Field) -> (&'static str, String) {
    let (kind, message) = match field.schema["format"].as_str() {
        _ if field.schema["enum"].is_array() => return ("literal_error", one_of(field)),
        Some("uuid") => ("uuid_type", "UUID input should be a string"),
        Some("date-time") => ("datetime_type", "Input should be a valid datetime"),
        _ if field.is_a("boolean") => ("bool_type", "Input should be a valid boolean"),
        _ if field.is_a("integer") => ("int_type", "Input should be a valid integer"),
        _ if field.is_a("array") => ("list_type", "Input should be a valid list"),
        _ if field.is_a("object") => ("dict_type", "Input should be a valid dictionary"),
        _ => ("string_type", "Input should be a valid string"),
    };
    (kind, message.to_owned())
}

/// `'a', 'b' or 'c'`
fn one_of(field: &Field) -> String {
    alternatives(&field.schema["enum"])
}

fn alternatives(codes: &Value) -> String {
    let codes = codes.as_array().expect("codes").iter().filter_map(Value::as_str);
    let codes: Vec<String> = codes.map(|code| format!("'{code}'")).collect();
    match codes.split_last().expect("a code") {
        (only, []) => format!("Input should be {only}"),
        (last, others) => format!("Input should be {} or {last}", others.join(", ")),
    }
}

/// Values of every type that a field does not accept.
fn of_other_types(field: &Field) -> Vec<Value> {
    let samples = [
        ("null", Value::Null),
        ("integer", json!(5)),
        ("number", json!(2.5)),
        ("string", json!("0")),
        ("boolean", json!(true)),
        ("array", json!([5])),
        ("object", json!({"a": [1, null]})),
    ];
    samples.into_iter().filter(|(kind, _)| !field.is_a(kind)).map(|(_, value)| value).collect()
}

/// Values of the right type that a field does not accept, with the type and the message of the
/// fault.
fn out_of_bounds(field: &Field) -> Vec<(Value, &'static str, String)> {
    let schema = field.schema;
    if field.is_a("integer") {
        let below = schema["minimum"].as_i64().map(|least| {
            let message = format!("Input should be greater than or equal to {least}");
            (json!(least - 1), "greater_than_equal", message)
        });
        let above = schema["maximum"].as_i64().map(|most| {
            let message = format!("Input should be less than or equal to {most}");
            (json!(most + 1), "less_than_equal", message)
        });
        return below.into_iter().chain(above).collect();
    }
    if !field.is_a("string") {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    let mut add = |values: &[&str], kind, message: &str| {
        wrong.extend(values.iter().map(|value| (json!(value), kind, message.to_owned())));
    };
    add(&["a\u{0}b"], "value_error", "Value error, a text cannot contain U+0000");
    match schema["format"].as_str() {
        _ if schema["enum"].is_array() => {
            add(&["", "nothing", "Draft", "Feedback"], "literal_error", &one_of(field));
        }
        _ if field.name == "cursor" => {
            add(&["", "x", "%"], "value_error", "Value error, not a cursor of this list");
        }
        Some("uuid") => add(&IDS, "uuid_parsing", "Input should be a valid UUID"),
        Some("date-time") => {
            add(&TIMES, "datetime_parsing", "Input should be a valid datetime as in RFC 3339");
        }
        Some("uri") => add(&URLS, "value_error", "Value error, not an http or https URL"),
        _ => {
            if let Some(most) = schema["maxLength"].as_u64() {
                let message = format!("String should have at most {most} characters");
                add(&[&"é".repeat(most as usize + 1)], "string_too_long", &message);
            }
            if schema["minLength"] == 1 {
                add(&[""], "string_too_short", "String should have at least 1 character");
            }
            if let Some(pattern) = schema["pattern"].as_str() {
                let values = if pattern.starts_with("^#") { &COLORS[..] } else { &SLUGS };
                let message = format!("String should match pattern '{pattern}'");
                add(values, "string_pattern_mismatch", &message);
            }
        }
    }
    wrong
}

const IDS: [&str; 4] =
    ["", "x", "{0199aabb-ccdd-7eee-8fff-001122334455}", "0199aabbccdd-7eee-8fff-0011-22334455"];
const TIMES: [&str; 11] = [
    "",
    "tomorrow",
    "1767225600",
    "2027-13-01",
    "2027-02-29T00:00:00Z",
    "2027-01-01T24:00:00Z",
    "10000-01-01T00:00:00Z",
    "0000-12-31T00:00:00Z",
    "9999-12-31T23:59:59-01:00",
    "0001-01-01T00:00:00+01:00",
    "01/02/2027",
];
const URLS: [&str; 7] = [
    "",
    "dark.png",
    "//example.com/dark.png",
    "ftp://example.com/dark.png",
    "javascript:alert(1)",
    "data:image/png;base64,AA==",
    "https://",
];
const SLUGS: [&str; 9] = [".", "..", "a b", "a/b", "a%20b", "a?b", "a#b", "a\n", "größe"];
const COLORS: [&str; 11] = [
    "",
    "red",
    "abc",
    "#ab",
    "#abcde",
    "#abcdefa",
    "#abcdefabc",
    "#ggg",
    " #abc",
    "#abc\n",
    "#äöü",
];

fn fault(kind: &str, loc: Value, message: &str, input: &Value) -> Value {
    json!({"type": kind, "loc": loc, "msg": message, "input": input})
}

#[rstest]
#[tokio::test]
async fn all_fields_of_the_wrong_type_are_named_at_once_in_the_order_of_the_contract(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    for endpoint in ENDPOINTS.iter().filter(|endpoint| !endpoint.fields.is_empty()) {
        let wrong = json!({});
        let fields = || endpoint.fields.iter().filter(|field| !field.is_a("object"));
        let body = fields().map(|field| (field.name.to_owned(), wrong.clone()));
        let faults: Vec<Value> = fields()
            .map(|field| {
                let (kind, message) = of_no_type(field);
                fault(kind, json!(["body", field.name]), &message, &wrong)
            })
            .collect();
        let answer = acme.post(endpoint.path, body.collect()).await;
        assert_eq!(answer.text(), json!({ "detail": faults }).to_string(), "{}", endpoint.path);
        assert_eq!(answer.status, 422);
    }
}

#[rstest]
#[tokio::test]
async fn a_required_field_is_missing_and_another_may_be_null(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    for endpoint in ENDPOINTS.iter() {
        if !endpoint.missing.is_empty() {
            let faults: Vec<Value> = (endpoint.missing.iter())
                .map(|name| fault("missing", json!(["body", name]), "Field required", &Value::Null))
                .collect();
            let answer = acme.post(endpoint.path, json!({})).await;
            assert_eq!(answer.expect(422), json!({ "detail": faults }), "{}", endpoint.path);
        }
        let mut nulls = endpoint.body(|_| id());
        for field in &endpoint.fields {
            if field.is_a("null") && !field.is_required {
                nulls[field.name] = Value::Null;
            }
        }
        let answer = acme.post(endpoint.path, nulls).await;
        assert_ne!(answer.status, 422, "{} {}", endpoint.path, answer.text());
    }
}

#[rstest]
#[tokio::test]
async fn each_wrong_value_is_named_and_changes_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let before = acme.export().await;
    let mut refused = 0;
    for endpoint in ENDPOINTS.iter() {
        for field in &endpoint.fields {
            let (kind, message) = of_no_type(field);
            let types = of_other_types(field).into_iter();
            let mut wrong: Vec<_> = types
                .map(|value| {
                    (value.clone(), fault(kind, json!(["body", field.name]), &message, &value))
                })
                .collect();
            wrong.extend(out_of_bounds(field).into_iter().map(|(value, kind, message)| {
                (value.clone(), fault(kind, json!(["body", field.name]), &message, &value))
            }));
            if field.is_a("array") {
                let names = &field.schema["items"]["enum"];
                let [first, second, ..] = match field.schema["items"]["format"].as_str() {
                    Some("hostname") => [json!("example.com"), json!(5)],
                    _ if names.is_array() => [names[0].clone(), json!("x")],
                    // Objects have tests of their own, with the endpoints that take them.
                    _ if field.schema["items"]["format"].is_null() => continue,
                    _ => [json!(id()), json!("x")],
                };
                let (kind, message) = match () {
                    () if names.is_array() => ("literal_error", alternatives(names)),
                    () if second == 5 => {
                        ("string_type", "Input should be a valid string".to_owned())
                    }
                    () => ("uuid_parsing", "Input should be a valid UUID".to_owned()),
                };
                let expected = fault(kind, json!(["body", field.name, 1]), &message, &second);
                wrong.push((json!([first, second, 5]), expected));
            }
            for (value, expected) in wrong {
                let mut body = endpoint.body(|_| id());
                body[field.name] = value;
                let answer = acme.post(endpoint.path, body).await;
                let place = format!("{} {}", endpoint.path, field.name);
                assert_eq!(answer.text(), json!({"detail": [expected]}).to_string(), "{place}");
                assert_eq!(answer.status, 422, "{place}");
                refused += 1;
            }
        }
    }
    assert!(refused > 500, "{refused} values were refused");
    assert_eq!(acme.export().await, before, "no request changes a record");
}

#[rstest]
#[tokio::test]
async fn a_text_of_the_greatest_length_is_taken(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    for endpoint in ENDPOINTS.iter() {
        for field in &endpoint.fields {
            let Some(most) = field.schema["maxLength"].as_u64() else { continue };
            if field.schema["format"].is_null() && field.schema["pattern"].is_null() {
                let mut body = endpoint.body(|_| id());
                body[field.name] = json!("é".repeat(most as usize));
                let answer = acme.post(endpoint.path, body).await;
                assert_ne!(answer.status, 422, "{} {}", endpoint.path, field.name);
            }
        }
    }
}
