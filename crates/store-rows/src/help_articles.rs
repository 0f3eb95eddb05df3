//! Help articles, with the columns of other tables that lists show.

use crate::column::{BadRow, Column, Origin};
use crate::schema::{
    help_articles, help_categories as categories, help_collections as collections,
};
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::help_article::{
    ArticleLink, ArticleParent, ArticleSort, ArticleStatus, ArticleSummary, HelpArticle,
};
use hearback_domain::help_category::CategoryReference;
use hearback_domain::help_collection::CollectionReference;
use hearback_domain::position::Position;
use hearback_domain::slug::Slug;
use hearback_ports::page::{ArticlePlace, ByArticle};
use std::borrow::Cow;

/// The columns of an article except its body. A body is long and is read only if it is shown.
#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = help_articles,
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
#[expect(missing_docs, reason = "a field has the name of its column")]
pub struct HelpArticleRow<'a> {
    pub id: Id,
    pub title: Cow<'a, str>,
    pub slug: Cow<'a, str>,
    pub excerpt: Option<Cow<'a, str>>,
    pub status_code: Cow<'a, str>,
    pub show_on_portal: bool,
    pub is_favourite: bool,
    pub collection_id: Option<Id>,
    pub category_id: Option<Id>,
    pub seq_number: i64,
    pub author_id: Option<Id>,
    pub published_at: Option<Stamp>,
    #[diesel(skip_update)]
    pub view_count: i64,
    #[diesel(skip_update)]
    pub helpful_count: i64,
    #[diesel(skip_update)]
    pub not_helpful_count: i64,
    pub external_id: Option<Cow<'a, str>>,
    pub version: i64,
    pub versioned_at: Stamp,
    pub is_active: bool,
    pub created_at: Stamp,
    pub updated_at: Stamp,
}

impl<'a> From<&'a HelpArticle> for HelpArticleRow<'a> {
    fn from(article: &'a HelpArticle) -> Self {
        Self {
            id: Id::of(article.id),
            title: Cow::from(&article.title),
            slug: Slug::hold(&article.slug),
            excerpt: Option::<String>::hold(&article.excerpt),
            status_code: ArticleStatus::hold(&article.status),
            show_on_portal: article.show_on_portal,
            is_favourite: article.is_favourite,
            collection_id: article.parent.collection().map(Id::of),
            category_id: article.parent.category().map(Id::of),
            seq_number: article.seq_number.ten_thousandths(),
            author_id: article.author_id.map(Id::of),
            published_at: article.published_at.map(Stamp::of),
            view_count: article.view_count,
            helpful_count: article.helpful_count,
            not_helpful_count: article.not_helpful_count,
            external_id: Option::<String>::hold(&article.external_id),
            version: article.version,
            versioned_at: Stamp::of(article.versioned_at),
            is_active: article.is_active,
            created_at: Stamp::of(article.created_at),
            updated_at: Stamp::of(article.updated_at),
        }
    }
}

/// A row with its body and its related articles.
#[derive(Queryable)]
#[expect(missing_docs, reason = "a field has the name of the value that it holds")]
pub struct StoredArticle {
    pub row: HelpArticleRow<'static>,
    pub content: String,
    pub related_article_ids: Vec<Id>,
}

impl TryFrom<StoredArticle> for HelpArticle {
    type Error = BadRow;

    fn try_from(stored: StoredArticle) -> Result<Self, BadRow> {
        let StoredArticle { row, content, related_article_ids } = stored;
        let origin = Origin::new("help_articles", row.id);
        let parent = ArticleParent::new(row.collection_id.map(Id::to), row.category_id.map(Id::to));
        Ok(Self {
            id: row.id.to(),
            title: row.title.into_owned(),
            content,
            slug: origin.read::<Slug>("slug", row.slug)?,
            excerpt: row.excerpt.map(Cow::into_owned),
            status: origin.read::<ArticleStatus>("status_code", row.status_code)?,
            show_on_portal: row.show_on_portal,
            is_favourite: row.is_favourite,
            parent: parent.ok_or_else(|| origin.bad("category_id"))?,
            seq_number: Position::from_ten_thousandths(row.seq_number),
            author_id: row.author_id.map(Id::to),
            published_at: origin.read::<Option<Time>>("published_at", row.published_at)?,
            related_article_ids: related_article_ids.into_iter().map(Id::to).collect(),
            view_count: row.view_count,
            helpful_count: row.helpful_count,
            not_helpful_count: row.not_helpful_count,
            external_id: row.external_id.map(Cow::into_owned),
            version: row.version,
            versioned_at: origin.read::<Time>("versioned_at", row.versioned_at)?,
            is_active: row.is_active,
            created_at: origin.read::<Time>("created_at", row.created_at)?,
            updated_at: origin.read::<Time>("updated_at", row.updated_at)?,
        })
    }
}

/// The columns of a collection that lists show.
#[derive(Queryable, Selectable)]
#[diesel(table_name = collections)]
pub struct CollectionRow {
    id: Id,
    name: String,
    slug: String,
}

impl TryFrom<CollectionRow> for CollectionReference {
    type Error = BadRow;

    fn try_from(row: CollectionRow) -> Result<Self, BadRow> {
        let slug = Origin::new("help_collections", row.id).read::<Slug>("slug", row.slug.into())?;
        Ok(Self { id: row.id.to(), name: row.name, slug })
    }
}

/// The columns of a category that lists show.
#[derive(Queryable, Selectable)]
#[diesel(table_name = categories)]
pub struct CategoryRow {
    id: Id,
    name: String,
    slug: String,
    /// The collection that the category is in.
    pub collection_id: Id,
}

impl TryFrom<CategoryRow> for CategoryReference {
    type Error = BadRow;

    fn try_from(row: CategoryRow) -> Result<Self, BadRow> {
        let slug = Origin::new("help_categories", row.id).read::<Slug>("slug", row.slug.into())?;
        Ok(Self { id: row.id.to(), name: row.name, slug, collection_id: row.collection_id.to() })
    }
}

/// A row with its collection, or with its category and the category's collection.
#[derive(Queryable)]
#[expect(missing_docs, reason = "a field has the name of the value that it holds")]
pub struct FiledArticle {
    pub row: HelpArticleRow<'static>,
    pub collection: Option<CollectionRow>,
    pub category: Option<CategoryRow>,
    pub over_category: Option<CollectionRow>,
    pub related_article_ids: Vec<Id>,
}

/// The link of an article by its identifier, title and slug.
pub fn article_link((id, title, slug): (Id, String, String)) -> Result<ArticleLink, BadRow> {
    let slug = Origin::new("help_articles", id).read::<Slug>("slug", slug.into())?;
    Ok(ArticleLink { title, slug })
}

impl TryFrom<FiledArticle> for ArticleSummary {
    type Error = BadRow;

    fn try_from(article: FiledArticle) -> Result<Self, BadRow> {
        let FiledArticle { row, collection, category, over_category, related_article_ids } =
            article;
        let origin = Origin::new("help_articles", row.id);
        let collection = collection.or(over_category).ok_or_else(|| origin.bad("collection_id"))?;
        Ok(Self {
            id: row.id.to(),
            title: row.title.into_owned(),
            slug: origin.read::<Slug>("slug", row.slug)?,
            excerpt: row.excerpt.map(Cow::into_owned),
            status: origin.read::<ArticleStatus>("status_code", row.status_code)?,
            show_on_portal: row.show_on_portal,
            collection: collection.try_into()?,
            category: category.map(CategoryReference::try_from).transpose()?,
            is_favourite: row.is_favourite,
            seq_number: Position::from_ten_thousandths(row.seq_number),
            published_at: origin.read::<Option<Time>>("published_at", row.published_at)?,
            related_article_ids: related_article_ids.into_iter().map(Id::to).collect(),
            author_id: row.author_id.map(Id::to),
            view_count: row.view_count,
            helpful_count: row.helpful_count,
            not_helpful_count: row.not_helpful_count,
            external_id: row.external_id.map(Cow::into_owned),
            created_at: origin.read::<Time>("created_at", row.created_at)?,
            updated_at: origin.read::<Time>("updated_at", row.updated_at)?,
        })
    }
}

/// The place of an article in an order: the value of the column that the order sorts by, and the
/// article's identifier.
#[expect(missing_docs, reason = "a variant has the name of its order")]
pub enum ArticleKey {
    Updated(Stamp, Id),
    Newest(Stamp, Id),
    Oldest(Stamp, Id),
    Title(String, Id),
    Position(i64, Id),
}

impl ArticleKey {
    /// The key of a place. Returns `None` if the place belongs to another order.
    pub fn new(sort: ArticleSort, article: &ByArticle) -> Option<Self> {
        let id = Id(article.id);
        match (sort, &article.place) {
            (ArticleSort::Updated, ArticlePlace::Time(at)) => {
                Some(Self::Updated(Stamp::of(*at), id))
            }
            (ArticleSort::Newest, ArticlePlace::Time(at)) => Some(Self::Newest(Stamp::of(*at), id)),
            (ArticleSort::Oldest, ArticlePlace::Time(at)) => Some(Self::Oldest(Stamp::of(*at), id)),
            (ArticleSort::Title, ArticlePlace::Title(title)) => {
                Some(Self::Title(title.clone(), id))
            }
            (ArticleSort::Position, ArticlePlace::Position(place)) => {
                Some(Self::Position(place.ten_thousandths(), id))
            }
            _ => None,
        }
    }
}

/// Evaluates `$body` for an order: `$column` is the column that the order sorts by, and `$key` is
/// the constructor of its [`ArticleKey`]. The caller imports [`ArticleSort`].
#[macro_export]
macro_rules! of_article_key {
    ($sort:expr, |$column:ident, $key:ident| $body:block) => {
        $crate::of_article_key!(@each $sort, $column, $key, $body, {
            Updated = updated_at,
            Newest = created_at,
            Oldest = created_at,
            Title = title,
            Position = seq_number,
        })
    };
    (@each $sort:expr, $column:ident, $key:ident, $body:block, {
        $($order:ident = $of_order:ident,)+
    }) => {
        match $sort {$(
            ArticleSort::$order => {
                use $crate::help_articles::ArticleKey::$order as $key;
                use $crate::schema::help_articles::$of_order as $column;
                $body
            }
        )+}
    };
}
