//! Companies of users.

use crate::attributes::{Attributes, AttributesPatch, TooManyAttributes};
use crate::edit::replace;
use crate::id::CompanyId;
use crate::spend::Spend;
use crate::text::{ExternalId, Name, ShortText};
use crate::{ClosedSet, Time};

/// A company whose people are users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Company {
    /// The identifier.
    pub id: CompanyId,
    /// The identifier that another tool gave the company, unique among the organization's active
    /// companies.
    pub external_id: String,
    /// The name.
    pub name: String,
    /// What the company pays in a month.
    pub monthly_spend: Spend,
    /// The status as a customer, an open set, or empty: `paying`, …
    pub customer_status: String,
    /// The values that the organization keeps with the company.
    pub attributes: Attributes,
    /// `false` if the company is deleted.
    pub is_active: bool,
    /// When the company was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

/// The fields of `/companies/upsert`. A value that is not given stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanyPatch {
    /// The identifier that another tool gave the company. It finds the company.
    pub external_id: ExternalId,
    /// The name. A new company has the identifier as its name unless one is given.
    pub name: Option<Name>,
    /// What the company pays in a month.
    pub monthly_spend: Option<Spend>,
    /// The status as a customer.
    pub customer_status: Option<ShortText>,
    /// New values of attributes.
    pub attributes: AttributesPatch,
}

impl CompanyPatch {
    /// A company with the identifier, and nothing else.
    pub fn create(&self, id: CompanyId, now: Time) -> Company {
        Company {
            id,
            external_id: self.external_id.as_str().to_owned(),
            name: self.external_id.as_str().to_owned(),
            monthly_spend: Spend::default(),
            customer_status: String::new(),
            attributes: Attributes::default(),
            is_active: true,
            created_at: now,
            updated_at: now,
        }
    }

    /// The company with the new values.
    pub fn edit(self, mut company: Company) -> Result<Company, TooManyAttributes> {
        replace(&mut company.name, self.name);
        replace(&mut company.monthly_spend, self.monthly_spend);
        replace(&mut company.customer_status, self.customer_status);
        company.attributes = company.attributes.with(self.attributes)?;
        Ok(company)
    }
}

/// Selects a company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompanySelector {
    /// The company with this identifier.
    Id(CompanyId),
    /// The company to which another tool gave this identifier.
    ExternalId(ExternalId),
}

/// Selects the companies of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompanyFilter {
    /// Only companies with this status as a customer.
    pub customer_status: Option<String>,
    /// Only companies with all of these attributes.
    pub attributes: Attributes,
    /// Only companies that were made then or later.
    pub created_after: Option<Time>,
    /// Only companies that changed then or later.
    pub updated_after: Option<Time>,
    /// Whether deleted companies are included.
    pub include_deleted: bool,
}

/// The orders of a list of companies. Each ends in the identifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompanySort {
    /// `newest`: the youngest first.
    #[default]
    Newest,
    /// `oldest`: the oldest first.
    Oldest,
    /// `name`: by name.
    Name,
    /// `updated`: the last changed first.
    Updated,
    /// `spend`: the highest spend first.
    Spend,
    /// By the last change, oldest first: the order in which a mirror follows changes. The API has
    /// no code for it.
    Changes,
}

impl ClosedSet for CompanySort {
    const ALL: &'static [Self] =
        &[Self::Newest, Self::Oldest, Self::Name, Self::Updated, Self::Spend];

    fn code(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Name => "name",
            Self::Updated => "updated",
            Self::Spend => "spend",
            Self::Changes => "changes",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;

    #[test]
    fn an_upsert_keeps_what_it_does_not_give() {
        let bare = CompanyPatch {
            external_id: ExternalId::parse("c-1").unwrap(),
            name: None,
            monthly_spend: None,
            customer_status: None,
            attributes: AttributesPatch::default(),
        };
        let made = bare.create(Uuid::nil().into(), Time::MIN);
        assert_eq!((&*made.name, made.monthly_spend.to_string()), ("c-1", "0.00".to_owned()));
        assert_eq!(bare.clone().edit(made.clone()), Ok(made.clone()));
        let spend = Spend::parse("9.5").unwrap();
        let patch = CompanyPatch { monthly_spend: Some(spend), ..bare };
        assert_eq!(patch.edit(made.clone()), Ok(Company { monthly_spend: spend, ..made }));
    }
}
