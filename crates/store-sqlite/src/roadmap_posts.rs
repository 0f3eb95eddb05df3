//! Roadmap posts and their links.

use crate::SqliteStore;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::id::{OrganizationId, RoadmapPostId};
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::{RoadmapFilter, RoadmapPost, RoadmapPostDetails};
use hearback_ports::page::{BySort, Page, PageRequest};
use hearback_ports::{RoadmapPostRepository, StoreError};
use hearback_store_rows::roadmap_posts::details;
use hearback_store_rows::rows::{RoadmapLinkRow, RoadmapPostRow};
use hearback_store_rows::schema::{roadmap_links, roadmap_posts};
use hearback_store_rows::shown::roadmap_vote_count;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, all, one};

#[async_trait]
impl RoadmapPostRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: RoadmapPostId,
    ) -> Result<Option<RoadmapPostDetails>, StoreError> {
        self.readers.snapshot("finding a roadmap post", |connection| {
            let row: Option<(RoadmapPostRow<'_>, i64)> =
                one!(roadmap_posts, organization, Id::of(id))
                    .filter(roadmap_posts::is_active)
                    .select((RoadmapPostRow::as_select(), roadmap_vote_count(Id::of(organization))))
                    .first(connection)
                    .optional()?;
            row.map(|row| with_links(connection, organization, row)).transpose()
        })
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: RoadmapFilter,
        page: PageRequest<BySort>,
    ) -> Result<Page<RoadmapPostDetails, BySort>, StoreError> {
        let posts = self.readers.snapshot("listing roadmap posts", |connection| {
            let rows: Vec<(RoadmapPostRow<'_>, i64)> =
                lists::roadmap_posts(organization, &filter, &page)
                    .select((RoadmapPostRow::as_select(), roadmap_vote_count(Id::of(organization))))
                    .load(connection)?;
            rows.into_iter().map(|row| with_links(connection, organization, row)).collect()
        })?;
        Ok(Page::cut(posts, page.limit, |it| BySort::of_roadmap_post(&it.post, &filter)))
    }

    async fn links(
        &self,
        organization: OrganizationId,
        id: RoadmapPostId,
    ) -> Result<Vec<RoadmapLink>, StoreError> {
        let rows: Vec<RoadmapLinkRow<'_>> = self.readers.read("listing links", |connection| {
            roadmap_links::table
                .filter(roadmap_links::organization_id.eq(Id::of(organization)))
                .filter(roadmap_links::roadmap_post_id.eq(Id::of(id)))
                .order(roadmap_links::id)
                .select(RoadmapLinkRow::as_select())
                .load(connection)
        })?;
        Ok(all(rows)?)
    }
}

fn with_links(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    (row, vote_count): (RoadmapPostRow<'static>, i64),
) -> QueryResult<RoadmapPostDetails> {
    let links = roadmap_links::table
        .filter(roadmap_links::organization_id.eq(Id::of(organization)))
        .filter(roadmap_links::roadmap_post_id.eq(row.id))
        .order(roadmap_links::id)
        .select(roadmap_links::feedback_post_id)
        .load(connection)?;
    Ok(details(row, vote_count, links)?)
}

stored!(RoadmapPost: roadmap_posts.id as RoadmapPostRow<'static>, slug_key);
stored!(RoadmapLink: roadmap_links.id as RoadmapLinkRow<'static>);
