//! `HelpCategoryRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{AWKWARD, Stage, behind, first_page, walk, walk_while};
use crate::build::{Imported, Tenant};
use crate::system::fresh;
use hearback_domain::help_article::{ArticleParent, HelpArticle};
use hearback_domain::help_category::{CategoryDetails, HelpCategory};
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::{Time, Uuid};
use hearback_ports::Limit;
use hearback_ports::page::{ByPosition, PageRequest};

/// All categories of a collection, or of all, of one page.
async fn listed(
    stage: &Stage,
    organization: OrganizationId,
    collection: impl Into<Option<HelpCollectionId>>,
) -> Vec<CategoryDetails> {
    let page = stage
        .ports
        .help_categories
        .page(organization, collection.into(), first_page())
        .await
        .unwrap();
    assert_eq!(page.next, None);
    page.items
}

async fn find(
    stage: &Stage,
    organization: OrganizationId,
    id: HelpCategoryId,
) -> Option<CategoryDetails> {
    stage.ports.help_categories.find(organization, id).await.unwrap()
}

fn place(category: &HelpCategory) -> (Position, String, Uuid) {
    (category.seq_number, category.name.clone(), category.id.0)
}

fn empty(category: &HelpCategory) -> CategoryDetails {
    CategoryDetails { category: category.clone(), article_count: 0 }
}

/// An organization with categories of few different positions and names, so that identifiers decide, in two collections.
async fn crowd(stage: &Stage) -> (Imported, HelpCollection, Vec<HelpCategory>) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.help_collection());
    let positions = [
        Position::LAST,
        Position::START,
        Position::from_ten_thousandths(-1),
        Position::from_ten_thousandths(15_000),
    ];
    let named = |(n, name): (usize, &&str)| {
        let collection_id = if n % 2 == 0 { acme.collection.id } else { other.id };
        HelpCategory {
            collection_id,
            name: (*name).to_owned(),
            seq_number: positions[n / 3 % 4],
            ..acme.help_category()
        }
    };
    acme.add_backwards([AWKWARD; 4].as_flattened().iter().enumerate().map(named).collect());
    let mut all = acme.all::<HelpCategory>();
    all.sort_by_key(place);
    (acme.import(&stage.ports).await, other, all)
}

pub async fn categories_are_listed_by_position_then_by_name_in_code_points_then_by_id(
    stage: Stage,
) {
    let (acme, other, all) = crowd(&stage).await;
    for collection in [None, Some(acme.collection.id), Some(other.id)] {
        let of =
            |category: &&HelpCategory| collection.is_none_or(|id| category.collection_id == id);
        let all: Vec<_> = all.iter().filter(of).map(empty).collect();
        assert_eq!(listed(&stage, acme.id(), collection).await, all);
        for limit in [1, 2, 33, 34] {
            let page = async |request| {
                stage.ports.help_categories.page(acme.id(), collection, request).await
            };
            assert_eq!(walk(limit, page).await, all, "by {limit}");
        }
    }
}

pub async fn a_help_category_is_found_and_listed_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let bare = acme.add(acme.help_category());
    let rich = acme.add(HelpCategory {
        name: "Größe 😀 \"quoted\" \\ \u{ffff}".to_owned(),
        description: Some(String::new()),
        icon: Some("book".to_owned()),
        color: Some("#64748b80".to_owned()),
        seq_number: Position::from_ten_thousandths(10_001),
        created_at: Time::MIN,
        updated_at: Time::MAX,
        ..acme.help_category()
    });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(listed(&stage, acme.id(), None).await, [empty(&bare), empty(&rich)]);
    for category in [bare, rich] {
        assert_eq!(find(&stage, acme.id(), category.id).await, Some(empty(&category)));
    }
}

pub async fn inactive_help_categories_are_neither_listed_nor_found(stage: Stage) {
    let mut acme = Tenant::new();
    let deleted = acme.add(HelpCategory { is_active: false, ..acme.help_category() });
    let acme = acme.import(&stage.ports).await;
    for collection in [None, Some(acme.collection.id)] {
        assert_eq!(listed(&stage, acme.id(), collection).await, []);
    }
    assert_eq!(find(&stage, acme.id(), deleted.id).await, None);
}

pub async fn the_categories_of_a_deleted_collection_are_found_and_listed_among_all_but_not_as_its_own(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let deleted = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let category = acme.add(HelpCategory { collection_id: deleted.id, ..acme.help_category() });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(find(&stage, acme.id(), category.id).await, Some(empty(&category)));
    assert_eq!(listed(&stage, acme.id(), None).await, [empty(&category)]);
    assert_eq!(listed(&stage, acme.id(), deleted.id).await, []);
    assert_eq!(listed(&stage, acme.id(), fresh::<HelpCollectionId>()).await, []);
}

pub async fn a_category_counts_its_active_articles(stage: Stage) {
    let mut acme = Tenant::new();
    let category = acme.add(acme.help_category());
    let other = acme.add(HelpCategory { seq_number: Position::LAST, ..acme.help_category() });
    for n in 0..6 {
        let (show_on_portal, is_active) = (n % 2 == 0, n != 5);
        let parent = ArticleParent::Category(category.id);
        acme.add(HelpArticle { parent, show_on_portal, is_active, ..acme.article() });
    }
    // Filed directly in the collection.
    acme.add(acme.article());
    let acme = acme.import(&stage.ports).await;
    let counting = CategoryDetails { article_count: 5, ..empty(&category) };
    for collection in [None, Some(acme.collection.id)] {
        assert_eq!(listed(&stage, acme.id(), collection).await, [counting.clone(), empty(&other)]);
    }
    assert_eq!(find(&stage, acme.id(), category.id).await, Some(counting));
    assert_eq!(find(&stage, acme.id(), other.id).await, Some(empty(&other)));
}

pub async fn a_page_of_help_categories_tells_where_the_next_one_begins(stage: Stage) {
    let (acme, other, all) = crowd(&stage).await;
    for collection in [None, Some(other.id)] {
        let of =
            |category: &&HelpCategory| collection.is_none_or(|id| category.collection_id == id);
        let all: Vec<_> = all.iter().filter(of).collect();
        for limit in [1, 3, 34, 68, 100] {
            let limit = Limit::new(limit).unwrap();
            let request = PageRequest { after: None, limit };
            let page =
                stage.ports.help_categories.page(acme.id(), collection, request).await.unwrap();
            let expected: Vec<_> =
                all.iter().take(limit.get()).map(|category| empty(category)).collect();
            let (position, name, id) = place(all[expected.len() - 1]);
            let next = (expected.len() < all.len()).then_some(ByPosition { position, name, id });
            assert_eq!((page.items, page.next), (expected, next), "{limit:?}");
        }
    }
}

pub async fn a_walk_over_help_categories_shows_each_once_whatever_is_written_meanwhile(
    stage: Stage,
) {
    let (acme, other, all) = crowd(&stage).await;
    for collection in [None, Some(other.id)] {
        let of =
            |category: &&HelpCategory| collection.is_none_or(|id| category.collection_id == id);
        let first: Vec<_> = all.iter().filter(of).collect();
        for limit in [2, 7, 30] {
            let page = async |request| {
                stage.ports.help_categories.page(acme.id(), collection, request).await
            };
            // Before, between and behind the others.
            let meanwhile = async || {
                let new = |(place, name): (i64, &str)| HelpCategory {
                    collection_id: other.id,
                    name: name.to_owned(),
                    seq_number: Position::from_ten_thousandths(place),
                    ..acme.help_category()
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
                .map(|details| details.category)
                .collect();
            assert!(
                first.iter().all(|category| walked.contains(category)),
                "limit {limit}: none is skipped"
            );
            assert!(
                walked.is_sorted_by(|a, b| place(a) < place(b)),
                "limit {limit}: none is shown twice"
            );
        }
    }
}

pub async fn a_page_of_help_categories_begins_behind_a_place_where_none_is(stage: Stage) {
    let (acme, other, all) = crowd(&stage).await;
    for position in [-2, -1, 0, 1, 15_000] {
        for name in ["", "a", "aa", "\u{10ffff}"] {
            for id in [Uuid::nil(), all[4].id.0, fresh(), Uuid::max()] {
                let position = Position::from_ten_thousandths(position);
                let key = ByPosition { position, name: name.to_owned(), id };
                for collection in [None, Some(other.id)] {
                    let page = stage
                        .ports
                        .help_categories
                        .page(acme.id(), collection, behind(key.clone()))
                        .await
                        .unwrap();
                    let of = |category: &&HelpCategory| {
                        place(category) > (position, name.to_owned(), id)
                            && collection.is_none_or(|id| category.collection_id == id)
                    };
                    let expected: Vec<_> = all.iter().filter(of).map(empty).collect();
                    assert_eq!(page.items, expected, "behind {key:?}");
                }
            }
        }
    }
}

pub async fn another_organizations_help_categories_are_as_unknown_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let category = acme.add(acme.help_category());
    let deleted = acme.add(HelpCategory { is_active: false, ..acme.help_category() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    for organization in [globex.id(), fresh()] {
        assert_eq!(listed(&stage, organization, None).await, []);
        assert_eq!(listed(&stage, organization, acme.collection.id).await, []);
        for id in [category.id, deleted.id] {
            assert_eq!(find(&stage, organization, id).await, None);
        }
    }
}
