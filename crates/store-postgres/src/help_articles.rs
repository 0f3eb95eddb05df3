//! Help articles.

use crate::PgStore;
use crate::filed_articles::{
    OVER_CATEGORY, collection_over_category, its_category, its_collection, over_category,
    related_article_ids,
};
use crate::stored::{Stored, finds, inserts, stored, updates, write_lists};
use async_trait::async_trait;
use diesel::dsl::array;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::future::try_join;
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
    CategoryRow, CollectionRow, FiledArticle, HelpArticleRow, StoredArticle, article_link,
};
use hearback_store_rows::postgres::lists::article_beside;
use hearback_store_rows::rows::HelpArticleVersionRow;
use hearback_store_rows::schema::{
    help_article_relations, help_article_versions, help_articles, help_categories as categories,
    help_collections as collections,
};
use hearback_store_rows::{Edited, Id, all};

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
                    .filter(help_articles::organization_id.eq(Id::of(organization)))
                    .filter(help_articles::id.eq(Id::of(id)))
                    .filter(help_articles::is_active)
                    .select((
                        help_articles::content,
                        (
                            HelpArticleRow::as_select(),
                            Option::<CollectionRow>::as_select(),
                            Option::<CategoryRow>::as_select(),
                            over_category(),
                            array(related_article_ids(Id::of(organization))),
                        ),
                    ))
            })
            .await?;
        let Some((content, article)) = row else { return Ok(None) };
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
        let beside = async |is_before| {
            let query = || {
                article_beside(organization, parent, place, is_before).select((
                    help_articles::id,
                    help_articles::title,
                    help_articles::slug,
                ))
            };
            let row: Option<(Id, String, String)> =
                self.readers.row("finding the next articles", query).await?;
            Ok::<_, StoreError>(row.map(article_link).transpose()?)
        };
        let (before, behind) = try_join(beside(true), beside(false)).await?;
        Ok([before, behind])
    }

    async fn versions(
        &self,
        organization: OrganizationId,
        id: HelpArticleId,
        below: i64,
        limit: i64,
    ) -> Result<Vec<HelpArticleVersion>, StoreError> {
        let query = || {
            help_article_versions::table
                .filter(help_article_versions::organization_id.eq(Id::of(organization)))
                .filter(help_article_versions::help_article_id.eq(Id::of(id)))
                .filter(help_article_versions::version.lt(below))
                .order(help_article_versions::version.desc())
                .limit(limit)
                .select(HelpArticleVersionRow::as_select())
        };
        let rows: Vec<HelpArticleVersionRow<'_>> =
            self.readers.rows("listing versions", query).await?;
        Ok(all(rows)?)
    }
}

stored!(HelpArticleVersion: help_article_versions.id as HelpArticleVersionRow<'static>);

impl Stored for HelpArticle {
    inserts!(slugged help_articles, |article| (
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
        |organization| (
            HelpArticleRow::as_select(),
            help_articles::content,
            array(related_article_ids(organization)),
        )
            => StoredArticle,
        listed
    );

    async fn link(
        connection: &AsyncPgConnection,
        organization: OrganizationId,
        article: &Self,
    ) -> QueryResult<()> {
        relate(connection, organization, &[(article.id, article.related_article_ids.clone())]).await
    }
}

/// Replaces the related articles of an article, if they change.
async fn relate_anew(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    article: Edited<'_, HelpArticle>,
) -> QueryResult<()> {
    if article.before.related_article_ids == article.after.related_article_ids {
        return Ok(());
    }
    diesel::delete(help_article_relations::table)
        .filter(help_article_relations::organization_id.eq(Id::of(organization)))
        .filter(help_article_relations::help_article_id.eq(Id::of(article.after.id)))
        .execute(&mut connection)
        .await?;
    let HelpArticle { id, related_article_ids, .. } = article.after;
    relate(connection, organization, &[(*id, related_article_ids.clone())]).await
}

/// Writes the related articles of articles.
pub(crate) async fn relate(
    connection: &AsyncPgConnection,
    organization: OrganizationId,
    all: &[(HelpArticleId, Vec<HelpArticleId>)],
) -> QueryResult<()> {
    let all = all.iter().map(|(article, related)| (*article, related.as_slice()));
    write_lists!(
        help_article_relations.help_article_id.related_article_id,
        connection,
        organization,
        all
    )
}
