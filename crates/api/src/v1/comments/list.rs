//! `/comments/list`

use super::CommentView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Fields, Input, Noted, uuid};
use crate::page::Walk;
use hearback_app::comments;
use hearback_domain::id::PostId;
use hearback_ports::page::ByTime;

/// `/comments/list`
pub(crate) async fn list(Call { api, organization, input, .. }: Call<ListComments>) -> Answer {
    let page = comments::list(&api.ports, organization, input.post, input.walk.page).await?;
    answer::page::<CommentView<'_>, _, _>(&page, &input.walk.list)
}

pub(crate) struct ListComments {
    post: PostId,
    walk: Walk<ByTime>,
}

impl Input for ListComments {
    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let post = fields.required("feedback_post_id", uuid);
        let list = fields.list("/comments/list", "oldest");
        let walk = fields.walk(post.map(|post| list.filter(Some(post))));
        Ok(Self { post: post?.into(), walk: walk? })
    }
}
