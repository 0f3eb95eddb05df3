//! Roadmap boards.

use crate::PgStore;
use crate::error::BadRow;
use crate::readers::Walk;
use crate::rows::{Origin, all, timestamp};
use crate::schema::roadmap_boards;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_ports::{RoadmapBoardRepository, StoreError};
use std::borrow::Cow;

#[async_trait]
impl RoadmapBoardRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<RoadmapBoard>, StoreError> {
        let rows: Vec<RoadmapBoardRow<'_>> = self
            .list_rows(Walk::Short, "listing roadmap boards", || {
                roadmap_boards::table
                    .filter(roadmap_boards::organization_id.eq(organization.0))
                    .filter(roadmap_boards::is_active)
                    .order((roadmap_boards::seq_number, roadmap_boards::id))
                    .select(RoadmapBoardRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }
}

stored!(RoadmapBoard: roadmap_boards.id as RoadmapBoardRow<'static>, slug_key);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = roadmap_boards,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct RoadmapBoardRow<'a> {
    id: Uuid,
    name: Cow<'a, str>,
    slug: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    icon_url: Option<Cow<'a, str>>,
    is_voting_enabled: bool,
    is_active: bool,
    seq_number: i64,
    created_at: PgTimestamp,
}

impl<'a> From<&'a RoadmapBoard> for RoadmapBoardRow<'a> {
    fn from(board: &'a RoadmapBoard) -> Self {
        Self {
            id: board.id.0,
            name: Cow::from(&board.name),
            slug: Cow::from(board.slug.as_str()),
            description: board.description.as_deref().map(Cow::from),
            icon_url: board.icon_url.as_deref().map(Cow::from),
            is_voting_enabled: board.is_voting_enabled,
            is_active: board.is_active,
            seq_number: board.seq_number.ten_thousandths(),
            created_at: timestamp(board.created_at),
        }
    }
}

impl TryFrom<RoadmapBoardRow<'_>> for RoadmapBoard {
    type Error = BadRow;

    fn try_from(row: RoadmapBoardRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("roadmap_boards", row.id);
        Ok(Self {
            id: row.id.into(),
            name: row.name.into_owned(),
            slug: origin.slug(&row.slug)?,
            description: row.description.map(Cow::into_owned),
            icon_url: row.icon_url.map(Cow::into_owned),
            is_voting_enabled: row.is_voting_enabled,
            is_active: row.is_active,
            seq_number: Position::from_ten_thousandths(row.seq_number),
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
