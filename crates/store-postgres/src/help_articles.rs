//! Help articles.

use crate::error::{BadRow, Undone};
use crate::filed_articles::{
    CategoryRow, CollectionRow, FiledArticle, HelpArticleRow, OVER_CATEGORY,
    collection_over_category, its_category, its_collection, over_category, related_article_ids,
};
use crate::import::ROWS;
use crate::rows::{Origin, all};
use crate::schema::{
    help_article_relations, help_articles, help_categories as categories,
    help_collections as collections,
};
use crate::{PgStore, help_categories, help_collections, organizations, receipts};
use async_trait::async_trait;
use diesel::dsl::{array, exists};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::Uuid;
use hearback_domain::help_article::{
    ArticleCase, ArticleDetails, ArticleFilter, ArticleParent, ArticleSort, ArticleSummary,
    HelpArticle, NewArticle,
};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::position::Position;
use hearback_ports::page::{ByArticle, Page, PageRequest};
use hearback_ports::{HelpArticleRepository, Receipt, Recorded, StoreError, Unique};
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

    async fn article_case(
        &self,
        organization: OrganizationId,
        parent: ArticleParent,
        related: Vec<HelpArticleId>,
    ) -> Result<ArticleCase, StoreError> {
        let doing = "loading what an article rests on";
        let related: Vec<Uuid> = related.into_iter().map(Uuid::from).collect();
        let known = || {
            array(
                help_articles::table
                    .filter(help_articles::organization_id.eq(organization.0))
                    .filter(help_articles::id.eq_any(related.clone()))
                    .filter(help_articles::is_active)
                    .select(help_articles::id),
            )
        };
        let row: Option<(bool, Vec<Uuid>)> = match parent {
            ArticleParent::Collection(id) => {
                let the_collection = || {
                    collections::table
                        .filter(collections::organization_id.eq(organization.0))
                        .filter(collections::id.eq(id.0))
                        .filter(collections::is_active)
                };
                self.readers
                    .row(doing, || diesel::select((exists(the_collection()), known())))
                    .await?
            }
            ArticleParent::Category(id) => {
                let the_category = || {
                    categories::table
                        .filter(categories::organization_id.eq(organization.0))
                        .filter(categories::id.eq(id.0))
                        .filter(categories::is_active)
                };
                self.readers
                    .row(doing, || diesel::select((exists(the_category()), known())))
                    .await?
            }
        };
        let (parent_found, related_found) = row.unwrap_or_default();
        Ok(ArticleCase {
            parent_found,
            related_found: related_found.into_iter().map(HelpArticleId).collect(),
        })
    }

    async fn insert(
        &self,
        organization: OrganizationId,
        article: NewArticle,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record("adding a help article", move |connection| {
            async move { append(connection, organization, article, receipt.as_ref()).await }.boxed()
        });
        record.await
    }
}

async fn append(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    article: NewArticle,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    organizations::hold(connection, organization).await?;
    let place = match article.parent() {
        ArticleParent::Collection(id) => {
            help_collections::take_article_place(connection, organization, id).await?
        }
        ArticleParent::Category(id) => {
            help_categories::take_article_place(connection, organization, id).await?
        }
    };
    let article = article.at(place);
    let inserted = diesel::insert_into(help_articles::table)
        .values(WholeRow::new(organization, &article))
        .on_conflict((help_articles::organization_id, help_articles::slug_key))
        .do_nothing()
        .execute(connection)
        .await
        .map_err(Undone::inserting)?;
    if inserted == 0 {
        return Err(Undone::Taken(Unique::Slug));
    }
    relate(connection, organization, &[(article.id, article.related_article_ids)])
        .await
        .map_err(Undone::inserting)?;
    receipts::insert(connection, organization, receipt).await?;
    Ok(())
}

/// Writes them as they are, but without related articles: these may come later, see [`relate`].
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[HelpArticle],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> =
            some.iter().map(|article| WholeRow::new(organization, article)).collect();
        diesel::insert_into(help_articles::table).values(rows).execute(connection).await?;
    }
    Ok(())
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

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<StoredArticle>> {
    let mut query = help_articles::table
        .filter(help_articles::organization_id.eq(organization.0))
        .order(help_articles::id)
        .limit(limit)
        .select((HelpArticleRow::as_select(), help_articles::content, array(related_article_ids())))
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_articles::id.gt(after));
    }
    query.load(connection).await
}

/// A row with its body and with what stands in another table.
#[derive(Queryable)]
pub(crate) struct StoredArticle {
    row: HelpArticleRow<'static>,
    content: String,
    related_article_ids: Vec<Uuid>,
}

/// A row with its body and the columns that are the store's own.
#[derive(Insertable)]
#[diesel(table_name = help_articles, treat_none_as_default_value = false)]
struct WholeRow<'a> {
    organization_id: Uuid,
    slug_key: String,
    search_text: String,
    content: &'a str,
    #[diesel(embed)]
    row: HelpArticleRow<'a>,
}

impl<'a> WholeRow<'a> {
    fn new(organization: OrganizationId, article: &'a HelpArticle) -> Self {
        Self {
            organization_id: organization.0,
            slug_key: article.slug.key(),
            search_text: article.search_text(),
            content: &article.content,
            row: HelpArticleRow::from(article),
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
