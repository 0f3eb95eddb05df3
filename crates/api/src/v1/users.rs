//! `/users/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::NotFound;
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{Fields, Noted, one_of, string, uuid};
use hearback_app::one_person::{self, EraseUser, MergeUsers};
use hearback_app::{Missing, users};
use hearback_domain::Uuid;
use hearback_domain::record::Kind;
use hearback_domain::user::{User, UserSelector};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/users/retrieve",
        "Retrieve a user, by exactly one of user_id and email",
        handler!(object<UserView>: selector => users::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::User))]),
    write(
        "/users/merge",
        "Merge a user into another one, who is the same person",
        handler!(tried: merge => one_person::merge),
    )
    .refusing(&[NotFound(Missing::Record(Kind::User))]),
    write(
        "/users/erase",
        "Erase all that tells who a user is",
        handler!(tried: erase => one_person::erase),
    )
    .refusing(&[NotFound(Missing::Record(Kind::User))]),
];

fn merge(fields: &mut Fields<'_>) -> Result<MergeUsers, Noted> {
    let user = fields.required("merge_user_id", uuid);
    let into = fields.other("into_user_id", &user, "a user cannot be merged into itself");
    let dry_run = fields.dry_run();
    Ok(MergeUsers { user: user?.into(), into: into?.into(), dry_run: dry_run? })
}

fn erase(fields: &mut Fields<'_>) -> Result<EraseUser, Noted> {
    let user = fields.id("user_id");
    let traces = fields.optional("content_code", one_of);
    let dry_run = fields.dry_run();
    Ok(EraseUser { user: user?, traces: traces?.unwrap_or_default(), dry_run: dry_run? })
}

/// The user to retrieve. The contract says: "Exactly one of `user_id` and `email` must be present."
fn selector(fields: &mut Fields<'_>) -> Result<UserSelector, Noted> {
    fields.exactly_one_of(&["user_id", "email"]);
    let user_id = fields.optional("user_id", uuid);
    let email = fields.optional("email", |value| match string(value)? {
        _ if !matches!(user_id, Ok(None)) => {
            Err(Wrong::Rule("user_id and email exclude each other"))
        }
        email => Ok(email),
    });
    match (user_id?, email?) {
        (Some(id), _) => Ok(UserSelector::Id(id.into())),
        (None, Some(email)) => Ok(UserSelector::Email(email)),
        (None, None) => Err(fields.fault("user_id", Wrong::Missing)),
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = User)]
pub(crate) struct UserView<'a> {
    id: Uuid,
    user_id: Uuid,
    email: &'a str,
    name: &'a str,
    avatar_url: &'a str,
    portal_role: &'a str,
    company_name: &'a str,
    customer_status: &'a str,
    created_at: Timestamp,
    is_subscribed: bool,
    external_id: Option<&'a str>,
}

impl<'a> From<&'a User> for UserView<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            id: user.id.0,
            user_id: user.user_id.0,
            email: &user.email,
            name: &user.name,
            avatar_url: &user.avatar_url,
            portal_role: &user.portal_role,
            company_name: &user.company_name,
            customer_status: &user.customer_status,
            created_at: user.created_at.into(),
            is_subscribed: user.is_subscribed,
            external_id: user.external_id.as_deref(),
        }
    }
}
