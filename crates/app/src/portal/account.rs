//! The visitor's own account.

use super::Visit;
use crate::users::{self, PatchUser};
use crate::write::Update;
use crate::{Denied, Error};
use hearback_domain::text::ShortText;
use hearback_domain::user::UserPatch;
use hearback_ports::Ports;

/// The new values of the visitor's account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountPatch {
    /// The name.
    pub name: Option<ShortText>,
    /// The language.
    pub locale: Option<ShortText>,
    /// Whether the visitor gets mail.
    pub is_subscribed: Option<bool>,
}

/// Changes the visitor's account.
pub async fn save_account(
    ports: &Ports,
    visit: &Visit,
    AccountPatch { name, locale, is_subscribed }: AccountPatch,
) -> Result<(), Error> {
    let user = visit.user().ok_or(Error::Denied(Denied::NotSignedIn))?;
    let patch = UserPatch { name, locale, is_subscribed, ..UserPatch::default() };
    let values = PatchUser { patch, company: None };
    let caller = visit.admitted("portal/account");
    users::update(ports, caller, Update::new(user.user_id, values), None).await.map(drop)
}
