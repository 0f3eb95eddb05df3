//! Merging duplicate posts.

use crate::Time;
use crate::id::{MergeId, PostId, UserId, VoteId};
use std::collections::HashMap;

/// What `/feedback-posts/merge` rests on, loaded in one statement; what is not there is part of the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeCase {
    /// The post that is to be merged, if the organization has it at all.
    pub source: Option<PostState>,
    /// The post that it is to be merged into, if the organization has it at all.
    pub target: Option<PostState>,
    /// Whether the user who merges is linked to the organization.
    pub merger_linked: bool,
}

/// Whether a post can take part in a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostState {
    /// Active and not merged.
    Open,
    /// Inactive or already merged.
    Shut,
}

impl PostState {
    /// From the post's flag and the post that it was merged into.
    pub fn new(is_active: bool, merged_into: Option<PostId>) -> Self {
        if is_active && merged_into.is_none() { Self::Open } else { Self::Shut }
    }
}

/// Two different posts and who merges them. The set of votes that move is the store's to find, in the same transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeRequest {
    /// The duplicate.
    pub source: PostId,
    /// The post that stays.
    pub target: PostId,
    /// Who merges.
    pub merger: UserId,
}

/// A merge that was decided; right only while both posts are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Identifier of the audit record.
    pub id: MergeId,
    /// The duplicate.
    pub source: PostId,
    /// The post that stays.
    pub target: PostId,
    /// Who merged.
    pub merger: UserId,
    /// When.
    pub at: Time,
}

/// Why a merge is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeRefusal {
    /// The organization has no such source.
    SourceNotFound,
    /// The organization has no such target.
    TargetNotFound,
    /// The merger is not linked to the organization.
    UserNotFound,
    /// A post is inactive or already merged.
    CannotMerge,
}

impl MergeCase {
    /// Decides a merge; `id` is that of the audit record.
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
    /// Identifier.
    pub id: MergeId,
    /// The duplicate.
    pub merge_post_id: PostId,
    /// The post that stayed.
    pub into_post_id: PostId,
    /// Who merged.
    pub merger_id: UserId,
    /// Whose votes moved, sorted.
    pub moved_user_ids: Vec<UserId>,
    /// Whose second votes were dropped, sorted.
    pub dropped_user_ids: Vec<UserId>,
    /// When.
    pub created_at: Time,
}

/// One vote as a merge sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CastVote {
    /// When it was cast; the older of two votes stays.
    pub at: Time,
    /// Its identifier; decides between two of the same time.
    pub id: VoteId,
    /// Whose it is.
    pub user: UserId,
}

/// What becomes of the votes of two posts that are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedVotes {
    /// The votes on the target afterwards, oldest first.
    pub kept: Vec<CastVote>,
    /// Whose votes came over from the source, sorted.
    pub moved: Vec<UserId>,
    /// Who had voted for both and so lost the younger vote, sorted.
    pub dropped: Vec<UserId>,
}

/// The reference for what both stores do in SQL: every voter keeps one vote, the older of two.
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

/// A merge somewhere leads back to where it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circle;

/// For each merged post, the post that it was finally merged into.
///
/// `merged` maps each merged post to the one that it was directly merged into.
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
            // A path longer than there are merged posts visits one of them twice.
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
    fn source_target_and_merger_are_looked_at_in_this_order_before_their_state() {
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
        fn nobody_loses_their_vote_and_nobody_has_two(
            source in proptest::collection::btree_map(0_u128..20, 0_i64..50, 0..15),
            target in proptest::collection::btree_map(0_u128..20, 50_i64..100, 0..15),
        ) {
            let votes = |map: &std::collections::BTreeMap<u128, i64>| map.iter().map(|(&user, &at)| vote(user, at)).collect::<Vec<_>>();
            let votes = settle(&votes(&source), &votes(&target));
            let mut voters: Vec<u128> = source.keys().chain(target.keys()).copied().collect();
            voters.sort_unstable();
            voters.dedup();
            let mut kept: Vec<UserId> = votes.kept.iter().map(|vote| vote.user).collect();
            kept.sort();
            prop_assert_eq!(kept, voters.into_iter().map(id).collect::<Vec<UserId>>());
        }
    }
}
