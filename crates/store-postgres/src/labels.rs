//! Labels of changelog entries.

use crate::PgStore;
use crate::error::BadRow;
use crate::readers::Walk;
use crate::rows::{Origin, all, timestamp};
use crate::schema::labels;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::auto_type;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::Uuid;
use hearback_domain::id::{LabelId, OrganizationId};
use hearback_domain::label::Label;
use hearback_ports::page::{ByName, Page, PageRequest};
use hearback_ports::{LabelRepository, StoreError};
use std::borrow::Cow;
use std::collections::HashSet;

#[async_trait]
impl LabelRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByName>,
    ) -> Result<Page<Label, ByName>, StoreError> {
        let PageRequest { after, limit } = page;
        let rows: Vec<LabelRow<'_>> = self
            .list_rows(Walk::Short, "listing labels", || {
                let mut query = labels::table
                    .filter(labels::organization_id.eq(organization.0))
                    .filter(labels::is_active)
                    .order((labels::name, labels::id))
                    .limit(limit.and_one())
                    .select(LabelRow::as_select())
                    .into_boxed();
                if let Some(ByName { name, id }) = after.clone() {
                    query = query
                        .filter(labels::name.ge(name.clone()))
                        .filter(labels::name.gt(name).or(labels::id.gt(id)));
                }
                query
            })
            .await?;
        Ok(Page::cut(all(rows)?, limit, |label: &Label| ByName {
            name: label.name.clone(),
            id: label.id.0,
        }))
    }

    async fn are_known(
        &self,
        organization: OrganizationId,
        labels: Vec<LabelId>,
    ) -> Result<bool, StoreError> {
        let labels = distinct(labels);
        let expected = labels.len();
        let found: Option<i64> = self
            .readers
            .row("looking for labels", || count_known(organization.0, labels.clone()))
            .await?;
        Ok(found.is_some_and(|found| usize::try_from(found) == Ok(expected)))
    }
}

/// How many active ones of the organization are among these.
#[auto_type]
pub(crate) fn count_known(organization: Uuid, labels: Vec<Uuid>) -> _ {
    labels::table
        .filter(labels::organization_id.eq(organization))
        .filter(labels::id.eq_any(labels))
        .filter(labels::is_active)
        .count()
}

/// Each of these once.
pub(crate) fn distinct(labels: Vec<LabelId>) -> Vec<Uuid> {
    labels.into_iter().map(Uuid::from).collect::<HashSet<_>>().into_iter().collect()
}

stored!(Label: labels.id as LabelRow<'static>);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = labels,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct LabelRow<'a> {
    id: Uuid,
    name: Cow<'a, str>,
    code: Cow<'a, str>,
    color: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    is_active: bool,
    created_at: PgTimestamp,
}

impl<'a> From<&'a Label> for LabelRow<'a> {
    fn from(label: &'a Label) -> Self {
        Self {
            id: label.id.0,
            name: Cow::from(&label.name),
            code: Cow::from(&label.code),
            color: Cow::from(&label.color),
            description: label.description.as_deref().map(Cow::from),
            is_active: label.is_active,
            created_at: timestamp(label.created_at),
        }
    }
}

impl TryFrom<LabelRow<'_>> for Label {
    type Error = BadRow;

    fn try_from(row: LabelRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("labels", row.id);
        Ok(Self {
            id: row.id.into(),
            name: row.name.into_owned(),
            code: row.code.into_owned(),
            color: row.color.into_owned(),
            description: row.description.map(Cow::into_owned),
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
