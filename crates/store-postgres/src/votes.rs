//! Votes.

use crate::error::{Undone, read_error};
use crate::readers::Reach;
use crate::stored::{Stored, stored};
use crate::{PgStore, citus, events, receipts, toggle};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use futures_util::future::try_join_all;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::user::User;
use hearback_domain::vote::{Ballot, Target, Vote, VoteChange, Voter};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Receipt, Recorded, StoreError, VoteChanges, VoteFilter, VoteRepository};
use hearback_store_rows::ballots::{
    FeedbackBallotRow, LoadFeedbackBallot, LoadRoadmapBallot, RoadmapBallotRow,
};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::schema::votes;
use hearback_store_rows::votes::{VoteRow, VoterRow, ids_of};
use hearback_store_rows::{Id, all};

#[async_trait]
impl VoteRepository for PgStore {
    async fn ballot(
        &self,
        organization: OrganizationId,
        target: Target,
        voter: UserId,
    ) -> Result<Ballot, StoreError> {
        let doing = "loading a ballot";
        let ballot = match target {
            Target::Feedback(post) => {
                let query = || LoadFeedbackBallot::new(organization, post, voter, "NULL");
                let row: Option<FeedbackBallotRow> = self.readers.row(doing, query).await?;
                row.map(|row| row.ballot(voter))
            }
            Target::Roadmap(post) => {
                let query = || LoadRoadmapBallot::new(organization, post, voter);
                let row: Option<RoadmapBallotRow> = self.readers.row(doing, query).await?;
                row.map(|row| row.ballot(voter))
            }
        };
        Ok(ballot.ok_or_else(|| read_error(doing, diesel::result::Error::NotFound))??)
    }

    async fn ballots(
        &self,
        organization: OrganizationId,
        target: Target,
        voters: Vec<UserId>,
    ) -> Result<Vec<Ballot>, StoreError> {
        // The statements follow each other on a connection, without a wait for the responses.
        try_join_all(voters.into_iter().map(|voter| self.ballot(organization, target, voter))).await
    }

    async fn record_all(
        &self,
        organization: OrganizationId,
        changes: VoteChanges,
    ) -> Result<Recorded, StoreError> {
        let is_citus = self.connector.is_citus();
        let record = self.writer.record("recording votes", move |connection| {
            async move { record_all(connection, organization, changes, is_citus).await }.boxed()
        });
        record.await
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: VoteFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Vote, ByTime>, StoreError> {
        let query = || lists::votes(organization, filter, &page).select(VoteRow::as_select());
        // The votes of a company are sorted for each page.
        let reach = if filter.company_id.is_some() { Reach::Long } else { Reach::Short };
        let rows: Vec<VoteRow> = self.list_rows(reach, "listing votes", query).await?;
        Ok(Page::cut(all(rows)?, page.limit, |vote: &Vote| ByTime {
            at: vote.created_at,
            id: vote.id.0,
        }))
    }

    async fn record(
        &self,
        organization: OrganizationId,
        change: VoteChange,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError> {
        let doing = "recording a vote";
        if self.connector.is_citus() {
            let record = self.writer.record(doing, move |connection| {
                async move {
                    citus::record_vote(connection, organization, &change, receipt.as_ref()).await
                }
                .boxed()
            });
            return record.await;
        }
        let record = self.writer.record_alone(doing, move |connection| {
            toggle::record(connection, organization, change, receipt).boxed()
        });
        record.await
    }

    async fn voted(
        &self,
        organization: OrganizationId,
        user: UserId,
        targets: Vec<Target>,
    ) -> Result<Vec<Target>, StoreError> {
        let (posts, plans) = ids_of(&targets);
        let query = || {
            let its_votes = || {
                votes::table
                    .filter(votes::organization_id.eq(Id::of(organization)))
                    .filter(votes::user_id.eq(Id::of(user)))
                    .select((votes::feedback_post_id, votes::roadmap_post_id))
            };
            let on_posts = its_votes().filter(votes::feedback_post_id.eq_any(posts.clone()));
            let on_plans = its_votes().filter(votes::roadmap_post_id.eq_any(plans.clone()));
            on_posts.union_all(on_plans)
        };
        let rows: Vec<(Option<Id>, Option<Id>)> =
            self.readers.rows("looking for votes of a user", query).await?;
        let target = |(post, plan): (Option<Id>, Option<Id>)| {
            let post = post.map(|post| Target::Feedback(post.to()));
            post.or_else(|| plan.map(|plan| Target::Roadmap(plan.to())))
        };
        Ok(rows.into_iter().filter_map(target).collect())
    }

    async fn voters(
        &self,
        organization: OrganizationId,
        target: Target,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Voter, ByTime>, StoreError> {
        let query = || lists::voters(organization, target, &page);
        let rows: Vec<VoterRow> = self.list_rows(Reach::Short, "listing voters", query).await?;
        Ok(Page::cut(all(rows)?, page.limit, |voter: &Voter| ByTime {
            at: voter.voted_at,
            id: voter.vote_id.0,
        }))
    }
}

/// Records changes of the votes on a post within a transaction.
async fn record_all(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    changes: VoteChanges,
    is_citus: bool,
) -> Result<(), Undone> {
    let VoteChanges { target, newcomers, changes, receipt } = changes;
    // The post is locked before the organization, which the newcomers refer to, as other changes
    // lock them.
    let is_missing = match target {
        Target::Feedback(id) => {
            FeedbackPost::lock(connection, organization, vec![id.0]).await?.is_empty()
        }
        Target::Roadmap(id) => {
            RoadmapPost::lock(connection, organization, vec![id.0]).await?.is_empty()
        }
    };
    if is_missing {
        return Err(Undone::Stale);
    }
    for (user, event) in &newcomers {
        User::insert_new(connection, organization, user).await.map_err(Undone::inserting)?;
        events::record(connection, organization, [event]).await?;
    }
    for change in changes {
        match is_citus {
            true => citus::record_vote(connection, organization, &change, None).await?,
            false => toggle::record(connection, organization, change, None).await?,
        }
    }
    Ok(receipts::insert(connection, organization, receipt.as_ref()).await?)
}

stored!(Vote: votes.id as VoteRow);
