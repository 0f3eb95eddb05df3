//! The counts that are stored, and how a change moves them.

use crate::Uuid;
use crate::record::{Record, Step};
use crate::vote::Target;
use std::collections::BTreeMap;

/// A count that is stored with a record. It moves in the change of what it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Count {
    /// The votes of a feedback post.
    Votes,
    /// The active comments of a feedback post, of any visibility and moderation.
    Comments,
    /// The votes of a roadmap post.
    RoadmapVotes,
    /// The active categories of a help collection.
    Categories,
    /// The active articles of a help category.
    Articles,
    /// The views of a help article.
    Views,
    /// The readers who found a help article helpful.
    Helpful,
    /// The readers who did not find a help article helpful.
    NotHelpful,
}

impl Count {
    /// The count of votes of a post.
    pub fn votes(target: Target) -> (Uuid, Self) {
        match target {
            Target::Feedback(post) => (post.0, Self::Votes),
            Target::Roadmap(post) => (post.0, Self::RoadmapVotes),
        }
    }
}

/// Counts, each with the record that has it, and by how much it moves.
pub type Counted = BTreeMap<(Uuid, Count), i64>;

/// The counts that the steps of a change move, each with the record that has it, and by how much.
/// The order is that in which a store writes them, so that two changes cannot wait for each other.
pub fn counted(steps: &[Step]) -> Counted {
    let mut moved = BTreeMap::new();
    for step in steps {
        for (record, by) in [(step.before(), -1), (step.after(), 1)] {
            if let Some(count) = record.and_then(count_of) {
                *moved.entry(count).or_default() += by;
            }
        }
    }
    // A vote that another user gets changes the companies behind a post.
    moved.retain(|(_, count), by| *by != 0 || *count == Count::Votes);
    moved
}

/// The count that includes a record.
fn count_of(record: &Record) -> Option<(Uuid, Count)> {
    if !record.is_active() {
        return None;
    }
    match record {
        Record::Vote(vote) => Some(Count::votes(vote.target)),
        Record::Comment(comment) => Some((comment.feedback_post_id.0, Count::Comments)),
        Record::HelpCategory(category) => Some((category.collection_id.0, Count::Categories)),
        Record::HelpArticle(article) => {
            article.parent.category().map(|category| (category.0, Count::Articles))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;
    use crate::comment::Comment;
    use crate::help_category::HelpCategory;
    use crate::record::{OfKind, examples};

    fn id<T: From<Uuid>>(n: u128) -> T {
        T::from(Uuid::from_u128(n))
    }

    fn category(n: u128) -> HelpCategory {
        HelpCategory { id: id(n), collection_id: id(7), ..examples::category() }
    }

    #[test]
    fn a_vote_counts_on_its_post() {
        let [feedback, roadmap] = [Target::Feedback(id(3)), Target::Roadmap(id(3))];
        let moved =
            counted(&[Step::make(examples::vote(feedback)), Step::remove(examples::vote(roadmap))]);
        let expected = [((id(3), Count::Votes), 1), ((id(3), Count::RoadmapVotes), -1)];
        assert_eq!(moved, BTreeMap::from(expected));
    }

    #[test]
    fn a_deletion_and_a_move_change_counts_and_another_edit_does_not() {
        let deleted = Step::edit(category(1), category(1).with_activity(false), Time::MAX);
        let renamed = HelpCategory { name: "Basics".to_owned(), ..category(2) };
        let moved = HelpCategory { collection_id: id(8), ..category(3) };
        let steps = [
            deleted,
            Step::edit(category(2), renamed, Time::MAX),
            Step::edit(category(3), moved, Time::MAX),
        ];
        let expected = [((id(7), Count::Categories), -2), ((id(8), Count::Categories), 1)];
        assert_eq!(counted(&steps), BTreeMap::from(expected));
        let back = Step::make(category(4));
        assert_eq!(counted(&[steps[0].clone(), back]), BTreeMap::new());
    }

    #[test]
    fn an_active_comment_counts_on_its_post() {
        let comment = examples::comment();
        let post = comment.feedback_post_id.0;
        let hidden = Comment { is_active: false, ..comment.clone() };
        let expected = BTreeMap::from([((post, Count::Comments), 1)]);
        assert_eq!(counted(&[Step::make(comment)]), expected);
        assert_eq!(counted(&[Step::make(hidden)]), BTreeMap::new());
    }
}
