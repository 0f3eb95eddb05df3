//! Comments.

use crate::PgStore;
use crate::error::BadRow;
use crate::export;
use crate::readers::Walk;
use crate::rows::{Origin, ROWS, all, timestamp};
use crate::schema::{comments, feedback_posts};
use crate::stored::{Stored, reads, updates};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::comment::Comment;
use hearback_domain::id::{CommentId, OrganizationId, PostId};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::export::{ExportKey, ExportPage};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{CommentRepository, StoreError};
use std::borrow::Cow;
use std::collections::HashMap;

#[async_trait]
impl CommentRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: CommentId,
    ) -> Result<Option<Comment>, StoreError> {
        let row: Option<CommentRow<'_>> = self
            .readers
            .row("finding a comment", || {
                comments::table
                    .filter(comments::organization_id.eq(organization.0))
                    .filter(comments::id.eq(id.0))
                    .filter(comments::is_active)
                    .select(CommentRow::as_select())
            })
            .await?;
        Ok(row.map(Comment::try_from).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        post: PostId,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Comment, ByTime>, StoreError> {
        let PageRequest { after, limit } = page;
        let rows: Vec<CommentRow<'_>> = self
            .list_rows(Walk::Short, "listing comments", || {
                let mut query = comments::table
                    .filter(comments::organization_id.eq(organization.0))
                    .filter(comments::feedback_post_id.eq(post.0))
                    .filter(comments::is_active)
                    .filter(exists(
                        feedback_posts::table
                            .filter(feedback_posts::organization_id.eq(organization.0))
                            .filter(feedback_posts::id.eq(post.0))
                            .filter(feedback_posts::is_active),
                    ))
                    .order((comments::created_at, comments::id))
                    .limit(limit.and_one())
                    .select(CommentRow::as_select())
                    .into_boxed();
                if let Some(ByTime { at, id }) = after {
                    let at = timestamp(at);
                    query = query
                        .filter(comments::created_at.ge(at))
                        .filter(comments::created_at.gt(at).or(comments::id.gt(id)));
                }
                query
            })
            .await?;
        Ok(Page::cut(all(rows)?, limit, |comment: &Comment| ByTime {
            at: comment.created_at,
            id: comment.id.0,
        }))
    }
}

impl Stored for Comment {
    const TABLE: &'static str = "comments";
    const KEY: &'static str = "id";

    async fn insert(
        connection: &mut AsyncPgConnection,
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
                        comments::organization_id.eq(organization.0),
                        comments::depth.eq(depth),
                        CommentRow::from(comment),
                    )
                })
                .collect();
            diesel::insert_into(comments::table).values(rows).execute(connection).await?;
        }
        Ok(())
    }

    async fn insert_new(
        connection: &mut AsyncPgConnection,
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

    /// Parents come before the comments that answer them.
    async fn page(
        connection: &mut AsyncPgConnection,
        organization: OrganizationId,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError> {
        let mut query = comments::table
            .filter(comments::organization_id.eq(organization.0))
            .order((comments::depth, comments::id))
            .limit(limit.saturating_add(1))
            .select((CommentRow::as_select(), comments::depth))
            .into_boxed();
        if let Some(ExportKey { depth, id }) = after {
            query = query
                .filter(comments::depth.ge(depth))
                .filter(comments::depth.gt(depth).or(comments::id.gt(id)));
        }
        let rows: QueryResult<Vec<(CommentRow<'static>, i32)>> = query.load(connection).await;
        let (rows, depths): (Vec<_>, Vec<_>) = rows.map_err(export::failed)?.into_iter().unzip();
        let last = usize::try_from(limit).ok().and_then(|limit| depths.get(limit.checked_sub(1)?));
        let page = export::cut::<Self, _>(Ok(rows), limit)?;
        let depth = last.copied().unwrap_or_default();
        Ok(ExportPage { next: page.next.map(|key| ExportKey { depth, ..key }), ..page })
    }
}

/// How deep each comment is in its thread.
async fn depths(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    some: &[Comment],
) -> QueryResult<Vec<i32>> {
    let parents: Vec<Uuid> =
        some.iter().filter_map(|comment| comment.parent_comment_id).map(Uuid::from).collect();
    let stored: Vec<(Uuid, i32)> = comments::table
        .filter(comments::organization_id.eq(organization.0))
        .filter(comments::id.eq_any(parents))
        .select((comments::id, comments::depth))
        .load(connection)
        .await?;
    let mut known: HashMap<Uuid, i32> = stored.into_iter().collect();
    let mut depths = Vec::with_capacity(some.len());
    for (index, comment) in some.iter().enumerate() {
        let depth = match comment.parent_comment_id {
            None => 0,
            Some(CommentId(parent)) => match known.get(&parent) {
                Some(depth) => depth.saturating_add(1),
                // The statement would take it: it looks at foreign keys when all its rows are there.
                None if some[index + 1..].iter().any(|later| later.id.0 == parent) => {
                    return Err(parent_stands_later());
                }
                // The foreign key refuses the comment then.
                None => 1,
            },
        };
        known.insert(comment.id.0, depth);
        depths.push(depth);
    }
    Ok(depths)
}

fn parent_stands_later() -> Error {
    Error::DatabaseError(
        DatabaseErrorKind::ForeignKeyViolation,
        Box::new("a parent stands behind its answer".to_owned()),
    )
}

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = comments,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct CommentRow<'a> {
    id: Uuid,
    #[diesel(skip_update)]
    content: Cow<'a, str>,
    author_id: Uuid,
    #[diesel(skip_update)]
    parent_comment_id: Option<Uuid>,
    #[diesel(skip_update)]
    feedback_post_id: Uuid,
    visibility_code: Cow<'a, str>,
    moderation_status_code: Cow<'a, str>,
    is_active: bool,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
}

impl<'a> From<&'a Comment> for CommentRow<'a> {
    fn from(comment: &'a Comment) -> Self {
        Self {
            id: comment.id.0,
            content: Cow::from(&comment.content),
            author_id: comment.author_id.0,
            parent_comment_id: comment.parent_comment_id.map(Uuid::from),
            feedback_post_id: comment.feedback_post_id.0,
            visibility_code: Cow::from(comment.visibility.code()),
            moderation_status_code: Cow::from(comment.moderation.code()),
            is_active: comment.is_active,
            created_at: timestamp(comment.created_at),
            updated_at: timestamp(comment.updated_at),
        }
    }
}

impl TryFrom<CommentRow<'_>> for Comment {
    type Error = BadRow;

    fn try_from(row: CommentRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("comments", row.id);
        Ok(Self {
            id: row.id.into(),
            content: row.content.into_owned(),
            author_id: row.author_id.into(),
            parent_comment_id: row.parent_comment_id.map(Into::into),
            feedback_post_id: row.feedback_post_id.into(),
            visibility: origin.code("visibility_code", &row.visibility_code)?,
            moderation: origin.code("moderation_status_code", &row.moderation_status_code)?,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
