//! Comments.

use crate::SqliteStore;
use crate::export;
use crate::stored::{Stored, find, updates};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use hearback_domain::comment::Comment;
use hearback_domain::id::{CommentId, OrganizationId, PostId};
use hearback_ports::export::{ExportKey, ExportPage};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{CommentRepository, StoreError};
use hearback_store_rows::rows::CommentRow;
use hearback_store_rows::schema::{comments, feedback_posts};
use hearback_store_rows::{Id, Stamp, all};

#[async_trait]
impl CommentRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: CommentId,
    ) -> Result<Option<Comment>, StoreError> {
        let found = self.readers.read("finding a comment", |connection| {
            Comment::find(connection, organization, id.0)
        })?;
        Ok(found.filter(|found| found.is_active))
    }

    async fn page(
        &self,
        organization: OrganizationId,
        post: PostId,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Comment, ByTime>, StoreError> {
        let limit = page.limit;
        let rows = self
            .readers
            .read("listing comments", |connection| listed(connection, organization, post, &page))?;
        Ok(Page::cut(all(rows)?, limit, |comment: &Comment| ByTime {
            at: comment.created_at,
            id: comment.id.0,
        }))
    }
}

/// The comments of a page and the first comment behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: PostId,
    page: &PageRequest<ByTime>,
) -> QueryResult<Vec<CommentRow<'static>>> {
    let mut query = comments::table
        .filter(comments::organization_id.eq(Id::of(organization)))
        .filter(comments::feedback_post_id.eq(Id::of(post)))
        .filter(comments::is_active)
        .filter(exists(
            feedback_posts::table
                .filter(feedback_posts::organization_id.eq(Id::of(organization)))
                .filter(feedback_posts::id.eq(Id::of(post)))
                .filter(feedback_posts::is_active),
        ))
        .order((comments::created_at, comments::id))
        .limit(page.limit.and_one())
        .select(CommentRow::as_select())
        .into_boxed();
    if let Some(after) = page.after {
        let (at, id) = (Stamp::of(after.at), Id(after.id));
        query = query
            .filter(comments::created_at.ge(at))
            .filter(comments::created_at.gt(at).or(comments::id.gt(id)));
    }
    query.load(connection)
}

impl Stored for Comment {
    const TABLE: &'static str = "comments";
    const KEY: &'static str = "id";

    fn insert(
        connection: &mut SqliteConnection,
        organization: OrganizationId,
        comment: &Self,
    ) -> QueryResult<()> {
        let depth = match comment.parent_comment_id {
            None => 0,
            Some(parent) => comments::table
                .filter(comments::organization_id.eq(Id::of(organization)))
                .filter(comments::id.eq(Id::of(parent)))
                .select(comments::depth + 1)
                .first(connection)
                .optional()?
                // If the parent is missing, the foreign key refuses the comment.
                .unwrap_or(1),
        };
        diesel::insert_into(comments::table)
            .values((
                comments::organization_id.eq(Id::of(organization)),
                comments::depth.eq(depth),
                CommentRow::from(comment),
            ))
            .execute(connection)?;
        Ok(())
    }

    updates!(comments, |comment| (
        comment.changed(|comment| comment.content.clone()).map(|text| comments::content.eq(text)),
        CommentRow::from(comment.after),
    ));
    find!(comments.id, CommentRow::as_select() => CommentRow<'static>);

    /// Parents come before their replies.
    fn page(
        connection: &mut SqliteConnection,
        organization: OrganizationId,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError> {
        let mut query = comments::table
            .filter(comments::organization_id.eq(Id::of(organization)))
            .order((comments::depth, comments::id))
            .limit(limit.saturating_add(1))
            .select((CommentRow::as_select(), comments::depth))
            .into_boxed();
        if let Some(ExportKey { depth, id }) = after {
            query = query
                .filter(comments::depth.ge(depth))
                .filter(comments::depth.gt(depth).or(comments::id.gt(Id(id))));
        }
        let rows: QueryResult<Vec<(CommentRow<'static>, i32)>> = query.load(connection);
        let (rows, depths): (Vec<_>, Vec<_>) = rows.map_err(export::failed)?.into_iter().unzip();
        let last = usize::try_from(limit).ok().and_then(|limit| depths.get(limit.checked_sub(1)?));
        let page = export::cut::<Self, _>(Ok(rows), limit)?;
        let depth = last.copied().unwrap_or_default();
        Ok(ExportPage { next: page.next.map(|key| ExportKey { depth, ..key }), ..page })
    }
}
