//! Labels.

use crate::SqliteStore;
use crate::error::BadRow;
use crate::rows::{Id, Origin, all};
use crate::schema::labels;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::id::{LabelId, OrganizationId};
use hearback_domain::label::Label;
use hearback_ports::page::{ByName, Page, PageRequest};
use hearback_ports::{LabelRepository, StoreError};
use std::borrow::Cow;

#[async_trait]
impl LabelRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByName>,
    ) -> Result<Page<Label, ByName>, StoreError> {
        let rows = self
            .readers
            .read("listing labels", |connection| listed(connection, organization, &page))?;
        Ok(Page::cut(all(rows)?, page.limit, |label: &Label| ByName {
            name: label.name.clone(),
            id: label.id.0,
        }))
    }

    async fn are_known(
        &self,
        organization: OrganizationId,
        labels: Vec<LabelId>,
    ) -> Result<bool, StoreError> {
        self.readers.snapshot("looking labels up", |connection| {
            are_known(connection, organization, &labels)
        })
    }
}

/// The labels of a page and the one behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    page: &PageRequest<ByName>,
) -> QueryResult<Vec<LabelRow<'static>>> {
    let mut query = labels::table
        .filter(labels::organization_id.eq(Id::of(organization)))
        .filter(labels::is_active)
        .order((labels::name, labels::id))
        .limit(page.limit.and_one())
        .select(LabelRow::as_select())
        .into_boxed();
    if let Some(ByName { name, id }) = &page.after {
        query = query
            .filter(labels::name.ge(name))
            .filter(labels::name.gt(name).or(labels::id.gt(Id(*id))));
    }
    query.load(connection)
}

/// Whether all of these are active ones of the organization.
pub(crate) fn are_known(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    labels: &[LabelId],
) -> QueryResult<bool> {
    for &label in labels {
        let is_known: bool = diesel::select(exists(
            labels::table
                .filter(labels::organization_id.eq(Id::of(organization)))
                .filter(labels::id.eq(Id::of(label)))
                .filter(labels::is_active),
        ))
        .get_result(connection)?;
        if !is_known {
            return Ok(false);
        }
    }
    Ok(true)
}

stored!(Label: labels.id as LabelRow<'static>);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = labels,
    check_for_backend(Sqlite),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct LabelRow<'a> {
    id: Id,
    name: Cow<'a, str>,
    code: Cow<'a, str>,
    color: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    is_active: bool,
    created_at: i64,
}

impl<'a> From<&'a Label> for LabelRow<'a> {
    fn from(label: &'a Label) -> Self {
        Self {
            id: Id::of(label.id),
            name: Cow::from(&label.name),
            code: Cow::from(&label.code),
            color: Cow::from(&label.color),
            description: label.description.as_deref().map(Cow::from),
            is_active: label.is_active,
            created_at: label.created_at.unix_millis(),
        }
    }
}

impl TryFrom<LabelRow<'_>> for Label {
    type Error = BadRow;

    fn try_from(row: LabelRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("labels", row.id);
        Ok(Self {
            id: row.id.to(),
            name: row.name.into_owned(),
            code: row.code.into_owned(),
            color: row.color.into_owned(),
            description: row.description.map(Cow::into_owned),
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
