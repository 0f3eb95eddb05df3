//! The members of the team: invitations, roles, and the end of a membership.
//!
//! [`Role::may_give`] says who changes which role. An organization keeps its last owner.

use crate::audit;
use crate::once::once;
use crate::sign_in::{self, Secret};
use crate::write::{Changing, active};
use crate::{Caller, Error, Missing, Precondition, Vault};
use hearback_domain::ClosedSet;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::permission::Role;
use hearback_domain::person::{Email, NOT_ON_TEAM};
use hearback_domain::record::{Kind, OfKind, Step};
use hearback_domain::session::{Proof, Redeemed, SignIn, TokenDigest};
use hearback_domain::user::User;
use hearback_ports::{Ports, WriteResult};

/// The team: its members, and the invitations that are open.
pub async fn team(ports: &Ports, caller: Caller) -> Result<(Vec<User>, Vec<SignIn>), Error> {
    let organization = caller.view(Kind::User)?;
    let members = of_organization(ports, organization).await?;
    let invitations = ports.sessions.invitations(organization, ports.clock.now()).await?;
    Ok((members, invitations))
}

/// The members of the team: owners first, then the other roles, each from its oldest member on.
pub async fn members(ports: &Ports, caller: Caller) -> Result<Vec<User>, Error> {
    of_organization(ports, caller.view(Kind::User)?).await
}

async fn of_organization(ports: &Ports, organization: OrganizationId) -> Result<Vec<User>, Error> {
    let mut members = ports.users.team(organization, MOST_MEMBERS).await?;
    let rank = |user: &User| Role::ALL.iter().position(|role| user.role() == Some(*role));
    members.sort_by_key(|user| (rank(user), user.created_at, user.id));
    Ok(members)
}

/// The most members of a team that are looked up.
pub(crate) const MOST_MEMBERS: i64 = 500;

/// Invites a person to a role. Returns the token of the link, which is good once, for seven days,
/// and ends those of earlier invitations of the address.
pub async fn invite(
    ports: &Ports,
    vault: &Vault,
    caller: Caller,
    email: &Email,
    role: Role,
) -> Result<Secret, Error> {
    let organization = caller.manage_members()?;
    let present = sign_in::known(ports, organization, email).await?.and_then(|user| user.role());
    if !caller.may_give(present, Some(role)) {
        return Err(Error::Refused(Precondition::OwnersAlone));
    }
    // The last owner would be none by an invitation to another role.
    if present == Some(Role::Owner) && role != Role::Owner {
        return Err(Error::Refused(Precondition::OwnersAlone));
    }
    invite_by_operator(ports, vault, caller, email, role).await
}

/// [`invite`] by somebody who may give each role to everybody.
pub async fn invite_by_operator(
    ports: &Ports,
    vault: &Vault,
    caller: Caller,
    email: &Email,
    role: Role,
) -> Result<Secret, Error> {
    let organization = caller.manage_members()?;
    let token = sign_in::invite(ports, vault, organization, email, role).await?;
    note(ports, caller, organization, ("invited", email.as_str()), Some(role)).await?;
    Ok(token)
}

/// Ends an invitation. Returns `false` if it was over already.
pub async fn withdraw(ports: &Ports, caller: Caller, link: TokenDigest) -> Result<bool, Error> {
    let organization = caller.manage_members()?;
    let now = ports.clock.now();
    let Some(invitation) = ports.sessions.offered(organization, link, now).await? else {
        return Ok(false);
    };
    let Some(role) = invitation.role else { return Ok(false) };
    if !caller.may_give(None, Some(role)) {
        return Err(Error::Refused(Precondition::OwnersAlone));
    }
    // An invitation is good once: here it is used up, and signs nobody in.
    let redeemed = ports.sessions.redeem(organization, Proof::Link(link), now).await?;
    let Redeemed::Done(invitation) = redeemed else { return Ok(false) };
    note(ports, caller, organization, ("withdrawn", &invitation.email), None).await?;
    Ok(true)
}

/// Gives a member another role, or none: the user is on the team no longer, and ends all sessions of
/// the user. `except` is the session that goes on, if the member is the caller.
pub async fn change(
    ports: &Ports,
    caller: Caller,
    id: UserId,
    role: Option<Role>,
    except: Option<TokenDigest>,
) -> Result<(), Error> {
    let organization = caller.manage_members()?;
    once(ports, organization, (Kind::User, id.0.to_string()), None, |_| async move {
        let at = ports.clock.now();
        let user: User = active(ports, organization, id.0).await?;
        let present = user.role();
        if present.is_none() {
            return Err(Error::NotFound(Missing::Record(Kind::User)));
        }
        if !caller.may_give(present, role) {
            return Err(Error::Refused(Precondition::OwnersAlone));
        }
        let mut steps = Vec::new();
        if present == Some(Role::Owner) && role != Some(Role::Owner) {
            let members = of_organization(ports, organization).await?;
            let is_other =
                |it: &User| it.role() == Some(Role::Owner) && !it.is_blocked && it.user_id != id;
            let other = members.into_iter().find(is_other);
            let other = other.ok_or(Error::Refused(Precondition::LastOwner))?;
            // Of two changes that each rest on the other one's owner, one is decided again.
            let touched = User { updated_at: at.max(other.updated_at), ..other.clone() };
            steps.push(Step::Edit { before: other.into_record(), after: touched.into_record() });
        }
        let code = role.map_or(NOT_ON_TEAM, Role::code);
        let changed = User { portal_role: code.to_owned(), ..user.clone() };
        steps.push(Step::edit(user, changed, at));
        Changing::new(ports, caller, None, at).record(steps, WriteResult::Success, |_| None).await
    })
    .await?;
    Ok(ports.sessions.end_all(organization, id, except).await?)
}

/// Writes an entry of the audit log about an invitation. An invitation is no record.
async fn note(
    ports: &Ports,
    caller: Caller,
    organization: OrganizationId,
    (what, email): (&'static str, &str),
    role: Option<Role>,
) -> Result<(), Error> {
    let data = serde_json::json!({ what: email, "role": role.map(Role::code) }).to_string();
    audit::note(ports, caller, organization, data).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::{id, mocks};
    use crate::{Denied, MasterKey, Who};
    use hearback_domain::Time;
    use hearback_domain::permission::Permission;
    use hearback_domain::person::Handle;
    use hearback_domain::plan::Plan;
    use hearback_domain::record::Known;
    use hearback_ports::Recorded;
    use hearback_ports::mock::Mocks;
    use std::sync::{Arc, Mutex};

    const ORGANIZATION: OrganizationId = OrganizationId(hearback_domain::Uuid::from_u128(1));

    fn caller(role: Role) -> Caller {
        let who = Who::Member { user: id(9), role };
        Caller::new(ORGANIZATION, Plan::FULL, who).doing("/members/test")
    }

    fn user(number: u128, role: &str) -> User {
        let email = Email::parse(&format!("{number}@example.com")).unwrap();
        let user = Handle::Email(email).user(None, id(number), id(100 + number), Time::MIN);
        User { portal_role: role.to_owned(), ..user }
    }

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"5a".repeat(32)).unwrap())
    }

    fn email() -> Email {
        Email::parse("1@example.com").unwrap()
    }

    fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
        format!("{:?}", result.unwrap_err())
    }

    #[tokio::test]
    async fn members_and_viewers_change_nothing_and_nothing_is_looked_up() {
        let denied = format!("{:?}", Error::from(Denied::Permission(Permission::ManageMembers)));
        let link = TokenDigest([1; 32]);
        for role in [Role::Member, Role::Viewer] {
            let (ports, caller) = (Mocks::default().ports(), caller(role));
            let invited = invite(&ports, &vault(), caller, &email(), Role::Viewer).await;
            assert_eq!(refusal(invited), denied);
            assert_eq!(refusal(withdraw(&ports, caller, link).await), denied);
            assert_eq!(refusal(change(&ports, caller, id(101), None, None).await), denied);
        }
    }

    #[tokio::test]
    async fn an_invitation_neither_makes_an_owner_by_an_admin_nor_unmakes_one() {
        let refused = "Refused(OwnersAlone)";
        for (by, present, wanted) in [
            (Role::Admin, None, Role::Owner),
            (Role::Admin, Some("owner"), Role::Admin),
            (Role::Owner, Some("owner"), Role::Viewer),
        ] {
            let mut mocks = Mocks::default();
            let found = present.map(|role| user(1, role));
            mocks.users.expect_find().returning(move |_, _| Ok(found.clone()));
            let invited = invite(&mocks.ports(), &vault(), caller(by), &email(), wanted).await;
            assert_eq!(refusal(invited), refused, "{by:?} {present:?} {wanted:?}");
        }
    }

    /// Changes the role of the first owner, if these are all owners.
    async fn demoted(owners: Vec<User>) -> (Result<(), Error>, Vec<Step>) {
        let mut mocks = mocks();
        let first = owners[0].clone();
        let known = Known::new([first.clone().into_record()]);
        mocks.records.expect_load().returning(move |_, _| Ok(known.clone()));
        mocks.users.expect_team().returning(move |_, _| Ok(owners.clone()));
        let steps = Arc::<Mutex<Vec<Step>>>::default();
        let seen = Arc::clone(&steps);
        mocks.records.expect_apply().returning(move |_, change| {
            *seen.lock().unwrap() = change.steps;
            Ok(Recorded::Done)
        });
        mocks.alarm.expect_ring().return_const(());
        mocks.sessions.expect_end_all().returning(|_, _, except| {
            assert_eq!(except, None);
            Ok(())
        });
        let to = Some(Role::Member);
        let changed = change(&mocks.ports(), caller(Role::Owner), first.user_id, to, None).await;
        let steps = steps.lock().unwrap().clone();
        (changed, steps)
    }

    #[tokio::test]
    async fn the_last_owner_stays_and_another_one_is_held_while_an_owner_leaves() {
        let (refused, steps) = demoted(vec![user(1, "owner")]).await;
        assert_eq!((refusal(refused), steps), ("Refused(LastOwner)".to_owned(), vec![]));

        let (changed, steps) = demoted(vec![user(1, "owner"), user(2, "owner")]).await;
        changed.unwrap();
        let edited = |step: &Step| User::of_record(step.after()?).cloned();
        let roles: Vec<(String, String)> =
            steps.iter().filter_map(edited).map(|user| (user.email, user.portal_role)).collect();
        let named = |number: u128, role: &str| (format!("{number}@example.com"), role.to_owned());
        assert_eq!(roles, [named(2, "owner"), named(1, "member")]);
    }

    #[tokio::test]
    async fn somebody_who_is_not_on_the_team_is_no_member() {
        let mut mocks = mocks();
        let known = Known::new([user(1, NOT_ON_TEAM).into_record()]);
        mocks.records.expect_load().returning(move |_, _| Ok(known.clone()));
        let changed = change(&mocks.ports(), caller(Role::Owner), id(101), None, None).await;
        assert_eq!(refusal(changed), "NotFound(Record(User))");
    }
}
