//! The schemas of fields. Each bound is the one that the field's reader enforces.

use super::Fields;
use super::readers::{
    CODE_PATTERN, COLOR_PATTERN, Few, KEY_PATTERN, MAX_COLOR, Overlap, PATH_PATTERN, Rank,
    SLUG_PATTERN, SPEND_PATTERN,
};
use crate::page::{Cursor, Cursors};
use hearback_domain::access::{Access, Domain, Guests, MAX_DOMAIN, Moderating};
use hearback_domain::attributes::{
    Attributes, AttributesPatch, MAX_ATTRIBUTE_TEXT, MOST_ATTRIBUTES,
};
use hearback_domain::changelog_entry::{EntrySort, EntryStatus, EntryType};
use hearback_domain::color::Color;
use hearback_domain::comment::Visibility;
use hearback_domain::company::CompanySort;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::{EventType, Moderated};
use hearback_domain::feedback_post::{Moderation, PostSort};
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{ArticleSort, ArticleStatus};
use hearback_domain::help_redirect::{MAX_PATH, Path};
use hearback_domain::id::OrganizationId;
use hearback_domain::one_person::Traces;
use hearback_domain::person::{Email, MAX_EMAIL};
use hearback_domain::slug::{Code, MAX_CODE, MAX_SLUG, Slug};
use hearback_domain::spend::Spend;
use hearback_domain::status::StatusGroup;
use hearback_domain::subscription::Level;
use hearback_domain::text::{Query, Text};
use hearback_domain::user::UserSort;
use hearback_domain::vote::PostType;
use hearback_domain::web_url::{MAX_URL, WebUrl};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::Limit;
use serde_json::Value;
use utoipa::openapi::schema::{AllOfBuilder, AnyOfBuilder, OneOfBuilder};
use utoipa::openapi::schema::{ArrayItems, SchemaType};
use utoipa::openapi::{
    ArrayBuilder, KnownFormat, Object, ObjectBuilder, RefOr, Schema, SchemaFormat, Type,
};

/// A type of field values.
pub(crate) trait HasSchema {
    /// The schema of the type.
    fn schema() -> Schema;
}

/// A field of an endpoint.
#[derive(Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) schema: Schema,
    pub(crate) is_required: bool,
}

/// The body of a request, without the key.
#[derive(Default)]
pub(crate) struct Described {
    pub(crate) fields: Vec<Field>,
    /// The rules over several fields.
    pub(crate) rules: Vec<Schema>,
}

impl Described {
    /// The schema of an object with these fields, and with those of `object`.
    pub(crate) fn object(&self, mut object: ObjectBuilder) -> Schema {
        for field in &self.fields {
            object = object.property(field.name, field.schema.clone());
            if field.is_required {
                object = object.required(field.name);
            }
        }
        if self.rules.is_empty() {
            return object.build().into();
        }
        let all = AllOfBuilder::new().item(object);
        Schema::AllOf(self.rules.iter().cloned().fold(all, AllOfBuilder::item).build())
    }
}

/// Describes the fields that `parse` reads. The body is empty. `parse` still reads each field,
/// since it returns no error before it has read all of them.
pub(crate) fn describe(parse: impl FnOnce(&mut Fields<'_>)) -> Described {
    let members = Default::default();
    // The body is empty: no cursor is opened, so the key does not matter.
    let cursors = Cursors::new(&[0; 32]);
    let mut fields = Fields {
        members: &members,
        cursors: &cursors,
        organization: OrganizationId(Uuid::nil()),
        path: "",
        now: &|| Time::MAX,
        faults: Vec::new(),
        clearable: Vec::new(),
        described: Some(Described::default()),
    };
    parse(&mut fields);
    fields.described.unwrap_or_default()
}

/// Exactly one of these text fields has a value.
pub(super) fn exactly_one_of(fields: &[&'static str]) -> Schema {
    let one = fields.iter().fold(OneOfBuilder::new(), |one, field| one.item(given(field)));
    Schema::OneOf(one.build())
}

/// At most one of the fields has a value.
pub(super) fn at_most_one_of(fields: &[&'static str]) -> Schema {
    let alone = |one: &&'static str| {
        let others = fields.iter().filter(|field| *field != one);
        others
            .fold(ObjectBuilder::new(), |none, other| {
                none.property(*other, any_of_values([Value::Null]))
            })
            .build()
    };
    any_of(fields.iter().map(alone))
}

/// At least one of `parts` matches.
pub(crate) fn any_of(parts: impl IntoIterator<Item = Object>) -> Schema {
    let any = parts.into_iter().fold(AnyOfBuilder::new(), AnyOfBuilder::item);
    Schema::AnyOf(any.build())
}

/// A text field has a value.
pub(crate) fn given(field: &'static str) -> Object {
    ObjectBuilder::new().property(field, string()).required(field).build()
}

/// A field has one of these values, or is left out.
pub(crate) fn is_one_of(
    field: &'static str,
    values: impl IntoIterator<Item = Value>,
) -> ObjectBuilder {
    ObjectBuilder::new().property(field, any_of_values(values))
}

fn any_of_values(values: impl IntoIterator<Item = Value>) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::AnyValue).enum_values(Some(values))
}

/// The schema, extended by `null`.
pub(super) fn or_null(mut schema: Schema) -> Schema {
    let with_null = |kind: &mut SchemaType| {
        if let SchemaType::Type(one) = kind {
            *kind = SchemaType::Array(vec![one.clone(), Type::Null]);
        }
    };
    match &mut schema {
        Schema::Object(object) => {
            with_null(&mut object.schema_type);
            if let Some(values) = &mut object.enum_values {
                values.push(Value::Null);
            }
        }
        Schema::Array(array) => with_null(&mut array.schema_type),
        _ => {}
    }
    schema
}

/// A list of `least` to `most` elements with a schema.
pub(super) fn list(schema: Schema, least: usize, most: Option<usize>) -> Schema {
    ArrayBuilder::new()
        .min_items((least > 0).then_some(least))
        .items(ArrayItems::RefOrSchema(Box::new(RefOr::T(schema))))
        .max_items(most)
        .build()
        .into()
}

/// An object whose members have values of these types.
fn attributes(types: Vec<Type>) -> Schema {
    let value = ObjectBuilder::new()
        .schema_type(SchemaType::Array(types))
        .max_length(Some(MAX_ATTRIBUTE_TEXT))
        .build();
    ObjectBuilder::new()
        .max_properties(Some(MOST_ATTRIBUTES))
        .property_names(Some(string().pattern(Some(KEY_PATTERN)).build()))
        .additional_properties(Some(Schema::from(value)))
        .build()
        .into()
}

/// A list of these names.
pub(super) fn names(names: &[&'static str]) -> Schema {
    let name = string().enum_values(Some(names.iter().copied())).build();
    ArrayBuilder::new()
        .items(ArrayItems::RefOrSchema(Box::new(RefOr::T(name.into()))))
        .build()
        .into()
}

/// The number of records to leave out.
pub(super) fn skip() -> Schema {
    integer().minimum(Some(0)).default(Some(0.into())).build().into()
}

/// The schema of a text, to which the caller adds bounds.
pub(crate) fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn integer() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer)
}

impl HasSchema for String {
    fn schema() -> Schema {
        string().build().into()
    }
}

impl<const MIN: usize, const MAX: usize> HasSchema for Text<MIN, MAX> {
    fn schema() -> Schema {
        string().min_length((MIN > 0).then_some(MIN)).max_length(Some(MAX)).build().into()
    }
}

/// The schema of a search query.
impl HasSchema for Folded {
    fn schema() -> Schema {
        Query::schema()
    }
}

/// The format of responses. The reader takes other notations too; clients should not send them. The
/// lengths are there because tools treat a format as an annotation.
impl HasSchema for Uuid {
    fn schema() -> Schema {
        let length = Some(Self::nil().to_string().len());
        let format = SchemaFormat::KnownFormat(KnownFormat::Uuid);
        string().format(Some(format)).min_length(length).max_length(length).build().into()
    }
}

impl HasSchema for bool {
    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(Type::Boolean).build().into()
    }
}

/// A date with an optional time of day.
impl HasSchema for Time {
    fn schema() -> Schema {
        let format = SchemaFormat::KnownFormat(KnownFormat::DateTime);
        string().format(Some(format)).min_length(Some("2026-03-01".len())).build().into()
    }
}

impl HasSchema for Code {
    fn schema() -> Schema {
        string()
            .min_length(Some(1))
            .max_length(Some(MAX_CODE))
            .pattern(Some(CODE_PATTERN))
            .build()
            .into()
    }
}

impl HasSchema for Slug {
    fn schema() -> Schema {
        string()
            .min_length(Some(1))
            .max_length(Some(MAX_SLUG))
            .pattern(Some(SLUG_PATTERN))
            .build()
            .into()
    }
}

/// As browsers send it. The reader encodes other characters.
impl HasSchema for Path {
    fn schema() -> Schema {
        string()
            .min_length(Some(1))
            .max_length(Some(MAX_PATH))
            .pattern(Some(PATH_PATTERN))
            .build()
            .into()
    }
}

impl HasSchema for Color {
    fn schema() -> Schema {
        string().max_length(Some(MAX_COLOR)).pattern(Some(COLOR_PATTERN)).build().into()
    }
}

impl HasSchema for Domain {
    fn schema() -> Schema {
        let format = SchemaFormat::Custom("hostname".to_owned());
        string()
            .format(Some(format))
            .min_length(Some(1))
            .max_length(Some(MAX_DOMAIN))
            .build()
            .into()
    }
}

impl HasSchema for Rank {
    fn schema() -> Schema {
        integer().minimum(Some(1)).maximum(Some(Self::MAX)).build().into()
    }
}

impl HasSchema for Overlap {
    fn schema() -> Schema {
        integer().minimum(Some(0)).maximum(Some(Self::MAX)).build().into()
    }
}

impl HasSchema for Few {
    fn schema() -> Schema {
        let default = Value::from(Self::DEFAULT.get());
        integer().minimum(Some(1)).maximum(Some(Self::MAX)).default(Some(default)).build().into()
    }
}

impl HasSchema for Attributes {
    fn schema() -> Schema {
        attributes(vec![Type::String, Type::Number, Type::Boolean])
    }
}

impl HasSchema for AttributesPatch {
    fn schema() -> Schema {
        attributes(vec![Type::String, Type::Number, Type::Boolean, Type::Null])
    }
}

impl HasSchema for Spend {
    fn schema() -> Schema {
        string().pattern(Some(SPEND_PATTERN)).build().into()
    }
}

impl HasSchema for Email {
    fn schema() -> Schema {
        let format = SchemaFormat::Custom("email".to_owned());
        string().format(Some(format)).min_length(Some(3)).max_length(Some(MAX_EMAIL)).build().into()
    }
}

impl HasSchema for WebUrl {
    fn schema() -> Schema {
        string()
            .format(Some(SchemaFormat::Custom("uri".to_owned())))
            .max_length(Some(MAX_URL))
            .build()
            .into()
    }
}

impl HasSchema for Limit {
    fn schema() -> Schema {
        let default = Value::from(Self::DEFAULT.get());
        integer()
            .minimum(Some(Self::MIN))
            .maximum(Some(Self::MAX))
            .default(Some(default))
            .build()
            .into()
    }
}

impl HasSchema for Cursor {
    fn schema() -> Schema {
        string()
            .min_length(Some(Self::MIN_LENGTH))
            .description(Some("the `cursor` of the page before"))
            .build()
            .into()
    }
}

/// The schema of a closed set.
pub(crate) fn one_of<T: ClosedSet>() -> Schema {
    string().enum_values(Some(T::ALL.iter().map(|value| value.code()))).build().into()
}

macro_rules! closed_sets {
    ($($set:ty),*) => {
        $(impl HasSchema for $set {
            fn schema() -> Schema {
                one_of::<Self>()
            }
        })*
    };
}

closed_sets!(
    PostType,
    Moderated,
    EntryType,
    EntryStatus,
    EntrySort,
    ArticleStatus,
    ArticleSort,
    PostSort,
    Moderation,
    Visibility,
    Access,
    Moderating,
    Traces,
    Guests,
    StatusGroup,
    Level,
    DeliveryState,
    EventType,
    UserSort,
    CompanySort
);
