//! Feedback boards.

use crate::PgStore;
use crate::error::BadRow;
use crate::readers::Walk;
use crate::rows::{Origin, all, timestamp};
use crate::schema::feedback_boards;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::Uuid;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::{BoardId, OrganizationId};
use hearback_domain::position::Position;
use hearback_ports::{FeedbackBoardRepository, StoreError};
use std::borrow::Cow;

#[async_trait]
impl FeedbackBoardRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<FeedbackBoard>, StoreError> {
        let rows: Vec<FeedbackBoardRow<'_>> = self
            .list_rows(Walk::Short, "listing feedback boards", || {
                feedback_boards::table
                    .filter(feedback_boards::organization_id.eq(organization.0))
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
        let row: Option<FeedbackBoardRow<'_>> = self
            .readers
            .row("finding a feedback board", || {
                feedback_boards::table
                    .filter(feedback_boards::organization_id.eq(organization.0))
                    .filter(feedback_boards::id.eq(id.0))
                    .filter(feedback_boards::is_active)
                    .select(FeedbackBoardRow::as_select())
            })
            .await?;
        Ok(row.map(FeedbackBoard::try_from).transpose()?)
    }
}

stored!(FeedbackBoard: feedback_boards.id as FeedbackBoardRow<'static>, slug_key);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = feedback_boards,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct FeedbackBoardRow<'a> {
    id: Uuid,
    name: Cow<'a, str>,
    slug: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    icon_url: Option<Cow<'a, str>>,
    is_voting_enabled: bool,
    is_commenting_enabled: bool,
    show_post_dates: bool,
    is_active: bool,
    seq_number: i64,
    created_at: PgTimestamp,
}

impl<'a> From<&'a FeedbackBoard> for FeedbackBoardRow<'a> {
    fn from(board: &'a FeedbackBoard) -> Self {
        Self {
            id: board.id.0,
            name: Cow::from(&board.name),
            slug: Cow::from(board.slug.as_str()),
            description: board.description.as_deref().map(Cow::from),
            icon_url: board.icon_url.as_deref().map(Cow::from),
            is_voting_enabled: board.is_voting_enabled,
            is_commenting_enabled: board.is_commenting_enabled,
            show_post_dates: board.show_post_dates,
            is_active: board.is_active,
            seq_number: board.seq_number.ten_thousandths(),
            created_at: timestamp(board.created_at),
        }
    }
}

impl TryFrom<FeedbackBoardRow<'_>> for FeedbackBoard {
    type Error = BadRow;

    fn try_from(row: FeedbackBoardRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("feedback_boards", row.id);
        Ok(Self {
            id: row.id.into(),
            name: row.name.into_owned(),
            slug: origin.slug(&row.slug)?,
            description: row.description.map(Cow::into_owned),
            icon_url: row.icon_url.map(Cow::into_owned),
            is_voting_enabled: row.is_voting_enabled,
            is_commenting_enabled: row.is_commenting_enabled,
            show_post_dates: row.show_post_dates,
            is_active: row.is_active,
            seq_number: Position::from_ten_thousandths(row.seq_number),
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
