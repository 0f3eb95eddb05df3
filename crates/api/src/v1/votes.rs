//! `/votes/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, one_of, uuid};
use crate::page::Paging;
use hearback_app::votes::{self, ToggleVote};
use hearback_app::{Missing, Precondition};
use hearback_domain::record::Kind;
use hearback_domain::vote::{PostType, Target, Voter};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::ByTime;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    write("/votes/toggle", "Cast a vote, or take it back", handler!(voted: vote => votes::toggle))
        .refusing(&[
            NotFound(Missing::VoteTarget),
            NotFound(Missing::Record(Kind::User)),
            Refused(Precondition::VotingDisabled),
            Refused(Precondition::UserBlocked),
        ]),
    read(
        "/votes/voters",
        "List the voters of a post, oldest vote first",
        handler!(page<VoterView>: on_post => votes::voters),
    ),
];

fn vote(fields: &mut Fields<'_>) -> Result<ToggleVote, Noted> {
    let voter = fields.id("user_id");
    let target = target(fields);
    Ok(ToggleVote { voter: voter?, target: target? })
}

fn on_post(fields: &mut Fields<'_>) -> Result<(Target, Paging<ByTime>), Noted> {
    let target = target(fields);
    let list = fields.list("oldest");
    let paging = fields.paging(target.map(|target| {
        let (id, kind) = match target {
            Target::Feedback(id) => (id.0, PostType::Feedback),
            Target::Roadmap(id) => (id.0, PostType::Roadmap),
        };
        list.filter(Some(id)).filter(Some(kind.code()))
    }));
    Ok((target?, paging?))
}

/// `post_id` and `post_type`. The type says which kind of post the identifier is of.
fn target(fields: &mut Fields<'_>) -> Result<Target, Noted> {
    let id = fields.required("post_id", uuid);
    let kind = fields.required("post_type", one_of);
    Ok(match kind? {
        PostType::Feedback => Target::Feedback(id?.into()),
        PostType::Roadmap => Target::Roadmap(id?.into()),
    })
}

#[derive(Serialize, ToSchema)]
#[schema(as = Voter)]
pub(crate) struct VoterView<'a> {
    user_id: Uuid,
    name: &'a str,
    email: &'a str,
    voted_at: Timestamp,
}

impl<'a> From<&'a Voter> for VoterView<'a> {
    fn from(voter: &'a Voter) -> Self {
        Self {
            user_id: voter.user_id.0,
            name: &voter.name,
            email: &voter.email,
            voted_at: voter.voted_at.into(),
        }
    }
}
