//! Recording the end of a merge of feedback posts.

use crate::counts;
use crate::error::Undone;
use crate::sql::ROWS;
use crate::stored::Stored;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::id::{OrganizationId, PostId};
use hearback_domain::merge::{DroppedVote, Parted, Parting, PresentVote, Unmerge, UnmergeEffects};
use hearback_domain::vote::Vote;
use hearback_store_rows::queries::followed;
use hearback_store_rows::rows::DroppedVoteRow;
use hearback_store_rows::schema::{dropped_votes, feedback_posts, merges, votes};
use hearback_store_rows::{Id, Ids, Stamp, all, one};

/// Records the end of a merge. Returns [`Undone::Stale`] if the post is deleted, or no longer merged
/// into that post, or has changed at that time or later.
pub(crate) async fn record(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    unmerge: Unmerge,
) -> Result<UnmergeEffects, Undone> {
    let source = Id::of(unmerge.source);
    let rest = one!(feedback_posts, organization, source)
        .select(feedback_posts::canonical_id)
        .first::<Option<Id>>(connection)
        .await
        .optional()?;
    let rest = rest.flatten().ok_or(Undone::Stale)?;
    // As in every change of a merged post, the post that has its votes is locked first. Who holds it
    // may be sure that the post stays merged, and waits for no one who merges it again.
    let locked = one!(feedback_posts, organization, rest)
        .filter(feedback_posts::merged_into_id.is_null())
        .select(feedback_posts::id)
        .for_no_key_update()
        .execute(connection)
        .await?;
    let merged = one!(feedback_posts, organization, source)
        .filter(feedback_posts::is_active)
        .filter(feedback_posts::canonical_id.eq(rest))
        .filter(feedback_posts::merged_into_id.eq(Id::of(unmerge.into)))
        .filter(feedback_posts::updated_at.lt(Stamp::of(unmerge.at)))
        .select(feedback_posts::id)
        .execute(connection)
        .await?;
    if (locked, merged) != (1, 1) {
        return Err(Undone::Stale);
    }
    let behind = followed(Id::of(organization), rest).load::<(Id, Id)>(connection).await?;
    let behind: Vec<_> = behind.into_iter().map(|(post, into)| (post.to(), into.to())).collect();
    let parting = Parting::new(unmerge.source, rest.to(), &behind);
    let followers: Vec<Id> = parting.followers().map(Id::of).collect();
    diesel::update(feedback_posts::table)
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::id.eq_any(&followers))
        .filter(feedback_posts::id.ne(source))
        .set(feedback_posts::canonical_id.eq(source))
        .execute(connection)
        .await?;
    diesel::update(one!(feedback_posts, organization, source))
        .set((
            feedback_posts::merged_into_id.eq(None::<Id>),
            feedback_posts::canonical_id.eq(None::<Id>),
            feedback_posts::updated_at.eq(Stamp::of(unmerge.at)),
        ))
        .execute(connection)
        .await?;
    recall(connection, organization, unmerge, rest).await?;
    let returned = diesel::update(votes::table)
        .filter(votes::organization_id.eq(Id::of(organization)))
        .filter(votes::feedback_post_id.eq(rest))
        .filter(votes::cast_on_id.eq_any(&followers))
        .set(votes::feedback_post_id.eq(source))
        .execute(connection)
        .await?;
    diesel::update(votes::table)
        .filter(votes::organization_id.eq(Id::of(organization)))
        .filter(votes::feedback_post_id.eq(source))
        .filter(votes::cast_on_id.eq(source))
        .set(votes::cast_on_id.eq(None::<Id>))
        .execute(connection)
        .await?;
    let dropped: Vec<DroppedVoteRow> = dropped_votes::table
        .filter(dropped_votes::organization_id.eq(Id::of(organization)))
        .filter(
            dropped_votes::feedback_post_id
                .eq_any(&followers)
                .or(dropped_votes::kept_post_id.eq_any(&followers)),
        )
        .select(DroppedVoteRow::as_select())
        .load(connection)
        .await?;
    let mut dropped: Vec<DroppedVote> = all(dropped)?;
    dropped.retain(|vote| parting.parts(vote));
    let mut present = Vec::new();
    for some in dropped.chunks(ROWS) {
        let voters: Vec<Id> = some.iter().map(|vote| Id::of(vote.user_id)).collect();
        let found = votes::table
            .filter(votes::organization_id.eq(Id::of(organization)))
            .filter(votes::user_id.eq_any(voters))
            .filter(votes::feedback_post_id.eq(source).or(votes::feedback_post_id.eq(rest)))
            .select((votes::user_id, votes::feedback_post_id.assume_not_null(), votes::cast_on_id))
            .load::<(Id, Id, Option<Id>)>(connection)
            .await?;
        present.extend(found.into_iter().map(|(user, on, cast_on)| PresentVote {
            user: user.to(),
            on: on.to(),
            cast_on: cast_on.unwrap_or(on).to(),
        }));
    }
    let parted = parting.part(dropped, &present);
    let effects = UnmergeEffects {
        returned: returned as i64 - parted.split,
        restored: parted.restored.len() as i64,
        followed: followers.len() as i64 - 1,
    };
    restore(connection, organization, parted).await?;
    counts::recount(connection, organization, [source, rest]).await?;
    Ok(effects)
}

/// Makes the votes know that they were cast on the source, if the merge did not keep that.
async fn recall(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    unmerge: Unmerge,
    rest: Id,
) -> QueryResult<()> {
    let last = merges::table
        .filter(merges::organization_id.eq(Id::of(organization)))
        .filter(merges::merge_post_id.eq(Id::of(unmerge.source)))
        .order((merges::created_at.desc(), merges::id.desc()))
        .select((merges::votes_kept, merges::into_post_id, merges::moved_user_ids))
        .first::<(bool, Id, Ids)>(connection)
        .await
        .optional()?;
    let Some((false, into, Ids(Some(moved)))) = last else { return Ok(()) };
    if into.to::<PostId>() != unmerge.into {
        return Ok(());
    }
    for some in moved.chunks(ROWS) {
        let voters: Vec<Id> = some.iter().copied().map(Id).collect();
        diesel::update(votes::table)
            .filter(votes::organization_id.eq(Id::of(organization)))
            .filter(votes::feedback_post_id.eq(rest))
            .filter(votes::user_id.eq_any(voters))
            .filter(votes::cast_on_id.is_null().or(votes::cast_on_id.eq(into)))
            .set(votes::cast_on_id.eq(Id::of(unmerge.source)))
            .execute(connection)
            .await?;
    }
    Ok(())
}

async fn restore(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    Parted { restored, dropped, forgotten, .. }: Parted,
) -> QueryResult<()> {
    let gone: Vec<Id> = restored.iter().map(|vote| vote.id).chain(forgotten).map(Id::of).collect();
    for some in gone.chunks(ROWS) {
        diesel::delete(dropped_votes::table)
            .filter(dropped_votes::organization_id.eq(Id::of(organization)))
            .filter(dropped_votes::id.eq_any(some))
            .execute(connection)
            .await?;
    }
    Vote::insert(connection, organization, &restored).await?;
    for vote in dropped {
        diesel::update(one!(dropped_votes, organization, Id::of(vote.id)))
            .set(dropped_votes::kept_post_id.eq(Id::of(vote.kept_post_id)))
            .execute(connection)
            .await?;
    }
    Ok(())
}
