//! Votes.

use crate::error::read_error;
use crate::readers::Reach;
use crate::stored::stored;
use crate::toggle::{
    self, FeedbackBallotRow, LoadFeedbackBallot, LoadRoadmapBallot, RoadmapBallotRow,
};
use crate::{PgStore, citus};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::vote::{Ballot, Target, Vote, VoteChange, Voter};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Receipt, Recorded, StoreError, VoteRepository};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::schema::votes;
use hearback_store_rows::votes::{VoteRow, VoterRow};
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
                let query = || LoadFeedbackBallot::new(organization, post, voter);
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

stored!(Vote: votes.id as VoteRow);
