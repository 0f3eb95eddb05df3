//! `HelpCollectionRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{
    AWKWARD, Stage, behind, ends, first_page, inventory, kept, others, receipt, walk, walk_while,
};
use crate::build::{Imported, Tenant, at};
use crate::system::fresh;
use hearback_domain::edit::Edit;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::{CollectionCase, CollectionDetails, HelpCollection};
use hearback_domain::id::{HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::slug::Slug;
use hearback_domain::{Time, Uuid};
use hearback_ports::page::{ByPosition, PageRequest};
use hearback_ports::{Answer, Limit, Receipt, Recorded, Unique};

/// All collections, of one page.
async fn listed(stage: &Stage, organization: OrganizationId) -> Vec<CollectionDetails> {
    let page = stage.ports.help_collections.page(organization, first_page()).await.unwrap();
    assert_eq!(page.next, None);
    page.items
}

async fn find(
    stage: &Stage,
    organization: OrganizationId,
    id: HelpCollectionId,
) -> Option<CollectionDetails> {
    stage.ports.help_collections.find(organization, id).await.unwrap()
}

async fn update(
    stage: &Stage,
    acme: &Tenant,
    edit: &Edit<HelpCollection>,
    receipt: Option<Receipt>,
    expected: Recorded,
) {
    ends(expected, async || {
        stage.ports.help_collections.update(acme.id(), edit.clone(), receipt.clone()).await
    })
    .await;
}

/// An update that leaves nothing behind.
async fn refused(
    stage: &Stage,
    acme: &Tenant,
    edit: &Edit<HelpCollection>,
    receipt: Option<Receipt>,
    expected: Recorded,
) {
    let before = inventory(stage, acme.id()).await;
    update(stage, acme, edit, receipt, expected).await;
    assert_eq!(inventory(stage, acme.id()).await, before);
}

fn place(collection: &HelpCollection) -> (Position, String, Uuid) {
    (collection.seq_number, collection.name.clone(), collection.id.0)
}

fn empty(collection: &HelpCollection) -> CollectionDetails {
    CollectionDetails { collection: collection.clone(), category_count: 0 }
}

/// An organization with collections of few different positions and names, so that identifiers decide.
async fn crowd(stage: &Stage) -> (Imported, Vec<HelpCollection>) {
    let mut acme = Tenant::new();
    let positions = [
        Position::LAST,
        Position::START,
        Position::from_ten_thousandths(-1),
        Position::from_ten_thousandths(15_000),
    ];
    let named = |(n, name): (usize, &&str)| {
        let seq_number = positions[n / 3 % 4];
        HelpCollection { name: (*name).to_owned(), seq_number, ..acme.help_collection() }
    };
    acme.add_backwards([AWKWARD; 3].as_flattened().iter().enumerate().map(named).collect());
    let mut all = acme.all::<HelpCollection>();
    all.sort_by_key(place);
    (acme.import(&stage.ports).await, all)
}

/// Every value that an update can change is another one.
fn changed(before: &HelpCollection) -> HelpCollection {
    HelpCollection {
        name: "Größe 😀 \u{ffff}".to_owned(),
        slug: Slug::parse(&format!("New-{}", before.id)).unwrap(),
        description: "\r\n".to_owned(),
        icon: String::new(),
        color: "#000".to_owned(),
        updated_at: Time::MAX,
        ..before.clone()
    }
}

pub async fn collections_are_listed_by_position_then_by_name_in_code_points_then_by_id(
    stage: Stage,
) {
    let (acme, all) = crowd(&stage).await;
    let all: Vec<_> = all.iter().map(empty).collect();
    assert_eq!(listed(&stage, acme.id()).await, all);
    for limit in [1, 2, 51, 52] {
        let page = async |request| stage.ports.help_collections.page(acme.id(), request).await;
        assert_eq!(walk(limit, page).await, all, "by {limit}");
    }
}

pub async fn a_collection_is_found_and_listed_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let rich = acme.add(HelpCollection {
        name: "Größe 😀 \"quoted\" \\ \u{ffff}".to_owned(),
        description: "How to".to_owned(),
        icon: String::new(),
        seq_number: Position::from_ten_thousandths(10_001),
        created_at: Time::MIN,
        updated_at: Time::MAX,
        ..acme.help_collection()
    });
    let acme = acme.import(&stage.ports).await;
    let all = [empty(&acme.collection), empty(&rich)];
    assert_eq!(listed(&stage, acme.id()).await, all);
    for details in all {
        assert_eq!(find(&stage, acme.id(), details.collection.id).await, Some(details));
    }
}

pub async fn inactive_collections_are_neither_listed_nor_found(stage: Stage) {
    let mut acme = Tenant::new();
    let deleted = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(listed(&stage, acme.id()).await, [empty(&acme.collection)]);
    assert_eq!(find(&stage, acme.id(), deleted.id).await, None);
}

pub async fn a_collection_counts_its_active_categories(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(HelpCollection { seq_number: Position::LAST, ..acme.help_collection() });
    let deleted = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    for (collection, is_active) in [
        (&acme.collection.clone(), true),
        (&acme.collection.clone(), true),
        (&acme.collection.clone(), false),
        (&deleted, true),
    ] {
        acme.add(HelpCategory { collection_id: collection.id, is_active, ..acme.help_category() });
    }
    // Articles do not count.
    acme.add(acme.article());
    let acme = acme.import(&stage.ports).await;
    let counting = CollectionDetails { category_count: 2, ..empty(&acme.collection) };
    assert_eq!(listed(&stage, acme.id()).await, [counting.clone(), empty(&other)]);
    assert_eq!(find(&stage, acme.id(), acme.collection.id).await, Some(counting));
    assert_eq!(find(&stage, acme.id(), other.id).await, Some(empty(&other)));
}

pub async fn a_page_of_collections_tells_where_the_next_one_begins(stage: Stage) {
    let (acme, all) = crowd(&stage).await;
    for limit in [1, 3, 51, 52, 100] {
        let limit = Limit::new(limit).unwrap();
        let page = stage
            .ports
            .help_collections
            .page(acme.id(), PageRequest { after: None, limit })
            .await
            .unwrap();
        let expected: Vec<_> = all.iter().take(limit.get()).map(empty).collect();
        let (position, name, id) = place(&all[expected.len() - 1]);
        let next = (expected.len() < all.len()).then_some(ByPosition { position, name, id });
        assert_eq!((page.items, page.next), (expected, next), "{limit:?}");
    }
}

pub async fn a_walk_over_collections_shows_each_once_whatever_is_written_meanwhile(stage: Stage) {
    let (acme, first) = crowd(&stage).await;
    for limit in [2, 7, 50] {
        let page = async |request| stage.ports.help_collections.page(acme.id(), request).await;
        // Before, between and behind the others.
        let meanwhile = async || {
            let new = |(place, name): (i64, &str)| HelpCollection {
                name: name.to_owned(),
                seq_number: Position::from_ten_thousandths(place),
                ..acme.help_collection()
            };
            acme.append(
                &stage.ports,
                [(-2, "z"), (0, ""), (0, "a"), (15_001, "a")].map(new).to_vec(),
            )
            .await;
        };
        let walked: Vec<_> = walk_while(limit, page, meanwhile)
            .await
            .into_iter()
            .map(|details| details.collection)
            .collect();
        assert!(
            first.iter().all(|collection| walked.contains(collection)),
            "limit {limit}: none is skipped"
        );
        assert!(
            walked.is_sorted_by(|a, b| place(a) < place(b)),
            "limit {limit}: none is shown twice"
        );
    }
}

pub async fn a_page_of_collections_begins_behind_a_place_where_none_is(stage: Stage) {
    let (acme, all) = crowd(&stage).await;
    for position in [-2, -1, 0, 1, 15_000] {
        for name in ["", "a", "aa", "\u{fffe}", "\u{10ffff}"] {
            for id in [Uuid::nil(), all[4].id.0, fresh(), Uuid::max()] {
                let position = Position::from_ten_thousandths(position);
                let key = ByPosition { position, name: name.to_owned(), id };
                let page = stage
                    .ports
                    .help_collections
                    .page(acme.id(), behind(key.clone()))
                    .await
                    .unwrap();
                let key = (position, key.name, id);
                let expected: Vec<_> =
                    all.iter().filter(|collection| place(collection) > key).map(empty).collect();
                assert_eq!(page.items, expected, "behind {key:?}");
            }
        }
    }
}

pub async fn an_update_of_a_collection_rests_on_it_and_on_who_has_the_slug(stage: Stage) {
    let mut acme = Tenant::new();
    let kept =
        acme.add(HelpCollection { slug: Slug::parse("Kept").unwrap(), ..acme.help_collection() });
    let deleted = acme.add(HelpCollection {
        slug: Slug::parse("Deleted").unwrap(),
        is_active: false,
        ..acme.help_collection()
    });
    // The slugs of other kinds are their own.
    acme.add(HelpCategory { slug: Slug::parse("category").unwrap(), ..acme.help_category() });
    let acme = acme.import(&stage.ports).await;
    for (id, collection) in [(kept.id, Some(&kept)), (deleted.id, None), (fresh(), None)] {
        for (slug, taken_by) in [
            (None, None),
            (Some("free"), None),
            (Some("category"), None),
            (Some("Kept"), Some(kept.id)),
            (Some("kEPT"), Some(kept.id)),
            (Some("deleted"), Some(deleted.id)),
        ] {
            let slug = slug.map(|slug| Slug::parse(slug).unwrap());
            let case =
                stage.ports.help_collections.edit_case(acme.id(), id, slug.clone()).await.unwrap();
            let slug_taken = taken_by.is_some_and(|taken_by| taken_by != id);
            assert_eq!(
                case,
                CollectionCase { collection: collection.cloned(), slug_taken },
                "{id} {slug:?}"
            );
        }
    }
}

pub async fn an_update_writes_what_it_changes_and_nothing_else(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(acme.help_category());
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let edit = Edit { before: acme.collection.clone(), after: changed(&acme.collection) };
    update(&stage, &acme, &edit, None, Recorded::Done).await;
    let expected = CollectionDetails { collection: edit.after.clone(), category_count: 1 };
    assert_eq!(find(&stage, acme.id(), acme.collection.id).await, Some(expected));
    // One value alone, and the slug in another case, which is the collection's own.
    let slug = Slug::parse(&edit.after.slug.as_str().to_ascii_uppercase()).unwrap();
    let edit = Edit {
        before: edit.after.clone(),
        after: HelpCollection { slug, updated_at: at(1), ..edit.after },
    };
    update(&stage, &acme, &edit, None, Recorded::Done).await;
    assert_eq!(
        find(&stage, acme.id(), acme.collection.id).await.map(|found| found.collection),
        Some(edit.after)
    );
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn an_update_is_stale_once_the_collection_is_another_than_it_was(stage: Stage) {
    let mut acme = Tenant::new();
    let deleted = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let acme = acme.import(&stage.ports).await;
    let now = &acme.collection;
    let then = [
        HelpCollection { name: "Guide".to_owned(), ..now.clone() },
        HelpCollection {
            slug: Slug::parse(&now.slug.as_str().to_ascii_uppercase()).unwrap(),
            ..now.clone()
        },
        HelpCollection { description: " ".to_owned(), ..now.clone() },
        HelpCollection { icon: "Book".to_owned(), ..now.clone() },
        HelpCollection { color: "#fff".to_owned(), ..now.clone() },
        HelpCollection { seq_number: Position::LAST, ..now.clone() },
        HelpCollection { updated_at: now.updated_at.plus_millis(-1), ..now.clone() },
        HelpCollection { id: fresh(), ..now.clone() },
        // It is as it was, but it is deleted.
        deleted,
    ];
    for before in then {
        let after = HelpCollection { id: before.id, ..changed(&before) };
        let edit = Edit { before, after };
        refused(&stage, &acme, &edit, Some(receipt("a", Answer::Success, at(0))), Recorded::Stale)
            .await;
    }
    let edit = Edit { before: now.clone(), after: changed(now) };
    update(&stage, &acme, &edit, None, Recorded::Done).await;
    refused(&stage, &acme, &edit, None, Recorded::Stale).await;
}

pub async fn a_collections_slug_that_another_has_is_refused_in_any_case(stage: Stage) {
    let mut acme = Tenant::new();
    let kept = acme.add(acme.help_collection());
    let deleted = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let acme = acme.import(&stage.ports).await;
    for slug in [&kept.slug, &deleted.slug] {
        for slug in [slug.as_str().to_owned(), slug.as_str().to_ascii_uppercase()] {
            let after =
                HelpCollection { slug: Slug::parse(&slug).unwrap(), ..changed(&acme.collection) };
            let edit = Edit { before: acme.collection.clone(), after };
            let receipt = receipt("a", Answer::Success, at(0));
            refused(&stage, &acme, &edit, Some(receipt), Recorded::Taken(Unique::Slug)).await;
        }
    }
}

pub async fn the_receipt_of_an_update_is_kept_with_it_and_a_taken_one_leaves_nothing(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let receipt = receipt("once", Answer::Success, at(0));
    // Also where nothing changes.
    let edit = Edit { before: acme.collection.clone(), after: acme.collection.clone() };
    update(&stage, &acme, &edit, Some(receipt.clone()), Recorded::Done).await;
    assert_eq!(kept(&stage, acme.id(), &receipt).await, Some(Answer::Success));
    let edit = Edit { before: acme.collection.clone(), after: changed(&acme.collection) };
    refused(&stage, &acme, &edit, Some(receipt), Recorded::Taken(Unique::Receipt)).await;
}

pub async fn another_organizations_collections_are_as_unknown_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let deleted = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    for organization in [globex.id(), fresh()] {
        for id in [acme.collection.id, deleted.id] {
            assert_eq!(find(&stage, organization, id).await, None);
            let case = stage
                .ports
                .help_collections
                .edit_case(organization, id, Some(acme.collection.slug.clone()))
                .await;
            assert_eq!(case.unwrap(), CollectionCase { collection: None, slug_taken: false });
        }
        let edit = Edit { before: acme.collection.clone(), after: changed(&acme.collection) };
        ends(Recorded::Stale, async || {
            stage.ports.help_collections.update(organization, edit.clone(), None).await
        })
        .await;
    }
    assert_eq!(listed(&stage, fresh()).await, []);
    assert_eq!(listed(&stage, globex.id()).await, [empty(&globex.collection)]);
    assert_eq!(inventory(&stage, acme.id()).await, before);
}
