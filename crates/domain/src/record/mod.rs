//! Records of every kind: the values of the portable format, which a store loads and a change
//! edits.

#[cfg(test)]
pub(crate) mod examples;
mod known;
mod reference;
mod step;

pub use known::Known;
pub use reference::{Key, Reference};
pub use step::{Parent, Step};

use crate::api_key::ApiKey;
use crate::category::Category;
use crate::changelog_entry::ChangelogEntry;
use crate::comment::Comment;
use crate::company::Company;
use crate::entry_link::EntryLink;
use crate::feedback_board::FeedbackBoard;
use crate::feedback_post::FeedbackPost;
use crate::help_article::HelpArticle;
use crate::help_article_version::HelpArticleVersion;
use crate::help_category::HelpCategory;
use crate::help_collection::HelpCollection;
use crate::help_redirect::HelpRedirect;
use crate::label::Label;
use crate::merge::{DroppedVote, MergeRecord};
use crate::organization::Organization;
use crate::roadmap_board::RoadmapBoard;
use crate::roadmap_link::RoadmapLink;
use crate::roadmap_post::RoadmapPost;
use crate::slug::Slug;
use crate::status::Status;
use crate::subscription::Subscription;
use crate::tag::Tag;
use crate::user::User;
use crate::vote::Vote;
use crate::webhook_subscription::WebhookSubscription;
use crate::{ClosedSet, Uuid};

/// Declares all items that list the kinds. This is the only list of them.
macro_rules! kinds {
    (($d:tt) $($kind:ident($module:ident::$record:ident) = $code:literal, $noun:literal;)+) => {
        /// The kinds of records, in the order in which an export writes them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $(#[doc = concat!("`", $code, "`")] $kind,)+
        }

        impl ClosedSet for Kind {
            const ALL: &'static [Self] = &[$(Self::$kind,)+];

            fn code(self) -> &'static str {
                match self {
                    $(Self::$kind => $code,)+
                }
            }
        }

        impl Kind {
            /// The noun by which a message names a record of the kind.
            pub fn noun(self) -> &'static str {
                match self {
                    $(Self::$kind => $noun,)+
                }
            }
        }

        /// One record.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Record {
            $(#[doc = concat!("`", $code, "`")] $kind($record),)+
        }

        impl Record {
            /// The kind of the record.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind(_) => Kind::$kind,)+
                }
            }

            /// The identifier of the record itself.
            pub fn id(&self) -> Uuid {
                match self {
                    $(Self::$kind(record) => record.id.0,)+
                }
            }
        }

        /// Records of one kind and one organization: a store reads and writes them at once.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Batch {
            $(#[doc = concat!("`", $code, "`")] $kind(Vec<$record>),)+
        }

        impl From<Record> for Batch {
            fn from(record: Record) -> Self {
                match record {
                    $(Record::$kind(record) => Self::$kind(vec![record]),)+
                }
            }
        }

        impl Batch {
            /// The kind of all its records.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind(_) => Kind::$kind,)+
                }
            }

            /// The number of records.
            pub fn len(&self) -> usize {
                match self {
                    $(Self::$kind(records) => records.len(),)+
                }
            }

            /// Whether there are no records.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Appends a record. Returns it if it is of another kind.
            pub fn push(&mut self, record: Record) -> Option<Record> {
                match (self, record) {
                    $((Self::$kind(records), Record::$kind(record)) => records.push(record),)+
                    (_, other) => return Some(other),
                }
                None
            }

            /// The records one by one.
            pub fn into_records(self) -> Vec<Record> {
                match self {
                    $(Self::$kind(records) => {
                        records.into_iter().map(Record::$kind).collect()
                    })+
                }
            }
        }

        $(
            impl OfKind for $record {
                const KIND: Kind = Kind::$kind;

                fn into_record(self) -> Record {
                    Record::$kind(self)
                }

                fn of_record(record: &Record) -> Option<&Self> {
                    match record {
                        Record::$kind(record) => Some(record),
                        _ => None,
                    }
                }

                fn into_batch(all: Vec<Self>) -> Batch {
                    Batch::$kind(all)
                }
            }
        )+

        /// Evaluates an expression with `R` as the type of a [`Kind`](crate::record::Kind)'s
        /// records.
        #[macro_export]
        macro_rules! with_kind {
            ($d kind:expr, $d R:ident => $d body:expr) => {
                match $d kind {
                    $($crate::record::Kind::$kind => {
                        type $d R = $crate::$module::$record;
                        $d body
                    })+
                }
            };
        }

        /// Evaluates an expression with the typed record of a [`Record`](crate::record::Record).
        #[macro_export]
        macro_rules! with_record {
            ($d record:expr, $d typed:ident => $d body:expr) => {
                match $d record {
                    $($crate::record::Record::$kind($d typed) => $d body,)+
                }
            };
        }

        /// Evaluates an expression with the typed records of a [`Batch`](crate::record::Batch).
        #[macro_export]
        macro_rules! with_batch {
            ($d batch:expr, $d typed:ident => $d body:expr) => {
                match $d batch {
                    $($crate::record::Batch::$kind($d typed) => $d body,)+
                }
            };
        }
    };
}

kinds! {
    ($)
    Organization(organization::Organization) = "organization", "organization";
    Company(company::Company) = "company", "company";
    User(user::User) = "user", "user";
    FeedbackBoard(feedback_board::FeedbackBoard) = "feedback_board", "feedback board";
    RoadmapBoard(roadmap_board::RoadmapBoard) = "roadmap_board", "roadmap board";
    Status(status::Status) = "status", "status";
    Category(category::Category) = "category", "category";
    Tag(tag::Tag) = "tag", "tag";
    FeedbackPost(feedback_post::FeedbackPost) = "feedback_post", "feedback post";
    RoadmapPost(roadmap_post::RoadmapPost) = "roadmap_post", "roadmap post";
    RoadmapLink(roadmap_link::RoadmapLink) = "roadmap_link", "roadmap link";
    Comment(comment::Comment) = "comment", "comment";
    Subscription(subscription::Subscription) = "subscription", "subscription";
    Vote(vote::Vote) = "vote", "vote";
    Merge(merge::MergeRecord) = "merge", "merge";
    DroppedVote(merge::DroppedVote) = "dropped_vote", "dropped vote";
    Label(label::Label) = "label", "label";
    ChangelogEntry(changelog_entry::ChangelogEntry) = "changelog_entry", "changelog entry";
    EntryLink(entry_link::EntryLink) = "entry_link", "entry link";
    HelpCollection(help_collection::HelpCollection) = "help_collection", "help collection";
    HelpCategory(help_category::HelpCategory) = "help_category", "help category";
    HelpArticle(help_article::HelpArticle) = "help_article", "help article";
    HelpArticleVersion(help_article_version::HelpArticleVersion)
        = "help_article_version", "version";
    HelpRedirect(help_redirect::HelpRedirect) = "help_redirect", "redirect";
    WebhookSubscription(webhook_subscription::WebhookSubscription)
        = "webhook_subscription", "webhook";
    ApiKey(api_key::ApiKey) = "api_key", "API key";
}

/// A record whose kind is known to the compiler.
pub trait OfKind: Clone + PartialEq + 'static {
    /// The kind.
    const KIND: Kind;

    /// The same record among those of every kind.
    fn into_record(self) -> Record;

    /// The record, if it is of this kind.
    fn of_record(record: &Record) -> Option<&Self>;

    /// Records of this kind as a batch.
    fn into_batch(all: Vec<Self>) -> Batch;

    /// The record with another value of `is_active`. A kind that cannot be deleted stays as it is.
    fn with_activity(self, is_active: bool) -> Self {
        let mut record = self.clone().into_record();
        if let Some(activity) = record.activity_mut() {
            *activity = is_active;
        }
        Self::of_record(&record).cloned().unwrap_or(self)
    }

    /// The record, deleted. A board gives up its slug, and a category, a status or a label its code:
    /// the identifier takes its place, so that another record can have it. Tags need no such rule,
    /// and records with a page of their own keep their slug.
    fn deleted(self) -> Self {
        let mut record = self.clone().with_activity(false).into_record();
        match &mut record {
            Record::FeedbackBoard(board) => board.slug = Slug::of_id(board.id.0),
            Record::RoadmapBoard(board) => board.slug = Slug::of_id(board.id.0),
            Record::Category(category) => category.code = category.id.to_string(),
            Record::Status(status) => status.code = status.id.to_string(),
            Record::Label(label) => label.code = label.id.to_string(),
            _ => {}
        }
        Self::of_record(&record).cloned().unwrap_or(self)
    }
}

impl Record {
    /// `false` if the record is deleted. Kinds that cannot be deleted are always active.
    pub fn is_active(&self) -> bool {
        match self {
            Self::Company(Company { is_active, .. })
            | Self::User(User { is_active, .. })
            | Self::FeedbackBoard(FeedbackBoard { is_active, .. })
            | Self::RoadmapBoard(RoadmapBoard { is_active, .. })
            | Self::Status(Status { is_active, .. })
            | Self::Category(Category { is_active, .. })
            | Self::Tag(Tag { is_active, .. })
            | Self::FeedbackPost(FeedbackPost { is_active, .. })
            | Self::RoadmapPost(RoadmapPost { is_active, .. })
            | Self::Comment(Comment { is_active, .. })
            | Self::Label(Label { is_active, .. })
            | Self::ChangelogEntry(ChangelogEntry { is_active, .. })
            | Self::HelpCollection(HelpCollection { is_active, .. })
            | Self::HelpCategory(HelpCategory { is_active, .. })
            | Self::HelpArticle(HelpArticle { is_active, .. })
            | Self::WebhookSubscription(WebhookSubscription { is_active, .. }) => *is_active,
            Self::Organization(_)
            | Self::RoadmapLink(_)
            | Self::Subscription(_)
            | Self::Vote(_)
            | Self::Merge(_)
            | Self::DroppedVote(_)
            | Self::EntryLink(_)
            | Self::HelpArticleVersion(_)
            | Self::HelpRedirect(_)
            | Self::ApiKey(_) => true,
        }
    }

    /// `is_active`. `None` if the kind cannot be deleted.
    pub fn activity_mut(&mut self) -> Option<&mut bool> {
        match self {
            Self::Company(Company { is_active, .. })
            | Self::User(User { is_active, .. })
            | Self::FeedbackBoard(FeedbackBoard { is_active, .. })
            | Self::RoadmapBoard(RoadmapBoard { is_active, .. })
            | Self::Status(Status { is_active, .. })
            | Self::Category(Category { is_active, .. })
            | Self::Tag(Tag { is_active, .. })
            | Self::FeedbackPost(FeedbackPost { is_active, .. })
            | Self::RoadmapPost(RoadmapPost { is_active, .. })
            | Self::Comment(Comment { is_active, .. })
            | Self::Label(Label { is_active, .. })
            | Self::ChangelogEntry(ChangelogEntry { is_active, .. })
            | Self::HelpCollection(HelpCollection { is_active, .. })
            | Self::HelpCategory(HelpCategory { is_active, .. })
            | Self::HelpArticle(HelpArticle { is_active, .. })
            | Self::WebhookSubscription(WebhookSubscription { is_active, .. }) => Some(is_active),
            Self::Organization(_)
            | Self::RoadmapLink(_)
            | Self::Subscription(_)
            | Self::Vote(_)
            | Self::Merge(_)
            | Self::DroppedVote(_)
            | Self::EntryLink(_)
            | Self::HelpArticleVersion(_)
            | Self::HelpRedirect(_)
            | Self::ApiKey(_) => None,
        }
    }

    /// Whether both are the same record with the same values. Counters of readers do not count:
    /// they grow while a record is edited, and an edit neither rests on them nor writes them.
    pub fn is_unchanged(&self, since: &Self) -> bool {
        match (self, since) {
            (Self::HelpArticle(now), Self::HelpArticle(then)) => {
                let HelpArticle { view_count, helpful_count, not_helpful_count, .. } = *now;
                let then =
                    HelpArticle { view_count, helpful_count, not_helpful_count, ..then.clone() };
                *now == then
            }
            (now, then) => now == then,
        }
    }

    /// The identifier that another tool gave the record, if it has one.
    pub fn external_id(&self) -> Option<&str> {
        match self {
            Self::Company(Company { external_id, .. }) => Some(external_id),
            Self::User(User { external_id, .. })
            | Self::FeedbackBoard(FeedbackBoard { external_id, .. })
            | Self::RoadmapBoard(RoadmapBoard { external_id, .. })
            | Self::Status(Status { external_id, .. })
            | Self::RoadmapPost(RoadmapPost { external_id, .. })
            | Self::Category(Category { external_id, .. })
            | Self::Tag(Tag { external_id, .. })
            | Self::FeedbackPost(FeedbackPost { external_id, .. })
            | Self::Comment(Comment { external_id, .. })
            | Self::Label(Label { external_id, .. })
            | Self::ChangelogEntry(ChangelogEntry { external_id, .. })
            | Self::HelpCollection(HelpCollection { external_id, .. })
            | Self::HelpCategory(HelpCategory { external_id, .. })
            | Self::HelpArticle(HelpArticle { external_id, .. }) => external_id.as_deref(),
            _ => None,
        }
    }

    /// The form of the name that is unique among the active records of the kind, if the kind has
    /// unique names.
    pub fn name_key(&self) -> Option<String> {
        match self {
            Self::Tag(tag) => Some(crate::fold::name_key(&tag.name)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deleted_record_gives_up_the_slug_or_code_that_another_one_may_take() {
        let board = examples::board();
        assert_eq!(board.clone().deleted().slug, Slug::of_id(board.id.0));
        let board = examples::roadmap_board();
        assert_eq!(board.clone().deleted().slug, Slug::of_id(board.id.0));
        let status = examples::status();
        assert_eq!(status.clone().deleted().code, status.id.to_string());
        let post = examples::post();
        assert_eq!(post.clone().deleted(), FeedbackPost { is_active: false, ..post });
        let vote = examples::subscription();
        assert_eq!(vote.clone().deleted(), vote);
    }

    #[test]
    fn the_identifier_of_another_tool_is_that_of_the_record() {
        let external_id = Some("crm-7".to_owned());
        let board = FeedbackBoard { external_id: external_id.clone(), ..examples::board() };
        assert_eq!(board.into_record().external_id(), external_id.as_deref());
        let board = FeedbackBoard { external_id: None, ..examples::board() };
        assert_eq!(board.into_record().external_id(), None);
        let company = examples::company();
        let own = company.external_id.clone();
        assert_eq!(company.into_record().external_id(), Some(&*own));
        assert_eq!(examples::subscription().into_record().external_id(), None);
    }

    #[test]
    fn readers_change_no_article_and_only_tags_have_unique_names() {
        let article = examples::article();
        let read = HelpArticle { view_count: 8, not_helpful_count: 3, ..article.clone() };
        assert!(read.into_record().is_unchanged(&article.clone().into_record()));
        let edited = HelpArticle { version: 4, ..article.clone() };
        assert!(!edited.into_record().is_unchanged(&article.clone().into_record()));
        assert_eq!(article.into_record().name_key(), None);
    }
}
