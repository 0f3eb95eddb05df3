//! Votes.

use crate::error::Undone;
use crate::moves::{self, Pair};
use crate::stored::{Stored, stored};
use crate::{SqliteStore, counts, events, receipts};
use async_trait::async_trait;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use hearback_domain::counted::Count;
use hearback_domain::id::{OrganizationId, PostId, RoadmapPostId, UserId, VoteId};
use hearback_domain::user::User;
use hearback_domain::vote::{Ballot, OpenPost, Target, Vote, VoteChange, Voter, Voting};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Receipt, Recorded, StoreError, VoteChanges, VoteFilter, VoteRepository};
use hearback_store_rows::schema::{
    feedback_boards, feedback_posts, roadmap_boards, roadmap_posts, votes,
};
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::votes::{VoteRow, VoterRow};
use hearback_store_rows::{Id, all, one};

#[async_trait]
impl VoteRepository for SqliteStore {
    async fn ballot(
        &self,
        organization: OrganizationId,
        target: Target,
        voter: UserId,
    ) -> Result<Ballot, StoreError> {
        self.readers.snapshot("loading a ballot", |connection| {
            ballot(connection, organization, target, voter)
        })
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
    let (post, present) = match target {
        Target::Feedback(id) => feedback_ballot(connection, organization, id, voter)?,
        Target::Roadmap(id) => roadmap_ballot(connection, organization, id, voter)?,
    };
    let blocked = crate::users::is_blocked(connection, organization, voter)?;
    let (voter_linked, voter_blocked) = (blocked.is_some(), blocked == Some(true));
    Ok(Ballot { post, voter, voter_linked, voter_blocked, present })
}

fn feedback_ballot(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: PostId,
    voter: UserId,
) -> QueryResult<(Option<OpenPost>, Option<VoteId>)> {
    let Some(named) = feedback_post(connection, organization, Id::of(id))? else {
        return Ok((None, None));
    };
    let post = match named.canonical_id {
        None => Some(named),
        Some(canonical) => feedback_post(connection, organization, canonical)?,
    };
    let Some(post) = post else { return Ok((None, None)) };
    let present = match post.votes_from_id {
        None => votes::table
            .filter(votes::organization_id.eq(Id::of(organization)))
            .filter(votes::user_id.eq(Id::of(voter)))
            .filter(votes::feedback_post_id.eq(post.id))
            .select(votes::id)
            .first::<Id>(connection)
            .optional()?,
        Some(source) => {
            let pair = Pair { organization, source, target: post.id };
            moves::vote_of(connection, pair, voter)?
        }
    };
    let voting = Voting::from_flag(post.is_voting_enabled);
    let post = OpenPost::Feedback {
        id: post.id.to(),
        title: post.title,
        board_id: post.board_id.to(),
        voting,
    };
    Ok((Some(post), present.map(Id::to)))
}

#[derive(Queryable)]
struct VotablePost {
    id: Id,
    title: String,
    canonical_id: Option<Id>,
    board_id: Id,
    is_voting_enabled: bool,
    votes_from_id: Option<Id>,
}

/// An active post, with the voting flag of its board.
fn feedback_post(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: Id,
) -> QueryResult<Option<VotablePost>> {
    let its_board = feedback_boards::organization_id
        .eq(feedback_posts::organization_id)
        .and(feedback_boards::id.eq(feedback_posts::board_id));
    feedback_posts::table
        .inner_join(feedback_boards::table.on(its_board))
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::id.eq(id))
        .filter(feedback_posts::is_active)
        .select((
            feedback_posts::id,
            feedback_posts::title,
            feedback_posts::canonical_id,
            feedback_posts::board_id,
            feedback_boards::is_voting_enabled,
            feedback_posts::votes_from_id,
        ))
        .first(connection)
        .optional()
}

fn roadmap_ballot(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: RoadmapPostId,
    voter: UserId,
) -> QueryResult<(Option<OpenPost>, Option<VoteId>)> {
    let its_board = roadmap_boards::organization_id
        .eq(roadmap_posts::organization_id)
        .and(roadmap_boards::id.eq(roadmap_posts::roadmap_board_id));
    let is_voting_enabled = roadmap_posts::table
        .inner_join(roadmap_boards::table.on(its_board))
        .filter(roadmap_posts::organization_id.eq(Id::of(organization)))
        .filter(roadmap_posts::id.eq(Id::of(id)))
        .filter(roadmap_posts::is_active)
        .select(roadmap_boards::is_voting_enabled)
        .first::<bool>(connection)
        .optional()?;
    let Some(is_voting_enabled) = is_voting_enabled else { return Ok((None, None)) };
    let present = votes::table
        .filter(votes::organization_id.eq(Id::of(organization)))
        .filter(votes::roadmap_post_id.eq(Id::of(id)))
        .filter(votes::user_id.eq(Id::of(voter)))
        .select(votes::id)
        .first::<Id>(connection)
        .optional()?;
    Ok((
        Some(OpenPost::Roadmap { id, voting: Voting::from_flag(is_voting_enabled) }),
        present.map(Id::to),
    ))
}

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
