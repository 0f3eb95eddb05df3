//! The erasure of what was deleted long ago.

use crate::Time;
use crate::attributes::Attributes;
use crate::changelog_entry::ChangelogEntry;
use crate::comment::Comment;
use crate::company::Company;
use crate::delivery::{parse_pause, pause_text};
use crate::feedback_post::FeedbackPost;
use crate::help_article::HelpArticle;
use crate::millis::{DAY, MINUTE, days};
use crate::record::{Key, Record, Step};
use crate::roadmap_post::RoadmapPost;
use crate::spend::Spend;
use std::fmt;

/// How long a deleted record stays as it was. From then on it cannot be restored, and a background
/// step erases it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EraseAfter {
    millis: i64,
}

/// The text is not a time of a day to 3650 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoEraseAfter;

/// The record is not deleted, is merged, or was deleted too long ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CannotRestore;

/// 30 days.
impl Default for EraseAfter {
    fn default() -> Self {
        Self { millis: days(30) }
    }
}

impl EraseAfter {
    /// Reads a time such as `30d`: a whole number with the unit `s`, `m`, `h` or `d`, from a day, so
    /// that receipts of the deletion are gone before, to ten years.
    pub fn parse(text: &str) -> Result<Self, NoEraseAfter> {
        let millis = parse_pause(text).filter(|millis| (DAY..=days(3_650)).contains(millis));
        millis.map(|millis| Self { millis }).ok_or(NoEraseAfter)
    }

    /// Refuses to restore a record that is active, or whose time is over. `changed_at` is the time
    /// of its last change, which is the deletion of a deleted record.
    pub fn check(self, is_active: bool, changed_at: Time, now: Time) -> Result<(), CannotRestore> {
        let is_over = changed_at < now.plus_millis(-self.millis);
        if is_active || is_over { Err(CannotRestore) } else { Ok(()) }
    }

    /// The age of a deletion at which the record is erased, in milliseconds. It is a minute more
    /// than the time to restore the record: no server whose clock is behind restores a post of which
    /// a part is erased.
    pub fn erased_at_age(self) -> i64 {
        self.millis + MINUTE
    }
}

/// The text that [`EraseAfter::parse`] reads.
impl fmt::Display for EraseAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&pause_text(self.millis))
    }
}

impl Record {
    /// The deleted record without its content. References to it stay, and so do its own to
    /// records that are kept. `None` if records of the kind are not erased.
    pub fn erased(self) -> Option<Self> {
        match self {
            Self::User(user) => Some(Self::User(user.erased())),
            Self::Company(company) => Some(Self::Company(company.erased())),
            Self::FeedbackPost(post) => Some(Self::FeedbackPost(post.erased())),
            Self::RoadmapPost(post) => Some(Self::RoadmapPost(post.erased())),
            Self::Comment(comment) => Some(Self::Comment(comment.erased())),
            Self::ChangelogEntry(entry) => Some(Self::ChangelogEntry(entry.erased())),
            Self::HelpArticle(article) => Some(Self::HelpArticle(article.erased())),
            _ => None,
        }
    }

    /// Whether the record has been erased.
    pub fn is_erased(&self) -> bool {
        !self.is_active() && self.clone().erased().as_ref() == Some(self)
    }

    /// The step of an erasure: a record that can be deleted loses its content, and any other one is
    /// removed.
    pub fn erase(self, at: Time) -> Step {
        match self.clone().erased() {
            Some(erased) => Step::edit_record(self, erased, at),
            None => Step::Remove(self),
        }
    }
}

impl Step {
    /// The record that the step erases.
    pub fn erased(&self) -> Option<Key> {
        self.after().filter(|after| after.is_erased()).map(Record::key)
    }
}

impl Company {
    /// The company without its values. The identifier of another tool stays: it is the key by which
    /// the company may be made again.
    fn erased(self) -> Self {
        let Self { id, external_id, created_at, updated_at, .. } = self;
        // Each field is named, so that nobody adds one that stays unseen.
        Self {
            id,
            external_id,
            created_at,
            updated_at,
            name: String::new(),
            monthly_spend: Spend::default(),
            customer_status: String::new(),
            attributes: Attributes::default(),
            is_active: false,
        }
    }
}

impl FeedbackPost {
    /// The post without its content. The slug stays taken.
    fn erased(self) -> Self {
        let Self { id, slug, board_id, author_id, status_id, moderation, merged_into_id, .. } =
            self;
        let Self { created_at, updated_at, status_changed_at, .. } = self;
        Self {
            id,
            slug,
            board_id,
            author_id,
            status_id,
            moderation,
            merged_into_id,
            created_at,
            updated_at,
            status_changed_at,
            title: String::new(),
            description: String::new(),
            owner_id: None,
            category_id: None,
            eta: None,
            eta_is_public: true,
            is_pinned: false,
            tag_ids: Vec::new(),
            attributes: Attributes::default(),
            created_by_id: None,
            external_id: None,
            is_active: false,
        }
    }
}

impl RoadmapPost {
    /// The post without its content. The slug stays taken.
    fn erased(self) -> Self {
        let Self { id, slug, roadmap_board_id, author_id, status_id, .. } = self;
        let Self { seq_number, created_at, updated_at, .. } = self;
        Self {
            id,
            slug,
            roadmap_board_id,
            author_id,
            status_id,
            seq_number,
            created_at,
            updated_at,
            title: String::new(),
            description: String::new(),
            owner_id: None,
            category_id: None,
            eta: None,
            tag_ids: Vec::new(),
            external_id: None,
            is_active: false,
        }
    }
}

impl Comment {
    /// The comment without its text. Replies still refer to it.
    fn erased(self) -> Self {
        let Self { id, author_id, parent_comment_id, feedback_post_id, .. } = self;
        let Self { visibility, moderation, created_at, updated_at, .. } = self;
        Self {
            id,
            author_id,
            parent_comment_id,
            feedback_post_id,
            visibility,
            moderation,
            created_at,
            updated_at,
            content: String::new(),
            is_pinned: false,
            external_id: None,
            is_active: false,
        }
    }
}

impl ChangelogEntry {
    /// The entry without its content. The slug stays taken.
    fn erased(self) -> Self {
        let Self { id, slug, status, show_on_portal, author_id, entry_type, .. } = self;
        let Self { scheduled_at, published_at, notify, notify_voters, .. } = self;
        let Self { created_at, updated_at, .. } = self;
        Self {
            id,
            slug,
            status,
            show_on_portal,
            author_id,
            entry_type,
            scheduled_at,
            published_at,
            notify,
            notify_voters,
            created_at,
            updated_at,
            title: "Deleted entry".to_owned(),
            content: String::new(),
            featured_image_url: None,
            label_ids: Vec::new(),
            external_id: None,
            is_active: false,
        }
    }
}

impl HelpArticle {
    /// The article without its content. The slug and the place stay.
    fn erased(self) -> Self {
        let Self { id, slug, status, show_on_portal, is_favourite, parent, seq_number, .. } = self;
        let Self { author_id, published_at, created_at, updated_at, .. } = self;
        let Self { view_count, helpful_count, not_helpful_count, .. } = self;
        let Self { version, versioned_at, .. } = self;
        Self {
            id,
            slug,
            status,
            show_on_portal,
            is_favourite,
            parent,
            seq_number,
            author_id,
            published_at,
            view_count,
            helpful_count,
            not_helpful_count,
            version,
            versioned_at,
            created_at,
            updated_at,
            title: "Deleted article".to_owned(),
            content: String::new(),
            excerpt: None,
            related_article_ids: Vec::new(),
            external_id: None,
            is_active: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;
    use crate::record::{Kind, OfKind, examples};
    use crate::vote::Target;
    use std::collections::BTreeSet;

    fn comment(is_active: bool) -> Record {
        Comment { is_active, ..examples::comment() }.into_record()
    }

    #[test]
    fn an_erased_record_has_its_key_and_none_of_its_content() {
        let content = [
            "Dark mode",
            "At night",
            "It is here",
            "Yes",
            "Wait",
            "Signing in",
            "Ada",
            "ada@",
            "Analytical",
            "paying",
            "dark.png",
        ];
        let mut kinds = BTreeSet::new();
        for record in examples::records() {
            let Some(erased) = record.clone().erased() else { continue };
            assert_eq!(erased.key(), record.key());
            assert!(erased.is_erased() && !record.is_erased(), "{erased:?}");
            let shown = format!("{erased:?}");
            assert!(!content.iter().any(|text| shown.contains(text)), "{shown}");
            kinds.insert(record.kind());
        }
        let all = [
            Kind::Company,
            Kind::User,
            Kind::FeedbackPost,
            Kind::RoadmapPost,
            Kind::Comment,
            Kind::ChangelogEntry,
            Kind::HelpArticle,
        ];
        assert_eq!(kinds, BTreeSet::from(all));
    }

    #[test]
    fn a_time_is_read_from_a_day_to_ten_years() {
        for (text, shown) in [("30d", "30d"), ("24h", "1d"), ("36h", "36h"), ("3650d", "3650d")] {
            assert_eq!(EraseAfter::parse(text).unwrap().to_string(), shown);
        }
        for text in ["", "30", "23h", "3651d", "-1d", "1w", "d"] {
            assert_eq!(EraseAfter::parse(text), Err(NoEraseAfter), "{text:?}");
        }
        assert_eq!(EraseAfter::default().to_string(), "30d");
    }

    #[test]
    fn the_deadline_is_over_after_the_time_and_before_the_erasure() {
        let [after, deleted_at] = [EraseAfter::parse("1d").unwrap().millis, 0];
        let is_over = |millis: i64| {
            let at = |millis| Time::from_unix_millis(millis).unwrap();
            EraseAfter { millis: after }.check(false, at(deleted_at), at(millis)).is_err()
        };
        assert_eq!([DAY, DAY + 1].map(is_over), [false, true]);
        let active = EraseAfter::default().check(true, Time::MIN, Time::MIN);
        assert_eq!(active, Err(CannotRestore));
        assert!(EraseAfter::default().erased_at_age() > days(30));
    }

    #[test]
    fn an_erasure_of_what_is_deleted_moves_no_updated_at_and_happens_once() {
        let step = comment(false).erase(Time::MAX);
        let Step::Edit { after: Record::Comment(after), .. } = &step else { panic!("{step:?}") };
        assert_eq!((&*after.content, after.updated_at), ("", Time::MIN));
        assert_eq!((after.is_pinned, &after.external_id), (false, &None));
        assert_eq!(step.erased(), Some(comment(false).key()));
        assert!(!comment(false).is_erased() && !comment(true).is_erased());
        assert!(step.after().cloned().unwrap().erase(Time::MAX).is_empty());
    }

    #[test]
    fn a_mirror_learns_that_an_active_record_is_erased() {
        let Step::Edit { after: Record::Comment(after), .. } = comment(true).erase(Time::MAX)
        else {
            panic!("it is edited");
        };
        assert_eq!((after.is_active, after.updated_at), (false, Time::MAX));
    }

    #[test]
    fn what_cannot_be_deleted_is_removed() {
        let vote = examples::vote(Target::Feedback(Uuid::nil().into()));
        let step = vote.clone().into_record().erase(Time::MAX);
        assert_eq!(step, Step::remove(vote));
        assert_eq!(step.erased(), None);
    }
}
