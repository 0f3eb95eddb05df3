//! The person whom a request names: a known user, or one who becomes known by the request.

use crate::Time;
use crate::attributes::Attributes;
use crate::id::{MembershipId, UserId};
use crate::text::{ExternalId, Name};
use crate::user::{PostMail, User};

/// An email address: 3 to 320 characters, one `@` inside, no white space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email(String);

/// The text is not an [`Email`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoEmail;

/// The `portal_role` of a user who is not on the team.
pub const NOT_ON_TEAM: &str = "end_user";

/// The most characters of an [`Email`].
pub const MAX_EMAIL: usize = 320;

impl Email {
    /// Checks an address. The text is kept as it is: a look-up is case-sensitive.
    pub fn parse(text: &str) -> Result<Self, NoEmail> {
        let (local, domain) = text.split_once('@').ok_or(NoEmail)?;
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || c == '@';
        if local.is_empty()
            || domain.is_empty()
            || text.chars().filter(|c| *c == '@').count() != 1
            || local.chars().chain(domain.chars()).any(is_odd)
            || text.chars().count() > MAX_EMAIL
        {
            return Err(NoEmail);
        }
        Ok(Self(text.to_owned()))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the `@`.
    pub fn local(&self) -> &str {
        self.0.split('@').next().unwrap_or_default()
    }
}

impl From<Email> for String {
    fn from(email: Email) -> Self {
        email.0
    }
}

/// A person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Person {
    /// The user with this identifier of a person.
    User(UserId),
    /// A person who becomes a user if none has the handle.
    Anyone {
        /// The property that finds the user.
        handle: Handle,
        /// The name of a new user.
        name: Option<Name>,
    },
}

/// A property that only one user of an organization has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handle {
    /// The identifier that another tool gave the user.
    ExternalId(ExternalId),
    /// The email address.
    Email(Email),
}

impl Handle {
    /// Makes a user who has the handle, and nothing else. The name is a part of the handle unless
    /// one is given.
    pub fn user(&self, name: Option<&Name>, id: MembershipId, person: UserId, now: Time) -> User {
        let (email, external_id, own_name) = match self {
            Self::Email(email) => (email.as_str(), None, email.local()),
            Self::ExternalId(id) => ("", Some(id.as_str().to_owned()), id.as_str()),
        };
        User {
            email: email.to_owned(),
            name: name.map_or(own_name, Name::as_str).to_owned(),
            external_id,
            ..User::bare(id, person, now)
        }
    }
}

impl User {
    /// A user of whom nothing is known.
    pub(crate) fn bare(id: MembershipId, person: UserId, now: Time) -> Self {
        Self {
            id,
            user_id: person,
            email: String::new(),
            name: String::new(),
            avatar_url: String::new(),
            portal_role: NOT_ON_TEAM.to_owned(),
            company_id: None,
            company_name: String::new(),
            customer_status: String::new(),
            locale: String::new(),
            attributes: Attributes::default(),
            is_subscribed: false,
            is_blocked: false,
            post_mail: PostMail::default(),
            changelog_mail: true,
            is_trusted: false,
            external_id: None,
            is_active: true,
            created_at: now,
            updated_at: now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;

    #[test]
    fn an_address_has_one_at_sign_inside_and_no_white_space() {
        for text in ["a@b", "ada.lovelace+x@example.com", "Ü@exämple.org"] {
            assert_eq!(Email::parse(text).unwrap().as_str(), text);
        }
        assert!(Email::parse(&format!("{}@b", "a".repeat(318))).is_ok());
        let long = format!("{}@b", "a".repeat(319));
        for text in ["", "a", "@b", "a@", "a@b@c", "a b@c", "a@b\n", "a\0@b", &long] {
            assert_eq!(Email::parse(text), Err(NoEmail), "{text:?}");
        }
    }

    #[test]
    fn a_new_user_is_named_by_the_request_or_by_the_handle() {
        let [id, person] = [1, 2].map(Uuid::from_u128);
        let user = |handle: Handle, name: Option<&str>| {
            let name = name.map(|name| Name::parse(name).unwrap());
            handle.user(name.as_ref(), id.into(), person.into(), Time::MIN)
        };
        let ada = Handle::Email(Email::parse("ada@example.com").unwrap());
        let found = user(ada.clone(), None);
        assert_eq!(
            (&*found.email, &*found.name, found.external_id),
            ("ada@example.com", "ada", None)
        );
        assert_eq!(user(ada, Some("Ada")).name, "Ada");
        let other = user(Handle::ExternalId(ExternalId::parse("crm-7").unwrap()), None);
        let expected = ("", "crm-7", Some("crm-7"));
        assert_eq!((&*other.email, &*other.name, other.external_id.as_deref()), expected);
    }
}
