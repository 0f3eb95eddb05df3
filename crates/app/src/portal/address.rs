//! The address of the visitor's account, and the trouble with the organization's mails.

use super::Visit;
use crate::sign_in::{self, Offer};
use crate::users::{self, PatchUser};
use crate::write::Update;
use crate::{Error, Precondition, Vault};
use hearback_domain::id::OrganizationId;
use hearback_domain::permission::Permission;
use hearback_domain::person::Email;
use hearback_domain::record::Kind;
use hearback_domain::user::{User, UserPatch};
use hearback_ports::Ports;
use hearback_ports::notices::MailTrouble;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Begins to change the visitor's address. The link of the offer, in a mail to the new address,
/// proves that it is the visitor's. The answer is the same for an address that another user has.
pub async fn offer_address(
    ports: &Ports,
    vault: &Vault,
    visit: &Visit,
    email: &Email,
) -> Result<Offer, Error> {
    let (_, user) = visit.oneself()?;
    sign_in::offer_address(ports, vault, visit.organization(), email, user.user_id).await
}

/// The new address that the visitor has asked for, by the token of its link. `None` if the token is
/// over, or another user's.
pub async fn asked_address(
    ports: &Ports,
    visit: &Visit,
    token: &str,
) -> Result<Option<Email>, Error> {
    let (_, user) = visit.oneself()?;
    let offered = sign_in::offered(ports, visit.organization(), token).await?;
    let own = offered.filter(|it| sign_in::is_address_of(it, user.user_id));
    Ok(own.and_then(|it| Email::parse(&it.email).ok()))
}

/// The answer to the proof of a new address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressAnswer {
    /// It is the visitor's address now. This was the former one, or empty.
    Changed(String),
    /// Another user has it.
    Taken,
    /// The link was used, or has expired, or was never good.
    Gone,
}

/// Changes the visitor's address by the token of a link. Only the visitor who asked for the address
/// gets it: somebody else's link, sent to the visitor, would give the account away. The visitor's
/// other sessions end.
pub async fn confirm_address(
    ports: &Ports,
    visit: &Visit,
    token: &str,
) -> Result<AddressAnswer, Error> {
    let (session, user) = visit.oneself()?;
    let organization = visit.organization();
    let Some(email) = asked_address(ports, visit, token).await? else {
        return Ok(AddressAnswer::Gone);
    };
    if !sign_in::use_up(ports, organization, token).await? {
        return Ok(AddressAnswer::Gone);
    }
    let other = sign_in::known(ports, organization, &email).await?;
    if other.is_some_and(|other: User| other.user_id != user.user_id) {
        return Ok(AddressAnswer::Taken);
    }
    let patch = UserPatch { email: Some(email), ..UserPatch::default() };
    let values = PatchUser { patch, company: None };
    let caller = visit.admitted("portal/address");
    match users::update(ports, caller, Update::new(user.user_id, values), None).await {
        Err(Error::Refused(Precondition::EmailTaken)) => return Ok(AddressAnswer::Taken),
        changed => changed?,
    };
    ports.sessions.end_all(organization, user.user_id, Some(session.digest)).await?;
    Ok(AddressAnswer::Changed(user.email.clone()))
}

impl Visit {
    /// Whether the visitor looks after the organization's mails.
    pub fn tends_mail(&self) -> bool {
        let role = self.user().and_then(User::role);
        role.is_some_and(|role| role.may(Permission::Manage(Kind::Organization)))
    }
}

/// The trouble with the organization's mails, if the visitor looks after them.
pub async fn mail_trouble(ports: &Ports, visit: &Visit) -> Result<Option<MailTrouble>, Error> {
    match visit.tends_mail() {
        true => Ok(ports.notices.trouble(visit.organization()).await?),
        false => Ok(None),
    }
}

/// The time of each organization's last test of the mail server. A process keeps one.
#[derive(Default)]
pub struct MailTests(Mutex<HashMap<OrganizationId, Duration>>);

/// The pause between two tests of an organization.
const TEST_PAUSE: Duration = Duration::from_secs(20);

impl MailTests {
    /// Whether the visitor may send a test now: who looks after the organization's mails may, and
    /// not again before a pause has passed.
    pub fn begin(&self, ports: &Ports, visit: &Visit) -> bool {
        let now = ports.clock.elapsed();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.retain(|_, at| now.saturating_sub(*at) < TEST_PAUSE);
        let organization = visit.organization();
        let may = visit.tends_mail() && !last.contains_key(&organization);
        if may {
            last.insert(organization, now);
        }
        may
    }
}
