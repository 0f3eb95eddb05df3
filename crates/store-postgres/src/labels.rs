//! Labels of changelog entries.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::auto_type;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::id::{LabelId, OrganizationId};
use hearback_domain::label::Label;
use hearback_ports::page::{ByName, Page, PageRequest};
use hearback_ports::{LabelRepository, StoreError};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::rows::LabelRow;
use hearback_store_rows::schema::labels;
use hearback_store_rows::{Id, all};
use std::collections::HashSet;

#[async_trait]
impl LabelRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByName>,
    ) -> Result<Page<Label, ByName>, StoreError> {
        let rows: Vec<LabelRow<'_>> = self
            .list_rows(Reach::Short, "listing labels", || {
                lists::labels(organization, &page).select(LabelRow::as_select())
            })
            .await?;
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
        let labels = distinct(labels);
        let expected = labels.len();
        let found: Option<i64> = self
            .readers
            .row("looking for labels", || count_known(Id::of(organization), labels.clone()))
            .await?;
        Ok(found.is_some_and(|found| usize::try_from(found) == Ok(expected)))
    }
}

/// Counts the labels that are active in the organization.
#[auto_type]
pub(crate) fn count_known(organization: Id, labels: Vec<Id>) -> _ {
    labels::table
        .filter(labels::organization_id.eq(organization))
        .filter(labels::id.eq_any(labels))
        .filter(labels::is_active)
        .count()
}

/// Removes duplicates.
pub(crate) fn distinct(labels: Vec<LabelId>) -> Vec<Id> {
    labels.into_iter().map(Id::of).collect::<HashSet<_>>().into_iter().collect()
}

stored!(Label: labels.id as LabelRow<'static>);
