//! Comments.

use crate::SqliteStore;
use crate::export;
use crate::stored::{Stored, find, updates};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::comment::{Comment, CommentFilter};
use hearback_domain::id::{CommentId, OrganizationId, PostId};
use hearback_domain::moderation::Audience;
use hearback_ports::export::{ExportKey, ExportPage};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{CommentRepository, StoreError};
use hearback_store_rows::export::cut_comments;
use hearback_store_rows::rows::{CommentRow, EditedRow};
use hearback_store_rows::schema::comments;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, all, one, queries};

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

    async fn pinned(
        &self,
        organization: OrganizationId,
        post: PostId,
    ) -> Result<Option<Comment>, StoreError> {
        let row: Option<CommentRow<'_>> =
            self.readers.read("finding a pinned comment", |connection| {
                queries::pinned(Id::of(organization), Id::of(post))
                    .select(CommentRow::as_select())
                    .first(connection)
                    .optional()
            })?;
        Ok(row.map(Comment::try_from).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: CommentFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Comment, ByTime>, StoreError> {
        let limit = page.limit;
        let query = move |connection: &mut SqliteConnection| {
            lists::comments(organization, &filter, &page)
                .select(CommentRow::as_select())
                .load(connection)
        };
        // Without a post, other conditions may let the list walk all comments.
        let rows: Vec<CommentRow<'_>> = match filter.feedback_post_id {
            Some(_) => self.readers.read(LISTING, query)?,
            None => self.slow_readers.read(LISTING, query).await?,
        };
        Ok(Page::cut(all(rows)?, limit, |comment: &Comment| ByTime {
            at: filter.time_of(comment),
            id: comment.id.0,
        }))
    }

    async fn public_counts(
        &self,
        organization: OrganizationId,
        posts: Vec<PostId>,
        audience: Audience,
    ) -> Result<Vec<(PostId, i64)>, StoreError> {
        let rows: Vec<(Id, i64)> = self.readers.read("counting comments", |connection| {
            lists::public_counts(organization, &posts, audience).load(connection)
        })?;
        Ok(rows.into_iter().map(|(post, count)| (post.to(), count)).collect())
    }
}

/// The operation that an error of a list names.
const LISTING: &str = "listing comments";

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
            Some(parent) => one!(comments, organization, Id::of(parent))
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
        EditedRow::changes(&comment),
    ));
    find!(comments.id, CommentRow::as_select() => CommentRow<'static>);

    /// Parents come before their replies.
    fn page(
        connection: &mut SqliteConnection,
        organization: OrganizationId,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError> {
        let query = lists::exported_comments(organization, after, limit)
            .select((CommentRow::as_select(), comments::depth));
        Ok(cut_comments(query.load(connection).map_err(export::failed)?, limit)?)
    }
}
