//! Changes of many records that follow from a change of one record.

use crate::changelog_entry::ChangelogEntry;
use crate::comment::Comment;
use crate::feedback_board::FeedbackBoard;
use crate::feedback_post::{FeedbackPost, Moderation};
use crate::help_article::{ArticleParent, HelpArticle};
use crate::help_article_version::HelpArticleVersion;
use crate::help_category::HelpCategory;
use crate::id::{HelpCategoryId, HelpCollectionId, PostId, UserId};
use crate::merge::MergeRecord;
use crate::one_person::{Traces, give};
use crate::record::{Key, Kind, Record, Step};
use crate::roadmap_post::RoadmapPost;
use crate::vote::{Target, Vote};
use crate::{Time, Uuid};

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
    /// The content of a deleted record is deleted: the posts of a board, the articles of a help
    /// category, or the categories and articles of a help collection.
    DeleteContent {
        /// The board, category or collection.
        of: Key,
    },
    /// The articles of a deleted help category move to the end of a collection.
    MoveArticles {
        /// The category.
        category: HelpCategoryId,
        /// The collection.
        to: HelpCollectionId,
    },
    /// The posts and comments of an author that wait for moderation are rejected.
    RejectPending {
        /// The author.
        author: UserId,
    },
    /// A person is erased: the events and mails that name the person, the subscriptions, and the
    /// other traces if these are deleted.
    Erase {
        /// The person.
        user: UserId,
        /// What becomes of posts, comments and votes.
        traces: Traces,
    },
    /// The spend on the posts that a user, or the users of a company, have voted for is summed
    /// anew.
    SumSpend {
        /// The user or the company.
        of: Key,
        /// The last post whose spend is marked as due. `None`: no post is marked yet.
        after: Option<Uuid>,
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
    /// The follow-up of a step that changes the spend on posts.
    pub fn of_spend(step: &Step) -> Option<Self> {
        let changes = match (step.before()?, step.after()?) {
            (Record::User(before), Record::User(after)) => before.company_id != after.company_id,
            (Record::Company(before), Record::Company(after)) => {
                (before.monthly_spend, before.is_active) != (after.monthly_spend, after.is_active)
            }
            _ => false,
        };
        changes.then_some(Self::SumSpend { of: step.before()?.key(), after: None })
    }

    /// Whether the follow-up changes all that refers to a person.
    pub fn is_of_person(&self) -> bool {
        matches!(self, Self::Replace { key: (Kind::User, _), .. } | Self::Erase { .. })
    }

    /// The records that the follow-up changes.
    pub fn affected(self) -> Vec<Affected> {
        let of = |only, members: &[(Kind, &'static str)]| {
            members.iter().map(|&(kind, member)| Affected { kind, member, only }).collect()
        };
        match self {
            Self::Replace { key: (kind, _), .. } => of(Only::All, referring(kind)),
            Self::DeleteContent { of: (kind, _) } => of(Only::Active, referring(kind)),
            Self::MoveArticles { .. } => of(Only::All, referring(Kind::HelpCategory)),
            Self::RejectPending { .. } => of(Only::Pending, WRITTEN),
            Self::Erase { traces, .. } => {
                let deleted = of(Only::Active, WRITTEN);
                let removed = of(Only::All, &[(Kind::Subscription, "user_id")]);
                match traces {
                    Traces::Anonymize => removed,
                    Traces::Delete => {
                        [deleted, of(Only::All, &[(Kind::Vote, "user_id")]), removed].concat()
                    }
                }
            }
            Self::SumSpend { .. } => vec![],
        }
    }

    /// The value of the member of the [affected](Self::affected) records.
    pub fn value(self) -> Uuid {
        match self {
            Self::Replace { key: (_, id), .. } | Self::DeleteContent { of: (_, id) } => id,
            Self::MoveArticles { category, .. } => category.0,
            Self::RejectPending { author } => author.0,
            Self::Erase { user, .. } => user.0,
            Self::SumSpend { of: (_, id), .. } => id,
        }
    }

    /// The record that takes the place of another one.
    pub fn replacement(self) -> Option<Key> {
        match self {
            Self::Replace { key: (kind, _), by } => by.map(|by| (kind, by)),
            Self::MoveArticles { to, .. } => Some((Kind::HelpCollection, to.0)),
            _ => None,
        }
    }

    /// The follow-up of a step of this one. A category that is deleted with its collection takes its
    /// articles with it.
    pub fn of_step(self, step: &Step) -> Option<Self> {
        match (self, step.after()?) {
            (Self::DeleteContent { .. }, Record::HelpCategory(category)) => {
                Some(Self::DeleteContent { of: (Kind::HelpCategory, category.id.0) })
            }
            _ => None,
        }
    }

    /// The post of the record if a user merges into another one, who may have such a record on the
    /// same post. A user has at most one vote and one subscription there.
    pub fn twin_of(self, record: &Record) -> Option<Twin> {
        let Self::Replace { key: (Kind::User, from), by: Some(by) } = self else { return None };
        match record {
            Record::Vote(vote) if vote.user_id.0 == from => {
                Some(Twin::Vote(vote.target, by.into()))
            }
            Record::Subscription(it) if it.user_id.0 == from => {
                Some(Twin::Subscription(it.feedback_post_id, by.into()))
            }
            _ => None,
        }
    }

    /// The steps that the follow-up takes with a record. `twin` is what the store has of
    /// [`Self::twin_of`].
    pub fn steps(self, record: &Record, twin: Option<&Record>, at: Time) -> Vec<Step> {
        let edited = self.edit(record.clone());
        match (self, record) {
            (Self::Replace { key: (Kind::User, from), by: Some(by) }, _) => {
                give(record, edited, twin, (from.into(), by.into()), at)
            }
            (Self::Erase { .. }, Record::Vote(_) | Record::Subscription(_)) => {
                vec![Step::Remove(record.clone())]
            }
            _ => vec![Step::edit_record(record.clone(), edited, at)],
        }
    }

    /// The record after the follow-up.
    pub fn edit(self, record: Record) -> Record {
        match (self, record) {
            (Self::Replace { key: (Kind::User, id), by }, record) => match by {
                Some(by) => replace_user(record, id.into(), by.into()),
                None => record,
            },
            (Self::Replace { key, by }, Record::FeedbackPost(post)) => {
                Record::FeedbackPost(replace_in_post(post, key, by))
            }
            (Self::Replace { key, by }, Record::RoadmapPost(post)) => {
                Record::RoadmapPost(replace_in_roadmap_post(post, key, by))
            }
            (Self::Replace { by: Some(by), .. }, Record::HelpCategory(category)) => {
                Record::HelpCategory(HelpCategory { collection_id: by.into(), ..category })
            }
            (Self::Replace { by: Some(by), .. }, Record::HelpArticle(article)) => {
                let parent = ArticleParent::Collection(by.into());
                Record::HelpArticle(HelpArticle { parent, ..article })
            }
            (Self::MoveArticles { to, .. }, Record::HelpArticle(article)) => {
                let parent = ArticleParent::Collection(to);
                Record::HelpArticle(HelpArticle { parent, ..article })
            }
            (Self::DeleteContent { .. } | Self::Erase { .. }, mut record) => {
                if let Some(is_active) = record.activity_mut() {
                    *is_active = false;
                }
                record
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

/// A vote or subscription of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twin {
    /// The vote on a post.
    Vote(Target, UserId),
    /// The subscription to a post.
    Subscription(PostId, UserId),
}

/// What a person has written.
pub const WRITTEN: &[(Kind, &str)] =
    &[(Kind::FeedbackPost, "author_id"), (Kind::Comment, "author_id")];

/// The members that refer to records of a kind, as far as another record may take their place.
pub fn referring(kind: Kind) -> &'static [(Kind, &'static str)] {
    use Kind::{
        Category, ChangelogEntry, Comment, FeedbackBoard, FeedbackPost, HelpArticle,
        HelpArticleVersion, HelpCategory, HelpCollection, Merge, RoadmapBoard, RoadmapPost, Status,
        Subscription, Tag, User, Vote,
    };
    match kind {
        User => &[
            (FeedbackPost, "author_id"),
            (FeedbackPost, "owner_id"),
            (FeedbackPost, "created_by_id"),
            (RoadmapPost, "author_id"),
            (RoadmapPost, "owner_id"),
            (Comment, "author_id"),
            (Vote, "user_id"),
            (Vote, "created_by_id"),
            (Subscription, "user_id"),
            (ChangelogEntry, "author_id"),
            (HelpArticle, "author_id"),
            (HelpArticleVersion, "author_id"),
            (FeedbackBoard, "allowed_user_ids"),
            (Merge, "merger_id"),
            (Merge, "moved_user_ids"),
            (Merge, "dropped_user_ids"),
        ],
        FeedbackBoard => &[(FeedbackPost, "board_id")],
        HelpCollection => &[(HelpCategory, "collection_id"), (HelpArticle, "collection_id")],
        HelpCategory => &[(HelpArticle, "category_id")],
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

fn replace_user(record: Record, id: UserId, by: UserId) -> Record {
    let one = |user| if user == id { by } else { user };
    let some = |user: Option<UserId>| user.map(one);
    let sorted = |users| {
        let mut users = without(users, id, Some(by.0));
        users.sort_unstable();
        users
    };
    match record {
        Record::FeedbackPost(post) => Record::FeedbackPost(FeedbackPost {
            author_id: one(post.author_id),
            owner_id: some(post.owner_id),
            created_by_id: some(post.created_by_id),
            ..post
        }),
        Record::RoadmapPost(post) => Record::RoadmapPost(RoadmapPost {
            author_id: some(post.author_id),
            owner_id: some(post.owner_id),
            ..post
        }),
        Record::Comment(comment) => {
            Record::Comment(Comment { author_id: one(comment.author_id), ..comment })
        }
        Record::Vote(vote) => {
            Record::Vote(Vote { created_by_id: some(vote.created_by_id), ..vote })
        }
        Record::ChangelogEntry(entry) => {
            Record::ChangelogEntry(ChangelogEntry { author_id: some(entry.author_id), ..entry })
        }
        Record::HelpArticle(article) => {
            Record::HelpArticle(HelpArticle { author_id: some(article.author_id), ..article })
        }
        Record::HelpArticleVersion(version) => Record::HelpArticleVersion(HelpArticleVersion {
            author_id: some(version.author_id),
            ..version
        }),
        Record::FeedbackBoard(board) => Record::FeedbackBoard(FeedbackBoard {
            allowed_user_ids: without(board.allowed_user_ids, id, Some(by.0)),
            ..board
        }),
        Record::Merge(merge) => Record::Merge(MergeRecord {
            merger_id: one(merge.merger_id),
            moved_user_ids: sorted(merge.moved_user_ids),
            dropped_user_ids: sorted(merge.dropped_user_ids),
            ..merge
        }),
        record => record,
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
    fn spend_follows_from_a_company_that_pays_another_amount_and_a_user_who_joins_another_one() {
        use crate::company::Company;
        use crate::person::{Email, Handle};
        use crate::record::OfKind;
        use crate::spend::Spend;
        use crate::user::User;
        let of = |before: Record, after: Record| {
            let step = Step::edit_record(before.clone(), after, Time::MAX);
            let key = before.key();
            match FollowUp::of_spend(&step) {
                None => false,
                Some(found) => found == FollowUp::SumSpend { of: key, after: None },
            }
        };
        let address = Email::parse("ada@example.com").unwrap();
        let id = Uuid::from_u128;
        let user = Handle::Email(address).user(None, id(1).into(), id(2).into(), Time::MIN);
        let joined = User { company_id: Some(id(3).into()), ..user.clone() };
        assert!(of(user.clone().into_record(), joined.clone().into_record()));
        let named = User { name: "Ada".to_owned(), is_active: false, ..joined.clone() };
        assert!(!of(joined.into_record(), named.into_record()));
        let company = Company {
            id: id(3).into(),
            external_id: "c-1".to_owned(),
            name: "Analytical".to_owned(),
            monthly_spend: Spend::default(),
            customer_status: String::new(),
            attributes: crate::attributes::Attributes::default(),
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        };
        let paying = Company { monthly_spend: Spend::MAX, ..company.clone() };
        assert!(of(company.clone().into_record(), paying.into_record()));
        let deleted = Company { is_active: false, ..company.clone() };
        assert!(of(company.clone().into_record(), deleted.into_record()));
        let renamed = Company { name: String::new(), ..company.clone() };
        assert!(!of(company.into_record(), renamed.into_record()));
    }

    #[test]
    fn what_takes_the_place_of_a_record_is_of_its_kind() {
        let kinds =
            [Kind::FeedbackBoard, Kind::Status, Kind::Category, Kind::Tag, Kind::HelpCollection];
        for kind in kinds {
            let follow_up = FollowUp::Replace { key: (kind, Uuid::nil()), by: None };
            assert!(!follow_up.affected().is_empty(), "{kind:?}");
        }
        let none = FollowUp::Replace { key: (Kind::Label, Uuid::nil()), by: None };
        assert_eq!(none.affected(), []);
    }
}
