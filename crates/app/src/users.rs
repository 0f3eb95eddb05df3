//! `/users/…`

use crate::{Caller, Error, Missing};
use hearback_domain::record::Kind;
use hearback_domain::user::{User, UserSelector};
use hearback_ports::Ports;

/// `/users/retrieve`: a user who is linked to the organization.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    selector: UserSelector,
) -> Result<User, Error> {
    let organization = caller.view(Kind::User)?;
    ports
        .users
        .find(organization, selector)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::User)))
}
