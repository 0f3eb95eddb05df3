//! Users of an organization.

use crate::Time;
use crate::id::{MembershipId, UserId};

/// A person's link to an organization, with the profile for that organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The identifier of the link.
    pub id: MembershipId,
    /// The identifier of the person. Other records name a user by it.
    pub user_id: UserId,
    /// The email address, or empty. A look-up by address is case-sensitive.
    pub email: String,
    /// The name.
    pub name: String,
    /// The URL of a picture, or empty.
    pub avatar_url: String,
    /// The role, an open set: `end_user`, `member`, `admin`, `owner`, or an imported one.
    pub portal_role: String,
    /// The name of the company, or empty.
    pub company_name: String,
    /// The status as a customer, an open set, or empty: `paying`, …
    pub customer_status: String,
    /// Whether the user asked for mails about published changelog entries.
    pub is_subscribed: bool,
    /// The identifier that another tool gave the user, unique among the organization's active users.
    pub external_id: Option<String>,
    /// `false` if the user is no longer linked to the organization.
    pub is_active: bool,
    /// When the link was made.
    pub created_at: Time,
}

impl User {
    /// Whether published changelog entries are mailed to the user: subscribed, linked, and with an
    /// address.
    pub fn receives_mail(&self) -> bool {
        self.is_subscribed && self.is_active && !self.email.is_empty()
    }
}

/// Selects a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserSelector {
    /// The user with this identifier of a person.
    Id(UserId),
    /// The user with this address. Case counts.
    Email(String),
    /// The user to whom another tool gave this identifier.
    ExternalId(String),
}
