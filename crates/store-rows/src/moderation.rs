//! The queue of moderation.

use crate::column::{BadRow, Origin};
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::event::Moderated;
use hearback_domain::feedback_post::Moderation;
use hearback_domain::moderation::QueuedItem;
use std::borrow::Cow;

/// A post or comment with the post.
#[derive(Queryable)]
pub struct QueuedRow {
    id: Id,
    post_id: Id,
    board_id: Id,
    author_id: Id,
    title: String,
    content: String,
    moderation: String,
    created_at: Stamp,
}

impl QueuedRow {
    /// The item of this kind.
    pub fn item(self, kind: Moderated) -> Result<QueuedItem, BadRow> {
        let table = match kind {
            Moderated::Post => "feedback_posts",
            Moderated::Comment => "comments",
        };
        let origin = Origin::new(table, self.id);
        let moderation = Cow::from(self.moderation);
        Ok(QueuedItem {
            kind,
            id: self.id.0,
            post_id: self.post_id.to(),
            board_id: self.board_id.to(),
            author_id: self.author_id.to(),
            title: self.title,
            content: self.content,
            moderation: origin.read::<Moderation>("moderation_status_code", moderation)?,
            created_at: origin.read::<Time>("created_at", self.created_at)?,
        })
    }
}
