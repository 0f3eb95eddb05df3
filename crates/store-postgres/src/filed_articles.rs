//! Help articles as lists show them, with their columns of other tables.

use diesel::alias;
use diesel::dsl::{AliasedFields, Nullable, auto_type};
use diesel::prelude::*;
use diesel::query_source::AliasedField;
use hearback_store_rows::Id;
use hearback_store_rows::schema::{
    help_article_relations, help_articles, help_categories as categories,
    help_collections as collections,
};

// The collection of an article's category. The collection of an article without a category is a
// join of its own: as one join, they would have no key before the category is known, and the
// planner would begin with all collections.
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
pub(crate) fn related_article_ids(organization: Id) -> _ {
    help_article_relations::table
        .filter(help_article_relations::organization_id.eq(organization))
        .filter(help_article_relations::help_article_id.eq(help_articles::id))
        .order(help_article_relations::place)
        .select(help_article_relations::related_article_id)
}
