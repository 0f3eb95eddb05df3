//! Roadmap posts and their links.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::{array, auto_type};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::id::{OrganizationId, RoadmapPostId};
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::{RoadmapFilter, RoadmapPost, RoadmapPostDetails};
use hearback_ports::page::{BySort, Page, PageRequest};
use hearback_ports::{RoadmapPostRepository, StoreError};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::roadmap_posts::details;
use hearback_store_rows::rows::{RoadmapLinkRow, RoadmapPostRow};
use hearback_store_rows::schema::{roadmap_links, roadmap_posts};
use hearback_store_rows::shown::roadmap_vote_count;
use hearback_store_rows::{Id, all, one};

#[async_trait]
impl RoadmapPostRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: RoadmapPostId,
    ) -> Result<Option<RoadmapPostDetails>, StoreError> {
        let query = || {
            one!(roadmap_posts, organization, Id::of(id)).filter(roadmap_posts::is_active).select((
                RoadmapPostRow::as_select(),
                roadmap_vote_count(Id::of(organization)),
                array(linked(Id::of(organization))),
            ))
        };
        let row: Option<Row> = self.readers.row("finding a roadmap post", query).await?;
        Ok(row.map(|(row, votes, links)| details(row, votes, links)).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: RoadmapFilter,
        page: PageRequest<BySort>,
    ) -> Result<Page<RoadmapPostDetails, BySort>, StoreError> {
        let query = || {
            lists::roadmap_posts(organization, &filter, &page).select((
                RoadmapPostRow::as_select(),
                roadmap_vote_count(Id::of(organization)),
                array(linked(Id::of(organization))),
            ))
        };
        let rows: Vec<Row> = self.list_rows(Reach::Short, "listing roadmap posts", query).await?;
        let posts = rows.into_iter().map(|(row, votes, links)| details(row, votes, links));
        let posts = posts.collect::<Result<Vec<_>, _>>()?;
        Ok(Page::cut(posts, page.limit, |it| BySort::of_roadmap_post(&it.post, &filter)))
    }

    async fn links(
        &self,
        organization: OrganizationId,
        id: RoadmapPostId,
    ) -> Result<Vec<RoadmapLink>, StoreError> {
        let query = || {
            roadmap_links::table
                .filter(roadmap_links::organization_id.eq(Id::of(organization)))
                .filter(roadmap_links::roadmap_post_id.eq(Id::of(id)))
                .order(roadmap_links::id)
                .select(RoadmapLinkRow::as_select())
        };
        let rows: Vec<RoadmapLinkRow<'_>> = self.readers.rows("listing links", query).await?;
        Ok(all(rows)?)
    }
}

/// A post with its number of votes and its linked feedback posts.
type Row = (RoadmapPostRow<'static>, i64, Vec<Id>);

/// The feedback posts that are linked to a roadmap post.
#[auto_type]
fn linked(organization: Id) -> _ {
    roadmap_links::table
        .filter(roadmap_links::organization_id.eq(organization))
        .filter(roadmap_links::roadmap_post_id.eq(roadmap_posts::id))
        .order(roadmap_links::id)
        .select(roadmap_links::feedback_post_id)
}

stored!(RoadmapPost: roadmap_posts.id as RoadmapPostRow<'static>, slug_key);
stored!(RoadmapLink: roadmap_links.id as RoadmapLinkRow<'static>);
