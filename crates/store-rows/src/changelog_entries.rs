//! Changelog entries as lists show them.

use crate::column::BadRow;
use crate::rows::{ChangelogEntryRow, Listed};
use crate::values::Id;
use hearback_domain::changelog_entry::EntryDetails;

/// An entry from its row and its labels, and the posts that are linked to it.
pub fn details(
    (row, ids, posts): (ChangelogEntryRow<'static>, Vec<Id>, Vec<Id>),
) -> Result<EntryDetails, BadRow> {
    let entry = Listed { row, ids }.try_into()?;
    Ok(EntryDetails { entry, post_ids: posts.into_iter().map(Id::to).collect() })
}
