//! Roadmap boards.

use crate::SqliteStore;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::id::OrganizationId;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_ports::{RoadmapBoardRepository, StoreError};
use hearback_store_rows::rows::RoadmapBoardRow;
use hearback_store_rows::schema::roadmap_boards;
use hearback_store_rows::{Id, all};

#[async_trait]
impl RoadmapBoardRepository for SqliteStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<RoadmapBoard>, StoreError> {
        let rows: Vec<RoadmapBoardRow<'_>> =
            self.readers.read("listing roadmap boards", |connection| {
                roadmap_boards::table
                    .filter(roadmap_boards::organization_id.eq(Id::of(organization)))
                    .filter(roadmap_boards::is_active)
                    .order((roadmap_boards::seq_number, roadmap_boards::id))
                    .select(RoadmapBoardRow::as_select())
                    .load(connection)
            })?;
        Ok(all(rows)?)
    }
}

stored!(RoadmapBoard: roadmap_boards.id as RoadmapBoardRow<'static>, slug_key);
