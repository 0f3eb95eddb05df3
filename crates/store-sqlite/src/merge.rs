//! Recording a merge of feedback posts.

use crate::error::Undone;
use crate::stored::Stored;
use crate::{receipts, users};
use diesel::alias;
use diesel::prelude::*;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::merge::{Merge, MergeCase, MergeRecord, MergeRequest, PostState};
use hearback_ports::Receipt;
use hearback_store_rows::schema::{feedback_posts, votes};
use hearback_store_rows::{Id, Stamp};

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
    let (dropped_user_ids, second_votes) = second_votes(connection, organization, merge)?;
    for vote in second_votes {
        diesel::delete(votes::table)
            .filter(votes::organization_id.eq(Id::of(organization)))
            .filter(votes::id.eq(vote))
            .execute(connection)?;
    }
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
    let found = feedback_posts::table
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::id.eq(Id::of(post)))
        .select((feedback_posts::is_active, feedback_posts::merged_into_id))
        .first::<(bool, Option<Id>)>(connection)
        .optional()?;
    Ok(found.map(|(is_active, merged_into)| PostState::new(is_active, merged_into.map(Id::to))))
}

/// The users who voted for a post, sorted.
fn voters(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: PostId,
) -> QueryResult<Vec<UserId>> {
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

/// The users who voted for both posts, sorted, and the younger vote of each, which the merge
/// removes.
///
/// The votes are searched for once, and deleted by their identifiers: each search for voters of
/// both posts takes a look-up for every vote.
fn second_votes(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    merge: Merge,
) -> QueryResult<(Vec<UserId>, Vec<Id>)> {
    let of_the_same_voter = OTHER
        .field(votes::organization_id)
        .eq(Id::of(organization))
        .and(OTHER.field(votes::user_id).eq(votes::user_id))
        .and(OTHER.field(votes::feedback_post_id).eq(Id::of(merge.target)));
    let pairs = votes::table
        .inner_join(OTHER.on(of_the_same_voter))
        .filter(votes::organization_id.eq(Id::of(organization)))
        .filter(votes::feedback_post_id.eq(Id::of(merge.source)))
        .order(votes::user_id)
        .select((
            votes::user_id,
            (votes::created_at, votes::id),
            (OTHER.field(votes::created_at), OTHER.field(votes::id)),
        ))
        .load::<(Id, CastVote, CastVote)>(connection)?;
    // The younger vote is the greater one.
    Ok(pairs.into_iter().map(|(user, one, other)| (UserId(user.0), one.max(other).1)).unzip())
}

/// The order of votes: by time, then by identifier.
type CastVote = (Stamp, Id);
