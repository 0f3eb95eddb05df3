//! Feedback boards.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::{Stored, stored};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::{BoardId, OrganizationId};
use hearback_ports::{FeedbackBoardRepository, StoreError};
use hearback_store_rows::rows::FeedbackBoardRow;
use hearback_store_rows::schema::feedback_boards;
use hearback_store_rows::{Id, all};

#[async_trait]
impl FeedbackBoardRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<FeedbackBoard>, StoreError> {
        let rows: Vec<FeedbackBoardRow<'_>> = self
            .list_rows(Reach::Short, "listing feedback boards", || {
                feedback_boards::table
                    .filter(feedback_boards::organization_id.eq(Id::of(organization)))
                    .filter(feedback_boards::is_active)
                    .order((feedback_boards::seq_number, feedback_boards::id))
                    .select(FeedbackBoardRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: BoardId,
    ) -> Result<Option<FeedbackBoard>, StoreError> {
        let found = FeedbackBoard::find(&self.readers, organization, id.0).await?;
        Ok(found.filter(|found| found.is_active))
    }
}

stored!(FeedbackBoard: feedback_boards.id as FeedbackBoardRow<'static>, slug_key);
