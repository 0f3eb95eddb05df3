//! Redirects of the portal.

use crate::SqliteStore;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::help_redirect::{HelpRedirect, Path};
use hearback_domain::id::OrganizationId;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{HelpRedirectRepository, StoreError};
use hearback_store_rows::rows::HelpRedirectRow;
use hearback_store_rows::schema::help_redirects;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, all};

#[async_trait]
impl HelpRedirectRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByTime>,
    ) -> Result<Page<HelpRedirect, ByTime>, StoreError> {
        let rows: Vec<HelpRedirectRow<'_>> =
            self.readers.read("listing redirects", |connection| {
                lists::help_redirects(organization, &page)
                    .select(HelpRedirectRow::as_select())
                    .load(connection)
            })?;
        Ok(Page::cut(all(rows)?, page.limit, |redirect: &HelpRedirect| ByTime {
            at: redirect.created_at,
            id: redirect.id.0,
        }))
    }

    async fn leading_to(
        &self,
        organization: OrganizationId,
        paths: Vec<Path>,
    ) -> Result<Vec<HelpRedirect>, StoreError> {
        let doing = "looking for redirects to a path";
        self.readers
            .snapshot(doing, |connection| {
                let mut found = Vec::new();
                for path in &paths {
                    let rows: Vec<HelpRedirectRow<'_>> = help_redirects::table
                        .filter(help_redirects::organization_id.eq(Id::of(organization)))
                        .filter(help_redirects::to_path.eq(path.as_str()))
                        .select(HelpRedirectRow::as_select())
                        .load(connection)?;
                    found.extend(rows);
                }
                Ok(found)
            })
            .and_then(|rows| Ok(all(rows)?))
    }
}

stored!(HelpRedirect: help_redirects.id as HelpRedirectRow<'static>);
