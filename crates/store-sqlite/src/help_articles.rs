//! Help articles.

use crate::error::BadRow;
use crate::rows::{Id, Origin, by_first};
use crate::schema::{help_article_relations, help_articles};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::help_article::{ArticleParent, HelpArticle};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::{ClosedSet, Time};
use std::borrow::Cow;

/// Writes one as it is, but without related ones.
pub(crate) fn insert(connection: &mut SqliteConnection, organization: OrganizationId, article: &HelpArticle) -> QueryResult<()> {
    diesel::insert_into(help_articles::table)
        .values((
            help_articles::organization_id.eq(Id::of(organization)),
            help_articles::slug_key.eq(article.slug.key()),
            help_articles::search_text.eq(article.search_text()),
            HelpArticleRow::from(article),
        ))
        .execute(connection)?;
    Ok(())
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
        .select(HelpArticleRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_articles::id.gt(after));
    }
    let rows = query.load(connection)?;
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(Vec::new()) };
    let related = help_article_relations::table
        .filter(help_article_relations::organization_id.eq(Id::of(organization)))
        .filter(help_article_relations::help_article_id.between(first.id, last.id))
        .order((help_article_relations::help_article_id, help_article_relations::place))
        .select((help_article_relations::help_article_id, help_article_relations::related_article_id))
        .load(connection)?;
    let mut related = by_first(related);
    let stored = |row: HelpArticleRow<'static>| {
        let related_article_ids = related.remove(&row.id).unwrap_or_default();
        StoredArticle { row, related_article_ids }
    };
    Ok(rows.into_iter().map(stored).collect())
}

/// A row with what stands in another table.
pub(crate) struct StoredArticle {
    row: HelpArticleRow<'static>,
    related_article_ids: Vec<Id>,
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = help_articles, check_for_backend(Sqlite), treat_none_as_default_value = false)]
pub(crate) struct HelpArticleRow<'a> {
    id: Id,
    title: Cow<'a, str>,
    content: Cow<'a, str>,
    slug: Cow<'a, str>,
    excerpt: Option<Cow<'a, str>>,
    status_code: Cow<'a, str>,
    show_on_portal: bool,
    is_favourite: bool,
    collection_id: Option<Id>,
    category_id: Option<Id>,
    seq_number: i64,
    author_id: Option<Id>,
    published_at: Option<i64>,
    view_count: i64,
    helpful_count: i64,
    not_helpful_count: i64,
    is_active: bool,
    created_at: i64,
    updated_at: i64,
}

impl<'a> From<&'a HelpArticle> for HelpArticleRow<'a> {
    fn from(article: &'a HelpArticle) -> Self {
        Self {
            id: Id::of(article.id),
            title: Cow::from(&article.title),
            content: Cow::from(&article.content),
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

impl TryFrom<StoredArticle> for HelpArticle {
    type Error = BadRow;

    fn try_from(StoredArticle { row, related_article_ids }: StoredArticle) -> Result<Self, BadRow> {
        let origin = Origin::new("help_articles", row.id);
        let parent = ArticleParent::new(row.collection_id.map(Id::to), row.category_id.map(Id::to));
        let parent = parent.ok_or_else(|| origin.bad("collection_id"))?;
        Ok(Self {
            id: row.id.to(),
            title: row.title.into_owned(),
            content: row.content.into_owned(),
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
