//! The records of the portable format, as they cross between `app` and a store.
//!
//! A [`Batch`] holds records of one kind and one organization: what a store writes in one statement, and reads in one.

use hearback_domain::api_key::ApiKey;
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::comment::Comment;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::help_article::HelpArticle;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::label::Label;
use hearback_domain::merge::MergeRecord;
use hearback_domain::organization::Organization;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::status::Status;
use hearback_domain::tag::Tag;
use hearback_domain::user::User;
use hearback_domain::vote::{Target, Vote};
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_domain::{ClosedSet, Uuid};

/// The kinds of the portable format, in the order in which an export writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `organization`
    Organization,
    /// `user`
    User,
    /// `feedback_board`
    FeedbackBoard,
    /// `roadmap_board`
    RoadmapBoard,
    /// `status`
    Status,
    /// `category`
    Category,
    /// `tag`
    Tag,
    /// `feedback_post`
    FeedbackPost,
    /// `roadmap_post`
    RoadmapPost,
    /// `comment`
    Comment,
    /// `vote`
    Vote,
    /// `merge`
    Merge,
    /// `label`
    Label,
    /// `changelog_entry`
    ChangelogEntry,
    /// `help_collection`
    HelpCollection,
    /// `help_category`
    HelpCategory,
    /// `help_article`
    HelpArticle,
    /// `webhook_subscription`
    WebhookSubscription,
    /// `api_key`
    ApiKey,
}

impl ClosedSet for Kind {
    const ALL: &'static [Self] = &[
        Self::Organization,
        Self::User,
        Self::FeedbackBoard,
        Self::RoadmapBoard,
        Self::Status,
        Self::Category,
        Self::Tag,
        Self::FeedbackPost,
        Self::RoadmapPost,
        Self::Comment,
        Self::Vote,
        Self::Merge,
        Self::Label,
        Self::ChangelogEntry,
        Self::HelpCollection,
        Self::HelpCategory,
        Self::HelpArticle,
        Self::WebhookSubscription,
        Self::ApiKey,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::User => "user",
            Self::FeedbackBoard => "feedback_board",
            Self::RoadmapBoard => "roadmap_board",
            Self::Status => "status",
            Self::Category => "category",
            Self::Tag => "tag",
            Self::FeedbackPost => "feedback_post",
            Self::RoadmapPost => "roadmap_post",
            Self::Comment => "comment",
            Self::Vote => "vote",
            Self::Merge => "merge",
            Self::Label => "label",
            Self::ChangelogEntry => "changelog_entry",
            Self::HelpCollection => "help_collection",
            Self::HelpCategory => "help_category",
            Self::HelpArticle => "help_article",
            Self::WebhookSubscription => "webhook_subscription",
            Self::ApiKey => "api_key",
        }
    }
}

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// `organization`
    Organization(Organization),
    /// `user`
    User(User),
    /// `feedback_board`
    FeedbackBoard(FeedbackBoard),
    /// `roadmap_board`
    RoadmapBoard(RoadmapBoard),
    /// `status`
    Status(Status),
    /// `category`
    Category(Category),
    /// `tag`
    Tag(Tag),
    /// `feedback_post`
    FeedbackPost(FeedbackPost),
    /// `roadmap_post`
    RoadmapPost(RoadmapPost),
    /// `comment`
    Comment(Comment),
    /// `vote`
    Vote(Vote),
    /// `merge`
    Merge(MergeRecord),
    /// `label`
    Label(Label),
    /// `changelog_entry`
    ChangelogEntry(ChangelogEntry),
    /// `help_collection`
    HelpCollection(HelpCollection),
    /// `help_category`
    HelpCategory(HelpCategory),
    /// `help_article`
    HelpArticle(HelpArticle),
    /// `webhook_subscription`
    WebhookSubscription(WebhookSubscription),
    /// `api_key`
    ApiKey(ApiKey),
}

/// Records of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Batch {
    /// `organization`
    Organization(Vec<Organization>),
    /// `user`
    User(Vec<User>),
    /// `feedback_board`
    FeedbackBoard(Vec<FeedbackBoard>),
    /// `roadmap_board`
    RoadmapBoard(Vec<RoadmapBoard>),
    /// `status`
    Status(Vec<Status>),
    /// `category`
    Category(Vec<Category>),
    /// `tag`
    Tag(Vec<Tag>),
    /// `feedback_post`
    FeedbackPost(Vec<FeedbackPost>),
    /// `roadmap_post`
    RoadmapPost(Vec<RoadmapPost>),
    /// `comment`
    Comment(Vec<Comment>),
    /// `vote`
    Vote(Vec<Vote>),
    /// `merge`
    Merge(Vec<MergeRecord>),
    /// `label`
    Label(Vec<Label>),
    /// `changelog_entry`
    ChangelogEntry(Vec<ChangelogEntry>),
    /// `help_collection`
    HelpCollection(Vec<HelpCollection>),
    /// `help_category`
    HelpCategory(Vec<HelpCategory>),
    /// `help_article`
    HelpArticle(Vec<HelpArticle>),
    /// `webhook_subscription`
    WebhookSubscription(Vec<WebhookSubscription>),
    /// `api_key`
    ApiKey(Vec<ApiKey>),
}

impl Record {
    /// The kind of the record.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Organization(_) => Kind::Organization,
            Self::User(_) => Kind::User,
            Self::FeedbackBoard(_) => Kind::FeedbackBoard,
            Self::RoadmapBoard(_) => Kind::RoadmapBoard,
            Self::Status(_) => Kind::Status,
            Self::Category(_) => Kind::Category,
            Self::Tag(_) => Kind::Tag,
            Self::FeedbackPost(_) => Kind::FeedbackPost,
            Self::RoadmapPost(_) => Kind::RoadmapPost,
            Self::Comment(_) => Kind::Comment,
            Self::Vote(_) => Kind::Vote,
            Self::Merge(_) => Kind::Merge,
            Self::Label(_) => Kind::Label,
            Self::ChangelogEntry(_) => Kind::ChangelogEntry,
            Self::HelpCollection(_) => Kind::HelpCollection,
            Self::HelpCategory(_) => Kind::HelpCategory,
            Self::HelpArticle(_) => Kind::HelpArticle,
            Self::WebhookSubscription(_) => Kind::WebhookSubscription,
            Self::ApiKey(_) => Kind::ApiKey,
        }
    }
}

impl From<Record> for Batch {
    fn from(record: Record) -> Self {
        match record {
            Record::Organization(record) => Self::Organization(vec![record]),
            Record::User(record) => Self::User(vec![record]),
            Record::FeedbackBoard(record) => Self::FeedbackBoard(vec![record]),
            Record::RoadmapBoard(record) => Self::RoadmapBoard(vec![record]),
            Record::Status(record) => Self::Status(vec![record]),
            Record::Category(record) => Self::Category(vec![record]),
            Record::Tag(record) => Self::Tag(vec![record]),
            Record::FeedbackPost(record) => Self::FeedbackPost(vec![record]),
            Record::RoadmapPost(record) => Self::RoadmapPost(vec![record]),
            Record::Comment(record) => Self::Comment(vec![record]),
            Record::Vote(record) => Self::Vote(vec![record]),
            Record::Merge(record) => Self::Merge(vec![record]),
            Record::Label(record) => Self::Label(vec![record]),
            Record::ChangelogEntry(record) => Self::ChangelogEntry(vec![record]),
            Record::HelpCollection(record) => Self::HelpCollection(vec![record]),
            Record::HelpCategory(record) => Self::HelpCategory(vec![record]),
            Record::HelpArticle(record) => Self::HelpArticle(vec![record]),
            Record::WebhookSubscription(record) => Self::WebhookSubscription(vec![record]),
            Record::ApiKey(record) => Self::ApiKey(vec![record]),
        }
    }
}

impl Batch {
    /// The kind of all its records.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Organization(_) => Kind::Organization,
            Self::User(_) => Kind::User,
            Self::FeedbackBoard(_) => Kind::FeedbackBoard,
            Self::RoadmapBoard(_) => Kind::RoadmapBoard,
            Self::Status(_) => Kind::Status,
            Self::Category(_) => Kind::Category,
            Self::Tag(_) => Kind::Tag,
            Self::FeedbackPost(_) => Kind::FeedbackPost,
            Self::RoadmapPost(_) => Kind::RoadmapPost,
            Self::Comment(_) => Kind::Comment,
            Self::Vote(_) => Kind::Vote,
            Self::Merge(_) => Kind::Merge,
            Self::Label(_) => Kind::Label,
            Self::ChangelogEntry(_) => Kind::ChangelogEntry,
            Self::HelpCollection(_) => Kind::HelpCollection,
            Self::HelpCategory(_) => Kind::HelpCategory,
            Self::HelpArticle(_) => Kind::HelpArticle,
            Self::WebhookSubscription(_) => Kind::WebhookSubscription,
            Self::ApiKey(_) => Kind::ApiKey,
        }
    }

    /// How many records it holds.
    pub fn len(&self) -> usize {
        match self {
            Self::Organization(records) => records.len(),
            Self::User(records) => records.len(),
            Self::FeedbackBoard(records) => records.len(),
            Self::RoadmapBoard(records) => records.len(),
            Self::Status(records) => records.len(),
            Self::Category(records) => records.len(),
            Self::Tag(records) => records.len(),
            Self::FeedbackPost(records) => records.len(),
            Self::RoadmapPost(records) => records.len(),
            Self::Comment(records) => records.len(),
            Self::Vote(records) => records.len(),
            Self::Merge(records) => records.len(),
            Self::Label(records) => records.len(),
            Self::ChangelogEntry(records) => records.len(),
            Self::HelpCollection(records) => records.len(),
            Self::HelpCategory(records) => records.len(),
            Self::HelpArticle(records) => records.len(),
            Self::WebhookSubscription(records) => records.len(),
            Self::ApiKey(records) => records.len(),
        }
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a record; gives it back when it is of another kind.
    pub fn push(&mut self, record: Record) -> Option<Record> {
        match (self, record) {
            (Self::Organization(records), Record::Organization(record)) => records.push(record),
            (Self::User(records), Record::User(record)) => records.push(record),
            (Self::FeedbackBoard(records), Record::FeedbackBoard(record)) => records.push(record),
            (Self::RoadmapBoard(records), Record::RoadmapBoard(record)) => records.push(record),
            (Self::Status(records), Record::Status(record)) => records.push(record),
            (Self::Category(records), Record::Category(record)) => records.push(record),
            (Self::Tag(records), Record::Tag(record)) => records.push(record),
            (Self::FeedbackPost(records), Record::FeedbackPost(record)) => records.push(record),
            (Self::RoadmapPost(records), Record::RoadmapPost(record)) => records.push(record),
            (Self::Comment(records), Record::Comment(record)) => records.push(record),
            (Self::Vote(records), Record::Vote(record)) => records.push(record),
            (Self::Merge(records), Record::Merge(record)) => records.push(record),
            (Self::Label(records), Record::Label(record)) => records.push(record),
            (Self::ChangelogEntry(records), Record::ChangelogEntry(record)) => records.push(record),
            (Self::HelpCollection(records), Record::HelpCollection(record)) => records.push(record),
            (Self::HelpCategory(records), Record::HelpCategory(record)) => records.push(record),
            (Self::HelpArticle(records), Record::HelpArticle(record)) => records.push(record),
            (Self::WebhookSubscription(records), Record::WebhookSubscription(record)) => {
                records.push(record)
            }
            (Self::ApiKey(records), Record::ApiKey(record)) => records.push(record),
            (_, other) => return Some(other),
        }
        None
    }

    /// The records one by one.
    pub fn into_records(self) -> Vec<Record> {
        match self {
            Self::Organization(records) => records.into_iter().map(Record::Organization).collect(),
            Self::User(records) => records.into_iter().map(Record::User).collect(),
            Self::FeedbackBoard(records) => {
                records.into_iter().map(Record::FeedbackBoard).collect()
            }
            Self::RoadmapBoard(records) => records.into_iter().map(Record::RoadmapBoard).collect(),
            Self::Status(records) => records.into_iter().map(Record::Status).collect(),
            Self::Category(records) => records.into_iter().map(Record::Category).collect(),
            Self::Tag(records) => records.into_iter().map(Record::Tag).collect(),
            Self::FeedbackPost(records) => records.into_iter().map(Record::FeedbackPost).collect(),
            Self::RoadmapPost(records) => records.into_iter().map(Record::RoadmapPost).collect(),
            Self::Comment(records) => records.into_iter().map(Record::Comment).collect(),
            Self::Vote(records) => records.into_iter().map(Record::Vote).collect(),
            Self::Merge(records) => records.into_iter().map(Record::Merge).collect(),
            Self::Label(records) => records.into_iter().map(Record::Label).collect(),
            Self::ChangelogEntry(records) => {
                records.into_iter().map(Record::ChangelogEntry).collect()
            }
            Self::HelpCollection(records) => {
                records.into_iter().map(Record::HelpCollection).collect()
            }
            Self::HelpCategory(records) => records.into_iter().map(Record::HelpCategory).collect(),
            Self::HelpArticle(records) => records.into_iter().map(Record::HelpArticle).collect(),
            Self::WebhookSubscription(records) => {
                records.into_iter().map(Record::WebhookSubscription).collect()
            }
            Self::ApiKey(records) => records.into_iter().map(Record::ApiKey).collect(),
        }
    }
}

impl Record {
    /// The identifier of the record itself.
    pub fn id(&self) -> Uuid {
        match self {
            Self::Organization(organization) => organization.id.0,
            Self::User(user) => user.id.0,
            Self::FeedbackBoard(board) => board.id.0,
            Self::RoadmapBoard(board) => board.id.0,
            Self::Status(status) => status.id.0,
            Self::Category(category) => category.id.0,
            Self::Tag(tag) => tag.id.0,
            Self::FeedbackPost(post) => post.id.0,
            Self::RoadmapPost(post) => post.id.0,
            Self::Comment(comment) => comment.id.0,
            Self::Vote(vote) => vote.id.0,
            Self::Merge(merge) => merge.id.0,
            Self::Label(label) => label.id.0,
            Self::ChangelogEntry(entry) => entry.id.0,
            Self::HelpCollection(collection) => collection.id.0,
            Self::HelpCategory(category) => category.id.0,
            Self::HelpArticle(article) => article.id.0,
            Self::WebhookSubscription(subscription) => subscription.id.0,
            Self::ApiKey(key) => key.id.0,
        }
    }
}

/// A record that another one names: the member that names it, its kind (for [`Kind::User`] it is named by `user_id`), its identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The member of the naming record.
    pub member: &'static str,
    /// The kind of the named record.
    pub kind: Kind,
    /// Its identifier.
    pub id: Uuid,
}

impl Record {
    /// What the record names and what must be in the store before it, in the order of the format's table. Not among them are
    /// `merged_into_id` and `related_article_ids`, which may name later records and are written at the end.
    pub fn references(&self) -> Vec<Reference> {
        let mut all = References::default();
        match self {
            Self::FeedbackPost(post) => {
                all.one("board_id", Kind::FeedbackBoard, post.board_id);
                all.one("author_id", Kind::User, post.author_id);
                all.some("owner_id", Kind::User, post.owner_id);
                all.one("status_id", Kind::Status, post.status_id);
                all.some("category_id", Kind::Category, post.category_id);
                all.many("tag_ids", Kind::Tag, &post.tag_ids);
            }
            Self::RoadmapPost(post) => {
                all.one("roadmap_board_id", Kind::RoadmapBoard, post.roadmap_board_id);
                all.some("author_id", Kind::User, post.author_id);
                all.some("owner_id", Kind::User, post.owner_id);
                all.one("status_id", Kind::Status, post.status_id);
                all.some("category_id", Kind::Category, post.category_id);
            }
            Self::Comment(comment) => {
                all.one("author_id", Kind::User, comment.author_id);
                all.one("feedback_post_id", Kind::FeedbackPost, comment.feedback_post_id);
                // Last: a parent on another post exists, and is a fault all the same.
                all.some("parent_comment_id", Kind::Comment, comment.parent_comment_id);
            }
            Self::Vote(vote) => {
                all.one("user_id", Kind::User, vote.user_id);
                match vote.target {
                    Target::Feedback(id) => all.one("post_id", Kind::FeedbackPost, id),
                    Target::Roadmap(id) => all.one("post_id", Kind::RoadmapPost, id),
                }
            }
            Self::Merge(merge) => {
                all.one("merge_post_id", Kind::FeedbackPost, merge.merge_post_id);
                all.one("into_post_id", Kind::FeedbackPost, merge.into_post_id);
                all.one("merger_id", Kind::User, merge.merger_id);
            }
            Self::ChangelogEntry(entry) => {
                all.some("author_id", Kind::User, entry.author_id);
                all.many("label_ids", Kind::Label, &entry.label_ids);
            }
            Self::HelpCategory(category) => {
                all.one("collection_id", Kind::HelpCollection, category.collection_id)
            }
            Self::HelpArticle(article) => {
                all.some("collection_id", Kind::HelpCollection, article.parent.collection());
                all.some("category_id", Kind::HelpCategory, article.parent.category());
                all.some("author_id", Kind::User, article.author_id);
            }
            Self::Organization(_)
            | Self::User(_)
            | Self::FeedbackBoard(_)
            | Self::RoadmapBoard(_)
            | Self::Status(_)
            | Self::Category(_)
            | Self::Tag(_)
            | Self::Label(_)
            | Self::HelpCollection(_)
            | Self::WebhookSubscription(_)
            | Self::ApiKey(_) => {}
        }
        all.0
    }

    /// What the record names in a list of its own, which no foreign key can hold; the store looks these up, after
    /// [`Record::references`].
    pub fn listed_references(&self) -> Vec<Reference> {
        let mut all = References::default();
        if let Self::Merge(merge) = self {
            all.many("moved_user_ids", Kind::User, &merge.moved_user_ids);
            all.many("dropped_user_ids", Kind::User, &merge.dropped_user_ids);
        }
        all.0
    }
}

#[derive(Default)]
struct References(Vec<Reference>);

impl References {
    fn one(&mut self, member: &'static str, kind: Kind, id: impl Into<Uuid>) {
        self.0.push(Reference { member, kind, id: id.into() });
    }

    fn some(&mut self, member: &'static str, kind: Kind, id: Option<impl Into<Uuid>>) {
        if let Some(id) = id {
            self.one(member, kind, id);
        }
    }

    fn many(&mut self, member: &'static str, kind: Kind, ids: &[impl Into<Uuid> + Copy]) {
        for &id in ids {
            self.one(member, kind, id);
        }
    }
}
