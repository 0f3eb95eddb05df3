//! The votes of a large merge, which move from its source to its target in parts.
//!
//! A merge moves a part of the votes in its own transaction. If more are left, `votes_from_id` of
//! both posts is the source. From then on all votes count on the target: each function that reads
//! votes looks at both posts, and of two votes of a voter only the older one counts. A step at a
//! time moves the rest. So no transaction is long, and readers see the merge happen at one moment.

use crate::counts;
use diesel::prelude::*;
use diesel::sql_types::{Nullable, Text};
use hearback_domain::counted::Count;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_ports::page::{ByTime, PageRequest};
use hearback_store_rows::merges::{keep_dropped, move_votes};
use hearback_store_rows::schema::{feedback_posts, merges, moved_votes, votes};
use hearback_store_rows::statement::Statement;
use hearback_store_rows::votes::VoterRow;
use hearback_store_rows::{Id, Ids, SqlId, SqlStamp, Stamp, one};

/// The most votes that move in one transaction.
pub(crate) const PART: usize = 500;

/// The posts of a merge.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) organization: OrganizationId,
    pub(crate) source: Id,
    pub(crate) target: Id,
}

/// The votes that a transaction has moved.
#[derive(Default)]
pub(crate) struct Part {
    /// The voters whose votes moved.
    pub(crate) moved: Vec<UserId>,
    /// The voters who had voted on both posts and lost the younger vote.
    pub(crate) dropped: Vec<UserId>,
    /// Whether the source may have more votes.
    pub(crate) has_more: bool,
}

/// A vote on the source, and the time and identifier of the voter's vote on the target.
type Found = (Id, Stamp, Id, Option<Stamp>, Option<Id>);
type SqlFound = (SqlId, SqlStamp, SqlId, Nullable<SqlStamp>, Nullable<SqlId>);

impl Pair {
    /// Moves up to [`PART`] votes to the target: those of `voter` alone, or the oldest ones.
    pub(crate) fn move_part(
        self,
        connection: &mut SqliteConnection,
        voter: Option<UserId>,
    ) -> QueryResult<Part> {
        let Self { organization, source, target } = self;
        let mut query = Statement::<SqlFound>::new(
            "SELECT one.user_id, one.created_at, one.id, other.created_at, other.id \
             FROM votes AS one LEFT JOIN votes AS other \
             ON other.organization_id = one.organization_id AND other.user_id = one.user_id \
             AND other.feedback_post_id = ",
        );
        query = query.id(target.0).sql(" WHERE one.organization_id = ").id(organization);
        query = query.sql(" AND one.feedback_post_id = ").id(source.0);
        if let Some(voter) = voter {
            query = query.sql(" AND one.user_id = ").id(voter);
        }
        query = query.sql(" ORDER BY one.created_at, one.id LIMIT ").number(PART as i64);
        let found: Vec<Found> = query.load(connection)?;
        let (lost, mut won) = (found.len() as i64, 0);
        let mut part = Part { has_more: found.len() == PART, ..Part::default() };
        for (user, at, vote, other_at, other) in found {
            let other = other_at.zip(other);
            if let Some(other) = other {
                let (_, younger) = other.max((at, vote));
                keep_dropped::<(), ()>(organization, source, target, Some(user.to()))
                    .execute(connection)?;
                diesel::delete(one!(votes, organization, younger)).execute(connection)?;
                part.dropped.push(user.to());
            }
            won += i64::from(other.is_none());
            if other.is_none_or(|other| (at, vote) < other) {
                move_votes::<()>(organization, source, target, Some(vote)).execute(connection)?;
                part.moved.push(user.to());
            }
        }
        // Each post has the count of its own votes while they move.
        let moved = [((source.0, Count::Votes), -lost), ((target.0, Count::Votes), won)];
        counts::add(connection, organization, moved)?;
        Ok(part)
    }

    /// Lets the votes that are left on the source count on the target from now on.
    pub(crate) fn begin(self, connection: &mut SqliteConnection, part: Part) -> QueryResult<()> {
        self.mark(connection, Some(self.source))?;
        self.keep(connection, part)
    }

    /// The step that moves the next part. Returns the number of votes that it reached.
    fn step(self, connection: &mut SqliteConnection) -> QueryResult<usize> {
        let part = self.move_part(connection, None)?;
        let (has_more, reached) = (part.has_more, part.moved.len() + part.dropped.len());
        self.keep(connection, part)?;
        if !has_more {
            self.end(connection)?;
        }
        // The last step may reach no vote.
        Ok(reached.max(1))
    }

    /// Completes the record of the merge.
    fn end(self, connection: &mut SqliteConnection) -> QueryResult<()> {
        let parts = || {
            moved_votes::table
                .filter(moved_votes::organization_id.eq(Id::of(self.organization)))
                .filter(moved_votes::source_id.eq(self.source))
        };
        let columns = (moved_votes::moved_user_ids, moved_votes::dropped_user_ids);
        let (mut moved, mut dropped) = (Vec::new(), Vec::new());
        for (some_moved, some_dropped) in parts().select(columns).load::<(Ids, Ids)>(connection)? {
            moved.extend(some_moved.0.into_iter().flatten());
            dropped.extend(some_dropped.0.into_iter().flatten());
        }
        moved.sort_unstable();
        dropped.sort_unstable();
        // The posts may have been merged and parted before.
        let last = merges::table
            .filter(merges::organization_id.eq(Id::of(self.organization)))
            .filter(merges::merge_post_id.eq(self.source))
            .order((merges::created_at.desc(), merges::id.desc()))
            .select(merges::id)
            .first::<Id>(connection)
            .optional()?;
        if let Some(last) = last {
            diesel::update(one!(merges, self.organization, last))
                .set((
                    merges::moved_user_ids.eq(Ids(Some(moved))),
                    merges::dropped_user_ids.eq(Ids(Some(dropped))),
                ))
                .execute(connection)?;
        }
        diesel::delete(parts()).execute(connection)?;
        self.mark(connection, None)
    }

    fn mark(self, connection: &mut SqliteConnection, from: Option<Id>) -> QueryResult<()> {
        diesel::update(feedback_posts::table)
            .filter(feedback_posts::organization_id.eq(Id::of(self.organization)))
            .filter(feedback_posts::id.eq(self.source).or(feedback_posts::id.eq(self.target)))
            .set(feedback_posts::votes_from_id.eq(from))
            .execute(connection)?;
        Ok(())
    }

    fn keep(self, connection: &mut SqliteConnection, part: Part) -> QueryResult<()> {
        let ids = |users: Vec<UserId>| Ids(Some(users.into_iter().map(|user| user.0).collect()));
        diesel::insert_into(moved_votes::table)
            .values((
                moved_votes::organization_id.eq(Id::of(self.organization)),
                moved_votes::source_id.eq(self.source),
                moved_votes::moved_user_ids.eq(ids(part.moved)),
                moved_votes::dropped_user_ids.eq(ids(part.dropped)),
            ))
            .execute(connection)?;
        Ok(())
    }
}

/// The post whose votes count on an active post, too. It is the post itself if its votes count on
/// another one.
pub(crate) fn votes_from(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: Id,
) -> QueryResult<Option<Id>> {
    let found = one!(feedback_posts, organization, post)
        .filter(feedback_posts::is_active)
        .select(feedback_posts::votes_from_id)
        .first::<Option<Id>>(connection);
    Ok(found.optional()?.flatten())
}

/// Moves the vote of a voter before its turn, if votes move to the target.
pub(crate) fn settle(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    target: PostId,
    voter: UserId,
) -> QueryResult<()> {
    let target = Id::of(target);
    if let Some(source) = votes_from(connection, organization, target)? {
        let pair = Pair { organization, source, target };
        let part = pair.move_part(connection, Some(voter))?;
        pair.keep(connection, part)?;
    }
    Ok(())
}

/// Moves a part of the votes of a merge. Returns the number of votes that it reached, and 0 if none
/// are left.
pub(crate) fn step(connection: &mut SqliteConnection) -> QueryResult<usize> {
    Ok(next(connection)?.map(|pair| pair.step(connection)).transpose()?.unwrap_or_default())
}

/// A merge whose votes still move.
pub(crate) fn next(connection: &mut SqliteConnection) -> QueryResult<Option<Pair>> {
    let from = feedback_posts::votes_from_id.assume_not_null();
    let found = feedback_posts::table
        .filter(feedback_posts::votes_from_id.is_not_null())
        .filter(from.ne(feedback_posts::id))
        // The order is that of the index of such posts. Without it, the engine reads all posts.
        .order((feedback_posts::organization_id, feedback_posts::id))
        .select((feedback_posts::organization_id, from, feedback_posts::id))
        .first::<(Id, Id, Id)>(connection)
        .optional()?;
    Ok(found.map(|(organization, source, target)| Pair {
        organization: organization.to(),
        source,
        target,
    }))
}

/// Removes the parts of an organization's merges.
pub(crate) fn forget(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
) -> QueryResult<usize> {
    diesel::delete(moved_votes::table)
        .filter(moved_votes::organization_id.eq(Id::of(organization)))
        .execute(connection)
}

/// The vote of a voter that counts on the target of a merge.
pub(crate) fn vote_of(
    connection: &mut SqliteConnection,
    Pair { organization, source, target }: Pair,
    voter: UserId,
) -> QueryResult<Option<Id>> {
    votes::table
        .filter(votes::organization_id.eq(Id::of(organization)))
        .filter(votes::user_id.eq(Id::of(voter)))
        .filter(votes::feedback_post_id.eq(source).or(votes::feedback_post_id.eq(target)))
        .order((votes::created_at, votes::id))
        .select(votes::id)
        .first(connection)
        .optional()
}

/// The voters of the target of a merge, as [`lists::voters`](hearback_store_rows::sqlite::lists)
/// returns them.
pub(crate) fn voters(
    connection: &mut SqliteConnection,
    Pair { organization, source, target }: Pair,
    page: &PageRequest<ByTime>,
) -> QueryResult<Vec<VoterRow>> {
    let mut query = Statement::<(SqlId, SqlId, Text, Nullable<Text>, SqlStamp)>::new("");
    // SQLite reads both parts in order, and stops behind the page.
    for (post, other, keyword) in [(source, target, ""), (target, source, " UNION ALL ")] {
        query = query.sql(keyword).sql(
            "SELECT votes.id, votes.user_id, users.name, users.email, votes.created_at \
             FROM votes JOIN users USING (organization_id, user_id) WHERE votes.feedback_post_id = ",
        );
        query = query.id(post.0).sql(" AND votes.organization_id = ").id(organization).sql(
            " AND NOT EXISTS (SELECT 1 FROM votes AS other \
             WHERE other.organization_id = votes.organization_id \
             AND other.user_id = votes.user_id \
             AND (other.created_at, other.id) < (votes.created_at, votes.id) \
             AND other.feedback_post_id = ",
        );
        query = query.id(other.0).sql(")");
        if let Some(ByTime { at, id }) = page.after {
            query = query.sql(" AND votes.created_at >= ").number(Stamp::of(at).0);
            query = query.sql(" AND (votes.created_at > ").number(Stamp::of(at).0);
            query = query.sql(" OR votes.id > ").id(id).sql(")");
        }
    }
    query.sql(" ORDER BY 5, 1 LIMIT ").number(page.limit.and_one()).load(connection)
}
