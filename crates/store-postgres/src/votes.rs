//! Votes.

use crate::PgStore;
use crate::error::{BadRow, read_error};
use crate::readers::Walk;
use crate::rows::{Origin, all, timestamp};
use crate::schema::{feedback_posts, roadmap_posts, users, votes};
use crate::stored::stored;
use crate::toggle::{
    self, FeedbackBallotRow, LoadFeedbackBallot, LoadRoadmapBallot, RoadmapBallotRow,
};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use hearback_domain::Uuid;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::vote::{Ballot, Target, Vote, VoteChange, Voter};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Receipt, Recorded, StoreError, VoteRepository};

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
            .list_rows(Walk::Short, "listing voters", || {
                let the_voter = users::organization_id
                    .eq(votes::organization_id)
                    .and(users::user_id.eq(votes::user_id));
                let mut query = votes::table
                    .inner_join(users::table.on(the_voter))
                    .filter(votes::organization_id.eq(organization.0))
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
                        query.filter(votes::feedback_post_id.eq(id.0)).filter(exists(
                            feedback_posts::table
                                .filter(feedback_posts::organization_id.eq(organization.0))
                                .filter(feedback_posts::id.eq(id.0))
                                .filter(feedback_posts::is_active),
                        ))
                    }
                    Target::Roadmap(id) => {
                        query.filter(votes::roadmap_post_id.eq(id.0)).filter(exists(
                            roadmap_posts::table
                                .filter(roadmap_posts::organization_id.eq(organization.0))
                                .filter(roadmap_posts::id.eq(id.0))
                                .filter(roadmap_posts::is_active),
                        ))
                    }
                };
                if let Some(ByTime { at, id }) = after {
                    let at = timestamp(at);
                    query = query
                        .filter(votes::created_at.ge(at))
                        .filter(votes::created_at.gt(at).or(votes::id.gt(id)));
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

#[derive(Queryable)]
struct VoterRow {
    vote_id: Uuid,
    user_id: Uuid,
    name: String,
    email: Option<String>,
    voted_at: PgTimestamp,
}

impl TryFrom<VoterRow> for Voter {
    type Error = BadRow;

    fn try_from(row: VoterRow) -> Result<Self, BadRow> {
        let origin = Origin::new("votes", row.vote_id);
        Ok(Self {
            vote_id: row.vote_id.into(),
            user_id: row.user_id.into(),
            name: row.name,
            email: row.email.unwrap_or_default(),
            voted_at: origin.time("created_at", row.voted_at)?,
        })
    }
}

stored!(Vote: votes.id as VoteRow);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = votes,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct VoteRow {
    id: Uuid,
    user_id: Uuid,
    feedback_post_id: Option<Uuid>,
    roadmap_post_id: Option<Uuid>,
    created_at: PgTimestamp,
}

impl From<&Vote> for VoteRow {
    fn from(vote: &Vote) -> Self {
        let (feedback_post_id, roadmap_post_id) = match vote.target {
            Target::Feedback(id) => (Some(id.0), None),
            Target::Roadmap(id) => (None, Some(id.0)),
        };
        Self {
            id: vote.id.0,
            user_id: vote.user_id.0,
            feedback_post_id,
            roadmap_post_id,
            created_at: timestamp(vote.created_at),
        }
    }
}

impl TryFrom<VoteRow> for Vote {
    type Error = BadRow;

    fn try_from(row: VoteRow) -> Result<Self, BadRow> {
        let origin = Origin::new("votes", row.id);
        let target = match (row.feedback_post_id, row.roadmap_post_id) {
            (Some(id), None) => Target::Feedback(id.into()),
            (None, Some(id)) => Target::Roadmap(id.into()),
            (Some(_), Some(_)) | (None, None) => return Err(origin.bad("feedback_post_id")),
        };
        Ok(Self {
            id: row.id.into(),
            user_id: row.user_id.into(),
            target,
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
