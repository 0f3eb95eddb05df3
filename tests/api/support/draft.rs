//! A draft of an organization: records of the portable format, with defaults for the members that a
//! test does not set.

use super::site::{Installation, Organization, Site, Store};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// A new identifier. Identifiers ascend.
pub(crate) fn id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let process = u64::from(std::process::id());
    // The version of the UUID is between the halves of the number.
    let high = (process << 32) | ((n >> 12) << 16) | 0x7000 | (n & 0xfff);
    Uuid::from_u64_pair(high, 0x8000_0000_0000_0000 | n).to_string()
}

/// The records of an organization, in the order in which they were added.
pub(crate) struct Draft {
    records: Vec<Value>,
    slug: String,
}

impl Draft {
    /// An organization without records.
    pub(crate) fn new() -> Self {
        Self::with(json!({}))
    }

    /// An organization with these members.
    pub(crate) fn with(members: Value) -> Self {
        let id = id();
        let slug = format!("org-{id}");
        let mut draft = Self { records: Vec::new(), slug: slug.clone() };
        draft.add(json!({"kind": "organization", "id": id, "name": "Acme", "slug": slug, "created_at": "2026-01-01"}), members);
        draft
    }

    /// Adds a company. Returns its id.
    pub(crate) fn company(&mut self, members: Value) -> String {
        let id = id();
        let defaults = json!({"kind": "company", "id": id, "external_id": id, "name": "Analytical",
            "created_at": "2026-01-02"});
        self.add_with_id(defaults, members)
    }

    /// Adds a user. Returns its `user_id`.
    pub(crate) fn user(&mut self, members: Value) -> String {
        let user_id = id();
        let defaults = json!({"kind": "user", "id": id(), "user_id": user_id, "email": format!("{user_id}@example.com"),
            "name": "Ada", "created_at": "2026-01-02"});
        self.add(defaults, members)["user_id"].as_str().expect("a user_id").to_owned()
    }

    /// Adds a feedback board. Returns its id.
    pub(crate) fn board(&mut self, members: Value) -> String {
        let id = id();
        self.add_with_id(
            json!({"kind": "feedback_board", "id": id, "name": "Ideas", "slug": id, "created_at": "2026-01-02"}),
            members,
        )
    }

    /// Adds a roadmap board. Returns its id.
    pub(crate) fn roadmap_board(&mut self, members: Value) -> String {
        let id = id();
        self.add_with_id(
            json!({"kind": "roadmap_board", "id": id, "name": "Next", "slug": id, "created_at": "2026-01-02"}),
            members,
        )
    }

    /// Adds a status. Returns its id.
    pub(crate) fn status(&mut self, members: Value) -> String {
        let id = id();
        let defaults = json!({"kind": "status", "id": id, "name": "Open", "code": id, "color": "#abcdef",
            "status_group_code": "open", "created_at": "2026-01-02"});
        self.add_with_id(defaults, members)
    }

    /// Adds a category. Returns its id.
    pub(crate) fn category(&mut self, members: Value) -> String {
        let id = id();
        let defaults = json!({"kind": "category", "id": id, "name": "UI", "code": id, "color": "#abc", "created_at": "2026-01-02"});
        self.add_with_id(defaults, members)
    }

    /// Adds a tag. Returns its id.
    pub(crate) fn tag(&mut self, members: Value) -> String {
        let defaults = json!({"kind": "tag", "id": id(), "name": "mobile", "color": "#abc", "created_at": "2026-01-02"});
        self.add_with_id(defaults, members)
    }

    /// Adds a feedback post. Its board, author and status are added unless they are given. Returns
    /// its id.
    pub(crate) fn post(&mut self, members: Value) -> String {
        let mut members = members;
        self.fill(&mut members, "board_id", Self::board);
        self.fill(&mut members, "author_id", Self::user);
        self.fill(&mut members, "status_id", Self::status);
        let id = id();
        let defaults = json!({"kind": "feedback_post", "id": id, "title": "Dark mode", "slug": id, "created_at": "2026-01-03"});
        self.add_with_id(defaults, members)
    }

    /// Adds a roadmap post. Its board and status are added unless they are given. Returns its id.
    pub(crate) fn roadmap_post(&mut self, members: Value) -> String {
        let mut members = members;
        self.fill(&mut members, "roadmap_board_id", Self::roadmap_board);
        self.fill(&mut members, "status_id", Self::status);
        let id = id();
        let defaults = json!({"kind": "roadmap_post", "id": id, "title": "Offline", "slug": id, "created_at": "2026-01-03"});
        self.add_with_id(defaults, members)
    }

    /// Adds a comment on a post. Its author is added unless it is given. Returns its id.
    pub(crate) fn comment(&mut self, post: &str, members: Value) -> String {
        let mut members = members;
        self.fill(&mut members, "author_id", Self::user);
        let defaults = json!({"kind": "comment", "id": id(), "content": "Yes, please.", "feedback_post_id": post,
            "created_at": "2026-01-04"});
        self.add_with_id(defaults, members)
    }

    /// Adds a vote of a user on a feedback post. Returns its id.
    pub(crate) fn vote(&mut self, user: &str, post: &str, members: Value) -> String {
        let defaults = json!({"kind": "vote", "id": id(), "user_id": user, "post_id": post, "post_type": "feedback",
            "created_at": "2026-01-05"});
        self.add_with_id(defaults, members)
    }

    /// Adds a subscription of a user to a post.
    pub(crate) fn subscription(&mut self, user: &str, post: &str) {
        let subscription = json!({"kind": "subscription", "id": id(), "user_id": user,
            "feedback_post_id": post, "created_at": "2026-01-05"});
        self.add(subscription, json!({}));
    }

    /// Adds a link from a roadmap post to a feedback post.
    pub(crate) fn link(&mut self, plan: &str, post: &str) {
        let link = json!({"kind": "roadmap_link", "id": id(), "roadmap_post_id": plan,
            "feedback_post_id": post, "created_at": "2026-01-05"});
        self.add(link, json!({}));
    }

    /// Adds a link from a changelog entry to a feedback post.
    pub(crate) fn entry_link(&mut self, entry: &str, post: &str) {
        let link = json!({"kind": "entry_link", "id": id(), "changelog_entry_id": entry,
            "feedback_post_id": post, "created_at": "2026-01-05"});
        self.add(link, json!({}));
    }

    /// Adds a changelog label. Returns its id.
    pub(crate) fn label(&mut self, members: Value) -> String {
        let id = id();
        let defaults = json!({"kind": "label", "id": id, "name": "Apps", "code": id, "color": "#abc", "created_at": "2026-01-02"});
        self.add_with_id(defaults, members)
    }

    /// Adds a changelog entry, a draft. Returns its id.
    pub(crate) fn entry(&mut self, members: Value) -> String {
        let id = id();
        let defaults = json!({"kind": "changelog_entry", "id": id, "title": "Dark mode", "slug": id, "status_code": "draft",
            "created_at": "2026-01-03"});
        self.add_with_id(defaults, members)
    }

    /// Adds a help collection. Returns its id.
    pub(crate) fn collection(&mut self, members: Value) -> String {
        let id = id();
        let defaults = json!({"kind": "help_collection", "id": id, "name": "Guides", "slug": id, "created_at": "2026-01-02"});
        self.add_with_id(defaults, members)
    }

    /// Adds a help category. Its collection is added unless it is given. Returns its id.
    pub(crate) fn help_category(&mut self, members: Value) -> String {
        let mut members = members;
        self.fill(&mut members, "collection_id", Self::collection);
        let id = id();
        let defaults = json!({"kind": "help_category", "id": id, "name": "First steps", "slug": id, "created_at": "2026-01-02"});
        self.add_with_id(defaults, members)
    }

    /// Adds a help article, a draft. Its collection is added unless a parent is given. Returns its
    /// id.
    pub(crate) fn article(&mut self, members: Value) -> String {
        let mut members = members;
        if members.get("category_id").is_none() {
            self.fill(&mut members, "collection_id", Self::collection);
        }
        let id = id();
        let defaults = json!({"kind": "help_article", "id": id, "title": "Getting started", "slug": id, "created_at": "2026-01-03"});
        self.add_with_id(defaults, members)
    }

    /// Adds a superseded version of a help article.
    pub(crate) fn version(&mut self, article: &str, version: i64, created_at: &str) {
        let version = json!({"kind": "help_article_version", "id": id(), "help_article_id": article,
            "version": version, "title": "Getting going", "created_at": created_at});
        self.add(version, json!({}));
    }

    /// Adds a redirect of the portal. Returns its id.
    pub(crate) fn redirect(&mut self, from: &str, to: &str) -> String {
        let redirect = json!({"kind": "help_redirect", "id": id(), "from_path": from,
            "to_path": to, "created_at": "2026-01-06"});
        self.add_with_id(redirect, json!({}))
    }

    /// Adds a subscription to all events. Its URL leads nowhere, and the servers still try to send
    /// the events.
    pub(crate) fn receiver(&mut self) {
        self.receiver_of(json!([]));
    }

    /// Adds a [receiver](Self::receiver) of events of these types.
    pub(crate) fn receiver_of(&mut self, event_types: Value) {
        self.add(
            json!({"kind": "webhook_subscription", "id": id(), "url": "https://receiver.invalid/hook", "event_types": event_types,
                "signing_secret": "whsec_c2VjcmV0", "created_at": "2026-01-02"}),
            json!({"event_types": event_types}),
        );
    }

    /// Adds a webhook that receives nothing.
    pub(crate) fn webhook(&mut self, members: Value) -> String {
        let defaults = json!({"kind": "webhook_subscription", "id": id(), "created_at": "2026-01-02",
            "url": "https://receiver.invalid/hook", "event_types": ["comment.internal_created"],
            "signing_secret": "whsec_c2VjcmV0"});
        self.add_with_id(defaults, members)
    }

    /// Imports the organization and gives it a key.
    pub(crate) async fn open(self, store: Store) -> Organization {
        Site::of(store).await.open(&self.slug, &self.lines()).await
    }

    /// Imports the organization into an installation of the test's own and gives it a key.
    pub(crate) async fn open_in(self, installation: &Installation) -> Organization {
        installation.open(&self.slug, &self.lines()).await
    }

    /// The file to import.
    pub(crate) fn lines(&self) -> String {
        self.records.iter().map(|record| format!("{record}\n")).collect()
    }

    /// The slug of the organization.
    pub(crate) fn slug(&self) -> &str {
        &self.slug
    }

    fn fill(&mut self, members: &mut Value, member: &str, make: fn(&mut Self, Value) -> String) {
        if members.get(member).is_none() {
            members[member] = make(self, json!({})).into();
        }
    }

    fn add_with_id(&mut self, defaults: Value, members: Value) -> String {
        self.add(defaults, members)["id"].as_str().expect("an id").to_owned()
    }

    fn add(&mut self, defaults: Value, members: Value) -> &Value {
        let mut record: Map<String, Value> = defaults.as_object().expect("an object").clone();
        record.extend(members.as_object().expect("an object").clone());
        self.records.push(record.into());
        self.records.last().expect("the record that was pushed")
    }
}
