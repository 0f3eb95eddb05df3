//! Subqueries of other tables, for the values that lists show. Each names the organization, so that
//! Citus sends the whole statement to one node.

use crate::schema::{
    comments, feedback_post_tags, feedback_posts, help_articles, help_categories, help_collections,
    tags, votes,
};
use crate::values::Id;
use diesel::dsl::{auto_type, exists, not};
use diesel::prelude::*;

/// Whether a post shows a tag that it has: the tag is not being removed.
#[auto_type]
pub fn is_shown(organization: Id) -> _ {
    not(exists(
        tags::table
            .filter(tags::organization_id.eq(organization))
            .filter(tags::id.eq(feedback_post_tags::tag_id))
            .filter(tags::removal_pending),
    ))
}

/// The number of votes of a post.
#[auto_type]
pub fn vote_count(organization: Id) -> _ {
    votes::table
        .filter(votes::organization_id.eq(organization))
        .filter(votes::feedback_post_id.eq(feedback_posts::id.nullable()))
        .count()
        .single_value()
        .assume_not_null()
}

/// The number of active comments of a post.
#[auto_type]
pub fn comment_count(organization: Id) -> _ {
    comments::table
        .filter(comments::organization_id.eq(organization))
        .filter(comments::feedback_post_id.eq(feedback_posts::id))
        .filter(comments::is_active)
        .count()
        .single_value()
        .assume_not_null()
}

/// The number of active categories of a collection.
#[auto_type]
pub fn category_count(organization: Id) -> _ {
    help_categories::table
        .filter(help_categories::organization_id.eq(organization))
        .filter(help_categories::collection_id.eq(help_collections::id))
        .filter(help_categories::is_active)
        .count()
        .single_value()
        .assume_not_null()
}

/// The number of active articles of a category.
#[auto_type]
pub fn article_count(organization: Id) -> _ {
    help_articles::table
        .filter(help_articles::organization_id.eq(organization))
        .filter(help_articles::category_id.eq(help_categories::id.nullable()))
        .filter(help_articles::is_active)
        .count()
        .single_value()
        .assume_not_null()
}
