//! Every endpoint, for the tests of what holds for all of them.

use serde_json::{Value, json};

/// An endpoint and a body that has the right form.
pub(crate) struct Endpoint {
    /// The path below the base path.
    pub(crate) path: &'static str,
    /// Fields that name a record.
    pub(crate) ids: &'static [&'static str],
    /// What the body needs beside them.
    pub(crate) rest: fn() -> Value,
}

impl Endpoint {
    /// A body of the right form without key, whose ids are what `id` says for the index of each.
    pub(crate) fn body(&self, id: impl Fn(usize) -> String) -> Value {
        let mut body = (self.rest)();
        for (index, field) in self.ids.iter().enumerate() {
            body[field] = id(index).into();
        }
        body
    }
}

const NOTHING: fn() -> Value = || json!({});

/// All of them, in the order of the contract's summary.
pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint { path: "/users/retrieve", ids: &["user_id"], rest: NOTHING },
    Endpoint { path: "/feedback-boards/list", ids: &[], rest: NOTHING },
    Endpoint { path: "/feedback-boards/retrieve", ids: &["id"], rest: NOTHING },
    Endpoint { path: "/feedback-posts/retrieve", ids: &["id"], rest: NOTHING },
    Endpoint { path: "/feedback-posts/merge", ids: &["merge_post_id", "into_post_id", "merger_id"], rest: NOTHING },
    Endpoint { path: "/feedback-posts/list", ids: &["board_id", "status_id"], rest: NOTHING },
    Endpoint { path: "/comments/retrieve", ids: &["id"], rest: NOTHING },
    Endpoint { path: "/comments/list", ids: &["feedback_post_id"], rest: NOTHING },
    Endpoint { path: "/votes/toggle", ids: &["user_id", "post_id"], rest: || json!({"post_type": "feedback"}) },
    Endpoint { path: "/votes/voters", ids: &["post_id"], rest: || json!({"post_type": "feedback"}) },
    Endpoint { path: "/categories/list", ids: &[], rest: NOTHING },
    Endpoint { path: "/categories/retrieve", ids: &["id"], rest: NOTHING },
    Endpoint { path: "/tags/list", ids: &[], rest: NOTHING },
    Endpoint { path: "/statuses/list", ids: &[], rest: NOTHING },
    Endpoint { path: "/roadmap-boards/list", ids: &[], rest: NOTHING },
];
