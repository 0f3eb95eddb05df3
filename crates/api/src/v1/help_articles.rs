//! `/help-articles/…`

use crate::answer::{ArticleStatusCode, SeqNumber, Timestamp, as_uuids};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{
    Fields, Noted, Rank, boolean, bounded, one_of, query, rank, slug, string, timestamp, uuid,
};
use crate::page::{List, Paging};
use hearback_app::help_articles::ArticleFeedback;
use hearback_app::reorder::{Order, reorder};
use hearback_app::write::Update;
use hearback_app::{Missing, Precondition, crud, help_articles};
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{
    ArticleDetails, ArticleDraft, ArticleFilter, ArticleParent, ArticlePatch, ArticleSort,
    ArticleStatus, ArticleSummary, HelpArticle,
};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::help_category::CategoryReference;
use hearback_domain::help_collection::CollectionReference;
use hearback_domain::id::HelpArticleId;
use hearback_domain::record::{Kind, Parent};
use hearback_domain::text::Content;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::{ByArticle, ByVersion};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/help-articles/search",
        "Search the help articles",
        handler!(page<HitView>: searched => |ports, caller, filter, page| {
            help_articles::list(ports, caller, filter, FOUND, page)
        }),
    ),
    read(
        "/help-articles/list",
        "List the help articles",
        handler!(page<ListedView>: filtered => |ports, caller, (filter, sort), page| {
            help_articles::list(ports, caller, filter, sort, page)
        }),
    ),
    read(
        "/help-articles/retrieve",
        "Retrieve a help article",
        handler!(object<ArticleView>: id => help_articles::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::HelpArticle))]),
    write(
        "/help-articles/create",
        "Create a help article at the end of exactly one of a category and a collection",
        handler!(created: draft => crud::create),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::HelpCategory)),
        NotFound(Missing::Record(Kind::HelpCollection)),
        NotFound(Missing::Record(Kind::User)),
        Refused(Precondition::UnknownRelatedArticle(HelpArticleId(Uuid::nil()))),
    ]),
    write(
        "/help-articles/update",
        "Change a help article, or move it to another category or collection",
        handler!(success: patch => crud::update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::HelpArticle)),
        NotFound(Missing::Record(Kind::HelpCategory)),
        NotFound(Missing::Record(Kind::HelpCollection)),
        NotFound(Missing::Record(Kind::User)),
        Refused(Precondition::Changed),
        Refused(Precondition::UnknownRelatedArticle(HelpArticleId(Uuid::nil()))),
        Refused(Precondition::SlugTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
    write(
        "/help-articles/publish",
        "Publish a help article",
        handler!(success: id => help_articles::publish),
    )
    .refusing(&[NotFound(Missing::Record(Kind::HelpArticle))]),
    write(
        "/help-articles/unpublish",
        "Make a draft of a help article",
        handler!(success: id => help_articles::unpublish),
    )
    .refusing(&[NotFound(Missing::Record(Kind::HelpArticle))]),
    write(
        "/help-articles/delete",
        "Delete a help article",
        handler!(success: id => crud::delete::<HelpArticle>),
    )
    .refusing(&[NotFound(Missing::Record(Kind::HelpArticle))]),
    write(
        "/help-articles/restore",
        "Restore a deleted help article",
        handler!(success: id => help_articles::restore),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::HelpArticle)),
        Refused(Precondition::ArticleNotRestored),
    ]),
    read(
        "/help-articles/versions",
        "List the versions of a help article",
        handler!(page<VersionView>: of_article => |ports, caller, id, page| {
            help_articles::versions(ports, caller, id, page)
        }),
    )
    .refusing(&[NotFound(Missing::Record(Kind::HelpArticle))]),
    write(
        "/help-articles/restore-version",
        "Restore the title and content of an older version",
        handler!(success: version => help_articles::restore_version),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::HelpArticle)),
        NotFound(Missing::Record(Kind::HelpArticleVersion)),
    ]),
    write(
        "/help-articles/feedback",
        "Count whether a help article was helpful",
        handler!(success: answer => help_articles::feedback),
    )
    .refusing(&[NotFound(Missing::Record(Kind::HelpArticle))]),
    write(
        "/help-articles/reorder",
        "Put the articles of a category or collection in another order",
        handler!(success: order => reorder::<HelpArticle>),
    )
    .refusing(&[Refused(Precondition::NotEveryOne)]),
];

/// The order of a search. The contract says: "Ordered by most recently updated."
const FOUND: ArticleSort = ArticleSort::Updated;

fn searched(fields: &mut Fields<'_>) -> Result<(ArticleFilter, Paging<ByArticle>), Noted> {
    let query = fields.required("query", query);
    let published_only = fields.optional("published_only", boolean);
    let filter = query.and_then(|query| {
        let filter = ArticleFilter { search: Some(query), ..ArticleFilter::default() };
        Ok(if published_only?.unwrap_or(false) { filter.public() } else { filter })
    });
    let list = fields.list(FOUND.code());
    let paging =
        fields.paging(filter.as_ref().map_err(|noted| *noted).map(|filter| narrowed(list, filter)));
    Ok((filter?, paging?))
}

fn filtered(
    fields: &mut Fields<'_>,
) -> Result<((ArticleFilter, ArticleSort), Paging<ByArticle>), Noted> {
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
            ids: None,
        })
    });
    let list = sort.and_then(|sort| {
        let filter = filter.as_ref().map_err(|noted| *noted)?;
        Ok(narrowed(fields.list(sort.code()), filter))
    });
    let paging = fields.paging(list);
    Ok(((filter?, sort?), paging?))
}

/// Adds the filters of articles to a list.
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

fn of_article(fields: &mut Fields<'_>) -> Result<(HelpArticleId, Paging<ByVersion>), Noted> {
    let id = id(fields);
    let list = id.map(|id| fields.list("newest").filter(Some(id.0)));
    let paging = fields.paging(list);
    Ok((id?, paging?))
}

fn version(fields: &mut Fields<'_>) -> Result<(HelpArticleId, i64), Noted> {
    let id = id(fields);
    let Rank(version) = fields.required("version", rank)?;
    Ok((id?, version))
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
    let author_id = fields.optional("author_id", uuid);
    let external_id = fields.optional("external_id", bounded);
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
        author_id: author_id?.map(Into::into),
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<Update<HelpArticleId, ArticlePatch>, Noted> {
    let id = id(fields);
    fields.at_most_one_of(&["category_id", "collection_id"]);
    let (category_id, collection_id) = places(fields);
    let title = fields.optional("title", bounded);
    let content = fields.optional("content", string);
    let slug = fields.optional("slug", slug);
    let excerpt = fields.clearable("excerpt", bounded);
    let show_on_portal = fields.optional("show_on_portal", boolean);
    let published_at = fields.optional("published_at", timestamp);
    let related_article_ids = fields.some_ids("related_article_ids");
    let is_favourite = fields.optional("is_favourite", boolean);
    let author_id = fields.clearable("author_id", uuid);
    let external_id = fields.clearable("external_id", bounded);
    let expected_updated_at = fields.optional("expected_updated_at", timestamp);
    let cleared = fields.clear();
    let patch = ArticlePatch {
        parent: ArticleParent::new(collection_id?.map(Into::into), category_id?.map(Into::into)),
        title: title?,
        content: content?,
        slug: slug?,
        excerpt: excerpt?,
        show_on_portal: show_on_portal?,
        is_favourite: is_favourite?,
        published_at: published_at?,
        related_article_ids: related_article_ids?,
        author_id: author_id?.map(Into::into),
        external_id: external_id?,
    };
    cleared?;
    Ok(Update { id: id?, patch, expected_updated_at: expected_updated_at? })
}

fn answer(fields: &mut Fields<'_>) -> Result<ArticleFeedback, Noted> {
    let id = id(fields);
    let is_helpful = fields.required("is_helpful", boolean);
    let comment: Result<Option<Content>, Noted> = fields.optional("comment", bounded);
    let comment = comment.map(|comment| comment.map(String::from));
    Ok(ArticleFeedback { id: id?, is_helpful: is_helpful?, comment: comment? })
}

fn order(fields: &mut Fields<'_>) -> Result<Order, Noted> {
    let parent = parent(fields);
    let ids = fields.order();
    let parent = match parent? {
        ArticleParent::Collection(id) => Parent::Record(Kind::HelpCollection, id.0),
        ArticleParent::Category(id) => Parent::Record(Kind::HelpCategory, id.0),
    };
    Ok(Order { parent, ids: ids? })
}

/// The parent of an article. The contract says of a new one: "Exactly one of `category_id` and
/// `collection_id`."
fn parent(fields: &mut Fields<'_>) -> Result<ArticleParent, Noted> {
    fields.exactly_one_of(&["category_id", "collection_id"]);
    let (category_id, collection_id) = places(fields);
    ArticleParent::new(collection_id?.map(Into::into), category_id?.map(Into::into))
        .ok_or_else(|| fields.fault("category_id", Wrong::Missing))
}

type Place = Result<Option<Uuid>, Noted>;

/// `category_id` and `collection_id`, which exclude each other.
fn places(fields: &mut Fields<'_>) -> (Place, Place) {
    let category_id = fields.optional("category_id", uuid);
    let collection_id = fields.optional("collection_id", |value| match uuid(value)? {
        _ if !matches!(category_id, Ok(None)) => {
            Err(Wrong::Rule("category_id and collection_id exclude each other"))
        }
        id => Ok(id),
    });
    (category_id, collection_id)
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
    external_id: Option<&'a str>,
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

#[derive(Serialize, ToSchema)]
#[schema(as = HelpArticleVersion)]
pub(crate) struct VersionView<'a> {
    version: i64,
    author_id: Option<Uuid>,
    created_at: Timestamp,
    title: &'a str,
    content: &'a str,
}

impl<'a> From<&'a HelpArticleVersion> for VersionView<'a> {
    fn from(version: &'a HelpArticleVersion) -> Self {
        Self {
            version: version.version,
            author_id: version.author_id.map(Uuid::from),
            created_at: version.created_at.into(),
            title: &version.title,
            content: &version.content,
        }
    }
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
            external_id: article.external_id.as_deref(),
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
