//! `/categories/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::NotFound;
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::by_id;
use hearback_app::{Missing, categories};
use hearback_domain::Uuid;
use hearback_domain::category::Category;
use hearback_domain::id::CategoryId;
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
    .refusing(&[NotFound(Missing::Category)]),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, call, id, mocks, time};
    use hearback_domain::id::CategoryId;
    use serde_json::json;

    const BILLING: &str = concat!(
        r##"{"id":"00000000-0000-0000-0000-000000000001","name":"Billing","code":"billing","description":null,"##,
        r##""color":"#ff8800","show_on_feedback":true,"show_on_roadmap":false,"created_at":"2026-03-01T09:30:00.000Z"}"##
    );

    fn billing() -> Category {
        Category {
            id: id(1),
            name: "Billing".to_owned(),
            code: "billing".to_owned(),
            description: None,
            color: "#ff8800".to_owned(),
            show_on_feedback: true,
            show_on_roadmap: false,
            is_active: true,
            created_at: time("2026-03-01T09:30:00Z"),
        }
    }

    #[actix_web::test]
    async fn categories_are_listed() {
        let mut mocks = mocks();
        mocks
            .categories
            .expect_list()
            .withf(|of| *of == ORGANIZATION)
            .returning(|_| Ok(vec![billing()]));
        assert_eq!(
            call(mocks, "/categories/list", json!({})).await.shown(),
            (200, &*format!("[{BILLING}]"))
        );
    }

    #[actix_web::test]
    async fn a_category_is_retrieved_by_its_id() {
        let mut mocks = mocks();
        let asked = (ORGANIZATION, CategoryId::from(Uuid::from_u128(1)));
        mocks
            .categories
            .expect_find()
            .withf(move |of, id| (*of, *id) == asked)
            .returning(|_, _| Ok(Some(billing())));
        let reply = call(mocks, "/categories/retrieve", json!({"id": Uuid::from_u128(1)})).await;
        assert_eq!(reply.shown(), (200, BILLING));
    }

    #[actix_web::test]
    async fn an_unknown_category_is_not_found() {
        let mut mocks = mocks();
        mocks.categories.expect_find().returning(|_, _| Ok(None));
        let reply = call(mocks, "/categories/retrieve", json!({"id": Uuid::nil()})).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"category not found"}}"#));
    }
}
