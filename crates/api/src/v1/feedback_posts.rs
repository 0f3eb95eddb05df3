//! `/feedback-posts/…`

use crate::answer::{ModerationCode, Timestamp, as_uuids};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{Fields, Noted, by_id, query, uuid};
use crate::page::Walk;
use hearback_app::{Missing, Precondition, feedback_posts};
use hearback_domain::Uuid;
use hearback_domain::feedback_post::{PostDetails, PostFilter};
use hearback_domain::fold::Folded;
use hearback_domain::id::{PostId, TagId};
use hearback_domain::merge::MergeRequest;
use hearback_ports::page::ByTime;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/feedback-posts/retrieve",
        "Retrieve a feedback post",
        handler!(object<PostView>: by_id::<PostId> => feedback_posts::retrieve),
    )
    .refusing(&[NotFound(Missing::FeedbackPost)]),
    write(
        "/feedback-posts/merge",
        "Merge a feedback post into another one",
        handler!(success: merge => feedback_posts::merge),
    )
    .refusing(&[
        NotFound(Missing::MergeSource),
        NotFound(Missing::MergeTarget),
        NotFound(Missing::User),
        Refused(Precondition::CannotMerge),
    ]),
    read(
        "/feedback-posts/list",
        "List feedback posts, newest first",
        handler!(page<PostView>: filtered => feedback_posts::list),
    ),
];

fn merge(fields: &mut Fields<'_>) -> Result<MergeRequest, Noted> {
    let source = fields.required("merge_post_id", uuid);
    let target = fields.required("into_post_id", |value| match uuid(value)? {
        // Two writings of one identifier are one post.
        id if source.is_ok_and(|source| source == id) => {
            Err(Wrong::Rule("a post cannot be merged into itself"))
        }
        id => Ok(id),
    });
    let merger = fields.required("merger_id", uuid);
    Ok(MergeRequest { source: source?.into(), target: target?.into(), merger: merger?.into() })
}

fn filtered(fields: &mut Fields<'_>) -> Result<(PostFilter, Walk<ByTime>), Noted> {
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
    let list = fields.list("newest");
    let walk = fields.walk(filter.as_ref().map_err(|noted| *noted).map(|filter| {
        list.filter(filter.board_id.map(Uuid::from))
            .filter(filter.status_id.map(Uuid::from))
            .filter(filter.search.as_ref().map(Folded::as_str))
    }));
    Ok((filter?, walk?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = FeedbackPost)]
pub(crate) struct PostView<'a> {
    id: Uuid,
    title: &'a str,
    description: &'a str,
    slug: &'a str,
    board_id: Uuid,
    author_id: Uuid,
    owner_id: Option<Uuid>,
    status_id: Uuid,
    category_id: Option<Uuid>,
    eta: Option<Timestamp>,
    #[schema(inline)]
    moderation_status_code: ModerationCode,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(serialize_with = "as_uuids")]
    #[schema(value_type = Vec<Uuid>)]
    tag_ids: &'a [TagId],
    vote_count: i64,
    comment_count: i64,
    merged_into_id: Option<Uuid>,
}

impl<'a> From<&'a PostDetails> for PostView<'a> {
    fn from(PostDetails { post, vote_count, comment_count }: &'a PostDetails) -> Self {
        Self {
            id: post.id.0,
            title: &post.title,
            description: &post.description,
            slug: post.slug.as_str(),
            board_id: post.board_id.0,
            author_id: post.author_id.0,
            owner_id: post.owner_id.map(Uuid::from),
            status_id: post.status_id.0,
            category_id: post.category_id.map(Uuid::from),
            eta: post.eta.map(Timestamp::from),
            moderation_status_code: post.moderation.into(),
            created_at: post.created_at.into(),
            updated_at: post.updated_at.into(),
            tag_ids: &post.tag_ids,
            vote_count: *vote_count,
            comment_count: *comment_count,
            merged_into_id: post.merged_into_id.map(Uuid::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, call, id, mocks, time};
    use hearback_domain::feedback_post::{FeedbackPost, Moderation, PostFilter};
    use hearback_domain::fold::Folded;
    use hearback_domain::id::PostId;
    use hearback_domain::merge::{MergeCase, PostState};
    use hearback_domain::slug::Slug;
    use hearback_ports::mock::Mocks;
    use hearback_ports::page::ByTime;
    use hearback_ports::{Limit, Page, PageRequest, Recorded};
    use serde_json::{Value, json};

    const DARK_MODE: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-000000000001","title":"Dark mode","description":"My eyes","slug":"dark-mode","#,
        r#""board_id":"00000000-0000-0000-0000-000000000002","author_id":"00000000-0000-0000-0000-000000000003","#,
        r#""owner_id":"00000000-0000-0000-0000-000000000004","status_id":"00000000-0000-0000-0000-000000000005","#,
        r#""category_id":"00000000-0000-0000-0000-000000000006","eta":"2026-06-01T00:00:00.000Z","#,
        r#""moderation_status_code":"accepted","created_at":"2026-03-01T09:30:00.000Z","#,
        r#""updated_at":"2026-03-02T09:30:00.123Z","#,
        r#""tag_ids":["00000000-0000-0000-0000-000000000009","00000000-0000-0000-0000-000000000008"],"#,
        r#""vote_count":12,"comment_count":3,"merged_into_id":"00000000-0000-0000-0000-000000000007"}"#
    );
    const BARE: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-00000000000a","title":"Bare","description":"","slug":"dark-mode","#,
        r#""board_id":"00000000-0000-0000-0000-000000000002","author_id":"00000000-0000-0000-0000-000000000003","#,
        r#""owner_id":null,"status_id":"00000000-0000-0000-0000-000000000005","category_id":null,"eta":null,"#,
        r#""moderation_status_code":"pending","created_at":"2026-03-01T09:30:00.000Z","#,
        r#""updated_at":"2026-03-02T09:30:00.123Z","tag_ids":[],"vote_count":0,"comment_count":0,"merged_into_id":null}"#
    );

    fn dark_mode() -> PostDetails {
        let post = FeedbackPost {
            id: id(1),
            title: "Dark mode".to_owned(),
            description: "My eyes".to_owned(),
            slug: Slug::parse("dark-mode").unwrap(),
            board_id: id(2),
            author_id: id(3),
            owner_id: Some(id(4)),
            status_id: id(5),
            category_id: Some(id(6)),
            eta: Some(time("2026-06-01")),
            moderation: Moderation::Accepted,
            tag_ids: vec![id(9), id(8)],
            merged_into_id: Some(id(7)),
            is_active: true,
            created_at: time("2026-03-01T09:30:00Z"),
            updated_at: time("2026-03-02T09:30:00.123Z"),
        };
        PostDetails { post, vote_count: 12, comment_count: 3 }
    }

    fn bare() -> PostDetails {
        let post = FeedbackPost {
            id: id(10),
            title: "Bare".to_owned(),
            description: String::new(),
            owner_id: None,
            category_id: None,
            eta: None,
            moderation: Moderation::Pending,
            tag_ids: vec![],
            merged_into_id: None,
            ..dark_mode().post
        };
        PostDetails { post, vote_count: 0, comment_count: 0 }
    }

    #[actix_web::test]
    async fn a_post_is_retrieved_by_its_id() {
        let mut mocks = mocks();
        let asked = (ORGANIZATION, PostId::from(Uuid::from_u128(1)));
        mocks
            .feedback_posts
            .expect_find()
            .withf(move |of, id| (*of, *id) == asked)
            .returning(|_, _| Ok(Some(dark_mode())));
        let reply =
            call(mocks, "/feedback-posts/retrieve", json!({"id": Uuid::from_u128(1)})).await;
        assert_eq!(reply.shown(), (200, DARK_MODE));
    }

    #[actix_web::test]
    async fn an_unknown_post_is_not_found() {
        let mut mocks = mocks();
        mocks.feedback_posts.expect_find().returning(|_, _| Ok(None));
        let reply = call(mocks, "/feedback-posts/retrieve", json!({"id": Uuid::nil()})).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"feedback post not found"}}"#));
    }

    fn merging(source: Option<PostState>, merger_linked: bool) -> Mocks {
        let mut mocks = mocks();
        let case = MergeCase { source, target: Some(PostState::Open), merger_linked };
        mocks.feedback_posts.expect_merge_case().returning(move |_, _| Ok(case.clone()));
        mocks
    }

    fn merge_body() -> Value {
        json!({"merge_post_id": Uuid::from_u128(1), "into_post_id": Uuid::from_u128(2), "merger_id": Uuid::from_u128(3)})
    }

    #[actix_web::test]
    async fn a_merge_that_is_done_answers_success() {
        let mut mocks = merging(Some(PostState::Open), true);
        mocks
            .feedback_posts
            .expect_merge()
            .once()
            .withf(|of, merge, receipt| {
                let asked = (merge.source, merge.target, merge.merger);
                (*of, asked, receipt) == (ORGANIZATION, (id(1), id(2), id(3)), &None)
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        assert_eq!(
            call(mocks, "/feedback-posts/merge", merge_body()).await.shown(),
            (200, r#"{"success":true}"#)
        );
    }

    #[actix_web::test]
    async fn a_merge_that_cannot_be_done_says_why() {
        let reply = call(merging(None, true), "/feedback-posts/merge", merge_body()).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"merge_post not found"}}"#));
        let reply =
            call(merging(Some(PostState::Open), false), "/feedback-posts/merge", merge_body())
                .await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"user not found"}}"#));
        let reply =
            call(merging(Some(PostState::Shut), true), "/feedback-posts/merge", merge_body()).await;
        let text = "Cannot merge posts. Ensure both posts exist, are active, and neither is already merged.";
        assert_eq!(reply.shown(), (400, &*json!({ "detail": text }).to_string()));
    }

    #[actix_web::test]
    async fn a_post_is_not_merged_into_itself_however_it_is_written() {
        let mut body = merge_body();
        body["into_post_id"] = json!(Uuid::from_u128(1).simple());
        body["merger_id"] = json!(null);
        assert_eq!(
            call(mocks(), "/feedback-posts/merge", body).await.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"value_error","loc":["body","into_post_id"],"#,
                    r#""msg":"Value error, a post cannot be merged into itself","input":"00000000000000000000000000000001"},"#,
                    r#"{"type":"uuid_type","loc":["body","merger_id"],"msg":"UUID input should be a string","input":null}]}"#
                )
            )
        );
    }

    #[actix_web::test]
    async fn every_fault_of_a_merge_is_told_at_once() {
        let reply = call(mocks(), "/feedback-posts/merge", json!({"into_post_id": "x"})).await;
        assert_eq!(
            reply.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"missing","loc":["body","merge_post_id"],"msg":"Field required","input":null},"#,
                    r#"{"type":"uuid_parsing","loc":["body","into_post_id"],"msg":"Input should be a valid UUID","input":"x"},"#,
                    r#"{"type":"missing","loc":["body","merger_id"],"msg":"Field required","input":null}]}"#
                )
            )
        );
    }

    /// Posts behind `after`, with the next page behind the last one.
    fn paging(filter: PostFilter, request: PageRequest<ByTime>, next: Option<ByTime>) -> Mocks {
        let mut mocks = mocks();
        mocks
            .feedback_posts
            .expect_page()
            .withf(move |of, by, page| (*of, by, page) == (ORGANIZATION, &filter, &request))
            .returning(move |_, _, _| Ok(Page { items: vec![dark_mode(), bare()], next }));
        mocks
    }

    #[actix_web::test]
    async fn posts_are_paged_with_the_filters_folded() {
        let filter = PostFilter {
            board_id: Some(id(2)),
            status_id: Some(id(5)),
            search: Some(Folded::new("grüße")),
        };
        let first = PageRequest { after: None, limit: Limit::new(2).unwrap() };
        let end = ByTime { at: time("2026-03-01T09:30:00Z"), id: id(10) };
        let body = json!({"board_id": Uuid::from_u128(2), "status_id": Uuid::from_u128(5), "search": "GRÜẞE", "limit": 2});

        let reply =
            call(paging(filter.clone(), first, Some(end)), "/feedback-posts/list", body.clone())
                .await;
        let page: Value = serde_json::from_str(&reply.body).unwrap();
        let cursor = page["cursor"].as_str().unwrap();
        let expected =
            format!(r#"{{"items":[{DARK_MODE},{BARE}],"has_next_page":true,"cursor":"{cursor}"}}"#);
        assert_eq!(reply.shown(), (200, &*expected));

        let mut onward = body;
        onward["cursor"] = json!(cursor);
        onward["limit"] = json!(25);
        let second = PageRequest { after: Some(end), limit: Limit::DEFAULT };
        let reply =
            call(paging(filter, second, None), "/feedback-posts/list", onward.clone()).await;
        let expected =
            format!(r#"{{"items":[{DARK_MODE},{BARE}],"has_next_page":false,"cursor":null}}"#);
        assert_eq!(reply.shown(), (200, &*expected));

        for filter in ["board_id", "status_id", "search"] {
            let mut other = onward.clone();
            other[filter] = json!(null);
            let reply = call(mocks(), "/feedback-posts/list", other).await;
            let fault = r#"{"type":"value_error","loc":["body","cursor"],"msg":"Value error, not a cursor of this list","input":"#;
            assert_eq!(reply.shown(), (422, &*format!(r#"{{"detail":[{fault}"{cursor}"}}]}}"#)));
        }
    }

    #[actix_web::test]
    async fn without_filters_all_posts_are_paged_25_at_a_time() {
        let first = PageRequest { after: None, limit: Limit::DEFAULT };
        let body = json!({"board_id": null, "status_id": null, "search": null, "cursor": null});
        for body in [json!({}), body] {
            let reply = call(
                paging(PostFilter::default(), first.clone(), None),
                "/feedback-posts/list",
                body,
            )
            .await;
            assert_eq!(reply.status, 200);
        }
    }

    #[actix_web::test]
    async fn every_fault_of_a_list_is_told_at_once() {
        let body =
            json!({"cursor": 1, "limit": "25", "search": "", "status_id": [], "board_id": 7});
        let reply = call(mocks(), "/feedback-posts/list", body).await;
        assert_eq!(
            reply.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"uuid_type","loc":["body","board_id"],"msg":"UUID input should be a string","input":7},"#,
                    r#"{"type":"uuid_type","loc":["body","status_id"],"msg":"UUID input should be a string","input":[]},"#,
                    r#"{"type":"string_too_short","loc":["body","search"],"#,
                    r#""msg":"String should have at least 1 character","input":""},"#,
                    r#"{"type":"int_type","loc":["body","limit"],"msg":"Input should be a valid integer","input":"25"},"#,
                    r#"{"type":"string_type","loc":["body","cursor"],"msg":"Input should be a valid string","input":1}]}"#
                )
            )
        );
    }
}
