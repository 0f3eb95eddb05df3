//! Redirects of the portal.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::help_redirect::{HelpRedirect, Path};
use hearback_domain::id::OrganizationId;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{HelpRedirectRepository, StoreError};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::rows::HelpRedirectRow;
use hearback_store_rows::schema::help_redirects;
use hearback_store_rows::{Id, all};

#[async_trait]
impl HelpRedirectRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByTime>,
    ) -> Result<Page<HelpRedirect, ByTime>, StoreError> {
        let rows: Vec<HelpRedirectRow<'_>> = self
            .list_rows(Reach::Short, "listing redirects", || {
                lists::help_redirects(organization, &page).select(HelpRedirectRow::as_select())
            })
            .await?;
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
        let query = || {
            let paths = paths.iter().map(|path| path.as_str().to_owned());
            help_redirects::table
                .filter(help_redirects::organization_id.eq(Id::of(organization)))
                .filter(help_redirects::to_path.eq_any(paths.collect::<Vec<String>>()))
                .select(HelpRedirectRow::as_select())
        };
        let rows: Vec<HelpRedirectRow<'_>> =
            self.readers.rows("looking for redirects to a path", query).await?;
        Ok(all(rows)?)
    }
}

stored!(HelpRedirect: help_redirects.id as HelpRedirectRow<'static>);
