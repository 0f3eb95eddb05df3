//! Comments.

use crate::SqliteStore;
use crate::error::BadRow;
use crate::rows::{Id, Origin, all};
use crate::schema::{comments, feedback_posts};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::ClosedSet;
use hearback_domain::comment::Comment;
use hearback_domain::id::{CommentId, OrganizationId, PostId};
use hearback_ports::export::ExportKey;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{CommentRepository, StoreError};
use std::borrow::Cow;

#[async_trait]
impl CommentRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: CommentId,
    ) -> Result<Option<Comment>, StoreError> {
        let row: Option<CommentRow<'_>> = self.readers.read("finding a comment", |connection| {
            comments::table
                .filter(comments::organization_id.eq(Id::of(organization)))
                .filter(comments::id.eq(Id::of(id)))
                .filter(comments::is_active)
                .select(CommentRow::as_select())
                .first(connection)
                .optional()
        })?;
        Ok(row.map(Comment::try_from).transpose()?)
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

/// The comments of a page and the one behind it.
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
        let (at, id) = (after.at.unix_millis(), Id(after.id));
        query = query
            .filter(comments::created_at.ge(at))
            .filter(comments::created_at.gt(at).or(comments::id.gt(id)));
    }
    query.load(connection)
}

/// Writes one as it is.
pub(crate) fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    comment: &Comment,
) -> QueryResult<()> {
    let depth = match comment.parent_comment_id {
        None => 0,
        Some(parent) => comments::table
            .filter(comments::organization_id.eq(Id::of(organization)))
            .filter(comments::id.eq(Id::of(parent)))
            .select(comments::depth + 1)
            .first(connection)
            .optional()?
            // The foreign key refuses the comment then.
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

/// Those behind `after`, by depth and id.
pub(crate) fn export(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    after: Option<ExportKey>,
    limit: i64,
) -> QueryResult<Vec<StoredComment>> {
    let mut query = comments::table
        .filter(comments::organization_id.eq(Id::of(organization)))
        .order((comments::depth, comments::id))
        .limit(limit)
        .select((CommentRow::as_select(), comments::depth))
        .into_boxed();
    if let Some(ExportKey { depth, id }) = after {
        query = query
            .filter(comments::depth.ge(depth))
            .filter(comments::depth.gt(depth).or(comments::id.gt(Id(id))));
    }
    query.load(connection)
}

/// A row with its place in an export.
#[derive(Queryable)]
pub(crate) struct StoredComment {
    row: CommentRow<'static>,
    depth: i32,
}

impl StoredComment {
    /// The key behind which the next ones begin.
    pub(crate) fn key(&self) -> ExportKey {
        ExportKey { depth: self.depth, id: self.row.id.0 }
    }
}

impl TryFrom<StoredComment> for Comment {
    type Error = BadRow;

    fn try_from(comment: StoredComment) -> Result<Self, BadRow> {
        comment.row.try_into()
    }
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = comments, check_for_backend(Sqlite), treat_none_as_default_value = false)]
pub(crate) struct CommentRow<'a> {
    id: Id,
    content: Cow<'a, str>,
    author_id: Id,
    parent_comment_id: Option<Id>,
    feedback_post_id: Id,
    visibility_code: Cow<'a, str>,
    moderation_status_code: Cow<'a, str>,
    is_active: bool,
    created_at: i64,
    updated_at: i64,
}

impl<'a> From<&'a Comment> for CommentRow<'a> {
    fn from(comment: &'a Comment) -> Self {
        Self {
            id: Id::of(comment.id),
            content: Cow::from(&comment.content),
            author_id: Id::of(comment.author_id),
            parent_comment_id: comment.parent_comment_id.map(Id::of),
            feedback_post_id: Id::of(comment.feedback_post_id),
            visibility_code: Cow::from(comment.visibility.code()),
            moderation_status_code: Cow::from(comment.moderation.code()),
            is_active: comment.is_active,
            created_at: comment.created_at.unix_millis(),
            updated_at: comment.updated_at.unix_millis(),
        }
    }
}

impl TryFrom<CommentRow<'_>> for Comment {
    type Error = BadRow;

    fn try_from(row: CommentRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("comments", row.id);
        Ok(Self {
            id: row.id.to(),
            content: row.content.into_owned(),
            author_id: row.author_id.to(),
            parent_comment_id: row.parent_comment_id.map(Id::to),
            feedback_post_id: row.feedback_post_id.to(),
            visibility: origin.code("visibility_code", &row.visibility_code)?,
            moderation: origin.code("moderation_status_code", &row.moderation_status_code)?,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
