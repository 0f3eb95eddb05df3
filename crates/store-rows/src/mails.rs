//! Mailings, their recipients, and the mails of the queue.

use crate::column::{BadRow, Origin};
use crate::schema::{mailings, mails};
use crate::statement::Statement;
use crate::values::{Id, SqlId, Stamp};
use diesel::prelude::*;
use diesel::result::Error::DeserializationError;
use diesel::sql_types::{BigInt, Nullable, Text};
use hearback_domain::id::{ChangelogEntryId, MailingId, OrganizationId, UserId};
use hearback_domain::mail::{
    Audience, Delivery, MOST_IN_DIGEST, MailFailure, MailOutcome, Mailing, Subject, moderates,
};
use hearback_domain::permission::Role;
use hearback_domain::subscription::Level;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::Lease;
use hearback_ports::mail_queue::{ClaimedMail, Draft};
use hearback_ports::mailer::Recipient;

/// A mailing, without its progress.
#[derive(Clone, Queryable, Selectable)]
#[diesel(table_name = mailings)]
pub struct MailingRow {
    id: Id,
    changelog_entry_id: Option<Id>,
    feedback_post_id: Option<Id>,
    status_id: Option<Id>,
    comment_id: Option<Id>,
    actor_id: Option<Id>,
    topic: Option<String>,
    other_post_id: Option<Id>,
    addressee_id: Option<Id>,
}

const MERGED: &str = "merged";
const ACCEPTED: &str = "accepted";
const OWNER: &str = "owner";
const QUEUE: &str = "queue";

impl From<Mailing> for MailingRow {
    fn from(Mailing { id, subject, actor_id }: Mailing) -> Self {
        let row = Self {
            id: Id::of(id),
            changelog_entry_id: None,
            feedback_post_id: subject.post().map(Id::of),
            status_id: None,
            comment_id: None,
            actor_id: actor_id.map(Id::of),
            topic: None,
            other_post_id: None,
            addressee_id: None,
        };
        let about = |row: Self, topic: &str, user: Option<UserId>| Self {
            topic: Some(topic.to_owned()),
            addressee_id: user.map(Id::of),
            ..row
        };
        match subject {
            Subject::Entry(entry) => Self { changelog_entry_id: Some(Id::of(entry)), ..row },
            Subject::Status { status, note, .. } => {
                Self { status_id: Some(Id::of(status)), comment_id: note.map(Id::of), ..row }
            }
            Subject::Comment { comment, reply_to, .. } => Self {
                comment_id: Some(Id::of(comment)),
                addressee_id: reply_to.map(Id::of),
                ..row
            },
            Subject::Merged { into, .. } => {
                Self { other_post_id: Some(Id::of(into)), ..about(row, MERGED, None) }
            }
            Subject::Accepted { author, .. } => about(row, ACCEPTED, Some(author)),
            Subject::Owner { owner, .. } => about(row, OWNER, Some(owner)),
            Subject::Queue => about(row, QUEUE, None),
        }
    }
}

impl MailingRow {
    /// The mailing. Fails if the row has no subject.
    pub fn read(self) -> QueryResult<Mailing> {
        let Self { id, status_id, comment_id, other_post_id, addressee_id, .. } = self;
        let bad = || DeserializationError(Origin::new("mailings", id).bad("topic").into());
        let post = || self.feedback_post_id.map(Id::to).ok_or_else(bad);
        let addressee = || addressee_id.map(Id::to).ok_or_else(bad);
        let subject = match (self.topic.as_deref(), self.changelog_entry_id, status_id, comment_id)
        {
            (Some(QUEUE), ..) => Subject::Queue,
            (Some(MERGED), ..) => {
                let into = other_post_id.map(Id::to).ok_or_else(bad)?;
                Subject::Merged { post: post()?, into }
            }
            (Some(ACCEPTED), ..) => Subject::Accepted { post: post()?, author: addressee()? },
            (Some(OWNER), ..) => Subject::Owner { post: post()?, owner: addressee()? },
            (None, Some(entry), ..) => Subject::Entry(entry.to()),
            (None, None, Some(status), note) => {
                Subject::Status { post: post()?, status: status.to(), note: note.map(Id::to) }
            }
            (None, None, None, Some(comment)) => Subject::Comment {
                post: post()?,
                comment: comment.to(),
                reply_to: addressee_id.map(Id::to),
            },
            _ => return Err(bad()),
        };
        Ok(Mailing { id: id.to(), subject, actor_id: self.actor_id.map(Id::to) })
    }
}

/// Queues a mailing if it may reach a user: one about a post if the post has a subscriber. A mailing
/// is queued once in its life.
pub fn announce<A>(organization: OrganizationId, mailing: Mailing, at: Time) -> Statement<(), A> {
    let row = MailingRow::from(mailing);
    let insert = Statement::new(
        "INSERT INTO mailings (organization_id, id, changelog_entry_id, feedback_post_id, \
         status_id, comment_id, actor_id, other_post_id, addressee_id, topic, created_at) \
         SELECT organization_id, ",
    );
    let ids = [
        row.changelog_entry_id,
        row.feedback_post_id,
        row.status_id,
        row.comment_id,
        row.actor_id,
        row.other_post_id,
        row.addressee_id,
    ];
    let values = ids.into_iter().fold(insert.id(row.id), |values, value| match value {
        Some(value) => values.sql(", ").id(value),
        None => values.sql(", NULL"),
    });
    let values = match row.topic {
        Some(topic) => values.sql(", ").text(&topic),
        None => values.sql(", NULL"),
    };
    let from = values.sql(", ").stamp(at);
    let reached = match mailing.subject.audience() {
        Audience::Readers(entry) => with_readers(from, organization, entry),
        Audience::Subscribers { post, levels, addressee } => {
            let of_it = from.sql(" FROM post_subscriptions WHERE organization_id = ");
            let of_it = of_it.id(organization).sql(" AND feedback_post_id = ").id(post);
            others(with_level(of_it, levels, addressee), "user_id", mailing.actor_id)
        }
        Audience::One(user) => {
            let it = from.sql(" FROM users WHERE organization_id = ").id(organization);
            others(it.sql(" AND user_id = ").id(user), "user_id", mailing.actor_id)
        }
        Audience::Moderators => {
            moderators(from.sql(" FROM users WHERE organization_id = ").id(organization))
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
    let it = it.id(organization).sql(RECEIVE_MAIL).sql(READ_CHANGELOG);
    let it = it.sql(") OR notify_voters AND EXISTS (SELECT 1 FROM ").sql(LINKED_SUBSCRIPTIONS).sql(
        " JOIN users ON users.organization_id = entry_links.organization_id \
         AND users.user_id = post_subscriptions.user_id WHERE entry_links.organization_id = ",
    );
    let it = it.id(organization).sql(" AND changelog_entry_id = ").id(entry);
    it.sql(" AND NOT is_blocked").sql(RECEIVE_MAIL).sql(READ_CHANGELOG).sql("))")
}

/// Limits subscriptions to those with a level, and that of the addressee.
fn with_level<ST, A>(
    found: Statement<ST, A>,
    levels: &[Level],
    addressee: Option<UserId>,
) -> Statement<ST, A> {
    let none = found.sql(" AND (level IN (NULL");
    let found = levels.iter().fold(none, |some, level| some.sql(", ").text(level.code())).sql(")");
    let found = match addressee {
        Some(user) => found.sql(" OR post_subscriptions.user_id = ").id(user),
        None => found,
    };
    found.sql(")")
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

/// Limits users to the members of the team who moderate. An index has the members.
fn moderators<ST, A>(users: Statement<ST, A>) -> Statement<ST, A> {
    let users = users.sql(" AND users.is_active AND portal_role IN (");
    let users = users.sql("'owner', 'admin', 'member', 'viewer') AND portal_role IN (NULL");
    let roles = Role::ALL.iter().filter(|role| moderates(**role));
    roles.fold(users, |users, role| users.sql(", ").text(role.code())).sql(")")
}

/// The identifier of a user.
type UserColumn = SqlId;

/// Up to `limit` users behind `after` whom a mailing [reaches](Mailing::reaches), by `user_id`.
pub fn next_recipients<A>(
    organization: OrganizationId,
    mailing: &Mailing,
    after: Option<Id>,
    limit: i64,
) -> Statement<UserColumn, A> {
    let (mut all, user) = recipients("users.user_id", organization, mailing);
    if let Some(after) = after {
        all = all.sql(" AND ").sql(user).sql(" > ").id(after);
    }
    all.sql(" ORDER BY ").sql(user).sql(" LIMIT ").number(limit)
}

/// The identifier, the name and the address of a user.
type RecipientColumns = (SqlId, Text, Nullable<Text>);

/// The users among `users` whom a mailing [reaches](Mailing::reaches), and who receive mail.
pub fn recipients_among<A>(
    organization: OrganizationId,
    mailing: &Mailing,
    users: impl IntoIterator<Item = Id>,
) -> Statement<RecipientColumns, A> {
    let (all, user) = recipients("users.user_id, name, email", organization, mailing);
    let none = all.sql(RECEIVE_MAIL).sql(" AND ").sql(user).sql(" IN (NULL");
    users.into_iter().fold(none, |some, user| some.sql(", ").id(user)).sql(")")
}

/// The users whom a mailing reaches, and the column that has their identifiers.
fn recipients<ST, A>(
    columns: &'static str,
    organization: OrganizationId,
    mailing: &Mailing,
) -> (Statement<ST, A>, &'static str) {
    let all = Statement::new("SELECT ").sql(columns).sql(" FROM users");
    let of_it = |all: Statement<ST, A>| all.sql(" WHERE users.organization_id = ").id(organization);
    let (all, user) = match mailing.subject.audience() {
        Audience::Readers(entry) => return (readers(of_it(all), organization, entry), "user_id"),
        Audience::One(user) => (of_it(all).sql(" AND user_id = ").id(user), "user_id"),
        Audience::Moderators => (moderators(of_it(all)), "user_id"),
        Audience::Subscribers { post, levels, addressee } => {
            let all = of_it(
                all.sql(" JOIN post_subscriptions ON users.user_id = post_subscriptions.user_id"),
            );
            let all = all.sql(" AND post_subscriptions.organization_id = ").id(organization);
            let all = all.sql(" AND feedback_post_id = ").id(post);
            (with_level(all, levels, addressee), "post_subscriptions.user_id")
        }
    };
    let all = all.sql(" AND users.is_active AND NOT is_blocked");
    (others(all, user, mailing.actor_id), user)
}

/// All who receive mail if the entry has `notify`, or the subscribers of the posts that are linked
/// to it if it has `notify_voters`.
fn readers<ST, A>(
    all: Statement<ST, A>,
    organization: OrganizationId,
    entry: ChangelogEntryId,
) -> Statement<ST, A> {
    let entry_is = |all: Statement<ST, A>, flag| {
        let all = all.sql("EXISTS (SELECT 1 FROM changelog_entries WHERE organization_id = ");
        all.id(organization).sql(" AND id = ").id(entry).sql(" AND ").sql(flag).sql(")")
    };
    let all = all.sql(RECEIVE_MAIL).sql(READ_CHANGELOG).sql(" AND (");
    let all = entry_is(all, "notify").sql(" OR ");
    let all = entry_is(all, "notify_voters").sql(" AND ");
    is_linked(all, organization, entry).sql(")")
}

/// The condition that a user is no blocked one, and subscribed to a post that is linked to an entry.
fn is_linked<ST, A>(
    users: Statement<ST, A>,
    organization: OrganizationId,
    entry: ChangelogEntryId,
) -> Statement<ST, A> {
    let of_it = users.sql("NOT is_blocked AND EXISTS (SELECT 1 FROM ").sql(LINKED_SUBSCRIPTIONS);
    let of_it = of_it.sql(
        " WHERE post_subscriptions.user_id = users.user_id AND entry_links.organization_id = ",
    );
    of_it.id(organization).sql(" AND changelog_entry_id = ").id(entry).sql(")")
}

/// The numbers of the [`Readers`](hearback_ports::mail_queue::Readers) of an entry.
pub fn count_readers<A>(
    organization: OrganizationId,
    entry: ChangelogEntryId,
    most: i64,
) -> Statement<(BigInt, BigInt), A> {
    let who = |select: Statement<_, A>| {
        let all = select.sql("(SELECT count(*) FROM (SELECT 1 FROM users WHERE organization_id = ");
        let all = all.id(organization).sql(RECEIVE_MAIL).sql(READ_CHANGELOG);
        let all = all.sql(" AND NOT EXISTS (SELECT 1 FROM mailings WHERE organization_id = ");
        all.id(organization).sql(" AND id = ").id(entry).sql(")")
    };
    let end = |found: Statement<_, A>| found.sql(" LIMIT ").number(most).sql(") AS readers)");
    let all = end(who(Statement::new("SELECT ")));
    end(is_linked(who(all.sql(", ")).sql(" AND "), organization, entry))
}

/// The links of entries with the subscriptions to the linked posts.
const LINKED_SUBSCRIPTIONS: &str = "entry_links JOIN post_subscriptions \
     ON post_subscriptions.organization_id = entry_links.organization_id \
     AND post_subscriptions.feedback_post_id = entry_links.feedback_post_id";

/// The condition that a user receives mail.
const RECEIVE_MAIL: &str =
    " AND users.is_subscribed AND users.is_active AND users.email IS NOT NULL";

/// The condition that entries of the changelog are mailed to a user.
const READ_CHANGELOG: &str = " AND users.changelog_mail";

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
    fn pending(at: Time) -> Self {
        Self { state: PENDING, next_attempt_at: Some(Stamp::of(at)), ..Self::default() }
    }

    /// The mail as it is to be delivered at first.
    pub fn delivered(delivery: Delivery) -> Self {
        match delivery {
            Delivery::Kept => Self { state: "kept", ..Self::default() },
            Delivery::Mail(at) | Delivery::Digest(at) => Self::pending(at),
        }
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

/// A mail as it is written at first.
#[derive(Insertable)]
#[diesel(table_name = mails)]
pub struct NewMail {
    organization_id: Id,
    mailing_id: Id,
    user_id: Id,
    attempt_count: i32,
    in_digest: bool,
    is_unread: bool,
    created_at: Stamp,
    #[diesel(embed)]
    stage: MailStage,
}

impl NewMail {
    /// The mail of a mailing to a user, as it is to be delivered.
    pub fn of(
        organization: OrganizationId,
        mailing: MailingId,
        (user, delivery): (UserId, Delivery),
        now: Time,
    ) -> Self {
        Self {
            organization_id: Id::of(organization),
            mailing_id: Id::of(mailing),
            user_id: Id::of(user),
            attempt_count: 0,
            in_digest: matches!(delivery, Delivery::Digest(_)),
            is_unread: true,
            created_at: Stamp::of(now),
            stage: MailStage::delivered(delivery),
        }
    }
}

/// Notes the progress of the mailing of a draft, unless it has gone on since.
pub fn proceed<A>(organization: OrganizationId, draft: &Draft, now: Time) -> Statement<(), A> {
    let Draft { mailing, after, users, is_last } = draft;
    let set = Statement::new("UPDATE mailings SET last_user_id = ");
    let set = match users.last().map(|user| user.user_id).or(*after) {
        Some(last) => set.id(last),
        None => set.sql("NULL"),
    };
    let set = if *is_last { set.sql(", expanded_at = ").stamp(now) } else { set };
    let its = set.sql(" WHERE organization_id = ").id(organization).sql(" AND id = ");
    let its = its.id(mailing.id).sql(" AND expanded_at IS NULL AND last_user_id ");
    match after {
        Some(after) => its.sql("= ").id(*after),
        None => its.sql("IS NULL"),
    }
}

/// Up to `limit` users whose digests are due at `now`.
pub fn due_digests<A>(
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> Statement<UserColumn, A> {
    let due = Statement::new("SELECT DISTINCT user_id FROM mails WHERE organization_id = ");
    let due = due.id(organization).sql(" AND in_digest AND next_attempt_at IS NOT NULL");
    let due = due.sql(" AND next_attempt_at <= ").stamp(now);
    due.sql(" ORDER BY user_id LIMIT ").number(limit)
}

/// Shortens the due digests of users to [`MOST_IN_DIGEST`] mails. The older ones stay as
/// notifications.
pub fn shorten_digests<A>(
    organization: OrganizationId,
    users: impl IntoIterator<Item = Id>,
    now: Time,
) -> Statement<(), A> {
    let kept = "UPDATE mails SET state = 'kept', next_attempt_at = NULL, error_class = NULL";
    let kept = Statement::new(kept).sql(" WHERE organization_id = ").id(organization);
    let ranked = " AND (user_id, mailing_id) IN (SELECT user_id, mailing_id FROM (SELECT user_id, \
                  mailing_id, row_number() OVER (PARTITION BY user_id \
                  ORDER BY created_at DESC, mailing_id DESC) AS place \
                  FROM mails WHERE organization_id = ";
    let due = kept.sql(ranked).id(organization).sql(" AND in_digest AND next_attempt_at <= ");
    let due = due.stamp(now).sql(" AND user_id IN (NULL");
    let due = users.into_iter().fold(due, |some, user| some.sql(", ").id(user));
    due.sql(")) AS due WHERE place > ").number(MOST_IN_DIGEST as i64).sql(")")
}

/// A claimed mail. It has the recipient's name and address unless the mailing does not reach the
/// user any more.
#[expect(missing_docs, reason = "a field has the name of the value that it holds")]
pub struct ClaimedRow {
    pub mailing: Mailing,
    pub user: Id,
    pub attempt: i32,
    pub in_digest: bool,
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
            in_digest: row.in_digest,
            recipient: row
                .recipient
                .and_then(|(name, address)| Some(Recipient { name, address: address? })),
        })
    }
}
