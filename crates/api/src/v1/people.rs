//! The fields that name a person.

use crate::fault::Wrong;
use crate::fields::{Fields, Noted, bounded, email, uuid};
use hearback_domain::person::{Handle, Person};

/// The author: exactly one of `author_id`, `author_external_id` and `author_email`, with the
/// `author_name` of a new user.
pub(super) fn author(fields: &mut Fields<'_>) -> Result<Person, Noted> {
    fields.exactly_one_of(&["author_id", "author_external_id", "author_email"]);
    let id = fields.optional("author_id", uuid);
    let external_id = fields.optional("author_external_id", |value| match bounded(value)? {
        _ if !matches!(id, Ok(None)) => Err(TWO_AUTHORS),
        external_id => Ok(external_id),
    });
    let is_named = !matches!((id, &external_id), (Ok(None), Ok(None)));
    let email = fields.optional("author_email", |value| match email(value)? {
        _ if is_named => Err(TWO_AUTHORS),
        email => Ok(email),
    });
    let name = fields.optional("author_name", bounded);
    let handle = match (id?, external_id?, email?) {
        (Some(id), _, _) => return name.map(|_| Person::User(id.into())),
        (None, Some(id), _) => Handle::ExternalId(id),
        (None, None, Some(email)) => Handle::Email(email),
        (None, None, None) => return Err(fields.fault("author_id", Wrong::Missing)),
    };
    Ok(Person::Anyone { handle, name: name? })
}

const TWO_AUTHORS: Wrong =
    Wrong::Rule("author_id, author_external_id and author_email exclude each other");
