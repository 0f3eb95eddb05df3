//! Files of people: CSV as other tools write it, and the body of `/users/upsert` of each line.

use hearback_app::people_import::MOST_PEOPLE;
use hearback_domain::attributes::is_key;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The people of a file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct PeopleFile {
    pub(crate) people: Vec<Line>,
    /// The heads of the columns that are left out: they say nothing of a person, or a column before
    /// says it already.
    pub(crate) left_out: Vec<String>,
}

/// A person of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// The number of the line, from 1. The heads are line 1.
    pub(crate) number: u64,
    /// The body of `/users/upsert`.
    pub(crate) body: Value,
    /// The number of an earlier line about the same person.
    pub(crate) same_as: Option<u64>,
}

/// Why a file is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It has no people.
    Empty,
    /// No column has addresses or identifiers.
    NoHandle,
    /// It has more than [`MOST_PEOPLE`] people.
    TooLong,
    /// A line has another number of values than the heads.
    Ragged(u64),
}

/// The content of a column.
#[derive(Clone, PartialEq, Eq)]
enum Column {
    /// A field of the user.
    Field(&'static str),
    /// A field of the user's company.
    Company(&'static str),
    /// The first name.
    FirstName,
    /// The last name.
    LastName,
    /// Whether the user asked for mails.
    Subscribed,
    /// An attribute.
    Attribute(String),
    /// Nothing that a user has.
    Other,
}

/// The heads of columns in lower case, with `_` for all that is neither a letter nor a digit.
const HEADS: [(&[&str], Column); 13] = [
    (&["email", "e_mail", "email_address", "mail"], Column::Field("email")),
    (&["external_id", "user_id", "userid", "id", "customer_id"], Column::Field("external_id")),
    (&["name", "full_name", "display_name", "user_name"], Column::Field("name")),
    (&["first_name", "firstname", "given_name"], Column::FirstName),
    (&["last_name", "lastname", "surname", "family_name"], Column::LastName),
    (&["avatar_url", "avatar", "picture", "photo_url"], Column::Field("avatar_url")),
    (&["company", "company_name", "organization", "account"], Column::Field("company_name")),
    (&["company_id", "company_external_id", "account_id"], Column::Company("external_id")),
    (&["monthly_spend", "company_monthly_spend", "mrr", "spend"], Column::Company("monthly_spend")),
    (&["customer_status", "status", "plan"], Column::Field("customer_status")),
    (&["locale", "language"], Column::Field("locale")),
    (&["is_subscribed", "subscribed", "email_opt_in"], Column::Subscribed),
    (&["created_at", "created", "signed_up_at"], Column::Field("created_at")),
];

/// The beginnings of the heads of attributes.
const OF_ATTRIBUTES: [&str; 3] = ["attributes.", "attribute.", "custom."];

impl Column {
    fn of(head: &str) -> Self {
        let head = head.trim();
        let lower = head.to_lowercase();
        let key = OF_ATTRIBUTES.into_iter().find_map(|start| {
            lower.starts_with(start).then(|| head[start.len()..].trim().to_owned())
        });
        if let Some(key) = key.filter(|key| is_key(key)) {
            return Self::Attribute(key);
        }
        let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
        let lower: String = lower.chars().map(plain).collect();
        let found = HEADS.iter().find(|(heads, _)| heads.contains(&lower.as_str()));
        found.map_or(Self::Other, |(_, column)| column.clone())
    }
}

/// A text whose lines end as those of Unix.
pub(crate) fn unix(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Reads a file, whose lines end as those of [`unix`]. The first line has the heads, which decide
/// what each column is. An empty cell says nothing.
pub(crate) fn read(text: &str) -> Result<PeopleFile, Unread> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(text))
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let heads = reader.headers().map_err(|_| Unread::Empty)?.clone();
    let mut file = PeopleFile::default();
    let mut columns: Vec<Column> = Vec::new();
    for head in &heads {
        let mut column = Column::of(head);
        if column == Column::Other || columns.contains(&column) {
            column = Column::Other;
            file.left_out.extend(Some(head.to_owned()).filter(|head| !head.is_empty()));
        }
        columns.push(column);
    }
    let handles = ["email", "external_id"].map(Column::Field);
    if !columns.iter().any(|column| handles.contains(column)) {
        return Err(Unread::NoHandle);
    }
    let mut earlier: HashMap<(&str, String), u64> = HashMap::new();
    for record in reader.records() {
        // The text is UTF-8, and lines may have any length: nothing else can be wrong.
        let Ok(record) = record else { continue };
        let number = record.position().map_or(0, |start| line_of(text, start));
        if record.iter().all(str::is_empty) {
            continue;
        }
        if record.len() != columns.len() {
            return Err(Unread::Ragged(number));
        }
        if file.people.len() == MOST_PEOPLE {
            return Err(Unread::TooLong);
        }
        let body = body(&columns, &record);
        let value = |name: &str| body[name].as_str().map(str::to_owned);
        // The case of an address tells no people apart.
        let email = value("email").map(|email| ("email", email.to_ascii_lowercase()));
        let external_id = value("external_id").map(|id| ("external_id", id));
        let handles = Vec::from_iter(email.into_iter().chain(external_id));
        let same_as = handles.iter().find_map(|handle| earlier.get(handle).copied());
        if same_as.is_none() {
            earlier.extend(handles.into_iter().map(|handle| (handle, number)));
        }
        file.people.push(Line { number, body, same_as });
    }
    match file.people.is_empty() {
        true => Err(Unread::Empty),
        false => Ok(file),
    }
}

/// The number of the line of a record. The reader has its start before the blank lines that it skips.
fn line_of(text: &str, start: &csv::Position) -> u64 {
    let from = usize::try_from(start.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    start.line() + rest.iter().take_while(|byte| **byte == b'\n').count() as u64
}

/// The most frequent of the usual delimiters in the first line.
fn delimiter(text: &str) -> u8 {
    let heads = text.lines().next().unwrap_or_default();
    let count = |of: &u8| heads.bytes().filter(|byte| byte == of).count();
    *b",;\t".iter().rev().max_by_key(|of| count(of)).unwrap_or(&b',')
}

/// The body of `/users/upsert` with the values of a line.
fn body(columns: &[Column], record: &csv::StringRecord) -> Value {
    let (mut body, mut company, mut attributes) = (Map::new(), Map::new(), Map::new());
    let (mut first_name, mut last_name) = ("", "");
    for (column, cell) in columns.iter().zip(record).filter(|(_, cell)| !cell.is_empty()) {
        match column {
            Column::Field(field) => drop(body.insert((*field).to_owned(), json!(cell))),
            Column::Company(field) => drop(company.insert((*field).to_owned(), json!(cell))),
            Column::FirstName => first_name = cell,
            Column::LastName => last_name = cell,
            Column::Subscribed => {
                // Any other text is a fault of the field.
                let value = match cell.to_lowercase().as_str() {
                    "true" | "yes" | "1" => json!(true),
                    "false" | "no" | "0" => json!(false),
                    other => json!(other),
                };
                body.insert("is_subscribed".to_owned(), value);
            }
            Column::Attribute(key) => drop(attributes.insert(key.clone(), json!(cell))),
            Column::Other => {}
        }
    }
    let name = format!("{first_name} {last_name}");
    if !name.trim().is_empty() && !body.contains_key("name") {
        body.insert("name".to_owned(), json!(name.trim()));
    }
    if !company.is_empty() {
        // The company is a record, which has the name.
        if let Some(name) = body.remove("company_name") {
            company.insert("name".to_owned(), name);
        }
        body.insert("company".to_owned(), company.into());
    }
    if !attributes.is_empty() {
        body.insert("attributes".to_owned(), attributes.into());
    }
    body.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(text: &str) -> Vec<(u64, Value)> {
        let file = read(&unix(text)).unwrap();
        file.people.into_iter().map(|line| (line.number, line.body)).collect()
    }

    #[test]
    fn each_line_is_a_person_and_an_empty_cell_says_nothing() {
        let text = "\u{feff}E-Mail,Full Name,Attributes.Seats\r\n\
            ada@example.com,\"Lovelace, Ada\",12\r\n\r\n,,\r\ngrace@example.com,,\r\n";
        assert_eq!(
            bodies(text),
            [
                (
                    2,
                    json!({
                        "email": "ada@example.com",
                        "name": "Lovelace, Ada",
                        "attributes": {"Seats": "12"},
                    })
                ),
                (5, json!({"email": "grace@example.com"})),
            ]
        );
    }

    #[test]
    fn a_company_is_a_record_if_it_has_an_identifier_or_a_spend() {
        let text = "id;first name;last name;company;company_id;mrr;subscribed\n\
            7;Ada;Lovelace;Acme;c-1;12.50;Yes\n8;Grace;;Globex;;;maybe\n9;;;Initech;;5;0\n";
        assert_eq!(
            bodies(text),
            [
                (
                    2,
                    json!({
                        "external_id": "7",
                        "name": "Ada Lovelace",
                        "company": {
                            "external_id": "c-1",
                            "monthly_spend": "12.50",
                            "name": "Acme",
                        },
                        "is_subscribed": true,
                    })
                ),
                (
                    3,
                    json!({
                        "external_id": "8",
                        "name": "Grace",
                        "company_name": "Globex",
                        "is_subscribed": "maybe",
                    })
                ),
                // The API refuses a company without an identifier.
                (
                    4,
                    json!({
                        "external_id": "9",
                        "company": {"monthly_spend": "5", "name": "Initech"},
                        "is_subscribed": false,
                    })
                ),
            ]
        );
    }

    #[test]
    fn a_person_who_is_in_the_file_twice_is_noticed() {
        let text =
            "email\tid\na@example.com\t1\nA@Example.com\t2\nb@example.com\t1\nc@x.example\t3";
        let same: Vec<_> = read(text).unwrap().people.iter().map(|line| line.same_as).collect();
        assert_eq!(same, [None, Some(2), Some(2), None]);
    }

    #[test]
    fn a_file_that_cannot_be_read_says_why() {
        for (text, why) in [
            ("", Unread::NoHandle),
            ("name\nAda\n", Unread::NoHandle),
            ("email\n", Unread::Empty),
            ("email,name\na@example.com\n", Unread::Ragged(2)),
        ] {
            assert_eq!(read(text), Err(why), "{text:?}");
        }
        let many = |people: usize| format!("email\n{}", "a@example.com\n".repeat(people));
        assert_eq!(read(&many(MOST_PEOPLE + 1)), Err(Unread::TooLong));
        assert_eq!(read(&many(MOST_PEOPLE)).unwrap().people.len(), MOST_PEOPLE);
    }

    #[test]
    fn columns_that_say_nothing_of_a_user_are_named() {
        let file = read("email,Shoe size,,attributes.not a key!\na@example.com,42,x,y").unwrap();
        assert_eq!(file.left_out, ["Shoe size", "attributes.not a key!"]);
        assert_eq!(file.people[0].body, json!({"email": "a@example.com"}));
        // The first of two columns for the same value counts, and names have their order.
        let file = read("id,User ID,last name,first name\n1,2,Lovelace,Ada").unwrap();
        assert_eq!(file.left_out, ["User ID"]);
        assert_eq!(file.people[0].body, json!({"external_id": "1", "name": "Ada Lovelace"}));
    }

    #[test]
    fn lines_end_as_in_any_system() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["email", "a@example.com", "", "b@example.com", ""].join(end);
            let numbers: Vec<_> = bodies(&text).into_iter().map(|(number, _)| number).collect();
            assert_eq!(numbers, [2, 4], "{end:?}");
        }
    }
}
