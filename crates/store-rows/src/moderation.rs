//! The queue of moderation.

use crate::column::{BadRow, Origin};
use crate::statement::Statement;
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use hearback_domain::Time;
use hearback_domain::event::Moderated;
use hearback_domain::feedback_post::Moderation;
use hearback_domain::id::OrganizationId;
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

/// The numbers of an [`Attention`](hearback_ports::moderation::Attention). An index has the posts
/// and comments that are not accepted.
pub fn attention<A>(organization: OrganizationId, most: i64) -> Statement<(BigInt, BigInt), A> {
    let posts = Statement::new(
        "SELECT (SELECT count(*) FROM (SELECT 1 FROM feedback_posts WHERE is_active \
         AND moderation_status_code <> 'accepted' AND moderation_status_code = 'pending' \
         AND organization_id = ",
    );
    let comments = posts.id(organization).sql(" LIMIT ").number(most).sql(
        ") AS posts) + (SELECT count(*) FROM (SELECT 1 FROM comments JOIN feedback_posts \
         ON feedback_posts.organization_id = comments.organization_id \
         AND feedback_posts.id = comments.feedback_post_id \
         WHERE feedback_posts.is_active AND comments.is_active \
         AND comments.moderation_status_code <> 'accepted' \
         AND comments.moderation_status_code = 'pending' AND comments.organization_id = ",
    );
    let webhooks = comments.id(organization).sql(" LIMIT ").number(most).sql(
        ") AS comments), (SELECT count(*) FROM (SELECT 1 FROM webhook_subscriptions \
         WHERE failing_since IS NOT NULL AND organization_id = ",
    );
    webhooks.id(organization).sql(" LIMIT ").number(most).sql(") AS webhooks)")
}
