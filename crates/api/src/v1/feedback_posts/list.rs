//! `/feedback-posts/list`

use super::PostView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Fields, Input, Noted, query, uuid};
use crate::page::Walk;
use hearback_app::feedback_posts;
use hearback_domain::Uuid;
use hearback_domain::feedback_post::PostFilter;
use hearback_domain::fold::Folded;
use hearback_ports::page::ByTime;

/// `/feedback-posts/list`
pub(crate) async fn list(Call { api, organization, input, .. }: Call<ListPosts>) -> Answer {
    let page =
        feedback_posts::list(&api.ports, organization, input.filter, input.walk.page).await?;
    answer::page::<PostView<'_>, _, _>(&page, &input.walk.list)
}

pub(crate) struct ListPosts {
    filter: PostFilter,
    walk: Walk<ByTime>,
}

impl Input for ListPosts {
    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let board_id = fields.optional("board_id", uuid);
        let status_id = fields.optional("status_id", uuid);
        let search = fields.optional("search", query);
        let filter = board_id.and_then(|board_id| {
            Ok(PostFilter {
                board_id: board_id.map(Into::into),
                status_id: status_id?.map(Into::into),
                search: search?,
            })
        });
        let list = fields.list("/feedback-posts/list", "newest");
        let walk = fields.walk(filter.as_ref().map_err(|noted| *noted).map(|filter| {
            list.filter(filter.board_id.map(Uuid::from))
                .filter(filter.status_id.map(Uuid::from))
                .filter(filter.search.as_ref().map(Folded::as_str))
        }));
        Ok(Self { filter: filter?, walk: walk? })
    }
}
