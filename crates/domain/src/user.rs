//! Users of an organization.

use crate::attributes::{Attributes, AttributesPatch, TooManyAttributes};
use crate::company::Company;
use crate::edit::{Patch, replace};
use crate::fold::{self, Folded};
use crate::id::{CompanyId, MembershipId, UserId};
use crate::permission::Role;
use crate::person::Email;
use crate::text::{ExternalId, ShortText};
use crate::web_url::WebUrl;
use crate::{ClosedSet, Time};

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
    /// The company.
    pub company_id: Option<CompanyId>,
    /// The name of the company, or empty.
    pub company_name: String,
    /// The status as a customer, an open set, or empty: `paying`, …
    pub customer_status: String,
    /// The language, or empty: `de-CH`, …
    pub locale: String,
    /// The values that the organization keeps with the user.
    pub attributes: Attributes,
    /// Whether the user asked for mails: about published changelog entries, and about the posts to
    /// which the user is subscribed.
    pub is_subscribed: bool,
    /// When mails about posts go to the user.
    pub post_mail: PostMail,
    /// Whether published changelog entries are mailed to the user.
    pub changelog_mail: bool,
    /// Whether the user may neither post, comment nor vote.
    pub is_blocked: bool,
    /// Whether posts and comments of the user are accepted on boards that moderate first posts.
    pub is_trusted: bool,
    /// The identifier that another tool gave the user, unique among the organization's active users.
    pub external_id: Option<String>,
    /// `false` if the user is no longer linked to the organization.
    pub is_active: bool,
    /// When the link was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

impl User {
    /// Whether mails may go to the user: subscribed, linked, and with an address.
    pub fn receives_mail(&self) -> bool {
        self.is_subscribed && self.is_active && !self.email.is_empty()
    }

    /// Whether mails about the changelog may go to the user.
    pub fn receives_changelog(&self) -> bool {
        self.receives_mail() && self.changelog_mail
    }

    /// The role of a member of the team. `None` if the user is not on the team.
    pub fn role(&self) -> Option<Role> {
        Role::parse(&self.portal_role)
    }

    /// The folded name and address, in which a search looks.
    pub fn search_text(&self) -> String {
        fold::search_text([self.name.as_str(), self.email.as_str()])
    }
}

/// When mails about posts go to a user who receives mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PostMail {
    /// `instant`: one mail about each change, at once.
    #[default]
    Instant,
    /// `daily`: one mail a day about all changes of the day.
    Daily,
    /// `weekly`: one mail a week, on Monday.
    Weekly,
    /// `off`: none. The portal still tells of changes.
    Off,
}

impl ClosedSet for PostMail {
    const ALL: &'static [Self] = &[Self::Instant, Self::Daily, Self::Weekly, Self::Off];

    fn code(self) -> &'static str {
        match self {
            Self::Instant => "instant",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Off => "off",
        }
    }
}

/// Selects a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserSelector {
    /// The user with this identifier of a person.
    Id(UserId),
    /// The user with this address. Case counts.
    Email(String),
    /// The user with this address in any case of its ASCII letters. If several have it, the one with
    /// the very address is selected, or else the one whose link is the oldest.
    AnyCase(String),
    /// The user to whom another tool gave this identifier.
    ExternalId(String),
}

/// The new values of `/users/upsert` and `/users/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserPatch {
    /// The identifier that another tool gave the user.
    pub external_id: Patch<ExternalId>,
    /// The email address.
    pub email: Option<Email>,
    /// The name.
    pub name: Option<ShortText>,
    /// The URL of a picture.
    pub avatar_url: Option<WebUrl>,
    /// Whether the user has no picture any more, unless a new one is given.
    pub loses_avatar: bool,
    /// The name of the company. The user leaves a company of another name.
    pub company_name: Option<ShortText>,
    /// Whether the user leaves the company.
    pub leaves_company: bool,
    /// The status as a customer.
    pub customer_status: Option<ShortText>,
    /// The language.
    pub locale: Option<ShortText>,
    /// New values of attributes.
    pub attributes: Patch<AttributesPatch>,
    /// Whether the user asked for mails.
    pub is_subscribed: Option<bool>,
    /// When mails about posts go to the user.
    pub post_mail: Option<PostMail>,
    /// Whether published changelog entries are mailed to the user.
    pub changelog_mail: Option<bool>,
}

impl UserPatch {
    /// The user with the new values. `company` is the company that the user joins.
    pub fn edit(
        self,
        mut user: User,
        company: Option<&Company>,
    ) -> Result<User, TooManyAttributes> {
        self.external_id.apply(&mut user.external_id);
        replace(&mut user.email, self.email);
        replace(&mut user.name, self.name);
        if self.loses_avatar {
            user.avatar_url.clear();
        }
        replace(&mut user.avatar_url, self.avatar_url);
        if self.leaves_company {
            (user.company_id, user.company_name) = (None, String::new());
        }
        if let Some(name) =
            self.company_name.map(String::from).filter(|it| *it != user.company_name)
        {
            (user.company_id, user.company_name) = (None, name);
        }
        if let Some(company) = company {
            (user.company_id, user.company_name) = (Some(company.id), company.name.clone());
        }
        replace(&mut user.customer_status, self.customer_status);
        replace(&mut user.locale, self.locale);
        user.attributes = self.attributes.edit(user.attributes)?;
        replace(&mut user.is_subscribed, self.is_subscribed);
        replace(&mut user.post_mail, self.post_mail);
        replace(&mut user.changelog_mail, self.changelog_mail);
        Ok(user)
    }
}

/// Selects the users of a list. An identifier that the organization does not have matches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserFilter {
    /// Only users whose name or address contains this text.
    pub search: Option<Folded>,
    /// Only users of this company.
    pub company_id: Option<CompanyId>,
    /// Only users with this status as a customer.
    pub customer_status: Option<String>,
    /// Only users in this role.
    pub portal_role: Option<String>,
    /// Only users with all of these attributes.
    pub attributes: Attributes,
    /// Only users who get mails, or only users who get none.
    pub is_subscribed: Option<bool>,
    /// Only blocked users, or only others.
    pub is_blocked: Option<bool>,
    /// Only users who were made then or later.
    pub created_after: Option<Time>,
    /// Only users who changed then or later.
    pub updated_after: Option<Time>,
    /// Whether deleted users are included.
    pub include_deleted: bool,
}

/// The orders of a list of users. Each ends in the identifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UserSort {
    /// `newest`: the youngest first.
    #[default]
    Newest,
    /// `oldest`: the oldest first.
    Oldest,
    /// `name`: by name.
    Name,
    /// `updated`: the last changed first.
    Updated,
    /// By the last change, oldest first: the order in which a mirror follows changes. The API has
    /// no code for it.
    Changes,
}

impl ClosedSet for UserSort {
    const ALL: &'static [Self] = &[Self::Newest, Self::Oldest, Self::Name, Self::Updated];

    fn code(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Name => "name",
            Self::Updated => "updated",
            Self::Changes => "changes",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;
    use crate::company::CompanyPatch;
    use crate::person::Handle;

    fn text<const MIN: usize, const MAX: usize>(text: &str) -> crate::text::Text<MIN, MAX> {
        crate::text::Text::parse(text).unwrap()
    }

    #[test]
    fn a_user_is_of_one_company_by_record_or_by_name() {
        let [id, person] = [1, 2].map(Uuid::from_u128);
        let ada = Handle::ExternalId(text("crm-7"));
        let ada = ada.user(None, id.into(), person.into(), Time::MIN);
        let company = CompanyPatch {
            external_id: text("c-1"),
            name: None,
            monthly_spend: None,
            customer_status: None,
            attributes: AttributesPatch::default(),
        }
        .create(Uuid::from_u128(3).into(), Time::MIN);
        let company_of = |user: &User| (user.company_id, user.company_name.clone());
        let joined = UserPatch::default().edit(ada, Some(&company)).unwrap();
        let joins = (Some(company.id), "c-1".to_owned());
        assert_eq!(company_of(&joined), joins);
        let named = |name| UserPatch { company_name: Some(text(name)), ..UserPatch::default() };
        let edited = |patch: UserPatch| patch.edit(joined.clone(), None).unwrap();
        assert_eq!(company_of(&edited(named("c-1"))), joins);
        assert_eq!(company_of(&edited(named("Other"))), (None, "Other".to_owned()));
        let leaves = UserPatch { leaves_company: true, ..UserPatch::default() };
        assert_eq!(company_of(&edited(leaves)), (None, String::new()));
        assert_eq!(edited(UserPatch::default()), joined);
    }

    #[test]
    fn a_user_is_searched_for_by_the_folded_name_and_address() {
        let user = crate::record::examples::user();
        assert_eq!(user.search_text(), fold::search_text(["ada", "ada@example.com"]));
    }
}
