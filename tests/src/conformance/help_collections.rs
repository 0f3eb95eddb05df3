//! `HelpCollectionRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{AWKWARD, Stage, behind, first_page, walk, walk_while};
use crate::build::{Imported, Tenant};
use crate::system::fresh;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::{CollectionDetails, HelpCollection};
use hearback_domain::id::{HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::{Time, Uuid};
use hearback_ports::Limit;
use hearback_ports::page::{ByPosition, PageRequest};

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

pub async fn another_organizations_collections_are_as_unknown_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let deleted = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    for organization in [globex.id(), fresh()] {
        for id in [acme.collection.id, deleted.id] {
            assert_eq!(find(&stage, organization, id).await, None);
        }
    }
    assert_eq!(listed(&stage, fresh()).await, []);
    assert_eq!(listed(&stage, globex.id()).await, [empty(&globex.collection)]);
}
