//! `/users/…`

use crate::{Error, Missing};
use hearback_domain::id::OrganizationId;
use hearback_domain::record::Kind;
use hearback_domain::user::{User, UserSelector};
use hearback_ports::Ports;

/// `/users/retrieve`: a user who is linked to the organization.
pub async fn retrieve(
    ports: &Ports,
    organization: OrganizationId,
    selector: UserSelector,
) -> Result<User, Error> {
    ports
        .users
        .find(organization, selector)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::User)))
}
