//! Changes of many records that follow from a change of one record.

use crate::Uuid;
use crate::comment::Comment;
use crate::feedback_post::{FeedbackPost, Moderation};
use crate::id::{BoardId, UserId};
use crate::record::{Key, Kind, Record};
use crate::roadmap_post::RoadmapPost;

/// A change of many records that follows from a change of one record. It is stored with that change
/// and made in parts, so that no transaction is long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FollowUp {
    /// A record takes the place of a deleted one in all records that refer to it.
    Replace {
        /// The deleted record.
        key: Key,
        /// The record that takes its place. `None`: the reference is removed.
        by: Option<Uuid>,
    },
    /// The posts of a deleted board are deleted.
    DeletePosts {
        /// The board.
        board: BoardId,
    },
    /// The posts and comments of an author that wait for moderation are rejected.
    RejectPending {
        /// The author.
        author: UserId,
    },
}

/// The records that a follow-up changes: those of a kind whose member has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affected {
    /// The kind of the records.
    pub kind: Kind,
    /// The member, which the record itself or one of its lists has.
    pub member: &'static str,
    /// Which of these records are changed.
    pub only: Only,
}

/// Which of the records with a reference a follow-up changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// All of them, deleted ones too.
    All,
    /// The active ones.
    Active,
    /// The active ones that wait for moderation.
    Pending,
}

impl FollowUp {
    /// The records that the follow-up changes.
    pub fn affected(self) -> Vec<Affected> {
        let of = |only, members: &[(Kind, &'static str)]| {
            members.iter().map(|&(kind, member)| Affected { kind, member, only }).collect()
        };
        match self {
            Self::Replace { key: (kind, _), .. } => of(Only::All, referring(kind)),
            Self::DeletePosts { .. } => of(Only::Active, &[(Kind::FeedbackPost, "board_id")]),
            Self::RejectPending { .. } => of(
                Only::Pending,
                &[(Kind::FeedbackPost, "author_id"), (Kind::Comment, "author_id")],
            ),
        }
    }

    /// The value of the member of the [affected](Self::affected) records.
    pub fn value(self) -> Uuid {
        match self {
            Self::Replace { key: (_, id), .. } => id,
            Self::DeletePosts { board } => board.0,
            Self::RejectPending { author } => author.0,
        }
    }

    /// The record after the follow-up.
    pub fn edit(self, record: Record) -> Record {
        match (self, record) {
            (Self::Replace { key, by }, Record::FeedbackPost(post)) => {
                Record::FeedbackPost(replace_in_post(post, key, by))
            }
            (Self::Replace { key, by }, Record::RoadmapPost(post)) => {
                Record::RoadmapPost(replace_in_roadmap_post(post, key, by))
            }
            (Self::DeletePosts { .. }, Record::FeedbackPost(post)) => {
                Record::FeedbackPost(FeedbackPost { is_active: false, ..post })
            }
            (Self::RejectPending { .. }, Record::FeedbackPost(post)) => {
                Record::FeedbackPost(FeedbackPost { moderation: Moderation::Rejected, ..post })
            }
            (Self::RejectPending { .. }, Record::Comment(comment)) => {
                Record::Comment(Comment { moderation: Moderation::Rejected, ..comment })
            }
            (_, record) => record,
        }
    }
}

/// The members of posts that refer to records of a kind.
pub fn referring(kind: Kind) -> &'static [(Kind, &'static str)] {
    use Kind::{Category, FeedbackBoard, FeedbackPost, RoadmapBoard, RoadmapPost, Status, Tag};
    match kind {
        FeedbackBoard => &[(FeedbackPost, "board_id")],
        RoadmapBoard => &[(RoadmapPost, "roadmap_board_id")],
        Status => &[(FeedbackPost, "status_id"), (RoadmapPost, "status_id")],
        Category => &[(FeedbackPost, "category_id"), (RoadmapPost, "category_id")],
        Tag => &[(FeedbackPost, "tag_ids"), (RoadmapPost, "tag_ids")],
        _ => &[],
    }
}

fn replace_in_post(post: FeedbackPost, (kind, id): Key, by: Option<Uuid>) -> FeedbackPost {
    match kind {
        Kind::FeedbackBoard => {
            FeedbackPost { board_id: by.map_or(post.board_id, Into::into), ..post }
        }
        Kind::Status => FeedbackPost { status_id: by.map_or(post.status_id, Into::into), ..post },
        Kind::Category => FeedbackPost { category_id: by.map(Into::into), ..post },
        Kind::Tag => FeedbackPost { tag_ids: without(post.tag_ids, id.into(), by), ..post },
        _ => post,
    }
}

fn replace_in_roadmap_post(post: RoadmapPost, (kind, id): Key, by: Option<Uuid>) -> RoadmapPost {
    match kind {
        Kind::Status => RoadmapPost { status_id: by.map_or(post.status_id, Into::into), ..post },
        Kind::Category => RoadmapPost { category_id: by.map(Into::into), ..post },
        Kind::Tag => RoadmapPost { tag_ids: without(post.tag_ids, id.into(), by), ..post },
        _ => post,
    }
}

/// The list with `by` in the place of an element, or without the element if there is none.
fn without<T: Copy + PartialEq + From<Uuid>>(list: Vec<T>, old: T, by: Option<Uuid>) -> Vec<T> {
    let by = by.map(T::from).filter(|by| !list.contains(by));
    let put = |one| if one == old { by } else { Some(one) };
    list.into_iter().filter_map(put).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_replaced_in_its_place_once() {
        let id = Uuid::from_u128;
        let list = || vec![id(1), id(2), id(3)];
        assert_eq!(without(list(), id(2), None), [id(1), id(3)]);
        assert_eq!(without(list(), id(2), Some(id(4))), [id(1), id(4), id(3)]);
        assert_eq!(without(list(), id(2), Some(id(3))), [id(1), id(3)]);
    }

    #[test]
    fn what_takes_the_place_of_a_record_is_of_its_kind() {
        for kind in [Kind::FeedbackBoard, Kind::Status, Kind::Category, Kind::Tag] {
            let follow_up = FollowUp::Replace { key: (kind, Uuid::nil()), by: None };
            assert!(!follow_up.affected().is_empty(), "{kind:?}");
        }
        let none = FollowUp::Replace { key: (Kind::Label, Uuid::nil()), by: None };
        assert_eq!(none.affected(), []);
    }
}
