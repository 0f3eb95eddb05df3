//! Help articles as lists show them, with what stands in other tables.

use crate::error::BadRow;
use crate::rows::{Id, Origin};
use crate::schema::{
    help_article_relations, help_articles, help_categories as categories,
    help_collections as collections,
};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::help_article::{ArticleSummary, HelpArticle};
use hearback_domain::help_category::CategoryReference;
use hearback_domain::help_collection::CollectionReference;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use hearback_domain::{ClosedSet, Time};
use std::borrow::Cow;

/// A row with what lists show of other tables.
pub(crate) struct FiledArticle {
    row: HelpArticleRow<'static>,
    collection: CollectionRow,
    category: Option<CategoryRow>,
    related_article_ids: Vec<Id>,
}

#[derive(Queryable)]
pub(crate) struct CollectionRow {
    id: Id,
    name: String,
    slug: String,
}

#[derive(Queryable)]
pub(crate) struct CategoryRow {
    id: Id,
    name: String,
    slug: String,
    collection_id: Id,
}

impl TryFrom<CollectionRow> for CollectionReference {
    type Error = BadRow;

    fn try_from(row: CollectionRow) -> Result<Self, BadRow> {
        let origin = Origin::new("help_collections", row.id);
        Ok(Self { id: row.id.to(), name: row.name, slug: origin.slug(&row.slug)? })
    }
}

impl TryFrom<CategoryRow> for CategoryReference {
    type Error = BadRow;

    fn try_from(row: CategoryRow) -> Result<Self, BadRow> {
        let origin = Origin::new("help_categories", row.id);
        Ok(Self {
            id: row.id.to(),
            name: row.name,
            slug: origin.slug(&row.slug)?,
            collection_id: row.collection_id.to(),
        })
    }
}

impl TryFrom<FiledArticle> for ArticleSummary {
    type Error = BadRow;

    fn try_from(
        FiledArticle { row, collection, category, related_article_ids }: FiledArticle,
    ) -> Result<Self, BadRow> {
        let origin = Origin::new("help_articles", row.id);
        Ok(Self {
            id: row.id.to(),
            title: row.title.into_owned(),
            slug: origin.slug(&row.slug)?,
            excerpt: row.excerpt.map(Cow::into_owned),
            status: origin.code("status_code", &row.status_code)?,
            show_on_portal: row.show_on_portal,
            collection: collection.try_into()?,
            category: category.map(CategoryReference::try_from).transpose()?,
            is_favourite: row.is_favourite,
            seq_number: Position::from_ten_thousandths(row.seq_number),
            published_at: origin.optional_time("published_at", row.published_at)?,
            related_article_ids: related_article_ids.into_iter().map(Id::to).collect(),
            author_id: row.author_id.map(Id::to),
            view_count: row.view_count,
            helpful_count: row.helpful_count,
            not_helpful_count: row.not_helpful_count,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}

/// All of an article but its body, which is long, and read only where it is shown.
#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = help_articles,
    check_for_backend(Sqlite),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct HelpArticleRow<'a> {
    pub(crate) id: Id,
    pub(crate) title: Cow<'a, str>,
    pub(crate) slug: Cow<'a, str>,
    pub(crate) excerpt: Option<Cow<'a, str>>,
    pub(crate) status_code: Cow<'a, str>,
    pub(crate) show_on_portal: bool,
    pub(crate) is_favourite: bool,
    pub(crate) collection_id: Option<Id>,
    pub(crate) category_id: Option<Id>,
    pub(crate) seq_number: i64,
    pub(crate) author_id: Option<Id>,
    pub(crate) published_at: Option<i64>,
    #[diesel(skip_update)]
    pub(crate) view_count: i64,
    #[diesel(skip_update)]
    pub(crate) helpful_count: i64,
    #[diesel(skip_update)]
    pub(crate) not_helpful_count: i64,
    pub(crate) is_active: bool,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

impl<'a> From<&'a HelpArticle> for HelpArticleRow<'a> {
    fn from(article: &'a HelpArticle) -> Self {
        Self {
            id: Id::of(article.id),
            title: Cow::from(&article.title),
            slug: Cow::from(article.slug.as_str()),
            excerpt: article.excerpt.as_deref().map(Cow::from),
            status_code: Cow::from(article.status.code()),
            show_on_portal: article.show_on_portal,
            is_favourite: article.is_favourite,
            collection_id: article.parent.collection().map(Id::of),
            category_id: article.parent.category().map(Id::of),
            seq_number: article.seq_number.ten_thousandths(),
            author_id: article.author_id.map(Id::of),
            published_at: article.published_at.map(Time::unix_millis),
            view_count: article.view_count,
            helpful_count: article.helpful_count,
            not_helpful_count: article.not_helpful_count,
            is_active: article.is_active,
            created_at: article.created_at.unix_millis(),
            updated_at: article.updated_at.unix_millis(),
        }
    }
}

/// An article with where it is filed and what it refers to.
pub(crate) fn filed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    row: HelpArticleRow<'static>,
) -> QueryResult<FiledArticle> {
    // A few look-ups for each article, whose statements are prepared once. Joined, the planner
    // might begin with the collections.
    let category = match row.category_id {
        Some(category) => Some(
            categories::table
                .filter(categories::organization_id.eq(Id::of(organization)))
                .filter(categories::id.eq(category))
                .select((
                    categories::id,
                    categories::name,
                    categories::slug,
                    categories::collection_id,
                ))
                .first::<CategoryRow>(connection)?,
        ),
        None => None,
    };
    let collection = collections::table
        .filter(collections::organization_id.eq(Id::of(organization)))
        .filter(
            collections::id
                .nullable()
                .eq(category.as_ref().map(|category| category.collection_id).or(row.collection_id)),
        )
        .select((collections::id, collections::name, collections::slug))
        .first(connection)?;
    let related_article_ids = help_article_relations::table
        .filter(help_article_relations::organization_id.eq(Id::of(organization)))
        .filter(help_article_relations::help_article_id.eq(row.id))
        .order(help_article_relations::place)
        .select(help_article_relations::related_article_id)
        .load(connection)?;
    Ok(FiledArticle { row, collection, category, related_article_ids })
}
