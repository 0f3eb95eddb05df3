//! Companies.

use crate::SqliteStore;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::company::{Company, CompanyFilter, CompanySort};
use hearback_domain::id::OrganizationId;
use hearback_ports::page::{BySort, Page, PageRequest};
use hearback_ports::{CompanyRepository, StoreError};
use hearback_store_rows::all;
use hearback_store_rows::rows::CompanyRow;
use hearback_store_rows::schema::companies;
use hearback_store_rows::sqlite::lists;

#[async_trait]
impl CompanyRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: CompanyFilter,
        sort: CompanySort,
        page: PageRequest<BySort>,
    ) -> Result<Page<Company, BySort>, StoreError> {
        // No index serves a filter, so a filtered list may have to read all companies.
        let (is_plain, limit) = (filter == CompanyFilter::default(), page.limit);
        let query = move |connection: &mut SqliteConnection| {
            let query = lists::companies(organization, &filter, sort, &page);
            query.select(CompanyRow::as_select()).load::<CompanyRow<'static>>(connection)
        };
        let rows = if is_plain {
            self.readers.read("listing companies", query)?
        } else {
            self.slow_readers.read("listing companies", query).await?
        };
        Ok(Page::cut(all(rows)?, limit, |company: &Company| BySort::of_company(company, sort)))
    }
}

stored!(Company: companies.id as CompanyRow<'static>);
