//! Votes.

use crate::PgStore;
use crate::error::read_error;
use crate::readers::Reach;
use crate::stored::stored;
use crate::toggle::{
    self, FeedbackBallotRow, LoadFeedbackBallot, LoadRoadmapBallot, RoadmapBallotRow,
};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::vote::{Ballot, Target, Vote, VoteChange, Voter};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Receipt, Recorded, StoreError, VoteRepository};
use hearback_store_rows::schema::{feedback_posts, roadmap_posts, users, votes};
use hearback_store_rows::votes::{VoteRow, VoterRow};
use hearback_store_rows::{Id, Stamp, all};

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
        let record = self.writer.record_alone("recording a vote", move |connection| {
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
        let PageRequest { after, limit } = page;
        let rows: Vec<VoterRow> = self
            .list_rows(Reach::Short, "listing voters", || {
                let the_voter = users::organization_id
                    .eq(votes::organization_id)
                    .and(users::user_id.eq(votes::user_id));
                let mut query = votes::table
                    .inner_join(users::table.on(the_voter))
                    .filter(votes::organization_id.eq(Id::of(organization)))
                    .order((votes::created_at, votes::id))
                    .limit(limit.and_one())
                    .select((
                        votes::id,
                        votes::user_id,
                        users::name,
                        users::email,
                        votes::created_at,
                    ))
                    .into_boxed();
                query = match target {
                    Target::Feedback(id) => {
                        query.filter(votes::feedback_post_id.eq(Id::of(id))).filter(exists(
                            feedback_posts::table
                                .filter(feedback_posts::organization_id.eq(Id::of(organization)))
                                .filter(feedback_posts::id.eq(Id::of(id)))
                                .filter(feedback_posts::is_active),
                        ))
                    }
                    Target::Roadmap(id) => {
                        query.filter(votes::roadmap_post_id.eq(Id::of(id))).filter(exists(
                            roadmap_posts::table
                                .filter(roadmap_posts::organization_id.eq(Id::of(organization)))
                                .filter(roadmap_posts::id.eq(Id::of(id)))
                                .filter(roadmap_posts::is_active),
                        ))
                    }
                };
                if let Some(ByTime { at, id }) = after {
                    let at = Stamp::of(at);
                    query = query
                        .filter(votes::created_at.ge(at))
                        .filter(votes::created_at.gt(at).or(votes::id.gt(Id(id))));
                }
                query
            })
            .await?;
        Ok(Page::cut(all(rows)?, limit, |voter: &Voter| ByTime {
            at: voter.voted_at,
            id: voter.vote_id.0,
        }))
    }
}

stored!(Vote: votes.id as VoteRow);
