//! `HelpCategoryRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{
    AWKWARD, Stage, behind, ends, first_page, inventory, kept, others, receipt, settled, walk,
    walk_while,
};
use crate::build::{Imported, Tenant, at, slug};
use crate::system::fresh;
use futures_util::future::join_all;
use hearback_domain::color::Color;
use hearback_domain::edit::Edit;
use hearback_domain::help_article::{ArticleFilter, ArticleParent, ArticleSort, HelpArticle};
use hearback_domain::help_category::{
    CategoryCase, CategoryDetails, CategoryDraft, HelpCategory, NewCategory,
};
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::slug::Slug;
use hearback_domain::text::{Name, ShortText};
use hearback_domain::{Time, Uuid};
use hearback_ports::page::{ByPosition, PageRequest};
use hearback_ports::{Answer, Limit, Receipt, Recorded, Unique};
use std::collections::BTreeSet;

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

/// How many categories a collection counts.
async fn count(stage: &Stage, acme: &Tenant, collection: HelpCollectionId) -> i64 {
    stage.ports.help_collections.find(acme.id(), collection).await.unwrap().unwrap().category_count
}

async fn insert(
    stage: &Stage,
    acme: &Tenant,
    new: &NewCategory,
    receipt: Option<Receipt>,
    expected: Recorded,
) {
    ends(expected, async || {
        stage.ports.help_categories.insert(acme.id(), new.clone(), receipt.clone()).await
    })
    .await;
}

/// Makes a category with no particular values; where it was placed.
async fn appended(stage: &Stage, acme: &Tenant, collection: HelpCollectionId) -> Position {
    let new = new(collection);
    insert(stage, acme, &new, None, Recorded::Done).await;
    find(stage, acme.id(), new.at(Position::START).id).await.unwrap().category.seq_number
}

async fn update(
    stage: &Stage,
    acme: &Tenant,
    edit: &Edit<HelpCategory>,
    receipt: Option<Receipt>,
    expected: Recorded,
) {
    ends(expected, async || {
        stage.ports.help_categories.update(acme.id(), edit.clone(), receipt.clone()).await
    })
    .await;
}

/// An update that leaves nothing behind.
async fn refused(
    stage: &Stage,
    acme: &Tenant,
    edit: &Edit<HelpCategory>,
    receipt: Option<Receipt>,
    expected: Recorded,
) {
    let before = inventory(stage, acme.id()).await;
    update(stage, acme, edit, receipt, expected).await;
    assert_eq!(inventory(stage, acme.id()).await, before);
}

/// Moves a category to another collection; how it is afterwards.
async fn moved(
    stage: &Stage,
    acme: &Tenant,
    id: HelpCategoryId,
    to: HelpCollectionId,
) -> HelpCategory {
    let before = find(stage, acme.id(), id).await.unwrap().category;
    let after = HelpCategory { collection_id: to, ..before.clone() };
    update(stage, acme, &Edit { before, after: after.clone() }, None, Recorded::Done).await;
    let found = find(stage, acme.id(), id).await.unwrap().category;
    assert_eq!(found, HelpCategory { seq_number: found.seq_number, ..after });
    found
}

fn new(collection: HelpCollectionId) -> NewCategory {
    with_slug(collection, slug(fresh()))
}

fn with_slug(collection_id: HelpCollectionId, slug: Slug) -> NewCategory {
    let name = Name::parse("First steps").unwrap();
    let draft = CategoryDraft {
        collection_id,
        name,
        slug: None,
        description: None,
        icon: None,
        color: None,
    };
    draft.create(fresh(), slug, at(0))
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

/// Every value that an update can change is another one, but for the collection.
fn changed(before: &HelpCategory) -> HelpCategory {
    HelpCategory {
        name: "Größe 😀 \u{ffff}".to_owned(),
        slug: Slug::parse(&format!("New-{}", before.id)).unwrap(),
        description: Some("\r\n".to_owned()),
        icon: Some(String::new()),
        color: Some("#000".to_owned()),
        updated_at: Time::MAX,
        ..before.clone()
    }
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

pub async fn a_new_category_stands_at_the_end_of_its_collection_as_it_was_made(stage: Stage) {
    let mut acme = Tenant::new();
    let positions = [-50_000, 35_000, 20_000].map(Position::from_ten_thousandths);
    acme.add_backwards(
        positions.map(|seq_number| HelpCategory { seq_number, ..acme.help_category() }).to_vec(),
    );
    let other = acme.add(acme.help_collection()).id;
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let id: Uuid = fresh();
    let draft = CategoryDraft {
        collection_id: acme.collection.id,
        name: Name::parse("Größe 😀").unwrap(),
        slug: None,
        description: Some(ShortText::parse("").unwrap()),
        icon: Some(ShortText::parse("book").unwrap()),
        color: Some(Color::parse("#64748b").unwrap()),
    };
    let new = draft.create(id.into(), slug(id), at(7));
    insert(&stage, &acme, &new, None, Recorded::Done).await;
    let expected = new.at(Position::from_ten_thousandths(45_000));
    assert_eq!(find(&stage, acme.id(), expected.id).await, Some(empty(&expected)));
    assert_eq!(listed(&stage, acme.id(), acme.collection.id).await.last(), Some(&empty(&expected)));
    assert_eq!(count(&stage, &acme, acme.collection.id).await, 4);
    // Each collection has an order of its own, which begins at 1.0000.
    assert_eq!(appended(&stage, &acme, other).await, Position::START.next());
    assert_eq!(appended(&stage, &acme, other).await, Position::START.next().next());
    assert_eq!(
        appended(&stage, &acme, acme.collection.id).await,
        Position::from_ten_thousandths(55_000)
    );
    assert_eq!(
        (count(&stage, &acme, acme.collection.id).await, count(&stage, &acme, other).await),
        (5, 2)
    );
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn a_place_that_was_given_is_not_given_again(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.help_collection()).id;
    let full = acme.add(acme.help_collection()).id;
    // Deleted ones keep their place.
    let third = Position::from_ten_thousandths(30_000);
    acme.add(HelpCategory { seq_number: third, is_active: false, ..acme.help_category() });
    acme.add(HelpCategory {
        collection_id: full,
        seq_number: Position::LAST,
        ..acme.help_category()
    });
    let acme = acme.import(&stage.ports).await;
    let here = acme.collection.id;
    let fourth = new(here);
    insert(&stage, &acme, &fourth, None, Recorded::Done).await;
    let fourth = fourth.at(third.next());
    assert_eq!(find(&stage, acme.id(), fourth.id).await, Some(empty(&fourth)));
    moved(&stage, &acme, fourth.id, other).await;
    assert_eq!(appended(&stage, &acme, here).await, third.next().next());
    assert_eq!(moved(&stage, &acme, fourth.id, here).await.seq_number, third.next().next().next());
    // What is refused took no place.
    for _ in 0..2 {
        insert(
            &stage,
            &acme,
            &with_slug(other, fourth.slug.clone()),
            None,
            Recorded::Taken(Unique::Slug),
        )
        .await;
    }
    assert_eq!(appended(&stage, &acme, other).await, Position::START.next().next());
    // Behind the last that can be written there is none.
    assert_eq!(appended(&stage, &acme, full).await, Position::LAST);
}

pub async fn of_many_new_categories_at_once_no_two_have_the_same_place(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let add = async |_| {
        let new = new(acme.collection.id);
        settled(async || stage.ports.help_categories.insert(acme.id(), new.clone(), None).await)
            .await
    };
    for added in join_all((0..40).map(add)).await {
        assert_eq!(added, Recorded::Done);
    }
    let places = listed(&stage, acme.id(), None)
        .await
        .into_iter()
        .map(|details| details.category.seq_number);
    let expected: Vec<_> =
        std::iter::successors(Some(Position::START.next()), |place| Some(place.next()))
            .take(40)
            .collect();
    assert_eq!(places.collect::<Vec<_>>(), expected);
    assert_eq!(count(&stage, &acme, acme.collection.id).await, 40);
}

pub async fn a_new_category_is_stale_without_its_collection(stage: Stage) {
    let mut acme = Tenant::new();
    let deleted = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    for collection in [deleted.id, fresh(), globex.collection.id] {
        let receipt = receipt("a", Answer::Success, at(0));
        insert(&stage, &acme, &new(collection), Some(receipt), Recorded::Stale).await;
    }
    assert_eq!(inventory(&stage, acme.id()).await, before);
    assert_eq!(count(&stage, &globex, globex.collection.id).await, 0);
}

pub async fn a_new_categorys_slug_that_another_has_is_refused_in_any_case(stage: Stage) {
    let mut acme = Tenant::new();
    let kept = acme.add(acme.help_category());
    let deleted = acme.add(HelpCategory { is_active: false, ..acme.help_category() });
    let longest = acme
        .add(HelpCategory { slug: Slug::parse(&"A".repeat(512)).unwrap(), ..acme.help_category() });
    let acme = acme.import(&stage.ports).await;
    let named = |slug: &str| with_slug(acme.collection.id, Slug::parse(slug).unwrap());
    let before = inventory(&stage, acme.id()).await;
    for slug in [&kept.slug, &deleted.slug, &longest.slug] {
        for slug in [
            slug.as_str(),
            &slug.as_str().to_ascii_uppercase(),
            &slug.as_str().to_ascii_lowercase(),
        ] {
            let receipt = receipt("late", Answer::Success, at(0));
            insert(&stage, &acme, &named(slug), Some(receipt), Recorded::Taken(Unique::Slug)).await;
        }
    }
    assert_eq!(inventory(&stage, acme.id()).await, before);
    // The slugs of other kinds are their own.
    insert(&stage, &acme, &named(acme.collection.slug.as_str()), None, Recorded::Done).await;
}

pub async fn the_receipt_of_a_new_category_is_kept_with_it_and_a_taken_one_leaves_nothing(
    stage: Stage,
) {
    let acme = Tenant::new().import(&stage.ports).await;
    let receipt = receipt("once", Answer::Created(fresh()), at(0));
    insert(&stage, &acme, &new(acme.collection.id), Some(receipt.clone()), Recorded::Done).await;
    assert_eq!(kept(&stage, acme.id(), &receipt).await, Some(receipt.answer));
    let before = inventory(&stage, acme.id()).await;
    insert(
        &stage,
        &acme,
        &new(acme.collection.id),
        Some(receipt),
        Recorded::Taken(Unique::Receipt),
    )
    .await;
    assert_eq!(inventory(&stage, acme.id()).await, before);
    assert_eq!(
        appended(&stage, &acme, acme.collection.id).await,
        Position::START.next().next(),
        "it took no place"
    );
}

pub async fn an_update_of_a_category_rests_on_it_its_target_and_who_has_the_slug(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.help_collection()).id;
    let gone = acme.add(HelpCollection { is_active: false, ..acme.help_collection() }).id;
    let kept = acme.add(HelpCategory {
        slug: Slug::parse("Kept").unwrap(),
        description: Some("It".to_owned()),
        ..acme.help_category()
    });
    let deleted = acme.add(HelpCategory {
        slug: Slug::parse("Deleted").unwrap(),
        is_active: false,
        ..acme.help_category()
    });
    let orphan = acme.add(HelpCategory { collection_id: gone, ..acme.help_category() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let targets = [
        (None, true),
        (Some(acme.collection.id), true),
        (Some(other), true),
        (Some(gone), false),
        (Some(fresh()), false),
        (Some(globex.collection.id), false),
    ];
    for (id, category) in
        [(kept.id, Some(&kept)), (orphan.id, Some(&orphan)), (deleted.id, None), (fresh(), None)]
    {
        for (slug, taken_by) in [
            (None, None),
            (Some("free"), None),
            (Some("Kept"), Some(kept.id)),
            (Some("kEPT"), Some(kept.id)),
            (Some("deleted"), Some(deleted.id)),
        ] {
            for (target, target_found) in targets {
                let slug = slug.map(|slug| Slug::parse(slug).unwrap());
                let case = stage
                    .ports
                    .help_categories
                    .edit_case(acme.id(), id, target, slug.clone())
                    .await
                    .unwrap();
                let slug_taken = taken_by.is_some_and(|taken_by| taken_by != id);
                let expected =
                    CategoryCase { category: category.cloned(), target_found, slug_taken };
                assert_eq!(case, expected, "{id} {target:?} {slug:?}");
            }
        }
    }
}

pub async fn an_update_of_a_category_writes_what_it_changes_and_nothing_else(stage: Stage) {
    let mut acme = Tenant::new();
    let gone = acme.add(HelpCollection { is_active: false, ..acme.help_collection() }).id;
    let category = acme.add(acme.help_category());
    let orphan = acme.add(HelpCategory { collection_id: gone, ..acme.help_category() });
    let article = HelpArticle { parent: ArticleParent::Category(category.id), ..acme.article() };
    acme.add(article);
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    // One whose collection is deleted is there all the same.
    for (category, article_count) in [(&category, 1), (&orphan, 0)] {
        let edit = Edit { before: category.clone(), after: changed(category) };
        update(&stage, &acme, &edit, None, Recorded::Done).await;
        let expected = CategoryDetails { category: edit.after.clone(), article_count };
        assert_eq!(find(&stage, acme.id(), category.id).await, Some(expected));
        // One value alone, and the slug in another case, which is the category's own.
        let slug = Slug::parse(&edit.after.slug.as_str().to_ascii_uppercase()).unwrap();
        let edit = Edit {
            before: edit.after.clone(),
            after: HelpCategory { slug, updated_at: at(1), ..edit.after },
        };
        update(&stage, &acme, &edit, None, Recorded::Done).await;
        assert_eq!(
            find(&stage, acme.id(), category.id).await.map(|found| found.category),
            Some(edit.after)
        );
    }
    assert_eq!(
        appended(&stage, &acme, acme.collection.id).await,
        Position::START.next().next(),
        "no place was given"
    );
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn a_category_that_moves_takes_its_articles_along_to_the_end_of_its_new_collection(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let there = acme.add(HelpCollection { seq_number: Position::LAST, ..acme.help_collection() });
    let gone = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let fifth = Position::from_ten_thousandths(50_000);
    acme.add(HelpCategory { collection_id: there.id, seq_number: fifth, ..acme.help_category() });
    let category = acme.add(acme.help_category());
    let orphan = acme.add(HelpCategory { collection_id: gone.id, ..acme.help_category() });
    let parent = ArticleParent::Category(category.id);
    let filed = [true, true, false]
        .map(|is_active| acme.add(HelpArticle { parent, is_active, ..acme.article() }));
    let direct = acme.add(acme.article());
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let here = acme.collection.id;
    let articles = async |collection| {
        let filter = ArticleFilter { collection_id: Some(collection), ..ArticleFilter::default() };
        let page = stage
            .ports
            .help_articles
            .page(acme.id(), filter, ArticleSort::Oldest, first_page())
            .await
            .unwrap();
        assert!(page.items.iter().all(|article| article.collection.id == collection));
        page.items.into_iter().map(|article| article.id).collect::<Vec<_>>()
    };
    assert_eq!(articles(here).await, [filed[0].id, filed[1].id, direct.id]);
    assert_eq!(articles(there.id).await, []);

    assert_eq!(moved(&stage, &acme, category.id, there.id).await.seq_number, fifth.next());
    assert_eq!((count(&stage, &acme, here).await, count(&stage, &acme, there.id).await), (0, 2));
    assert_eq!(articles(here).await, [direct.id]);
    assert_eq!(articles(there.id).await, [filed[0].id, filed[1].id]);
    assert_eq!(find(&stage, acme.id(), category.id).await.unwrap().article_count, 2);
    let article =
        stage.ports.help_articles.find(acme.id(), filed[0].id).await.unwrap().unwrap().summary;
    assert_eq!((article.collection.id, article.collection.name), (there.id, there.name.clone()));
    assert_eq!(article.category.map(|category| category.collection_id), Some(there.id));
    assert_eq!(
        (article.seq_number, article.updated_at),
        (filed[0].seq_number, filed[0].updated_at)
    );

    // Out of a deleted collection too, with other values at once.
    let after = HelpCategory { collection_id: there.id, ..changed(&orphan) };
    update(
        &stage,
        &acme,
        &Edit { before: orphan.clone(), after: after.clone() },
        None,
        Recorded::Done,
    )
    .await;
    let expected = HelpCategory { seq_number: fifth.next().next(), ..after };
    assert_eq!(find(&stage, acme.id(), orphan.id).await, Some(empty(&expected)));
    assert_eq!(count(&stage, &acme, there.id).await, 3);
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn an_update_is_stale_once_the_category_is_another_than_it_was(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.help_collection()).id;
    let now = acme.add(acme.help_category());
    let deleted = acme.add(HelpCategory { is_active: false, ..acme.help_category() });
    let acme = acme.import(&stage.ports).await;
    let then = [
        HelpCategory { collection_id: other, ..now.clone() },
        HelpCategory { name: "Guide".to_owned(), ..now.clone() },
        HelpCategory {
            slug: Slug::parse(&now.slug.as_str().to_ascii_uppercase()).unwrap(),
            ..now.clone()
        },
        HelpCategory { description: Some(String::new()), ..now.clone() },
        HelpCategory { icon: Some("book".to_owned()), ..now.clone() },
        HelpCategory { color: Some("#fff".to_owned()), ..now.clone() },
        HelpCategory { seq_number: Position::LAST, ..now.clone() },
        HelpCategory { updated_at: now.updated_at.plus_millis(-1), ..now.clone() },
        HelpCategory { id: fresh(), ..now.clone() },
        // It is as it was, but it is deleted.
        deleted,
    ];
    for before in then {
        for collection_id in [before.collection_id, acme.collection.id, other] {
            let after = HelpCategory { id: before.id, collection_id, ..changed(&before) };
            let edit = Edit { before: before.clone(), after };
            refused(
                &stage,
                &acme,
                &edit,
                Some(receipt("a", Answer::Success, at(0))),
                Recorded::Stale,
            )
            .await;
        }
    }
    let edit =
        Edit { before: now.clone(), after: HelpCategory { collection_id: other, ..changed(&now) } };
    update(&stage, &acme, &edit, None, Recorded::Done).await;
    refused(&stage, &acme, &edit, None, Recorded::Stale).await;
    assert_eq!(
        appended(&stage, &acme, other).await,
        Position::START.next().next(),
        "what was stale took no place"
    );
}

pub async fn a_move_is_stale_where_the_new_collection_is_not_there(stage: Stage) {
    let mut acme = Tenant::new();
    let gone = acme.add(HelpCollection { is_active: false, ..acme.help_collection() }).id;
    let category = acme.add(acme.help_category());
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    for collection_id in [gone, fresh(), globex.collection.id] {
        let after = HelpCategory { collection_id, ..changed(&category) };
        let edit = Edit { before: category.clone(), after };
        refused(&stage, &acme, &edit, Some(receipt("a", Answer::Success, at(0))), Recorded::Stale)
            .await;
    }
}

pub async fn a_categorys_slug_that_another_has_is_refused_in_any_case(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.help_collection()).id;
    let category = acme.add(acme.help_category());
    let kept = acme.add(acme.help_category());
    let deleted = acme.add(HelpCategory { is_active: false, ..acme.help_category() });
    let acme = acme.import(&stage.ports).await;
    for slug in [&kept.slug, &deleted.slug] {
        for slug in [slug.as_str().to_owned(), slug.as_str().to_ascii_uppercase()] {
            for collection_id in [category.collection_id, other] {
                let after = HelpCategory {
                    slug: Slug::parse(&slug).unwrap(),
                    collection_id,
                    ..changed(&category)
                };
                let edit = Edit { before: category.clone(), after };
                let receipt = receipt("a", Answer::Success, at(0));
                refused(&stage, &acme, &edit, Some(receipt), Recorded::Taken(Unique::Slug)).await;
            }
        }
    }
    assert_eq!(
        appended(&stage, &acme, other).await,
        Position::START.next(),
        "what was refused took no place"
    );
}

pub async fn the_receipt_of_a_categorys_update_is_kept_with_it_and_a_taken_one_leaves_nothing(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.help_collection()).id;
    let category = acme.add(acme.help_category());
    let acme = acme.import(&stage.ports).await;
    let receipt = receipt("once", Answer::Success, at(0));
    // Also where nothing changes.
    let edit = Edit { before: category.clone(), after: category.clone() };
    update(&stage, &acme, &edit, Some(receipt.clone()), Recorded::Done).await;
    assert_eq!(kept(&stage, acme.id(), &receipt).await, Some(Answer::Success));
    for collection_id in [category.collection_id, other] {
        let edit = Edit {
            before: category.clone(),
            after: HelpCategory { collection_id, ..changed(&category) },
        };
        refused(&stage, &acme, &edit, Some(receipt.clone()), Recorded::Taken(Unique::Receipt))
            .await;
    }
}

pub async fn of_many_moves_of_one_category_at_once_one_is_done(stage: Stage) {
    let mut acme = Tenant::new();
    let targets: Vec<_> = (0..12).map(|_| acme.add(acme.help_collection()).id).collect();
    let category = acme.add(acme.help_category());
    let acme = acme.import(&stage.ports).await;
    let go = async |&collection_id| {
        let after = HelpCategory { collection_id, updated_at: Time::MAX, ..category.clone() };
        let edit = Edit { before: category.clone(), after };
        stage.ports.help_categories.update(acme.id(), edit, None).await.unwrap()
    };
    let mut done = 0;
    // A cautious store may call all of them stale.
    while done == 0 {
        done = join_all(targets.iter().map(go))
            .await
            .into_iter()
            .filter(|&recorded| recorded == Recorded::Done)
            .count();
    }
    assert_eq!(done, 1);
    let found = find(&stage, acme.id(), category.id).await.unwrap().category;
    assert!(targets.contains(&found.collection_id));
    assert_eq!(found.seq_number, Position::START.next());
    let mut places = BTreeSet::new();
    for &target in &targets {
        places.insert((appended(&stage, &acme, target).await, target == found.collection_id));
    }
    let second = Position::START.next().next();
    assert_eq!(places, BTreeSet::from([(Position::START.next(), false), (second, true)]));
}

pub async fn another_organizations_help_categories_are_as_unknown_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let category = acme.add(acme.help_category());
    let deleted = acme.add(HelpCategory { is_active: false, ..acme.help_category() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    for organization in [globex.id(), fresh()] {
        assert_eq!(listed(&stage, organization, None).await, []);
        assert_eq!(listed(&stage, organization, acme.collection.id).await, []);
        for id in [category.id, deleted.id] {
            assert_eq!(find(&stage, organization, id).await, None);
            let slug = Some(category.slug.clone());
            let case = stage
                .ports
                .help_categories
                .edit_case(organization, id, Some(acme.collection.id), slug)
                .await
                .unwrap();
            assert_eq!(
                case,
                CategoryCase { category: None, target_found: false, slug_taken: false }
            );
        }
        let edit = Edit { before: category.clone(), after: changed(&category) };
        ends(Recorded::Stale, async || {
            stage.ports.help_categories.update(organization, edit.clone(), None).await
        })
        .await;
    }
    assert_eq!(inventory(&stage, acme.id()).await, before);
}
