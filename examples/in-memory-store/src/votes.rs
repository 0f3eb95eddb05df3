//! Votes, and the merges that move them.

use crate::lists::{Order, count, page};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::company::Company;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{CompanyId, OrganizationId, PostId, UserId, VoteId};
use hearback_domain::merge::{
    CastVote, DroppedVote, Merge, MergeRecord, MergedVotes, Parting, PostState, PresentVote,
    Unmerge, UnmergeEffects, settle,
};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::user::User;
use hearback_domain::vote::{Ballot, OpenPost, Target, Vote, VoteChange, Voter, Voting};
use hearback_ports::page::ByTime;
use hearback_ports::{
    Kind, Page, PageRequest, Receipt, Record, Recorded, VoteChanges, VoteFilter, VoteRepository,
};
use std::collections::{BTreeMap, BTreeSet};

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
        let VoteFilter { user_id, company_id, target, created_after, on_active_posts } = filter;
        let key = |vote: &Vote| ByTime { at: vote.created_at, id: vote.id.0 };
        self.read(organization, |tenant| {
            let voters = company_id.map(|company| tenant.people_of(company));
            let votes = tenant.all::<Vote>().filter(|vote| {
                user_id.is_none_or(|user| vote.user_id == user)
                    && voters.as_ref().is_none_or(|they| they.contains(&vote.user_id))
                    && target.is_none_or(|target| vote.target == target)
                    && created_after.is_none_or(|after| vote.created_at > after)
                    && (!on_active_posts || tenant.has_active(vote.target))
            });
            page(votes.cloned(), Order::Ascending, request, key)
        })
    }

    async fn voted(
        &self,
        organization: OrganizationId,
        user: UserId,
        targets: Vec<Target>,
    ) -> Result<Vec<Target>> {
        self.read(organization, |tenant| {
            let has_voted =
                |target: &Target| tenant.votes(*target).any(|vote| vote.user_id == user);
            targets.into_iter().filter(has_voted).collect()
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

    /// The linked users of a company, if it is active.
    pub(crate) fn people_of(&self, company: CompanyId) -> BTreeSet<UserId> {
        let of_company = self.active::<User>().filter(|user| user.company_id == Some(company));
        let is_active = self.find::<Company>(company).is_some();
        of_company.filter(|_| is_active).map(|user| user.user_id).collect()
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
    pub(crate) fn end_of_merges(&self, mut target: Target) -> Target {
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
        let kept_votes: BTreeMap<VoteId, PostId> =
            of_both.iter().map(|vote| (vote.id, cast_on(vote))).collect();
        for vote in of_source.iter().chain(&of_target) {
            self.remove((Kind::Vote, vote.id.0));
        }
        for vote in of_both {
            let winner = kept.iter().find(|kept| kept.user == vote.user_id);
            let Some(winner) = winner else { continue };
            if winner.id == vote.id {
                let cast_on_id = match vote.target {
                    Target::Feedback(post) if post != target => Some(cast_on(&vote)),
                    _ => vote.cast_on_id,
                };
                let target = Target::Feedback(target);
                self.add(Record::Vote(Vote { target, cast_on_id, ..vote }))?;
            } else {
                let kept = kept_votes.get(&winner.id).copied().unwrap_or(target);
                self.drop_vote(&vote, kept)?;
            }
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
            votes_kept: true,
            created_at: at,
        }))
    }

    /// Keeps a vote that a merge drops, in the place of one that was dropped before.
    fn drop_vote(&mut self, vote: &Vote, kept_post_id: PostId) -> Result<(), Recorded> {
        let dropped = DroppedVote {
            id: vote.id,
            user_id: vote.user_id,
            feedback_post_id: cast_on(vote),
            kept_post_id,
            created_by_id: vote.created_by_id,
            source_url: vote.source_url.clone(),
            created_at: vote.created_at,
        };
        let is_former = |it: &&DroppedVote| {
            (it.user_id, it.feedback_post_id) == (dropped.user_id, dropped.feedback_post_id)
        };
        let former = self.all::<DroppedVote>().find(is_former).map(|it| it.id);
        if let Some(former) = former {
            self.remove((Kind::DroppedVote, former.0));
        }
        self.add(Record::DroppedVote(dropped))
    }

    /// Ends a merge.
    pub(crate) fn unmerge(&mut self, unmerge: Unmerge) -> Result<UnmergeEffects, Recorded> {
        let Unmerge { source, into, at } = unmerge;
        let post: &FeedbackPost = self.find(source).ok_or(Recorded::Stale)?;
        if post.merged_into_id != Some(into) || post.updated_at >= at {
            return Err(Recorded::Stale);
        }
        let Target::Feedback(rest) = self.end_of_merges(Target::Feedback(source)) else {
            return Err(Recorded::Stale);
        };
        let behind = self.all::<FeedbackPost>().filter_map(|post| {
            let end = self.end_of_merges(Target::Feedback(post.id));
            Some((post.id, post.merged_into_id.filter(|_| end == Target::Feedback(rest))?))
        });
        let parting = Parting::new(source, rest, &Vec::from_iter(behind));
        let followers: BTreeSet<PostId> = parting.followers().collect();
        self.recall(unmerge, rest);
        self.edit(source, |post: &mut FeedbackPost| {
            post.merged_into_id = None;
            post.updated_at = at;
        });
        let on_rest = self.votes(Target::Feedback(rest));
        let back = on_rest.filter(|vote| followers.contains(&cast_on(vote)));
        let back: Vec<Vote> = back.cloned().collect();
        for vote in back.iter().cloned() {
            self.remove((Kind::Vote, vote.id.0));
            let cast_on_id = vote.cast_on_id.filter(|post| *post != source);
            let target = Target::Feedback(source);
            self.add(Record::Vote(Vote { target, cast_on_id, ..vote }))?;
        }
        let mut dropped: Vec<DroppedVote> = self.all().cloned().collect();
        dropped.retain(|vote| {
            let posts = [vote.feedback_post_id, vote.kept_post_id];
            posts.iter().any(|post| followers.contains(post)) && parting.parts(vote)
        });
        let mut present = Vec::new();
        for on in [source, rest] {
            present.extend(self.votes(Target::Feedback(on)).map(|vote| PresentVote {
                user: vote.user_id,
                on,
                cast_on: cast_on(vote),
            }));
        }
        let parted = parting.part(dropped, &present);
        let effects = UnmergeEffects {
            returned: count(back.iter()) - parted.split,
            restored: count(parted.restored.iter()),
            followed: count(followers.iter()) - 1,
        };
        let gone = parted.restored.iter().map(|vote| vote.id).chain(parted.forgotten);
        for vote in Vec::from_iter(gone) {
            self.remove((Kind::DroppedVote, vote.0));
        }
        for vote in parted.restored {
            self.add(Record::Vote(vote))?;
        }
        for vote in parted.dropped {
            self.edit(vote.id, |it: &mut DroppedVote| it.kept_post_id = vote.kept_post_id);
        }
        Ok(effects)
    }

    /// Makes the votes know that they were cast on the source, if the merge did not keep that.
    fn recall(&mut self, Unmerge { source, into, .. }: Unmerge, rest: PostId) {
        let merges = self.all::<MergeRecord>().filter(|it| it.merge_post_id == source);
        let last = merges.max_by_key(|it| (it.created_at, it.id)).cloned();
        let Some(last) = last.filter(|it| !it.votes_kept && it.into_post_id == into) else {
            return;
        };
        let moved = self.votes(Target::Feedback(rest)).filter(|vote| {
            last.moved_user_ids.contains(&vote.user_id)
                && vote.cast_on_id.is_none_or(|post| post == into)
        });
        for vote in Vec::from_iter(moved.map(|vote| vote.id)) {
            self.edit(vote, |vote: &mut Vote| vote.cast_on_id = Some(source));
        }
    }
}

/// The post on which a vote on a feedback post was cast.
fn cast_on(vote: &Vote) -> PostId {
    match vote.target {
        Target::Feedback(post) => vote.cast_on_id.unwrap_or(post),
        Target::Roadmap(post) => post.0.into(),
    }
}
