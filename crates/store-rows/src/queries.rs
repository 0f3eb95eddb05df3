//! Queries that both stores run as they are.

use crate::keys::PUBLIC_API;
use crate::schema::{
    api_keys, changelog_entries, comments, feedback_post_counts, feedback_posts, oidc_accounts,
    oidc_providers, organizations, password_tries, passwords, saved_views, second_factors,
    sessions, sign_ins, spent_tokens, sso_secrets, users, votes,
};
use crate::values::{Id, Stamp};
use diesel::dsl::{auto_type, sql};
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable, Text};

/// The organizations that are not deleted.
#[auto_type]
pub fn present() -> _ {
    organizations::table.filter(organizations::is_active)
}

/// The organization of the active key with a digest.
#[auto_type]
pub fn owner(digest: Vec<u8>) -> _ {
    let scope: &'static str = PUBLIC_API;
    api_keys::table
        .filter(api_keys::digest.eq(digest))
        .filter(api_keys::is_active)
        .filter(api_keys::scope.eq(scope))
        .select(api_keys::organization_id)
}

/// An organization as an [`OwnerRow`](crate::keys::OwnerRow).
#[auto_type]
pub fn owner_row(organization: Id) -> _ {
    present().filter(organizations::id.eq(organization)).select((
        organizations::id,
        organizations::help_center_enabled,
        organizations::events_ledger,
    ))
}

/// The active comment that is pinned on a post.
#[auto_type]
pub fn pinned(organization: Id, post: Id) -> _ {
    comments::table
        .filter(comments::organization_id.eq(organization))
        .filter(comments::feedback_post_id.eq(post))
        .filter(comments::is_pinned)
        .filter(comments::is_active)
}

// The status is a literal, because the index contains scheduled entries only. The planner cannot
// know that a parameter meets the condition of the index.
diesel::postfix_operator!(IsScheduled, " = 'scheduled'");

/// Whether an entry is scheduled.
pub fn is_scheduled() -> is_scheduled {
    IsScheduled::new(changelog_entries::status_code)
}

/// The type of [`is_scheduled()`].
#[expect(non_camel_case_types, reason = "the type of a statement has its name")]
pub type is_scheduled = IsScheduled<changelog_entries::status_code>;

/// The identifiers of up to `limit` entries that are scheduled for `now` or before, earliest first.
#[auto_type]
pub fn due(organization: Id, now: Stamp, limit: i64) -> _ {
    changelog_entries::table
        .filter(changelog_entries::organization_id.eq(organization))
        .filter(is_scheduled())
        .filter(changelog_entries::is_active)
        .filter(changelog_entries::scheduled_at.le(now))
        .order((changelog_entries::scheduled_at, changelog_entries::id))
        .limit(limit)
        .select(changelog_entries::id)
}

/// The posts whose votes are on a post, each with the one that it was merged into.
#[auto_type]
pub fn followed(organization: Id, post: Id) -> _ {
    feedback_posts::table
        .filter(feedback_posts::organization_id.eq(organization))
        .filter(feedback_posts::canonical_id.eq(post))
        .select((feedback_posts::id, feedback_posts::merged_into_id.assume_not_null()))
}

/// Posts with their counts.
#[auto_type]
pub fn counted_posts() -> _ {
    let its_counts = feedback_post_counts::organization_id
        .eq(feedback_posts::organization_id)
        .and(feedback_post_counts::feedback_post_id.eq(feedback_posts::id));
    feedback_posts::table.left_join(feedback_post_counts::table.on(its_counts))
}

/// The users who voted for a post, sorted.
#[auto_type]
pub fn voters(organization: Id, post: Id) -> _ {
    votes::table
        .filter(votes::organization_id.eq(organization))
        .filter(votes::feedback_post_id.eq(post))
        .order(votes::user_id)
        .select(votes::user_id)
}

/// The session with a digest.
#[auto_type]
pub fn session(organization: Id, digest: Vec<u8>) -> _ {
    sessions::table
        .filter(sessions::organization_id.eq(organization))
        .filter(sessions::digest.eq(digest))
}

/// The session with a digest if it is not over, with its user if linked.
#[auto_type]
pub fn open_session(organization: Id, digest: Vec<u8>, now: Stamp) -> _ {
    let the_user = users::organization_id
        .eq(sessions::organization_id)
        .and(users::user_id.eq(sessions::user_id));
    sessions::table
        .inner_join(users::table.on(the_user))
        .filter(sessions::organization_id.eq(organization))
        .filter(sessions::digest.eq(digest))
        .filter(sessions::expires_at.gt(now))
        .filter(users::is_active)
}

/// The sessions of a user.
#[auto_type]
pub fn sessions_of(organization: Id, user: Id) -> _ {
    sessions::table
        .filter(sessions::organization_id.eq(organization))
        .filter(sessions::user_id.eq(user))
}

/// The digests of the sessions of a user that began before the last `kept` ones.
#[auto_type]
pub fn oldest_sessions(organization: Id, user: Id, kept: i64) -> _ {
    let all: sessions_of = sessions_of(organization, user);
    all.order((sessions::created_at.desc(), sessions::digest.desc()))
        .offset(kept)
        .select(sessions::digest)
}

/// The sign-in with an identifier.
#[auto_type]
pub fn sign_in(organization: Id, id: Vec<u8>) -> _ {
    sign_ins::table.filter(sign_ins::organization_id.eq(organization)).filter(sign_ins::id.eq(id))
}

/// The sign-in with a link.
#[auto_type]
pub fn linked_sign_in(organization: Id, link: Vec<u8>) -> _ {
    sign_ins::table
        .filter(sign_ins::organization_id.eq(organization))
        .filter(sign_ins::link.eq(link))
}

/// The invitations that are not over, the earliest first.
#[auto_type]
pub fn open_invitations(organization: Id, now: Stamp) -> _ {
    sign_ins::table
        .filter(sign_ins::organization_id.eq(organization))
        .filter(sign_ins::role.is_not_null())
        .filter(sign_ins::expires_at.gt(now))
        .order((sign_ins::created_at, sign_ins::link))
}

/// The digests of up to `limit` sessions that are over, those that ended first.
#[auto_type]
pub fn ended_sessions(organization: Id, now: Stamp, limit: i64) -> _ {
    sessions::table
        .filter(sessions::organization_id.eq(organization))
        .filter(sessions::expires_at.le(now))
        .order(sessions::expires_at)
        .limit(limit)
        .select(sessions::digest)
}

/// The password of a user.
#[auto_type]
pub fn password_of(organization: Id, user: Id) -> _ {
    passwords::table
        .filter(passwords::organization_id.eq(organization))
        .filter(passwords::user_id.eq(user))
}

/// The views of a member.
#[auto_type]
pub fn views_of(organization: Id, user: Id) -> _ {
    saved_views::table
        .filter(saved_views::organization_id.eq(organization))
        .filter(saved_views::user_id.eq(user))
}

/// The second factor of a user.
#[auto_type]
pub fn second_factor_of(organization: Id, user: Id) -> _ {
    second_factors::table
        .filter(second_factors::organization_id.eq(organization))
        .filter(second_factors::user_id.eq(user))
}

/// The tries of somebody.
#[auto_type]
pub fn tries_of(organization: Id, id: Vec<u8>) -> _ {
    password_tries::table
        .filter(password_tries::organization_id.eq(organization))
        .filter(password_tries::id.eq(id))
}

/// The identifiers of up to `limit` tries that are over, those that ended first.
#[auto_type]
pub fn ended_tries(organization: Id, now: Stamp, limit: i64) -> _ {
    password_tries::table
        .filter(password_tries::organization_id.eq(organization))
        .filter(password_tries::expires_at.le(now))
        .order(password_tries::expires_at)
        .limit(limit)
        .select(password_tries::id)
}

/// The providers of OpenID Connect of an organization.
#[auto_type]
pub fn providers_of(organization: Id) -> _ {
    oidc_providers::table.filter(oidc_providers::organization_id.eq(organization))
}

/// The user with an account at a provider.
#[auto_type]
pub fn user_of_account(organization: Id, digest: Vec<u8>) -> _ {
    oidc_accounts::table
        .filter(oidc_accounts::organization_id.eq(organization))
        .filter(oidc_accounts::digest.eq(digest))
        .select(oidc_accounts::user_id)
}

/// The accounts of a user at providers.
#[auto_type]
pub fn accounts_of(organization: Id, user: Id) -> _ {
    oidc_accounts::table
        .filter(oidc_accounts::organization_id.eq(organization))
        .filter(oidc_accounts::user_id.eq(user))
}

/// The secrets of single sign-on of an organization.
#[auto_type]
pub fn sso_secrets_of(organization: Id) -> _ {
    sso_secrets::table.filter(sso_secrets::organization_id.eq(organization))
}

diesel::define_sql_function! {
    /// A text in lower case. Letters outside of ASCII stay: the column's order is that of bytes.
    fn lower(text: Nullable<Text>) -> Nullable<Text>;
}

/// The linked users who have an address in any case of its letters: the one who has it as it is, and
/// then the one whose link is the oldest.
#[auto_type]
pub fn users_in_any_case(organization: Id, email: String, lower_email: String) -> _ {
    let is_it = users::email.eq(email);
    users::table
        .filter(users::organization_id.eq(organization))
        .filter(users::is_active)
        .filter(lower(users::email).eq(lower_email))
        .order((is_it.desc(), users::created_at, users::id))
}

/// The linked members of the team. An index has them.
#[auto_type]
pub fn team(organization: Id, limit: i64) -> _ {
    let is_on_team: SqlLiteral<Bool> =
        sql::<Bool>("portal_role IN ('owner', 'admin', 'member', 'viewer')");
    users::table
        .filter(users::organization_id.eq(organization))
        .filter(users::is_active)
        .filter(is_on_team)
        .order(users::user_id)
        .limit(limit)
}

/// The sign-ins of an address.
#[auto_type]
pub fn sign_ins_of(organization: Id, email: String) -> _ {
    sign_ins::table
        .filter(sign_ins::organization_id.eq(organization))
        .filter(sign_ins::email.eq(email))
}

/// The identifiers of up to `limit` sign-ins that are over, those that ended first.
#[auto_type]
pub fn ended_sign_ins(organization: Id, now: Stamp, limit: i64) -> _ {
    sign_ins::table
        .filter(sign_ins::organization_id.eq(organization))
        .filter(sign_ins::expires_at.le(now))
        .order(sign_ins::expires_at)
        .limit(limit)
        .select(sign_ins::id)
}

/// The digests of up to `limit` tokens that are over, those that ended first.
#[auto_type]
pub fn ended_tokens(organization: Id, now: Stamp, limit: i64) -> _ {
    spent_tokens::table
        .filter(spent_tokens::organization_id.eq(organization))
        .filter(spent_tokens::until.le(now))
        .order(spent_tokens::until)
        .limit(limit)
        .select(spent_tokens::digest)
}
