//! `/help-categories/…`

use crate::answer::{PlainTimestamp, SeqNumber};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, bounded, color, slug, uuid};
use crate::page::Walk;
use hearback_app::help_categories::{self, UpdateCategory};
use hearback_app::{Missing, Precondition};
use hearback_domain::Uuid;
use hearback_domain::help_category::{CategoryDetails, CategoryDraft, CategoryPatch};
use hearback_domain::id::{HelpCategoryId, HelpCollectionId};
use hearback_ports::page::ByPosition;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/help-categories/list",
        "List the help categories of a collection",
        handler!(page<CategoryView>: of_collection => help_categories::list),
    )
    .of_help_center(),
    read(
        "/help-categories/retrieve",
        "Retrieve a help category",
        handler!(object<CategoryView>: id => help_categories::retrieve),
    )
    .of_help_center()
    .refusing(&[NotFound(Missing::HelpCategory)]),
    write(
        "/help-categories/create",
        "Create a help category at the end of a collection",
        handler!(created: draft => help_categories::create),
    )
    .of_help_center()
    .refusing(&[NotFound(Missing::HelpCollection)]),
    write(
        "/help-categories/update",
        "Change a help category, or move it to another collection",
        handler!(success: patch => help_categories::update),
    )
    .of_help_center()
    .refusing(&[
        NotFound(Missing::HelpCategory),
        NotFound(Missing::HelpCollection),
        Refused(Precondition::SlugTaken),
    ]),
];

fn of_collection(
    fields: &mut Fields<'_>,
) -> Result<(Option<HelpCollectionId>, Walk<ByPosition>), Noted> {
    let collection = fields.optional("collection_id", uuid);
    let list = fields.list("position");
    let walk = fields.walk(collection.map(|collection| list.filter(collection)));
    Ok((collection?.map(Into::into), walk?))
}

fn id(fields: &mut Fields<'_>) -> Result<HelpCategoryId, Noted> {
    fields.id("category_id")
}

fn draft(fields: &mut Fields<'_>) -> Result<CategoryDraft, Noted> {
    let collection_id = fields.id("collection_id");
    let name = fields.required("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon = fields.optional("icon", bounded);
    let color = fields.optional("color", color);
    Ok(CategoryDraft {
        collection_id: collection_id?,
        name: name?,
        slug: slug?,
        description: description?,
        icon: icon?,
        color: color?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<UpdateCategory, Noted> {
    let id = id(fields);
    let collection_id = fields.optional("collection_id", uuid);
    let name = fields.optional("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon = fields.optional("icon", bounded);
    let color = fields.optional("color", color);
    let patch = CategoryPatch {
        collection_id: collection_id?.map(Into::into),
        name: name?,
        slug: slug?,
        description: description?,
        icon: icon?,
        color: color?,
    };
    Ok(UpdateCategory { id: id?, patch })
}

#[derive(Serialize, ToSchema)]
#[schema(as = HelpCategory)]
pub(crate) struct CategoryView<'a> {
    id: Uuid,
    collection_id: Uuid,
    name: &'a str,
    slug: &'a str,
    description: Option<&'a str>,
    icon: Option<&'a str>,
    color: Option<&'a str>,
    seq_number: SeqNumber,
    article_count: i64,
    created_at: PlainTimestamp,
    updated_at: PlainTimestamp,
}

impl<'a> From<&'a CategoryDetails> for CategoryView<'a> {
    fn from(CategoryDetails { category, article_count }: &'a CategoryDetails) -> Self {
        Self {
            id: category.id.0,
            collection_id: category.collection_id.0,
            name: &category.name,
            slug: category.slug.as_str(),
            description: category.description.as_deref(),
            icon: category.icon.as_deref(),
            color: category.color.as_deref(),
            seq_number: category.seq_number.into(),
            article_count: *article_count,
            created_at: category.created_at.into(),
            updated_at: category.updated_at.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FRESH, ORGANIZATION, call, help_mocks, id, time};
    use hearback_domain::help_category::{CategoryCase, HelpCategory};
    use hearback_domain::help_collection::{CollectionDetails, HelpCollection};
    use hearback_domain::id::{HelpCategoryId, HelpCollectionId};
    use hearback_domain::position::Position;
    use hearback_domain::slug::Slug;
    use hearback_ports::mock::Mocks;
    use hearback_ports::page::ByPosition;
    use hearback_ports::{Limit, Page, PageRequest, Recorded};
    use serde_json::{Value, json};

    const FIRST_STEPS: &str = concat!(
        r##"{"id":"00000000-0000-0000-0000-000000000001","collection_id":"00000000-0000-0000-0000-000000000002","##,
        r##""name":"First steps","slug":"first-steps","description":"Begin here","icon":"flag","color":"#0af","##,
        r##""seq_number":"1.0000","article_count":12,"created_at":"2026-03-01T09:30:00","updated_at":"2026-03-02T09:30:00"}"##
    );
    const BARE: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-000000000003","collection_id":"00000000-0000-0000-0000-000000000002","#,
        r#""name":"Bare","slug":"first-steps","description":null,"icon":null,"color":null,"#,
        r#""seq_number":"1.0000","article_count":0,"created_at":"2026-03-01T09:30:00","updated_at":"2026-03-02T09:30:00"}"#
    );

    fn first_steps() -> HelpCategory {
        HelpCategory {
            id: id(1),
            collection_id: id(2),
            name: "First steps".to_owned(),
            slug: Slug::parse("first-steps").unwrap(),
            description: Some("Begin here".to_owned()),
            icon: Some("flag".to_owned()),
            color: Some("#0af".to_owned()),
            seq_number: Position::parse("1.0000").unwrap(),
            is_active: true,
            created_at: time("2026-03-01T09:30:00Z"),
            updated_at: time("2026-03-02T09:30:00.999Z"),
        }
    }

    fn bare() -> HelpCategory {
        HelpCategory {
            id: id(3),
            name: "Bare".to_owned(),
            description: None,
            icon: None,
            color: None,
            ..first_steps()
        }
    }

    fn paging(
        collection: Option<HelpCollectionId>,
        request: PageRequest<ByPosition>,
        next: Option<ByPosition>,
    ) -> Mocks {
        let mut mocks = help_mocks();
        mocks
            .help_categories
            .expect_page()
            .withf(move |of, within, page| {
                (*of, *within, page) == (ORGANIZATION, collection, &request)
            })
            .return_once(move |_, _, _| {
                let full = CategoryDetails { category: first_steps(), article_count: 12 };
                Ok(Page {
                    items: vec![full, CategoryDetails { category: bare(), article_count: 0 }],
                    next,
                })
            });
        mocks
    }

    #[actix_web::test]
    async fn the_categories_of_a_collection_are_paged() {
        let end = ByPosition { position: bare().seq_number, name: "Bare".to_owned(), id: id(3) };
        let first = PageRequest { after: None, limit: Limit::new(2).unwrap() };
        let body = json!({"collection_id": Uuid::from_u128(2), "limit": 2});
        let reply = call(
            paging(Some(id(2)), first, Some(end.clone())),
            "/help-categories/list",
            body.clone(),
        )
        .await;
        let page: Value = serde_json::from_str(&reply.body).unwrap();
        let cursor = page["cursor"].as_str().unwrap();
        let expected = format!(
            r#"{{"items":[{FIRST_STEPS},{BARE}],"has_next_page":true,"cursor":"{cursor}"}}"#
        );
        assert_eq!(reply.shown(), (200, &*expected));

        let mut onward = body;
        onward["cursor"] = json!(cursor);
        let second = PageRequest { after: Some(end), limit: Limit::new(2).unwrap() };
        let reply =
            call(paging(Some(id(2)), second, None), "/help-categories/list", onward.clone()).await;
        assert_eq!(
            reply.shown(),
            (
                200,
                &*format!(
                    r#"{{"items":[{FIRST_STEPS},{BARE}],"has_next_page":false,"cursor":null}}"#
                )
            )
        );
        for other in [json!(null), json!(Uuid::from_u128(4))] {
            onward["collection_id"] = other;
            assert_eq!(
                call(help_mocks(), "/help-categories/list", onward.clone()).await.status,
                422
            );
        }
    }

    #[actix_web::test]
    async fn without_a_collection_the_categories_of_all_are_paged() {
        for body in [json!({}), json!({"collection_id": null, "cursor": null})] {
            let first = PageRequest { after: None, limit: Limit::DEFAULT };
            assert_eq!(
                call(paging(None, first, None), "/help-categories/list", body).await.status,
                200
            );
        }
    }

    #[actix_web::test]
    async fn a_category_is_retrieved_by_its_id() {
        let mut mocks = help_mocks();
        let asked = (ORGANIZATION, HelpCategoryId::from(Uuid::from_u128(1)));
        mocks.help_categories.expect_find().withf(move |of, id| (*of, *id) == asked).returning(
            |_, _| Ok(Some(CategoryDetails { category: first_steps(), article_count: 12 })),
        );
        let reply =
            call(mocks, "/help-categories/retrieve", json!({"category_id": Uuid::from_u128(1)}))
                .await;
        assert_eq!(reply.shown(), (200, FIRST_STEPS));
    }

    #[actix_web::test]
    async fn an_unknown_category_is_not_found() {
        let expected = (404, r#"{"detail":{"error":"help category not found"}}"#);
        let mut mocks = help_mocks();
        mocks.help_categories.expect_find().returning(|_, _| Ok(None));
        let body = json!({"category_id": Uuid::nil()});
        assert_eq!(call(mocks, "/help-categories/retrieve", body.clone()).await.shown(), expected);
        let mocks = editing(CategoryCase { category: None, ..loaded() });
        assert_eq!(call(mocks, "/help-categories/update", body).await.shown(), expected);
    }

    fn creating(collection: Option<CollectionDetails>) -> Mocks {
        let mut mocks = help_mocks();
        mocks.help_collections.expect_find().returning(move |_, _| Ok(collection.clone()));
        mocks
    }

    fn collection() -> CollectionDetails {
        let collection = HelpCollection {
            id: id(2),
            name: "Guides".to_owned(),
            slug: Slug::parse("guides").unwrap(),
            description: String::new(),
            icon: "book".to_owned(),
            color: "#64748b".to_owned(),
            seq_number: Position::START,
            is_active: true,
            created_at: time("2026-03-01T09:30:00Z"),
            updated_at: time("2026-03-01T09:30:00Z"),
        };
        CollectionDetails { collection, category_count: 0 }
    }

    /// Creates a category; what is made must be this.
    async fn made(body: Value, expected: HelpCategory) {
        let mut mocks = creating(Some(collection()));
        let expected = HelpCategory {
            id: FRESH.parse::<Uuid>().unwrap().into(),
            created_at: time("2026-03-01T09:30:00Z"),
            updated_at: time("2026-03-01T09:30:00Z"),
            ..expected
        };
        mocks
            .help_categories
            .expect_insert()
            .once()
            .withf(move |of, category, receipt| {
                let category = category.clone().at(expected.seq_number);
                (*of, &category, receipt) == (ORGANIZATION, &expected, &None)
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        let reply = call(mocks, "/help-categories/create", body).await;
        assert_eq!(reply.shown(), (200, r#"{"id":"00000000-0000-0000-0000-000000000f0f"}"#));
    }

    #[actix_web::test]
    async fn a_category_is_made_of_its_fields() {
        let full = json!({
            "collection_id": Uuid::from_u128(2), "name": "First steps", "slug": "Begin", "description": "Begin here",
            "icon": "flag", "color": "#0af",
        });
        made(full, HelpCategory { slug: Slug::parse("Begin").unwrap(), ..first_steps() }).await;
        let nulls = json!({
            "collection_id": Uuid::from_u128(2), "name": "Bare", "slug": null, "description": null, "icon": null, "color": null,
        });
        for body in [json!({"collection_id": Uuid::from_u128(2), "name": "Bare"}), nulls] {
            made(body, HelpCategory { slug: Slug::parse("bare").unwrap(), ..bare() }).await;
        }
    }

    #[actix_web::test]
    async fn no_category_is_made_in_a_collection_that_is_not_there() {
        let body = json!({"collection_id": Uuid::nil(), "name": "Bare"});
        let reply = call(creating(None), "/help-categories/create", body).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"help collection not found"}}"#));
    }

    #[actix_web::test]
    async fn a_new_category_needs_a_collection_and_a_name() {
        assert_eq!(
            call(help_mocks(), "/help-categories/create", json!({"name": null, "slug": ".."}))
                .await
                .shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"missing","loc":["body","collection_id"],"msg":"Field required","input":null},"#,
                    r#"{"type":"string_type","loc":["body","name"],"msg":"Input should be a valid string","input":null},"#,
                    r#"{"type":"string_pattern_mismatch","loc":["body","slug"],"#,
                    r#""msg":"String should match pattern '^(?!\\.{1,2}$)[A-Za-z0-9_.~-]+$'","input":".."}]}"#
                )
            )
        );
    }

    fn editing(case: CategoryCase) -> Mocks {
        let mut mocks = help_mocks();
        mocks.help_categories.expect_edit_case().returning(move |_, _, _, _| Ok(case.clone()));
        mocks
    }

    fn loaded() -> CategoryCase {
        CategoryCase { category: Some(first_steps()), target_found: true, slug_taken: false }
    }

    #[actix_web::test]
    async fn a_patch_changes_what_it_gives() {
        let mut mocks = editing(loaded());
        mocks
            .help_categories
            .expect_update()
            .once()
            .withf(|of, edit, receipt| {
                let after = HelpCategory {
                    collection_id: id(4),
                    name: "Basics".to_owned(),
                    slug: Slug::parse("basics").unwrap(),
                    description: Some(String::new()),
                    icon: Some("star".to_owned()),
                    color: Some("#abcd".to_owned()),
                    updated_at: time("2026-03-01T09:30:00Z"),
                    ..first_steps()
                };
                (*of, &edit.before, &edit.after, receipt)
                    == (ORGANIZATION, &first_steps(), &after, &None)
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        let body = json!({
            "category_id": Uuid::from_u128(1), "collection_id": Uuid::from_u128(4), "name": "Basics", "slug": "basics",
            "description": "", "icon": "star", "color": "#abcd",
        });
        assert_eq!(
            call(mocks, "/help-categories/update", body).await.shown(),
            (200, r#"{"success":true}"#)
        );
    }

    #[actix_web::test]
    async fn null_changes_nothing() {
        let id = Uuid::from_u128(1);
        let nulls = json!({
            "category_id": id, "collection_id": null, "name": null, "slug": null, "description": null, "icon": null, "color": null,
        });
        for body in [
            nulls,
            json!({"category_id": id}),
            json!({"category_id": id, "collection_id": Uuid::from_u128(2)}),
        ] {
            let reply = call(editing(loaded()), "/help-categories/update", body).await;
            assert_eq!(reply.shown(), (200, r#"{"success":true}"#));
        }
    }

    #[actix_web::test]
    async fn a_patch_that_cannot_be_done_says_why() {
        let body =
            json!({"category_id": Uuid::from_u128(1), "collection_id": Uuid::nil(), "slug": "faq"});
        let mocks = editing(CategoryCase { target_found: false, slug_taken: true, ..loaded() });
        let reply = call(mocks, "/help-categories/update", body.clone()).await;
        assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"help collection not found"}}"#));
        let mocks = editing(CategoryCase { slug_taken: true, ..loaded() });
        let reply = call(mocks, "/help-categories/update", body).await;
        assert_eq!(reply.shown(), (400, r#"{"detail":"Slug already exists"}"#));
    }

    #[actix_web::test]
    async fn every_fault_of_a_patch_is_told_at_once() {
        let body = json!({
            "color": 5, "icon": [], "description": {}, "slug": "", "name": "a".repeat(3), "collection_id": 7,
        });
        assert_eq!(
            call(help_mocks(), "/help-categories/update", body).await.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"missing","loc":["body","category_id"],"msg":"Field required","input":null},"#,
                    r#"{"type":"uuid_type","loc":["body","collection_id"],"msg":"UUID input should be a string","input":7},"#,
                    r#"{"type":"string_too_short","loc":["body","slug"],"#,
                    r#""msg":"String should have at least 1 character","input":""},"#,
                    r#"{"type":"string_type","loc":["body","description"],"msg":"Input should be a valid string","input":{}},"#,
                    r#"{"type":"string_type","loc":["body","icon"],"msg":"Input should be a valid string","input":[]},"#,
                    r#"{"type":"string_type","loc":["body","color"],"msg":"Input should be a valid string","input":5}]}"#
                )
            )
        );
    }
}
