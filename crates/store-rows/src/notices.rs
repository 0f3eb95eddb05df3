//! The notifications of users, and the trouble with mails.

use crate::column::{BadRow, Column, Origin};
use crate::mails::MailingRow;
use crate::schema::{mail_troubles, mailings, mails};
use crate::statement::Statement;
use crate::values::{Id, Stamp};
use diesel::dsl::auto_type;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use hearback_domain::id::{MailingId, OrganizationId, UserId};
use hearback_domain::mail::MailFailure;
use hearback_domain::{Time, Uuid};
use hearback_ports::notices::{MailTrouble, Notice};
use hearback_ports::page::{ByTime, PageRequest};

/// A mailing, when a user was told of it, and whether the user has not read it.
pub type NoticeRow = (MailingRow, Stamp, bool);

/// The notification of a row. Fails if the mailing has no subject.
pub fn notice((mailing, at, is_unread): NoticeRow) -> QueryResult<Notice> {
    let mailing = mailing.read()?;
    let origin = Origin::new("mails", mailing.id);
    let at = origin.read::<Time>("created_at", at);
    let bad = |error: BadRow| diesel::result::Error::DeserializationError(error.into());
    Ok(Notice { mailing, at: at.map_err(bad)?, is_unread })
}

/// The notifications of a page and the first one behind it, newest first.
pub fn page(
    organization: OrganizationId,
    user: UserId,
    since: Time,
    page: &PageRequest<ByTime>,
) -> behind {
    let first = ByTime { at: Time::MAX, id: Uuid::max() };
    let ByTime { at, id } = page.after.unwrap_or(first);
    let (at, since, id) = (Stamp::of(at), Stamp::of(since), Id(id));
    behind(Id::of(organization), Id::of(user), since, at, id, page.limit.and_one())
}

#[auto_type]
fn behind(organization: Id, user: Id, since: Stamp, at: Stamp, id: Id, limit: i64) -> _ {
    let its = mailings::id.eq(mails::mailing_id);
    mails::table
        .inner_join(mailings::table.on(its))
        .filter(mails::organization_id.eq(organization))
        .filter(mailings::organization_id.eq(organization))
        .filter(mails::user_id.eq(user))
        .filter(mails::created_at.gt(since))
        .filter(mails::created_at.le(at))
        .filter(mails::created_at.lt(at).or(mails::mailing_id.lt(id)))
        .order((mails::created_at.desc(), mails::mailing_id.desc()))
        .limit(limit)
}

/// The number of a user's unread notifications, at most `limit`.
pub fn unread<A>(organization: OrganizationId, user: UserId, limit: i64) -> Statement<BigInt, A> {
    let found = Statement::new("SELECT count(*) FROM (SELECT 1 FROM mails WHERE is_unread AND ");
    let found = found.sql("organization_id = ").id(organization).sql(" AND user_id = ").id(user);
    found.sql(" LIMIT ").number(limit).sql(") AS unread")
}

/// Marks a notification of a user as read, or all of them.
pub fn read<A>(
    organization: OrganizationId,
    user: UserId,
    one: Option<MailingId>,
) -> Statement<(), A> {
    let all = Statement::new("UPDATE mails SET is_unread = false WHERE is_unread AND ");
    let all = all.sql("organization_id = ").id(organization).sql(" AND user_id = ").id(user);
    match one {
        Some(one) => all.sql(" AND mailing_id = ").id(one),
        None => all,
    }
}

/// Removes up to `limit` notifications that were written before `before`, the oldest first.
pub fn prune<A>(organization: OrganizationId, before: Time, limit: i64) -> Statement<(), A> {
    let mails = Statement::new("DELETE FROM mails WHERE organization_id = ").id(organization);
    let old = mails.sql(
        " AND (mailing_id, user_id) IN (SELECT mailing_id, user_id FROM mails \
         WHERE state IN ('sent', 'failed', 'kept') AND organization_id = ",
    );
    let old = old.id(organization).sql(" AND created_at < ").stamp(before);
    old.sql(" ORDER BY created_at, mailing_id, user_id LIMIT ").number(limit).sql(")")
}

/// A row of `mail_troubles`.
#[derive(Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(table_name = mail_troubles)]
pub struct TroubleRow {
    error_class: String,
    answer: String,
    at: Stamp,
}

impl From<&MailTrouble> for TroubleRow {
    fn from(trouble: &MailTrouble) -> Self {
        Self {
            error_class: MailFailure::hold(&trouble.failure).into_owned(),
            answer: trouble.answer.clone(),
            at: Stamp::of(trouble.at),
        }
    }
}

impl TryFrom<TroubleRow> for MailTrouble {
    type Error = BadRow;

    fn try_from(row: TroubleRow) -> Result<Self, BadRow> {
        let origin = Origin::new("mail_troubles", Uuid::nil());
        Ok(Self {
            failure: origin.read::<MailFailure>("error_class", row.error_class.into())?,
            answer: row.answer,
            at: origin.read::<Time>("at", row.at)?,
        })
    }
}

/// The troubles of an organization, the latest first.
#[auto_type]
pub fn troubles(organization: Id) -> _ {
    mail_troubles::table
        .filter(mail_troubles::organization_id.eq(organization))
        .order(mail_troubles::at.desc())
}
