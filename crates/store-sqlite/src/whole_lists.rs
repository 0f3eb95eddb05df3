//! Lists without pages.

use crate::SqliteStore;
use crate::stored::{Stored, finds, inserts, stored, updates};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::category::Category;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::OrganizationId;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::status::{Status, workflow_order};
use hearback_domain::tag::Tag;
use hearback_ports::{StoreError, WholeLists};
use hearback_store_rows::rows::{
    CategoryRow, EditedRow, FeedbackBoardRow, RoadmapBoardRow, StatusRow, TagRow,
};
use hearback_store_rows::schema::{categories, feedback_boards, roadmap_boards, statuses, tags};
use hearback_store_rows::{Id, all};

macro_rules! whole_lists {
    ($($table:ident by $column:ident: $kind:ty as $row:ident $(, $then:expr)?;)+) => {
        #[async_trait]
        impl WholeLists for SqliteStore {$(
            async fn $table(&self, organization: OrganizationId) -> Result<Vec<$kind>, StoreError> {
                let doing = concat!("listing ", stringify!($table));
                let rows: Vec<$row<'_>> = self.readers.read(doing, |connection| {
                    $table::table
                        .filter($table::organization_id.eq(Id::of(organization)))
                        .filter($table::is_active)
                        .order(($table::$column, $table::id))
                        .select($row::as_select())
                        .load(connection)
                })?;
                let records = all(rows)?;
                $(let records = $then(records);)?
                Ok(records)
            }
        )+}
    };
}

whole_lists! {
    categories by name: Category as CategoryRow;
    feedback_boards by seq_number: FeedbackBoard as FeedbackBoardRow;
    roadmap_boards by seq_number: RoadmapBoard as RoadmapBoardRow;
    statuses by seq_number: Status as StatusRow, in_workflow_order;
    tags by name: Tag as TagRow;
}

/// The order of the groups is the domain's, not that of their codes.
fn in_workflow_order(mut statuses: Vec<Status>) -> Vec<Status> {
    statuses.sort_by(workflow_order);
    statuses
}

stored!(Category: categories.id as CategoryRow<'static>);
stored!(FeedbackBoard: feedback_boards.id as FeedbackBoardRow<'static>, slug_key);
stored!(RoadmapBoard: roadmap_boards.id as RoadmapBoardRow<'static>, slug_key);
stored!(Status: statuses.id as StatusRow<'static>);

impl Stored for Tag {
    inserts!(tags, |tag| TagRow::from(tag));
    updates!(tags, |tag| (
        tag.changed(|tag| tag.is_active).map(|is_active| tags::removal_pending.eq(!is_active)),
        EditedRow::changes(&tag),
    ));
    finds!(tags.id, TagRow::as_select() => TagRow<'static>);
}
