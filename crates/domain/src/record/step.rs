//! The steps of a change.

use super::{Kind, OfKind, Record, Reference};
use crate::changelog_entry::ChangelogEntry;
use crate::comment::Comment;
use crate::company::Company;
use crate::feedback_board::FeedbackBoard;
use crate::feedback_post::FeedbackPost;
use crate::help_article::{ArticleParent, HelpArticle};
use crate::help_category::HelpCategory;
use crate::help_collection::HelpCollection;
use crate::position::Position;
use crate::roadmap_board::RoadmapBoard;
use crate::roadmap_post::RoadmapPost;
use crate::status::{Status, StatusGroup};
use crate::user::User;
use crate::{Time, Uuid};

/// A record that is made, edited or removed.
///
/// A deletion is an edit of `is_active`. A record is removed only if its kind has no such member,
/// or if it is a webhook, which is switched on and off by that member.
///
/// A record that is made in a [`Parent`] or moves there goes to its end, unless it is
/// [placed](Step::placement). The store gives it that position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there are few steps, and each is matched at once")]
pub enum Step {
    /// The record is made.
    Make(Record),
    /// The record is edited.
    ///
    /// No edit changes an identifier, the place of a comment (`feedback_post_id`,
    /// `parent_comment_id`) or the mark of a merged post (`merged_into_id`): a store need not write
    /// these. Counters of readers grow meanwhile: a store never writes them.
    Edit {
        /// The record as it was loaded. The edit holds only while the stored record is unchanged.
        before: Record,
        /// The record as it is to be.
        after: Record,
    },
    /// The record is removed. The step holds only while the stored record is unchanged.
    Remove(Record),
}

impl Step {
    /// Makes a record.
    pub fn make(record: impl OfKind) -> Self {
        Self::Make(record.into_record())
    }

    /// Edits a record. Its `updated_at` moves if a value changes. That of a deleted record stays
    /// the time of the deletion: nothing else is shown of it.
    pub fn edit<R: OfKind>(before: R, after: R, now: Time) -> Self {
        Self::edit_record(before.into_record(), after.into_record(), now)
    }

    /// [`Self::edit`] of a record of any kind.
    pub fn edit_record(before: Record, mut after: Record, now: Time) -> Self {
        if before != after && (before.is_active() || after.is_active()) {
            after.touch(now);
        }
        if let (Record::FeedbackPost(before), Record::FeedbackPost(after)) = (&before, &mut after)
            && before.status_id != after.status_id
        {
            after.status_changed_at = now.max(after.updated_at);
        }
        Self::Edit { before, after }
    }

    /// Removes a record.
    pub fn remove(record: impl OfKind) -> Self {
        Self::Remove(record.into_record())
    }

    /// The stored record that the step rests on.
    pub fn before(&self) -> Option<&Record> {
        match self {
            Self::Make(_) => None,
            Self::Edit { before, .. } | Self::Remove(before) => Some(before),
        }
    }

    /// The record that the step writes.
    pub fn after(&self) -> Option<&Record> {
        match self {
            Self::Make(after) | Self::Edit { after, .. } => Some(after),
            Self::Remove(_) => None,
        }
    }

    /// Whether the step changes nothing.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Edit { before, after } if before == after)
    }

    /// The list whose end the step may move, with the position that the record has there. `None`:
    /// the record goes to the end.
    pub fn placement(&self) -> Option<(Parent, Option<Position>)> {
        let Some(parent) = self.new_parent() else {
            return self.new_position().map(|(parent, position)| (parent, Some(position)));
        };
        // Only a roadmap post may be made at a position, or move to one.
        let placed = self.after().filter(|after| matches!(after, Record::RoadmapPost(_)));
        let given = placed.and_then(Record::position);
        let former = self.before().and_then(Record::position);
        let is_given =
            |position: &Position| *position != Position::START && Some(*position) != former;
        Some((parent, given.filter(is_given)))
    }

    /// The parent at whose end the record is put.
    pub fn new_parent(&self) -> Option<Parent> {
        let parent = self.after()?.parent()?;
        (self.before().and_then(Record::parent) != Some(parent)).then_some(parent)
    }

    /// The position that an edit gives to a record in the list in which it stays.
    pub fn new_position(&self) -> Option<(Parent, Position)> {
        let (before, after) = (self.before()?, self.after()?);
        let position = after.position().filter(|_| after.position() != before.position())?;
        Some((after.parent().filter(|_| self.new_parent().is_none())?, position))
    }

    /// The [key](Record::name_key) of a name that the active record did not have before.
    pub fn new_name(&self) -> Option<String> {
        let name = |record: &Record| record.name_key().filter(|_| record.is_active());
        let new = self.after().and_then(name)?;
        (self.before().and_then(name).as_ref() != Some(&new)).then_some(new)
    }

    /// The records that must exist and be active: those that the record references and did not
    /// reference before.
    pub fn needs(&self) -> Vec<Reference> {
        let named = |record: &Record| {
            [record.references(), record.links(), record.listed_references()].concat()
        };
        let before = self.before().map(named).unwrap_or_default();
        let mut needs = self.after().map(named).unwrap_or_default();
        needs.retain(|reference| !before.contains(reference));
        needs
    }
}

/// The list in which a record has its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parent {
    /// All records of the kind.
    Organization,
    /// The statuses of a group.
    Group(StatusGroup),
    /// The records of the kind that are in another record.
    Record(Kind, Uuid),
}

impl Record {
    /// The list in which the record has its position, if it has one.
    pub fn parent(&self) -> Option<Parent> {
        match self {
            Self::FeedbackBoard(_) | Self::RoadmapBoard(_) | Self::HelpCollection(_) => {
                Some(Parent::Organization)
            }
            Self::Status(status) => Some(Parent::Group(status.group)),
            Self::RoadmapPost(post) => {
                Some(Parent::Record(Kind::RoadmapBoard, post.roadmap_board_id.0))
            }
            Self::HelpCategory(category) => {
                Some(Parent::Record(Kind::HelpCollection, category.collection_id.0))
            }
            Self::HelpArticle(article) => Some(match article.parent {
                ArticleParent::Collection(id) => Parent::Record(Kind::HelpCollection, id.0),
                ArticleParent::Category(id) => Parent::Record(Kind::HelpCategory, id.0),
            }),
            _ => None,
        }
    }

    /// The position of the record, if its kind has one.
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::FeedbackBoard(FeedbackBoard { seq_number, .. })
            | Self::RoadmapBoard(RoadmapBoard { seq_number, .. })
            | Self::HelpCollection(HelpCollection { seq_number, .. })
            | Self::Status(Status { seq_number, .. })
            | Self::RoadmapPost(RoadmapPost { seq_number, .. })
            | Self::HelpCategory(HelpCategory { seq_number, .. })
            | Self::HelpArticle(HelpArticle { seq_number, .. }) => Some(*seq_number),
            _ => None,
        }
    }

    /// Gives the record a position, if its kind has one.
    pub fn put_at(&mut self, position: Position) {
        match self {
            Self::FeedbackBoard(FeedbackBoard { seq_number, .. })
            | Self::RoadmapBoard(RoadmapBoard { seq_number, .. })
            | Self::HelpCollection(HelpCollection { seq_number, .. })
            | Self::Status(Status { seq_number, .. })
            | Self::RoadmapPost(RoadmapPost { seq_number, .. })
            | Self::HelpCategory(HelpCategory { seq_number, .. })
            | Self::HelpArticle(HelpArticle { seq_number, .. }) => *seq_number = position,
            _ => {}
        }
    }

    /// Sets `updated_at` to `now`, if the kind has it. It moves by at least its unit.
    fn touch(&mut self, now: Time) {
        if let Some((updated_at, unit)) = self.updated_at() {
            *updated_at = now.max(updated_at.plus_millis(unit));
        }
    }

    /// Whether the record was last updated at `time`, as far as the API shows it. A record without
    /// `updated_at` was.
    pub fn is_of(mut self, time: Time) -> bool {
        self.updated_at().is_none_or(|(updated_at, unit)| {
            updated_at.unix_millis().div_euclid(unit) == time.unix_millis().div_euclid(unit)
        })
    }

    /// `updated_at` with its unit in the API in milliseconds, if the kind has it.
    fn updated_at(&mut self) -> Option<(&mut Time, i64)> {
        match self {
            Self::Company(Company { updated_at, .. })
            | Self::User(User { updated_at, .. })
            | Self::FeedbackPost(FeedbackPost { updated_at, .. })
            | Self::RoadmapPost(RoadmapPost { updated_at, .. })
            | Self::Comment(Comment { updated_at, .. })
            | Self::ChangelogEntry(ChangelogEntry { updated_at, .. })
            | Self::HelpArticle(HelpArticle { updated_at, .. }) => Some((updated_at, 1)),
            Self::HelpCollection(HelpCollection { updated_at, .. })
            | Self::HelpCategory(HelpCategory { updated_at, .. }) => Some((updated_at, 1_000)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClosedSet;
    use crate::record::{OfKind, examples};
    use crate::tag::Tag;
    use std::collections::BTreeSet;

    fn id<T: From<Uuid>>(n: u128) -> T {
        T::from(Uuid::from_u128(n))
    }

    fn category() -> HelpCategory {
        HelpCategory { id: id(1), collection_id: id(2), ..examples::category() }
    }

    fn updated_at(step: &Step) -> Time {
        match step.after() {
            Some(Record::HelpCategory(category)) => category.updated_at,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_edit_that_changes_no_value_is_empty_and_leaves_updated_at() {
        let step = Step::edit(category(), category(), Time::MAX);
        assert!(step.is_empty());
        assert_eq!(updated_at(&step), Time::MIN);
        assert!(!Step::make(category()).is_empty() && !Step::remove(category()).is_empty());
    }

    #[test]
    fn a_record_with_a_position_has_it_in_a_list_of_its_parent() {
        let parent = |kind| {
            let of_kind = examples::records().into_iter().find(|record| record.kind() == kind);
            of_kind.and_then(|record| record.parent())
        };
        assert_eq!(parent(Kind::FeedbackBoard), Some(Parent::Organization));
        let status = examples::status().into_record();
        assert!(matches!(status.parent(), Some(Parent::Group(_))));
        for (kind, of) in
            [(Kind::RoadmapPost, Kind::RoadmapBoard), (Kind::HelpCategory, Kind::HelpCollection)]
        {
            let parent = parent(kind);
            assert!(matches!(parent, Some(Parent::Record(it, _)) if it == of), "{parent:?}");
        }
        assert_eq!(parent(Kind::Comment), None);
    }

    #[test]
    fn every_edit_moves_updated_at_by_at_least_its_unit_in_the_api() {
        let renamed = || HelpCategory { name: "Advanced".to_owned(), ..category() };
        let at = |now| updated_at(&Step::edit(category(), renamed(), now));
        assert_eq!(at(Time::MAX), Time::MAX);
        assert_eq!(at(Time::MIN), Time::MIN.plus_millis(1_000));
    }

    #[test]
    fn updated_at_is_compared_in_its_unit() {
        let is_of = |millis| category().into_record().is_of(Time::MIN.plus_millis(millis));
        assert_eq!([0, 999, 1_000].map(is_of), [true, true, false]);
    }

    #[test]
    fn a_record_that_is_made_or_moved_has_a_new_parent_and_needs_it() {
        let moved = HelpCategory { collection_id: id(3), ..category() };
        let needs = |step: &Step| Vec::from_iter(step.needs().iter().map(|need| need.key()));
        let parent = |n| Parent::Record(Kind::HelpCollection, id(n));
        let made = Step::make(category());
        assert_eq!(made.new_parent(), Some(parent(2)));
        assert_eq!(needs(&made), [(Kind::HelpCollection, id(2))]);
        let edited = Step::edit(category(), moved, Time::MAX);
        assert_eq!((edited.new_parent(), edited.new_position()), (Some(parent(3)), None));
        assert_eq!(needs(&edited), [(Kind::HelpCollection, id(3))]);
        let renamed = HelpCategory { name: "Basics".to_owned(), ..category() };
        let edited = Step::edit(category(), renamed, Time::MAX);
        assert_eq!(edited.new_parent(), None);
        assert_eq!(needs(&edited), []);
        assert_eq!(Step::remove(category()).new_parent(), None);
    }

    #[test]
    fn a_record_that_stays_in_its_list_may_have_a_new_position() {
        let lowered = HelpCategory { seq_number: Position::LAST, ..category() };
        let expected = (Parent::Record(Kind::HelpCollection, id(2)), Position::LAST);
        let edited = Step::edit(category(), lowered, Time::MAX);
        assert_eq!((edited.new_parent(), edited.new_position()), (None, Some(expected)));
        assert_eq!(Step::edit(category(), category(), Time::MAX).new_position(), None);
        assert_eq!(Step::make(category()).new_position(), None);
    }

    #[test]
    fn a_tag_that_is_made_renamed_or_restored_has_a_new_name() {
        let tag = |name: &str, is_active| Tag {
            id: id(1),
            name: name.to_owned(),
            code: None,
            color: "#112233".to_owned(),
            show_on_feedback: true,
            show_on_roadmap: true,
            is_public: true,
            external_id: None,
            is_active,
            created_at: Time::MIN,
        };
        let edit = |before, after| Step::edit(before, after, Time::MAX).new_name();
        let mobile = Some("mobile".to_owned());
        assert_eq!(Step::make(tag("Mobile", true)).new_name(), mobile);
        assert_eq!(edit(tag("Phone", true), tag("Mobile", true)), mobile);
        assert_eq!(edit(tag("Mobile", false), tag("Mobile", true)), mobile);
        assert_eq!(edit(tag("MOBILE", true), tag("Mobile", true)), None);
        assert_eq!(edit(tag("Phone", true), tag("Mobile", false)), None);
        assert_eq!(Step::remove(tag("Mobile", true)).new_name(), None);
        assert_eq!(Step::make(examples::board()).new_name(), None);
    }

    #[test]
    fn a_record_that_has_a_position_is_put_at_another_one() {
        let mut positioned = BTreeSet::new();
        let others = [
            examples::roadmap_board().into_record(),
            examples::status().into_record(),
            examples::help_collection().into_record(),
        ];
        for mut record in examples::records().into_iter().chain(others) {
            let before = record.position();
            record.put_at(Position::LAST);
            assert_eq!(record.position(), before.map(|_| Position::LAST));
            positioned.extend(before.map(|_| record.kind().code()));
        }
        let all = [
            "feedback_board",
            "help_article",
            "help_category",
            "help_collection",
            "roadmap_board",
            "roadmap_post",
            "status",
        ];
        assert_eq!(positioned, BTreeSet::from(all));
    }
}
