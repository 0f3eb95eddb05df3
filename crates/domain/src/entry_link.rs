//! Links between changelog entries and feedback posts.

use crate::Time;
use crate::id::{ChangelogEntryId, EntryLinkId, PostId};

/// A link from a changelog entry to a feedback post that the entry answers. There is at most one
/// for both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryLink {
    /// The identifier.
    pub id: EntryLinkId,
    /// The entry.
    pub changelog_entry_id: ChangelogEntryId,
    /// The feedback post.
    pub feedback_post_id: PostId,
    /// When the link was made.
    pub created_at: Time,
}
