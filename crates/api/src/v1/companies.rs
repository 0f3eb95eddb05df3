//! `/companies/…`

use crate::answer::{AttributesView, SpendView, Timestamp};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{Fields, Noted, attributes, bounded, spend, timestamp, uuid, wanted};
use crate::page::Paging;
use crate::v1::changes::{Listed, sorted_changes};
use hearback_app::{Missing, Precondition, companies};
use hearback_domain::company::{
    Company, CompanyFilter, CompanyPatch, CompanySelector, CompanySort,
};
use hearback_domain::record::Kind;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::BySort;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/companies/retrieve",
        "Retrieve a company, by exactly one of id and external_id",
        handler!(object<CompanyView>: selector => companies::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::Company))]),
    read(
        "/companies/list",
        "List companies, newest first",
        handler!(page<ListedCompany>: filtered => companies::list),
    ),
    write(
        "/companies/upsert",
        "Make a company, or change the one with this external_id",
        handler!(upserted: values => companies::upsert),
    )
    .refusing(&[Refused(Precondition::TooManyAttributes)]),
    write(
        "/companies/delete",
        "Delete a company, by exactly one of id and external_id",
        handler!(success: selector => companies::delete),
    )
    .refusing(&[NotFound(Missing::Record(Kind::Company))]),
];

fn selector(fields: &mut Fields<'_>) -> Result<CompanySelector, Noted> {
    fields.exactly_one_of(&["id", "external_id"]);
    let id = fields.optional("id", uuid);
    let external_id = fields.optional("external_id", |value| match bounded(value)? {
        _ if !matches!(id, Ok(None)) => Err(Wrong::Rule("id and external_id exclude each other")),
        external_id => Ok(external_id),
    });
    match (id?, external_id?) {
        (Some(id), _) => Ok(CompanySelector::Id(id.into())),
        (None, Some(id)) => Ok(CompanySelector::ExternalId(id)),
        (None, None) => Err(fields.fault("id", Wrong::Missing)),
    }
}

/// The names of the fields that [`values`] reads.
pub(super) const MEMBERS: &[&str] =
    &["external_id", "name", "monthly_spend", "customer_status", "attributes"];

/// The values of a company.
pub(super) fn values(fields: &mut Fields<'_>) -> Result<CompanyPatch, Noted> {
    let external_id = fields.required("external_id", bounded);
    let name = fields.optional("name", bounded);
    let monthly_spend = fields.optional("monthly_spend", spend);
    let customer_status = fields.optional("customer_status", bounded);
    let attributes = fields.optional("attributes", attributes);
    Ok(CompanyPatch {
        external_id: external_id?,
        name: name?,
        monthly_spend: monthly_spend?,
        customer_status: customer_status?,
        attributes: attributes?.unwrap_or_default(),
    })
}

type Filtered = ((CompanyFilter, CompanySort), Paging<BySort>);

fn filtered(fields: &mut Fields<'_>) -> Result<Filtered, Noted> {
    let customer_status = fields.optional("customer_status", bounded::<0, 512>);
    let attributes = fields.optional("attributes", wanted);
    let created_after = fields.optional("created_after", timestamp);
    let changes = sorted_changes(fields, CompanySort::Changes);
    let filter = changes.and_then(|(changes, _)| {
        Ok(CompanyFilter {
            customer_status: customer_status?.map(String::from),
            attributes: attributes?.unwrap_or_default(),
            created_after: created_after?,
            updated_after: changes.updated_after,
            include_deleted: changes.include_deleted,
        })
    });
    let list = changes.and_then(|(changes, sort)| {
        let filter = filter.as_ref().map_err(|noted| *noted)?;
        Ok(changes
            .list(fields, sort.code())
            .filter(filter.created_after.map(|time| time.to_string()))
            .filter(filter.customer_status.as_ref())
            .filter_by_attributes(&filter.attributes))
    });
    let paging = fields.paging(list);
    let (_, sort) = changes?;
    Ok(((filter?, sort), paging?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Company)]
pub(crate) struct CompanyView<'a> {
    id: Uuid,
    external_id: &'a str,
    name: &'a str,
    #[schema(inline)]
    monthly_spend: SpendView,
    customer_status: &'a str,
    #[schema(inline)]
    attributes: AttributesView<'a>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a Company> for CompanyView<'a> {
    fn from(company: &'a Company) -> Self {
        Self {
            id: company.id.0,
            external_id: &company.external_id,
            name: &company.name,
            monthly_spend: company.monthly_spend.into(),
            customer_status: &company.customer_status,
            attributes: AttributesView(&company.attributes),
            created_at: company.created_at.into(),
            updated_at: company.updated_at.into(),
        }
    }
}

pub(crate) type ListedCompany<'a> = Listed<CompanyView<'a>>;

impl<'a> From<&'a Company> for ListedCompany<'a> {
    fn from(company: &'a Company) -> Self {
        Self::of(company, company.is_active, company.id, company.updated_at)
    }
}
