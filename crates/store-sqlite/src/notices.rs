//! The notifications of users, and the trouble with mails.

use crate::SqliteStore;
use crate::error::store_error;
use crate::organizations::is_there;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::id::{MailingId, OrganizationId, UserId};
use hearback_ports::notices::{MailTrouble, Notice};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{NoticeRepository, StoreError};
use hearback_store_rows::Id;
use hearback_store_rows::mails::MailingRow;
use hearback_store_rows::notices::{self, NoticeRow, TroubleRow};
use hearback_store_rows::schema::{mail_troubles, mails};

#[async_trait]
impl NoticeRepository for SqliteStore {
    async fn unread(
        &self,
        organization: OrganizationId,
        user: UserId,
        limit: i64,
    ) -> Result<i64, StoreError> {
        self.readers.read("counting notifications", |connection| {
            notices::unread::<()>(organization, user, limit).get_result(connection)
        })
    }

    async fn page(
        &self,
        organization: OrganizationId,
        user: UserId,
        since: Time,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Notice, ByTime>, StoreError> {
        let found = self.readers.read("listing notifications", |connection| {
            let rows: Vec<NoticeRow> = notices::page(organization, user, since, &page)
                .select((MailingRow::as_select(), mails::created_at, mails::is_unread))
                .load(connection)?;
            rows.into_iter().map(notices::notice).collect::<QueryResult<Vec<_>>>()
        })?;
        Ok(Page::cut(found, page.limit, |it| ByTime { at: it.at, id: it.mailing.id.0 }))
    }

    async fn read(
        &self,
        organization: OrganizationId,
        user: UserId,
        one: Option<MailingId>,
    ) -> Result<(), StoreError> {
        let doing = "reading notifications";
        let work = move |connection: &mut SqliteConnection| {
            notices::read::<()>(organization, user, one).execute(connection)
        };
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))?;
        Ok(())
    }

    async fn prune(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let doing = "removing old notifications";
        let work = move |connection: &mut SqliteConnection| {
            notices::prune::<()>(organization, before, limit).execute(connection)
        };
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }

    async fn trouble(
        &self,
        organization: OrganizationId,
    ) -> Result<Option<MailTrouble>, StoreError> {
        let row = self.readers.read("finding the trouble with mails", |connection| {
            let latest = notices::troubles(Id::of(organization)).select(TroubleRow::as_select());
            latest.first(connection).optional()
        })?;
        Ok(row.map(MailTrouble::try_from).transpose()?)
    }

    async fn note(
        &self,
        organization: OrganizationId,
        trouble: Option<MailTrouble>,
    ) -> Result<(), StoreError> {
        let doing = "noting the trouble with mails";
        let work = move |connection: &mut SqliteConnection| {
            note(connection, organization, trouble.as_ref())
        };
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))?;
        Ok(())
    }
}

fn note(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    trouble: Option<&MailTrouble>,
) -> QueryResult<usize> {
    let its = mail_troubles::organization_id.eq(Id::of(organization));
    match trouble {
        None => diesel::delete(mail_troubles::table.filter(its)).execute(connection),
        Some(_) if !is_there(connection, organization)? => Ok(0),
        Some(trouble) => diesel::insert_into(mail_troubles::table)
            .values((its, TroubleRow::from(trouble)))
            .on_conflict((mail_troubles::organization_id, mail_troubles::error_class))
            .do_update()
            .set(TroubleRow::from(trouble))
            .execute(connection),
    }
}
