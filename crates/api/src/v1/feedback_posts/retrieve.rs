//! `/feedback-posts/retrieve`

use super::PostView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::ById;
use hearback_app::feedback_posts;
use hearback_domain::id::PostId;

/// `/feedback-posts/retrieve`
pub(crate) async fn retrieve(
    Call { api, organization, input: ById(id), .. }: Call<ById<PostId>>,
) -> Answer {
    let post = feedback_posts::retrieve(&api.ports, organization, id).await?;
    answer::object(&PostView::from(&post))
}
