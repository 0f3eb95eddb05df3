//! The statement that records a toggle. It is the hot path, and Diesel's query builder cannot express
//! it. Each type has one text, so that it is prepared once for each connection.

use crate::error::Undone;
use crate::events::InsertEvent;
use crate::receipts::InsertReceipt;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Nullable, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::Uuid;
use hearback_domain::id::{OrganizationId, PostId, RoadmapPostId, VoteId};
use hearback_domain::vote::{Target, Vote, VoteChange};
use hearback_ports::Receipt;
use hearback_store_rows::schema::{feedback_posts, roadmap_posts};
use hearback_store_rows::{SqlStamp, Stamp};
use std::marker::PhantomData;

/// Records a toggle with its event and receipt in one statement, or changes nothing.
pub(crate) async fn record(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    change: VoteChange,
    receipt: Option<Receipt>,
) -> Result<(), Undone> {
    let (VoteChange::Cast { event, .. } | VoteChange::Withdraw { event, .. }) = &change;
    let event = event.as_ref().map(|event| InsertEvent::new(organization, event));
    let receipt = receipt.map(|receipt| InsertReceipt::new(organization, receipt));
    let changed = match change {
        VoteChange::Cast { vote, .. } => match vote.target {
            Target::Feedback(PostId(post)) => {
                run(
                    connection,
                    Cast::<feedback_posts::table>::new(organization, post, &vote),
                    event,
                    receipt,
                )
                .await
            }
            Target::Roadmap(RoadmapPostId(post)) => {
                run(
                    connection,
                    Cast::<roadmap_posts::table>::new(organization, post, &vote),
                    event,
                    receipt,
                )
                .await
            }
        },
        VoteChange::Withdraw { vote, target, .. } => match target {
            Target::Feedback(PostId(post)) => {
                run(
                    connection,
                    Withdraw::<feedback_posts::table>::new(organization, post, vote),
                    event,
                    receipt,
                )
                .await
            }
            Target::Roadmap(RoadmapPostId(post)) => {
                run(
                    connection,
                    Withdraw::<roadmap_posts::table>::new(organization, post, vote),
                    event,
                    receipt,
                )
                .await
            }
        },
    };
    if changed? == 0 { Err(Undone::Stale) } else { Ok(()) }
}

/// Runs a change. Returns the number of votes that changed: 0 or 1.
///
/// It always uses `execute`: a method that returns the first row would return before the response
/// to the commit.
async fn run<C>(
    connection: &mut AsyncPgConnection,
    change: C,
    event: Option<InsertEvent>,
    receipt: Option<InsertReceipt>,
) -> QueryResult<usize>
where
    C: QueryFragment<Pg> + QueryId + Send,
{
    match (event, receipt) {
        (None, None) => Toggle { change, event: (), receipt: () }.execute(connection).await,
        (None, Some(receipt)) => Toggle { change, event: (), receipt }.execute(connection).await,
        (Some(event), None) => Toggle { change, event, receipt: () }.execute(connection).await,
        (Some(event), Some(receipt)) => Toggle { change, event, receipt }.execute(connection).await,
    }
}

/// A change, with the event and the receipt that are written if it has a row.
#[derive(QueryId)]
struct Toggle<C, E, R> {
    change: C,
    event: E,
    receipt: R,
}

impl<C, E, R> QueryFragment<Pg> for Toggle<C, E, R>
where
    C: QueryFragment<Pg>,
    E: QueryFragment<Pg>,
    R: QueryFragment<Pg>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.change.walk_ast(out.reborrow())?;
        self.event.walk_ast(out.reborrow())?;
        self.receipt.walk_ast(out.reborrow())?;
        out.push_sql(" SELECT FROM changed");
        Ok(())
    }
}

/// Posts that can be voted on.
pub(crate) trait Posts {
    /// Their table.
    const TABLE: &'static str;
    /// The column of `votes` that names them.
    const VOTED_ON: &'static str;
    /// The condition of a post that accepts votes.
    const OPEN: &'static str;
    /// The condition of a post that may have votes. The votes of a merged post have moved.
    const HAS_VOTES: &'static str;
    /// The statement that counts a vote that was cast. $1 is the organization, $2 the post.
    const COUNT_ONE_MORE: &'static str;
    /// The statement that counts a vote that was withdrawn.
    const COUNT_ONE_LESS: &'static str;
}

impl Posts for feedback_posts::table {
    const TABLE: &'static str = "feedback_posts";
    const VOTED_ON: &'static str = "feedback_post_id";
    const OPEN: &'static str = "is_active AND merged_into_id IS NULL";
    const HAS_VOTES: &'static str = "merged_into_id IS NULL";
    const COUNT_ONE_MORE: &'static str = "UPDATE feedback_post_counts SET vote_count = vote_count + 1, \
        spend_due = spend_due OR EXISTS (SELECT FROM companies WHERE companies.organization_id = $1) FROM changed \
        WHERE feedback_post_counts.organization_id = $1 AND feedback_post_counts.feedback_post_id = $2";
    const COUNT_ONE_LESS: &'static str = "UPDATE feedback_post_counts SET vote_count = vote_count - 1, \
        spend_due = spend_due OR EXISTS (SELECT FROM companies WHERE companies.organization_id = $1) FROM changed \
        WHERE feedback_post_counts.organization_id = $1 AND feedback_post_counts.feedback_post_id = $2";
}

impl Posts for roadmap_posts::table {
    const TABLE: &'static str = "roadmap_posts";
    const VOTED_ON: &'static str = "roadmap_post_id";
    const OPEN: &'static str = "is_active";
    const HAS_VOTES: &'static str = "true";
    const COUNT_ONE_MORE: &'static str = "INSERT INTO record_counts SELECT $1, 'roadmap_votes', $2, 1 FROM changed \
        ON CONFLICT (organization_id, counted, parent_id) DO UPDATE SET number = record_counts.number + 1";
    const COUNT_ONE_LESS: &'static str = "UPDATE record_counts SET number = number - 1 FROM changed \
        WHERE record_counts.organization_id = $1 AND record_counts.counted = 'roadmap_votes' AND record_counts.parent_id = $2";
}

/// Inserts a vote, unless the post is not open or the voter has a vote on it.
#[derive(QueryId)]
struct Cast<P> {
    organization: Uuid,
    post: Uuid,
    vote: Uuid,
    voter: Uuid,
    created_by: Option<Uuid>,
    source_url: Option<String>,
    at: Stamp,
    posts: PhantomData<P>,
}

impl<P> Cast<P> {
    fn new(organization: OrganizationId, post: Uuid, vote: &Vote) -> Self {
        Self {
            organization: organization.0,
            post,
            vote: vote.id.0,
            voter: vote.user_id.0,
            created_by: vote.created_by_id.map(Uuid::from),
            source_url: vote.source_url.clone(),
            at: Stamp::of(vote.created_at),
            posts: PhantomData,
        }
    }
}

impl<P: Posts> QueryFragment<Pg> for Cast<P> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // $1 is the organization, $2 the post.
        out.push_sql("WITH post AS (SELECT FROM ");
        out.push_sql(P::TABLE);
        out.push_sql(" WHERE organization_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(" AND id = ");
        out.push_bind_param::<SqlUuid, _>(&self.post)?;
        out.push_sql(" AND ");
        out.push_sql(P::OPEN);
        // Either a merge waits for this lock, or this statement waits for the merge, and then sees
        // that the post is not open.
        out.push_sql(
            " FOR NO KEY UPDATE), changed AS (INSERT INTO votes (organization_id, id, user_id, ",
        );
        out.push_sql(P::VOTED_ON);
        out.push_sql(", created_by_id, source_url, created_at) SELECT $1, ");
        out.push_bind_param::<SqlUuid, _>(&self.vote)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.voter)?;
        out.push_sql(", $2, ");
        out.push_bind_param::<Nullable<SqlUuid>, _>(&self.created_by)?;
        out.push_sql(", ");
        out.push_bind_param::<Nullable<Text>, _>(&self.source_url)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlStamp, _>(&self.at)?;
        out.push_sql(" FROM post ON CONFLICT DO NOTHING RETURNING id), counted AS (");
        out.push_sql(P::COUNT_ONE_MORE);
        out.push_sql(")");
        Ok(())
    }
}

/// Deletes a vote, if it still exists on this post.
#[derive(QueryId)]
struct Withdraw<P> {
    organization: Uuid,
    post: Uuid,
    vote: Uuid,
    posts: PhantomData<P>,
}

impl<P> Withdraw<P> {
    fn new(organization: OrganizationId, post: Uuid, vote: VoteId) -> Self {
        Self { organization: organization.0, post, vote: vote.0, posts: PhantomData }
    }
}

impl<P: Posts> QueryFragment<Pg> for Withdraw<P> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // $1 is the organization, $2 the post.
        out.push_sql("WITH post AS (SELECT id FROM ");
        out.push_sql(P::TABLE);
        out.push_sql(" WHERE organization_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(" AND id = ");
        out.push_bind_param::<SqlUuid, _>(&self.post)?;
        out.push_sql(" AND ");
        out.push_sql(P::HAS_VOTES);
        // A statement that holds a merged post waits for no other lock: the next merge, which has
        // the votes by then, may wait for that post.
        out.push_sql(" FOR NO KEY UPDATE), changed AS (DELETE FROM votes USING post WHERE votes.organization_id = $1 AND votes.");
        out.push_sql(P::VOTED_ON);
        out.push_sql(" = post.id AND votes.id = ");
        out.push_bind_param::<SqlUuid, _>(&self.vote)?;
        out.push_sql(" RETURNING votes.id), counted AS (");
        out.push_sql(P::COUNT_ONE_LESS);
        out.push_sql(")");
        Ok(())
    }
}
