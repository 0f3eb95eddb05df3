//! The fields that name a person.

use crate::fault::Wrong;
use crate::fields::{Fields, Noted, bounded, email, uuid};
use hearback_domain::person::{Handle, Person};

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
