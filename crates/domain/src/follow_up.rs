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
    use crate::company::Company;
    use crate::record::examples::{self, referred};
    use crate::record::{OfKind, Reference};
    use crate::spend::Spend;
    use crate::user::User;

    /// The identifier of the record that takes the place of an example's reference.
    const BY: Uuid = Uuid::from_u128(2_000);

    fn references(record: &Record) -> Vec<Reference> {
        [record.references(), record.links(), record.listed_references()].concat()
    }

    /// Compares the references of each example that the follow-up changes with the replaced ones.
    fn check_replaced(replaced_kind: Kind) {
        let by = (replaced_kind, BY);
        let follow_up =
            FollowUp::Replace { key: (replaced_kind, referred(replaced_kind)), by: Some(BY) };
        assert_eq!(follow_up.replacement(), Some(by));
        for Affected { kind, member, .. } in follow_up.affected() {
            let is_affected = |it: &Reference| it.member == member && it.id == follow_up.value();
            let of_kind = examples::records().into_iter().filter(|record| record.kind() == kind);
            let mut affected =
                of_kind.filter(|record| references(record).iter().any(is_affected)).peekable();
            assert!(affected.peek().is_some(), "{kind:?} {member}");
            for record in affected {
                let steps = follow_up.steps(&record, None, Time::MAX);
                let [Step::Edit { after, .. }] = &*steps else { panic!("{steps:?}") };
                let replaced = references(&record).into_iter().map(|it| {
                    let is_replaced = referring(replaced_kind).contains(&(kind, it.member));
                    if is_replaced && it.id == follow_up.value() {
                        Reference { kind: by.0, id: by.1, member: it.member }
                    } else {
                        it
                    }
                });
                let ids = |all: Vec<Reference>| Vec::from_iter(all.into_iter().map(Reference::key));
                assert_eq!(ids(references(after)), ids(replaced.collect()), "{record:?}");
            }
        }
    }

    #[test]
    fn another_record_takes_the_place_of_a_deleted_one_wherever_it_is_referred_to() {
        let kinds = [
            Kind::User,
            Kind::FeedbackBoard,
            Kind::Status,
            Kind::Category,
            Kind::Tag,
            Kind::HelpCollection,
        ];
        kinds.into_iter().for_each(check_replaced);
    }

    #[test]
    fn the_content_of_a_record_is_in_the_records_that_refer_to_it() {
        for (kind, expected) in [
            (Kind::FeedbackBoard, &[Kind::FeedbackPost][..]),
            (Kind::RoadmapBoard, &[Kind::RoadmapPost]),
            (Kind::HelpCategory, &[Kind::HelpArticle]),
            (Kind::HelpCollection, &[Kind::HelpCategory, Kind::HelpArticle]),
        ] {
            let affected = FollowUp::DeleteContent { of: (kind, BY) }.affected();
            let kinds: Vec<_> = affected.iter().map(|affected| affected.kind).collect();
            assert_eq!(kinds, expected, "{kind:?}");
            assert!(affected.iter().all(|affected| affected.only == Only::Active));
        }
    }

    #[test]
    fn a_reference_that_must_be_there_stays_without_a_replacement_and_another_one_goes() {
        let edited = |kind, record: Record| {
            FollowUp::Replace { key: (kind, referred(kind)), by: None }.edit(record)
        };
        let post = examples::post().into_record();
        let roadmap_post = examples::roadmap_post().into_record();
        for kind in [Kind::FeedbackBoard, Kind::Status, Kind::User] {
            assert_eq!(edited(kind, post.clone()), post);
            assert_eq!(edited(kind, roadmap_post.clone()), roadmap_post);
        }
        for kind in [Kind::Category, Kind::Tag] {
            for record in [&post, &roadmap_post] {
                let others = references(record).into_iter().filter(|it| it.kind != kind);
                assert_eq!(references(&edited(kind, record.clone())), Vec::from_iter(others));
            }
        }
    }

    #[test]
    fn the_articles_of_a_deleted_category_move_to_a_collection() {
        let [category, to] = [referred(Kind::HelpCategory), BY];
        let follow_up = FollowUp::MoveArticles { category: category.into(), to: to.into() };
        assert_eq!(follow_up.value(), category);
        assert_eq!(follow_up.replacement(), Some((Kind::HelpCollection, to)));
        let article = examples::article();
        let moved = HelpArticle { parent: ArticleParent::Collection(to.into()), ..article.clone() };
        assert_eq!(follow_up.edit(article.into_record()), moved.into_record());
    }

    #[test]
    fn the_content_of_a_deleted_record_is_deleted_and_that_of_its_categories_too() {
        let of = (Kind::HelpCollection, referred(Kind::HelpCollection));
        let follow_up = FollowUp::DeleteContent { of };
        let category = examples::category().into_record();
        let step = Step::edit_record(category.clone(), follow_up.edit(category), Time::MAX);
        assert!(!step.after().unwrap().is_active());
        let of = step.after().unwrap().key();
        assert_eq!(follow_up.of_step(&step), Some(FollowUp::DeleteContent { of }));
        let article = examples::article().into_record();
        let step = Step::edit_record(article.clone(), follow_up.edit(article), Time::MAX);
        assert!(!step.after().unwrap().is_active());
        assert_eq!(follow_up.of_step(&step), None);
        let replace = FollowUp::Replace { key: of, by: None };
        assert_eq!(replace.of_step(&Step::make(examples::category())), None);
    }

    #[test]
    fn what_waits_for_moderation_is_rejected() {
        let follow_up = FollowUp::RejectPending { author: referred(Kind::User) };
        let (post, comment) = (examples::post(), examples::comment());
        let moderation = Moderation::Rejected;
        let rejected = FeedbackPost { moderation, ..post.clone() }.into_record();
        assert_eq!(follow_up.edit(post.into_record()), rejected);
        let rejected = Comment { moderation, ..comment.clone() }.into_record();
        assert_eq!(follow_up.edit(comment.into_record()), rejected);
    }

    #[test]
    fn an_erased_person_loses_votes_and_subscriptions_and_what_they_wrote_if_it_is_to_go() {
        let user = referred(Kind::User);
        let erase = |traces| FollowUp::Erase { user, traces };
        let vote = examples::vote(Target::Feedback(referred(Kind::FeedbackPost))).into_record();
        for record in [vote, examples::subscription().into_record()] {
            let steps = erase(Traces::Delete).steps(&record, None, Time::MAX);
            assert_eq!(steps, [Step::Remove(record)]);
        }
        let kinds = |traces| {
            Vec::from_iter(erase(traces).affected().into_iter().map(|affected| affected.kind))
        };
        assert_eq!(kinds(Traces::Anonymize), [Kind::Subscription]);
        let all = [Kind::FeedbackPost, Kind::Comment, Kind::Vote, Kind::Subscription];
        assert_eq!(kinds(Traces::Delete), all);
        assert!(!erase(Traces::Delete).edit(examples::comment().into_record()).is_active());
    }

    #[test]
    fn a_user_may_have_voted_for_and_subscribed_to_the_same_post_as_another_one() {
        let merge = |from: Uuid| FollowUp::Replace { key: (Kind::User, from), by: Some(BY) };
        let target = Target::Feedback(referred(Kind::FeedbackPost));
        let vote = examples::vote(target).into_record();
        let subscription = examples::subscription().into_record();
        let found = [&vote, &subscription].map(|it| merge(referred(Kind::User)).twin_of(it));
        let subscribed = Twin::Subscription(referred(Kind::FeedbackPost), BY.into());
        assert_eq!(found, [Some(Twin::Vote(target, BY.into())), Some(subscribed)]);
        for record in [&vote, &subscription] {
            assert_eq!(merge(Uuid::nil()).twin_of(record), None);
            let other = FollowUp::Replace { key: (Kind::Tag, Uuid::nil()), by: Some(BY) };
            assert_eq!(other.twin_of(record), None);
        }
        assert_eq!(merge(referred(Kind::User)).twin_of(&examples::comment().into_record()), None);
    }

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
        let of = |before: Record, after: Record| {
            let step = Step::edit_record(before.clone(), after, Time::MAX);
            let key = before.key();
            match FollowUp::of_spend(&step) {
                None => false,
                Some(found) => found == FollowUp::SumSpend { of: key, after: None },
            }
        };
        let joined = examples::user();
        let user = User { company_id: None, ..joined.clone() };
        assert!(of(user.into_record(), joined.clone().into_record()));
        let named = User { name: "Lovelace".to_owned(), is_active: false, ..joined.clone() };
        assert!(!of(joined.into_record(), named.into_record()));
        let company = examples::company();
        let company = Company { monthly_spend: Spend::default(), ..company };
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
