//! Users as one organization sees them.

use crate::Time;
use crate::id::{MembershipId, UserId};

/// A person's link to an organization, with the profile that they have there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Identifier of the link.
    pub id: MembershipId,
    /// Identifier of the person; authors, owners, mergers and voters are named by it.
    pub user_id: UserId,
    /// Address, or empty. Looked up to the letter.
    pub email: String,
    /// Name.
    pub name: String,
    /// URL, or empty.
    pub avatar_url: String,
    /// An open set: `end_user`, `member`, `admin`, `owner` and whatever was imported.
    pub portal_role: String,
    /// Company, or empty.
    pub company_name: String,
    /// An open set, or empty: `paying`, …
    pub customer_status: String,
    /// Whether published changelog entries are mailed to them.
    pub is_subscribed: bool,
    /// `false`: no longer linked to the organization.
    pub is_active: bool,
    /// When the link was made.
    pub created_at: Time,
}

impl User {
    /// Whether published changelog entries are mailed to them: they asked for it, are linked, and have an address.
    pub fn receives_mail(&self) -> bool {
        self.is_subscribed && self.is_active && !self.email.is_empty()
    }
}

/// How a user is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserSelector {
    /// By the person's identifier.
    Id(UserId),
    /// By address, to the letter.
    Email(String),
}
