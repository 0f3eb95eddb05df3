//! The changes of a list, which a mirror follows, and the records that it shows.

use crate::answer::Deleted;
use crate::fault::Wrong;
use crate::fields::{
    Fields, HasSchema, Noted, any_of, boolean, given, is_one_of, one_of, timestamp,
};
use crate::page::List;
use hearback_domain::{ClosedSet, Time, Uuid};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The changes that a list is limited to, if it is. Their order is that of `updated_at`.
#[derive(Clone, Copy)]
pub(super) struct Changes {
    pub(super) updated_after: Option<Time>,
    pub(super) include_deleted: bool,
}

/// `updated_after` and `include_deleted`.
pub(super) fn changes(fields: &mut Fields<'_>) -> Result<Changes, Noted> {
    let updated_after = fields.optional("updated_after", timestamp);
    let is_of_all = matches!(updated_after, Ok(None));
    let include_deleted = fields.optional("include_deleted", |value| match boolean(value)? {
        true if is_of_all => Err(Wrong::Rule("only a list with updated_after has them")),
        flag => Ok(flag),
    });
    fields.rule(|| {
        let flags = [Value::Null, Value::Bool(false)];
        any_of([is_one_of("include_deleted", flags).build(), given("updated_after")])
    });
    let include_deleted = include_deleted.map(Option::unwrap_or_default);
    Ok(Changes { updated_after: updated_after?, include_deleted: include_deleted? })
}

/// `updated_after`, `include_deleted` and `sort`. A list of changes has the order `walk`.
pub(super) fn sorted_changes<S>(fields: &mut Fields<'_>, walk: S) -> Result<(Changes, S), Noted>
where
    S: ClosedSet + Default + HasSchema,
{
    let changes = changes(fields);
    let rule = "a list with updated_after has its own order";
    let sort = fields.excluding("sort", &["updated_after"], rule, one_of);
    fields.at_most_one_of(&["updated_after", "sort"]);
    let (changes, sort): (_, Option<S>) = (changes?, sort?);
    let sort = if changes.updated_after.is_some() { walk } else { sort.unwrap_or_default() };
    Ok((changes, sort))
}

impl Changes {
    /// The list of the changes, without its further filters. A list of all records has the order
    /// `sort`.
    pub(super) fn list(self, fields: &Fields<'_>, sort: &'static str) -> List {
        match self.updated_after {
            None => fields.list(sort),
            Some(time) => fields
                .list("changes")
                .filter(Some(time.unix_millis().to_be_bytes()))
                .filter(Some([u8::from(self.include_deleted)])),
        }
    }
}

/// A record of a list that may include deleted ones. Of these, it shows nothing else.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Listed<V> {
    Active(V),
    Deleted(Deleted),
}

impl<V> Listed<V> {
    /// A record that was last changed at a time.
    pub(super) fn of<R>(record: R, is_active: bool, id: impl Into<Uuid>, changed_at: Time) -> Self
    where
        R: Into<V>,
    {
        match is_active {
            true => Self::Active(record.into()),
            false => Self::Deleted(Deleted::new(id, changed_at)),
        }
    }
}

impl<V: ToSchema> PartialSchema for Listed<V> {
    fn schema() -> RefOr<Schema> {
        let of = |name: Cow<'static, str>| Ref::from_schema_name(name);
        let either = OneOfBuilder::new().item(of(V::name())).item(of(Deleted::name()));
        let description = "A record of a list, which may include deleted ones.";
        Schema::OneOf(either.description(Some(description)).build()).into()
    }
}

impl<V: ToSchema> ToSchema for Listed<V> {
    fn name() -> Cow<'static, str> {
        format!("Listed{}", V::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((V::name().into_owned(), V::schema()));
        V::schemas(schemas);
        schemas.push((Deleted::name().into_owned(), Deleted::schema()));
        Deleted::schemas(schemas);
    }
}
