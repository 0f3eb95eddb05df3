//! The values that lists show of other tables. The counts of a post are in the row that
//! [`counted_posts()`](crate::queries::counted_posts()) joins. A subquery names the organization, so
//! that Citus sends the whole statement to one node.

use crate::counts::{ARTICLES, CATEGORIES, END_OF_SPEND, OF_POST, ROADMAP_VOTES, SPEND};
use crate::schema::{
    feedback_post_counts, feedback_posts, help_categories, help_collections, record_counts,
    roadmap_posts, votes,
};
use crate::values::{Id, SqlId};
use diesel::alias;
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

/// Declares a list of identifiers that is shown with a record, as one value. The organization is
/// between the two texts.
#[macro_export]
macro_rules! ids_beside {
    ($(#[$doc:meta])* $list:ident: $sql:literal, $end:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, diesel::query_builder::QueryId)]
        struct $list($crate::Id);

        impl<DB> diesel::query_builder::QueryFragment<DB> for $list
        where
            DB: diesel::backend::Backend + diesel::sql_types::HasSqlType<$crate::SqlId>,
            $crate::Id: diesel::serialize::ToSql<$crate::SqlId, DB>,
        {
            fn walk_ast<'b>(
                &'b self,
                mut out: diesel::query_builder::AstPass<'_, 'b, DB>,
            ) -> QueryResult<()> {
                out.push_sql($sql);
                out.push_bind_param::<$crate::SqlId, _>(&self.0)?;
                out.push_sql($end);
                Ok(())
            }
        }

        impl diesel::expression::Expression for $list {
            type SqlType = $crate::SqlIds;
        }

        impl<QS> diesel::expression::AppearsOnTable<QS> for $list {}

        impl<QS> diesel::expression::SelectableExpression<QS> for $list {}

        impl diesel::expression::ValidGrouping<()> for $list {
            type IsAggregate = diesel::expression::is_aggregate::No;
        }
    };
}

#[declare_sql_function]
extern "SQL" {
    /// The first value, or the other one if that is NULL.
    fn coalesce(value: Nullable<BigInt>, otherwise: BigInt) -> BigInt;
}

/// The stored number of votes of a post.
#[auto_type]
pub fn vote_count() -> _ {
    coalesce(feedback_post_counts::vote_count.nullable(), 0_i64.into_sql::<BigInt>())
}

alias! {
    // The other vote of a voter.
    pub const OTHER: Alias<Other> = votes as other_votes;
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
    let own: vote_count = vote_count();
    let first: vote_count = vote_count();
    case_when(from.is_null(), own)
        .when(from.eq(post_id), 0_i64.into_sql::<BigInt>())
        .otherwise(first + others.assume_not_null())
}

/// The stored number of active comments of a post.
#[auto_type]
pub fn comment_count() -> _ {
    coalesce(feedback_post_counts::comment_count.nullable(), 0_i64.into_sql::<BigInt>())
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
        out.push_sql(
            "(CASE WHEN feedback_post_counts.spend_due AND feedback_post_counts.vote_count <= 1000 THEN ",
        );
        for part in SPEND {
            out.push_sql(part);
            out.push_bind_param::<SqlId, _>(&self.0)?;
        }
        out.push_sql(OF_POST);
        out.push_sql("feedback_posts.id");
        out.push_sql(END_OF_SPEND);
        out.push_sql(" ELSE coalesce(feedback_post_counts.monthly_spend, 0) END)");
        Ok(())
    }
}

impl Expression for ShownSpend {
    type SqlType = BigInt;
}

impl<QS> AppearsOnTable<QS> for ShownSpend {}

impl<QS> SelectableExpression<QS> for ShownSpend {}

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
