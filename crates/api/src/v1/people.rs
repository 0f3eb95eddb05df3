//! The fields that name a person, and those of lists of people.

use crate::fault::Wrong;
use crate::fields::{Fields, HasSchema, Noted, boolean, bounded, email, one_of, timestamp, uuid};
use crate::page::List;
use hearback_domain::person::{Handle, Person};
use hearback_domain::{ClosedSet, Time};

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
    let include_deleted = fields.optional("include_deleted", |value| match boolean(value)? {
        true if matches!(updated_after, Ok(None)) => {
            Err(Wrong::Rule("only a list with updated_after includes deleted records"))
        }
        flag => Ok(flag),
    });
    let sort = fields.optional("sort", |value| match one_of(value)? {
        _ if is_walk => Err(Wrong::Rule("a list with updated_after has its own order")),
        sort => Ok(sort),
    });
    let sort: Option<S> = sort?;
    Ok(Walk {
        created_after: created_after?,
        updated_after: updated_after?,
        include_deleted: include_deleted?.unwrap_or(false),
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
