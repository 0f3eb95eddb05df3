//! Changelog entries: how they are made, and how scheduled ones are published.

use crate::draft::Draft;
use crate::id::{ChangelogEntryId, LabelId, UserId};
use crate::slug::Slug;
use crate::text::Title;
use crate::web_url::WebUrl;
use crate::{ClosedSet, Time, Uuid};

/// An entry of the changelog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangelogEntry {
    /// The identifier.
    pub id: ChangelogEntryId,
    /// The title.
    pub title: String,
    /// The body, or empty.
    pub content: String,
    /// The slug, unique among the organization's entries.
    pub slug: Slug,
    /// The state of the entry.
    pub status: EntryStatus,
    /// Whether the portal shows the entry when it is published.
    pub show_on_portal: bool,
    /// The URL of the hero image.
    pub featured_image_url: Option<String>,
    /// The author.
    pub author_id: Option<UserId>,
    /// The time for which the entry is or was scheduled. `Some` while it is scheduled.
    pub scheduled_at: Option<Time>,
    /// When the entry was published. `Some` once it is published.
    pub published_at: Option<Time>,
    /// The classification of the entry.
    pub entry_type: Option<EntryType>,
    /// The labels, in the order given.
    pub label_ids: Vec<LabelId>,
    /// Whether subscribers are mailed when the entry is published.
    pub notify: bool,
    /// `false` if the entry is deleted.
    pub is_active: bool,
    /// When the entry was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

impl ChangelogEntry {
    /// Whether subscribers are mailed about the entry in its present state: it is active,
    /// published, shown on the portal, and has `notify`.
    pub fn is_announced(&self) -> bool {
        self.status == EntryStatus::Published && is_announced(self.notify, self.show_on_portal)
    }
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

/// The state that a new entry is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// A draft.
    Draft,
    /// Published when its time comes. The time may have passed already.
    Scheduled {
        /// The time.
        at: Time,
    },
    /// Published at once.
    Published,
}

/// The state of an entry, with its time.
///
/// A [`ChangelogEntry`] keeps its times beside its status: `scheduled_at` stays when the entry is
/// published, and an imported draft may have either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryState {
    /// A draft.
    Draft,
    /// Scheduled.
    Scheduled {
        /// The time for which it is scheduled.
        at: Time,
    },
    /// Published.
    Published {
        /// When it was published.
        at: Time,
    },
}

/// A scheduled entry has no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoScheduledTime;

impl Launch {
    /// Combines the three fields of the request. `published` overrides the others, and the time
    /// counts only with the state `scheduled`.
    pub fn new(
        published: bool,
        status: Option<EntryStatus>,
        scheduled_for: Option<Time>,
    ) -> Result<Self, NoScheduledTime> {
        if published {
            return Ok(Self::Published);
        }
        match status {
            None | Some(EntryStatus::Draft) => Ok(Self::Draft),
            Some(EntryStatus::Published) => Ok(Self::Published),
            Some(EntryStatus::Scheduled) => {
                Ok(Self::Scheduled { at: scheduled_for.ok_or(NoScheduledTime)? })
            }
        }
    }

    /// The state of an entry that is made at `now`.
    pub fn state(self, now: Time) -> EntryState {
        match self {
            Self::Draft => EntryState::Draft,
            Self::Scheduled { at } => EntryState::Scheduled { at },
            Self::Published => EntryState::Published { at: now },
        }
    }
}

/// The fields of `/changelog/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryDraft {
    /// The title. The slug is derived from it.
    pub title: Title,
    /// The body, or empty.
    pub content: String,
    /// The classification.
    pub entry_type: Option<EntryType>,
    /// The labels, in the order given, without duplicates.
    pub label_ids: Vec<LabelId>,
    /// The state of the entry.
    pub launch: Launch,
    /// Whether subscribers are mailed when the entry is published.
    pub notify: bool,
    /// The author.
    pub author_id: Option<UserId>,
    /// The URL of the hero image.
    pub featured_image_url: Option<WebUrl>,
    /// Whether the portal shows the entry when it is published.
    pub show_on_portal: bool,
}

impl Draft for EntryDraft {
    type Record = ChangelogEntry;
    type Name = Slug;

    fn name(&self) -> Slug {
        Slug::derive(self.title.as_str(), "entry")
    }

    fn create(self, id: Uuid, slug: Slug, now: Time) -> ChangelogEntry {
        let (status, scheduled_at, published_at) = match self.launch.state(now) {
            EntryState::Draft => (EntryStatus::Draft, None, None),
            EntryState::Scheduled { at } => (EntryStatus::Scheduled, Some(at), None),
            EntryState::Published { at } => (EntryStatus::Published, None, Some(at)),
        };
        ChangelogEntry {
            id: id.into(),
            title: self.title.into(),
            content: self.content,
            slug,
            status,
            show_on_portal: self.show_on_portal,
            featured_image_url: self.featured_image_url.map(String::from),
            author_id: self.author_id,
            scheduled_at,
            published_at,
            entry_type: self.entry_type,
            label_ids: self.label_ids,
            notify: self.notify,
            is_active: true,
            created_at: now,
            updated_at: now,
        }
    }
}

/// The values of a scheduled entry that its publication depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledEntry {
    /// The entry.
    pub id: ChangelogEntryId,
    /// The time for which it is scheduled.
    pub scheduled_at: Time,
    /// Whether subscribers are mailed.
    pub notify: bool,
    /// Whether the portal shows the entry.
    pub show_on_portal: bool,
}

/// The publication of a scheduled entry. It holds only while the entry is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The entry.
    pub id: ChangelogEntryId,
    /// The new `published_at` and `updated_at` of the entry. Its `scheduled_at` stays.
    pub at: Time,
    /// Whether subscribers are mailed.
    pub is_announced: bool,
}

impl ScheduledEntry {
    /// Publishes the entry at `now`. `None` if its time has not come.
    pub fn publish(self, now: Time) -> Option<Publication> {
        let is_due = self.scheduled_at <= now;
        is_due.then(|| Publication {
            id: self.id,
            at: now,
            is_announced: is_announced(self.notify, self.show_on_portal),
        })
    }
}

/// Selects the entries of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryFilter {
    /// Only entries of this classification.
    pub entry_type: Option<EntryType>,
    /// Only entries with at least one of these labels. Empty: all entries.
    pub label_ids: Vec<LabelId>,
}

/// The orders of a list of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntrySort {
    /// `newest`: by `created_at`, newest first.
    Newest,
    /// `oldest`: by `created_at`, oldest first.
    Oldest,
    /// `published`: by `published_at`, newest first. Entries that were never published come last.
    Published,
}

impl ClosedSet for EntrySort {
    const ALL: &'static [Self] = &[Self::Newest, Self::Oldest, Self::Published];

    fn code(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Published => "published",
        }
    }
}

impl EntrySort {
    /// The time that orders the list.
    pub fn time(self, entry: &ChangelogEntry) -> Option<Time> {
        match self {
            Self::Newest | Self::Oldest => Some(entry.created_at),
            Self::Published => entry.published_at,
        }
    }
}

fn is_announced(notify: bool, show_on_portal: bool) -> bool {
    notify && show_on_portal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;

    fn time(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    fn draft(launch: Launch) -> EntryDraft {
        EntryDraft {
            title: Title::parse("Dark mode").unwrap(),
            content: String::new(),
            entry_type: Some(EntryType::New),
            label_ids: vec![],
            launch,
            notify: true,
            author_id: None,
            featured_image_url: None,
            show_on_portal: true,
        }
    }

    fn created(draft: EntryDraft) -> ChangelogEntry {
        let slug = draft.name();
        draft.create(Uuid::nil(), slug, time("2026-03-01T09:30:00Z"))
    }

    #[test]
    fn published_overrides_the_state_and_a_time_counts_only_with_scheduled() {
        use EntryStatus::{Draft, Published, Scheduled};
        let at = time("2026-06-01");
        for status in [None, Some(Draft), Some(Published), Some(Scheduled)] {
            for time in [None, Some(at)] {
                assert_eq!(Launch::new(true, status, time), Ok(Launch::Published));
            }
        }
        for time in [None, Some(at)] {
            assert_eq!(Launch::new(false, None, time), Ok(Launch::Draft));
            assert_eq!(Launch::new(false, Some(Draft), time), Ok(Launch::Draft));
            assert_eq!(Launch::new(false, Some(Published), time), Ok(Launch::Published));
        }
        assert_eq!(Launch::new(false, Some(Scheduled), Some(at)), Ok(Launch::Scheduled { at }));
        assert_eq!(Launch::new(false, Some(Scheduled), None), Err(NoScheduledTime));
    }

    #[test]
    fn a_new_entry_has_the_times_of_its_state() {
        let times = |launch| {
            let entry = created(draft(launch));
            (entry.status, entry.scheduled_at, entry.published_at)
        };
        let at = time("2026-06-01");
        assert_eq!(times(Launch::Draft), (EntryStatus::Draft, None, None));
        assert_eq!(times(Launch::Scheduled { at }), (EntryStatus::Scheduled, Some(at), None));
        assert_eq!(
            times(Launch::Published),
            (EntryStatus::Published, None, Some(time("2026-03-01T09:30:00Z")))
        );
    }

    #[test]
    fn only_a_published_entry_on_the_portal_with_notify_is_announced() {
        assert!(created(draft(Launch::Published)).is_announced());
        assert!(!created(draft(Launch::Draft)).is_announced());
        assert!(!created(draft(Launch::Scheduled { at: Time::MIN })).is_announced());
        assert!(!created(EntryDraft { notify: false, ..draft(Launch::Published) }).is_announced());
        assert!(
            !created(EntryDraft { show_on_portal: false, ..draft(Launch::Published) })
                .is_announced()
        );
    }

    #[test]
    fn a_scheduled_entry_is_published_at_its_time_and_not_before() {
        let at = time("2026-06-01T12:00:00Z");
        let entry = ScheduledEntry {
            id: Uuid::nil().into(),
            scheduled_at: at,
            notify: true,
            show_on_portal: true,
        };
        assert_eq!(entry.publish(at.plus_millis(-1)), None);
        for now in [at, at.plus_millis(86_400_000)] {
            assert_eq!(
                entry.publish(now),
                Some(Publication { id: entry.id, at: now, is_announced: true })
            );
        }
        let silent = [
            ScheduledEntry { notify: false, ..entry },
            ScheduledEntry { show_on_portal: false, ..entry },
        ];
        assert!(
            silent.iter().all(|entry| entry
                .publish(at)
                .is_some_and(|publication| !publication.is_announced))
        );
    }
}
