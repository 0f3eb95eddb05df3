//! The people whom requests name.

use crate::{Error, Precondition};
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::person::{Handle, Person};
use hearback_domain::user::{User, UserSelector};
use hearback_ports::Ports;

/// The person whom a request names as an author.
pub(crate) struct Author {
    /// The person.
    pub(crate) writer: Writer,
    /// The new user, whom the same change has to make.
    pub(crate) newcomer: Option<User>,
    /// Whether the user is blocked: the user may neither post nor comment.
    pub(crate) is_blocked: bool,
}

/// The person who writes a post or a comment.
#[derive(Clone, Copy)]
pub(crate) struct Writer {
    /// The person.
    pub(crate) id: UserId,
    /// Whether a board that moderates first posts accepts what the person writes.
    pub(crate) is_trusted: bool,
}

/// Finds the user whom a request names, or makes one if nobody has the handle.
pub(crate) async fn find(
    ports: &Ports,
    organization: OrganizationId,
    person: &Person,
    now: Time,
) -> Result<Author, Error> {
    let selector = match person {
        Person::User(id) => UserSelector::Id(*id),
        Person::Anyone { handle, .. } => selector(handle),
    };
    let known = ports.users.find(organization, selector).await?;
    let (id, newcomer) = match (&known, person) {
        (Some(user), _) => (user.user_id, None),
        // The change itself needs this user.
        (None, Person::User(id)) => (*id, None),
        (None, Person::Anyone { handle, name }) => {
            let [id, person] = [(); 2].map(|()| ports.ids.fresh());
            let user = handle.user(name.as_ref(), id.into(), person.into(), now);
            (user.user_id, Some(user))
        }
    };
    let [is_trusted, is_blocked] =
        known.map_or([false; 2], |user| [user.is_trusted, user.is_blocked]);
    Ok(Author { writer: Writer { id, is_trusted }, newcomer, is_blocked })
}

/// Fails if the user is blocked. A blocked user neither signs in nor writes.
pub(crate) fn ensure_not_blocked(user: &User) -> Result<(), Error> {
    match user.is_blocked {
        true => Err(Error::Refused(Precondition::UserBlocked)),
        false => Ok(()),
    }
}

/// The selector of the user who has a handle.
pub(crate) fn selector(handle: &Handle) -> UserSelector {
    match handle {
        Handle::ExternalId(id) => UserSelector::ExternalId(id.as_str().to_owned()),
        Handle::Email(email) => UserSelector::Email(email.as_str().to_owned()),
    }
}
