//! Roadmap posts.

use crate::error::BadRow;
use crate::rows::{Id, Origin};
use crate::schema::roadmap_posts;
use crate::stored::stored;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::Time;
use hearback_domain::roadmap_post::RoadmapPost;
use std::borrow::Cow;

stored!(RoadmapPost: roadmap_posts.id as RoadmapPostRow<'static>, slug_key);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = roadmap_posts,
    check_for_backend(Sqlite),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct RoadmapPostRow<'a> {
    id: Id,
    title: Cow<'a, str>,
    description: Cow<'a, str>,
    slug: Cow<'a, str>,
    roadmap_board_id: Id,
    author_id: Option<Id>,
    owner_id: Option<Id>,
    status_id: Id,
    category_id: Option<Id>,
    eta: Option<i64>,
    is_active: bool,
    created_at: i64,
    updated_at: i64,
}

impl<'a> From<&'a RoadmapPost> for RoadmapPostRow<'a> {
    fn from(post: &'a RoadmapPost) -> Self {
        Self {
            id: Id::of(post.id),
            title: Cow::from(&post.title),
            description: Cow::from(&post.description),
            slug: Cow::from(post.slug.as_str()),
            roadmap_board_id: Id::of(post.roadmap_board_id),
            author_id: post.author_id.map(Id::of),
            owner_id: post.owner_id.map(Id::of),
            status_id: Id::of(post.status_id),
            category_id: post.category_id.map(Id::of),
            eta: post.eta.map(Time::unix_millis),
            is_active: post.is_active,
            created_at: post.created_at.unix_millis(),
            updated_at: post.updated_at.unix_millis(),
        }
    }
}

impl TryFrom<RoadmapPostRow<'_>> for RoadmapPost {
    type Error = BadRow;

    fn try_from(row: RoadmapPostRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("roadmap_posts", row.id);
        Ok(Self {
            id: row.id.to(),
            title: row.title.into_owned(),
            description: row.description.into_owned(),
            slug: origin.slug(&row.slug)?,
            roadmap_board_id: row.roadmap_board_id.to(),
            author_id: row.author_id.map(Id::to),
            owner_id: row.owner_id.map(Id::to),
            status_id: row.status_id.to(),
            category_id: row.category_id.map(Id::to),
            eta: origin.optional_time("eta", row.eta)?,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
