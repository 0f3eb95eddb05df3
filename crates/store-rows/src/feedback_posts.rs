//! Feedback posts as lists show them.

use crate::column::BadRow;
use crate::rows::{FeedbackPostRow, Listed};
use crate::values::Id;
use diesel::prelude::*;
use hearback_domain::feedback_post::PostDetails;

/// A row with its tags and its numbers of votes and comments.
#[derive(Queryable)]
#[expect(missing_docs, reason = "a field has the name of the value that it holds")]
pub struct CountedPost {
    pub row: FeedbackPostRow<'static>,
    pub tag_ids: Vec<Id>,
    pub vote_count: i64,
    pub comment_count: i64,
}

impl TryFrom<CountedPost> for PostDetails {
    type Error = BadRow;

    fn try_from(counted: CountedPost) -> Result<Self, BadRow> {
        let CountedPost { row, tag_ids, vote_count, comment_count } = counted;
        Ok(Self { post: Listed { row, ids: tag_ids }.try_into()?, vote_count, comment_count })
    }
}
