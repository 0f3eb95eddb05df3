//! The fields that name a person, and those of lists of people.

use crate::fault::Wrong;
use crate::fields::{
    Fields, HasSchema, Noted, any_of, bounded, email, is_one_of, one_of, timestamp, uuid,
};
use crate::page::List;
use hearback_domain::person::{Handle, Person};
use hearback_domain::{ClosedSet, Time};
use serde_json::Value;

/// The names of the fields that name a person.
struct Names {
    id: &'static str,
    external_id: &'static str,
    email: &'static str,
    name: &'static str,
    /// The rule that only one of the first three is given.
    exclusive: &'static str,
}

const AUTHOR: Names = Names {
    id: "author_id",
    external_id: "author_external_id",
    email: "author_email",
    name: "author_name",
    exclusive: "author_id, author_external_id and author_email exclude each other",
};

const VOTER: Names = Names {
    id: "voter_id",
    external_id: "voter_external_id",
    email: "voter_email",
    name: "voter_name",
    exclusive: "voter_id, voter_external_id and voter_email exclude each other",
};

/// The author: exactly one of `author_id`, `author_external_id` and `author_email`, with the
/// `author_name` of a new user.
pub(super) fn author(fields: &mut Fields<'_>) -> Result<Person, Noted> {
    person(fields, &AUTHOR)
}

/// The voter: exactly one of `voter_id`, `voter_external_id` and `voter_email`, with the
/// `voter_name` of a new user.
pub(super) fn voter(fields: &mut Fields<'_>) -> Result<Person, Noted> {
    person(fields, &VOTER)
}

fn person(fields: &mut Fields<'_>, names: &Names) -> Result<Person, Noted> {
    fields.exactly_one_of(&[names.id, names.external_id, names.email]);
    let exclusive = Wrong::Rule(names.exclusive);
    let id = fields.optional(names.id, uuid);
    let external_id = fields.optional(names.external_id, |value| match bounded(value)? {
        _ if !matches!(id, Ok(None)) => Err(exclusive.clone()),
        external_id => Ok(external_id),
    });
    let is_named = !matches!((id, &external_id), (Ok(None), Ok(None)));
    let email = fields.optional(names.email, |value| match email(value)? {
        _ if is_named => Err(exclusive.clone()),
        email => Ok(email),
    });
    let name = fields.optional(names.name, bounded);
    let handle = match (id?, external_id?, email?) {
        (Some(id), _, _) => return name.map(|_| Person::User(id.into())),
        (None, Some(id), _) => Handle::ExternalId(id),
        (None, None, Some(email)) => Handle::Email(email),
        (None, None, None) => return Err(fields.fault(names.id, Wrong::Missing)),
    };
    Ok(Person::Anyone { handle, name: name? })
}

/// The fields of a list that has several orders, and that a mirror can follow.
pub(super) struct Walk<S> {
    pub(super) created_after: Option<Time>,
    pub(super) updated_after: Option<Time>,
    pub(super) include_deleted: bool,
    pub(super) sort: S,
}

/// `created_after`, `updated_after`, `include_deleted` and `sort`. `changes` is the order of a walk
/// through changes.
pub(super) fn walk<S>(fields: &mut Fields<'_>, changes: S) -> Result<Walk<S>, Noted>
where
    S: ClosedSet + Default + HasSchema,
{
    let created_after = fields.optional("created_after", timestamp);
    let updated_after = fields.optional("updated_after", timestamp);
    let is_walk = matches!(updated_after, Ok(Some(_)));
    let include_deleted = fields.include_deleted(&updated_after);
    let sort = fields.optional("sort", |value| match one_of(value)? {
        _ if is_walk => Err(Wrong::Rule("a list with updated_after has its own order")),
        sort => Ok(sort),
    });
    fields.rule(|| {
        let null = |field| is_one_of(field, [Value::Null]).build();
        any_of([null("updated_after"), null("sort")])
    });
    let sort: Option<S> = sort?;
    Ok(Walk {
        created_after: created_after?,
        updated_after: updated_after?,
        include_deleted: include_deleted?,
        sort: if is_walk { changes } else { sort.unwrap_or_default() },
    })
}

impl<S: ClosedSet> Walk<S> {
    /// The list, without its further filters.
    pub(super) fn list(&self, fields: &Fields<'_>) -> List {
        let bytes = |time: Time| time.unix_millis().to_be_bytes();
        fields
            .list(self.sort.code())
            .filter(self.created_after.map(bytes))
            .filter(self.updated_after.map(bytes))
            .filter(Some([u8::from(self.include_deleted)]))
    }
}
