//! Votes, and the rule of `/votes/toggle`.

use crate::event::{Event, Happening, VoteFacts};
use crate::id::{BoardId, EventId, PostId, RoadmapPostId, UserId, VoteId};
use crate::{ClosedSet, Time};

/// A user's vote on a post. There is at most one for each user and post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    /// The identifier. A vote that is cast again has a new one.
    pub id: VoteId,
    /// The voter.
    pub user_id: UserId,
    /// The post.
    pub target: Target,
    /// The feedback post on which the vote was cast, if a merge moved it from there.
    pub cast_on_id: Option<PostId>,
    /// The user who filed the vote for the voter.
    pub created_by_id: Option<UserId>,
    /// The page on which the voter said so.
    pub source_url: Option<String>,
    /// When the vote was cast.
    pub created_at: Time,
}

/// A post that takes votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A feedback post.
    Feedback(PostId),
    /// A roadmap post.
    Roadmap(RoadmapPostId),
}

/// The kinds of posts that take votes: the `post_type` of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostType {
    /// `feedback`
    Feedback,
    /// `roadmap`
    Roadmap,
}

impl ClosedSet for PostType {
    const ALL: &'static [Self] = &[Self::Feedback, Self::Roadmap];

    fn code(self) -> &'static str {
        match self {
            Self::Feedback => "feedback",
            Self::Roadmap => "roadmap",
        }
    }
}

/// The values that a toggle depends on, loaded in one statement. A missing record is part of the
/// value, so that the order of refusals is decided here and not by a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// The active post that the toggle names, or the one at the end of its chain of merges. `None`
    /// if that post is not active.
    pub post: Option<OpenPost>,
    /// The voter.
    pub voter: UserId,
    /// Whether the voter is linked to the organization.
    pub voter_linked: bool,
    /// Whether the voter is blocked.
    pub voter_blocked: bool,
    /// The voter's present vote on [`Ballot::post`].
    pub present: Option<VoteId>,
}

/// An active post that is not merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenPost {
    /// A feedback post.
    Feedback {
        /// The post.
        id: PostId,
        /// The title of the post.
        title: String,
        /// The board of the post.
        board_id: BoardId,
        /// Whether the board accepts votes.
        voting: Voting,
    },
    /// A roadmap post.
    Roadmap {
        /// The post.
        id: RoadmapPostId,
        /// Whether the board accepts votes.
        voting: Voting,
    },
}

/// Whether a board accepts votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voting {
    /// The board accepts votes.
    Enabled,
    /// The board refuses votes.
    Disabled,
}

impl Voting {
    /// Reads the flag of a board.
    pub fn from_flag(enabled: bool) -> Self {
        if enabled { Self::Enabled } else { Self::Disabled }
    }
}

/// The change of a vote, with its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoteChange {
    /// The vote is cast. This holds only while the voter has no vote on the post and the post is
    /// open.
    Cast {
        /// The new vote.
        vote: Vote,
        /// The event. `None` for a roadmap post.
        event: Option<Event>,
    },
    /// The vote is withdrawn. This holds only while the vote exists.
    Withdraw {
        /// The vote.
        vote: VoteId,
        /// The post of the vote.
        target: Target,
        /// The event. `None` for a roadmap post.
        event: Option<Event>,
    },
}

impl VoteChange {
    /// Whether the voter has a vote after the change.
    pub fn voted(&self) -> bool {
        matches!(self, Self::Cast { .. })
    }

    /// The change, whose event is kept in the ledger or not.
    #[must_use]
    pub fn in_ledger(mut self, in_ledger: bool) -> Self {
        let (Self::Cast { event, .. } | Self::Withdraw { event, .. }) = &mut self;
        if let Some(event) = event {
            event.in_ledger = in_ledger;
        }
        self
    }

    /// The event of the change.
    pub fn event(&self) -> Option<&Event> {
        match self {
            Self::Cast { event, .. } | Self::Withdraw { event, .. } => event.as_ref(),
        }
    }
}

/// The reasons to refuse a toggle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteRefusal {
    /// The organization has no such active post.
    PostNotFound,
    /// The voter is not linked to the organization.
    UserNotFound,
    /// The voter is blocked. A vote can still be withdrawn.
    UserBlocked,
    /// The board refuses votes.
    VotingDisabled,
}

/// A vote as a request describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VoteDraft {
    /// The user who filed the vote for the voter.
    pub created_by_id: Option<UserId>,
    /// The page on which the voter said so.
    pub source_url: Option<String>,
    /// When the vote was cast. `None`: now.
    pub created_at: Option<Time>,
}

impl Ballot {
    /// Decides a toggle: casts a vote if there is none, and withdraws it otherwise.
    ///
    /// `fresh` is the identifier of a new vote, `event` that of the event. A vote on a roadmap post
    /// has no event.
    pub fn toggle(
        self,
        fresh: VoteId,
        event: EventId,
        at: Time,
    ) -> Result<VoteChange, VoteRefusal> {
        let Admitted { post, voter, present } = self.admitted()?;
        Ok(match present {
            None => post.cast(VoteDraft::default(), voter, (fresh, event), at),
            Some(vote) => post.withdraw(vote, event, at),
        })
    }

    /// Decides a vote by the wanted state: casts it if it is wanted and missing, and withdraws it if
    /// it is present and not wanted. `None` if nothing changes.
    pub fn set(
        self,
        voted: bool,
        draft: VoteDraft,
        fresh: VoteId,
        event: EventId,
        at: Time,
    ) -> Result<Option<VoteChange>, VoteRefusal> {
        let voter_blocked = self.voter_blocked && voted;
        let Admitted { post, voter, present } = Self { voter_blocked, ..self }.admitted()?;
        Ok(match (present, voted) {
            (None, true) => Some(post.cast(draft, voter, (fresh, event), at)),
            (Some(vote), false) => Some(post.withdraw(vote, event, at)),
            _ => None,
        })
    }

    fn admitted(self) -> Result<Admitted, VoteRefusal> {
        let post = self.post.ok_or(VoteRefusal::PostNotFound)?;
        if !self.voter_linked {
            return Err(VoteRefusal::UserNotFound);
        }
        if self.voter_blocked && self.present.is_none() {
            return Err(VoteRefusal::UserBlocked);
        }
        if post.voting() == Voting::Disabled {
            return Err(VoteRefusal::VotingDisabled);
        }
        Ok(Admitted { post, voter: self.voter, present: self.present })
    }
}

/// A ballot that nothing forbids.
struct Admitted {
    post: OpenPost,
    voter: UserId,
    present: Option<VoteId>,
}

impl OpenPost {
    fn cast(
        self,
        draft: VoteDraft,
        voter: UserId,
        (fresh, event): (VoteId, EventId),
        at: Time,
    ) -> VoteChange {
        let VoteDraft { created_by_id, source_url, created_at } = draft;
        let vote = Vote {
            id: fresh,
            user_id: voter,
            target: self.target(),
            cast_on_id: None,
            created_by_id,
            source_url,
            created_at: created_at.unwrap_or(at),
        };
        let facts = self.facts(vote.id);
        let event = facts.map(|facts| Event {
            id: event,
            at,
            what: Happening::VoteCreated(facts),
            in_ledger: false,
        });
        VoteChange::Cast { vote, event }
    }

    fn withdraw(self, vote: VoteId, event: EventId, at: Time) -> VoteChange {
        let target = self.target();
        let facts = self.facts(vote);
        let event = facts.map(|facts| Event {
            id: event,
            at,
            what: Happening::VoteDeleted(facts),
            in_ledger: false,
        });
        VoteChange::Withdraw { vote, target, event }
    }

    fn voting(&self) -> Voting {
        match self {
            Self::Feedback { voting, .. } | Self::Roadmap { voting, .. } => *voting,
        }
    }

    /// The post, as a vote names it.
    pub fn target(&self) -> Target {
        match self {
            Self::Feedback { id, .. } => Target::Feedback(*id),
            Self::Roadmap { id, .. } => Target::Roadmap(*id),
        }
    }

    fn facts(self, id: VoteId) -> Option<VoteFacts> {
        match self {
            Self::Feedback { id: post_id, title, board_id, .. } => {
                Some(VoteFacts { id, post_id, post_title: title, board_id })
            }
            Self::Roadmap { .. } => None,
        }
    }
}

/// A voter, as `/votes/voters` returns them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voter {
    /// The vote.
    pub vote_id: VoteId,
    /// The voter.
    pub user_id: UserId,
    /// The name of the voter.
    pub name: String,
    /// The email address of the voter, or empty.
    pub email: String,
    /// When the vote was cast.
    pub voted_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const AT: Time = Time::MIN;

    fn id<T: From<Uuid>>(n: u128) -> T {
        T::from(Uuid::from_u128(n))
    }

    fn feedback(voting: Voting) -> OpenPost {
        OpenPost::Feedback { id: id(1), title: "Dark mode".to_owned(), board_id: id(2), voting }
    }

    fn ballot(post: Option<OpenPost>) -> Ballot {
        Ballot { post, voter: id(3), voter_linked: true, voter_blocked: false, present: None }
    }

    fn facts(vote: u128) -> VoteFacts {
        VoteFacts {
            id: id(vote),
            post_id: id(1),
            post_title: "Dark mode".to_owned(),
            board_id: id(2),
        }
    }

    #[test]
    fn first_toggle_casts_the_vote_with_an_event() {
        let change = ballot(Some(feedback(Voting::Enabled))).toggle(id(10), id(11), AT);
        assert_eq!(
            change,
            Ok(VoteChange::Cast {
                vote: Vote {
                    id: id(10),
                    user_id: id(3),
                    target: Target::Feedback(id(1)),
                    cast_on_id: None,
                    created_by_id: None,
                    source_url: None,
                    created_at: AT
                },
                event: Some(Event {
                    id: id(11),
                    at: AT,
                    what: Happening::VoteCreated(facts(10)),
                    in_ledger: false
                }),
            })
        );
    }

    #[test]
    fn second_toggle_withdraws_the_vote_that_is_there() {
        let ballot = Ballot { present: Some(id(9)), ..ballot(Some(feedback(Voting::Enabled))) };
        assert_eq!(
            ballot.toggle(id(10), id(11), AT),
            Ok(VoteChange::Withdraw {
                vote: id(9),
                target: Target::Feedback(id(1)),
                event: Some(Event {
                    id: id(11),
                    at: AT,
                    what: Happening::VoteDeleted(facts(9)),
                    in_ledger: false
                }),
            })
        );
    }

    #[test]
    fn a_blocked_user_casts_no_vote_and_may_withdraw_one() {
        let open = || ballot(Some(feedback(Voting::Enabled)));
        let blocked = Ballot { voter_blocked: true, ..open() };
        let set =
            |ballot: Ballot, voted| ballot.set(voted, VoteDraft::default(), id(10), id(11), AT);
        assert_eq!(set(blocked.clone(), true), Err(VoteRefusal::UserBlocked));
        let present = Ballot { present: Some(id(9)), ..blocked };
        assert!(matches!(set(present, false), Ok(Some(VoteChange::Withdraw { .. }))));
        assert!(matches!(set(open(), true), Ok(Some(VoteChange::Cast { .. }))));
    }

    #[test]
    fn a_vote_on_a_roadmap_post_has_no_event() {
        let noted = ballot(Some(feedback(Voting::Enabled))).toggle(id(10), id(11), AT).unwrap();
        assert_eq!(noted.event().map(|event| event.id), Some(id(11)));
        let post = OpenPost::Roadmap { id: id(4), voting: Voting::Enabled };
        let cast = ballot(Some(post.clone())).toggle(id(10), id(11), AT).unwrap();
        assert_eq!(cast.event(), None);
        assert!(matches!(cast, VoteChange::Cast { event: None, .. }));
        let withdrawn = Ballot { present: Some(id(9)), ..ballot(Some(post)) }
            .toggle(id(10), id(11), AT)
            .unwrap();
        assert!(matches!(withdrawn, VoteChange::Withdraw { event: None, .. }));
    }

    #[test]
    fn a_missing_post_is_refused_first_then_an_unlinked_voter_then_a_board_without_votes() {
        let stranger = |post| Ballot { voter_linked: false, ..ballot(post) };
        assert_eq!(stranger(None).toggle(id(10), id(11), AT), Err(VoteRefusal::PostNotFound));
        assert_eq!(
            stranger(Some(feedback(Voting::Disabled))).toggle(id(10), id(11), AT),
            Err(VoteRefusal::UserNotFound)
        );
        assert_eq!(
            ballot(Some(feedback(Voting::Disabled))).toggle(id(10), id(11), AT),
            Err(VoteRefusal::VotingDisabled)
        );
    }

    #[test]
    fn a_blocked_voter_casts_no_vote_and_may_withdraw_one() {
        let blocked = |present| {
            let open = ballot(Some(feedback(Voting::Enabled)));
            Ballot { voter_blocked: true, present, ..open }.toggle(id(10), id(11), AT)
        };
        assert_eq!(blocked(None), Err(VoteRefusal::UserBlocked));
        assert!(blocked(Some(id(9))).is_ok());
    }

    #[test]
    fn a_vote_cannot_be_withdrawn_if_voting_is_disabled() {
        let ballot = Ballot { present: Some(id(9)), ..ballot(Some(feedback(Voting::Disabled))) };
        assert_eq!(ballot.toggle(id(10), id(11), AT), Err(VoteRefusal::VotingDisabled));
    }
    #[test]
    fn a_vote_is_set_once_with_its_own_time_and_the_user_who_filed_it() {
        let draft = VoteDraft {
            created_by_id: Some(id(8)),
            source_url: Some("https://example.com/call".to_owned()),
            created_at: Some(AT),
        };
        let set = |present, voted| {
            Ballot { present, ..ballot(Some(feedback(Voting::Enabled))) }
                .set(voted, draft.clone(), id(10), id(11), Time::MAX)
                .unwrap()
        };
        let Some(VoteChange::Cast { vote, event: Some(event) }) = set(None, true) else { panic!() };
        assert_eq!((vote.created_by_id, vote.created_at, event.at), (Some(id(8)), AT, Time::MAX));
        assert_eq!(vote.source_url, draft.source_url);
        assert!(matches!(set(Some(id(9)), false), Some(VoteChange::Withdraw { .. })));
        assert_eq!((set(Some(id(9)), true), set(None, false)), (None, None));
    }
}
