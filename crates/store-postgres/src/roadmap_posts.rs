//! Roadmap posts.

use crate::error::BadRow;
use crate::rows::{Origin, ROWS, timestamp};
use crate::schema::roadmap_posts;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::roadmap_post::RoadmapPost;
use std::borrow::Cow;

/// Writes them as they are.
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[RoadmapPost],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|post| {
                (
                    roadmap_posts::organization_id.eq(organization.0),
                    roadmap_posts::slug_key.eq(post.slug.key()),
                    RoadmapPostRow::from(post),
                )
            })
            .collect();
        diesel::insert_into(roadmap_posts::table).values(rows).execute(connection).await?;
    }
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<RoadmapPostRow<'static>>> {
    let mut query = roadmap_posts::table
        .filter(roadmap_posts::organization_id.eq(organization.0))
        .order(roadmap_posts::id)
        .limit(limit)
        .select(RoadmapPostRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(roadmap_posts::id.gt(after));
    }
    query.load(connection).await
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = roadmap_posts, check_for_backend(Pg), treat_none_as_default_value = false)]
pub(crate) struct RoadmapPostRow<'a> {
    id: Uuid,
    title: Cow<'a, str>,
    description: Cow<'a, str>,
    slug: Cow<'a, str>,
    roadmap_board_id: Uuid,
    author_id: Option<Uuid>,
    owner_id: Option<Uuid>,
    status_id: Uuid,
    category_id: Option<Uuid>,
    eta: Option<PgTimestamp>,
    is_active: bool,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
}

impl<'a> From<&'a RoadmapPost> for RoadmapPostRow<'a> {
    fn from(post: &'a RoadmapPost) -> Self {
        Self {
            id: post.id.0,
            title: Cow::from(&post.title),
            description: Cow::from(&post.description),
            slug: Cow::from(post.slug.as_str()),
            roadmap_board_id: post.roadmap_board_id.0,
            author_id: post.author_id.map(Uuid::from),
            owner_id: post.owner_id.map(Uuid::from),
            status_id: post.status_id.0,
            category_id: post.category_id.map(Uuid::from),
            eta: post.eta.map(timestamp),
            is_active: post.is_active,
            created_at: timestamp(post.created_at),
            updated_at: timestamp(post.updated_at),
        }
    }
}

impl TryFrom<RoadmapPostRow<'_>> for RoadmapPost {
    type Error = BadRow;

    fn try_from(row: RoadmapPostRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("roadmap_posts", row.id);
        Ok(Self {
            id: row.id.into(),
            title: row.title.into_owned(),
            description: row.description.into_owned(),
            slug: origin.slug(&row.slug)?,
            roadmap_board_id: row.roadmap_board_id.into(),
            author_id: row.author_id.map(Into::into),
            owner_id: row.owner_id.map(Into::into),
            status_id: row.status_id.into(),
            category_id: row.category_id.map(Into::into),
            eta: origin.optional_time("eta", row.eta)?,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
