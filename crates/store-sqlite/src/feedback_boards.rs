//! Feedback boards.

use crate::SqliteStore;
use crate::stored::{Stored, stored};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::{BoardId, OrganizationId};
use hearback_ports::{FeedbackBoardRepository, StoreError};
use hearback_store_rows::rows::FeedbackBoardRow;
use hearback_store_rows::schema::feedback_boards;
use hearback_store_rows::{Id, all};

#[async_trait]
impl FeedbackBoardRepository for SqliteStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<FeedbackBoard>, StoreError> {
        let rows: Vec<FeedbackBoardRow<'_>> =
            self.readers.read("listing feedback boards", |connection| {
                feedback_boards::table
                    .filter(feedback_boards::organization_id.eq(Id::of(organization)))
                    .filter(feedback_boards::is_active)
                    .order((feedback_boards::seq_number, feedback_boards::id))
                    .select(FeedbackBoardRow::as_select())
                    .load(connection)
            })?;
        Ok(all(rows)?)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: BoardId,
    ) -> Result<Option<FeedbackBoard>, StoreError> {
        let found = self.readers.read("finding a feedback board", |connection| {
            FeedbackBoard::find(connection, organization, id.0)
        })?;
        Ok(found.filter(|found| found.is_active))
    }
}

stored!(FeedbackBoard: feedback_boards.id as FeedbackBoardRow<'static>, slug_key);
