//! Votes.

use crate::error::Undone;
use crate::moves::{self, Pair};
use crate::sql::json_array;
use crate::stored::{Stored, stored};
use crate::{SqliteStore, counts, events, receipts};
use async_trait::async_trait;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use hearback_domain::counted::Count;
use hearback_domain::id::{OrganizationId, UserId, VoteId};
use hearback_domain::user::User;
use hearback_domain::vote::{Ballot, Target, Vote, VoteChange, Voter};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Receipt, Recorded, StoreError, VoteChanges, VoteFilter, VoteRepository};
use hearback_store_rows::ballots::{
    FeedbackBallotRow, LoadFeedbackBallot, LoadRoadmapBallot, RoadmapBallotRow,
};
use hearback_store_rows::schema::{feedback_posts, roadmap_posts, votes};
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::statement::Statement;
use hearback_store_rows::votes::{VoteRow, VoterRow, ids_of};
use hearback_store_rows::{Id, SqlId, all, one};

#[async_trait]
impl VoteRepository for SqliteStore {
    async fn ballot(
        &self,
        organization: OrganizationId,
        target: Target,
        voter: UserId,
    ) -> Result<Ballot, StoreError> {
        self.readers
            .read("loading a ballot", |connection| ballot(connection, organization, target, voter))
    }

    async fn ballots(
        &self,
        organization: OrganizationId,
        target: Target,
        voters: Vec<UserId>,
    ) -> Result<Vec<Ballot>, StoreError> {
        self.readers.snapshot("loading ballots", |connection| {
            let ballot = |voter: &UserId| ballot(connection, organization, target, *voter);
            voters.iter().map(ballot).collect()
        })
    }

    async fn record_all(
        &self,
        organization: OrganizationId,
        changes: VoteChanges,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            let VoteChanges { newcomers, changes, receipt, .. } = &changes;
            for (user, event) in newcomers {
                User::insert(connection, organization, user).map_err(Undone::inserting)?;
                events::record(connection, organization, event)?;
            }
            for change in changes {
                toggle(connection, organization, change, None)?;
            }
            receipts::insert(connection, organization, receipt.as_ref())
        };
        self.writer.record("recording votes", work).await
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: VoteFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Vote, ByTime>, StoreError> {
        let (limit, doing) = (page.limit, "listing votes");
        let list = move |connection: &mut SqliteConnection| {
            lists::votes(organization, filter, &page).select(VoteRow::as_select()).load(connection)
        };
        // The votes of a company are sorted for each page.
        let rows: Vec<VoteRow> = if filter.company_id.is_some() {
            self.slow_readers.read(doing, list).await?
        } else {
            self.readers.read(doing, list)?
        };
        Ok(Page::cut(all(rows)?, limit, |vote: &Vote| ByTime {
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
        let work = move |connection: &mut SqliteConnection| {
            toggle(connection, organization, &change, receipt.as_ref())
        };
        self.writer.record("recording a vote", work).await
    }

    async fn voted(
        &self,
        organization: OrganizationId,
        user: UserId,
        targets: Vec<Target>,
    ) -> Result<Vec<Target>, StoreError> {
        let rows: Vec<(i64, Id)> =
            self.readers.read("looking for votes of a user", |connection| {
                voted(organization, user, &targets).load(connection)
            })?;
        let target = |(kind, id): (i64, Id)| match kind {
            0 => Target::Feedback(id.to()),
            _ => Target::Roadmap(id.to()),
        };
        Ok(rows.into_iter().map(target).collect())
    }

    async fn voters(
        &self,
        organization: OrganizationId,
        target: Target,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Voter, ByTime>, StoreError> {
        let rows: Vec<VoterRow> = self.readers.snapshot("listing voters", |connection| {
            let source = match target {
                Target::Feedback(id) => moves::votes_from(connection, organization, Id::of(id))?,
                Target::Roadmap(_) => None,
            };
            match (source, target) {
                (Some(source), Target::Feedback(id)) if source == Id::of(id) => Ok(Vec::new()),
                (Some(source), Target::Feedback(id)) => {
                    let pair = Pair { organization, source, target: Id::of(id) };
                    moves::voters(connection, pair, &page)
                }
                _ => lists::voters(organization, target, &page).load(connection),
            }
        })?;
        Ok(Page::cut(all(rows)?, page.limit, |voter: &Voter| ByTime {
            at: voter.voted_at,
            id: voter.vote_id.0,
        }))
    }
}

fn ballot(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    target: Target,
    voter: UserId,
) -> QueryResult<Ballot> {
    match target {
        Target::Feedback(post) => {
            let column = "post.votes_from_id";
            let load = LoadFeedbackBallot::new(organization, post, voter, column);
            let mut row: FeedbackBallotRow = load.get_result(connection)?;
            // The vote is on one of the two posts while votes move between them.
            if let (Some(source), Some(target)) = (row.votes_from, row.post) {
                let pair = Pair { organization, source, target };
                row.present = moves::vote_of(connection, pair, voter)?;
            }
            Ok(row.ballot(voter)?)
        }
        Target::Roadmap(post) => {
            let load = LoadRoadmapBallot::new(organization, post, voter);
            Ok(load.get_result::<RoadmapBallotRow>(connection)?.ballot(voter)?)
        }
    }
}

/// The targets on which a user has a vote: 0 with the identifier of a post, 1 with that of a roadmap
/// post. A vote on the source of a merge counts on the target from the merge on.
fn voted(
    organization: OrganizationId,
    user: UserId,
    targets: &[Target],
) -> Statement<(BigInt, SqlId)> {
    let (posts, plans) = ids_of(targets);
    let voted = Statement::new("SELECT 0, post.id FROM feedback_posts AS post WHERE post.id IN (");
    let voted = voted.sql(LISTED).text(&json_array(&posts)).sql(")) AND post.organization_id = ");
    let voted = voted.id(organization).sql(
        " AND post.votes_from_id IS NOT post.id AND EXISTS (SELECT 1 FROM votes \
         WHERE votes.feedback_post_id IN (post.id, post.votes_from_id) AND votes.user_id = ",
    );
    let voted = voted.id(user).sql(" AND votes.organization_id = ").id(organization);
    let voted = voted.sql(") UNION ALL SELECT 1, roadmap_post_id FROM votes WHERE user_id = ");
    let voted = voted.id(user).sql(" AND organization_id = ").id(organization);
    let voted = voted.sql(" AND roadmap_post_id IN (").sql(LISTED);
    voted.text(&json_array(&plans)).sql("))")
}

/// The identifiers of a list. All are one parameter, so that the statement is prepared once.
const LISTED: &str = "SELECT unhex(value) FROM json_each(";

fn toggle(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    change: &VoteChange,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    let (event, count) = match change {
        VoteChange::Cast { vote, event } => {
            cast(connection, organization, vote)?;
            (event, (Count::votes(vote.target), 1))
        }
        VoteChange::Withdraw { vote, target, event } => {
            withdraw(connection, organization, *vote, *target)?;
            (event, (Count::votes(*target), -1))
        }
    };
    counts::add(connection, organization, [count])?;
    if let Some(event) = event {
        events::record(connection, organization, event)?;
    }
    receipts::insert(connection, organization, receipt)
}

fn cast(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    vote: &Vote,
) -> Result<(), Undone> {
    // The transaction holds the write lock until the commit.
    match vote.target {
        Target::Feedback(id) => {
            let source = one!(feedback_posts, organization, Id::of(id))
                .filter(feedback_posts::is_active)
                .filter(feedback_posts::merged_into_id.is_null())
                .select(feedback_posts::votes_from_id)
                .first::<Option<Id>>(connection)
                .optional()?
                .ok_or(Undone::Stale)?;
            if source.is_some() {
                moves::settle(connection, organization, id, vote.user_id)?;
            }
        }
        Target::Roadmap(id) => {
            let is_open = exists(
                one!(roadmap_posts, organization, Id::of(id)).filter(roadmap_posts::is_active),
            );
            if !diesel::select(is_open).get_result::<bool>(connection)? {
                return Err(Undone::Stale);
            }
        }
    }
    let count = diesel::insert_into(votes::table)
        .values((votes::organization_id.eq(Id::of(organization)), VoteRow::from(vote)))
        .on_conflict_do_nothing()
        .execute(connection)?;
    if count == 0 { Err(Undone::Stale) } else { Ok(()) }
}

fn withdraw(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    vote: VoteId,
    target: Target,
) -> Result<(), Undone> {
    let there = || diesel::delete(one!(votes, organization, Id::of(vote)));
    // A merge may have moved the vote to another post.
    let count = match target {
        Target::Feedback(id) => {
            let is_moving = exists(
                one!(feedback_posts, organization, Id::of(id))
                    .filter(feedback_posts::votes_from_id.is_not_null())
                    .select(feedback_posts::id),
            );
            let count = there()
                .filter(votes::feedback_post_id.eq(Id::of(id)))
                .filter(not(is_moving))
                .execute(connection)?;
            if count == 0 && moves::votes_from(connection, organization, Id::of(id))?.is_some() {
                let voter = one!(votes, organization, Id::of(vote))
                    .select(votes::user_id)
                    .first::<Id>(connection)
                    .optional()?
                    .ok_or(Undone::Stale)?;
                moves::settle(connection, organization, id, voter.to())?;
                there().filter(votes::feedback_post_id.eq(Id::of(id))).execute(connection)?
            } else {
                count
            }
        }
        Target::Roadmap(id) => {
            there().filter(votes::roadmap_post_id.eq(Id::of(id))).execute(connection)?
        }
    };
    if count == 0 { Err(Undone::Stale) } else { Ok(()) }
}

stored!(Vote: votes.id as VoteRow);
