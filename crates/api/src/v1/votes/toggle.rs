//! `/votes/toggle`

use super::target;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Fields, Input, Noted, uuid};
use hearback_app::votes::{self, ToggleVote};

/// `/votes/toggle`
pub(crate) async fn toggle(Call { api, organization, input, repeat }: Call<ToggleVote>) -> Answer {
    let outcome = votes::toggle(&api.ports, organization, input, repeat).await?;
    answer::outcome(outcome)
}

impl Input for ToggleVote {
    const WRITE: Option<&'static str> = Some("/votes/toggle");

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let voter = fields.required("user_id", uuid);
        let target = target(fields);
        Ok(Self { voter: voter?.into(), target: target? })
    }
}
