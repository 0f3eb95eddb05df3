//! `/tags/…`

use crate::answer::Timestamp;
use crate::endpoint::{Endpoint, handler, read};
use hearback_app::tags;
use hearback_domain::Uuid;
use hearback_domain::tag::Tag;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] =
    &[read("/tags/list", "List the tags", handler!(array<TagView>: tags::list))];

#[derive(Serialize, ToSchema)]
#[schema(as = Tag)]
pub(crate) struct TagView<'a> {
    id: Uuid,
    name: &'a str,
    code: Option<&'a str>,
    color: &'a str,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    created_at: Timestamp,
}

impl<'a> From<&'a Tag> for TagView<'a> {
    fn from(tag: &'a Tag) -> Self {
        Self {
            id: tag.id.0,
            name: &tag.name,
            code: tag.code.as_deref(),
            color: &tag.color,
            show_on_feedback: tag.show_on_feedback,
            show_on_roadmap: tag.show_on_roadmap,
            created_at: tag.created_at.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, call, id, mocks, time};
    use serde_json::json;

    fn mobile() -> Tag {
        Tag {
            id: id(1),
            name: "Mobile".to_owned(),
            code: None,
            color: "#08f".to_owned(),
            show_on_feedback: false,
            show_on_roadmap: true,
            is_active: true,
            created_at: time("2026-03-01T09:30:00Z"),
        }
    }

    #[actix_web::test]
    async fn tags_are_listed_with_or_without_a_code() {
        let mut mocks = mocks();
        let web =
            || Tag { id: id(2), name: "Web".to_owned(), code: Some("web".to_owned()), ..mobile() };
        mocks
            .tags
            .expect_list()
            .withf(|of| *of == ORGANIZATION)
            .returning(move |_| Ok(vec![mobile(), web()]));
        assert_eq!(
            call(mocks, "/tags/list", json!({})).await.shown(),
            (
                200,
                concat!(
                    r##"[{"id":"00000000-0000-0000-0000-000000000001","name":"Mobile","code":null,"color":"#08f","##,
                    r##""show_on_feedback":false,"show_on_roadmap":true,"created_at":"2026-03-01T09:30:00.000Z"},"##,
                    r##"{"id":"00000000-0000-0000-0000-000000000002","name":"Web","code":"web","color":"#08f","##,
                    r##""show_on_feedback":false,"show_on_roadmap":true,"created_at":"2026-03-01T09:30:00.000Z"}]"##
                )
            )
        );
    }
}
