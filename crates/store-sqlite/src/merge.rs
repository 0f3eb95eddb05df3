//! Recording a merge of feedback posts.

use crate::error::Undone;
use crate::stored::Stored;
use crate::{receipts, users};
use diesel::prelude::*;
use hearback_domain::id::{OrganizationId, PostId};
use hearback_domain::merge::{Merge, MergeCase, MergeRecord, MergeRequest, PostState};
use hearback_ports::Receipt;
use hearback_store_rows::schema::{feedback_posts, votes};
use hearback_store_rows::votes::younger;
use hearback_store_rows::{Id, Stamp, one, queries};

/// Loads the needs of a merge.
pub(crate) fn load(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    request: MergeRequest,
) -> QueryResult<MergeCase> {
    Ok(MergeCase {
        source: state(connection, organization, request.source)?,
        target: state(connection, organization, request.target)?,
        merger_linked: users::is_linked(connection, organization, request.merger)?,
    })
}

/// Records a merge. Returns [`Undone::Stale`] if one of the posts is not open.
pub(crate) fn record(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    merge: Merge,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    // The transaction holds the write lock until the commit.
    for post in [merge.source, merge.target] {
        if state(connection, organization, post)? != Some(PostState::Open) {
            return Err(Undone::Stale);
        }
    }
    let [its_organization, source, target] =
        [Id::of(organization), Id::of(merge.source), Id::of(merge.target)];
    let pairs = queries::second_votes(its_organization, source, target).load(connection)?;
    let (dropped_user_ids, second_votes) = younger(pairs);
    for vote in second_votes {
        diesel::delete(one!(votes, organization, vote)).execute(connection)?;
    }
    let voters = queries::voters(its_organization, source).load::<Id>(connection)?;
    let moved_user_ids = voters.into_iter().map(Id::to).collect();
    diesel::update(votes::table)
        .filter(votes::organization_id.eq(Id::of(organization)))
        .filter(votes::feedback_post_id.eq(Id::of(merge.source)))
        .set(votes::feedback_post_id.eq(Id::of(merge.target)))
        .execute(connection)?;
    diesel::update(one!(feedback_posts, organization, Id::of(merge.source)))
        .set((
            feedback_posts::merged_into_id.eq(Id::of(merge.target)),
            feedback_posts::canonical_id.eq(Id::of(merge.target)),
            feedback_posts::updated_at.eq(Stamp::of(merge.at)),
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
    MergeRecord::insert(connection, organization, &record)?;
    receipts::insert(connection, organization, receipt)
}

fn state(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: PostId,
) -> QueryResult<Option<PostState>> {
    let found = one!(feedback_posts, organization, Id::of(post))
        .select((feedback_posts::is_active, feedback_posts::merged_into_id))
        .first::<(bool, Option<Id>)>(connection)
        .optional()?;
    Ok(found.map(|(is_active, merged_into)| PostState::new(is_active, merged_into.map(Id::to))))
}
