//! Votes and voters.

use crate::column::{BadRow, Origin};
use crate::edited::Edited;
use crate::rows::EditedRow;
use crate::schema::votes;
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::vote::{Target, Vote, Voter};

/// A row of `votes`.
#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(table_name = votes, treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct VoteRow {
    id: Id,
    user_id: Id,
    feedback_post_id: Option<Id>,
    roadmap_post_id: Option<Id>,
    cast_on_id: Option<Id>,
    created_by_id: Option<Id>,
    source_url: Option<String>,
    created_at: Stamp,
}

impl From<&Vote> for VoteRow {
    fn from(vote: &Vote) -> Self {
        let (feedback_post_id, roadmap_post_id) = match vote.target {
            Target::Feedback(id) => (Some(Id::of(id)), None),
            Target::Roadmap(id) => (None, Some(Id::of(id))),
        };
        Self {
            id: Id::of(vote.id),
            user_id: Id::of(vote.user_id),
            feedback_post_id,
            roadmap_post_id,
            cast_on_id: vote.cast_on_id.map(Id::of),
            created_by_id: vote.created_by_id.map(Id::of),
            source_url: vote.source_url.clone(),
            created_at: Stamp::of(vote.created_at),
        }
    }
}

impl EditedRow for Vote {
    type Changes<'a> = VoteRow;

    fn changes<'a>(edited: &Edited<'a, Self>) -> Self::Changes<'a> {
        edited.after.into()
    }
}

impl TryFrom<VoteRow> for Vote {
    type Error = BadRow;

    fn try_from(row: VoteRow) -> Result<Self, BadRow> {
        let origin = Origin::new("votes", row.id);
        let target = match (row.feedback_post_id, row.roadmap_post_id) {
            (Some(id), None) => Target::Feedback(id.to()),
            (None, Some(id)) => Target::Roadmap(id.to()),
            (Some(_), Some(_)) | (None, None) => return Err(origin.bad("feedback_post_id")),
        };
        Ok(Self {
            id: row.id.to(),
            user_id: row.user_id.to(),
            target,
            cast_on_id: row.cast_on_id.map(Id::to),
            created_by_id: row.created_by_id.map(Id::to),
            source_url: row.source_url,
            created_at: origin.read::<Time>("created_at", row.created_at)?,
        })
    }
}

/// A vote with its voter.
#[derive(Queryable)]
pub struct VoterRow {
    vote_id: Id,
    user_id: Id,
    name: String,
    email: Option<String>,
    voted_at: Stamp,
}

impl TryFrom<VoterRow> for Voter {
    type Error = BadRow;

    fn try_from(row: VoterRow) -> Result<Self, BadRow> {
        let origin = Origin::new("votes", row.vote_id);
        Ok(Self {
            vote_id: row.vote_id.to(),
            user_id: row.user_id.to(),
            name: row.name,
            email: row.email.unwrap_or_default(),
            voted_at: origin.read::<Time>("created_at", row.voted_at)?,
        })
    }
}

/// The identifiers of the posts and of the roadmap posts among some targets.
pub fn ids_of(targets: &[Target]) -> (Vec<Id>, Vec<Id>) {
    let (mut posts, mut plans) = (Vec::new(), Vec::new());
    for target in targets {
        match *target {
            Target::Feedback(id) => posts.push(Id::of(id)),
            Target::Roadmap(id) => plans.push(Id::of(id)),
        }
    }
    (posts, plans)
}
