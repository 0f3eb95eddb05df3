//! `/users/merge` and `/users/erase`: changes of all that refers to a person.

use crate::crud::edit_and_follow;
use crate::effects::{Effects, Tried};
use crate::finish;
use crate::once::Repeat;
use crate::write::{self, Decided};
use crate::{Caller, Error};
use hearback_domain::company::Company;
use hearback_domain::follow_up::{Affected, FollowUp, Only};
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::one_person::Traces;
use hearback_domain::record::{Kind, OfKind, Step};
use hearback_domain::user::User;
use hearback_ports::Ports;

/// The input of [`merge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeUsers {
    /// The user who is deleted.
    pub user: UserId,
    /// The user who is the same person, and stays.
    pub into: UserId,
    /// Whether nothing is changed.
    pub dry_run: bool,
}

/// `/users/merge`: deletes a user, and gives another one all that refers to the user.
pub async fn merge(
    ports: &Ports,
    caller: Caller,
    MergeUsers { user, into, dry_run }: MergeUsers,
    repeat: Option<Repeat>,
) -> Result<Tried, Error> {
    let organization = caller.manage(Kind::User)?;
    if dry_run {
        let source = write::find::<User>(ports, caller, user).await?;
        write::find::<User>(ports, caller, into).await?;
        caller.may_step(&erasing(&source))?;
        let [posts, comments, votes] = counts(ports, organization, user).await?;
        let both = (user, into);
        let votes_dropped = ports.records.shared(organization, Kind::Vote, both).await?;
        let subscribed = Affected { kind: Kind::Subscription, member: "user_id", only: Only::All };
        let subscribed = ports.records.count(organization, subscribed, user.0).await?;
        let dropped = ports.records.shared(organization, Kind::Subscription, both).await?;
        return Ok(Tried::Would(Effects(vec![
            ("posts_moved", posts),
            ("comments_moved", comments),
            ("votes_moved", votes - votes_dropped),
            ("votes_dropped", votes_dropped),
            ("subscriptions_moved", subscribed - dropped),
        ])));
    }
    let follow_up = FollowUp::Replace { key: (Kind::User, user.0), by: Some(into.0) };
    let rule = move |user: User| async move {
        let other = write::find::<User>(ports, caller, into).await?;
        let at = ports.clock.now();
        let source = with_active_company(ports, organization, user.clone()).await?;
        let completed = Step::edit(other.clone(), other.completed_by(&source), at);
        let moved = finish::first_steps(ports, organization, follow_up, at).await?;
        Ok(Decided {
            // The user gives the address up first.
            then: std::iter::once(completed).chain(moved).collect(),
            needs: vec![write::need("into_user_id", Kind::User, into)],
            follow_ups: vec![follow_up],
            ..user.erased().into()
        })
    };
    edit_and_follow(ports, caller, user, repeat, rule).await.map(Tried::Did)
}

/// The step that erases a user.
fn erasing(user: &User) -> Step {
    Step::Edit { before: user.clone().into_record(), after: user.clone().erased().into_record() }
}

/// The user, without a company that is deleted: nobody can join it.
async fn with_active_company(
    ports: &Ports,
    organization: OrganizationId,
    user: User,
) -> Result<User, Error> {
    let Some(id) = user.company_id else { return Ok(user) };
    let known = ports.records.load(organization, vec![(Kind::Company, id.0)]).await?;
    let is_active = known.active::<Company>(id).is_some();
    Ok(User { company_id: Some(id).filter(|_| is_active), ..user })
}

/// The input of [`erase`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EraseUser {
    /// The person.
    pub user: UserId,
    /// What becomes of posts, comments and votes.
    pub traces: Traces,
    /// Whether nothing is changed.
    pub dry_run: bool,
}

/// `/users/erase`: nothing in the store tells who a user was, whether the user is deleted or not.
pub async fn erase(
    ports: &Ports,
    caller: Caller,
    EraseUser { user, traces, dry_run }: EraseUser,
    repeat: Option<Repeat>,
) -> Result<Tried, Error> {
    let organization = caller.manage(Kind::User)?;
    if dry_run {
        let before = write::any::<User>(ports, organization, user.0).await?;
        let is_erased = before == before.clone().erased();
        caller.may_step(&erasing(&before))?;
        let counts = counts(ports, organization, user).await?;
        let (deleted, kept) = match traces {
            Traces::Anonymize => ([0; 3], counts.into_iter().sum()),
            Traces::Delete => (counts, 0),
        };
        let [posts, comments, votes] = deleted;
        return Ok(Tried::Would(Effects(vec![
            ("posts_deleted", posts),
            ("comments_deleted", comments),
            ("votes_deleted", votes),
            ("records_anonymized", if is_erased { 0 } else { 1 + kept }),
        ])));
    }
    let follow_up = FollowUp::Erase { user, traces };
    let rule = async |user: User, at| {
        Ok(Decided {
            then: finish::first_steps(ports, organization, follow_up, at).await?,
            follow_ups: vec![follow_up],
            ..user.erased().into()
        })
    };
    let outcome = write::edit_any(ports, caller, user, repeat, rule).await?;
    finish::follow(ports, organization).await;
    Ok(Tried::Did(outcome))
}

/// The numbers of a user's active posts, active comments, and votes.
async fn counts(
    ports: &Ports,
    organization: OrganizationId,
    user: UserId,
) -> Result<[i64; 3], Error> {
    let mut counts = [0; 3];
    for (count, (kind, member, only)) in counts.iter_mut().zip([
        (Kind::FeedbackPost, "author_id", Only::Active),
        (Kind::Comment, "author_id", Only::Active),
        (Kind::Vote, "user_id", Only::All),
    ]) {
        let affected = Affected { kind, member, only };
        *count = ports.records.count(organization, affected, user.0).await?;
    }
    Ok(counts)
}
