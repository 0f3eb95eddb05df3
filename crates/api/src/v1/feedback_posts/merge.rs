//! `/feedback-posts/merge`

use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fault::Wrong;
use crate::fields::{Fields, Input, Noted, uuid};
use hearback_app::feedback_posts;
use hearback_domain::merge::MergeRequest;

/// `/feedback-posts/merge`
pub(crate) async fn merge(Call { api, organization, input, repeat }: Call<MergeRequest>) -> Answer {
    let outcome = feedback_posts::merge(&api.ports, organization, input, repeat).await?;
    answer::outcome(outcome)
}

impl Input for MergeRequest {
    const WRITE: Option<&'static str> = Some("/feedback-posts/merge");

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let source = fields.required("merge_post_id", uuid);
        let target = fields.required("into_post_id", |value| match uuid(value)? {
            // Two writings of one identifier are one post.
            id if source.is_ok_and(|source| source == id) => {
                Err(Wrong::Rule("a post cannot be merged into itself"))
            }
            id => Ok(id),
        });
        let merger = fields.required("merger_id", uuid);
        Ok(Self { source: source?.into(), target: target?.into(), merger: merger?.into() })
    }
}
