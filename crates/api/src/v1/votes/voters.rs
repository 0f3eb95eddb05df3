//! `/votes/voters`

use super::target;
use crate::answer::{self, Answer, Timestamp};
use crate::call::Call;
use crate::fields::{Fields, Input, Noted};
use crate::page::Walk;
use hearback_app::votes;
use hearback_domain::vote::{PostType, Target, Voter};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::ByTime;
use serde::Serialize;
use utoipa::ToSchema;

/// `/votes/voters`
pub(crate) async fn voters(Call { api, organization, input, .. }: Call<ListVoters>) -> Answer {
    let page = votes::voters(&api.ports, organization, input.target, input.walk.page).await?;
    answer::page::<VoterView<'_>, _, _>(&page, &input.walk.list)
}

pub(crate) struct ListVoters {
    target: Target,
    walk: Walk<ByTime>,
}

impl Input for ListVoters {
    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let target = target(fields);
        let list = fields.list("/votes/voters", "oldest");
        let walk = fields.walk(target.map(|target| {
            let (id, kind) = match target {
                Target::Feedback(id) => (id.0, PostType::Feedback),
                Target::Roadmap(id) => (id.0, PostType::Roadmap),
            };
            list.filter(Some(id)).filter(Some(kind.code()))
        }));
        Ok(Self { target: target?, walk: walk? })
    }
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
