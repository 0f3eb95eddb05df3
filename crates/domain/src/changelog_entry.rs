//! Changelog entries.

use crate::id::{ChangelogEntryId, LabelId, UserId};
use crate::slug::Slug;
use crate::{ClosedSet, Time};

/// An entry of the changelog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangelogEntry {
    /// Identifier.
    pub id: ChangelogEntryId,
    /// Title.
    pub title: String,
    /// Body, or empty.
    pub content: String,
    /// Unique among the organization's entries.
    pub slug: Slug,
    /// Whether it is a draft, waiting for its time, or out.
    pub status: EntryStatus,
    /// Whether the portal shows it once it is published.
    pub show_on_portal: bool,
    /// URL of the hero image.
    pub featured_image_url: Option<String>,
    /// Who wrote it.
    pub author_id: Option<UserId>,
    /// When it is, or was, to be published; always there while it is scheduled.
    pub scheduled_at: Option<Time>,
    /// When it was published; always there once it is.
    pub published_at: Option<Time>,
    /// Its classification.
    pub entry_type: Option<EntryType>,
    /// Its labels, in the order given.
    pub label_ids: Vec<LabelId>,
    /// Whether subscribers are mailed when it is published.
    pub notify: bool,
    /// `false`: deleted.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Time,
    /// When a value of it last changed.
    pub updated_at: Time,
}

/// The states of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryStatus {
    /// `draft`
    Draft,
    /// `published`
    Published,
    /// `scheduled`
    Scheduled,
}

impl ClosedSet for EntryStatus {
    const ALL: &'static [Self] = &[Self::Draft, Self::Published, Self::Scheduled];

    fn code(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Published => "published",
            Self::Scheduled => "scheduled",
        }
    }
}

/// The classifications of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryType {
    /// `fixed`
    Fixed,
    /// `new`
    New,
    /// `improvement`
    Improvement,
}

impl ClosedSet for EntryType {
    const ALL: &'static [Self] = &[Self::Fixed, Self::New, Self::Improvement];

    fn code(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::New => "new",
            Self::Improvement => "improvement",
        }
    }
}
