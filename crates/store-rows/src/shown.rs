//! Subqueries of other tables, for the values that lists show. Each names the organization, so that
//! Citus sends the whole statement to one node.

use crate::counts::{ARTICLES, CATEGORIES, END_OF_SPEND, OF_POST, ROADMAP_VOTES, SPEND};
use crate::queries::{OTHER, Other};
use crate::schema::{
    feedback_post_counts, feedback_post_tags, feedback_posts, help_categories, help_collections,
    record_counts, roadmap_posts, tags, votes,
};
use crate::values::{Id, SqlId};
use diesel::backend::Backend;
use diesel::dsl::{auto_type, case_when, exists, not};
use diesel::expression::{
    AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate,
};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::query_source::AliasedField;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Nullable};

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

#[declare_sql_function]
extern "SQL" {
    /// The first value, or the other one if that is NULL.
    fn coalesce(value: Nullable<BigInt>, otherwise: BigInt) -> BigInt;
}

/// The stored number of votes of a post.
#[auto_type]
pub fn vote_count(organization: Id) -> _ {
    let stored = feedback_post_counts::table
        .filter(feedback_post_counts::organization_id.eq(organization))
        .filter(feedback_post_counts::feedback_post_id.eq(feedback_posts::id))
        .select(feedback_post_counts::vote_count)
        .single_value();
    coalesce(stored, 0_i64.into_sql::<BigInt>())
}

/// [`vote_count()`] on SQLite, where the votes of a large merge move in parts. Until the last part
/// has moved, all of them count on the target.
#[auto_type]
pub fn vote_count_in_moves(organization: Id) -> _ {
    let post_id = feedback_posts::id.nullable();
    let from = feedback_posts::votes_from_id;
    let other_organization: AliasedField<Other, votes::organization_id> =
        OTHER.field(votes::organization_id);
    let other_user: AliasedField<Other, votes::user_id> = OTHER.field(votes::user_id);
    let other_post: AliasedField<Other, votes::feedback_post_id> =
        OTHER.field(votes::feedback_post_id);
    let is_second = exists(
        OTHER
            .filter(other_organization.eq(organization))
            .filter(other_user.eq(votes::user_id))
            .filter(other_post.eq(post_id)),
    );
    let others = votes::table
        .filter(votes::organization_id.eq(organization))
        .filter(votes::feedback_post_id.eq(from))
        .filter(not(is_second))
        .count()
        .single_value();
    let own: vote_count = vote_count(organization);
    let first: vote_count = vote_count(organization);
    case_when(from.is_null(), own)
        .when(from.eq(post_id), 0_i64.into_sql::<BigInt>())
        .otherwise(first + others.assume_not_null())
}

/// The stored number of active comments of a post.
#[auto_type]
pub fn comment_count(organization: Id) -> _ {
    let stored = feedback_post_counts::table
        .filter(feedback_post_counts::organization_id.eq(organization))
        .filter(feedback_post_counts::feedback_post_id.eq(feedback_posts::id))
        .select(feedback_post_counts::comment_count)
        .single_value();
    coalesce(stored, 0_i64.into_sql::<BigInt>())
}

/// The spend on a post. It is summed at once if it is due and the post has few votes.
#[derive(Clone, Copy, Debug, QueryId)]
pub struct ShownSpend(pub Id);

impl<DB> QueryFragment<DB> for ShownSpend
where
    DB: Backend + HasSqlType<SqlId>,
    Id: ToSql<SqlId, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("(SELECT CASE WHEN shown.spend_due AND shown.vote_count <= 1000 THEN ");
        for part in SPEND {
            out.push_sql(part);
            out.push_bind_param::<SqlId, _>(&self.0)?;
        }
        out.push_sql(OF_POST);
        out.push_sql("feedback_posts.id");
        out.push_sql(END_OF_SPEND);
        out.push_sql(
            " ELSE shown.monthly_spend END FROM feedback_post_counts AS shown \
             WHERE shown.feedback_post_id = feedback_posts.id AND shown.organization_id = ",
        );
        out.push_bind_param::<SqlId, _>(&self.0)?;
        out.push_sql(")");
        Ok(())
    }
}

impl Expression for ShownSpend {
    type SqlType = BigInt;
}

impl AppearsOnTable<feedback_posts::table> for ShownSpend {}

impl SelectableExpression<feedback_posts::table> for ShownSpend {}

impl ValidGrouping<()> for ShownSpend {
    type IsAggregate = is_aggregate::No;
}

/// The stored number of votes of a roadmap post.
#[auto_type]
pub fn roadmap_vote_count(organization: Id) -> _ {
    let counted: &'static str = ROADMAP_VOTES;
    let stored = record_counts::table
        .filter(record_counts::organization_id.eq(organization))
        .filter(record_counts::counted.eq(counted))
        .filter(record_counts::parent_id.eq(roadmap_posts::id))
        .select(record_counts::number)
        .single_value();
    coalesce(stored, 0_i64.into_sql::<BigInt>())
}

/// The stored number of active categories of a collection.
#[auto_type]
pub fn category_count(organization: Id) -> _ {
    let counted: &'static str = CATEGORIES;
    let stored = record_counts::table
        .filter(record_counts::organization_id.eq(organization))
        .filter(record_counts::counted.eq(counted))
        .filter(record_counts::parent_id.eq(help_collections::id))
        .select(record_counts::number)
        .single_value();
    coalesce(stored, 0_i64.into_sql::<BigInt>())
}

/// The stored number of active articles of a category.
#[auto_type]
pub fn article_count(organization: Id) -> _ {
    let counted: &'static str = ARTICLES;
    let stored = record_counts::table
        .filter(record_counts::organization_id.eq(organization))
        .filter(record_counts::counted.eq(counted))
        .filter(record_counts::parent_id.eq(help_categories::id))
        .select(record_counts::number)
        .single_value();
    coalesce(stored, 0_i64.into_sql::<BigInt>())
}
