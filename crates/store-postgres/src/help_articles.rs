//! Help articles.

use crate::error::BadRow;
use crate::import::ROWS;
use crate::rows::{Origin, timestamp};
use crate::schema::{help_article_relations, help_articles};
use diesel::dsl::array;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::help_article::{ArticleParent, HelpArticle};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::{ClosedSet, Uuid};
use std::borrow::Cow;

/// Writes them as they are, but without related articles: these may come later, see [`relate`].
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[HelpArticle],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|article| {
                (
                    help_articles::organization_id.eq(organization.0),
                    help_articles::slug_key.eq(article.slug.key()),
                    help_articles::search_text.eq(article.search_text()),
                    HelpArticleRow::from(article),
                )
            })
            .collect();
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
        .flat_map(|(article, related)| related.iter().zip(0_i32..).map(move |(related, place)| (article, related, place)))
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
    let related_article_ids = help_article_relations::table
        .filter(help_article_relations::organization_id.eq(help_articles::organization_id))
        .filter(help_article_relations::help_article_id.eq(help_articles::id))
        .order(help_article_relations::place)
        .select(help_article_relations::related_article_id);
    let mut query = help_articles::table
        .filter(help_articles::organization_id.eq(organization.0))
        .order(help_articles::id)
        .limit(limit)
        .select((HelpArticleRow::as_select(), array(related_article_ids)))
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_articles::id.gt(after));
    }
    query.load(connection).await
}

/// A row with what stands in another table.
#[derive(Queryable)]
pub(crate) struct StoredArticle {
    row: HelpArticleRow<'static>,
    related_article_ids: Vec<Uuid>,
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = help_articles, check_for_backend(Pg), treat_none_as_default_value = false)]
pub(crate) struct HelpArticleRow<'a> {
    id: Uuid,
    title: Cow<'a, str>,
    content: Cow<'a, str>,
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
    view_count: i64,
    helpful_count: i64,
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
            content: Cow::from(&article.content),
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

    fn try_from(StoredArticle { row, related_article_ids }: StoredArticle) -> Result<Self, BadRow> {
        let origin = Origin::new("help_articles", row.id);
        Ok(Self {
            id: row.id.into(),
            title: row.title.into_owned(),
            content: row.content.into_owned(),
            slug: origin.slug(&row.slug)?,
            excerpt: row.excerpt.map(Cow::into_owned),
            status: origin.code("status_code", &row.status_code)?,
            show_on_portal: row.show_on_portal,
            is_favourite: row.is_favourite,
            parent: ArticleParent::new(row.collection_id.map(Into::into), row.category_id.map(Into::into))
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
