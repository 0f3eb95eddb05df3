//! Votes, and the merges that move them.

use crate::lists::{Order, page};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::merge::{CastVote, Merge, MergeRecord, MergedVotes, PostState, settle};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::user::User;
use hearback_domain::vote::{Ballot, OpenPost, Target, Vote, VoteChange, Voter, Voting};
use hearback_ports::page::ByTime;
use hearback_ports::{
    Kind, Page, PageRequest, Receipt, Record, Recorded, VoteChanges, VoteFilter, VoteRepository,
};

#[async_trait]
impl VoteRepository for MemoryStore {
    async fn ballot(
        &self,
        organization: OrganizationId,
        target: Target,
        voter: UserId,
    ) -> Result<Ballot> {
        self.read(organization, |tenant| {
            let end = tenant.end_of_merges(target);
            let post = tenant.open_post(end).filter(|_| tenant.has_active(target));
            let mut votes = tenant.votes(end).filter(|vote| vote.user_id == voter);
            let present = post.as_ref().and_then(|_| votes.next()).map(|vote| vote.id);
            let user: Option<&User> = tenant.find(voter);
            let voter_blocked = user.is_some_and(|user| user.is_blocked);
            Ballot { post, voter, voter_linked: user.is_some(), voter_blocked, present }
        })
    }

    async fn record(
        &self,
        organization: OrganizationId,
        change: VoteChange,
        receipt: Option<Receipt>,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.vote(&change)?;
            tenant.seal(change.event(), receipt)
        })
    }

    async fn ballots(
        &self,
        organization: OrganizationId,
        target: Target,
        voters: Vec<UserId>,
    ) -> Result<Vec<Ballot>> {
        let mut ballots = Vec::new();
        for voter in voters {
            ballots.push(self.ballot(organization, target, voter).await?);
        }
        Ok(ballots)
    }

    async fn record_all(
        &self,
        organization: OrganizationId,
        changes: VoteChanges,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let VoteChanges { newcomers, changes, receipt, .. } = changes;
            for (user, event) in newcomers {
                tenant.add(Record::User(user))?;
                tenant.seal(Some(&event), None)?;
            }
            for change in changes {
                tenant.vote(&change)?;
                tenant.seal(change.event(), None)?;
            }
            tenant.seal(None, receipt)
        })
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: VoteFilter,
        request: PageRequest<ByTime>,
    ) -> Result<Page<Vote, ByTime>> {
        let VoteFilter { user_id, target, created_after } = filter;
        let key = |vote: &Vote| ByTime { at: vote.created_at, id: vote.id.0 };
        self.read(organization, |tenant| {
            let votes = tenant.all::<Vote>().filter(|vote| {
                user_id.is_none_or(|user| vote.user_id == user)
                    && target.is_none_or(|target| vote.target == target)
                    && created_after.is_none_or(|after| vote.created_at > after)
            });
            page(votes.cloned(), Order::Ascending, request, key)
        })
    }

    async fn voters(
        &self,
        organization: OrganizationId,
        target: Target,
        request: PageRequest<ByTime>,
    ) -> Result<Page<Voter, ByTime>> {
        let key = |voter: &Voter| ByTime { at: voter.voted_at, id: voter.vote_id.0 };
        self.read(organization, |tenant| {
            let voter = |vote: &Vote| {
                let User { user_id, name, email, .. } = tenant.any(vote.user_id).cloned()?;
                Some(Voter { vote_id: vote.id, user_id, name, email, voted_at: vote.created_at })
            };
            let is_active = tenant.has_active(target);
            let voters = tenant.votes(target).filter(|_| is_active).filter_map(voter);
            page(voters, Order::Ascending, request, key)
        })
    }
}

impl Tenant {
    /// Makes a change of a vote, if it still holds.
    fn vote(&mut self, change: &VoteChange) -> Result<(), Recorded> {
        match change {
            VoteChange::Cast { vote, .. } => {
                let has_vote = self.votes(vote.target).any(|it| it.user_id == vote.user_id);
                if has_vote || self.open_post(vote.target).is_none() {
                    return Err(Recorded::Stale);
                }
                self.add(Record::Vote(vote.clone()))
            }
            VoteChange::Withdraw { vote, target, .. } => {
                let present = self.any(*vote).filter(|it: &&Vote| it.target == *target);
                present.ok_or(Recorded::Stale)?;
                self.remove((Kind::Vote, vote.0));
                Ok(())
            }
        }
    }

    /// The votes on a post.
    pub(crate) fn votes(&self, target: Target) -> impl Iterator<Item = &Vote> {
        self.all::<Vote>().filter(move |vote| vote.target == target)
    }

    /// Whether a post is active.
    fn has_active(&self, target: Target) -> bool {
        let key = match target {
            Target::Feedback(id) => (Kind::FeedbackPost, id.0),
            Target::Roadmap(id) => (Kind::RoadmapPost, id.0),
        };
        self.record(key).is_some_and(Record::is_active)
    }

    /// The post at the end of a chain of merges. It is the post itself if the post is not merged.
    fn end_of_merges(&self, mut target: Target) -> Target {
        while let Target::Feedback(id) = target
            && let Some(next) = self.any::<FeedbackPost>(id).and_then(|post| post.merged_into_id)
        {
            target = Target::Feedback(next);
        }
        target
    }

    /// A post that is active and not merged.
    fn open_post(&self, target: Target) -> Option<OpenPost> {
        match target {
            Target::Feedback(id) => {
                let open =
                    self.find(id).filter(|post: &&FeedbackPost| post.merged_into_id.is_none());
                let FeedbackPost { title, board_id, .. } = open?.clone();
                let board: &FeedbackBoard = self.any(board_id)?;
                let voting = Voting::from_flag(board.is_voting_enabled);
                Some(OpenPost::Feedback { id, title, board_id, voting })
            }
            Target::Roadmap(id) => {
                let post: &RoadmapPost = self.find(id)?;
                let board: &RoadmapBoard = self.any(post.roadmap_board_id)?;
                Some(OpenPost::Roadmap { id, voting: Voting::from_flag(board.is_voting_enabled) })
            }
        }
    }

    /// Whether a post can be merged.
    pub(crate) fn post_state(&self, id: PostId) -> Option<PostState> {
        let post: &FeedbackPost = self.any(id)?;
        Some(PostState::new(post.is_active, post.merged_into_id))
    }

    /// Merges two posts. The posts that were merged into the source do not change: a ballot follows
    /// the chain of merges.
    pub(crate) fn merge(&mut self, merge: Merge) -> Result<(), Recorded> {
        let Merge { id, source, target, merger, at } = merge;
        if [source, target].iter().any(|id| self.post_state(*id) != Some(PostState::Open)) {
            return Err(Recorded::Stale);
        }
        let cast = |vote: &Vote| CastVote { at: vote.created_at, id: vote.id, user: vote.user_id };
        let votes = |post| Vec::from_iter(self.votes(Target::Feedback(post)).map(cast));
        let (of_source, of_target) = (votes(source), votes(target));
        let MergedVotes { kept, moved, dropped } = settle(&of_source, &of_target);
        let of_both: Vec<Vote> = [source, target]
            .iter()
            .flat_map(|post| self.votes(Target::Feedback(*post)).cloned())
            .collect();
        for vote in of_source.iter().chain(&of_target) {
            self.remove((Kind::Vote, vote.id.0));
        }
        for CastVote { at: created_at, id, user: user_id } in kept {
            let target = Target::Feedback(target);
            let vote = of_both.iter().find(|vote| vote.id == id).cloned();
            let vote = vote.map(|vote| Vote { user_id, target, created_at, ..vote });
            vote.map_or(Ok(()), |vote| self.add(Record::Vote(vote)))?;
        }
        self.edit(source, |post: &mut FeedbackPost| {
            post.merged_into_id = Some(target);
            post.updated_at = at;
        });
        self.add(Record::Merge(MergeRecord {
            id,
            merge_post_id: source,
            into_post_id: target,
            merger_id: merger,
            moved_user_ids: moved,
            dropped_user_ids: dropped,
            created_at: at,
        }))
    }
}
