//! Recording a merge of feedback posts.

use crate::error::Undone;
use crate::moves::{Pair, votes_from};
use crate::stored::Stored;
use crate::{audit, events, receipts, users};
use diesel::prelude::*;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::merge::{Merge, MergeCase, MergeRecord, MergeRequest, PostState};
use hearback_ports::feedback_posts::Attached;
use hearback_store_rows::schema::feedback_posts;
use hearback_store_rows::{Id, Stamp, mails, one};

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

/// Records a merge. Returns [`Undone::Stale`] if one of the posts is not open, or if votes still
/// move between it and another one.
pub(crate) fn record(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    merge: Merge,
    attached: &Attached,
) -> Result<(), Undone> {
    // The transaction holds the write lock until the commit.
    for post in [merge.source, merge.target] {
        if state(connection, organization, post)? != Some(PostState::Open)
            || votes_from(connection, organization, Id::of(post))?.is_some()
        {
            return Err(Undone::Stale);
        }
    }
    let (source, target) = (Id::of(merge.source), Id::of(merge.target));
    let pair = Pair { organization, source, target };
    let part = pair.move_part(connection, None)?;
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
    let mut record = MergeRecord {
        id: merge.id,
        merge_post_id: merge.source,
        into_post_id: merge.target,
        merger_id: merge.merger,
        moved_user_ids: Vec::new(),
        dropped_user_ids: Vec::new(),
        votes_kept: true,
        created_at: merge.at,
    };
    if part.has_more {
        pair.begin(connection, part)?;
    } else {
        record.moved_user_ids = sorted(part.moved);
        record.dropped_user_ids = sorted(part.dropped);
    }
    MergeRecord::insert(connection, organization, &record)?;
    attach(connection, organization, attached)
}

/// Records what belongs to a merge or its end.
pub(crate) fn attach(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    Attached { event, audit, mailing, receipt }: &Attached,
) -> Result<(), Undone> {
    if let Some(event) = event {
        events::record(connection, organization, event)?;
    }
    audit::insert(connection, organization, audit)?;
    if let Some((mailing, at)) = mailing {
        mails::announce::<()>(organization, *mailing, *at).execute(connection)?;
    }
    receipts::insert(connection, organization, receipt.as_ref())
}

fn sorted(mut users: Vec<UserId>) -> Vec<UserId> {
    users.sort_unstable();
    users
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
