//! Recording a merge of feedback posts.

use crate::error::Undone;
use crate::rows::Id;
use crate::schema::{feedback_posts, votes};
use crate::{merges, receipts, users};
use diesel::alias;
use diesel::dsl::exists;
use diesel::prelude::*;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::merge::{Merge, MergeCase, MergeRecord, MergeRequest, PostState};
use hearback_ports::Receipt;

/// Loads what a merge rests on.
pub(crate) fn load(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    request: MergeRequest,
) -> QueryResult<MergeCase> {
    connection.transaction(|connection| {
        Ok(MergeCase {
            source: state(connection, organization, request.source)?,
            target: state(connection, organization, request.target)?,
            merger_linked: users::is_linked(connection, organization, request.merger)?,
        })
    })
}

/// Records a merge, or takes it back.
pub(crate) fn record(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    merge: Merge,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    // Nobody else writes between this and the commit.
    for post in [merge.source, merge.target] {
        if state(connection, organization, post)? != Some(PostState::Open) {
            return Err(Undone::Stale);
        }
    }
    let dropped_user_ids = voters_of_both(connection, organization, merge)?;
    drop_younger(connection, organization, merge.target, merge.source)?;
    drop_younger(connection, organization, merge.source, merge.target)?;
    let moved_user_ids = voters(connection, organization, merge.source)?;
    diesel::update(votes::table)
        .filter(votes::organization_id.eq(Id::of(organization)))
        .filter(votes::feedback_post_id.eq(Id::of(merge.source)))
        .set(votes::feedback_post_id.eq(Id::of(merge.target)))
        .execute(connection)?;
    diesel::update(feedback_posts::table)
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::id.eq(Id::of(merge.source)))
        .set((
            feedback_posts::merged_into_id.eq(Id::of(merge.target)),
            feedback_posts::canonical_id.eq(Id::of(merge.target)),
            feedback_posts::updated_at.eq(merge.at.unix_millis()),
        ))
        .execute(connection)?;
    diesel::update(feedback_posts::table)
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::canonical_id.eq(Id::of(merge.source)))
        .set(feedback_posts::canonical_id.eq(Id::of(merge.target)))
        .execute(connection)?;
    let record = MergeRecord {
        id: merge.id,
        merge_post_id: merge.source,
        into_post_id: merge.target,
        merger_id: merge.merger,
        moved_user_ids,
        dropped_user_ids,
        created_at: merge.at,
    };
    merges::insert(connection, organization, &record)?;
    receipts::insert(connection, organization, receipt)
}

fn state(connection: &mut SqliteConnection, organization: OrganizationId, post: PostId) -> QueryResult<Option<PostState>> {
    let found = feedback_posts::table
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::id.eq(Id::of(post)))
        .select((feedback_posts::is_active, feedback_posts::merged_into_id))
        .first::<(bool, Option<Id>)>(connection)
        .optional()?;
    Ok(found.map(|(is_active, merged_into)| PostState::new(is_active, merged_into.map(Id::to))))
}

/// Whose votes are on a post, sorted.
fn voters(connection: &mut SqliteConnection, organization: OrganizationId, post: PostId) -> QueryResult<Vec<UserId>> {
    let voters = votes::table
        .filter(votes::organization_id.eq(Id::of(organization)))
        .filter(votes::feedback_post_id.eq(Id::of(post)))
        .order(votes::user_id)
        .select(votes::user_id)
        .load::<Id>(connection)?;
    Ok(voters.into_iter().map(Id::to).collect())
}

alias! {
    const OTHER: Alias<Other> = votes as other_votes;
}

/// Who voted for both posts and so loses the younger vote, sorted.
fn voters_of_both(connection: &mut SqliteConnection, organization: OrganizationId, merge: Merge) -> QueryResult<Vec<UserId>> {
    let voters = votes::table
        .filter(votes::organization_id.eq(Id::of(organization)))
        .filter(votes::feedback_post_id.eq(Id::of(merge.source)))
        .filter(exists(
            OTHER
                .filter(OTHER.field(votes::organization_id).eq(Id::of(organization)))
                .filter(OTHER.field(votes::user_id).eq(votes::user_id))
                .filter(OTHER.field(votes::feedback_post_id).eq(Id::of(merge.target))),
        ))
        .order(votes::user_id)
        .select(votes::user_id)
        .load::<Id>(connection)?;
    Ok(voters.into_iter().map(Id::to).collect())
}

/// Deletes the votes on `post` of those who have an older one on `other`.
fn drop_younger(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: PostId,
    other: PostId,
) -> QueryResult<usize> {
    let older = OTHER
        .filter(OTHER.field(votes::organization_id).eq(Id::of(organization)))
        .filter(OTHER.field(votes::user_id).eq(votes::user_id))
        .filter(OTHER.field(votes::feedback_post_id).eq(Id::of(other)))
        .filter(OTHER.field(votes::created_at).le(votes::created_at))
        .filter(OTHER.field(votes::created_at).lt(votes::created_at).or(OTHER.field(votes::id).lt(votes::id)));
    diesel::delete(votes::table)
        .filter(votes::organization_id.eq(Id::of(organization)))
        .filter(votes::feedback_post_id.eq(Id::of(post)))
        .filter(exists(older))
        .execute(connection)
}
