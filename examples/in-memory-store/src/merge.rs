//! Merges of posts.

use crate::tenant::Tenant;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::PostId;
use hearback_domain::merge::{
    CastVote, Merge, MergeCase, MergeRecord, MergeRequest, MergedVotes, PostState, settle,
};
use hearback_domain::user::User;
use hearback_domain::vote::{Target, Vote};
use hearback_ports::{Kind, Record, Recorded};

impl Tenant {
    pub(crate) fn merge_case(&self, request: MergeRequest) -> MergeCase {
        let MergeRequest { source, target, merger } = request;
        MergeCase {
            source: self.post_state(source),
            target: self.post_state(target),
            merger_linked: self.find::<User>(merger).is_some(),
        }
    }

    /// Merges two posts that are open. What had been merged into the source needs no change: a
    /// ballot goes along the chain.
    pub(crate) fn merge(&mut self, merge: Merge) -> Result<(), Recorded> {
        let Merge { id, source, target, merger, at } = merge;
        if [source, target].iter().any(|id| self.post_state(*id) != Some(PostState::Open)) {
            return Err(Recorded::Stale);
        }
        let votes = |post| -> Vec<CastVote> {
            let cast =
                |vote: &Vote| CastVote { at: vote.created_at, id: vote.id, user: vote.user_id };
            self.votes(Target::Feedback(post)).map(cast).collect()
        };
        let (of_source, of_target) = (votes(source), votes(target));
        let MergedVotes { kept, moved, dropped } = settle(&of_source, &of_target);
        for vote in of_source.iter().chain(&of_target) {
            self.remove((Kind::Vote, vote.id.0));
        }
        for CastVote { at, id, user } in kept {
            let target = Target::Feedback(target);
            let vote = Vote { id, user_id: user, target, created_at: at };
            self.add(Record::Vote(vote)).map_err(Recorded::Taken)?;
        }
        self.edit(source, |post: &mut FeedbackPost| {
            post.merged_into_id = Some(target);
            post.updated_at = at;
        });
        let record = MergeRecord {
            id,
            merge_post_id: source,
            into_post_id: target,
            merger_id: merger,
            moved_user_ids: moved,
            dropped_user_ids: dropped,
            created_at: at,
        };
        self.add(Record::Merge(record)).map_err(Recorded::Taken)
    }

    fn post_state(&self, id: PostId) -> Option<PostState> {
        let post = self.any::<FeedbackPost>(id)?;
        Some(PostState::new(post.is_active, post.merged_into_id))
    }
}
