//! The views of members.

use crate::schema::saved_views;
use crate::values::Id;
use diesel::prelude::*;
use hearback_domain::saved_view::SavedView;

/// A row of `saved_views`.
#[derive(Clone, Debug, AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(table_name = saved_views)]
pub struct ViewRow {
    user_id: Id,
    name: String,
    query: String,
}

impl From<SavedView> for ViewRow {
    fn from(SavedView { user_id, name, query }: SavedView) -> Self {
        Self { user_id: Id::of(user_id), name, query }
    }
}

impl From<ViewRow> for SavedView {
    fn from(ViewRow { user_id, name, query }: ViewRow) -> Self {
        Self { user_id: user_id.to(), name, query }
    }
}
