//! Roadmap posts as lists show them.

use crate::column::BadRow;
use crate::rows::RoadmapPostRow;
use crate::values::Id;
use hearback_domain::roadmap_post::RoadmapPostDetails;

/// A post from its row, with its number of votes and the feedback posts that are linked to it.
pub fn details(
    row: RoadmapPostRow<'static>,
    vote_count: i64,
    links: Vec<Id>,
) -> Result<RoadmapPostDetails, BadRow> {
    let feedback_post_ids = links.into_iter().map(Id::to).collect();
    Ok(RoadmapPostDetails { post: row.try_into()?, feedback_post_ids, vote_count })
}
