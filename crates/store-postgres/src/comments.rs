//! Comments.

use crate::PgStore;
use crate::export;
use crate::readers::Reach;
use crate::sql::ROWS;
use crate::stored::{Stored, reads, updates};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::comment::{Comment, CommentFilter};
use hearback_domain::id::{CommentId, OrganizationId, PostId};
use hearback_domain::moderation::Audience;
use hearback_ports::export::{ExportKey, ExportPage};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{CommentRepository, StoreError};
use hearback_store_rows::export::cut_comments;
use hearback_store_rows::postgres::lists;
use hearback_store_rows::rows::CommentRow;
use hearback_store_rows::schema::comments;
use hearback_store_rows::{Id, all, kept_if_one, queries};
use std::collections::HashMap;

#[async_trait]
impl CommentRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: CommentId,
    ) -> Result<Option<Comment>, StoreError> {
        let found = Comment::find(&self.readers, organization, id.0).await?;
        Ok(found.filter(|found| found.is_active))
    }

    async fn pinned(
        &self,
        organization: OrganizationId,
        post: PostId,
    ) -> Result<Option<Comment>, StoreError> {
        let query =
            || queries::pinned(Id::of(organization), Id::of(post)).select(CommentRow::as_select());
        let row: Option<CommentRow<'_>> =
            self.readers.row("finding a pinned comment", query).await?;
        Ok(row.map(Comment::try_from).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: CommentFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Comment, ByTime>, StoreError> {
        // Without a post, other conditions may let the list walk all comments.
        let reach = if filter.feedback_post_id.is_some() { Reach::Short } else { Reach::Long };
        let rows: Vec<CommentRow<'_>> = self
            .list_rows(reach, "listing comments", || {
                lists::comments(organization, &filter, &page).select(CommentRow::as_select())
            })
            .await?;
        Ok(Page::cut(all(rows)?, page.limit, |comment: &Comment| ByTime {
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
        let query = || lists::public_counts(organization, &posts, audience);
        let rows: Vec<(Id, i64)> = self.list_rows(Reach::Short, "counting comments", query).await?;
        Ok(rows.into_iter().map(|(post, count)| (post.to(), count)).collect())
    }
}

impl Stored for Comment {
    const TABLE: &'static str = "comments";
    const KEY: &'static str = "id";

    async fn insert(
        mut connection: &AsyncPgConnection,
        organization: OrganizationId,
        all: &[Self],
    ) -> QueryResult<()> {
        for some in all.chunks(ROWS) {
            let depths = depths(connection, organization, some).await?;
            let rows: Vec<_> = some
                .iter()
                .zip(depths)
                .map(|(comment, depth)| {
                    (
                        comments::organization_id.eq(Id::of(organization)),
                        comments::depth.eq(depth),
                        CommentRow::from(comment),
                    )
                })
                .collect();
            let insert = diesel::insert_into(comments::table).values(rows);
            kept_if_one(some.len(), insert).execute(&mut connection).await?;
        }
        Ok(())
    }

    async fn insert_new(
        connection: &AsyncPgConnection,
        organization: OrganizationId,
        record: &Self,
    ) -> QueryResult<bool> {
        Self::insert(connection, organization, std::slice::from_ref(record)).await?;
        Ok(true)
    }

    updates!(comments, |comment| (
        comment.changed(|comment| comment.content.clone()).map(|text| comments::content.eq(text)),
        CommentRow::from(comment.after),
    ));
    reads!(comments.id, CommentRow::as_select() => CommentRow<'static>);

    /// Parents come before their replies.
    async fn page(
        connection: &mut AsyncPgConnection,
        organization: OrganizationId,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError> {
        let query = lists::exported_comments(organization, after, limit)
            .select((CommentRow::as_select(), comments::depth));
        Ok(cut_comments(query.load(connection).await.map_err(export::failed)?, limit)?)
    }
}

/// The number of comments above each comment, in the order of `some`.
async fn depths(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    some: &[Comment],
) -> QueryResult<Vec<i32>> {
    let parents: Vec<Id> =
        some.iter().filter_map(|comment| comment.parent_comment_id).map(Id::of).collect();
    let mut known = HashMap::new();
    if !parents.is_empty() {
        let stored: Vec<(Id, i32)> = comments::table
            .filter(comments::organization_id.eq(Id::of(organization)))
            .filter(comments::id.eq_any(parents))
            .select((comments::id, comments::depth))
            .load(&mut connection)
            .await?;
        known.extend(stored);
    }
    let mut depths = Vec::with_capacity(some.len());
    for (index, comment) in some.iter().enumerate() {
        let depth = match comment.parent_comment_id {
            None => 0,
            Some(CommentId(parent)) => match known.get(&Id(parent)) {
                Some(depth) => depth.saturating_add(1),
                // The statement would accept this comment: PostgreSQL checks foreign keys when all
                // rows of a statement are inserted.
                None if some[index + 1..].iter().any(|later| later.id.0 == parent) => {
                    return Err(parent_stands_later());
                }
                // If the parent is missing, the foreign key refuses the comment.
                None => 1,
            },
        };
        known.insert(Id::of(comment.id), depth);
        depths.push(depth);
    }
    Ok(depths)
}

fn parent_stands_later() -> Error {
    Error::DatabaseError(
        DatabaseErrorKind::ForeignKeyViolation,
        Box::new("a parent comment is behind its reply".to_owned()),
    )
}
