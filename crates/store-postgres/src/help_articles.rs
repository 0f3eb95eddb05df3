//! Help articles.

use crate::article_search::Articles;
use crate::error::BadRow;
use crate::readers::Walk;
use crate::rows::{Origin, ROWS, all, timestamp};
use crate::schema::{
    help_article_relations, help_articles, help_categories as categories,
    help_collections as collections,
};
use crate::stored::{Edited, Stored, finds, inserts, updates};
use crate::{PgStore, article_search};
use async_trait::async_trait;
use diesel::alias;
use diesel::dsl::{AliasedFields, Nullable, array, auto_type};
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel::query_source::AliasedField;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::help_article::{
    ArticleDetails, ArticleFilter, ArticleParent, ArticleSort, ArticleSummary, HelpArticle,
};
use hearback_domain::help_category::CategoryReference;
use hearback_domain::help_collection::CollectionReference;
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::{ByArticle, Page, PageRequest};
use hearback_ports::{HelpArticleRepository, StoreError};
use std::borrow::Cow;

#[async_trait]
impl HelpArticleRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: ArticleFilter,
        sort: ArticleSort,
        page: PageRequest<ByArticle>,
    ) -> Result<Page<ArticleSummary, ByArticle>, StoreError> {
        let limit = page.limit;
        let rows = self.article_rows(organization, &filter, sort, &page).await?;
        Ok(Page::cut(all(rows)?, limit, |article| ByArticle::of(article, sort)))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpArticleId,
    ) -> Result<Option<ArticleDetails>, StoreError> {
        let row: Option<(String, FiledArticle)> = self
            .readers
            .row("finding a help article", || {
                help_articles::table
                    .left_join(collections::table.on(its_collection()))
                    .left_join(categories::table.on(its_category()))
                    .left_join(OVER_CATEGORY.on(collection_over_category()))
                    .filter(help_articles::organization_id.eq(organization.0))
                    .filter(help_articles::id.eq(id.0))
                    .filter(help_articles::is_active)
                    .select((
                        help_articles::content,
                        (
                            HelpArticleRow::as_select(),
                            Option::<CollectionRow>::as_select(),
                            Option::<CategoryRow>::as_select(),
                            over_category(),
                            array(related_article_ids()),
                        ),
                    ))
            })
            .await?;
        let Some((content, article)) = row else { return Ok(None) };
        Ok(Some(ArticleDetails { summary: article.try_into()?, content }))
    }
}

impl PgStore {
    /// The articles of a query, in an order, with what lists show of other tables.
    pub(crate) async fn filed(
        &self,
        organization: OrganizationId,
        sort: ArticleSort,
        walk: Walk,
        query: impl Fn() -> Articles + Send + Sync,
    ) -> Result<Vec<FiledArticle>, StoreError> {
        // The articles come first and by themselves: the other tables are looked into for those of the page alone, and what is
        // there has no part in how they are found.
        let query = || {
            let found = article_search::all(organization)
                .filter(help_articles::id.eq_any(array(query().select(help_articles::id))));
            article_search::in_order(found, sort, None)
                .left_join(collections::table.on(its_collection()))
                .left_join(categories::table.on(its_category()))
                .left_join(OVER_CATEGORY.on(collection_over_category()))
                .select((
                    HelpArticleRow::as_select(),
                    Option::<CollectionRow>::as_select(),
                    Option::<CategoryRow>::as_select(),
                    over_category(),
                    array(related_article_ids()),
                ))
        };
        self.list_rows(walk, "listing help articles", query).await
    }
}

// The collection of an article's category, beside the one that an article without a category is in: joined as one, whichever of the
// two it is, it would have no key before the category is known, and the planner would begin with all collections there are.
alias! {
    const OVER_CATEGORY: Alias<OverCategory> = collections as collections_over_categories;
}

#[auto_type]
fn its_collection() -> _ {
    collections::organization_id
        .eq(help_articles::organization_id)
        .and(collections::id.nullable().eq(help_articles::collection_id))
}

#[auto_type]
fn its_category() -> _ {
    categories::organization_id
        .eq(help_articles::organization_id)
        .and(categories::id.nullable().eq(help_articles::category_id))
}

#[auto_type]
fn collection_over_category() -> _ {
    let organization_id: AliasedField<OverCategory, collections::organization_id> =
        OVER_CATEGORY.field(collections::organization_id);
    let id: AliasedField<OverCategory, collections::id> = OVER_CATEGORY.field(collections::id);
    organization_id
        .nullable()
        .eq(categories::organization_id.nullable())
        .and(id.nullable().eq(categories::collection_id.nullable()))
}

fn over_category()
-> Nullable<AliasedFields<OverCategory, (collections::id, collections::name, collections::slug)>> {
    OVER_CATEGORY.fields((collections::id, collections::name, collections::slug)).nullable()
}

#[auto_type]
fn related_article_ids() -> _ {
    help_article_relations::table
        .filter(help_article_relations::organization_id.eq(help_articles::organization_id))
        .filter(help_article_relations::help_article_id.eq(help_articles::id))
        .order(help_article_relations::place)
        .select(help_article_relations::related_article_id)
}

impl Stored for HelpArticle {
    inserts!(help_articles, |article| (
        help_articles::slug_key.eq(article.slug.key()),
        help_articles::search_text.eq(article.search_text()),
        help_articles::content.eq(&article.content),
        HelpArticleRow::from(article),
    ));
    updates!(
        help_articles,
        |article| (
            help_articles::slug_key.eq(article.after.slug.key()),
            article
                .changed(|article| article.content.clone())
                .map(|text| help_articles::content.eq(text)),
            article
                .changed(HelpArticle::search_text)
                .map(|text| help_articles::search_text.eq(text)),
            HelpArticleRow::from(article.after),
        ),
        relate_anew
    );
    finds!(
        help_articles.id,
        (HelpArticleRow::as_select(), help_articles::content, array(related_article_ids()))
            => StoredArticle,
        listed
    );

    async fn link(
        connection: &mut AsyncPgConnection,
        organization: OrganizationId,
        article: &Self,
    ) -> QueryResult<()> {
        relate(connection, organization, &[(article.id, article.related_article_ids.clone())]).await
    }
}

/// Replaces the related articles of an article, if they change.
async fn relate_anew(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    article: Edited<'_, HelpArticle>,
) -> QueryResult<()> {
    if article.before.related_article_ids == article.after.related_article_ids {
        return Ok(());
    }
    diesel::delete(help_article_relations::table)
        .filter(help_article_relations::organization_id.eq(organization.0))
        .filter(help_article_relations::help_article_id.eq(article.after.id.0))
        .execute(connection)
        .await?;
    HelpArticle::link(connection, organization, article.after).await
}

/// Writes the related articles of articles.
pub(crate) async fn relate(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[(HelpArticleId, Vec<HelpArticleId>)],
) -> QueryResult<()> {
    let relations: Vec<_> = all
        .iter()
        .flat_map(|(article, related)| {
            related.iter().zip(0_i32..).map(move |(related, place)| (article, related, place))
        })
        .map(|(article, related, place)| {
            (
                help_article_relations::organization_id.eq(organization.0),
                help_article_relations::help_article_id.eq(article.0),
                help_article_relations::related_article_id.eq(related.0),
                help_article_relations::place.eq(place),
            )
        })
        .collect();
    for some in relations.chunks(ROWS) {
        diesel::insert_into(help_article_relations::table).values(some).execute(connection).await?;
    }
    Ok(())
}

/// A row with its body and with what stands in another table.
#[derive(Queryable)]
pub(crate) struct StoredArticle {
    row: HelpArticleRow<'static>,
    content: String,
    related_article_ids: Vec<Uuid>,
}

/// A row with what lists show of other tables. Either the first collection is there, or the category and the second.
#[derive(Queryable)]
pub(crate) struct FiledArticle {
    row: HelpArticleRow<'static>,
    collection: Option<CollectionRow>,
    category: Option<CategoryRow>,
    over_category: Option<CollectionRow>,
    related_article_ids: Vec<Uuid>,
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
    id: Uuid,
    title: Cow<'a, str>,
    slug: Cow<'a, str>,
    excerpt: Option<Cow<'a, str>>,
    status_code: Cow<'a, str>,
    show_on_portal: bool,
    is_favourite: bool,
    collection_id: Option<Uuid>,
    category_id: Option<Uuid>,
    seq_number: i64,
    author_id: Option<Uuid>,
    published_at: Option<PgTimestamp>,
    #[diesel(skip_update)]
    view_count: i64,
    #[diesel(skip_update)]
    helpful_count: i64,
    #[diesel(skip_update)]
    not_helpful_count: i64,
    is_active: bool,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
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

impl TryFrom<StoredArticle> for HelpArticle {
    type Error = BadRow;

    fn try_from(
        StoredArticle { row, content, related_article_ids }: StoredArticle,
    ) -> Result<Self, BadRow> {
        let origin = Origin::new("help_articles", row.id);
        Ok(Self {
            id: row.id.into(),
            title: row.title.into_owned(),
            content,
            slug: origin.slug(&row.slug)?,
            excerpt: row.excerpt.map(Cow::into_owned),
            status: origin.code("status_code", &row.status_code)?,
            show_on_portal: row.show_on_portal,
            is_favourite: row.is_favourite,
            parent: ArticleParent::new(
                row.collection_id.map(Into::into),
                row.category_id.map(Into::into),
            )
            .ok_or_else(|| origin.bad("category_id"))?,
            seq_number: Position::from_ten_thousandths(row.seq_number),
            author_id: row.author_id.map(Into::into),
            published_at: origin.optional_time("published_at", row.published_at)?,
            related_article_ids: related_article_ids.into_iter().map(Into::into).collect(),
            view_count: row.view_count,
            helpful_count: row.helpful_count,
            not_helpful_count: row.not_helpful_count,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
