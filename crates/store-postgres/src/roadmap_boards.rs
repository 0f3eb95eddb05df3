//! Roadmap boards.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::id::OrganizationId;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_ports::{RoadmapBoardRepository, StoreError};
use hearback_store_rows::rows::RoadmapBoardRow;
use hearback_store_rows::schema::roadmap_boards;
use hearback_store_rows::{Id, all};

#[async_trait]
impl RoadmapBoardRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<RoadmapBoard>, StoreError> {
        let rows: Vec<RoadmapBoardRow<'_>> = self
            .list_rows(Reach::Short, "listing roadmap boards", || {
                roadmap_boards::table
                    .filter(roadmap_boards::organization_id.eq(Id::of(organization)))
                    .filter(roadmap_boards::is_active)
                    .order((roadmap_boards::seq_number, roadmap_boards::id))
                    .select(RoadmapBoardRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }
}

stored!(RoadmapBoard: roadmap_boards.id as RoadmapBoardRow<'static>, slug_key);
