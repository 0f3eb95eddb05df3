//! The OpenAPI schemas of responses. `answer` writes the responses.

use crate::fields::string_schema as string;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayItems, OneOfBuilder, SchemaType};
use utoipa::openapi::{
    Array, ArrayBuilder, KnownFormat, Object, ObjectBuilder, Ref, RefOr, Schema, SchemaFormat, Type,
};

/// The schema of a response, with its parts.
pub(crate) struct Shape {
    /// The schema of the body.
    pub(crate) schema: RefOr<Schema>,
    /// The schemas that `schema` refers to, by name.
    pub(crate) parts: Vec<(String, RefOr<Schema>)>,
}

/// One record, shown as `V`.
pub(crate) fn object<V: ToSchema>() -> Shape {
    let mut parts = vec![(V::name().into_owned(), V::schema())];
    V::schemas(&mut parts);
    Shape { schema: Ref::from_schema_name(V::name()).into(), parts }
}

/// All records, shown as `V`.
pub(crate) fn array<V: ToSchema>() -> Shape {
    let Shape { schema, parts } = object::<V>();
    Shape { schema: array_of(schema).into(), parts }
}

/// A page of records, shown as `V`.
pub(crate) fn page<V: ToSchema>() -> Shape {
    let Shape { schema, parts } = object::<V>();
    let cursor =
        ObjectBuilder::new().schema_type(SchemaType::Array(vec![Type::String, Type::Null]));
    let page = ObjectBuilder::new()
        .property("items", array_of(schema))
        .property("has_next_page", ObjectBuilder::new().schema_type(Type::Boolean))
        .property("cursor", cursor.description(Some("the next page's; null behind the last one")));
    Shape { schema: all_required(page.build()).into(), parts }
}

/// Whether the post has the voter's vote after the toggle.
pub(crate) fn voted() -> Shape {
    member("Voted", "voted", ObjectBuilder::new().schema_type(Type::Boolean))
}

/// A write was done.
pub(crate) fn success() -> Shape {
    let success = ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([true]));
    member("Success", "success", success)
}

/// A change of many records was done: the number of changed ones.
pub(crate) fn updated() -> Shape {
    let object = success_object().property("updated", count());
    named("Updated", all_required(object.build()).into())
}

/// Deliveries were replayed: their number.
pub(crate) fn replayed() -> Shape {
    member("Replayed", "replayed", count())
}

/// Posts and comments were moderated: the number of changed ones.
pub(crate) fn decided() -> Shape {
    let object = success_object().property("changed", count());
    named("Decided", all_required(object.build()).into())
}

/// Whether the post has the voter's vote, and whether that is new.
pub(crate) fn set() -> Shape {
    let flag = || ObjectBuilder::new().schema_type(Type::Boolean);
    let object = ObjectBuilder::new().property("voted", flag()).property("changed", flag());
    named("SetVote", all_required(object.build()).into())
}

/// The numbers of votes that changed and that were as wanted.
pub(crate) fn set_many() -> Shape {
    let object = ObjectBuilder::new().property("changed", count()).property("unchanged", count());
    named("SetVotes", all_required(object.build()).into())
}

/// A write was done, or its effects if it was only tried.
pub(crate) fn tried() -> Shape {
    let effects = ObjectBuilder::new().additional_properties(Some(Schema::from(count().build())));
    let dry_run = ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([true]));
    let tried = ObjectBuilder::new().property("dry_run", dry_run).property("effects", effects);
    let one_of = OneOfBuilder::new()
        .item(all_required(success_object().build()))
        .item(all_required(tried.build()));
    named("Tried", Schema::OneOf(one_of.build()).into())
}

fn success_object() -> ObjectBuilder {
    let success = ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([true]));
    ObjectBuilder::new().property("success", success)
}

fn count() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0))
}

/// The identifier of the new record.
pub(crate) fn created() -> Shape {
    member("Created", "id", uuid())
}

/// A record was made or changed: its identifier, and whether it was made.
pub(crate) fn upserted() -> Shape {
    let created = ObjectBuilder::new().schema_type(Type::Boolean);
    let object = ObjectBuilder::new().property("id", uuid()).property("created", created);
    named("Upserted", all_required(object.build()).into())
}

/// A user was made or changed.
pub(crate) fn upserted_user() -> Shape {
    let created = ObjectBuilder::new().schema_type(Type::Boolean);
    let object = ObjectBuilder::new().property("id", uuid()).property("user_id", uuid());
    let object = object.property("created", created);
    named("UpsertedUser", all_required(object.build()).into())
}

fn member(name: &str, member: &str, schema: ObjectBuilder) -> Shape {
    named(name, all_required(ObjectBuilder::new().property(member, schema).build()).into())
}

fn named(name: &str, schema: RefOr<Schema>) -> Shape {
    Shape { schema: Ref::from_schema_name(name).into(), parts: vec![(name.to_owned(), schema)] }
}

/// A list of elements of this schema.
pub(crate) fn array_of(schema: RefOr<Schema>) -> Array {
    ArrayBuilder::new().items(ArrayItems::RefOrSchema(Box::new(schema))).build()
}

/// An identifier.
pub(crate) fn uuid() -> ObjectBuilder {
    string().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
}

/// Makes all members required. A response has all members; a member without value is null.
pub(crate) fn all_required(mut object: Object) -> Object {
    object.required = object.properties.keys().cloned().collect();
    object
}

/// Makes all members required of a schema that may be composed of several.
pub(crate) fn with_all_required(schema: RefOr<Schema>) -> RefOr<Schema> {
    match schema {
        RefOr::T(Schema::Object(object)) => all_required(object).into(),
        RefOr::T(Schema::AllOf(mut all)) => {
            all.items = all.items.into_iter().map(with_all_required).collect();
            RefOr::T(Schema::AllOf(all))
        }
        other => other,
    }
}
