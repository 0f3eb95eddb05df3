//! Organizations for tests: a few records that others refer to, and the records that a test adds.
//!
//! ```
//! # use hearback_tests::build::Tenant;
//! # use hearback_domain::feedback_post::FeedbackPost;
//! let mut acme = Tenant::new();
//! let wish = acme.add(acme.post());
//! let deleted = acme.add(FeedbackPost { is_active: false, ..acme.post() });
//! acme.add(acme.vote(&acme.author, &wish));
//! assert_eq!(acme.all::<FeedbackPost>(), [wish, deleted]);
//! ```

use crate::system::{fresh, patiently};
use hearback_app::Caller;
use hearback_domain::access::{Access, Guests, Moderating};
use hearback_domain::api_key::{ApiKey, KeyDigest, Sealed};
use hearback_domain::attributes::Attributes;
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus, EntryType};
use hearback_domain::comment::{Comment, Visibility};
use hearback_domain::company::Company;
use hearback_domain::entry_link::EntryLink;
use hearback_domain::event::{
    ArticleFacts, CommentFacts, EntryFacts, Event, EventType, Happening, MergeFacts, Moderated,
    PostFacts, PostField, PostStatus, QueueFacts, RoadmapFacts, RoadmapField, StatusChange,
    StatusFacts, TagFacts, UserFacts, VoteFacts,
};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::help_article::{ArticleParent, ArticleStatus, HelpArticle};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::help_redirect::{HelpRedirect, Path};
use hearback_domain::id::{CommentId, OrganizationId, PostId};
use hearback_domain::label::Label;
use hearback_domain::merge::{DroppedVote, MergeRecord, final_targets};
use hearback_domain::organization::{HelpCenter, Organization};
use hearback_domain::portal::PortalSettings;
use hearback_domain::position::Position;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::slug::Slug;
use hearback_domain::spend::Spend;
use hearback_domain::status::{Status, StatusGroup};
use hearback_domain::subscription::{Level, Subscription};
use hearback_domain::tag::Tag;
use hearback_domain::user::{PostMail, User};
use hearback_domain::vote::{Target, Vote};
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::import::{Ending, Import, Links, MergedPost, PutError};
pub use hearback_ports::record::OfKind;
use hearback_ports::{Batch, Kind, Ports, Record};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicI64, Ordering};

/// An organization with its records.
///
/// `author`, `board`, `status`, `roadmap_board` and `collection` exist from the start. New records
/// refer to them unless a test sets other references. Each record is one second younger than the
/// record made before it.
#[derive(Clone, Debug)]
pub struct Tenant {
    /// The organization.
    pub organization: Organization,
    /// The author of all posts, comments and articles.
    pub author: User,
    /// The board of feedback posts.
    pub board: FeedbackBoard,
    /// The status of posts.
    pub status: Status,
    /// The board of roadmap posts.
    pub roadmap_board: RoadmapBoard,
    /// The collection of help categories and articles.
    pub collection: HelpCollection,
    records: Vec<Record>,
}

impl Default for Tenant {
    fn default() -> Self {
        Self::new()
    }
}

impl Tenant {
    /// Makes an organization with the records that other records need.
    pub fn new() -> Self {
        let mut tenant = Self {
            organization: organization(),
            author: user(),
            board: board(),
            status: status(),
            roadmap_board: roadmap_board(),
            collection: collection(),
            records: Vec::new(),
        };
        tenant.add(tenant.author.clone());
        tenant.add(tenant.board.clone());
        tenant.add(tenant.status.clone());
        tenant.add(tenant.roadmap_board.clone());
        tenant.add(tenant.collection.clone());
        tenant
    }

    /// Makes an organization with these records and no others.
    pub fn of(organization: Organization, records: Vec<Record>) -> Self {
        Self { organization, records, ..Self::new() }
    }

    /// Makes an organization with records of every kind, some of them inactive, in which every
    /// optional reference is set.
    pub fn full() -> Self {
        let mut acme = Self::new();
        let owner = acme.add(User {
            email: "owner@example.com".to_owned(),
            is_subscribed: true,
            ..acme.user()
        });
        acme.add(User { email: String::new(), is_active: false, ..acme.user() });
        let company = acme.add(acme.company());
        acme.add(Company { is_active: false, ..acme.company() });
        acme.add(User { company_id: Some(company.id), ..acme.user() });
        let icon = Some("https://example.com/icon.png".to_owned());
        acme.add(FeedbackBoard {
            description: Some("Bugs".to_owned()),
            icon_url: icon.clone(),
            is_active: false,
            ..acme.board()
        });
        acme.add(RoadmapBoard {
            description: Some(String::new()),
            icon_url: icon,
            is_active: false,
            ..acme.roadmap_board()
        });
        acme.add(Status { group: StatusGroup::Closed, is_default_status: true, ..acme.status() });
        let category = acme.add(acme.category());
        acme.add(Category {
            description: Some("Old".to_owned()),
            is_active: false,
            ..acme.category()
        });
        let (first, second) =
            (acme.add(acme.tag()), acme.add(Tag { code: None, is_active: false, ..acme.tag() }));
        let (merged, post) = (acme.post(), acme.post());
        // A post may refer to a later one.
        acme.add(FeedbackPost { merged_into_id: Some(post.id), ..merged.clone() });
        let post = acme.add(FeedbackPost {
            owner_id: Some(owner.user_id),
            category_id: Some(category.id),
            eta: Some(Time::MAX),
            tag_ids: vec![second.id, first.id],
            ..post
        });
        acme.add(FeedbackPost { moderation: Moderation::Spam, is_active: false, ..acme.post() });
        let plan = acme.add(RoadmapPost {
            author_id: Some(acme.author.user_id),
            owner_id: Some(owner.user_id),
            category_id: Some(category.id),
            eta: Some(Time::MIN),
            ..acme.roadmap_post()
        });
        acme.add(acme.link(&plan, &post));
        acme.add(acme.post_subscription(&owner, &post));
        let comment = acme.add(acme.comment(&post));
        acme.add(Comment {
            parent_comment_id: Some(comment.id),
            visibility: Visibility::Internal,
            ..acme.comment(&post)
        });
        acme.add(Comment { is_active: false, ..acme.comment(&post) });
        acme.add(acme.vote(&owner, &post));
        acme.add(acme.vote(&owner, &plan));
        acme.add(MergeRecord {
            dropped_user_ids: vec![owner.user_id],
            ..acme.merge(&merged, &post)
        });
        acme.add(acme.dropped_vote(&owner, &merged, &post));
        let label = acme.add(acme.label());
        acme.add(Label {
            description: Some("Faster".to_owned()),
            is_active: false,
            ..acme.label()
        });
        let entry = acme.add(ChangelogEntry {
            author_id: Some(owner.user_id),
            label_ids: vec![label.id],
            published_at: Some(Time::MAX),
            ..acme.entry()
        });
        acme.add(acme.entry_link(&entry, &post));
        let filed = acme.add(acme.help_category());
        let (early, late) = (acme.article(), acme.article());
        acme.add(HelpArticle { related_article_ids: vec![late.id], ..early.clone() });
        acme.add(HelpArticle {
            parent: ArticleParent::Category(filed.id),
            author_id: Some(owner.user_id),
            related_article_ids: vec![late.id, early.id],
            version: 3,
            ..late.clone()
        });
        acme.add(acme.version(&late, 1));
        acme.add(acme.redirect("/guide", "/help"));
        let author_id = Some(owner.user_id);
        acme.add(HelpArticleVersion { author_id, ..acme.version(&late, 2) });
        acme.add(WebhookSubscription {
            event_types: vec![EventType::VoteDeleted, EventType::VoteCreated],
            ..acme.subscription()
        });
        acme.add(WebhookSubscription { is_active: false, ..acme.subscription() });
        acme.add(WebhookSubscription { awaits_rotation: true, ..acme.subscription() });
        acme.add(acme.api_key());
        acme
    }

    /// The organization's identifier.
    pub fn id(&self) -> OrganizationId {
        self.organization.id
    }

    /// A caller for the organization: the program itself, in the background.
    pub fn caller(&self) -> Caller {
        Caller::background(self.id())
    }

    /// Adds a record and returns it.
    pub fn add<R: OfKind>(&mut self, record: R) -> R {
        self.records.push(record.clone().into_record());
        record
    }

    /// Adds records, the last one first, so that the order of rows differs from that of identifiers
    /// and times.
    pub fn add_backwards<R: OfKind>(&mut self, records: Vec<R>) {
        for record in records.into_iter().rev() {
            self.add(record);
        }
    }

    /// Adds records of any kind.
    pub fn extend(&mut self, records: Vec<Record>) {
        self.records.extend(records);
    }

    /// Keeps the records for which `keep` returns `true`.
    pub fn retain(&mut self, keep: impl Fn(&Record) -> bool) {
        self.records.retain(keep);
    }

    /// All records of a kind, in the order in which they were added.
    pub fn all<R: OfKind>(&self) -> Vec<R> {
        self.records.iter().filter_map(R::of_record).cloned().collect()
    }

    /// Changes each record. `change` must keep identifiers.
    #[must_use]
    pub fn map(mut self, change: impl Fn(OrganizationId, &mut Record)) -> Self {
        let id = self.id();
        self.records.iter_mut().for_each(|record| change(id, record));
        self
    }

    /// All records, with the organization, in the order of an export: by kind, depth and
    /// identifier.
    pub fn exported(&self) -> Vec<Record> {
        let depths = self.depths();
        let mut records = self.records.clone();
        records.push(Record::Organization(self.organization.clone()));
        records
            .sort_by_key(|record| (record.kind(), depths.get(&record.id()).copied(), record.id()));
        records
    }

    /// Imports the organization and two others whose records have the same identifiers, times and
    /// references: its twin, and its opposite, whose flags are inverted. A query that does not
    /// filter by organization returns too many records, or wrong ones.
    pub async fn import(self, ports: &Ports) -> Imported {
        let (twin, opposite) = (self.twin(), self.opposite());
        let mut import = begin(ports).await;
        // One other organization comes before this one and one after it, by row and by identifier:
        // a query that takes the first or the last row of all organizations takes a wrong one.
        for tenant in [&opposite, &self, &twin] {
            tenant.put(&mut *import).await.expect("the organization is imported");
        }
        import.finish(Ending::Commit).await.expect("the import ends");
        Imported { tenant: self, twin, opposite }
    }

    /// Writes the organization without its twin and its opposite, as a part of an import.
    pub async fn put(&self, import: &mut dyn Import) -> Result<(), PutError> {
        import.put(self.id(), Batch::Organization(vec![self.organization.clone()])).await?;
        put(import, self.id(), &self.records).await?;
        import.link(self.id(), self.links()).await
    }

    /// The references to records that a file may hold later.
    pub fn links(&self) -> Links {
        let posts: Vec<FeedbackPost> = self.all();
        let merged: HashMap<PostId, PostId> =
            posts.iter().filter_map(|post| Some((post.id, post.merged_into_id?))).collect();
        let ends = final_targets(&merged).expect("merges without a circle");
        let merged_posts =
            merged.iter().map(|(&id, &into)| MergedPost { id, into, finally: ends[&id] }).collect();
        let related = |article: HelpArticle| (article.id, article.related_article_ids);
        let related_articles = self
            .all()
            .into_iter()
            .map(related)
            .filter(|(_, related)| !related.is_empty())
            .collect();
        Links { merged_posts, related_articles }
    }

    /// The depth of each comment: the number of its ancestors.
    fn depths(&self) -> HashMap<Uuid, usize> {
        let comments: Vec<Comment> = self.all();
        let parents: HashMap<CommentId, Option<CommentId>> =
            comments.iter().map(|comment| (comment.id, comment.parent_comment_id)).collect();
        let above =
            |&id: &CommentId| (id.0, std::iter::successors(parents[&id], |id| parents[id]).count());
        parents.keys().map(above).collect()
    }

    /// A copy in another organization, with other names and with inverted flags of boards. It has
    /// no API keys, since a key is unique among all organizations.
    fn twin(&self) -> Self {
        let id = Uuid::from_u128(self.id().0.as_u128().wrapping_add(1)).into();
        let mut twin = Self { organization: Organization { id, ..organization() }, ..self.clone() };
        twin.records.retain(|record| record.kind() != Kind::ApiKey);
        for record in &mut twin.records {
            match record {
                Record::FeedbackBoard(FeedbackBoard { name, is_voting_enabled, .. })
                | Record::RoadmapBoard(RoadmapBoard { name, is_voting_enabled, .. }) => {
                    name.push_str(" of somebody else");
                    *is_voting_enabled = !*is_voting_enabled;
                }
                Record::Company(Company { name, .. })
                | Record::User(User { name, .. })
                | Record::Status(Status { name, .. })
                | Record::Category(Category { name, .. })
                | Record::Tag(Tag { name, .. })
                | Record::FeedbackPost(FeedbackPost { title: name, .. })
                | Record::RoadmapPost(RoadmapPost { title: name, .. })
                | Record::Comment(Comment { content: name, .. })
                | Record::Label(Label { name, .. })
                | Record::ChangelogEntry(ChangelogEntry { title: name, .. })
                | Record::HelpCollection(HelpCollection { name, .. })
                | Record::HelpCategory(HelpCategory { name, .. })
                | Record::HelpArticle(HelpArticle { title: name, .. })
                | Record::HelpArticleVersion(HelpArticleVersion { title: name, .. }) => {
                    name.push_str(" of somebody else")
                }
                _ => {}
            }
        }
        twin
    }

    /// A twin with inverted activity: a record is active if it is deleted here, and deleted if it
    /// is active here. No post of it is merged.
    fn opposite(&self) -> Self {
        let mut opposite = self.twin();
        opposite.organization.id = Uuid::from_u128(self.id().0.as_u128().wrapping_sub(1)).into();
        for record in &mut opposite.records {
            if let Some(is_active) = activity(record) {
                *is_active = !*is_active;
            }
            if let Record::FeedbackPost(post) = record {
                post.merged_into_id = None;
            }
        }
        opposite
    }
}

/// The member `is_active` of a record. `None` if its kind has no such member.
pub fn activity(record: &mut Record) -> Option<&mut bool> {
    match record {
        Record::Company(Company { is_active, .. })
        | Record::User(User { is_active, .. })
        | Record::FeedbackBoard(FeedbackBoard { is_active, .. })
        | Record::RoadmapBoard(RoadmapBoard { is_active, .. })
        | Record::Status(Status { is_active, .. })
        | Record::Category(Category { is_active, .. })
        | Record::Tag(Tag { is_active, .. })
        | Record::FeedbackPost(FeedbackPost { is_active, .. })
        | Record::RoadmapPost(RoadmapPost { is_active, .. })
        | Record::Comment(Comment { is_active, .. })
        | Record::Label(Label { is_active, .. })
        | Record::ChangelogEntry(ChangelogEntry { is_active, .. })
        | Record::HelpCollection(HelpCollection { is_active, .. })
        | Record::HelpCategory(HelpCategory { is_active, .. })
        | Record::HelpArticle(HelpArticle { is_active, .. })
        | Record::WebhookSubscription(WebhookSubscription { is_active, .. }) => Some(is_active),
        Record::Organization(_)
        | Record::RoadmapLink(_)
        | Record::EntryLink(_)
        | Record::Subscription(_)
        | Record::Vote(_)
        | Record::Merge(_)
        | Record::DroppedVote(_)
        | Record::HelpArticleVersion(_)
        | Record::HelpRedirect(_)
        | Record::ApiKey(_) => None,
    }
}

/// An organization in the store, with its twin and its opposite.
#[derive(Debug)]
pub struct Imported {
    tenant: Tenant,
    twin: Tenant,
    opposite: Tenant,
}

impl Imported {
    /// The twin of the organization.
    pub fn twin(&self) -> &Tenant {
        &self.twin
    }

    /// The opposite of the organization.
    pub fn opposite(&self) -> &Tenant {
        &self.opposite
    }

    /// Imports more records into this organization alone.
    pub async fn append(&self, ports: &Ports, records: Vec<Record>) {
        let mut import = begin(ports).await;
        put(&mut *import, self.id(), &records).await.expect("the records are imported");
        import.finish(Ending::Commit).await.expect("the import ends");
    }
}

impl Deref for Imported {
    type Target = Tenant;

    fn deref(&self) -> &Tenant {
        &self.tenant
    }
}

/// Begins an import. Waits while the store's only writer is in use.
pub async fn begin(ports: &Ports) -> Box<dyn Import> {
    patiently(|| ports.importer.begin()).await
}

/// Writes records. Within a kind, a record comes after those that it refers to.
async fn put(
    import: &mut dyn Import,
    organization: OrganizationId,
    records: &[Record],
) -> Result<(), PutError> {
    for &kind in Kind::ALL {
        let of_kind = records.iter().filter(|record| record.kind() == kind);
        let of_kind: Vec<Record> = of_kind.cloned().collect();
        for some in of_kind.chunks(BATCH) {
            import.put(organization, batch(some.to_vec())).await?;
        }
    }
    Ok(())
}

/// A batch of records of one kind.
pub fn batch(records: Vec<Record>) -> Batch {
    let mut records = records.into_iter();
    let mut batch = Batch::from(records.next().expect("at least one record"));
    for record in records {
        assert_eq!(batch.push(record), None, "a batch has one kind");
    }
    batch
}

/// The greatest number of records in a batch.
const BATCH: usize = 1_000;

/// New records. Tests do not depend on their values. They are in the organization only after `add`.
impl Tenant {
    /// A company.
    pub fn company(&self) -> Company {
        let id: Uuid = fresh();
        let at = tick();
        Company {
            id: id.into(),
            external_id: id.to_string(),
            name: "Analytical".to_owned(),
            monthly_spend: Spend::default(),
            customer_status: String::new(),
            attributes: Attributes::default(),
            is_active: true,
            created_at: at,
            updated_at: at,
        }
    }

    /// A linked user.
    pub fn user(&self) -> User {
        user()
    }

    /// A feedback board that takes votes.
    pub fn board(&self) -> FeedbackBoard {
        board()
    }

    /// A roadmap board that takes votes.
    pub fn roadmap_board(&self) -> RoadmapBoard {
        roadmap_board()
    }

    /// An open status that is not the default.
    pub fn status(&self) -> Status {
        status()
    }

    /// A category.
    pub fn category(&self) -> Category {
        let id: Uuid = fresh();
        Category {
            id: id.into(),
            name: "Interface".to_owned(),
            code: id.to_string(),
            description: None,
            color: "#64748b".to_owned(),
            show_on_feedback: true,
            show_on_roadmap: false,
            external_id: None,
            is_active: true,
            created_at: tick(),
        }
    }

    /// A tag.
    pub fn tag(&self) -> Tag {
        let id: Uuid = fresh();
        Tag {
            is_public: true,
            external_id: None,
            id: id.into(),
            name: "mobile".to_owned(),
            code: Some(id.to_string()),
            color: "#abc".to_owned(),
            show_on_feedback: false,
            show_on_roadmap: true,
            is_active: true,
            created_at: tick(),
        }
    }

    /// An accepted post on the board, by the author.
    pub fn post(&self) -> FeedbackPost {
        let id: Uuid = fresh();
        let at = tick();
        FeedbackPost {
            id: id.into(),
            title: "Dark mode".to_owned(),
            description: "It is too bright.".to_owned(),
            slug: slug(id),
            board_id: self.board.id,
            author_id: self.author.user_id,
            owner_id: None,
            status_id: self.status.id,
            category_id: None,
            eta: None,
            eta_is_public: true,
            is_pinned: false,
            moderation: Moderation::Accepted,
            tag_ids: Vec::new(),
            attributes: Attributes::default(),
            merged_into_id: None,
            created_by_id: None,
            external_id: None,
            is_active: true,
            created_at: at,
            updated_at: at,
            status_changed_at: at,
        }
    }

    /// A post on the roadmap board, without author.
    pub fn roadmap_post(&self) -> RoadmapPost {
        let id: Uuid = fresh();
        let at = tick();
        RoadmapPost {
            id: id.into(),
            title: "Work offline".to_owned(),
            description: String::new(),
            slug: slug(id),
            roadmap_board_id: self.roadmap_board.id,
            author_id: None,
            owner_id: None,
            status_id: self.status.id,
            category_id: None,
            eta: None,
            tag_ids: Vec::new(),
            external_id: None,
            is_active: true,
            seq_number: Position::START,
            created_at: at,
            updated_at: at,
        }
    }

    /// A public comment of the author.
    pub fn comment(&self, post: &FeedbackPost) -> Comment {
        let at = tick();
        Comment {
            id: fresh(),
            content: "Yes, please.".to_owned(),
            author_id: self.author.user_id,
            parent_comment_id: None,
            feedback_post_id: post.id,
            visibility: Visibility::Public,
            moderation: Moderation::Accepted,
            is_pinned: false,
            external_id: None,
            is_active: true,
            created_at: at,
            updated_at: at,
        }
    }

    /// A user's vote on a feedback or roadmap post.
    pub fn vote(&self, user: &User, post: &impl Votable) -> Vote {
        Vote {
            id: fresh(),
            user_id: user.user_id,
            target: post.target(),
            cast_on_id: None,
            created_by_id: None,
            source_url: None,
            created_at: tick(),
        }
    }

    /// A link between a roadmap post and a feedback post, without the status.
    pub fn link(&self, plan: &RoadmapPost, post: &FeedbackPost) -> RoadmapLink {
        RoadmapLink {
            id: fresh(),
            roadmap_post_id: plan.id,
            feedback_post_id: post.id,
            sync_status: false,
            created_at: tick(),
        }
    }

    /// A user's subscription to all news of a post.
    pub fn post_subscription(&self, user: &User, post: &FeedbackPost) -> Subscription {
        Subscription {
            id: fresh(),
            feedback_post_id: post.id,
            user_id: user.user_id,
            level: Level::All,
            created_at: tick(),
        }
    }

    /// The record of a merge by the author. The merge moved no vote.
    pub fn merge(&self, source: &FeedbackPost, target: &FeedbackPost) -> MergeRecord {
        MergeRecord {
            id: fresh(),
            merge_post_id: source.id,
            into_post_id: target.id,
            merger_id: self.author.user_id,
            moved_user_ids: Vec::new(),
            dropped_user_ids: Vec::new(),
            votes_kept: false,
            created_at: tick(),
        }
    }

    /// A user's vote on a post that a merge dropped. It kept one that was cast on the other post.
    pub fn dropped_vote(
        &self,
        user: &User,
        post: &FeedbackPost,
        kept: &FeedbackPost,
    ) -> DroppedVote {
        DroppedVote {
            id: fresh(),
            user_id: user.user_id,
            feedback_post_id: post.id,
            kept_post_id: kept.id,
            created_by_id: None,
            source_url: None,
            created_at: tick(),
        }
    }

    /// A label.
    pub fn label(&self) -> Label {
        let id: Uuid = fresh();
        Label {
            id: id.into(),
            name: "Speed".to_owned(),
            code: id.to_string(),
            color: "#64748bff".to_owned(),
            description: None,
            external_id: None,
            is_active: true,
            created_at: tick(),
        }
    }

    /// A link between a changelog entry and a feedback post.
    pub fn entry_link(&self, entry: &ChangelogEntry, post: &FeedbackPost) -> EntryLink {
        EntryLink {
            id: fresh(),
            changelog_entry_id: entry.id,
            feedback_post_id: post.id,
            created_at: tick(),
        }
    }

    /// A changelog entry, a draft.
    pub fn entry(&self) -> ChangelogEntry {
        let id: Uuid = fresh();
        let at = tick();
        ChangelogEntry {
            id: id.into(),
            title: "Faster lists".to_owned(),
            content: String::new(),
            slug: slug(id),
            status: EntryStatus::Draft,
            show_on_portal: true,
            featured_image_url: None,
            author_id: None,
            scheduled_at: None,
            published_at: None,
            entry_type: None,
            label_ids: Vec::new(),
            notify: false,
            notify_voters: false,
            external_id: None,
            is_active: true,
            created_at: at,
            updated_at: at,
        }
    }

    /// A help collection.
    pub fn help_collection(&self) -> HelpCollection {
        collection()
    }

    /// A help category in the collection.
    pub fn help_category(&self) -> HelpCategory {
        let id: Uuid = fresh();
        let at = tick();
        HelpCategory {
            id: id.into(),
            collection_id: self.collection.id,
            name: "First steps".to_owned(),
            slug: slug(id),
            description: None,
            icon: None,
            color: None,
            seq_number: Position::START.next(),
            external_id: None,
            is_active: true,
            created_at: at,
            updated_at: at,
        }
    }

    /// A help article in the collection, a draft.
    pub fn article(&self) -> HelpArticle {
        let id: Uuid = fresh();
        let at = tick();
        HelpArticle {
            id: id.into(),
            title: "Signing in".to_owned(),
            content: "<p>Enter your address.</p>".to_owned(),
            slug: slug(id),
            excerpt: None,
            status: ArticleStatus::Draft,
            show_on_portal: true,
            is_favourite: false,
            parent: ArticleParent::Collection(self.collection.id),
            seq_number: Position::START.next(),
            author_id: None,
            published_at: None,
            related_article_ids: Vec::new(),
            view_count: 0,
            helpful_count: 0,
            not_helpful_count: 0,
            external_id: None,
            version: 1,
            versioned_at: at,
            is_active: true,
            created_at: at,
            updated_at: at,
        }
    }

    /// A redirect of the portal.
    pub fn redirect(&self, from: &str, to: &str) -> HelpRedirect {
        let path = |text| Path::parse(text).expect("a path");
        let created_at = tick();
        HelpRedirect { id: fresh(), from_path: path(from), to_path: path(to), created_at }
    }

    /// A superseded version of an article.
    pub fn version(&self, article: &HelpArticle, version: i64) -> HelpArticleVersion {
        let id = fresh();
        HelpArticleVersion { version, ..HelpArticleVersion::of(id, article) }
    }

    /// A subscription to all events.
    pub fn subscription(&self) -> WebhookSubscription {
        subscription()
    }

    /// An API key. Its digest is unique, and its sealed bytes open to nothing.
    pub fn api_key(&self) -> ApiKey {
        ApiKey { id: fresh(), digest: digest(), sealed: Sealed(vec![0, 1, 2]), created_at: tick() }
    }
}

/// An organization with a new identifier.
pub fn organization() -> Organization {
    let id: Uuid = fresh();
    let name = "Acme Inc.".to_owned();
    Organization {
        id: id.into(),
        name,
        slug: slug(id),
        help_center: HelpCenter::Enabled,
        events_ledger: false,
        portal: PortalSettings::default(),
        created_at: tick(),
    }
}

/// A subscription to all events.
pub fn subscription() -> WebhookSubscription {
    WebhookSubscription {
        id: fresh(),
        url: "https://example.com/hook".to_owned(),
        event_types: Vec::new(),
        board_ids: Vec::new(),
        description: None,
        is_active: true,
        awaits_rotation: false,
        secret: Sealed(vec![1, 0, 255]),
        previous_secret: None,
        previous_until: None,
        created_at: tick(),
    }
}

/// An event of a type, about records that are in no store.
pub fn event(event_type: EventType, at: Time) -> Event {
    Event { id: fresh(), at, what: happening(event_type), in_ledger: false }
}

fn happening(event_type: EventType) -> Happening {
    let post = || PostFacts {
        id: fresh(),
        title: "Say \"hi\" 😀\n\u{7f}".to_owned(),
        details: String::new(),
        board_id: fresh(),
        board_name: "Größe".to_owned(),
    };
    let tag = || {
        let PostFacts { id, title, board_id, board_name, .. } = post();
        TagFacts { id, title, board_id, board_name, tag_id: fresh(), tag_name: "mobile".to_owned() }
    };
    let comment = || {
        let PostFacts { id: post_id, title: post_title, board_id, .. } = post();
        let (content, parent_comment_id) = ("Yes, please.".to_owned(), Some(fresh()));
        CommentFacts {
            id: fresh(),
            content,
            post_id,
            post_title,
            board_id,
            author_id: fresh(),
            parent_comment_id,
        }
    };
    let vote = || {
        let PostFacts { id: post_id, title: post_title, board_id, .. } = post();
        VoteFacts { id: fresh(), post_id, post_title, board_id }
    };
    let status = |group| PostStatus { id: fresh(), group };
    let merge = || MergeFacts { post: post(), into_post_id: fresh(), merger_id: Some(fresh()) };
    let plan = || RoadmapFacts {
        id: fresh(),
        title: "Work offline".to_owned(),
        details: String::new(),
        roadmap_board_id: fresh(),
        roadmap_board_name: "Next".to_owned(),
    };
    let entry = || EntryFacts {
        id: fresh(),
        title: "Faster lists".to_owned(),
        slug: slug(fresh()),
        entry_type: Some(EntryType::Improvement),
        published_at: Some(at(0)),
    };
    let person = || UserFacts {
        id: fresh(),
        user_id: fresh(),
        external_id: None,
        email: "ada@example.com".to_owned(),
        name: "Ada".to_owned(),
    };
    match event_type {
        EventType::PostCreated => Happening::PostCreated(post()),
        EventType::PostEdited => Happening::PostEdited(post(), PostField::ALL.to_vec()),
        EventType::PostDeleted => Happening::PostDeleted(post()),
        EventType::PostTagAdded => Happening::PostTagAdded(tag()),
        EventType::PostTagRemoved => Happening::PostTagRemoved(tag()),
        EventType::PostStatusChanged => {
            let (status, previous) = (status(StatusGroup::Closed), status(StatusGroup::Open));
            Happening::PostStatusChanged(StatusFacts { post: post(), status, previous })
        }
        EventType::CommentCreated => Happening::CommentCreated(comment()),
        EventType::CommentEdited => Happening::CommentEdited(comment()),
        EventType::CommentDeleted => Happening::CommentDeleted(comment()),
        EventType::VoteCreated => Happening::VoteCreated(vote()),
        EventType::VoteDeleted => Happening::VoteDeleted(vote()),
        EventType::PostRestored => Happening::PostRestored(post()),
        EventType::PostMerged => Happening::PostMerged(merge()),
        EventType::PostUnmerged => Happening::PostUnmerged(merge()),
        EventType::RoadmapPostCreated => Happening::RoadmapPostCreated(plan()),
        EventType::RoadmapPostEdited => {
            Happening::RoadmapPostEdited(plan(), RoadmapField::ALL.to_vec())
        }
        EventType::RoadmapPostDeleted => Happening::RoadmapPostDeleted(plan()),
        EventType::RoadmapPostStatusChanged => {
            let (status, previous) = (status(StatusGroup::Closed), status(StatusGroup::Open));
            Happening::RoadmapPostStatusChanged(plan(), StatusChange { status, previous })
        }
        EventType::UserCreated => Happening::UserCreated(person()),
        EventType::UserUpdated => Happening::UserUpdated(person()),
        EventType::UserDeleted => Happening::UserDeleted(fresh(), fresh()),
        EventType::ModerationQueued => Happening::ModerationQueued(QueueFacts {
            kind: Moderated::Comment,
            id: fresh(),
            board_id: fresh(),
            author_id: fresh(),
        }),
        EventType::InternalCommentCreated => Happening::InternalCommentCreated(comment()),
        EventType::ArticlePublished => Happening::ArticlePublished(ArticleFacts {
            id: fresh(),
            title: "Signing in".to_owned(),
            slug: slug(fresh()),
            collection_id: Some(fresh()),
            category_id: Some(fresh()),
        }),
        EventType::EntryPublished => Happening::EntryPublished(entry()),
        EventType::EntryUnpublished => Happening::EntryUnpublished(entry()),
    }
}

/// A digest that belongs to no other key.
pub fn digest() -> KeyDigest {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(fresh::<Uuid>().as_bytes());
    bytes[16..].copy_from_slice(fresh::<Uuid>().as_bytes());
    KeyDigest(bytes)
}

/// A slug that contains `id`, so it is unique.
pub fn slug(id: Uuid) -> Slug {
    Slug::parse(&format!("Slug-{id}")).expect("a slug")
}

/// The given number of milliseconds after the beginning of 2026.
pub fn at(millis: i64) -> Time {
    Time::parse("2026-01-01").expect("a time").plus_millis(millis)
}

/// A time later than all times returned before.
pub fn tick() -> Time {
    static SECONDS: AtomicI64 = AtomicI64::new(0);
    at(SECONDS.fetch_add(1, Ordering::Relaxed) * 1000)
}

fn user() -> User {
    let (id, user_id): (_, Uuid) = (fresh(), fresh());
    let at = tick();
    User {
        id,
        user_id: user_id.into(),
        email: format!("{user_id}@example.com"),
        name: "Ada Lovelace".to_owned(),
        avatar_url: "https://example.com/ada.png".to_owned(),
        portal_role: "end_user".to_owned(),
        company_id: None,
        company_name: "Analytical Engines".to_owned(),
        customer_status: "paying".to_owned(),
        locale: String::new(),
        attributes: Attributes::default(),
        is_subscribed: false,
        post_mail: PostMail::default(),
        changelog_mail: true,
        is_blocked: false,
        is_trusted: false,
        external_id: None,
        is_active: true,
        created_at: at,
        updated_at: at,
    }
}

fn board() -> FeedbackBoard {
    let id: Uuid = fresh();
    FeedbackBoard {
        id: id.into(),
        name: "Ideas".to_owned(),
        slug: slug(id),
        description: None,
        icon_url: None,
        is_voting_enabled: true,
        is_commenting_enabled: false,
        show_post_dates: true,
        access: Access::Public,
        allowed_email_domains: Vec::new(),
        allowed_user_ids: Vec::new(),
        post_moderation: Moderating::Off,
        comment_moderation: Moderating::Off,
        guests: Guests::None,
        post_template: None,
        external_id: None,
        is_active: true,
        seq_number: Position::START.next(),
        created_at: tick(),
    }
}

fn roadmap_board() -> RoadmapBoard {
    let id: Uuid = fresh();
    RoadmapBoard {
        id: id.into(),
        name: "Next".to_owned(),
        slug: slug(id),
        description: None,
        icon_url: None,
        is_voting_enabled: true,
        access: Access::Public,
        external_id: None,
        is_active: true,
        seq_number: Position::START.next(),
        created_at: tick(),
    }
}

fn status() -> Status {
    let id: Uuid = fresh();
    Status {
        id: id.into(),
        name: "Planned".to_owned(),
        code: id.to_string(),
        color: "#fff".to_owned(),
        group: StatusGroup::Open,
        is_default_status: false,
        show_on_feedback: true,
        show_on_roadmap: false,
        external_id: None,
        is_active: true,
        seq_number: Position::START.next(),
        created_at: tick(),
    }
}

fn collection() -> HelpCollection {
    let id: Uuid = fresh();
    let at = tick();
    HelpCollection {
        id: id.into(),
        name: "Getting started".to_owned(),
        slug: slug(id),
        description: String::new(),
        icon: "book".to_owned(),
        color: "#64748b".to_owned(),
        seq_number: Position::START.next(),
        external_id: None,
        is_active: true,
        created_at: at,
        updated_at: at,
    }
}

/// A kind of posts that take votes.
pub trait Votable {
    /// The post as the target of a vote.
    fn target(&self) -> Target;
}

impl Votable for FeedbackPost {
    fn target(&self) -> Target {
        Target::Feedback(self.id)
    }
}

impl Votable for RoadmapPost {
    fn target(&self) -> Target {
        Target::Roadmap(self.id)
    }
}
