//! Every endpoint, for the tests of what holds for all of them.

use serde_json::{Value, json};

/// An endpoint and a body that has the right form.
pub(crate) struct Endpoint {
    /// The path below the base path.
    pub(crate) path: &'static str,
    /// Fields that name a record.
    pub(crate) ids: &'static [&'static str],
    /// Fields that name any number of records.
    pub(crate) id_lists: &'static [&'static str],
    /// What the body needs beside them.
    pub(crate) rest: fn() -> Value,
}

impl Endpoint {
    /// A body of the right form without key, whose ids are what `id` says for the field of each.
    pub(crate) fn body(&self, id: impl Fn(&str) -> String) -> Value {
        let mut body = (self.rest)();
        for field in self.ids.iter().chain(self.id_lists) {
            self.put(&mut body, field, &id(field));
        }
        body
    }

    /// Puts an id into a field.
    pub(crate) fn put(&self, body: &mut Value, field: &str, id: &str) {
        body[field] = if self.id_lists.contains(&field) { json!([id]) } else { json!(id) };
    }

    /// Whether it is of the help center.
    pub(crate) fn is_of_help_center(&self) -> bool {
        self.path.starts_with("/help-")
    }
}

const NOTHING: fn() -> Value = || json!({});
const NONE: &[&str] = &[];

/// All of them, in the order of the contract's summary; one whose fields exclude each other more than once.
pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint { path: "/users/retrieve", ids: &["user_id"], id_lists: NONE, rest: NOTHING },
    Endpoint { path: "/feedback-boards/list", ids: NONE, id_lists: NONE, rest: NOTHING },
    Endpoint { path: "/feedback-boards/retrieve", ids: &["id"], id_lists: NONE, rest: NOTHING },
    Endpoint { path: "/feedback-posts/retrieve", ids: &["id"], id_lists: NONE, rest: NOTHING },
    Endpoint {
        path: "/feedback-posts/merge",
        ids: &["merge_post_id", "into_post_id", "merger_id"],
        id_lists: NONE,
        rest: NOTHING,
    },
    Endpoint {
        path: "/feedback-posts/list",
        ids: &["board_id", "status_id"],
        id_lists: NONE,
        rest: NOTHING,
    },
    Endpoint { path: "/comments/retrieve", ids: &["id"], id_lists: NONE, rest: NOTHING },
    Endpoint { path: "/comments/list", ids: &["feedback_post_id"], id_lists: NONE, rest: NOTHING },
    Endpoint {
        path: "/votes/toggle",
        ids: &["user_id", "post_id"],
        id_lists: NONE,
        rest: || json!({"post_type": "feedback"}),
    },
    Endpoint {
        path: "/votes/voters",
        ids: &["post_id"],
        id_lists: NONE,
        rest: || json!({"post_type": "feedback"}),
    },
    Endpoint { path: "/categories/list", ids: NONE, id_lists: NONE, rest: NOTHING },
    Endpoint { path: "/categories/retrieve", ids: &["id"], id_lists: NONE, rest: NOTHING },
    Endpoint { path: "/tags/list", ids: NONE, id_lists: NONE, rest: NOTHING },
    Endpoint { path: "/statuses/list", ids: NONE, id_lists: NONE, rest: NOTHING },
    Endpoint { path: "/roadmap-boards/list", ids: NONE, id_lists: NONE, rest: NOTHING },
    Endpoint { path: "/labels/list", ids: NONE, id_lists: NONE, rest: NOTHING },
    Endpoint { path: "/changelog/list", ids: NONE, id_lists: &["label_ids"], rest: NOTHING },
    Endpoint {
        path: "/changelog/create",
        ids: &["author_id"],
        id_lists: &["label_ids"],
        rest: || json!({"title": "Dark mode"}),
    },
    Endpoint { path: "/help-collections/list", ids: NONE, id_lists: NONE, rest: NOTHING },
    Endpoint {
        path: "/help-collections/retrieve",
        ids: &["collection_id"],
        id_lists: NONE,
        rest: NOTHING,
    },
    Endpoint {
        path: "/help-collections/update",
        ids: &["collection_id"],
        id_lists: NONE,
        rest: || json!({"name": "Other guides"}),
    },
    Endpoint {
        path: "/help-categories/list",
        ids: &["collection_id"],
        id_lists: NONE,
        rest: NOTHING,
    },
    Endpoint {
        path: "/help-categories/retrieve",
        ids: &["category_id"],
        id_lists: NONE,
        rest: NOTHING,
    },
    Endpoint {
        path: "/help-categories/create",
        ids: &["collection_id"],
        id_lists: NONE,
        rest: || json!({"name": "First steps"}),
    },
    Endpoint {
        path: "/help-categories/update",
        ids: &["category_id", "collection_id"],
        id_lists: NONE,
        rest: || json!({"name": "Other steps"}),
    },
    Endpoint {
        path: "/help-articles/search",
        ids: NONE,
        id_lists: NONE,
        rest: || json!({"query": "t"}),
    },
    Endpoint {
        path: "/help-articles/list",
        ids: &["collection_id", "category_id"],
        id_lists: NONE,
        rest: NOTHING,
    },
    Endpoint {
        path: "/help-articles/retrieve",
        ids: &["article_id"],
        id_lists: NONE,
        rest: NOTHING,
    },
    Endpoint {
        path: "/help-articles/create",
        ids: &["category_id"],
        id_lists: &["related_article_ids"],
        rest: || json!({"title": "Getting started"}),
    },
    Endpoint {
        path: "/help-articles/create",
        ids: &["collection_id"],
        id_lists: &["related_article_ids"],
        rest: || json!({"title": "Getting started"}),
    },
];
