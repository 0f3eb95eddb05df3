//! Help collections and categories as lists show them.

use crate::column::BadRow;
use crate::rows::{HelpCategoryRow, HelpCollectionRow};
use diesel::prelude::*;
use hearback_domain::help_category::CategoryDetails;
use hearback_domain::help_collection::CollectionDetails;

/// A collection with its number of active categories.
#[derive(Queryable)]
pub struct CountedCollection {
    row: HelpCollectionRow<'static>,
    category_count: i64,
}

impl TryFrom<CountedCollection> for CollectionDetails {
    type Error = BadRow;

    fn try_from(counted: CountedCollection) -> Result<Self, BadRow> {
        let CountedCollection { row, category_count } = counted;
        Ok(Self { collection: row.try_into()?, category_count })
    }
}

/// A category with its number of active articles.
#[derive(Queryable)]
pub struct CountedCategory {
    row: HelpCategoryRow<'static>,
    article_count: i64,
}

impl TryFrom<CountedCategory> for CategoryDetails {
    type Error = BadRow;

    fn try_from(CountedCategory { row, article_count }: CountedCategory) -> Result<Self, BadRow> {
        Ok(Self { category: row.try_into()?, article_count })
    }
}
