//! Merges of duplicate posts.

use crate::Time;
use crate::id::{MergeId, PostId, UserId, VoteId};
use crate::vote::{Target, Vote};
use std::collections::{BTreeSet, HashMap};

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
    /// Whether the votes that the merge moved or dropped know on which posts they were cast. A merge
    /// by an earlier release did not keep that.
    pub votes_kept: bool,
    /// When the merge was made.
    pub created_at: Time,
}

/// A vote that a merge dropped, as its voter had an older one on the other post. There is at most one
/// for each user and post on which it was cast: the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedVote {
    /// The identifier of the vote.
    pub id: VoteId,
    /// The voter.
    pub user_id: UserId,
    /// The post on which the vote was cast.
    pub feedback_post_id: PostId,
    /// The post on which the vote was cast that the merge kept instead.
    pub kept_post_id: PostId,
    /// The user who filed the vote for the voter.
    pub created_by_id: Option<UserId>,
    /// The page on which the voter said so.
    pub source_url: Option<String>,
    /// When the vote was cast.
    pub created_at: Time,
}

/// The numbers of votes that a merge reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeEffects {
    /// The votes on the source whose voter has none on the target.
    pub moved: i64,
    /// The other votes on the source.
    pub dropped: i64,
}

/// A decided end of a merge. It holds only while the post is merged into that other post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmerge {
    /// The merged post.
    pub source: PostId,
    /// The post that it is merged into.
    pub into: PostId,
    /// When the merge ends.
    pub at: Time,
}

/// The numbers of votes and posts that the end of a merge reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnmergeEffects {
    /// The votes that go back to the source, but for those whose voter gets another one back.
    pub returned: i64,
    /// The dropped votes that are made again.
    pub restored: i64,
    /// The posts that follow the source, since they were merged into it.
    pub followed: i64,
}

/// The posts that the end of a merge parts from each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    source: PostId,
    /// The post that has the votes of all of them.
    rest: PostId,
    /// The source, and the posts that are merged into it.
    followers: BTreeSet<PostId>,
}

/// A vote on one of the two posts that have the votes after the end of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresentVote {
    /// The voter.
    pub user: UserId,
    /// The post.
    pub on: PostId,
    /// The post on which it was cast.
    pub cast_on: PostId,
}

/// What becomes of dropped votes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parted {
    /// They are made again.
    pub restored: Vec<Vote>,
    /// They stay dropped, for a vote that was cast on another post than before.
    pub dropped: Vec<DroppedVote>,
    /// They are no longer kept.
    pub forgotten: Vec<VoteId>,
    /// The restored votes whose voter has another vote, which goes back to the source.
    pub split: i64,
}

impl Parting {
    /// The end of the merge of `source`. `rest` has the votes of the post that it was merged into.
    /// `merged` has the posts whose votes are on `rest`, each with the one that it was merged into.
    pub fn new(source: PostId, rest: PostId, merged: &[(PostId, PostId)]) -> Self {
        let mut followers = BTreeSet::from([source]);
        loop {
            let count = followers.len();
            let is_behind = |(_, into): &&(PostId, PostId)| followers.contains(into);
            let more: Vec<PostId> =
                merged.iter().filter(is_behind).map(|(post, _)| *post).collect();
            followers.extend(more);
            if followers.len() == count {
                return Self { source, rest, followers };
            }
        }
    }

    /// The source, and the posts that are merged into it.
    pub fn followers(&self) -> impl Iterator<Item = PostId> {
        self.followers.iter().copied()
    }

    /// Whether a dropped vote and the one that was kept instead were cast on different sides.
    pub fn parts(&self, vote: &DroppedVote) -> bool {
        self.side(vote.feedback_post_id) != self.side(vote.kept_post_id)
    }

    /// The post that has the votes that were cast on a post.
    fn side(&self, post: PostId) -> PostId {
        if self.followers.contains(&post) { self.source } else { self.rest }
    }

    /// Decides what becomes of the dropped votes that are parted from those that were kept.
    /// `present` has the votes of their voters on both sides. A voter without a vote on its side gets
    /// the oldest of these back. A vote that is present stays.
    pub fn part(&self, mut votes: Vec<DroppedVote>, present: &[PresentVote]) -> Parted {
        let before: HashMap<(UserId, PostId), PostId> =
            present.iter().map(|vote| ((vote.user, vote.on), vote.cast_on)).collect();
        let mut kept = before.clone();
        let mut parted = Parted::default();
        votes.sort_by_key(|vote| (vote.created_at, vote.id));
        for vote in votes {
            let (cast_on, side) = (vote.feedback_post_id, self.side(vote.feedback_post_id));
            match kept.get(&(vote.user_id, side)) {
                // The voter has cast another vote on the post since.
                Some(&kept) if kept == cast_on => parted.forgotten.push(vote.id),
                Some(&kept_post_id) => parted.dropped.push(DroppedVote { kept_post_id, ..vote }),
                None => {
                    kept.insert((vote.user_id, side), cast_on);
                    let goes_back = before.contains_key(&(vote.user_id, self.source));
                    parted.split += i64::from(side == self.rest && goes_back);
                    parted.restored.push(Vote {
                        id: vote.id,
                        user_id: vote.user_id,
                        target: Target::Feedback(side),
                        cast_on_id: (cast_on != side).then_some(cast_on),
                        created_by_id: vote.created_by_id,
                        source_url: vote.source_url,
                        created_at: vote.created_at,
                    });
                }
            }
        }
        parted
    }
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

    /// Posts with their votes, as a store keeps them.
    #[derive(Clone, Debug, Default)]
    struct Posts {
        votes: Vec<(CastVote, PresentVote)>,
        dropped: Vec<DroppedVote>,
        merged: BTreeMap<PostId, PostId>,
        /// All votes that were ever cast, with their posts, in this order.
        cast: Vec<(CastVote, PostId)>,
        withdrawn: BTreeSet<VoteId>,
    }

    /// A change of five posts by five users.
    #[derive(Clone, Copy, Debug)]
    enum Act {
        Toggle(u128, u128),
        Merge(u128, u128),
        Unmerge(u128),
    }

    impl Posts {
        fn root(&self, mut post: PostId) -> PostId {
            while let Some(&into) = self.merged.get(&post) {
                post = into;
            }
            post
        }

        fn shown(&self) -> BTreeSet<(PostId, CastVote)> {
            self.votes.iter().map(|(vote, at)| (at.on, *vote)).collect()
        }

        fn act(&mut self, act: Act) {
            match act {
                Act::Toggle(user, post) => self.toggle(id(user), self.root(id(post))),
                Act::Merge(source, target) => self.merge(id(source), id(target)),
                Act::Unmerge(source) => {
                    self.unmerge(id(source));
                }
            }
        }

        fn toggle(&mut self, user: UserId, on: PostId) {
            let found = self.votes.iter().position(|(_, vote)| (vote.user, vote.on) == (user, on));
            if let Some(index) = found {
                self.withdrawn.insert(self.votes.remove(index).0.id);
                return;
            }
            let at = Time::from_unix_millis(self.cast.len() as i64).unwrap();
            let vote = CastVote { at, id: id(self.cast.len() as u128), user };
            self.cast.push((vote, on));
            self.votes.push((vote, PresentVote { user, on, cast_on: on }));
        }

        fn merge(&mut self, source: PostId, target: PostId) {
            let is_merged = |post| self.merged.contains_key(post);
            if source == target || is_merged(&source) || is_merged(&target) {
                return;
            }
            let both = |vote: &PresentVote| vote.on == source || vote.on == target;
            let on_both: Vec<_> = self.votes.iter().filter(|(_, it)| both(it)).copied().collect();
            for (vote, PresentVote { user, cast_on, .. }) in &on_both {
                let older = on_both.iter().find(|(it, _)| it.user == *user && it < vote);
                let Some((_, older)) = older else { continue };
                self.votes.retain(|(it, _)| it.id != vote.id);
                self.dropped.retain(|it| (it.user_id, it.feedback_post_id) != (*user, *cast_on));
                self.dropped.push(DroppedVote {
                    id: vote.id,
                    user_id: *user,
                    feedback_post_id: *cast_on,
                    kept_post_id: older.cast_on,
                    created_by_id: None,
                    source_url: None,
                    created_at: vote.at,
                });
            }
            for (_, vote) in self.votes.iter_mut().filter(|(_, it)| it.on == source) {
                vote.on = target;
            }
            self.merged.insert(source, target);
        }

        fn unmerge(&mut self, source: PostId) -> Option<UnmergeEffects> {
            let rest = self.root(*self.merged.get(&source)?);
            let behind = self.merged.iter().map(|(&post, &into)| (post, into));
            let behind: Vec<_> = behind.filter(|(post, _)| self.root(*post) == rest).collect();
            let parting = Parting::new(source, rest, &behind);
            self.merged.remove(&source);
            let mut returned = 0;
            for (_, vote) in &mut self.votes {
                if vote.on == rest && parting.followers.contains(&vote.cast_on) {
                    vote.on = source;
                    returned += 1;
                }
            }
            let (parted, dropped): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.dropped).into_iter().partition(|it| parting.parts(it));
            let present = self.votes.iter().map(|(_, vote)| *vote);
            let present: Vec<_> = present.filter(|it| [source, rest].contains(&it.on)).collect();
            let parted = parting.part(parted, &present);
            self.dropped = [dropped, parted.dropped].concat();
            let restored = parted.restored.len() as i64;
            for vote in parted.restored {
                let Target::Feedback(on) = vote.target else { unreachable!() };
                let (id, at, user) = (vote.id, vote.created_at, vote.user_id);
                let cast_on = vote.cast_on_id.unwrap_or(on);
                self.votes.push((CastVote { id, at, user }, PresentVote { user, on, cast_on }));
            }
            let followed = parting.followers.len() as i64 - 1;
            Some(UnmergeEffects { returned: returned - parted.split, restored, followed })
        }

        /// Ends all merges, in the order of `by`.
        fn part(&mut self, by: &[u128]) {
            for &post in by {
                self.unmerge(id(post));
            }
            assert!(self.merged.is_empty());
        }
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            4 => (0_u128..5, 0_u128..5).prop_map(|(user, post)| Act::Toggle(user, post)),
            2 => (0_u128..5, 0_u128..5).prop_map(|(source, target)| Act::Merge(source, target)),
            1 => (0_u128..5).prop_map(Act::Unmerge),
        ]
    }

    #[test]
    fn the_end_of_a_merge_returns_what_moved_and_restores_what_was_dropped() {
        let mut posts = Posts::default();
        // 1 and 2 vote for both posts, 3 for the source, 4 for the target, 5 since the merge.
        for (user, post) in [(1, 1), (2, 2), (1, 2), (2, 1), (3, 1), (4, 2)] {
            posts.toggle(id(user), id(post));
        }
        let before = posts.shown();
        posts.merge(id(1), id(2));
        assert_eq!(posts.shown().len(), 4);
        posts.toggle(id(5), id(2));
        let cast = *posts.cast.last().unwrap();
        let effects = posts.unmerge(id(1)).unwrap();
        assert_eq!(effects, UnmergeEffects { returned: 1, restored: 2, followed: 0 });
        let mut after = posts.shown();
        assert!(after.remove(&(cast.1, cast.0)));
        assert_eq!(after, before);
        assert_eq!((posts.unmerge(id(1)), posts.dropped), (None, vec![]));
    }

    proptest! {
        #[test]
        fn a_merge_and_its_end_change_nothing_even_with_further_merges_between(
            history in proptest::collection::vec(act(), 0..40),
            further in proptest::collection::vec((0_u128..5, 0_u128..5), 1..4),
            order in Just((0..5).collect::<Vec<u128>>()).prop_shuffle(),
        ) {
            let mut posts = Posts::default();
            for act in history {
                posts.act(act);
            }
            let before = posts.clone();
            for (source, target) in further {
                posts.act(Act::Merge(source, target));
            }
            for post in order {
                if !before.merged.contains_key(&id(post)) {
                    posts.unmerge(id(post));
                }
            }
            prop_assert_eq!(posts.shown(), before.shown());
            prop_assert_eq!(posts.merged, before.merged);
        }

        #[test]
        fn after_the_end_of_all_merges_each_vote_is_where_it_was_cast_unless_it_was_withdrawn(
            history in proptest::collection::vec(act(), 0..60),
            order in Just((0..5).collect::<Vec<u128>>()).prop_shuffle(),
        ) {
            let mut posts = Posts::default();
            for act in history {
                posts.act(act);
            }
            posts.part(&order);
            prop_assert_eq!(&posts.dropped, &vec![]);
            let mut expected = BTreeMap::new();
            for &(vote, post) in &posts.cast {
                let of_it = expected.entry((vote.user, post)).or_insert((vote, vec![]));
                of_it.0 = vote;
                of_it.1.extend((!posts.withdrawn.contains(&vote.id)).then_some(vote));
            }
            let shown = posts.shown();
            for ((user, post), (last, left)) in expected {
                let found: Vec<CastVote> = shown
                    .iter()
                    .filter(|(on, vote)| (*on, vote.user) == (post, user))
                    .map(|(_, vote)| *vote)
                    .collect();
                if left.last() == Some(&last) {
                    prop_assert_eq!(found, vec![last]);
                } else {
                    // A dropped vote may have given way to one that was withdrawn later.
                    prop_assert!(found.len() <= 1 && found.iter().all(|it| left.contains(it)));
                }
            }
            prop_assert!(shown.iter().all(|(post, vote)| posts.cast.contains(&(*vote, *post))));
        }

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
