//! `/users/…`

use crate::crud::edit_and_follow;
use crate::once::{Outcome, Repeat, once};
use crate::people::selector;
use crate::portable::members;
use crate::write::{self, Changing, Decided, Update};
use crate::{Caller, Error, Missing, Precondition, companies};
use hearback_domain::company::{Company, CompanyPatch};
use hearback_domain::edit::Patch;
use hearback_domain::follow_up::FollowUp;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::permission::Role;
use hearback_domain::person::{Handle, NOT_ON_TEAM};
use hearback_domain::record::{Kind, Known, OfKind, Step};
use hearback_domain::user::{User, UserFilter, UserPatch, UserSelector, UserSort};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::page::{BySort, Page, PageRequest};
use hearback_ports::{Ports, Unique, WriteResult};
use serde_json::{Map, Value};
use std::future::ready;

/// `/users/retrieve`: a user who is linked to the organization.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    selector: UserSelector,
) -> Result<User, Error> {
    let organization = caller.view(Kind::User)?;
    ports
        .users
        .find(organization, selector)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::User)))
}

/// `/users/list`: the users that the filter admits, in an order.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    (filter, sort): (UserFilter, UserSort),
    page: PageRequest<BySort>,
) -> Result<Page<User, BySort>, Error> {
    let organization = caller.view(Kind::User)?;
    Ok(ports.users.page(organization, filter, sort, page).await?)
}

/// The new values of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchUser {
    /// The values of the user.
    pub patch: UserPatch,
    /// The company that the user joins. It is made, or gets these values.
    pub company: Option<CompanyPatch>,
}

impl PatchUser {
    /// The step of the company, and the user with the new values.
    async fn edit(
        &self,
        ports: &Ports,
        organization: OrganizationId,
        user: User,
        at: Time,
    ) -> Result<(Option<Step>, User), Error> {
        let (step, company) = match &self.company {
            Some(patch) => {
                let (step, company) = companies::upserted(ports, organization, patch, at).await?;
                (Some(step), Some(company))
            }
            None => (None, None),
        };
        let edited = self.patch.clone().edit(user, company.as_ref()).map_err(Precondition::from);
        Ok((step, edited.map_err(Error::Refused)?))
    }
}

/// The input of [`upsert`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpsertUser {
    /// The property of a new user that no other user has: the external identifier if there is one.
    pub handle: Handle,
    /// The values.
    pub values: PatchUser,
    /// When a new user was made, if the user comes from another tool.
    pub created_at: Option<Time>,
}

/// `/users/upsert`: makes a user, links a deleted one again, or changes the given values. The
/// external identifier finds the user, or else the address. Returns [`WriteResult::Upserted`].
pub async fn upsert(
    ports: &Ports,
    caller: Caller,
    input: UpsertUser,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::User)?;
    let (input, repeat) = (&input, repeat.as_ref());
    let key = format!("{:?}", input.handle);
    once(ports, organization, (Kind::User, key), repeat, |_| async move {
        let at = ports.clock.now();
        let Upserting { known, user, steps } = upserting(ports, organization, input, at).await?;
        let answer = WriteResult::Upserted {
            id: user.id.0,
            user_id: Some(user.user_id.0),
            created: known.as_ref().is_none_or(|user| !user.is_active),
        };
        // If a new user has a taken property, the next round finds the user who has it.
        let refusal = |unique| {
            (known.is_some() && unique == Unique::Email).then_some(Precondition::EmailTaken)
        };
        Changing::new(ports, caller, repeat, at).record(steps, answer, refusal).await
    })
    .await
}

/// The steps of [`upsert`] that would change something now: that of the company, and that of the
/// user.
pub async fn upsert_steps(
    ports: &Ports,
    caller: Caller,
    input: UpsertUser,
) -> Result<Vec<Step>, Error> {
    let organization = caller.manage(Kind::User)?;
    let Upserting { mut steps, .. } =
        upserting(ports, organization, &input, ports.clock.now()).await?;
    steps.retain(|step| !step.is_empty());
    steps.iter().try_for_each(|step| caller.may_step(step))?;
    Ok(steps)
}

/// The change that an upsert makes to a user.
struct Upserting {
    /// The stored user, linked or not.
    known: Option<User>,
    /// The user with the new values.
    user: User,
    steps: Vec<Step>,
}

async fn upserting(
    ports: &Ports,
    organization: OrganizationId,
    UpsertUser { handle, values, created_at }: &UpsertUser,
    at: Time,
) -> Result<Upserting, Error> {
    let known = known(ports, organization, &values.patch).await?;
    let user = known.clone().unwrap_or_else(|| {
        let [id, person] = [(); 2].map(|()| ports.ids.fresh());
        handle.user(None, id.into(), person.into(), created_at.unwrap_or(at))
    });
    // A user who is linked again has no role: the second factor went with the link.
    let portal_role = match user.is_active {
        true => user.portal_role.clone(),
        false => NOT_ON_TEAM.to_owned(),
    };
    let linked = User { is_active: true, portal_role, ..user };
    let (company, user) = values.edit(ports, organization, linked, at).await?;
    let step = match &known {
        Some(before) => Step::edit(before.clone(), user.clone(), at),
        None => Step::make(user.clone()),
    };
    Ok(Upserting { known, user, steps: company.into_iter().chain([step]).collect() })
}

/// The user of an upsert: the linked one with the external identifier, or else the one with the
/// address, or else a deleted one with the external identifier.
async fn known(
    ports: &Ports,
    organization: OrganizationId,
    patch: &UserPatch,
) -> Result<Option<User>, Error> {
    let find = async |handle: Option<Handle>| match handle {
        Some(handle) => ports.users.find_any(organization, selector(&handle)).await,
        None => Ok(None),
    };
    let external_id = match &patch.external_id {
        Patch::Set(id) => Some(Handle::ExternalId(id.clone())),
        Patch::Keep | Patch::Clear => None,
    };
    let by_id = find(external_id).await?;
    if by_id.as_ref().is_some_and(|user| user.is_active) {
        return Ok(by_id);
    }
    Ok(find(patch.email.clone().map(Handle::Email)).await?.or(by_id))
}

/// The input of [`update`].
pub type UpdateUser = Update<UserId, PatchUser>;

/// `/users/update`: changes the given values.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    input: UpdateUser,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::User)?;
    let update = || {
        write::update_with(
            ports,
            caller,
            input.clone(),
            repeat.clone(),
            async |values: PatchUser, user: User| {
                let at = ports.clock.now();
                let (company, user) = values.edit(ports, organization, user, at).await?;
                Ok(Decided { first: company.into_iter().collect(), ..user.into() })
            },
        )
    };
    match update().await {
        // Another request may have made the company meanwhile. Now it is found.
        Err(Error::Refused(Precondition::ExternalIdTaken)) if input.patch.company.is_some() => {
            update().await
        }
        updated => updated,
    }
}

/// The person whom [`upsert`] has made or changed.
pub(crate) fn upserted(outcome: Outcome) -> Result<UserId, Error> {
    let (Outcome::Fresh(result) | Outcome::Replayed(result)) = outcome;
    match result {
        WriteResult::Upserted { user_id: Some(id), .. } => Ok(id.into()),
        // An upsert of a user answers with the person.
        _ => Err(Error::NotFound(Missing::Record(Kind::User))),
    }
}

/// Gives a user a role on the team.
pub(crate) async fn set_role(
    ports: &Ports,
    caller: Caller,
    id: UserId,
    role: Role,
) -> Result<Outcome, Error> {
    write::edit(ports, caller, id, None, |user: User| {
        Ok(User { portal_role: role.code().to_owned(), ..user })
    })
    .await
}

/// The input of [`block`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockUser {
    /// The user.
    pub id: UserId,
    /// Whether the posts and comments of the user that wait for moderation are rejected.
    pub reject_pending: bool,
}

/// `/users/block`: the user may neither sign in, post, comment nor vote. The sessions of the user end.
pub async fn block(
    ports: &Ports,
    caller: Caller,
    BlockUser { id, reject_pending }: BlockUser,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit_and_follow(ports, caller, id, repeat, |user: User| {
        let rejected = reject_pending.then_some(FollowUp::RejectPending { author: user.user_id });
        let follow_ups = rejected.into_iter().collect();
        let user = User { is_blocked: true, ..user };
        ready(Ok(Decided { follow_ups, ..user.into() }))
    })
    .await
}

/// A user with all records that refer to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserExport {
    /// The user.
    pub user: Map<String, Value>,
    /// The company of the user.
    pub company: Option<Map<String, Value>>,
    /// The other records, by kind, as the portable format has them.
    pub records: Vec<(Kind, Map<String, Value>)>,
}

/// `/users/export`: all that is stored of a person, who may be deleted.
pub async fn export(ports: &Ports, caller: Caller, id: UserId) -> Result<UserExport, Error> {
    let organization = caller.view(Kind::User)?;
    let user = write::any::<User>(ports, organization, id.0).await?;
    let company = match user.company_id {
        Some(id) => ports.records.load(organization, vec![(Kind::Company, id.0)]).await?,
        None => Known::default(),
    };
    let company = user.company_id.and_then(|id| company.any::<Company>(id).cloned());
    let same = FollowUp::Replace { key: (Kind::User, id.0), by: None };
    let keys = ports.records.affected(organization, same, i64::MAX).await?;
    let mut records = Vec::with_capacity(keys.len());
    for some in keys.chunks(LOADED_AT_ONCE) {
        let known = ports.records.load(organization, some.to_vec()).await?;
        let found = some.iter().filter_map(|key| known.get(*key));
        records.extend(found.map(|record| (record.kind(), members(record))));
    }
    Ok(UserExport {
        user: members(&user.into_record()),
        company: company.map(|company| members(&company.into_record())),
        records,
    })
}

/// The number of records that an export loads at once.
const LOADED_AT_ONCE: usize = 500;

/// `/users/unblock`
pub async fn unblock(
    ports: &Ports,
    caller: Caller,
    id: UserId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, caller, id, repeat, |user| Ok(User { is_blocked: false, ..user })).await
}
