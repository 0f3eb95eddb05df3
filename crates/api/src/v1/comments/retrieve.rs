//! `/comments/retrieve`

use super::CommentView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::ById;
use hearback_app::comments;
use hearback_domain::id::CommentId;

/// `/comments/retrieve`
pub(crate) async fn retrieve(
    Call { api, organization, input: ById(id), .. }: Call<ById<CommentId>>,
) -> Answer {
    let comment = comments::retrieve(&api.ports, organization, id).await?;
    answer::object(&CommentView::from(&comment))
}
