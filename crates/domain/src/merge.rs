//! Merges of duplicate posts.

use crate::Time;
use crate::id::{MergeId, PostId, UserId, VoteId};
use std::collections::HashMap;

/// The values that `/feedback-posts/merge` depends on, loaded in one statement. A missing record is
/// part of the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeCase {
    /// The state of the duplicate. `None` if the organization has no such post.
    pub source: Option<PostState>,
    /// The state of the post that stays. `None` if the organization has no such post.
    pub target: Option<PostState>,
    /// Whether the merging user is linked to the organization.
    pub merger_linked: bool,
}

/// Whether a post can be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostState {
    /// The post is active and not merged.
    Open,
    /// The post is inactive or already merged.
    Shut,
}

impl PostState {
    /// The state of a post with these values.
    pub fn new(is_active: bool, merged_into: Option<PostId>) -> Self {
        if is_active && merged_into.is_none() { Self::Open } else { Self::Shut }
    }
}

/// Two different posts and the merging user. The store finds the votes that move, in the
/// transaction of the merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeRequest {
    /// The duplicate.
    pub source: PostId,
    /// The post that stays.
    pub target: PostId,
    /// The merging user.
    pub merger: UserId,
}

/// A decided merge. It holds only while both posts are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The identifier of the audit record.
    pub id: MergeId,
    /// The duplicate.
    pub source: PostId,
    /// The post that stays.
    pub target: PostId,
    /// The merging user.
    pub merger: UserId,
    /// When the merge was made.
    pub at: Time,
}

/// The reasons to refuse a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeRefusal {
    /// The organization has no such source.
    SourceNotFound,
    /// The organization has no such target.
    TargetNotFound,
    /// The merging user is not linked to the organization.
    UserNotFound,
    /// Source and target are the same post, or one is inactive or already merged.
    CannotMerge,
}

impl MergeCase {
    /// Decides a merge. `id` is the identifier of its audit record.
    pub fn decide(
        self,
        request: MergeRequest,
        id: MergeId,
        at: Time,
    ) -> Result<Merge, MergeRefusal> {
        let source = self.source.ok_or(MergeRefusal::SourceNotFound)?;
        let target = self.target.ok_or(MergeRefusal::TargetNotFound)?;
        if !self.merger_linked {
            return Err(MergeRefusal::UserNotFound);
        }
        if source == PostState::Shut
            || target == PostState::Shut
            || request.source == request.target
        {
            return Err(MergeRefusal::CannotMerge);
        }
        Ok(Merge { id, source: request.source, target: request.target, merger: request.merger, at })
    }
}

/// The audit record of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeRecord {
    /// The identifier.
    pub id: MergeId,
    /// The duplicate.
    pub merge_post_id: PostId,
    /// The post that stays.
    pub into_post_id: PostId,
    /// The merging user.
    pub merger_id: UserId,
    /// The users whose votes moved, sorted.
    pub moved_user_ids: Vec<UserId>,
    /// The users whose second votes were dropped, sorted.
    pub dropped_user_ids: Vec<UserId>,
    /// When the merge was made.
    pub created_at: Time,
}

/// A vote on one of two posts that are merged. Votes are ordered by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CastVote {
    /// When the vote was cast. The older of two votes is kept.
    pub at: Time,
    /// The identifier. It orders votes of the same time.
    pub id: VoteId,
    /// The voter.
    pub user: UserId,
}

/// The votes on two posts after their merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedVotes {
    /// The votes on the target, oldest first.
    pub kept: Vec<CastVote>,
    /// The voters whose votes moved from the source, sorted.
    pub moved: Vec<UserId>,
    /// The voters who had voted on both posts and lost the younger vote, sorted.
    pub dropped: Vec<UserId>,
}

/// Merges the votes of two posts: each voter keeps one vote, the older of two. It is the reference
/// for the SQL of both stores.
pub fn settle(source: &[CastVote], target: &[CastVote]) -> MergedVotes {
    let mut kept: HashMap<UserId, CastVote> =
        target.iter().map(|vote| (vote.user, *vote)).collect();
    let mut votes = MergedVotes::default();
    for vote in source {
        let present = kept.get(&vote.user).copied();
        if present.is_some() {
            votes.dropped.push(vote.user);
        }
        if present.is_none_or(|present| *vote < present) {
            votes.moved.push(vote.user);
            kept.insert(vote.user, *vote);
        }
    }
    votes.kept = kept.into_values().collect();
    votes.kept.sort();
    votes.moved.sort();
    votes.dropped.sort();
    votes
}

/// The merges form a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circle;

/// The post at the end of the chain of merges, for each merged post. `merged` maps each merged post
/// to the post that it was merged into directly.
pub fn final_targets(merged: &HashMap<PostId, PostId>) -> Result<HashMap<PostId, PostId>, Circle> {
    let mut known: HashMap<PostId, PostId> = HashMap::with_capacity(merged.len());
    for &start in merged.keys() {
        let mut path = Vec::new();
        let mut post = start;
        let end = loop {
            if let Some(&end) = known.get(&post) {
                break end;
            }
            let Some(&next) = merged.get(&post) else { break post };
            path.push(post);
            // A path longer than the number of merged posts visits one of them twice.
            if path.len() > merged.len() {
                return Err(Circle);
            }
            post = next;
        };
        known.extend(path.into_iter().map(|post| (post, end)));
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use uuid::Uuid;

    fn id<T: From<Uuid>>(n: u128) -> T {
        T::from(Uuid::from_u128(n))
    }

    fn vote(user: u128, at: i64) -> CastVote {
        CastVote {
            at: Time::from_unix_millis(at).unwrap(),
            id: id(user * 1000 + at.unsigned_abs() as u128),
            user: id(user),
        }
    }

    const REQUEST: MergeRequest = MergeRequest {
        source: PostId(Uuid::from_u128(1)),
        target: PostId(Uuid::from_u128(2)),
        merger: UserId(Uuid::from_u128(3)),
    };

    fn decide(case: MergeCase) -> Result<Merge, MergeRefusal> {
        case.decide(REQUEST, id(4), Time::MIN)
    }

    #[test]
    fn a_missing_source_target_or_merger_is_refused_in_this_order_before_a_shut_post() {
        use PostState::{Open, Shut};
        let case = |source, target, merger_linked| MergeCase { source, target, merger_linked };
        assert_eq!(decide(case(None, None, false)), Err(MergeRefusal::SourceNotFound));
        assert_eq!(decide(case(Some(Shut), None, false)), Err(MergeRefusal::TargetNotFound));
        assert_eq!(decide(case(Some(Shut), Some(Shut), false)), Err(MergeRefusal::UserNotFound));
        assert_eq!(decide(case(Some(Shut), Some(Open), true)), Err(MergeRefusal::CannotMerge));
        assert_eq!(decide(case(Some(Open), Some(Shut), true)), Err(MergeRefusal::CannotMerge));
        let merge = Merge { id: id(4), source: id(1), target: id(2), merger: id(3), at: Time::MIN };
        assert_eq!(decide(case(Some(Open), Some(Open), true)), Ok(merge));
    }

    #[test]
    fn a_voter_of_both_keeps_the_older_vote() {
        let votes = settle(
            &[vote(1, 10), vote(2, 30), vote(3, 5)],
            &[vote(1, 20), vote(2, 20), vote(4, 1)],
        );
        assert_eq!(votes.kept, vec![vote(4, 1), vote(3, 5), vote(1, 10), vote(2, 20)]);
        assert_eq!(votes.moved, vec![id(1), id(3)]);
        assert_eq!(votes.dropped, vec![id(1), id(2)]);
    }

    #[test]
    fn a_chain_of_merges_ends_at_its_last_post_and_a_circle_is_found() {
        let chain: HashMap<PostId, PostId> =
            [(id(1), id(2)), (id(2), id(3)), (id(4), id(2))].into();
        let ends = final_targets(&chain).unwrap();
        assert!(chain.keys().all(|post| ends[post] == id(3)));
        let circle: HashMap<PostId, PostId> =
            [(id(1), id(2)), (id(2), id(3)), (id(3), id(2))].into();
        assert!(final_targets(&circle).is_err());
        assert!(final_targets(&[(id(1), id(1))].into()).is_err());
    }

    proptest! {
        #[test]
        fn each_voter_has_one_vote_after_a_merge(
            source in proptest::collection::btree_map(0_u128..20, 0_i64..50, 0..15),
            target in proptest::collection::btree_map(0_u128..20, 50_i64..100, 0..15),
        ) {
            let cast = |votes: &BTreeMap<u128, i64>| -> Vec<CastVote> {
                votes.iter().map(|(&user, &at)| vote(user, at)).collect()
            };
            let votes = settle(&cast(&source), &cast(&target));
            let mut voters: Vec<u128> = source.keys().chain(target.keys()).copied().collect();
            voters.sort_unstable();
            voters.dedup();
            let mut kept: Vec<UserId> = votes.kept.iter().map(|vote| vote.user).collect();
            kept.sort();
            prop_assert_eq!(kept, voters.into_iter().map(id).collect::<Vec<UserId>>());
        }
    }
}
