//! The people whom requests name.

use crate::Error;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::person::{Handle, Person};
use hearback_domain::user::{User, UserSelector};
use hearback_ports::Ports;

/// Finds the user whom a request names. If nobody has the handle, returns the new user, whom the
/// same change has to make.
pub(crate) async fn find(
    ports: &Ports,
    organization: OrganizationId,
    person: &Person,
    now: Time,
) -> Result<(UserId, Option<User>), Error> {
    let (handle, name) = match person {
        // The change itself needs this user.
        Person::User(id) => return Ok((*id, None)),
        Person::Anyone { handle, name } => (handle, name.as_ref()),
    };
    let selector = match handle {
        Handle::ExternalId(id) => UserSelector::ExternalId(id.as_str().to_owned()),
        Handle::Email(email) => UserSelector::Email(email.as_str().to_owned()),
    };
    let known = ports.users.find(organization, selector).await?;
    if let Some(user) = known {
        return Ok((user.user_id, None));
    }
    let user = handle.user(name, ports.ids.fresh().into(), ports.ids.fresh().into(), now);
    Ok((user.user_id, Some(user)))
}
