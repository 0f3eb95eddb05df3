//! `/help-articles/…`

use crate::answer::{ArticleStatusCode, SeqNumber, Timestamp, as_uuids};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{
    Fields, Noted, boolean, bounded, one_of, query, slug, string, timestamp, uuid,
};
use crate::page::{List, Walk};
use hearback_app::{Missing, Precondition, help_articles};
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{
    ArticleDetails, ArticleDraft, ArticleFilter, ArticleParent, ArticleSort, ArticleStatus,
    ArticleSummary,
};
use hearback_domain::help_category::CategoryReference;
use hearback_domain::help_collection::CollectionReference;
use hearback_domain::id::HelpArticleId;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::ByArticle;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/help-articles/search",
        "Search the help articles",
        handler!(page<HitView>: searched => |ports, organization, filter, page| {
            help_articles::list(ports, organization, filter, FOUND, page)
        }),
    )
    .of_help_center(),
    read(
        "/help-articles/list",
        "List the help articles",
        handler!(page<ListedView>: filtered => |ports, organization, (filter, sort), page| {
            help_articles::list(ports, organization, filter, sort, page)
        }),
    )
    .of_help_center(),
    read(
        "/help-articles/retrieve",
        "Retrieve a help article",
        handler!(object<ArticleView>: id => help_articles::retrieve),
    )
    .of_help_center()
    .refusing(&[NotFound(Missing::HelpArticle)]),
    write(
        "/help-articles/create",
        "Create a help article at the end of exactly one of a category and a collection",
        handler!(created: draft => help_articles::create),
    )
    .of_help_center()
    .refusing(&[
        NotFound(Missing::HelpCategory),
        NotFound(Missing::HelpCollection),
        Refused(Precondition::UnknownRelatedArticle(HelpArticleId(Uuid::nil()))),
    ]),
];

/// "Ordered by most recently updated."
const FOUND: ArticleSort = ArticleSort::Updated;

fn searched(fields: &mut Fields<'_>) -> Result<(ArticleFilter, Walk<ByArticle>), Noted> {
    let query = fields.required("query", query);
    let published_only = fields.optional("published_only", boolean);
    let filter = query.and_then(|query| {
        let filter = ArticleFilter { search: Some(query), ..ArticleFilter::default() };
        Ok(if published_only?.unwrap_or(false) { filter.public() } else { filter })
    });
    let list = fields.list(FOUND.code());
    let walk =
        fields.walk(filter.as_ref().map_err(|noted| *noted).map(|filter| narrowed(list, filter)));
    Ok((filter?, walk?))
}

fn filtered(
    fields: &mut Fields<'_>,
) -> Result<((ArticleFilter, ArticleSort), Walk<ByArticle>), Noted> {
    let search = fields.optional("search", query);
    let collection_id = fields.optional("collection_id", uuid);
    let category_id = fields.optional("category_id", uuid);
    let status = fields.optional("status_code", one_of);
    let is_favourite = fields.optional("is_favourite", boolean);
    let sort = fields.optional("sort", one_of).map(|sort| sort.unwrap_or(ArticleSort::Updated));
    let filter = search.and_then(|search| {
        Ok(ArticleFilter {
            search,
            collection_id: collection_id?.map(Into::into),
            category_id: category_id?.map(Into::into),
            status: status?,
            show_on_portal: None,
            is_favourite: is_favourite?,
        })
    });
    let list = sort.and_then(|sort| {
        let filter = filter.as_ref().map_err(|noted| *noted)?;
        Ok(narrowed(fields.list(sort.code()), filter))
    });
    let walk = fields.walk(list);
    Ok(((filter?, sort?), walk?))
}

/// The part of a list of articles that the filter lets through.
fn narrowed(list: List, filter: &ArticleFilter) -> List {
    let flag = |flag: bool| [u8::from(flag)];
    list.filter(filter.search.as_ref().map(Folded::as_str))
        .filter(filter.collection_id.map(Uuid::from))
        .filter(filter.category_id.map(Uuid::from))
        .filter(filter.status.map(ArticleStatus::code))
        .filter(filter.show_on_portal.map(flag))
        .filter(filter.is_favourite.map(flag))
}

fn id(fields: &mut Fields<'_>) -> Result<HelpArticleId, Noted> {
    fields.id("article_id")
}

fn draft(fields: &mut Fields<'_>) -> Result<ArticleDraft, Noted> {
    let parent = parent(fields);
    let title = fields.required("title", bounded);
    let content = fields.optional("content", string);
    let slug = fields.optional("slug", slug);
    let excerpt = fields.optional("excerpt", bounded);
    let status = fields.optional("status_code", one_of);
    let show_on_portal = fields.optional("show_on_portal", boolean);
    let published_at = fields.optional("published_at", timestamp);
    let related_article_ids = fields.ids("related_article_ids");
    let is_favourite = fields.optional("is_favourite", boolean);
    Ok(ArticleDraft {
        parent: parent?,
        title: title?,
        content: content?.unwrap_or_default(),
        slug: slug?,
        excerpt: excerpt?,
        status: status?.unwrap_or(ArticleStatus::Draft),
        show_on_portal: show_on_portal?.unwrap_or(true),
        is_favourite: is_favourite?.unwrap_or(false),
        published_at: published_at?,
        related_article_ids: related_article_ids?,
    })
}

/// "Exactly one of `category_id` and `collection_id`."
fn parent(fields: &mut Fields<'_>) -> Result<ArticleParent, Noted> {
    fields.exactly_one_of(&["category_id", "collection_id"]);
    let category_id = fields.optional("category_id", uuid);
    let collection_id = fields.optional("collection_id", |value| match uuid(value)? {
        _ if !matches!(category_id, Ok(None)) => {
            Err(Wrong::Rule("category_id and collection_id exclude each other"))
        }
        id => Ok(id),
    });
    ArticleParent::new(collection_id?.map(Into::into), category_id?.map(Into::into))
        .ok_or_else(|| fields.fault("category_id", Wrong::Missing))
}

/// What a search shows, and every article begins with.
#[derive(Serialize, ToSchema)]
#[schema(as = HelpArticleHit)]
pub(crate) struct HitView<'a> {
    id: Uuid,
    title: &'a str,
    slug: &'a str,
    excerpt: Option<&'a str>,
    #[schema(inline)]
    status_code: ArticleStatusCode,
    show_on_portal: bool,
    collection: CollectionView<'a>,
    category: Option<CategoryView<'a>>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = HelpCollectionReference)]
pub(crate) struct CollectionView<'a> {
    id: Uuid,
    name: &'a str,
    slug: &'a str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = HelpCategoryReference)]
pub(crate) struct CategoryView<'a> {
    id: Uuid,
    name: &'a str,
    slug: &'a str,
    collection_id: Uuid,
}

/// What every article ends with.
#[derive(Serialize, ToSchema)]
#[schema(as = HelpArticleRest)]
pub(crate) struct RestView<'a> {
    is_favourite: bool,
    seq_number: SeqNumber,
    published_at: Option<Timestamp>,
    #[serde(serialize_with = "as_uuids")]
    #[schema(value_type = Vec<Uuid>)]
    related_article_ids: &'a [HelpArticleId],
    author_id: Option<Uuid>,
    view_count: i64,
    helpful_count: i64,
    not_helpful_count: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// An article of a list.
#[derive(Serialize, ToSchema)]
#[schema(as = ListedHelpArticle)]
pub(crate) struct ListedView<'a> {
    #[serde(flatten)]
    hit: HitView<'a>,
    #[serde(flatten)]
    rest: RestView<'a>,
}

/// An article by itself.
#[derive(Serialize, ToSchema)]
#[schema(as = HelpArticle)]
pub(crate) struct ArticleView<'a> {
    #[serde(flatten)]
    hit: HitView<'a>,
    content: &'a str,
    #[serde(flatten)]
    rest: RestView<'a>,
}

impl<'a> From<&'a ArticleSummary> for HitView<'a> {
    fn from(article: &'a ArticleSummary) -> Self {
        Self {
            id: article.id.0,
            title: &article.title,
            slug: article.slug.as_str(),
            excerpt: article.excerpt.as_deref(),
            status_code: article.status.into(),
            show_on_portal: article.show_on_portal,
            collection: CollectionView::from(&article.collection),
            category: article.category.as_ref().map(CategoryView::from),
        }
    }
}

impl<'a> From<&'a CollectionReference> for CollectionView<'a> {
    fn from(collection: &'a CollectionReference) -> Self {
        Self { id: collection.id.0, name: &collection.name, slug: collection.slug.as_str() }
    }
}

impl<'a> From<&'a CategoryReference> for CategoryView<'a> {
    fn from(category: &'a CategoryReference) -> Self {
        Self {
            id: category.id.0,
            name: &category.name,
            slug: category.slug.as_str(),
            collection_id: category.collection_id.0,
        }
    }
}

impl<'a> From<&'a ArticleSummary> for RestView<'a> {
    fn from(article: &'a ArticleSummary) -> Self {
        Self {
            is_favourite: article.is_favourite,
            seq_number: article.seq_number.into(),
            published_at: article.published_at.map(Timestamp::from),
            related_article_ids: &article.related_article_ids,
            author_id: article.author_id.map(Uuid::from),
            view_count: article.view_count,
            helpful_count: article.helpful_count,
            not_helpful_count: article.not_helpful_count,
            created_at: article.created_at.into(),
            updated_at: article.updated_at.into(),
        }
    }
}

impl<'a> From<&'a ArticleSummary> for ListedView<'a> {
    fn from(article: &'a ArticleSummary) -> Self {
        Self { hit: article.into(), rest: article.into() }
    }
}

impl<'a> From<&'a ArticleDetails> for ArticleView<'a> {
    fn from(ArticleDetails { summary, content }: &'a ArticleDetails) -> Self {
        Self { hit: summary.into(), content, rest: summary.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FRESH, ORGANIZATION, call, help_mocks, id, time};
    use hearback_domain::help_article::{ArticleCase, ArticleParent, ArticleSort, HelpArticle};
    use hearback_domain::position::Position;
    use hearback_domain::slug::Slug;
    use hearback_ports::mock::Mocks;
    use hearback_ports::page::ByArticle;
    use hearback_ports::{Limit, Page, PageRequest, Recorded};
    use serde_json::{Value, json};

    /// A hit, without its closing brace.
    const FILED: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-000000000001","title":"Getting started","slug":"getting-started","#,
        r#""excerpt":"In short","status_code":"published","show_on_portal":true,"#,
        r#""collection":{"id":"00000000-0000-0000-0000-000000000002","name":"Guides","slug":"guides"},"#,
        r#""category":{"id":"00000000-0000-0000-0000-000000000003","name":"First steps","slug":"first-steps","#,
        r#""collection_id":"00000000-0000-0000-0000-000000000002"}"#
    );
    const FILED_REST: &str = concat!(
        r#""is_favourite":true,"seq_number":"3.0000","published_at":"2026-03-01T09:00:00.000Z","#,
        r#""related_article_ids":["00000000-0000-0000-0000-000000000009","00000000-0000-0000-0000-000000000008"],"#,
        r#""author_id":"00000000-0000-0000-0000-000000000004","view_count":7,"helpful_count":5,"not_helpful_count":1,"#,
        r#""created_at":"2026-03-01T09:30:00.000Z","updated_at":"2026-03-02T09:30:00.123Z"}"#
    );
    const BARE: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-00000000000a","title":"Bare","slug":"getting-started","#,
        r#""excerpt":null,"status_code":"draft","show_on_portal":false,"#,
        r#""collection":{"id":"00000000-0000-0000-0000-000000000002","name":"Guides","slug":"guides"},"category":null"#
    );
    const BARE_REST: &str = concat!(
        r#""is_favourite":false,"seq_number":"3.0000","published_at":null,"related_article_ids":[],"author_id":null,"#,
        r#""view_count":0,"helpful_count":0,"not_helpful_count":0,"#,
        r#""created_at":"2026-03-01T09:30:00.000Z","updated_at":"2026-03-02T09:30:00.123Z"}"#
    );

    fn filed() -> ArticleSummary {
        let slug = |text| Slug::parse(text).unwrap();
        ArticleSummary {
            id: id(1),
            title: "Getting started".to_owned(),
            slug: slug("getting-started"),
            excerpt: Some("In short".to_owned()),
            status: ArticleStatus::Published,
            show_on_portal: true,
            collection: CollectionReference {
                id: id(2),
                name: "Guides".to_owned(),
                slug: slug("guides"),
            },
            category: Some(CategoryReference {
                id: id(3),
                name: "First steps".to_owned(),
                slug: slug("first-steps"),
                collection_id: id(2),
            }),
            is_favourite: true,
            seq_number: Position::parse("3.0000").unwrap(),
            published_at: Some(time("2026-03-01T09:00:00Z")),
            related_article_ids: vec![id(9), id(8)],
            author_id: Some(id(4)),
            view_count: 7,
            helpful_count: 5,
            not_helpful_count: 1,
            created_at: time("2026-03-01T09:30:00Z"),
            updated_at: time("2026-03-02T09:30:00.123Z"),
        }
    }

    fn bare() -> ArticleSummary {
        ArticleSummary {
            id: id(10),
            title: "Bare".to_owned(),
            excerpt: None,
            status: ArticleStatus::Draft,
            show_on_portal: false,
            category: None,
            is_favourite: false,
            published_at: None,
            related_article_ids: vec![],
            author_id: None,
            view_count: 0,
            helpful_count: 0,
            not_helpful_count: 0,
            ..filed()
        }
    }

    fn paging(
        filter: ArticleFilter,
        sort: ArticleSort,
        request: PageRequest<ByArticle>,
        next: Option<ByArticle>,
    ) -> Mocks {
        let mut mocks = help_mocks();
        mocks
            .help_articles
            .expect_page()
            .once()
            .withf(move |of, by, order, page| {
                (*of, by, *order, page) == (ORGANIZATION, &filter, sort, &request)
            })
            .return_once(move |_, _, _, _| Ok(Page { items: vec![filed(), bare()], next }));
        mocks
    }

    fn first(limit: i64) -> PageRequest<ByArticle> {
        PageRequest { after: None, limit: Limit::new(limit).unwrap() }
    }

    fn cursor(body: &str) -> String {
        let page: Value = serde_json::from_str(body).unwrap();
        page["cursor"].as_str().unwrap().to_owned()
    }

    #[actix_web::test]
    async fn a_search_shows_hits_most_recently_updated_first() {
        let filter =
            ArticleFilter { search: Some(Folded::new("grüße")), ..ArticleFilter::default() };
        let end = ByArticle::of(&bare(), ArticleSort::Updated);
        let body = json!({"query": "GRÜẞE", "limit": 2});
        let mocks = paging(filter.clone(), ArticleSort::Updated, first(2), Some(end.clone()));
        let reply = call(mocks, "/help-articles/search", body.clone()).await;
        let cursor = cursor(&reply.body);
        let expected =
            format!(r#"{{"items":[{FILED}}},{BARE}}}],"has_next_page":true,"cursor":"{cursor}"}}"#);
        assert_eq!(reply.shown(), (200, &*expected));

        let mut onward = body;
        onward["cursor"] = json!(cursor);
        let second = PageRequest { after: Some(end), limit: Limit::new(2).unwrap() };
        let reply = call(
            paging(filter, ArticleSort::Updated, second, None),
            "/help-articles/search",
            onward.clone(),
        )
        .await;
        let expected =
            format!(r#"{{"items":[{FILED}}},{BARE}}}],"has_next_page":false,"cursor":null}}"#);
        assert_eq!(reply.shown(), (200, &*expected));
        for (field, other) in [("query", json!("other")), ("published_only", json!(true))] {
            let mut body = onward.clone();
            body[field] = other;
            assert_eq!(
                call(help_mocks(), "/help-articles/search", body).await.status,
                422,
                "{field}"
            );
        }
    }

    #[actix_web::test]
    async fn a_search_may_be_of_what_is_public_only() {
        let all = ArticleFilter { search: Some(Folded::new("a")), ..ArticleFilter::default() };
        for (published_only, filter) in [
            (json!(true), all.clone().public()),
            (json!(false), all.clone()),
            (json!(null), all.clone()),
        ] {
            let body = json!({"query": "a", "published_only": published_only});
            let reply = call(
                paging(filter, ArticleSort::Updated, first(25), None),
                "/help-articles/search",
                body,
            )
            .await;
            assert_eq!(reply.status, 200);
        }
    }

    #[actix_web::test]
    async fn every_fault_of_a_search_is_told_at_once() {
        let body = json!({"cursor": 5, "limit": 101, "published_only": "yes"});
        assert_eq!(
            call(help_mocks(), "/help-articles/search", body).await.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"missing","loc":["body","query"],"msg":"Field required","input":null},"#,
                    r#"{"type":"bool_type","loc":["body","published_only"],"#,
                    r#""msg":"Input should be a valid boolean","input":"yes"},"#,
                    r#"{"type":"less_than_equal","loc":["body","limit"],"#,
                    r#""msg":"Input should be less than or equal to 100","input":101},"#,
                    r#"{"type":"string_type","loc":["body","cursor"],"msg":"Input should be a valid string","input":5}]}"#
                )
            )
        );
    }

    #[actix_web::test]
    async fn articles_are_listed_with_all_but_their_content() {
        let filter = ArticleFilter {
            search: Some(Folded::new("grüße")),
            collection_id: Some(id(2)),
            category_id: Some(id(3)),
            status: Some(ArticleStatus::Published),
            show_on_portal: None,
            is_favourite: Some(true),
        };
        let end = ByArticle::of(&bare(), ArticleSort::Title);
        let body = json!({
            "search": "GRÜẞE", "collection_id": Uuid::from_u128(2), "category_id": Uuid::from_u128(3),
            "status_code": "published", "is_favourite": true, "sort": "title", "limit": 2,
        });
        let mocks = paging(filter.clone(), ArticleSort::Title, first(2), Some(end.clone()));
        let reply = call(mocks, "/help-articles/list", body.clone()).await;
        let cursor = cursor(&reply.body);
        let items = format!("{FILED},{FILED_REST},{BARE},{BARE_REST}");
        assert_eq!(
            reply.shown(),
            (200, &*format!(r#"{{"items":[{items}],"has_next_page":true,"cursor":"{cursor}"}}"#))
        );

        let mut onward = body;
        onward["cursor"] = json!(cursor);
        let second = PageRequest { after: Some(end), limit: Limit::new(2).unwrap() };
        let reply = call(
            paging(filter, ArticleSort::Title, second, None),
            "/help-articles/list",
            onward.clone(),
        )
        .await;
        assert_eq!(
            reply.shown(),
            (200, &*format!(r#"{{"items":[{items}],"has_next_page":false,"cursor":null}}"#))
        );
        let others = [
            ("search", json!("other")),
            ("collection_id", json!(null)),
            ("category_id", json!(Uuid::nil())),
            ("status_code", json!("draft")),
            ("is_favourite", json!(false)),
            ("sort", json!("position")),
        ];
        for (field, other) in others {
            let mut body = onward.clone();
            body[field] = other;
            assert_eq!(
                call(help_mocks(), "/help-articles/list", body).await.status,
                422,
                "{field}"
            );
        }
    }

    #[actix_web::test]
    async fn without_filters_all_articles_are_listed_most_recently_updated_first() {
        let nulls = json!({
            "search": null, "collection_id": null, "category_id": null, "status_code": null, "is_favourite": null, "sort": null,
            "cursor": null,
        });
        for body in [json!({}), nulls] {
            let mocks = paging(ArticleFilter::default(), ArticleSort::Updated, first(25), None);
            assert_eq!(call(mocks, "/help-articles/list", body).await.status, 200);
        }
    }

    #[actix_web::test]
    async fn every_order_has_its_name() {
        let orders = [
            ("updated", ArticleSort::Updated),
            ("newest", ArticleSort::Newest),
            ("oldest", ArticleSort::Oldest),
            ("title", ArticleSort::Title),
            ("position", ArticleSort::Position),
        ];
        for (name, sort) in orders {
            let end = ByArticle::of(&bare(), sort);
            let mocks = paging(ArticleFilter::default(), sort, first(25), Some(end.clone()));
            let reply = call(mocks, "/help-articles/list", json!({"sort": name})).await;
            let body = json!({"sort": name, "cursor": cursor(&reply.body)});
            let second = PageRequest { after: Some(end), limit: Limit::DEFAULT };
            let reply = call(
                paging(ArticleFilter::default(), sort, second, None),
                "/help-articles/list",
                body,
            )
            .await;
            assert_eq!(reply.status, 200, "{name}");
        }
    }

    #[actix_web::test]
    async fn every_fault_of_a_list_is_told_at_once() {
        let body = json!({
            "cursor": "", "limit": null, "sort": "best", "is_favourite": 0, "status_code": "scheduled", "category_id": 7,
            "collection_id": "x", "search": "",
        });
        assert_eq!(
            call(help_mocks(), "/help-articles/list", body).await.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"string_too_short","loc":["body","search"],"#,
                    r#""msg":"String should have at least 1 character","input":""},"#,
                    r#"{"type":"uuid_parsing","loc":["body","collection_id"],"msg":"Input should be a valid UUID","input":"x"},"#,
                    r#"{"type":"uuid_type","loc":["body","category_id"],"msg":"UUID input should be a string","input":7},"#,
                    r#"{"type":"literal_error","loc":["body","status_code"],"#,
                    r#""msg":"Input should be 'draft' or 'published'","input":"scheduled"},"#,
                    r#"{"type":"bool_type","loc":["body","is_favourite"],"msg":"Input should be a valid boolean","input":0},"#,
                    r#"{"type":"literal_error","loc":["body","sort"],"#,
                    r#""msg":"Input should be 'updated', 'newest', 'oldest', 'title' or 'position'","input":"best"},"#,
                    r#"{"type":"int_type","loc":["body","limit"],"msg":"Input should be a valid integer","input":null},"#,
                    r#"{"type":"value_error","loc":["body","cursor"],"#,
                    r#""msg":"Value error, not a cursor of this list","input":""}]}"#
                )
            )
        );
    }

    #[actix_web::test]
    async fn an_article_is_retrieved_with_its_content() {
        let mut mocks = help_mocks();
        let asked = (ORGANIZATION, HelpArticleId::from(Uuid::from_u128(1)));
        mocks.help_articles.expect_find().withf(move |of, id| (*of, *id) == asked).returning(
            |_, _| Ok(Some(ArticleDetails { summary: filed(), content: "<p>Hi</p>".to_owned() })),
        );
        let reply =
            call(mocks, "/help-articles/retrieve", json!({"article_id": Uuid::from_u128(1)})).await;
        assert_eq!(
            reply.shown(),
            (200, &*format!(r#"{FILED},"content":"<p>Hi</p>",{FILED_REST}"#))
        );
    }

    #[actix_web::test]
    async fn an_unknown_article_is_not_found() {
        let mut mocks = help_mocks();
        mocks.help_articles.expect_find().returning(|_, _| Ok(None));
        let reply =
            call(mocks, "/help-articles/retrieve", json!({"article_id": Uuid::nil()})).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"help article not found"}}"#));
    }

    fn creating(case: ArticleCase) -> Mocks {
        let mut mocks = help_mocks();
        mocks.help_articles.expect_article_case().returning(move |_, _, _| Ok(case.clone()));
        mocks
    }

    fn found(related: impl IntoIterator<Item = u128>) -> ArticleCase {
        ArticleCase { parent_found: true, related_found: related.into_iter().map(id).collect() }
    }

    /// Creates an article; what is made must be as `expected` says.
    async fn made(body: Value, expected: impl FnOnce(HelpArticle) -> HelpArticle) {
        let expected = expected(HelpArticle {
            id: FRESH.parse::<Uuid>().unwrap().into(),
            title: "Getting started".to_owned(),
            content: String::new(),
            slug: Slug::parse("getting-started").unwrap(),
            excerpt: None,
            status: ArticleStatus::Draft,
            show_on_portal: true,
            is_favourite: false,
            parent: ArticleParent::Category(id(3)),
            seq_number: Position::START,
            author_id: None,
            published_at: None,
            related_article_ids: vec![],
            view_count: 0,
            helpful_count: 0,
            not_helpful_count: 0,
            is_active: true,
            created_at: time("2026-03-01T09:30:00Z"),
            updated_at: time("2026-03-01T09:30:00Z"),
        });
        let mut mocks = creating(found([8, 9]));
        mocks
            .help_articles
            .expect_insert()
            .once()
            .withf(move |of, article, receipt| {
                let article = article.clone().at(Position::START);
                (*of, &article, receipt) == (ORGANIZATION, &expected, &None)
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        let reply = call(mocks, "/help-articles/create", body).await;
        assert_eq!(reply.shown(), (200, r#"{"id":"00000000-0000-0000-0000-000000000f0f"}"#));
    }

    #[actix_web::test]
    async fn a_parent_and_a_title_are_enough_for_a_draft() {
        let category_id = Uuid::from_u128(3);
        let nulls = json!({
            "category_id": category_id, "collection_id": null, "title": "Getting started", "content": null, "slug": null,
            "excerpt": null, "status_code": null, "show_on_portal": null, "published_at": null, "related_article_ids": null,
            "is_favourite": null,
        });
        for body in [json!({"category_id": category_id, "title": "Getting started"}), nulls] {
            made(body, |draft| draft).await;
        }
        let body = json!({"category_id": null, "collection_id": Uuid::from_u128(2), "title": "Getting started"});
        made(body, |draft| HelpArticle { parent: ArticleParent::Collection(id(2)), ..draft }).await;
    }

    #[actix_web::test]
    async fn an_article_is_made_of_all_its_fields() {
        let body = json!({
            "category_id": Uuid::from_u128(3),
            "title": "Getting started",
            "content": "<p>Hi</p>",
            "slug": "Start",
            "excerpt": "In short",
            "status_code": "published",
            "show_on_portal": false,
            "published_at": "2026-02-01",
            "related_article_ids": ([9, 8, 9].map(Uuid::from_u128)),
            "is_favourite": true,
        });
        made(body, |draft| HelpArticle {
            content: "<p>Hi</p>".to_owned(),
            slug: Slug::parse("Start").unwrap(),
            excerpt: Some("In short".to_owned()),
            status: ArticleStatus::Published,
            show_on_portal: false,
            published_at: Some(time("2026-02-01")),
            related_article_ids: vec![id(9), id(8)],
            is_favourite: true,
            ..draft
        })
        .await;
    }

    #[actix_web::test]
    async fn an_article_that_cannot_be_made_says_why() {
        let refused =
            async |body: Value, case| call(creating(case), "/help-articles/create", body).await;
        let category = json!({"category_id": Uuid::from_u128(3), "title": "a", "related_article_ids": ([8, 9].map(Uuid::from_u128))});
        let nothing = || ArticleCase { parent_found: false, ..found([]) };
        let reply = refused(category.clone(), nothing()).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"help category not found"}}"#));
        let reply =
            refused(json!({"collection_id": Uuid::from_u128(2), "title": "a"}), nothing()).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"help collection not found"}}"#));
        let reply = refused(category, found([8])).await;
        let error =
            "related article 00000000-0000-0000-0000-000000000009 not found in this organization";
        assert_eq!(reply.shown(), (400, &*json!({"detail": {"error": error}}).to_string()));
    }

    #[actix_web::test]
    async fn both_parents_or_neither_is_422() {
        let missing = r#"{"detail":[{"type":"missing","loc":["body","category_id"],"msg":"Field required","input":null}]}"#;
        for body in [
            json!({"title": "a"}),
            json!({"title": "a", "category_id": null, "collection_id": null}),
        ] {
            assert_eq!(
                call(help_mocks(), "/help-articles/create", body).await.shown(),
                (422, missing)
            );
        }
        let exclusive = concat!(
            r#"{"type":"value_error","loc":["body","collection_id"],"#,
            r#""msg":"Value error, category_id and collection_id exclude each other","#,
            r#""input":"00000000-0000-0000-0000-000000000000"}"#
        );
        let body = json!({"title": "a", "category_id": Uuid::nil(), "collection_id": Uuid::nil()});
        let reply = call(help_mocks(), "/help-articles/create", body).await;
        assert_eq!(reply.shown(), (422, &*format!(r#"{{"detail":[{exclusive}]}}"#)));
        let faulty = r#"{"type":"uuid_type","loc":["body","category_id"],"msg":"UUID input should be a string","input":5}"#;
        let body = json!({"title": "a", "category_id": 5, "collection_id": Uuid::nil()});
        let reply = call(help_mocks(), "/help-articles/create", body).await;
        assert_eq!(reply.shown(), (422, &*format!(r#"{{"detail":[{faulty},{exclusive}]}}"#)));
        let faulty = r#"{"type":"uuid_parsing","loc":["body","collection_id"],"msg":"Input should be a valid UUID","input":"x"}"#;
        let body = json!({"title": "a", "collection_id": "x"});
        let reply = call(help_mocks(), "/help-articles/create", body).await;
        assert_eq!(reply.shown(), (422, &*format!(r#"{{"detail":[{faulty}]}}"#)));
    }

    #[actix_web::test]
    async fn every_fault_of_a_new_article_is_told_at_once() {
        let body = json!({
            "is_favourite": 1, "related_article_ids": [Uuid::nil(), "x"], "published_at": "soon", "show_on_portal": "no",
            "status_code": "scheduled", "excerpt": "é".repeat(513), "slug": ".", "content": {}, "title": 5,
        });
        let expected = [
            r#"{"type":"missing","loc":["body","category_id"],"msg":"Field required","input":null}"#,
            r#"{"type":"string_type","loc":["body","title"],"msg":"Input should be a valid string","input":5}"#,
            r#"{"type":"string_type","loc":["body","content"],"msg":"Input should be a valid string","input":{}}"#,
            concat!(
                r#"{"type":"string_pattern_mismatch","loc":["body","slug"],"#,
                r#""msg":"String should match pattern '^(?!\\.{1,2}$)[A-Za-z0-9_.~-]+$'","input":"."}"#
            ),
            &format!(
                concat!(
                    r#"{{"type":"string_too_long","loc":["body","excerpt"],"#,
                    r#""msg":"String should have at most 512 characters","input":"{}"}}"#
                ),
                "é".repeat(513)
            ),
            concat!(
                r#"{"type":"literal_error","loc":["body","status_code"],"#,
                r#""msg":"Input should be 'draft' or 'published'","input":"scheduled"}"#
            ),
            r#"{"type":"bool_type","loc":["body","show_on_portal"],"msg":"Input should be a valid boolean","input":"no"}"#,
            concat!(
                r#"{"type":"datetime_parsing","loc":["body","published_at"],"#,
                r#""msg":"Input should be a valid datetime as in RFC 3339","input":"soon"}"#
            ),
            concat!(
                r#"{"type":"uuid_parsing","loc":["body","related_article_ids",1],"#,
                r#""msg":"Input should be a valid UUID","input":"x"}"#
            ),
            r#"{"type":"bool_type","loc":["body","is_favourite"],"msg":"Input should be a valid boolean","input":1}"#,
        ];
        let reply = call(help_mocks(), "/help-articles/create", body).await;
        assert_eq!(reply.shown(), (422, &*format!(r#"{{"detail":[{}]}}"#, expected.join(","))));
    }
}
