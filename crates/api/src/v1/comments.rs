//! `/comments/…`

use crate::answer::{ModerationCode, Timestamp, VisibilityCode};
use crate::endpoint::Refusal::NotFound;
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::{Fields, Noted, by_id, uuid};
use crate::page::Walk;
use hearback_app::{Missing, comments};
use hearback_domain::Uuid;
use hearback_domain::comment::Comment;
use hearback_domain::id::{CommentId, PostId};
use hearback_ports::page::ByTime;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/comments/retrieve",
        "Retrieve a comment",
        handler!(object<CommentView>: by_id::<CommentId> => comments::retrieve),
    )
    .refusing(&[NotFound(Missing::Comment)]),
    read(
        "/comments/list",
        "List the comments on a feedback post, oldest first",
        handler!(page<CommentView>: of_post => comments::list),
    ),
];

fn of_post(fields: &mut Fields<'_>) -> Result<(PostId, Walk<ByTime>), Noted> {
    let post = fields.required("feedback_post_id", uuid);
    let list = fields.list("oldest");
    let walk = fields.walk(post.map(|post| list.filter(Some(post))));
    Ok((post?.into(), walk?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Comment)]
pub(crate) struct CommentView<'a> {
    id: Uuid,
    content: &'a str,
    author_id: Uuid,
    parent_comment_id: Option<Uuid>,
    feedback_post_id: Uuid,
    #[schema(inline)]
    visibility_code: VisibilityCode,
    #[schema(inline)]
    moderation_status_code: ModerationCode,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a Comment> for CommentView<'a> {
    fn from(comment: &'a Comment) -> Self {
        Self {
            id: comment.id.0,
            content: &comment.content,
            author_id: comment.author_id.0,
            parent_comment_id: comment.parent_comment_id.map(Uuid::from),
            feedback_post_id: comment.feedback_post_id.0,
            visibility_code: comment.visibility.into(),
            moderation_status_code: comment.moderation.into(),
            created_at: comment.created_at.into(),
            updated_at: comment.updated_at.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, call, id, mocks, time};
    use hearback_domain::comment::Visibility;
    use hearback_domain::feedback_post::Moderation;
    use hearback_domain::id::{CommentId, PostId};
    use hearback_ports::mock::Mocks;
    use hearback_ports::page::ByTime;
    use hearback_ports::{Limit, Page, PageRequest};
    use serde_json::{Value, json};

    const REPLY: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-000000000001","content":"Me too","#,
        r#""author_id":"00000000-0000-0000-0000-000000000002","#,
        r#""parent_comment_id":"00000000-0000-0000-0000-000000000003","#,
        r#""feedback_post_id":"00000000-0000-0000-0000-000000000004","visibility_code":"public","#,
        r#""moderation_status_code":"accepted","created_at":"2026-03-01T09:30:00.000Z","#,
        r#""updated_at":"2026-03-02T09:30:00.000Z"}"#
    );
    const NOTE: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-000000000005","content":"Spam?","#,
        r#""author_id":"00000000-0000-0000-0000-000000000002","parent_comment_id":null,"#,
        r#""feedback_post_id":"00000000-0000-0000-0000-000000000004","visibility_code":"internal","#,
        r#""moderation_status_code":"spam","created_at":"2026-03-01T09:30:00.000Z","#,
        r#""updated_at":"2026-03-02T09:30:00.000Z"}"#
    );

    fn answer() -> Comment {
        Comment {
            id: id(1),
            content: "Me too".to_owned(),
            author_id: id(2),
            parent_comment_id: Some(id(3)),
            feedback_post_id: id(4),
            visibility: Visibility::Public,
            moderation: Moderation::Accepted,
            is_active: true,
            created_at: time("2026-03-01T09:30:00Z"),
            updated_at: time("2026-03-02T09:30:00Z"),
        }
    }

    fn note() -> Comment {
        Comment {
            id: id(5),
            content: "Spam?".to_owned(),
            parent_comment_id: None,
            visibility: Visibility::Internal,
            moderation: Moderation::Spam,
            ..answer()
        }
    }

    #[actix_web::test]
    async fn a_comment_is_retrieved_by_its_id() {
        let mut mocks = mocks();
        let asked = (ORGANIZATION, CommentId::from(Uuid::from_u128(1)));
        mocks
            .comments
            .expect_find()
            .withf(move |of, id| (*of, *id) == asked)
            .returning(|_, _| Ok(Some(answer())));
        let reply = call(mocks, "/comments/retrieve", json!({"id": Uuid::from_u128(1)})).await;
        assert_eq!(reply.shown(), (200, REPLY));
    }

    #[actix_web::test]
    async fn an_unknown_comment_is_not_found() {
        let mut mocks = mocks();
        mocks.comments.expect_find().returning(|_, _| Ok(None));
        let reply = call(mocks, "/comments/retrieve", json!({"id": Uuid::nil()})).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"comment not found"}}"#));
    }

    fn paging(request: PageRequest<ByTime>, next: Option<ByTime>) -> Mocks {
        let mut mocks = mocks();
        mocks
            .comments
            .expect_page()
            .withf(move |of, post, page| {
                (*of, *post, page) == (ORGANIZATION, PostId::from(Uuid::from_u128(4)), &request)
            })
            .returning(move |_, _, _| Ok(Page { items: vec![answer(), note()], next }));
        mocks
    }

    #[actix_web::test]
    async fn the_comments_of_a_post_are_paged() {
        let body = json!({"feedback_post_id": Uuid::from_u128(4), "limit": 2});
        let first = PageRequest { after: None, limit: Limit::new(2).unwrap() };
        let end = ByTime { at: time("2026-03-01T09:30:00Z"), id: id(5) };
        let reply = call(paging(first, Some(end)), "/comments/list", body.clone()).await;
        let page: Value = serde_json::from_str(&reply.body).unwrap();
        let cursor = page["cursor"].as_str().unwrap();
        let expected =
            format!(r#"{{"items":[{REPLY},{NOTE}],"has_next_page":true,"cursor":"{cursor}"}}"#);
        assert_eq!(reply.shown(), (200, &*expected));

        let mut onward = body;
        onward["cursor"] = json!(cursor);
        let second = PageRequest { after: Some(end), limit: Limit::new(2).unwrap() };
        let reply = call(paging(second, None), "/comments/list", onward.clone()).await;
        assert_eq!(
            reply.shown(),
            (200, &*format!(r#"{{"items":[{REPLY},{NOTE}],"has_next_page":false,"cursor":null}}"#))
        );

        onward["feedback_post_id"] = json!(Uuid::from_u128(6));
        assert_eq!(
            call(mocks(), "/comments/list", onward).await.status,
            422,
            "the cursor is of another post's list"
        );
    }

    #[actix_web::test]
    async fn the_post_must_be_named() {
        let missing = r#"{"detail":[{"type":"missing","loc":["body","feedback_post_id"],"msg":"Field required","input":null}]}"#;
        assert_eq!(call(mocks(), "/comments/list", json!({})).await.shown(), (422, missing));
    }
}
