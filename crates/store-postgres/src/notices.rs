//! The notifications of users, and the trouble with mails.

use crate::{PgStore, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
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
impl NoticeRepository for PgStore {
    async fn unread(
        &self,
        organization: OrganizationId,
        user: UserId,
        limit: i64,
    ) -> Result<i64, StoreError> {
        let query = || notices::unread::<()>(organization, user, limit);
        let unread: Option<i64> = self.readers.row("counting notifications", query).await?;
        Ok(unread.unwrap_or_default())
    }

    async fn page(
        &self,
        organization: OrganizationId,
        user: UserId,
        since: Time,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Notice, ByTime>, StoreError> {
        let query = || {
            notices::page(organization, user, since, &page).select((
                MailingRow::as_select(),
                mails::created_at,
                mails::is_unread,
            ))
        };
        let doing = "listing notifications";
        let rows: Vec<NoticeRow> = self.readers.rows(doing, query).await?;
        let found = rows.into_iter().map(notices::notice).collect::<QueryResult<Vec<_>>>();
        let found = found.map_err(|error| StoreError::Backend { doing, source: error.into() })?;
        Ok(Page::cut(found, page.limit, |it| ByTime { at: it.at, id: it.mailing.id.0 }))
    }

    async fn read(
        &self,
        organization: OrganizationId,
        user: UserId,
        one: Option<MailingId>,
    ) -> Result<(), StoreError> {
        let work = self.writer.write_alone("reading notifications", move |connection| {
            async move { notices::read::<()>(organization, user, one).execute(connection).await }
                .boxed()
        });
        work.await?.map(|_| ()).ok_or(StoreError::Busy)
    }

    async fn prune(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let work = self.writer.write("removing old notifications", move |connection| {
            async move {
                notices::prune::<()>(organization, before, limit).execute(connection).await
            }
            .boxed()
        });
        // `None`: another transaction was faster, and removed them.
        Ok(work.await?.unwrap_or(0))
    }

    async fn trouble(
        &self,
        organization: OrganizationId,
    ) -> Result<Option<MailTrouble>, StoreError> {
        let query =
            || notices::troubles(Id::of(organization)).select(TroubleRow::as_select()).limit(1);
        let row: Option<TroubleRow> =
            self.readers.row("finding the trouble with mails", query).await?;
        Ok(row.map(MailTrouble::try_from).transpose()?)
    }

    async fn note(
        &self,
        organization: OrganizationId,
        trouble: Option<MailTrouble>,
    ) -> Result<(), StoreError> {
        let work = self.writer.write("noting the trouble with mails", move |connection| {
            async move { note(connection, organization, trouble.as_ref()).await }.boxed()
        });
        // `None`: another transaction was faster, and noted its own.
        work.await?;
        Ok(())
    }
}

async fn note(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    trouble: Option<&MailTrouble>,
) -> QueryResult<usize> {
    let its = mail_troubles::organization_id.eq(Id::of(organization));
    match trouble {
        None => diesel::delete(mail_troubles::table.filter(its)).execute(connection).await,
        Some(_) if !organizations::try_hold(connection, organization).await? => Ok(0),
        Some(trouble) => {
            diesel::insert_into(mail_troubles::table)
                .values((its, TroubleRow::from(trouble)))
                .on_conflict((mail_troubles::organization_id, mail_troubles::error_class))
                .do_update()
                .set(TroubleRow::from(trouble))
                .execute(connection)
                .await
        }
    }
}
