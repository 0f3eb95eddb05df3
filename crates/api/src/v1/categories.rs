//! `/categories/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::NotFound;
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::by_id;
use hearback_app::{Missing, categories};
use hearback_domain::Uuid;
use hearback_domain::category::Category;
use hearback_domain::id::CategoryId;
use hearback_domain::record::Kind;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/categories/list",
        "List the categories",
        handler!(array<CategoryView>: categories::list),
    ),
    read(
        "/categories/retrieve",
        "Retrieve a category",
        handler!(object<CategoryView>: by_id::<CategoryId> => categories::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::Category))]),
];

#[derive(Serialize, ToSchema)]
#[schema(as = Category)]
pub(crate) struct CategoryView<'a> {
    id: Uuid,
    name: &'a str,
    code: &'a str,
    description: Option<&'a str>,
    color: &'a str,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    created_at: Timestamp,
}

impl<'a> From<&'a Category> for CategoryView<'a> {
    fn from(category: &'a Category) -> Self {
        Self {
            id: category.id.0,
            name: &category.name,
            code: &category.code,
            description: category.description.as_deref(),
            color: &category.color,
            show_on_feedback: category.show_on_feedback,
            show_on_roadmap: category.show_on_roadmap,
            created_at: category.created_at.into(),
        }
    }
}
