//! Recording a merge of feedback posts.

use crate::error::Undone;
use crate::stored::Stored;
use crate::{counts, records};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::counted::Count;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::merge::{Merge, MergeCase, MergeRecord, MergeRequest, PostState};
use hearback_ports::feedback_posts::Attached;
use hearback_store_rows::schema::{feedback_posts, votes};
use hearback_store_rows::{Id, SqlId, Stamp, mails, merges, one, queries};

/// Loads the case of a merge. It always returns one row.
#[derive(QueryId)]
pub(crate) struct LoadCase {
    organization: Id,
    source: Id,
    target: Id,
    merger: Id,
}

impl LoadCase {
    /// The case of a requested merge.
    pub(crate) fn new(organization: OrganizationId, request: MergeRequest) -> Self {
        Self {
            organization: Id::of(organization),
            source: Id::of(request.source),
            target: Id::of(request.target),
            merger: Id::of(request.merger),
        }
    }
}

impl QueryFragment<Pg> for LoadCase {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // $1 is the organization.
        out.push_sql(
            "SELECT source.is_active, source.merged_into_id, target.is_active, target.merged_into_id, \
             EXISTS (SELECT FROM users WHERE organization_id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(" AND user_id = ");
        out.push_bind_param::<SqlId, _>(&self.merger)?;
        out.push_sql(
            " AND is_active) FROM (SELECT) AS always \
             LEFT JOIN feedback_posts AS source ON source.organization_id = $1 AND source.id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.source)?;
        out.push_sql(
            " LEFT JOIN feedback_posts AS target ON target.organization_id = $1 AND target.id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.target)?;
        Ok(())
    }
}

impl Query for LoadCase {
    type SqlType = (Nullable<Bool>, Nullable<SqlId>, Nullable<Bool>, Nullable<SqlId>, Bool);
}

/// The row of [`LoadCase`].
#[derive(Queryable)]
pub(crate) struct CaseRow {
    source_is_active: Option<bool>,
    source_merged_into: Option<Id>,
    target_is_active: Option<bool>,
    target_merged_into: Option<Id>,
    merger_linked: bool,
}

impl From<CaseRow> for MergeCase {
    fn from(row: CaseRow) -> Self {
        let state = |is_active: Option<bool>, merged_into: Option<Id>| {
            is_active.map(|is_active| PostState::new(is_active, merged_into.map(Id::to)))
        };
        Self {
            source: state(row.source_is_active, row.source_merged_into),
            target: state(row.target_is_active, row.target_merged_into),
            merger_linked: row.merger_linked,
        }
    }
}

/// Records a merge. Returns [`Undone::Stale`] if one of the posts is not open.
pub(crate) async fn record(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    merge: Merge,
    attached: &Attached,
) -> Result<(), Undone> {
    // Each post is locked in a statement of its own, in the order of their ids, and none behind a
    // post that is not open: a merge that held a merged post and waited for an open one could wait
    // for the merge that redirects the merged one. The statements below see every change that was
    // committed before the locks were taken, so no vote is left behind.
    let mut posts = [merge.source, merge.target];
    posts.sort();
    for post in posts {
        if !lock_open(connection, organization, post).await? {
            return Err(Undone::Stale);
        }
    }
    let [its_organization, source, target] =
        [Id::of(organization), Id::of(merge.source), Id::of(merge.target)];
    let kept = merges::keep_dropped::<SqlId, ()>(organization, source, target, None);
    let dropped: Vec<Id> = kept.sql(" RETURNING id").load(connection).await?;
    let dropped: Vec<(Id, Option<Id>)> = diesel::delete(votes::table)
        .filter(votes::organization_id.eq(its_organization))
        .filter(votes::id.eq_any(dropped))
        .returning((votes::user_id, votes::feedback_post_id))
        .load(connection)
        .await?;
    let lost_by_source = dropped.iter().filter(|(_, post)| *post == Some(source)).count();
    let lost_by_target = dropped.len() - lost_by_source;
    let mut dropped_user_ids: Vec<UserId> =
        dropped.into_iter().map(|(user, _)| user.to()).collect();
    dropped_user_ids.sort_unstable();
    let voters = queries::voters(its_organization, source).load::<Id>(connection).await?;
    let moved_votes = voters.len();
    let moved_user_ids = voters.into_iter().map(Id::to).collect();
    merges::move_votes::<()>(organization, source, target, None).execute(connection).await?;
    diesel::update(one!(feedback_posts, organization, Id::of(merge.source)))
        .set((
            feedback_posts::merged_into_id.eq(Id::of(merge.target)),
            feedback_posts::canonical_id.eq(Id::of(merge.target)),
            feedback_posts::updated_at.eq(Stamp::of(merge.at)),
        ))
        .execute(connection)
        .await?;
    diesel::update(feedback_posts::table)
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::canonical_id.eq(Id::of(merge.source)))
        .set(feedback_posts::canonical_id.eq(Id::of(merge.target)))
        .execute(connection)
        .await?;
    let record = MergeRecord {
        id: merge.id,
        merge_post_id: merge.source,
        into_post_id: merge.target,
        merger_id: merge.merger,
        moved_user_ids,
        dropped_user_ids,
        votes_kept: true,
        created_at: merge.at,
    };
    MergeRecord::insert(connection, organization, &[record]).await?;
    let mut moved = [
        ((merge.source.0, Count::Votes), -((moved_votes + lost_by_source) as i64)),
        ((merge.target.0, Count::Votes), moved_votes as i64 - lost_by_target as i64),
    ];
    moved.sort_unstable();
    attach(connection, organization, attached).await?;
    Ok(counts::add(connection, organization, moved).await?)
}

/// Records what belongs to a merge or its end.
pub(crate) async fn attach(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    Attached { event, audit, mailing, receipt }: &Attached,
) -> Result<(), Undone> {
    if let Some((mailing, at)) = mailing {
        mails::announce::<()>(organization, *mailing, *at).execute(connection).await?;
    }
    records::attach(connection, organization, event, audit, receipt.as_ref()).await
}

/// Locks a post against votes and other merges until the transaction ends. Returns `false` if the
/// post is not open.
async fn lock_open(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    post: PostId,
) -> QueryResult<bool> {
    let locked = one!(feedback_posts, organization, Id::of(post))
        .filter(feedback_posts::is_active)
        .filter(feedback_posts::merged_into_id.is_null())
        .select(feedback_posts::id)
        .for_no_key_update()
        .execute(connection)
        .await?;
    Ok(locked == 1)
}
