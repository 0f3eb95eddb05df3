//! Help articles as lists show them, with what stands in other tables.

use crate::error::BadRow;
use crate::rows::{Origin, timestamp};
use crate::schema::{
    help_article_relations, help_articles, help_categories as categories,
    help_collections as collections,
};
use diesel::alias;
use diesel::dsl::{AliasedFields, Nullable, auto_type};
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel::query_source::AliasedField;
use hearback_domain::help_article::{ArticleSummary, HelpArticle};
use hearback_domain::help_category::CategoryReference;
use hearback_domain::help_collection::CollectionReference;
use hearback_domain::position::Position;
use hearback_domain::{ClosedSet, Uuid};
use std::borrow::Cow;

/// A row with what lists show of other tables. Either the first collection is there, or the
/// category and the second.
#[derive(Queryable)]
pub(crate) struct FiledArticle {
    row: HelpArticleRow<'static>,
    collection: Option<CollectionRow>,
    category: Option<CategoryRow>,
    over_category: Option<CollectionRow>,
    related_article_ids: Vec<Uuid>,
}

impl FiledArticle {
    pub(crate) fn id(&self) -> Uuid {
        self.row.id
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = collections, check_for_backend(Pg))]
pub(crate) struct CollectionRow {
    id: Uuid,
    name: String,
    slug: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = categories, check_for_backend(Pg))]
pub(crate) struct CategoryRow {
    id: Uuid,
    name: String,
    slug: String,
    collection_id: Uuid,
}

impl TryFrom<CollectionRow> for CollectionReference {
    type Error = BadRow;

    fn try_from(row: CollectionRow) -> Result<Self, BadRow> {
        let origin = Origin::new("help_collections", row.id);
        Ok(Self { id: row.id.into(), name: row.name, slug: origin.slug(&row.slug)? })
    }
}

impl TryFrom<CategoryRow> for CategoryReference {
    type Error = BadRow;

    fn try_from(row: CategoryRow) -> Result<Self, BadRow> {
        let origin = Origin::new("help_categories", row.id);
        Ok(Self {
            id: row.id.into(),
            name: row.name,
            slug: origin.slug(&row.slug)?,
            collection_id: row.collection_id.into(),
        })
    }
}

impl TryFrom<FiledArticle> for ArticleSummary {
    type Error = BadRow;

    fn try_from(article: FiledArticle) -> Result<Self, BadRow> {
        let FiledArticle { row, collection, category, over_category, related_article_ids } =
            article;
        let origin = Origin::new("help_articles", row.id);
        let collection = collection.or(over_category).ok_or_else(|| origin.bad("collection_id"))?;
        Ok(Self {
            id: row.id.into(),
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
            related_article_ids: related_article_ids.into_iter().map(Into::into).collect(),
            author_id: row.author_id.map(Into::into),
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
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct HelpArticleRow<'a> {
    pub(crate) id: Uuid,
    pub(crate) title: Cow<'a, str>,
    pub(crate) slug: Cow<'a, str>,
    pub(crate) excerpt: Option<Cow<'a, str>>,
    pub(crate) status_code: Cow<'a, str>,
    pub(crate) show_on_portal: bool,
    pub(crate) is_favourite: bool,
    pub(crate) collection_id: Option<Uuid>,
    pub(crate) category_id: Option<Uuid>,
    pub(crate) seq_number: i64,
    pub(crate) author_id: Option<Uuid>,
    pub(crate) published_at: Option<PgTimestamp>,
    #[diesel(skip_update)]
    pub(crate) view_count: i64,
    #[diesel(skip_update)]
    pub(crate) helpful_count: i64,
    #[diesel(skip_update)]
    pub(crate) not_helpful_count: i64,
    pub(crate) is_active: bool,
    pub(crate) created_at: PgTimestamp,
    pub(crate) updated_at: PgTimestamp,
}

impl<'a> From<&'a HelpArticle> for HelpArticleRow<'a> {
    fn from(article: &'a HelpArticle) -> Self {
        Self {
            id: article.id.0,
            title: Cow::from(&article.title),
            slug: Cow::from(article.slug.as_str()),
            excerpt: article.excerpt.as_deref().map(Cow::from),
            status_code: Cow::from(article.status.code()),
            show_on_portal: article.show_on_portal,
            is_favourite: article.is_favourite,
            collection_id: article.parent.collection().map(Uuid::from),
            category_id: article.parent.category().map(Uuid::from),
            seq_number: article.seq_number.ten_thousandths(),
            author_id: article.author_id.map(Uuid::from),
            published_at: article.published_at.map(timestamp),
            view_count: article.view_count,
            helpful_count: article.helpful_count,
            not_helpful_count: article.not_helpful_count,
            is_active: article.is_active,
            created_at: timestamp(article.created_at),
            updated_at: timestamp(article.updated_at),
        }
    }
}

// The collection of an article's category, beside the one that an article without a category is in:
// joined as one, whichever of the two it is, it would have no key before the category is known, and
// the planner would begin with all collections there are.
alias! {
    pub(crate) const OVER_CATEGORY: Alias<OverCategory> =
        collections as collections_over_categories;
}

#[auto_type]
pub(crate) fn its_collection() -> _ {
    collections::organization_id
        .eq(help_articles::organization_id)
        .and(collections::id.nullable().eq(help_articles::collection_id))
}

#[auto_type]
pub(crate) fn its_category() -> _ {
    categories::organization_id
        .eq(help_articles::organization_id)
        .and(categories::id.nullable().eq(help_articles::category_id))
}

#[auto_type]
pub(crate) fn collection_over_category() -> _ {
    let organization_id: AliasedField<OverCategory, collections::organization_id> =
        OVER_CATEGORY.field(collections::organization_id);
    let id: AliasedField<OverCategory, collections::id> = OVER_CATEGORY.field(collections::id);
    organization_id
        .nullable()
        .eq(categories::organization_id.nullable())
        .and(id.nullable().eq(categories::collection_id.nullable()))
}

pub(crate) fn over_category()
-> Nullable<AliasedFields<OverCategory, (collections::id, collections::name, collections::slug)>> {
    OVER_CATEGORY.fields((collections::id, collections::name, collections::slug)).nullable()
}

#[auto_type]
pub(crate) fn related_article_ids() -> _ {
    help_article_relations::table
        .filter(help_article_relations::organization_id.eq(help_articles::organization_id))
        .filter(help_article_relations::help_article_id.eq(help_articles::id))
        .order(help_article_relations::place)
        .select(help_article_relations::related_article_id)
}
