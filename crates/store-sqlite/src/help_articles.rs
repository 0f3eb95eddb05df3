//! Help articles.

use crate::error::{BadRow, Undone};
use crate::filed_articles::{FiledArticle, HelpArticleRow, filed};
use crate::rows::{Id, Origin, all, by_first};
use crate::schema::{help_article_relations, help_articles};
use crate::{SqliteStore, article_search, help_categories, help_collections, receipts};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use hearback_domain::help_article::{
    ArticleCase, ArticleDetails, ArticleFilter, ArticleParent, ArticleSort, ArticleSummary,
    HelpArticle, NewArticle,
};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::position::Position;
use hearback_ports::page::{ByArticle, Page, PageRequest};
use hearback_ports::{HelpArticleRepository, Receipt, Recorded, StoreError};
use std::borrow::Cow;
use std::collections::HashSet;

#[async_trait]
impl HelpArticleRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: ArticleFilter,
        sort: ArticleSort,
        page: PageRequest<ByArticle>,
    ) -> Result<Page<ArticleSummary, ByArticle>, StoreError> {
        let limit = page.limit;
        let doing = "listing help articles";
        // A search, and a filter or an order that no index serves, walk articles until they have enough, which may be all there are.
        let found = if article_search::is_walk(&filter, sort) {
            let query = move |connection: &mut SqliteConnection| {
                listed(connection, organization, &filter, sort, &page)
            };
            self.slow_readers.snapshot(doing, query).await?
        } else {
            self.readers.snapshot(doing, |connection| {
                listed(connection, organization, &filter, sort, &page)
            })?
        };
        Ok(Page::cut(all(found)?, limit, |article| ByArticle::of(article, sort)))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpArticleId,
    ) -> Result<Option<ArticleDetails>, StoreError> {
        let found = self.readers.snapshot("finding a help article", |connection| {
            let found = help_articles::table
                .filter(help_articles::organization_id.eq(Id::of(organization)))
                .filter(help_articles::id.eq(Id::of(id)))
                .filter(help_articles::is_active)
                .select((HelpArticleRow::as_select(), help_articles::content))
                .first::<(HelpArticleRow<'_>, String)>(connection)
                .optional()?;
            let Some((row, content)) = found else { return Ok(None) };
            Ok(Some((filed(connection, organization, row)?, content)))
        })?;
        let Some((article, content)) = found else { return Ok(None) };
        Ok(Some(ArticleDetails { summary: article.try_into()?, content }))
    }

    async fn article_case(
        &self,
        organization: OrganizationId,
        parent: ArticleParent,
        related: Vec<HelpArticleId>,
    ) -> Result<ArticleCase, StoreError> {
        self.readers.snapshot("loading what an article rests on", |connection| {
            let parent_found = match parent {
                ArticleParent::Collection(id) => {
                    help_collections::is_active(connection, organization, id)?
                }
                ArticleParent::Category(id) => {
                    help_categories::is_active(connection, organization, id)?
                }
            };
            let mut related_found = HashSet::new();
            for id in related {
                if is_active(connection, organization, id)? {
                    related_found.insert(id);
                }
            }
            Ok(ArticleCase { parent_found, related_found })
        })
    }

    async fn insert(
        &self,
        organization: OrganizationId,
        article: NewArticle,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            append(connection, organization, article, receipt.as_ref())
        };
        self.writer.record("adding a help article", work).await
    }
}

/// The articles of a page and the one behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    filter: &ArticleFilter,
    sort: ArticleSort,
    page: &PageRequest<ByArticle>,
) -> QueryResult<Vec<FiledArticle>> {
    let rows = article_search::rows(connection, organization, filter, sort, page)?;
    rows.into_iter().map(|row| filed(connection, organization, row)).collect()
}

/// Whether there is an active one.
fn is_active(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: HelpArticleId,
) -> QueryResult<bool> {
    diesel::select(exists(
        help_articles::table
            .filter(help_articles::organization_id.eq(Id::of(organization)))
            .filter(help_articles::id.eq(Id::of(id)))
            .filter(help_articles::is_active),
    ))
    .get_result(connection)
}

fn append(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    article: NewArticle,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    let place = match article.parent() {
        ArticleParent::Collection(id) => {
            help_collections::take_article_place(connection, organization, id)?
        }
        ArticleParent::Category(id) => {
            help_categories::take_article_place(connection, organization, id)?
        }
    };
    let article = article.at(place);
    insert(connection, organization, &article).map_err(Undone::inserting)?;
    for (place, &related) in (0..).zip(&article.related_article_ids) {
        relate(connection, organization, article.id, related, place).map_err(Undone::inserting)?;
    }
    receipts::insert(connection, organization, receipt)
}

/// Writes one as it is, but without related ones.
pub(crate) fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    article: &HelpArticle,
) -> QueryResult<()> {
    let search_text = article.search_text();
    diesel::insert_into(help_articles::table)
        .values((
            help_articles::organization_id.eq(Id::of(organization)),
            help_articles::slug_key.eq(article.slug.key()),
            help_articles::search_text.eq(&search_text),
            help_articles::content.eq(&article.content),
            HelpArticleRow::from(article),
        ))
        .execute(connection)?;
    article_search::index(connection, organization, article.id, &search_text)
}

/// Adds a related article to one that has none at this place.
pub(crate) fn relate(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    article: HelpArticleId,
    related: HelpArticleId,
    place: i32,
) -> QueryResult<()> {
    diesel::insert_into(help_article_relations::table)
        .values((
            help_article_relations::organization_id.eq(Id::of(organization)),
            help_article_relations::help_article_id.eq(Id::of(article)),
            help_article_relations::related_article_id.eq(Id::of(related)),
            help_article_relations::place.eq(place),
        ))
        .execute(connection)?;
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) fn export(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    after: Option<Id>,
    limit: i64,
) -> QueryResult<Vec<StoredArticle>> {
    let mut query = help_articles::table
        .filter(help_articles::organization_id.eq(Id::of(organization)))
        .order(help_articles::id)
        .limit(limit)
        .select((HelpArticleRow::as_select(), help_articles::content))
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_articles::id.gt(after));
    }
    let rows = query.load::<(HelpArticleRow<'static>, String)>(connection)?;
    let (Some((first, _)), Some((last, _))) = (rows.first(), rows.last()) else {
        return Ok(Vec::new());
    };
    let related = help_article_relations::table
        .filter(help_article_relations::organization_id.eq(Id::of(organization)))
        .filter(help_article_relations::help_article_id.between(first.id, last.id))
        .order((help_article_relations::help_article_id, help_article_relations::place))
        .select((
            help_article_relations::help_article_id,
            help_article_relations::related_article_id,
        ))
        .load(connection)?;
    let mut related = by_first(related);
    let stored = |(row, content): (HelpArticleRow<'static>, String)| {
        let related_article_ids = related.remove(&row.id).unwrap_or_default();
        StoredArticle { row, content, related_article_ids }
    };
    Ok(rows.into_iter().map(stored).collect())
}

/// A row with its body and with what stands in another table.
pub(crate) struct StoredArticle {
    row: HelpArticleRow<'static>,
    content: String,
    related_article_ids: Vec<Id>,
}

impl TryFrom<StoredArticle> for HelpArticle {
    type Error = BadRow;

    fn try_from(
        StoredArticle { row, content, related_article_ids }: StoredArticle,
    ) -> Result<Self, BadRow> {
        let origin = Origin::new("help_articles", row.id);
        let parent = ArticleParent::new(row.collection_id.map(Id::to), row.category_id.map(Id::to));
        let parent = parent.ok_or_else(|| origin.bad("category_id"))?;
        Ok(Self {
            id: row.id.to(),
            title: row.title.into_owned(),
            content,
            slug: origin.slug(&row.slug)?,
            excerpt: row.excerpt.map(Cow::into_owned),
            status: origin.code("status_code", &row.status_code)?,
            show_on_portal: row.show_on_portal,
            is_favourite: row.is_favourite,
            parent,
            seq_number: Position::from_ten_thousandths(row.seq_number),
            author_id: row.author_id.map(Id::to),
            published_at: origin.optional_time("published_at", row.published_at)?,
            related_article_ids: related_article_ids.into_iter().map(Id::to).collect(),
            view_count: row.view_count,
            helpful_count: row.helpful_count,
            not_helpful_count: row.not_helpful_count,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
