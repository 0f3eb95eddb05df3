//! Help articles, with the columns of other tables that lists show.

use diesel::prelude::*;
use hearback_domain::id::OrganizationId;
use hearback_store_rows::help_articles::{CategoryRow, FiledArticle, HelpArticleRow};
use hearback_store_rows::schema::{
    help_article_relations, help_categories as categories, help_collections as collections,
};
use hearback_store_rows::{Id, one};

/// An article with its collection, its category and its related articles.
pub(crate) fn filed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    row: HelpArticleRow<'static>,
) -> QueryResult<FiledArticle> {
    // Each article takes a few look-ups, whose statements are prepared once. In a join, the planner
    // might begin with the collections.
    let category = match row.category_id {
        Some(category) => Some(
            one!(categories, organization, category)
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
        .first(connection)
        .map(Some)?;
    let related_article_ids = help_article_relations::table
        .filter(help_article_relations::organization_id.eq(Id::of(organization)))
        .filter(help_article_relations::help_article_id.eq(row.id))
        .order(help_article_relations::place)
        .select(help_article_relations::related_article_id)
        .load(connection)?;
    Ok(FiledArticle { row, collection, category, over_category: None, related_article_ids })
}
