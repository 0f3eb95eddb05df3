//! Help articles.

use crate::filed_articles::filed;
use crate::sql::by_first;
use crate::stored::{Stored, finds, inserts, stored, updates};
use crate::{SqliteStore, article_search};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::help_article::{
    ArticleDetails, ArticleFilter, ArticleLink, ArticleParent, ArticleSort, ArticleSummary,
    HelpArticle,
};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::position::Position;
use hearback_ports::page::{ByArticle, Page, PageRequest};
use hearback_ports::{HelpArticleRepository, StoreError};
use hearback_store_rows::help_articles::{
    FiledArticle, HelpArticleRow, StoredArticle, article_link,
};
use hearback_store_rows::rows::HelpArticleVersionRow;
use hearback_store_rows::schema::{help_article_relations, help_article_versions, help_articles};
use hearback_store_rows::sqlite::lists::article_beside;
use hearback_store_rows::{Edited, Id, all, one};

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
        // A search walks articles until the page is full, perhaps all articles. So does a filter or
        // an order that has no index.
        let found = if filter.search.is_some() || filter.is_walk(sort) {
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
            let found = one!(help_articles, organization, Id::of(id))
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

    async fn around(
        &self,
        organization: OrganizationId,
        parent: ArticleParent,
        position: Position,
        id: HelpArticleId,
    ) -> Result<[Option<ArticleLink>; 2], StoreError> {
        let place = (position.ten_thousandths(), Id::of(id));
        let [before, behind] =
            self.readers.snapshot("finding the next articles", |connection| {
                let mut beside = |is_before| {
                    article_beside(organization, parent, place, is_before)
                        .select((help_articles::id, help_articles::title, help_articles::slug))
                        .first::<(Id, String, String)>(connection)
                        .optional()
                };
                Ok([beside(true)?, beside(false)?])
            })?;
        Ok([before.map(article_link).transpose()?, behind.map(article_link).transpose()?])
    }

    async fn versions(
        &self,
        organization: OrganizationId,
        id: HelpArticleId,
        below: i64,
        limit: i64,
    ) -> Result<Vec<HelpArticleVersion>, StoreError> {
        let rows: Vec<HelpArticleVersionRow<'_>> =
            self.readers.read("listing versions", |connection| {
                help_article_versions::table
                    .filter(help_article_versions::organization_id.eq(Id::of(organization)))
                    .filter(help_article_versions::help_article_id.eq(Id::of(id)))
                    .filter(help_article_versions::version.lt(below))
                    .order(help_article_versions::version.desc())
                    .limit(limit)
                    .select(HelpArticleVersionRow::as_select())
                    .load(connection)
            })?;
        Ok(all(rows)?)
    }
}

stored!(HelpArticleVersion: help_article_versions.id as HelpArticleVersionRow<'static>);

/// The articles of a page and the first article behind it.
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

impl Stored for HelpArticle {
    inserts!(
        help_articles,
        |article| (
            help_articles::slug_key.eq(article.slug.key()),
            help_articles::search_text.eq(article.search_text()),
            help_articles::content.eq(&article.content),
            HelpArticleRow::from(article),
        ),
        article_search::index
    );
    updates!(
        help_articles,
        |article| (
            article.changed(|it| it.slug.key()).map(|key| help_articles::slug_key.eq(key)),
            article
                .changed(|article| article.content.clone())
                .map(|text| help_articles::content.eq(text)),
            article
                .changed(HelpArticle::search_text)
                .map(|text| help_articles::search_text.eq(text)),
            HelpArticleRow::from(article.after),
        ),
        update_elsewhere
    );
    finds!(
        help_articles.id,
        (HelpArticleRow::as_select(), help_articles::content) => (HelpArticleRow<'static>, String),
        related
    );

    fn link(
        connection: &mut SqliteConnection,
        organization: OrganizationId,
        article: &Self,
    ) -> QueryResult<()> {
        for (place, &id) in (0..).zip(&article.related_article_ids) {
            relate(connection, organization, article.id, id, place)?;
        }
        Ok(())
    }
}

/// Replaces the related articles of an article and its text in the full-text index, if they change.
fn update_elsewhere(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    article: Edited<'_, HelpArticle>,
) -> QueryResult<()> {
    if article.before.related_article_ids != article.after.related_article_ids {
        diesel::delete(help_article_relations::table)
            .filter(help_article_relations::organization_id.eq(Id::of(organization)))
            .filter(help_article_relations::help_article_id.eq(Id::of(article.after.id)))
            .execute(connection)?;
        HelpArticle::link(connection, organization, article.after)?;
    }
    match article.changed(HelpArticle::search_text) {
        Some(text) => article_search::reindex(connection, organization, article.after.id, &text),
        None => Ok(()),
    }
}

/// Adds the related articles to `rows`, which are in the order of their identifiers.
fn related(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    rows: Vec<(HelpArticleRow<'static>, String)>,
) -> QueryResult<Vec<StoredArticle>> {
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

/// Adds a related article to an article that has none at this place.
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
