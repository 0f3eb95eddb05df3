//! Changes of records.

use crate::PgStore;
use crate::error::{Undone, first_failure};
use crate::sql::AnyOf;
use crate::stored::Stored;
use crate::{audit, counts, events, follow_ups, organizations, positions, receipts, sessions};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use futures_util::future::{join, join_all, join3, try_join_all};
use hearback_domain::audit::AuditEntry;
use hearback_domain::event::Event;
use hearback_domain::fold::name_key;
use hearback_domain::follow_up::{Affected, FollowUp};
use hearback_domain::help_redirect::Written;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::record::{Key, Known, OfKind, Parent, Step};
use hearback_domain::vote::Target;
use hearback_domain::{Time, Uuid, with_kind, with_record};
use hearback_ports::records::Name;
use hearback_ports::{
    Change, Kind, Receipt, Record, RecordRepository, Recorded, StoreError, Unique,
};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::schema::{feedback_posts, help_redirects};
use hearback_store_rows::statement::{self, Need};
use hearback_store_rows::{Edited, Id, erasure, mails};
use std::collections::{BTreeMap, BTreeSet};

#[async_trait]
impl RecordRepository for PgStore {
    async fn load(
        &self,
        organization: OrganizationId,
        keys: Vec<Key>,
    ) -> Result<Known, StoreError> {
        // The statements follow each other on a connection, without a wait for the responses.
        let found = keys.into_iter().map(async |(kind, key)| {
            Ok::<_, StoreError>(with_kind!(kind, R => {
                R::find(&self.readers, organization, key).await?.map(OfKind::into_record)
            }))
        });
        Ok(Known::new(try_join_all(found).await?.into_iter().flatten()))
    }

    async fn named(
        &self,
        organization: OrganizationId,
        kind: Kind,
        name: Name,
        names: Vec<String>,
    ) -> Result<Vec<(String, Uuid)>, StoreError> {
        let table = with_kind!(kind, R => R::TABLE);
        let query = || statement::named(table, organization, name).array(AnyOf(names.clone()));
        let named: Vec<(String, Id)> = self.readers.rows("looking for taken names", query).await?;
        Ok(named.into_iter().map(|(name, id)| (name, id.0)).collect())
    }

    async fn ids(
        &self,
        organization: OrganizationId,
        kind: Kind,
        after: Option<Uuid>,
        limit: i64,
    ) -> Result<Vec<Uuid>, StoreError> {
        let table = with_kind!(kind, R => R::TABLE);
        let query = || statement::ids::<()>(table, organization, after, limit);
        let ids: Vec<Id> = self.readers.rows("listing identifiers", query).await?;
        Ok(ids.into_iter().map(|id| id.0).collect())
    }

    async fn apply(
        &self,
        organization: OrganizationId,
        change: Change,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record("recording a change", move |connection| {
            async move { apply(connection, organization, &change).await }.boxed()
        });
        record.await
    }

    async fn next_follow_up(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Option<(FollowUp, Vec<Key>)>, StoreError> {
        let work = self.writer.write("looking for unfinished changes", move |connection| {
            async move { follow_ups::next(connection, organization, limit).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn affected(
        &self,
        organization: OrganizationId,
        follow_up: FollowUp,
        limit: i64,
    ) -> Result<Vec<Key>, StoreError> {
        let found = self.writer.read("looking for the records of a change", move |connection| {
            follow_ups::affected(connection, organization, follow_up, limit).boxed()
        });
        found.await
    }

    async fn erasable(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<Vec<Key>, StoreError> {
        const MOVED: &str = "votes.user_id = ANY (merges.moved_user_ids)";
        let looking = self.writer.read("looking for deleted records", move |connection| {
            async move {
                for (kind, find) in erasure::erasable::<()>(organization, before, limit, MOVED) {
                    let found: Vec<Id> = find.load(connection).await?;
                    if !found.is_empty() {
                        return Ok(found.into_iter().map(|id| (kind, id.0)).collect());
                    }
                }
                Ok(Vec::new())
            }
            .boxed()
        });
        looking.await
    }

    async fn count(
        &self,
        organization: OrganizationId,
        affected: Affected,
        value: Uuid,
    ) -> Result<i64, StoreError> {
        let count = self.writer.read("counting records", move |connection| {
            follow_ups::count(connection, organization, affected, value).boxed()
        });
        count.await
    }

    async fn shared(
        &self,
        organization: OrganizationId,
        kind: Kind,
        users: (UserId, UserId),
    ) -> Result<i64, StoreError> {
        let query = || statement::shared::<()>(kind, organization, users);
        let shared: Option<i64> = self.readers.row("counting shared posts", query).await?;
        Ok(shared.unwrap_or_default())
    }

    async fn siblings(
        &self,
        organization: OrganizationId,
        kind: Kind,
        parent: Parent,
    ) -> Result<Vec<Uuid>, StoreError> {
        let query = || positions::list(organization, kind, parent).records::<()>();
        let found: Vec<Id> = self.readers.rows("listing records by position", query).await?;
        Ok(found.into_iter().map(Uuid::from).collect())
    }
}

/// Stores a change within a transaction.
///
/// All rows are locked before any is written, in this order for all changes:
///
/// 1. posts, as toggles, merges and the deletion of an organization lock them;
/// 2. merged posts, which a merge changes while it holds the posts that have their votes;
/// 3. the organization;
/// 4. all other records, by kind and key.
///
/// Counts are moved last. Many changes move the same count, and each holds it until its commit.
async fn apply(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    change: &Change,
) -> Result<(), Undone> {
    let Change { steps, needs, unused, follow_ups, events, audit, mailings, receipt, at, .. } =
        change;
    let mut locks = edited(connection, organization, steps).await?;
    for need in needs {
        // An edit is the stronger lock, and its caller knows whether the record is active.
        locks.entry(*need).or_insert(Lock::Need);
    }
    let is_post = |(kind, _): &Key| matches!(kind, Kind::FeedbackPost | Kind::RoadmapPost);
    let (posts, others): (Vec<_>, Vec<_>) = locks.into_iter().partition(|(key, _)| is_post(key));
    let merged: Vec<Uuid> = steps.iter().filter_map(merged_post).collect();
    let (merged, posts): (Vec<_>, Vec<_>) =
        posts.into_iter().partition(|((_, id), _)| merged.contains(id));
    let makes_it = steps.iter().any(|step| matches!(step, Step::Make(Record::Organization(_))));
    let redirects = Written::by(steps);
    // Changes of an organization's redirects follow each other, so that none makes a chain.
    let lock = if redirects.is_none() { Lock::Need } else { Lock::Edit(None) };
    let whole = (!makes_it).then_some(((Kind::Organization, organization.0), lock));
    let mut missing = take(connection, organization, posts).await?;
    stay_merged(connection, organization, &merged).await?;
    let locks = merged.into_iter().chain(whole).chain(others).collect();
    missing.extend(take(connection, organization, locks).await?);
    if let Some(first) = needs.iter().find(|need| missing.contains(*need)) {
        return Err(Undone::Missing(*first));
    }
    if !missing.is_empty() {
        return Err(Undone::Stale);
    }
    follow_ups::insert(connection, organization, follow_ups).await?;
    for erased in steps.iter().filter_map(Step::erased) {
        erasure::forget_values::<()>(organization, erased).execute(connection).await?;
    }
    for user in steps.iter().filter_map(Step::blocks) {
        sessions::end_all(connection, organization, user, None).await?;
    }
    let connection = &*connection;
    for user in steps.iter().filter_map(Step::unlinks) {
        sessions::unlink(connection, organization, user).await?;
    }
    let changing = async {
        for run in steps.chunk_by(|step, next| is_plain_edit(step) && is_plain_edit(next)) {
            if let [step] = run {
                write(connection, organization, step, *at).await?;
                continue;
            }
            let edits = run.iter().filter_map(|step| Some((step.before()?, step.after()?)));
            let edit = |(before, after)| edit(connection, organization, before, after, *at);
            first_failure(join_all(edits.map(edit)).await)?;
        }
        for mailing in mailings {
            let announce = mails::announce::<()>(organization, *mailing, *at);
            announce.execute(&mut &*connection).await?;
        }
        Ok::<_, Undone>(())
    };
    // The statements of these do not depend on each other. They follow each other on the
    // connection, without a wait for the responses.
    let attaching = attach(connection, organization, events, audit, receipt.as_ref());
    let (changed, attached) = join(changing, attaching).await;
    first_failure([changed, attached])?;
    if let Some(redirects) = redirects {
        let chained = lists::chained(organization, &redirects).select(help_redirects::id);
        if !chained.load::<Id>(&mut &*connection).await?.is_empty() {
            return Err(Undone::Stale);
        }
    }
    for key in unused {
        if follow_ups::uses(connection, organization, *key).await? > 0 {
            return Err(Undone::InUse(*key));
        }
    }
    Ok(counts::add(connection, organization, change.counted()).await?)
}

/// Records what belongs to a change.
pub(crate) async fn attach(
    connection: &AsyncPgConnection,
    organization: OrganizationId,
    events: impl IntoIterator<Item = &Event>,
    audit: &[AuditEntry],
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    let recording = events::record(connection, organization, events);
    let auditing = audit::insert(connection, organization, audit);
    let receiving = receipts::insert(connection, organization, receipt);
    let (recorded, audited, received) = join3(recording, auditing, receiving).await;
    first_failure([recorded, audited, received].map(|done| done.map_err(Undone::from)))
}

/// The lock of a row.
enum Lock<'a> {
    /// The record must be active, and stay active.
    Need,
    /// The record changes. It must be unchanged, if its former values are given.
    Edit(Option<&'a Record>),
}

/// The locks of the records that change, and of the posts that must be held for them.
async fn edited<'a>(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    steps: &'a [Step],
) -> QueryResult<BTreeMap<Key, Lock<'a>>> {
    let mut locks = BTreeMap::new();
    let merged: Vec<Id> = steps.iter().filter_map(merged_post).map(Id).collect();
    if !merged.is_empty() {
        // A change of a merged post holds the post that has its votes.
        let canonical: Vec<Option<Id>> = feedback_posts::table
            .filter(feedback_posts::organization_id.eq(Id::of(organization)))
            .filter(feedback_posts::id.eq_any(merged))
            .select(feedback_posts::canonical_id)
            .load(connection)
            .await?;
        let canonical = canonical.into_iter().flatten();
        locks.extend(canonical.map(|id| ((Kind::FeedbackPost, id.0), Lock::Edit(None))));
    }
    // A vote changes while its post is held, as in toggles and merges.
    let posts = steps.iter().filter_map(Step::before).filter_map(post_of_vote);
    locks.extend(posts.map(|post| (post, Lock::Edit(None))));
    let before = steps.iter().filter_map(Step::before);
    locks.extend(before.map(|before| (before.key(), Lock::Edit(Some(before)))));
    Ok(locks)
}

/// Returns [`Undone::Stale`] if a merged post is open by now: others lock open posts in the order of
/// their ids, and would wait for the posts that this change holds.
async fn stay_merged(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    merged: &[(Key, Lock<'_>)],
) -> Result<(), Undone> {
    if merged.is_empty() {
        return Ok(());
    }
    let posts: Vec<Id> = merged.iter().map(|((_, id), _)| Id(*id)).collect();
    let still = feedback_posts::table
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::id.eq_any(posts))
        .filter(feedback_posts::canonical_id.is_not_null())
        .count()
        .get_result::<i64>(connection)
        .await?;
    if still == merged.len() as i64 { Ok(()) } else { Err(Undone::Stale) }
}

fn post_of_vote(record: &Record) -> Option<Key> {
    let Record::Vote(vote) = record else { return None };
    Some(match vote.target {
        Target::Feedback(id) => (Kind::FeedbackPost, id.0),
        Target::Roadmap(id) => (Kind::RoadmapPost, id.0),
    })
}

fn merged_post(step: &Step) -> Option<Uuid> {
    match step.before() {
        Some(Record::FeedbackPost(post)) => post.merged_into_id.map(|_| post.id.0),
        _ => None,
    }
}

/// Takes locks in their order. Returns the keys of the needed records that are missing or not
/// active.
async fn take(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    locks: Vec<(Key, Lock<'_>)>,
) -> Result<BTreeSet<Key>, Undone> {
    let mut missing = BTreeSet::new();
    // A statement looks up and locks the records of a run.
    for run in locks.chunk_by(|((one, _), lock), ((other, _), next)| match (lock, next) {
        (Lock::Need, Lock::Need) => true,
        (Lock::Edit(_), Lock::Edit(_)) => one == other,
        _ => false,
    }) {
        let ((kind, _), lock) = &run[0];
        let keys = run.iter().map(|(key, _)| *key);
        if let Lock::Need = lock {
            let needs: Vec<Key> = keys.collect();
            let held = hold(connection, organization, &needs).await?;
            missing.extend(needs.into_iter().filter(|need| !held.contains(need)));
            continue;
        }
        let keys = keys.map(|(_, id)| id).collect();
        let stored: BTreeMap<Key, Record> = with_kind!(kind, R => {
            let stored = R::lock(connection, organization, keys).await?;
            stored.into_iter().map(|it| it.into_record()).map(|it| (it.key(), it)).collect()
        });
        for (key, lock) in run {
            let stored = stored.get(key).ok_or(Undone::Stale)?;
            if matches!(lock, Lock::Edit(Some(before)) if !stored.is_unchanged(before)) {
                return Err(Undone::Stale);
            }
        }
    }
    Ok(missing)
}

/// Locks the records that a change needs, so that they stay as they are. Returns the keys of those
/// that exist and are active.
async fn hold(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    needs: &[Key],
) -> QueryResult<Vec<Key>> {
    let mut held = Vec::with_capacity(needs.len());
    for some in needs.chunks(statement::NEEDS) {
        let needed = some.iter().map(|&(kind, key)| {
            let (table, column) = with_kind!(kind, R => (R::TABLE, R::KEY));
            let lock = match kind {
                // A deletion of the organization waits for this lock. Without it, a deletion would
                // hold the organization and wait for the rows that the change locks, or miss a row
                // that the change adds behind it.
                Kind::Organization => " FOR KEY SHARE",
                // The deletion of a record is an update. It waits for this lock, but would not wait
                // for the lock of a foreign key.
                _ => " FOR SHARE",
            };
            Need { table, column, key, lock }
        });
        let numbers: Vec<i64> =
            statement::active::<()>(organization, needed).load(connection).await?;
        held.extend(statement::numbered(some, numbers));
    }
    Ok(held)
}

async fn write(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    step: &Step,
    at: Time,
) -> Result<(), Undone> {
    let Some(after) = step.after() else {
        let Some(gone) = step.before() else { return Ok(()) };
        let table = with_kind!(gone.kind(), R => R::TABLE);
        statement::remove::<()>(table, organization, gone.id()).execute(&mut connection).await?;
        return Ok(());
    };
    let mut after = after.clone();
    if let Some((parent, reached)) = step.placement() {
        let kind = after.kind();
        let end = positions::give(connection, organization, kind, parent, reached).await?;
        if reached.is_none() {
            after.put_at(end);
        }
    }
    match step.before() {
        Some(before) => edit(connection, organization, before, &after, at).await?,
        None => with_record!(&after, after => insert(connection, organization, after).await?),
    }
    // The name is checked last. A record with the same external identifier usually has the same
    // name too, and the identifier is the better reason to return.
    match step.new_name() {
        Some(name) => refuse_second_name(connection, organization, &after, &name).await,
        None => Ok(()),
    }
}

/// Returns whether a step changes nothing but the values of one record.
fn is_plain_edit(step: &Step) -> bool {
    let is_edit = step.before().is_some() && step.after().is_some();
    is_edit && step.placement().is_none() && step.new_name().is_none()
}

/// Writes the values of an edited record.
async fn edit(
    connection: &AsyncPgConnection,
    organization: OrganizationId,
    before: &Record,
    after: &Record,
    at: Time,
) -> Result<(), Undone> {
    with_record!(after, after => {
        let before = OfKind::of_record(before).ok_or(Undone::Stale)?;
        let edited = Edited { before, after, at };
        Stored::update(connection, organization, edited).await.map_err(Undone::inserting)
    })
}

/// Inserts a record with its links.
async fn insert<R: Stored + Sync>(
    connection: &AsyncPgConnection,
    organization: OrganizationId,
    record: &R,
) -> Result<(), Undone> {
    if !R::insert_new(connection, organization, record).await.map_err(Undone::inserting)? {
        return Err(Undone::Taken(Unique::Slug));
    }
    R::link(connection, organization, record).await.map_err(Undone::inserting)
}

/// Refuses a name that another active record of the kind has. It is called for kinds with unique
/// names only.
async fn refuse_second_name(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    record: &Record,
    key: &str,
) -> Result<(), Undone> {
    organizations::take_turns(connection, organization).await?;
    let table = with_kind!(record.kind(), R => R::TABLE);
    let names = statement::other_names::<()>(table, organization, record.id());
    let names: Vec<String> = names.load(&mut connection).await?;
    if names.iter().any(|name| name_key(name) == key) {
        return Err(Undone::Taken(Unique::Name));
    }
    Ok(())
}
