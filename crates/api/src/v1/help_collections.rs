//! `/help-collections/…`

use crate::answer::{PlainTimestamp, SeqNumber};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, bounded, color, slug};
use crate::page::Walk;
use hearback_app::help_collections::{self, UpdateCollection};
use hearback_app::{Missing, Precondition};
use hearback_domain::Uuid;
use hearback_domain::help_collection::{CollectionDetails, CollectionPatch};
use hearback_domain::id::HelpCollectionId;
use hearback_ports::page::ByPosition;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/help-collections/list",
        "List the help collections",
        handler!(page<CollectionView>: by_position => |ports, organization, (), page| {
            help_collections::list(ports, organization, page)
        }),
    )
    .of_help_center(),
    read(
        "/help-collections/retrieve",
        "Retrieve a help collection",
        handler!(object<CollectionView>: id => help_collections::retrieve),
    )
    .of_help_center()
    .refusing(&[NotFound(Missing::HelpCollection)]),
    write(
        "/help-collections/update",
        "Change a help collection",
        handler!(success: patch => help_collections::update),
    )
    .of_help_center()
    .refusing(&[NotFound(Missing::HelpCollection), Refused(Precondition::SlugTaken)]),
];

fn by_position(fields: &mut Fields<'_>) -> Result<((), Walk<ByPosition>), Noted> {
    let list = fields.list("position");
    Ok(((), fields.walk(Ok(list))?))
}

fn id(fields: &mut Fields<'_>) -> Result<HelpCollectionId, Noted> {
    fields.id("collection_id")
}

fn patch(fields: &mut Fields<'_>) -> Result<UpdateCollection, Noted> {
    let id = id(fields);
    let name = fields.optional("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon = fields.optional("icon", bounded);
    let color = fields.optional("color", color);
    let patch = CollectionPatch {
        name: name?,
        slug: slug?,
        description: description?,
        icon: icon?,
        color: color?,
    };
    Ok(UpdateCollection { id: id?, patch })
}

#[derive(Serialize, ToSchema)]
#[schema(as = HelpCollection)]
pub(crate) struct CollectionView<'a> {
    id: Uuid,
    name: &'a str,
    slug: &'a str,
    description: &'a str,
    icon: &'a str,
    color: &'a str,
    seq_number: SeqNumber,
    category_count: i64,
    created_at: PlainTimestamp,
    updated_at: PlainTimestamp,
}

impl<'a> From<&'a CollectionDetails> for CollectionView<'a> {
    fn from(CollectionDetails { collection, category_count }: &'a CollectionDetails) -> Self {
        Self {
            id: collection.id.0,
            name: &collection.name,
            slug: collection.slug.as_str(),
            description: &collection.description,
            icon: &collection.icon,
            color: &collection.color,
            seq_number: collection.seq_number.into(),
            category_count: *category_count,
            created_at: collection.created_at.into(),
            updated_at: collection.updated_at.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, call, help_mocks, id, time};
    use hearback_domain::help_collection::{CollectionCase, HelpCollection};
    use hearback_domain::id::HelpCollectionId;
    use hearback_domain::position::Position;
    use hearback_domain::slug::Slug;
    use hearback_ports::mock::Mocks;
    use hearback_ports::page::ByPosition;
    use hearback_ports::{Limit, Page, PageRequest, Recorded};
    use serde_json::{Value, json};

    const GUIDES: &str = concat!(
        r##"{"id":"00000000-0000-0000-0000-000000000001","name":"Guides","slug":"guides","description":"How to","##,
        r##""icon":"book","color":"#64748b","seq_number":"2.5000","category_count":3,"##,
        r##""created_at":"2026-03-01T09:30:00","updated_at":"2026-03-02T09:30:00"}"##
    );

    fn guides() -> HelpCollection {
        HelpCollection {
            id: id(1),
            name: "Guides".to_owned(),
            slug: Slug::parse("guides").unwrap(),
            description: "How to".to_owned(),
            icon: "book".to_owned(),
            color: "#64748b".to_owned(),
            seq_number: Position::parse("2.5000").unwrap(),
            is_active: true,
            created_at: time("2026-03-01T09:30:00Z"),
            updated_at: time("2026-03-02T09:30:00.999Z"),
        }
    }

    fn details() -> CollectionDetails {
        CollectionDetails { collection: guides(), category_count: 3 }
    }

    fn paging(request: PageRequest<ByPosition>, next: Option<ByPosition>) -> Mocks {
        let mut mocks = help_mocks();
        mocks
            .help_collections
            .expect_page()
            .withf(move |of, page| (*of, page) == (ORGANIZATION, &request))
            .return_once(move |_, _| Ok(Page { items: vec![details()], next }));
        mocks
    }

    #[actix_web::test]
    async fn collections_are_paged() {
        let end =
            ByPosition { position: guides().seq_number, name: "Guides".to_owned(), id: id(1) };
        let first = PageRequest { after: None, limit: Limit::new(1).unwrap() };
        let reply =
            call(paging(first, Some(end.clone())), "/help-collections/list", json!({"limit": 1}))
                .await;
        let page: Value = serde_json::from_str(&reply.body).unwrap();
        let cursor = page["cursor"].as_str().unwrap();
        let expected =
            format!(r#"{{"items":[{GUIDES}],"has_next_page":true,"cursor":"{cursor}"}}"#);
        assert_eq!(reply.shown(), (200, &*expected));

        let second = PageRequest { after: Some(end), limit: Limit::DEFAULT };
        let reply =
            call(paging(second, None), "/help-collections/list", json!({"cursor": cursor})).await;
        assert_eq!(
            reply.shown(),
            (200, &*format!(r#"{{"items":[{GUIDES}],"has_next_page":false,"cursor":null}}"#))
        );
        let reply = call(help_mocks(), "/help-categories/list", json!({"cursor": cursor})).await;
        assert_eq!(reply.status, 422, "the cursor is of another list");
    }

    #[actix_web::test]
    async fn a_collection_is_retrieved_by_its_id() {
        let mut mocks = help_mocks();
        let asked = (ORGANIZATION, HelpCollectionId::from(Uuid::from_u128(1)));
        mocks
            .help_collections
            .expect_find()
            .withf(move |of, id| (*of, *id) == asked)
            .returning(|_, _| Ok(Some(details())));
        let reply =
            call(mocks, "/help-collections/retrieve", json!({"collection_id": Uuid::from_u128(1)}))
                .await;
        assert_eq!(reply.shown(), (200, GUIDES));
    }

    #[actix_web::test]
    async fn an_unknown_collection_is_not_found() {
        let expected = (404, r#"{"detail":{"error":"help collection not found"}}"#);
        let mut mocks = help_mocks();
        mocks.help_collections.expect_find().returning(|_, _| Ok(None));
        let body = json!({"collection_id": Uuid::nil()});
        assert_eq!(call(mocks, "/help-collections/retrieve", body.clone()).await.shown(), expected);
        let mocks = editing(CollectionCase { collection: None, slug_taken: false });
        assert_eq!(call(mocks, "/help-collections/update", body).await.shown(), expected);
    }

    fn editing(case: CollectionCase) -> Mocks {
        let mut mocks = help_mocks();
        mocks.help_collections.expect_edit_case().returning(move |_, _, _| Ok(case.clone()));
        mocks
    }

    fn loaded() -> CollectionCase {
        CollectionCase { collection: Some(guides()), slug_taken: false }
    }

    #[actix_web::test]
    async fn a_patch_changes_what_it_gives() {
        let mut mocks = editing(loaded());
        mocks
            .help_collections
            .expect_update()
            .once()
            .withf(|of, edit, receipt| {
                let after = HelpCollection {
                    name: "Handbook".to_owned(),
                    slug: Slug::parse("Handbook").unwrap(),
                    description: String::new(),
                    icon: "star".to_owned(),
                    color: "#abc".to_owned(),
                    updated_at: time("2026-03-01T09:30:00Z"),
                    ..guides()
                };
                (*of, &edit.before, &edit.after, receipt)
                    == (ORGANIZATION, &guides(), &after, &None)
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        let body = json!({
            "collection_id": Uuid::from_u128(1), "name": "Handbook", "slug": "Handbook", "description": "", "icon": "star",
            "color": "#abc",
        });
        assert_eq!(
            call(mocks, "/help-collections/update", body).await.shown(),
            (200, r#"{"success":true}"#)
        );
    }

    #[actix_web::test]
    async fn null_changes_nothing() {
        let id = Uuid::from_u128(1);
        let nulls = json!({"collection_id": id, "name": null, "slug": null, "description": null, "icon": null, "color": null});
        for body in
            [nulls, json!({"collection_id": id}), json!({"collection_id": id, "name": "Guides"})]
        {
            let reply = call(editing(loaded()), "/help-collections/update", body).await;
            assert_eq!(reply.shown(), (200, r#"{"success":true}"#));
        }
    }

    #[actix_web::test]
    async fn a_slug_that_another_one_has_is_refused() {
        let mocks = editing(CollectionCase { slug_taken: true, ..loaded() });
        let reply = call(
            mocks,
            "/help-collections/update",
            json!({"collection_id": Uuid::from_u128(1), "slug": "faq"}),
        )
        .await;
        assert_eq!(reply.shown(), (400, r#"{"detail":"Slug already exists"}"#));
    }

    #[actix_web::test]
    async fn every_fault_of_a_patch_is_told_at_once() {
        let body = json!({"color": "red", "icon": 5, "description": true, "slug": "a b", "name": "", "collection_id": "x"});
        assert_eq!(
            call(help_mocks(), "/help-collections/update", body).await.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"uuid_parsing","loc":["body","collection_id"],"#,
                    r#""msg":"Input should be a valid UUID","input":"x"},"#,
                    r#"{"type":"string_too_short","loc":["body","name"],"#,
                    r#""msg":"String should have at least 1 character","input":""},"#,
                    r#"{"type":"string_pattern_mismatch","loc":["body","slug"],"#,
                    r#""msg":"String should match pattern '^(?!\\.{1,2}$)[A-Za-z0-9_.~-]+$'","input":"a b"},"#,
                    r#"{"type":"string_type","loc":["body","description"],"#,
                    r#""msg":"Input should be a valid string","input":true},"#,
                    r#"{"type":"string_type","loc":["body","icon"],"msg":"Input should be a valid string","input":5},"#,
                    r#"{"type":"string_pattern_mismatch","loc":["body","color"],"#,
                    r#""msg":"String should match pattern '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$'","#,
                    r#""input":"red"}]}"#
                )
            )
        );
    }
}
