//! Companies.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::company::{Company, CompanyFilter, CompanySort};
use hearback_domain::id::OrganizationId;
use hearback_ports::page::{BySort, Page, PageRequest};
use hearback_ports::{CompanyRepository, StoreError};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::rows::CompanyRow;
use hearback_store_rows::schema::companies;
use hearback_store_rows::{Id, all};

#[async_trait]
impl CompanyRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: CompanyFilter,
        sort: CompanySort,
        page: PageRequest<BySort>,
    ) -> Result<Page<Company, BySort>, StoreError> {
        // No index serves a filter, so a filtered list may have to read all companies.
        let is_plain = filter == CompanyFilter::default();
        let reach = if is_plain { Reach::Short } else { Reach::Long };
        let query = || {
            let query = lists::companies(organization, &filter, sort, &page);
            query.select(CompanyRow::as_select())
        };
        let rows: Vec<CompanyRow<'_>> = self.list_rows(reach, "listing companies", query).await?;
        let key = |company: &Company| BySort::of_company(company, sort);
        Ok(Page::cut(all(rows)?, page.limit, key))
    }
}

stored!(Company: companies.id as CompanyRow<'static>);
