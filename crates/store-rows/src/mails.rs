//! Mailings, their recipients, and the mails of the queue.

use crate::column::{BadRow, Origin};
use crate::schema::{mailings, mails};
use crate::statement::Statement;
use crate::values::{Id, SqlId, Stamp};
use diesel::prelude::*;
use diesel::result::Error::DeserializationError;
use diesel::sql_types::{Nullable, Text};
use hearback_domain::id::{ChangelogEntryId, OrganizationId, UserId};
use hearback_domain::mail::{Audience, MailFailure, MailOutcome, Mailing, Subject};
use hearback_domain::subscription::Level;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::Lease;
use hearback_ports::mail_queue::ClaimedMail;
use hearback_ports::mailer::Recipient;

/// A mailing, without its progress.
#[derive(Clone, Copy, Queryable, Selectable)]
#[diesel(table_name = mailings)]
pub struct MailingRow {
    id: Id,
    changelog_entry_id: Option<Id>,
    feedback_post_id: Option<Id>,
    status_id: Option<Id>,
    comment_id: Option<Id>,
    actor_id: Option<Id>,
}

impl From<Mailing> for MailingRow {
    fn from(Mailing { id, subject, actor_id }: Mailing) -> Self {
        let (entry, post, status, comment) = match subject {
            Subject::Entry(entry) => (Some(entry), None, None, None),
            Subject::Status { post, status, note } => (None, Some(post), Some(status), note),
            Subject::Comment { post, comment } => (None, Some(post), None, Some(comment)),
        };
        Self {
            id: Id::of(id),
            changelog_entry_id: entry.map(Id::of),
            feedback_post_id: post.map(Id::of),
            status_id: status.map(Id::of),
            comment_id: comment.map(Id::of),
            actor_id: actor_id.map(Id::of),
        }
    }
}

impl MailingRow {
    /// The mailing. Fails if the row has no subject.
    pub fn read(self) -> QueryResult<Mailing> {
        let Self { id, changelog_entry_id, feedback_post_id, status_id, comment_id, actor_id } =
            self;
        let subject = match (changelog_entry_id, feedback_post_id, status_id, comment_id) {
            (Some(entry), ..) => Subject::Entry(entry.to()),
            (None, Some(post), Some(status), note) => {
                Subject::Status { post: post.to(), status: status.to(), note: note.map(Id::to) }
            }
            (None, Some(post), None, Some(comment)) => {
                Subject::Comment { post: post.to(), comment: comment.to() }
            }
            _ => {
                let bad = Origin::new("mailings", id).bad("feedback_post_id");
                return Err(DeserializationError(bad.into()));
            }
        };
        Ok(Mailing { id: id.to(), subject, actor_id: actor_id.map(Id::to) })
    }
}

/// Queues a mailing about an entry if it reaches a user, or one about a post if the post has a
/// subscriber. A mailing is queued once in its life.
pub fn announce<A>(organization: OrganizationId, mailing: Mailing, at: Time) -> Statement<(), A> {
    let MailingRow { id, changelog_entry_id, feedback_post_id, status_id, comment_id, actor_id } =
        mailing.into();
    let insert = Statement::new(
        "INSERT INTO mailings (organization_id, id, changelog_entry_id, feedback_post_id, \
         status_id, comment_id, actor_id, created_at) SELECT organization_id, ",
    );
    let subject = [changelog_entry_id, feedback_post_id, status_id, comment_id, actor_id];
    let values = subject.into_iter().fold(insert.id(id), |values, value| match value {
        Some(value) => values.sql(", ").id(value),
        None => values.sql(", NULL"),
    });
    let from = values.sql(", ").stamp(at);
    let reached = match mailing.subject.audience() {
        Audience::Readers(entry) => with_readers(from, organization, entry),
        Audience::Subscribers(post, levels) => {
            let of_it = from.sql(" FROM post_subscriptions WHERE organization_id = ");
            let of_it = of_it.id(organization).sql(" AND feedback_post_id = ").id(post);
            others(with_level(of_it, levels), "user_id", mailing.actor_id)
        }
    };
    reached.sql(" LIMIT 1 ON CONFLICT DO NOTHING")
}

/// Selects an entry from `changelog_entries` if it has [`readers`]. The query begins with the entry
/// and its links: an entry for the subscribers of linked posts does not walk all users.
fn with_readers<A>(
    select: Statement<(), A>,
    organization: OrganizationId,
    entry: ChangelogEntryId,
) -> Statement<(), A> {
    let it = select.sql(" FROM changelog_entries WHERE organization_id = ").id(organization);
    let it = it
        .sql(" AND id = ")
        .id(entry)
        .sql(" AND (notify AND EXISTS (SELECT 1 FROM users WHERE users.organization_id = ");
    let it = it.id(organization).sql(RECEIVE_MAIL);
    let it = it.sql(") OR notify_voters AND EXISTS (SELECT 1 FROM ").sql(LINKED_SUBSCRIPTIONS).sql(
        " JOIN users ON users.organization_id = entry_links.organization_id \
         AND users.user_id = post_subscriptions.user_id WHERE entry_links.organization_id = ",
    );
    let it = it.id(organization).sql(" AND changelog_entry_id = ").id(entry);
    it.sql(" AND NOT is_blocked").sql(RECEIVE_MAIL).sql("))")
}

/// Limits subscriptions to those with a level.
fn with_level<ST, A>(found: Statement<ST, A>, levels: &[Level]) -> Statement<ST, A> {
    let none = found.sql(" AND level IN (NULL");
    levels.iter().fold(none, |some, level| some.sql(", ").text(level.code())).sql(")")
}

/// Leaves out the user who made the change.
fn others<ST, A>(
    found: Statement<ST, A>,
    user: &'static str,
    actor: Option<UserId>,
) -> Statement<ST, A> {
    match actor {
        Some(actor) => found.sql(" AND ").sql(user).sql(" <> ").id(actor),
        None => found,
    }
}

/// The identifier, the name and the address of a user.
type UserColumns = (SqlId, Text, Nullable<Text>);

/// Up to `limit` users behind `after` whom a mailing [reaches](Mailing::reaches), by `user_id`.
pub fn next_recipients<A>(
    organization: OrganizationId,
    mailing: &Mailing,
    after: Option<Id>,
    limit: i64,
) -> Statement<UserColumns, A> {
    let (mut all, user) = recipients(organization, mailing);
    if let Some(after) = after {
        all = all.sql(" AND ").sql(user).sql(" > ").id(after);
    }
    all.sql(" ORDER BY ").sql(user).sql(" LIMIT ").number(limit)
}

/// The users among `users` whom a mailing [reaches](Mailing::reaches).
pub fn recipients_among<A>(
    organization: OrganizationId,
    mailing: &Mailing,
    users: impl IntoIterator<Item = Id>,
) -> Statement<UserColumns, A> {
    let (all, user) = recipients(organization, mailing);
    let none = all.sql(" AND ").sql(user).sql(" IN (NULL");
    users.into_iter().fold(none, |some, user| some.sql(", ").id(user)).sql(")")
}

/// The users whom a mailing reaches, and the column that has their identifiers.
fn recipients<A>(
    organization: OrganizationId,
    mailing: &Mailing,
) -> (Statement<UserColumns, A>, &'static str) {
    let (post, levels) = match mailing.subject.audience() {
        Audience::Subscribers(post, levels) => (post, levels),
        Audience::Readers(entry) => return (readers(organization, entry), "user_id"),
    };
    let all = Statement::new(
        "SELECT users.user_id, name, email FROM post_subscriptions \
         JOIN users ON users.user_id = post_subscriptions.user_id WHERE users.organization_id = ",
    );
    let all = all.id(organization).sql(" AND post_subscriptions.organization_id = ");
    let all = all.id(organization).sql(" AND feedback_post_id = ").id(post).sql(RECEIVE_MAIL);
    let user = "post_subscriptions.user_id";
    (others(with_level(all.sql(" AND NOT is_blocked"), levels), user, mailing.actor_id), user)
}

/// All who receive mail if the entry has `notify`, or the subscribers of the posts that are linked
/// to it if it has `notify_voters`.
fn readers<A>(organization: OrganizationId, entry: ChangelogEntryId) -> Statement<UserColumns, A> {
    let all = Statement::new("SELECT user_id, name, email FROM users WHERE organization_id = ");
    let entry_is = |all: Statement<_, A>, flag| {
        let all = all.sql("EXISTS (SELECT 1 FROM changelog_entries WHERE organization_id = ");
        all.id(organization).sql(" AND id = ").id(entry).sql(" AND ").sql(flag).sql(")")
    };
    let all = entry_is(all.id(organization).sql(RECEIVE_MAIL).sql(" AND ("), "notify");
    let all = entry_is(all.sql(" OR NOT is_blocked AND "), "notify_voters");
    let all = all.sql(" AND EXISTS (SELECT 1 FROM ").sql(LINKED_SUBSCRIPTIONS).sql(
        " WHERE post_subscriptions.user_id = users.user_id AND entry_links.organization_id = ",
    );
    all.id(organization).sql(" AND changelog_entry_id = ").id(entry).sql("))")
}

/// The links of entries with the subscriptions to the linked posts.
const LINKED_SUBSCRIPTIONS: &str = "entry_links JOIN post_subscriptions \
     ON post_subscriptions.organization_id = entry_links.organization_id \
     AND post_subscriptions.feedback_post_id = entry_links.feedback_post_id";

/// The condition that a user receives mail.
const RECEIVE_MAIL: &str =
    " AND users.is_subscribed AND users.is_active AND users.email IS NOT NULL";

/// The columns of a mail that change, except the number of attempts.
#[derive(Clone, Copy, Default, PartialEq, Eq, Insertable, AsChangeset)]
#[diesel(table_name = mails, treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct MailStage {
    state: &'static str,
    next_attempt_at: Option<Stamp>,
    lease_holder: Option<Id>,
    leased_until: Option<Stamp>,
    error_class: Option<&'static str>,
    ended_at: Option<Stamp>,
}

/// The state of a mail that waits to be sent.
const PENDING: &str = "pending";

/// The state of a mail that is claimed.
pub const SENDING: &str = "sending";

impl MailStage {
    /// The mail is pending. It is due at `at`.
    pub fn pending(at: Time) -> Self {
        Self { state: PENDING, next_attempt_at: Some(Stamp::of(at)), ..Self::default() }
    }

    /// The mail is claimed under `lease`.
    pub fn sending(lease: Lease) -> Self {
        Self {
            state: SENDING,
            lease_holder: Some(Id(lease.holder)),
            leased_until: Some(Stamp::of(lease.until)),
            ..Self::default()
        }
    }

    /// The mail was given up at `now`.
    pub fn failed(failure: MailFailure, now: Time) -> Self {
        Self {
            state: "failed",
            error_class: Some(failure.code()),
            ended_at: Some(Stamp::of(now)),
            ..Self::default()
        }
    }

    /// The stage that follows an attempt that ended at `now`.
    pub fn of(outcome: MailOutcome, now: Time) -> Self {
        match outcome {
            MailOutcome::Sent => {
                Self { state: "sent", ended_at: Some(Stamp::of(now)), ..Self::default() }
            }
            MailOutcome::Retry { at, failure } => {
                Self { error_class: Some(failure.code()), ..Self::pending(at) }
            }
            MailOutcome::Failed { failure } => Self::failed(failure, now),
        }
    }
}

/// A claimed mail. It has the recipient's name and address unless the mailing does not reach the
/// user any more.
#[expect(missing_docs, reason = "a field has the name of the value that it holds")]
pub struct ClaimedRow {
    pub mailing: Mailing,
    pub user: Id,
    pub attempt: i32,
    pub recipient: Option<(String, Option<String>)>,
}

impl TryFrom<ClaimedRow> for ClaimedMail {
    type Error = BadRow;

    fn try_from(row: ClaimedRow) -> Result<Self, BadRow> {
        let origin = Origin::new("mails", row.user);
        Ok(Self {
            mailing: row.mailing,
            user: row.user.to(),
            attempt: u32::try_from(row.attempt).map_err(|_| origin.bad("attempt_count"))?,
            recipient: row
                .recipient
                .and_then(|(name, address)| Some(Recipient { name, address: address? })),
        })
    }
}
