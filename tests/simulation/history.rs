//! Histories of writes that a seed gives, and the model of what the server has acknowledged.

use crate::support::Draft;
use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

// The lists that show the records of the model.
pub(crate) const POSTS: &str = "/feedback-posts/list";
pub(crate) const COMMENTS: &str = "/comments/list";
pub(crate) const ENTRIES: &str = "/changelog/list";
pub(crate) const ARTICLES: &str = "/help-articles/list";
pub(crate) const USERS: &str = "/users/list";

/// The identifier of no record.
const UNKNOWN: &str = "01890000-0000-7000-8000-000000000000";

/// The numbers that a seed gives.
pub(crate) struct Numbers(TestRng);

impl Numbers {
    /// The numbers of one part of a run.
    pub(crate) fn of(seed: u64, part: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&part.to_le_bytes());
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    /// A number below another one.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0.random_range(0..count)
    }

    /// One of several values.
    pub(crate) fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }

    /// A time of up to two seconds.
    pub(crate) fn pause(&mut self) -> Duration {
        Duration::from_millis(self.0.random_range(50..2000))
    }
}

/// The records that all authors share. No author changes them, but for their votes and comments.
pub(crate) struct World {
    board: String,
    /// Of two groups. The first one is that of new posts.
    statuses: [String; 2],
    tags: [String; 2],
    collection: String,
    posts: [String; 5],
}

impl World {
    /// Adds the records to a draft.
    pub(crate) fn of(draft: &mut Draft) -> Self {
        let (board, collection) = (draft.board(json!({})), draft.collection(json!({})));
        let first = draft.status(json!({"is_default_status": true}));
        let statuses = [first, draft.status(json!({"status_group_code": "closed"}))];
        let tags = ["mobile", "web"].map(|name| draft.tag(json!({"name": name})));
        let author = draft.user(json!({}));
        let of_post =
            json!({"board_id": board, "author_id": author, "status_id": statuses[0].as_str()});
        let posts = [(); 5].map(|()| draft.post(of_post.clone()));
        Self { board, statuses, tags, collection, posts }
    }
}

/// A record that a write made.
pub(crate) struct Record {
    /// The list that shows it.
    pub(crate) list: &'static str,
    /// The members that the list shows. It may show more of them.
    pub(crate) members: Value,
    /// Whether the list shows the record.
    pub(crate) is_active: bool,
}

/// All that was acknowledged.
#[derive(Default)]
pub(crate) struct Model {
    /// The records, by their identifiers.
    pub(crate) records: BTreeMap<String, Record>,
    /// The votes: the post on which each was cast, and the voter. A merge shows them on the other
    /// post, and its end on their own one again.
    pub(crate) votes: BTreeSet<(String, String)>,
    /// The number of events, by their type and the record that they are about. Events of votes are
    /// about the post.
    pub(crate) events: BTreeMap<(String, String), usize>,
    /// The number of acknowledged writes by their path.
    pub(crate) acknowledged: BTreeMap<&'static str, usize>,
    /// The number of refused writes.
    pub(crate) refused: usize,
    /// The number of requests without an answer, or with one that asks for a repeat.
    pub(crate) unanswered: usize,
}

impl Model {
    /// Adds the model of another author.
    pub(crate) fn add(&mut self, other: Self) {
        self.records.extend(other.records);
        self.votes.extend(other.votes);
        for (event, count) in other.events {
            *self.events.entry(event).or_default() += count;
        }
        for (path, count) in other.acknowledged {
            *self.acknowledged.entry(path).or_default() += count;
        }
        self.refused += other.refused;
        self.unanswered += other.unanswered;
    }

    /// Whether the record can be changed.
    fn is_open(&self, id: &str) -> bool {
        self.records
            .get(id)
            .is_some_and(|it| it.is_active && it.members["merged_into_id"].is_null())
    }

    /// Whether the record is a merged post.
    fn is_merged(&self, id: &str) -> bool {
        self.records.get(id).is_some_and(|it| it.is_active && !self.is_open(id))
    }

    /// Whether a post is merged into this one.
    fn has_merged(&self, into: &str) -> bool {
        self.records.values().any(|it| it.members["merged_into_id"] == into)
    }

    /// Adds the record of an answer. Returns its identifier.
    fn make(&mut self, list: &'static str, answer: &Value, members: Value) -> String {
        let id = answer["id"].as_str().expect("an id").to_owned();
        let known = self.records.insert(id.clone(), Record { list, members, is_active: true });
        assert!(known.is_none(), "{id} was made twice");
        id
    }

    /// Sets a member. Returns whether it had another value.
    fn set(&mut self, id: &str, member: &str, value: Value) -> bool {
        let record = self.records.get_mut(id).expect("a record of the model");
        let before = std::mem::replace(&mut record.members[member], value);
        before != record.members[member]
    }

    /// Deletes or restores a record.
    fn show(&mut self, id: &str, is_active: bool) {
        self.records.get_mut(id).expect("a record of the model").is_active = is_active;
    }

    /// Casts or withdraws a vote. Returns whether that changes something.
    fn vote(&mut self, post: &str, user: &str, voted: bool) -> bool {
        let vote = (post.to_owned(), user.to_owned());
        let is_change = if voted { self.votes.insert(vote) } else { self.votes.remove(&vote) };
        if is_change {
            self.tell(if voted { "vote.created" } else { "vote.deleted" }, post);
        }
        is_change
    }

    fn tell(&mut self, event: &str, about: &str) {
        *self.events.entry((event.to_owned(), about.to_owned())).or_default() += 1;
    }
}

/// Changes the model after an acknowledgement. The argument is the answer of the server.
pub(crate) type Effect = Box<dyn FnOnce(&mut Model, &Value) + Send>;

/// A write.
pub(crate) struct Write {
    pub(crate) path: &'static str,
    pub(crate) body: Value,
    /// `None` if the server has to refuse the write.
    pub(crate) effect: Option<Effect>,
}

impl Write {
    fn new(
        path: &'static str,
        body: Value,
        is_right: bool,
        effect: impl FnOnce(&mut Model, &Value) + Send + 'static,
    ) -> Self {
        Self { path, body, effect: is_right.then(|| Box::new(effect) as Effect) }
    }
}

/// One of the authors, who write at once: a sequence of writes, and a model of those that were
/// acknowledged. An author changes its own records alone, and votes by its own users alone. So its
/// model is exact, whatever the others do.
pub(crate) struct Author {
    world: Arc<World>,
    number: u64,
    users: [String; 3],
    numbers: Numbers,
    pub(crate) model: Model,
    /// A line for each write.
    pub(crate) history: Vec<String>,
}

impl Author {
    /// Adds the users of the author to a draft.
    pub(crate) fn new(world: &Arc<World>, draft: &mut Draft, seed: u64, number: u64) -> Self {
        Self {
            world: Arc::clone(world),
            number,
            users: [(); 3].map(|()| draft.user(json!({}))),
            numbers: Numbers::of(seed, number),
            model: Model::default(),
            history: Vec::new(),
        }
    }

    /// The `Idempotency-Key` of the next write.
    pub(crate) fn key(&self) -> String {
        format!("{}-{}", self.number, self.history.len())
    }

    /// Draws the next write.
    pub(crate) fn draw(&mut self) -> Write {
        match self.numbers.below(40) {
            0..=11 => self.draw_of_post(),
            12..=18 => self.draw_of_comment(),
            19..=28 => self.draw_vote(),
            29..=32 => self.draw_of_entry(),
            33..=37 => self.draw_of_article(),
            _ => self.draw_user(),
        }
    }

    /// A record of this author, active or not. The identifier of no record before there is one.
    fn own(&mut self, list: &str) -> String {
        let records = self.model.records.iter();
        let own: Vec<&String> =
            records.filter(|(_, record)| record.list == list).map(|(id, _)| id).collect();
        if own.is_empty() { UNKNOWN.to_owned() } else { (*self.numbers.pick(&own)).clone() }
    }

    fn user(&mut self) -> String {
        self.numbers.pick(&self.users).clone()
    }

    fn shared_post(&mut self) -> String {
        self.numbers.pick(&self.world.posts).clone()
    }

    /// A text of a few, so that some changes change nothing.
    fn text(&mut self, of: &str) -> String {
        format!("{of} {}", self.numbers.below(5))
    }

    fn draw_of_post(&mut self) -> Write {
        let (post, user, title) = (self.own(POSTS), self.user(), self.text("Wish"));
        let (is_open, is_merged) = (self.model.is_open(&post), self.model.is_merged(&post));
        let is_deleted = !is_open && !is_merged && post != UNKNOWN;
        let named = json!({"post_id": post});
        match self.numbers.below(12) {
            0..=2 => {
                let body = json!({"board_id": self.world.board, "title": title, "author_id": user});
                let status = self.world.statuses[0].clone();
                Write::new("/feedback-posts/create", body, true, move |model, answer| {
                    let members = json!({"title": title, "status_id": status, "author_id": user,
                        "tag_ids": [], "merged_into_id": null});
                    let post = model.make(POSTS, answer, members);
                    model.tell("post.created", &post);
                })
            }
            3 => {
                let body = json!({"post_id": post, "title": title});
                Write::new("/feedback-posts/update", body, is_open, move |model, _| {
                    if model.set(&post, "title", title.into()) {
                        model.tell("post.edited", &post);
                    }
                })
            }
            4 => {
                let status = self.numbers.pick(&self.world.statuses).clone();
                let body = json!({"post_id": post, "status_id": status});
                Write::new("/feedback-posts/change-status", body, is_open, move |model, _| {
                    if model.set(&post, "status_id", status.into()) {
                        model.tell("post.status_changed", &post);
                    }
                })
            }
            5 | 6 => {
                let (tag, is_added) =
                    (self.numbers.pick(&self.world.tags).clone(), self.numbers.below(3) > 0);
                let (path, event) = if is_added {
                    ("/feedback-posts/add-tag", "post.tag_added")
                } else {
                    ("/feedback-posts/remove-tag", "post.tag_removed")
                };
                let body = json!({"post_id": post, "tag_id": tag});
                Write::new(path, body, is_open, move |model, _| {
                    let tags = model.records[&post].members["tag_ids"].as_array();
                    let mut tags = tags.expect("tags").clone();
                    if is_added != tags.contains(&json!(tag)) {
                        tags.retain(|it| *it != tag);
                        tags.extend(is_added.then(|| json!(tag)));
                        model.set(&post, "tag_ids", tags.into());
                        model.tell(event, &post);
                    }
                })
            }
            // A merged post stays as it is, so that the model knows whose votes come back.
            7 if !is_merged => {
                Write::new("/feedback-posts/delete", named, is_open, move |model, _| {
                    model.show(&post, false);
                    model.tell("post.deleted", &post);
                })
            }
            8 => Write::new("/feedback-posts/restore", named, is_deleted, move |model, _| {
                model.show(&post, true);
                model.tell("post.restored", &post);
            }),
            9 | 10 => {
                let into = self.shared_post();
                let body = json!({"merge_post_id": post, "into_post_id": into, "merger_id": user});
                Write::new("/feedback-posts/merge", body, is_open, move |model, _| {
                    model.set(&post, "merged_into_id", into.into());
                    model.tell("post.merged", &post);
                })
            }
            _ => Write::new("/feedback-posts/unmerge", named, is_merged, move |model, _| {
                model.set(&post, "merged_into_id", Value::Null);
                model.tell("post.unmerged", &post);
            }),
        }
    }

    fn draw_of_comment(&mut self) -> Write {
        let (comment, content) = (self.own(COMMENTS), self.text("Yes"));
        let is_open = self.model.is_open(&comment);
        match self.numbers.below(6) {
            0..=2 => {
                let (post, user) = (self.shared_post(), self.user());
                let members =
                    json!({"feedback_post_id": post, "content": content, "author_id": user});
                let mut body = members.clone();
                body["notify"] = false.into();
                Write::new("/comments/create", body, true, move |model, answer| {
                    let comment = model.make(COMMENTS, answer, members);
                    model.tell("comment.created", &comment);
                })
            }
            3 | 4 => {
                let body = json!({"comment_id": comment, "content": content});
                Write::new("/comments/update", body, is_open, move |model, _| {
                    if model.set(&comment, "content", content.into()) {
                        model.tell("comment.edited", &comment);
                    }
                })
            }
            _ => {
                let named = json!({"comment_id": comment});
                Write::new("/comments/delete", named, is_open, move |model, _| {
                    model.show(&comment, false);
                    model.tell("comment.deleted", &comment);
                })
            }
        }
    }

    fn draw_vote(&mut self) -> Write {
        let is_shared = self.numbers.below(2) == 0;
        let mut post = if is_shared { self.shared_post() } else { self.own(POSTS) };
        // Votes during a merge may stay on either post at its end.
        if self.model.is_merged(&post) || self.model.has_merged(&post) {
            post = UNKNOWN.to_owned();
        }
        let is_right = self.world.posts.contains(&post) || self.model.is_open(&post);
        let (user, voted) = (self.user(), self.numbers.below(3) > 0);
        match self.numbers.below(4) {
            0 | 1 => {
                let body = json!({"user_id": user, "post_id": post, "post_type": "feedback"});
                Write::new("/votes/toggle", body, is_right, move |model, answer| {
                    let voted = !model.votes.contains(&(post.clone(), user.clone()));
                    model.vote(&post, &user, voted);
                    assert_eq!(*answer, json!({"voted": voted}), "{user} on {post}");
                })
            }
            2 => {
                let body = json!({"voter_id": user, "post_id": post, "post_type": "feedback",
                    "voted": voted});
                Write::new("/votes/set", body, is_right, move |model, answer| {
                    let changed = model.vote(&post, &user, voted);
                    assert_eq!(
                        *answer,
                        json!({"voted": voted, "changed": changed}),
                        "{user} on {post}"
                    );
                })
            }
            _ => {
                let users = self.users.clone();
                let voters: Vec<Value> =
                    users.iter().map(|user| json!({"voter_id": user})).collect();
                let body = json!({"post_id": post, "post_type": "feedback", "voted": voted,
                    "voters": voters});
                Write::new("/votes/set-many", body, is_right, move |model, answer| {
                    let changed =
                        users.iter().filter(|user| model.vote(&post, user, voted)).count();
                    let unchanged = users.len() - changed;
                    assert_eq!(
                        *answer,
                        json!({"changed": changed, "unchanged": unchanged}),
                        "on {post}"
                    );
                })
            }
        }
    }

    fn draw_of_entry(&mut self) -> Write {
        let (entry, title) = (self.own(ENTRIES), self.text("News"));
        let is_open = self.model.is_open(&entry);
        let is_public = self.is_public(&entry);
        let named = json!({"entry_id": entry});
        match self.numbers.below(5) {
            0 | 1 => {
                let body = json!({"title": title, "notify": false});
                Write::new("/changelog/create", body, true, move |model, answer| {
                    model.make(ENTRIES, answer, json!({"title": title, "status_code": "draft"}));
                })
            }
            2 => {
                let body = json!({"entry_id": entry, "notify": false});
                Write::new("/changelog/publish", body, is_open && !is_public, move |model, _| {
                    model.set(&entry, "status_code", "published".into());
                    model.tell("changelog.published", &entry);
                })
            }
            3 => Write::new("/changelog/unpublish", named, is_open, move |model, _| {
                if model.set(&entry, "status_code", "draft".into()) {
                    model.tell("changelog.unpublished", &entry);
                }
            }),
            _ => Write::new("/changelog/delete", named, is_open, move |model, _| {
                model.show(&entry, false);
                if is_public {
                    model.tell("changelog.unpublished", &entry);
                }
            }),
        }
    }

    fn draw_of_article(&mut self) -> Write {
        let (article, title) = (self.own(ARTICLES), self.text("Guide"));
        let is_open = self.model.is_open(&article);
        let named = json!({"article_id": article});
        match self.numbers.below(6) {
            0 | 1 => {
                let body = json!({"collection_id": self.world.collection, "title": title});
                Write::new("/help-articles/create", body, true, move |model, answer| {
                    model.make(ARTICLES, answer, json!({"title": title, "status_code": "draft"}));
                })
            }
            2 => {
                let body = json!({"article_id": article, "title": title});
                Write::new("/help-articles/update", body, is_open, move |model, _| {
                    model.set(&article, "title", title.into());
                })
            }
            3 => Write::new("/help-articles/publish", named, is_open, move |model, _| {
                if model.set(&article, "status_code", "published".into()) {
                    model.tell("help_article.published", &article);
                }
            }),
            4 => Write::new("/help-articles/unpublish", named, is_open, move |model, _| {
                model.set(&article, "status_code", "draft".into());
            }),
            _ => Write::new("/help-articles/delete", named, is_open, move |model, _| {
                model.show(&article, false);
            }),
        }
    }

    fn draw_user(&mut self) -> Write {
        let email = format!("{}-{}@example.com", self.number, self.numbers.below(10));
        let name = self.text("Ada");
        let body = json!({"email": email, "name": name});
        Write::new("/users/upsert", body.clone(), true, move |model, answer| {
            let id = answer["id"].as_str().expect("an id");
            let is_new = !model.records.contains_key(id);
            assert_eq!(answer["created"], is_new, "{email}");
            if is_new {
                model.make(USERS, answer, body);
                model.tell("user.created", id);
            } else if model.set(id, "name", name.into()) {
                model.tell("user.updated", id);
            }
        })
    }

    fn is_public(&self, id: &str) -> bool {
        self.model.records.get(id).is_some_and(|it| it.members["status_code"] == "published")
    }
}
