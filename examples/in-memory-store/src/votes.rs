//! Votes.

use crate::page::{Order, page};
use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::user::User;
use hearback_domain::vote::{Ballot, OpenPost, Target, Vote, VoteChange, Voter, Voting};
use hearback_ports::page::ByTime;
use hearback_ports::{Kind, Page, PageRequest, Receipt, Record, Recorded, VoteRepository};

#[async_trait]
impl VoteRepository for MemoryStore {
    async fn ballot(
        &self,
        organization: OrganizationId,
        target: Target,
        voter: UserId,
    ) -> Result<Ballot> {
        Ok(self.read(organization, |tenant| {
            let (post, target) = match target {
                Target::Feedback(id) => {
                    let end = tenant.end_of_merges(id);
                    (tenant.open_post(id, end), Target::Feedback(end))
                }
                Target::Roadmap(id) => (
                    tenant.find::<RoadmapPost>(id).and_then(|post| {
                        let board: &RoadmapBoard = tenant.any(post.roadmap_board_id)?;
                        Some(OpenPost::Roadmap {
                            id,
                            voting: Voting::from_flag(board.is_voting_enabled),
                        })
                    }),
                    target,
                ),
            };
            let mut present = tenant.votes(target).filter(|vote| vote.user_id == voter);
            Ballot {
                present: post.as_ref().and_then(|_| present.next()).map(|vote| vote.id),
                post,
                voter,
                voter_linked: tenant.find::<User>(voter).is_some(),
            }
        }))
    }

    async fn record(
        &self,
        organization: OrganizationId,
        change: VoteChange,
        receipt: Option<Receipt>,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let event = change.event().cloned();
            match change {
                VoteChange::Cast { vote, .. } => {
                    let has_vote = tenant.votes(vote.target).any(|it| it.user_id == vote.user_id);
                    if has_vote || !tenant.is_open(vote.target) {
                        return Err(Recorded::Stale);
                    }
                    tenant.add(Record::Vote(vote)).map_err(Recorded::Taken)?;
                }
                VoteChange::Withdraw { vote, target, .. } => {
                    let present: &Vote = tenant.any(vote).ok_or(Recorded::Stale)?;
                    if present.target != target {
                        return Err(Recorded::Stale);
                    }
                    tenant.remove((Kind::Vote, vote.0));
                }
            }
            if let Some(event) = event {
                tenant.record_event(&event);
            }
            tenant.keep(receipt)
        })
    }

    async fn voters(
        &self,
        organization: OrganizationId,
        target: Target,
        request: PageRequest<ByTime>,
    ) -> Result<Page<Voter, ByTime>> {
        let key = |voter: &Voter| ByTime { at: voter.voted_at, id: voter.vote_id.0 };
        Ok(self.read(organization, |tenant| {
            let key_of_post = match target {
                Target::Feedback(id) => (Kind::FeedbackPost, id.0),
                Target::Roadmap(id) => (Kind::RoadmapPost, id.0),
            };
            let is_active = tenant.record(key_of_post).is_some_and(Record::is_active);
            let voters = tenant.votes(target).filter(|_| is_active).filter_map(|vote| {
                let user: &User = tenant.any(vote.user_id)?;
                Some(Voter {
                    vote_id: vote.id,
                    user_id: vote.user_id,
                    name: user.name.clone(),
                    email: user.email.clone(),
                    voted_at: vote.created_at,
                })
            });
            page(voters, Order::Ascending, request, key)
        }))
    }
}

impl Tenant {
    /// The votes on a post.
    pub(crate) fn votes(&self, target: Target) -> impl Iterator<Item = &Vote> {
        self.all::<Vote>().filter(move |vote| vote.target == target)
    }

    /// Whether a post is active and not merged.
    fn is_open(&self, target: Target) -> bool {
        match target {
            Target::Feedback(id) => {
                self.find::<FeedbackPost>(id).is_some_and(|post| post.merged_into_id.is_none())
            }
            Target::Roadmap(id) => self.find::<RoadmapPost>(id).is_some(),
        }
    }

    /// The post that a post was finally merged into; itself if it is not merged.
    fn end_of_merges(&self, mut id: PostId) -> PostId {
        while let Some(next) = self.any::<FeedbackPost>(id).and_then(|post| post.merged_into_id) {
            id = next;
        }
        id
    }

    /// The post at the end of the merges of an active post.
    fn open_post(&self, named: PostId, end: PostId) -> Option<OpenPost> {
        self.find::<FeedbackPost>(named)?;
        let post = self.find::<FeedbackPost>(end)?;
        let board: &FeedbackBoard = self.any(post.board_id)?;
        Some(OpenPost::Feedback {
            id: end,
            title: post.title.clone(),
            board_id: post.board_id,
            voting: Voting::from_flag(board.is_voting_enabled),
        })
    }
}
