//! Changelog entries: how they are made, and how scheduled ones are published.

use crate::draft::Draft;
use crate::edit::{Patch, replace};
use crate::id::{ChangelogEntryId, LabelId, PostId, UserId};
use crate::slug::Slug;
use crate::text::{ExternalId, Title};
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
    /// Whether all who receive mail are mailed when the entry is published.
    pub notify: bool,
    /// Whether the subscribers of linked posts are mailed when the entry is published.
    pub notify_voters: bool,
    /// The identifier that another tool gave the entry, unique among the organization's active
    /// entries.
    pub external_id: Option<String>,
    /// `false` if the entry is deleted.
    pub is_active: bool,
    /// When the entry was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

impl ChangelogEntry {
    /// Whether the entry is active and published.
    pub fn is_out(&self) -> bool {
        self.is_active && self.status == EntryStatus::Published
    }

    /// Whether users are mailed about the entry in its present state.
    pub fn is_announced(&self) -> bool {
        self.is_out() && self.show_on_portal && (self.notify || self.notify_voters)
    }

    /// The entry in another state. A published entry keeps the time for which it was scheduled.
    pub fn with_state(self, state: EntryState) -> Self {
        let scheduled_at = self.scheduled_at;
        let (status, scheduled_at, published_at) = match state {
            EntryState::Draft => (EntryStatus::Draft, None, None),
            EntryState::Scheduled { at } => (EntryStatus::Scheduled, Some(at), None),
            EntryState::Published { at } => (EntryStatus::Published, scheduled_at, Some(at)),
        };
        Self { status, scheduled_at, published_at, ..self }
    }

    /// The entry as a draft. A draft stays as it is.
    #[must_use]
    pub fn unpublished(self) -> Self {
        match self.status {
            EntryStatus::Draft => self,
            EntryStatus::Published | EntryStatus::Scheduled => self.with_state(EntryState::Draft),
        }
    }

    /// The entry, published at `now`. `None` if it is not scheduled, or its time has not come.
    pub fn published_if_due(self, now: Time) -> Option<Self> {
        let is_due = self.scheduled_at.is_some_and(|at| at <= now);
        let is_scheduled = self.is_active && self.status == EntryStatus::Scheduled;
        (is_scheduled && is_due).then(|| self.with_state(EntryState::Published { at: now }))
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
    /// The identifier that another tool gave the entry.
    pub external_id: Option<ExternalId>,
}

impl Draft for EntryDraft {
    type Record = ChangelogEntry;
    type Name = Slug;

    fn name(&self) -> Slug {
        Slug::derive(self.title.as_str(), "entry")
    }

    fn create(self, id: Uuid, slug: Slug, now: Time) -> ChangelogEntry {
        let state = self.launch.state(now);
        let draft = ChangelogEntry {
            id: id.into(),
            title: self.title.into(),
            content: self.content,
            slug,
            status: EntryStatus::Draft,
            show_on_portal: self.show_on_portal,
            featured_image_url: self.featured_image_url.map(String::from),
            author_id: self.author_id,
            scheduled_at: None,
            published_at: None,
            entry_type: self.entry_type,
            label_ids: self.label_ids,
            notify: self.notify,
            notify_voters: false,
            external_id: self.external_id.map(String::from),
            is_active: true,
            created_at: now,
            updated_at: now,
        };
        draft.with_state(state)
    }
}

/// The new values of `/changelog/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryPatch {
    /// The title.
    pub title: Option<Title>,
    /// The body.
    pub content: Option<String>,
    /// The slug.
    pub slug: Option<Slug>,
    /// The classification.
    pub entry_type: Patch<EntryType>,
    /// The labels.
    pub label_ids: Option<Vec<LabelId>>,
    /// The URL of the hero image.
    pub featured_image_url: Patch<WebUrl>,
    /// Whether the portal shows the entry when it is published.
    pub show_on_portal: Option<bool>,
    /// The author.
    pub author_id: Patch<UserId>,
    /// Whether all who receive mail are mailed when the entry is published.
    pub notify: Option<bool>,
    /// When the entry was published.
    pub published_at: Option<Time>,
    /// The identifier that another tool gave the entry.
    pub external_id: Patch<ExternalId>,
}

impl EntryPatch {
    /// The entry with the new values. Fails if `published_at` is given for an entry that is not
    /// published.
    pub fn edit(self, mut entry: ChangelogEntry) -> Result<ChangelogEntry, NotPublished> {
        replace(&mut entry.title, self.title);
        replace(&mut entry.content, self.content);
        replace(&mut entry.slug, self.slug);
        self.entry_type.apply(&mut entry.entry_type);
        replace(&mut entry.label_ids, self.label_ids);
        self.featured_image_url.apply(&mut entry.featured_image_url);
        replace(&mut entry.show_on_portal, self.show_on_portal);
        self.author_id.apply(&mut entry.author_id);
        replace(&mut entry.notify, self.notify);
        self.external_id.apply(&mut entry.external_id);
        if let Some(at) = self.published_at {
            if entry.status != EntryStatus::Published {
                return Err(NotPublished);
            }
            entry.published_at = Some(at);
        }
        Ok(entry)
    }
}

/// The entry is not published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPublished;

/// The input of `/changelog/publish`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Publish {
    /// The time for which the entry is scheduled. It is published at once if the time is past.
    pub scheduled_for: Option<Time>,
    /// Whether all who receive mail are mailed.
    pub notify: bool,
    /// Whether the subscribers of linked posts are mailed.
    pub notify_voters: bool,
}

/// The entry is published already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlreadyPublished;

impl Publish {
    /// Publishes or schedules an entry.
    pub fn edit(
        self,
        entry: ChangelogEntry,
        now: Time,
    ) -> Result<ChangelogEntry, AlreadyPublished> {
        if entry.status == EntryStatus::Published {
            return Err(AlreadyPublished);
        }
        let entry = entry.with_state(EntryState::Draft);
        let state = match self.scheduled_for.filter(|at| *at > now) {
            Some(at) => EntryState::Scheduled { at },
            None => EntryState::Published { at: now },
        };
        let Self { notify, notify_voters, .. } = self;
        Ok(ChangelogEntry { notify, notify_voters, ..entry.with_state(state) })
    }
}

/// An entry with the posts that are linked to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryDetails {
    /// The entry.
    pub entry: ChangelogEntry,
    /// The linked posts, in the order of their links.
    pub post_ids: Vec<PostId>,
}

/// Selects the entries of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryFilter {
    /// Only entries of this classification.
    pub entry_type: Option<EntryType>,
    /// Only entries with at least one of these labels. Empty: all entries.
    pub label_ids: Vec<LabelId>,
    /// Only entries that are published and that the portal shows.
    pub is_public: bool,
}

impl EntryFilter {
    /// Whether the filter admits an entry, active or not.
    pub fn admits(&self, entry: &ChangelogEntry) -> bool {
        (self.entry_type.is_none() || entry.entry_type == self.entry_type)
            && (self.label_ids.is_empty()
                || entry.label_ids.iter().any(|label| self.label_ids.contains(label)))
            && (!self.is_public || entry.status == EntryStatus::Published && entry.show_on_portal)
    }
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
            external_id: None,
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
    fn an_unpublished_entry_is_a_draft_and_a_draft_stays_as_it_is() {
        let at = time("2026-06-01");
        for launch in [Launch::Published, Launch::Scheduled { at }] {
            let entry = created(draft(launch)).unpublished();
            let times = (entry.published_at, entry.scheduled_at);
            assert_eq!((entry.status, times), (EntryStatus::Draft, (None, None)));
        }
        let imported = created(draft(Launch::Draft));
        let imported = ChangelogEntry { published_at: Some(at), ..imported };
        assert_eq!(imported.clone().unpublished(), imported);
    }

    #[test]
    fn only_a_published_entry_on_the_portal_with_someone_to_mail_is_announced() {
        assert!(created(draft(Launch::Published)).is_announced());
        assert!(!created(draft(Launch::Draft)).is_announced());
        assert!(!created(draft(Launch::Scheduled { at: Time::MIN })).is_announced());
        assert!(!created(EntryDraft { notify: false, ..draft(Launch::Published) }).is_announced());
        assert!(
            !created(EntryDraft { show_on_portal: false, ..draft(Launch::Published) })
                .is_announced()
        );
        let of_posts = created(EntryDraft { notify: false, ..draft(Launch::Published) });
        assert!(ChangelogEntry { notify_voters: true, ..of_posts.clone() }.is_announced());
        assert!(!ChangelogEntry { is_active: false, notify: true, ..of_posts }.is_announced());
    }

    #[test]
    fn a_scheduled_entry_is_published_at_its_time_and_not_before() {
        let at = time("2026-06-01T12:00:00Z");
        let entry = created(draft(Launch::Scheduled { at }));
        assert_eq!(entry.clone().published_if_due(at.plus_millis(-1)), None);
        for now in [at, at.plus_millis(86_400_000)] {
            let (status, published_at) = (EntryStatus::Published, Some(now));
            let published = ChangelogEntry { status, published_at, ..entry.clone() };
            assert_eq!(entry.clone().published_if_due(now), Some(published));
        }
        let deleted = ChangelogEntry { is_active: false, ..entry };
        assert_eq!(deleted.published_if_due(at), None);
        let drafted = created(draft(Launch::Draft)).with_state(EntryState::Draft);
        let imported = ChangelogEntry { scheduled_at: Some(at), ..drafted };
        assert_eq!(imported.published_if_due(at), None);
    }

    #[test]
    fn a_draft_or_scheduled_entry_is_published_or_scheduled_anew() {
        let (now, later) = (time("2026-06-01T12:00:00Z"), time("2026-07-01"));
        let publish = |scheduled_for| Publish { scheduled_for, notify: false, notify_voters: true };
        for launch in [Launch::Draft, Launch::Scheduled { at: later }] {
            for (scheduled_for, status, at) in [
                (None, EntryStatus::Published, [None, Some(now)]),
                (Some(now), EntryStatus::Published, [None, Some(now)]),
                (Some(later), EntryStatus::Scheduled, [Some(later), None]),
            ] {
                let entry = publish(scheduled_for).edit(created(draft(launch)), now).unwrap();
                assert_eq!((entry.status, [entry.scheduled_at, entry.published_at]), (status, at));
                assert_eq!((entry.notify, entry.notify_voters), (false, true));
            }
        }
        let published = created(draft(Launch::Published));
        assert_eq!(publish(None).edit(published, now), Err(AlreadyPublished));
    }

    #[test]
    fn only_a_published_entry_gets_another_time_of_publication() {
        let patch = |published_at| EntryPatch { published_at, ..EntryPatch::default() };
        let published = created(draft(Launch::Published));
        let edited = patch(Some(time("2026-01-01"))).edit(published).unwrap();
        assert_eq!(edited.published_at, Some(time("2026-01-01")));
        let scheduled = || created(draft(Launch::Scheduled { at: time("2026-07-01") }));
        assert_eq!(patch(Some(Time::MIN)).edit(scheduled()), Err(NotPublished));
        assert_eq!(patch(None).edit(scheduled()), Ok(scheduled()));
    }

    #[test]
    fn each_condition_of_a_filter_refuses_the_entries_that_differ_in_it() {
        let label = |n: u128| Uuid::from_u128(n).into();
        let draft = EntryDraft { label_ids: vec![label(1), label(2)], ..draft(Launch::Published) };
        let entry = created(draft);
        let none = EntryFilter::default;
        for (filter, is_met) in [
            (none(), true),
            (EntryFilter { entry_type: Some(EntryType::New), ..none() }, true),
            (EntryFilter { entry_type: Some(EntryType::Fixed), ..none() }, false),
            (EntryFilter { label_ids: vec![label(3), label(2)], ..none() }, true),
            (EntryFilter { label_ids: vec![label(3)], ..none() }, false),
        ] {
            assert_eq!(filter.admits(&entry), is_met, "{filter:?}");
        }
        let public = EntryFilter { is_public: true, ..none() };
        assert!(public.admits(&entry));
        let hidden = ChangelogEntry { show_on_portal: false, ..entry.clone() };
        assert!(!public.admits(&hidden) && none().admits(&hidden));
        let draft = ChangelogEntry { status: EntryStatus::Draft, ..entry };
        assert!(!public.admits(&draft) && none().admits(&draft));
    }
}
