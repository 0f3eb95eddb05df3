//! Labels.

use crate::SqliteStore;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use hearback_domain::id::{LabelId, OrganizationId};
use hearback_domain::label::Label;
use hearback_ports::page::{ByName, Page, PageRequest};
use hearback_ports::{LabelRepository, StoreError};
use hearback_store_rows::rows::LabelRow;
use hearback_store_rows::schema::labels;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, all, one};

#[async_trait]
impl LabelRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByName>,
    ) -> Result<Page<Label, ByName>, StoreError> {
        let rows: Vec<LabelRow<'_>> = self.readers.read("listing labels", |connection| {
            lists::labels(organization, &page).select(LabelRow::as_select()).load(connection)
        })?;
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

/// Returns whether all of `labels` are active labels of the organization.
pub(crate) fn are_known(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    labels: &[LabelId],
) -> QueryResult<bool> {
    for &label in labels {
        let is_known: bool = diesel::select(exists(
            one!(labels, organization, Id::of(label)).filter(labels::is_active),
        ))
        .get_result(connection)?;
        if !is_known {
            return Ok(false);
        }
    }
    Ok(true)
}

stored!(Label: labels.id as LabelRow<'static>);
