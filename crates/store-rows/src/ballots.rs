//! The statements that load a ballot. They are the hot path, and Diesel's query builder cannot
//! express them. Each type has one text in an engine, so that it is prepared once for each
//! connection.

use crate::column::{BadRow, Origin};
use crate::values::{Id, SqlId};
use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::serialize::ToSql;
use diesel::sql_types::{Bool, HasSqlType, Nullable, Text};
use hearback_domain::id::{OrganizationId, PostId, RoadmapPostId, UserId};
use hearback_domain::vote::{Ballot, OpenPost, Voting};

/// Loads the ballot of a vote on a feedback post. It always returns one row.
#[derive(Clone, Copy, Debug, QueryId)]
pub struct LoadFeedbackBallot {
    organization: Id,
    post: Id,
    voter: Id,
    votes_from: &'static str,
}

impl LoadFeedbackBallot {
    /// The ballot of a voter. `votes_from` is the post's column of that name, or `NULL` if the
    /// engine has none.
    pub fn new(
        organization: OrganizationId,
        post: PostId,
        voter: UserId,
        votes_from: &'static str,
    ) -> Self {
        let [organization, post, voter] = [organization.0, post.0, voter.0].map(Id);
        Self { organization, post, voter, votes_from }
    }
}

impl<DB> QueryFragment<DB> for LoadFeedbackBallot
where
    DB: Backend + HasSqlType<SqlId>,
    Id: ToSql<SqlId, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(
            "SELECT post.id, post.title, post.board_id, board.is_voting_enabled, vote.id, ",
        );
        out.push_sql(self.votes_from);
        out.push_sql(", (SELECT is_blocked FROM users WHERE is_active AND organization_id = ");
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(" AND user_id = ");
        out.push_bind_param::<SqlId, _>(&self.voter)?;
        out.push_sql(
            ") FROM (SELECT 1) AS always \
             LEFT JOIN feedback_posts AS named ON named.is_active AND named.organization_id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(" AND named.id = ");
        out.push_bind_param::<SqlId, _>(&self.post)?;
        out.push_sql(
            " LEFT JOIN feedback_posts AS post ON post.is_active \
             AND post.id = coalesce(named.canonical_id, named.id) AND post.organization_id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(
            " LEFT JOIN feedback_boards AS board ON board.id = post.board_id AND board.organization_id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(
            " LEFT JOIN votes AS vote ON vote.feedback_post_id = post.id AND vote.organization_id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(" AND vote.user_id = ");
        out.push_bind_param::<SqlId, _>(&self.voter)?;
        Ok(())
    }
}

impl Query for LoadFeedbackBallot {
    type SqlType = (
        Nullable<SqlId>,
        Nullable<Text>,
        Nullable<SqlId>,
        Nullable<Bool>,
        Nullable<SqlId>,
        Nullable<SqlId>,
        Nullable<Bool>,
    );
}

/// The row of [`LoadFeedbackBallot`].
#[derive(Debug, Queryable)]
pub struct FeedbackBallotRow {
    /// The post that has the votes.
    pub post: Option<Id>,
    title: Option<String>,
    board: Option<Id>,
    is_voting_enabled: Option<bool>,
    /// The vote of the voter.
    pub present: Option<Id>,
    /// The post whose votes move.
    pub votes_from: Option<Id>,
    /// `None` if the voter is not linked.
    voter_blocked: Option<bool>,
}

impl FeedbackBallotRow {
    /// The ballot of this voter.
    pub fn ballot(self, voter: UserId) -> Result<Ballot, BadRow> {
        let post = match (self.post, self.title, self.board, self.is_voting_enabled) {
            (Some(id), Some(title), Some(board_id), Some(flag)) => Some(OpenPost::Feedback {
                id: id.to(),
                title,
                board_id: board_id.to(),
                voting: Voting::from_flag(flag),
            }),
            (Some(id), ..) => return Err(Origin::new("feedback_posts", id).bad("board_id")),
            (None, ..) => None,
        };
        Ok(ballot(post, voter, self.voter_blocked, self.present))
    }
}

/// Loads the ballot of a vote on a roadmap post. It always returns one row.
#[derive(Clone, Copy, Debug, QueryId)]
pub struct LoadRoadmapBallot {
    organization: Id,
    post: Id,
    voter: Id,
}

impl LoadRoadmapBallot {
    /// The ballot of a voter.
    pub fn new(organization: OrganizationId, post: RoadmapPostId, voter: UserId) -> Self {
        let [organization, post, voter] = [organization.0, post.0, voter.0].map(Id);
        Self { organization, post, voter }
    }
}

impl<DB> QueryFragment<DB> for LoadRoadmapBallot
where
    DB: Backend + HasSqlType<SqlId>,
    Id: ToSql<SqlId, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(
            "SELECT post.id, board.is_voting_enabled, vote.id, \
             (SELECT is_blocked FROM users WHERE is_active AND organization_id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(" AND user_id = ");
        out.push_bind_param::<SqlId, _>(&self.voter)?;
        out.push_sql(
            ") FROM (SELECT 1) AS always \
             LEFT JOIN roadmap_posts AS post ON post.is_active AND post.organization_id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(" AND post.id = ");
        out.push_bind_param::<SqlId, _>(&self.post)?;
        out.push_sql(
            " LEFT JOIN roadmap_boards AS board ON board.id = post.roadmap_board_id AND board.organization_id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(
            " LEFT JOIN votes AS vote ON vote.roadmap_post_id = post.id AND vote.organization_id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.organization)?;
        out.push_sql(" AND vote.user_id = ");
        out.push_bind_param::<SqlId, _>(&self.voter)?;
        Ok(())
    }
}

impl Query for LoadRoadmapBallot {
    type SqlType = (Nullable<SqlId>, Nullable<Bool>, Nullable<SqlId>, Nullable<Bool>);
}

/// The row of [`LoadRoadmapBallot`].
#[derive(Debug, Queryable)]
pub struct RoadmapBallotRow {
    post: Option<Id>,
    is_voting_enabled: Option<bool>,
    present: Option<Id>,
    /// `None` if the voter is not linked.
    voter_blocked: Option<bool>,
}

impl RoadmapBallotRow {
    /// The ballot of this voter.
    pub fn ballot(self, voter: UserId) -> Result<Ballot, BadRow> {
        let post = match (self.post, self.is_voting_enabled) {
            (Some(id), Some(flag)) => {
                Some(OpenPost::Roadmap { id: id.to(), voting: Voting::from_flag(flag) })
            }
            (Some(id), None) => {
                return Err(Origin::new("roadmap_posts", id).bad("roadmap_board_id"));
            }
            (None, _) => None,
        };
        Ok(ballot(post, voter, self.voter_blocked, self.present))
    }
}

fn ballot(
    post: Option<OpenPost>,
    voter: UserId,
    blocked: Option<bool>,
    present: Option<Id>,
) -> Ballot {
    Ballot {
        post,
        voter,
        voter_linked: blocked.is_some(),
        voter_blocked: blocked == Some(true),
        present: present.map(Id::to),
    }
}

impl<C> RunQueryDsl<C> for LoadFeedbackBallot {}

impl<C> RunQueryDsl<C> for LoadRoadmapBallot {}
