//! `/companies/…`

use crate::once::{Outcome, Repeat, once};
use crate::write::Changing;
use crate::{Caller, Error, Missing, Precondition};
use hearback_domain::Time;
use hearback_domain::company::{
    Company, CompanyFilter, CompanyPatch, CompanySelector, CompanySort,
};
use hearback_domain::id::OrganizationId;
use hearback_domain::record::{Kind, OfKind, Step};
use hearback_ports::page::{BySort, Page, PageRequest};
use hearback_ports::records::Name;
use hearback_ports::{Ports, WriteResult};

/// `/companies/retrieve`: an active company.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    selector: CompanySelector,
) -> Result<Company, Error> {
    active(ports, caller.view(Kind::Company)?, &selector).await
}

/// `/companies/list`: the companies that the filter admits, in an order.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    (filter, sort): (CompanyFilter, CompanySort),
    page: PageRequest<BySort>,
) -> Result<Page<Company, BySort>, Error> {
    let organization = caller.view(Kind::Company)?;
    Ok(ports.companies.page(organization, filter, sort, page).await?)
}

/// `/companies/upsert`: makes a company, or changes the given values. Returns
/// [`WriteResult::Upserted`].
pub async fn upsert(
    ports: &Ports,
    caller: Caller,
    patch: CompanyPatch,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::Company)?;
    let (patch, repeat) = (&patch, repeat.as_ref());
    let key = (Kind::Company, patch.external_id.as_str());
    once(ports, organization, key, repeat, |_| async move {
        let at = ports.clock.now();
        let (step, company) = upserted(ports, organization, patch, at).await?;
        let created = step.before().is_none();
        let answer = WriteResult::Upserted { id: company.id.0, user_id: None, created };
        Changing::new(ports, caller, repeat, at).record(vec![step], answer, |_| None).await
    })
    .await
}

/// `/companies/delete`: its users keep their reference.
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    selector: CompanySelector,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::Company)?;
    let (selector, repeat) = (&selector, repeat.as_ref());
    once(ports, organization, (Kind::Company, "delete"), repeat, |_| async move {
        let (company, at) = (active(ports, organization, selector).await?, ports.clock.now());
        let step = Step::edit(company.clone(), company.with_activity(false), at);
        let round = Changing::new(ports, caller, repeat, at);
        round.record(vec![step], WriteResult::Success, |_| None).await
    })
    .await
}

/// The step that makes or changes the company of a patch, and the company. If another request makes
/// it meanwhile, its external identifier is taken, and the next round finds it.
pub(crate) async fn upserted(
    ports: &Ports,
    organization: OrganizationId,
    patch: &CompanyPatch,
    at: Time,
) -> Result<(Step, Company), Error> {
    let selector = CompanySelector::ExternalId(patch.external_id.clone());
    let known = find(ports, organization, &selector).await?;
    let edit = |company| {
        let edited = patch.clone().edit(company).map_err(Precondition::from);
        edited.map_err(Error::Refused)
    };
    Ok(match known {
        Some(before) => {
            let after = edit(before.clone())?;
            (Step::edit(before, after.clone(), at), after)
        }
        None => {
            let made = edit(patch.create(ports.ids.fresh().into(), at))?;
            (Step::make(made.clone()), made)
        }
    })
}

async fn active(
    ports: &Ports,
    organization: OrganizationId,
    selector: &CompanySelector,
) -> Result<Company, Error> {
    let known = find(ports, organization, selector).await?;
    known.ok_or(Error::NotFound(Missing::Record(Kind::Company)))
}

async fn find(
    ports: &Ports,
    organization: OrganizationId,
    selector: &CompanySelector,
) -> Result<Option<Company>, Error> {
    let id = match selector {
        CompanySelector::Id(id) => id.0,
        CompanySelector::ExternalId(id) => {
            let (kind, names) = (Kind::Company, vec![id.as_str().to_owned()]);
            let named = ports.records.named(organization, kind, Name::ExternalId, names).await?;
            let Some((_, id)) = named.into_iter().next() else { return Ok(None) };
            id
        }
    };
    let known = ports.records.load(organization, vec![(Kind::Company, id)]).await?;
    Ok(known.active(id).cloned())
}
