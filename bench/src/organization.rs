//! An organization of real size, in memory.

use crate::draw::{
    BOARDS, Draw, FOUNDED_AT, MIN_USERS, Named, Post, STATUSES, TAGS, User, Vote, YEAR, words,
};
use crate::failure::Failure;
use uuid::Uuid;

/// An organization with its records.
pub(crate) struct Organization {
    pub(crate) id: Uuid,
    pub(crate) users: Vec<User>,
    pub(crate) boards: Vec<Named>,
    pub(crate) statuses: Vec<Named>,
    pub(crate) tags: Vec<Named>,
    pub(crate) posts: Vec<Post>,
    pub(crate) votes: Vec<Vote>,
}

impl Organization {
    /// An organization with these numbers of posts and votes, and half as many users as posts. A
    /// few posts have very many votes, most have few.
    pub(crate) fn generate(posts: usize, votes: usize) -> Result<Self, Failure> {
        let mut draw = Draw::new();
        let users: Vec<User> =
            YEAR.moments((posts / 2).max(MIN_USERS)).map(|(n, at)| draw.user(n, at)).collect();
        let boards = draw.named(&BOARDS);
        let statuses = draw.named(&STATUSES.map(|(name, _)| name));
        let tags = draw.named(&words(TAGS));
        let counts = draw.vote_counts(posts, votes, users.len() / 2)?;
        let authors: Vec<Uuid> = users.iter().map(|user| user.user_id).collect();
        let filed = [&*boards, &statuses, &tags];
        let posts: Vec<Post> =
            YEAR.moments(posts).map(|(n, at)| draw.post(n, at, filed, &authors)).collect();
        let ballots = draw.ballots(&counts, users.len());
        let ballots = YEAR.moments(ballots.len()).zip(ballots);
        let votes = ballots
            .map(|((_, at), cast)| {
                draw.vote(at, authors[cast.user as usize], posts[cast.post as usize].id)
            })
            .collect();
        Ok(Self { id: draw.id(FOUNDED_AT), users, boards, statuses, tags, posts, votes })
    }
}
