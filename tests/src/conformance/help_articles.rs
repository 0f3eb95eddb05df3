//! `HelpArticleRepository`: `article_search` is a file of its own.

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{
    Stage, behind, ends, first_page, inventory, kept, others, receipt, settled, walk, walk_while,
};
use crate::build::{Imported, Tenant, at, slug};
use crate::system::fresh;
use futures_util::future::join_all;
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{
    ArticleCase, ArticleDetails, ArticleDraft, ArticleFilter, ArticleParent, ArticleSort,
    ArticleStatus, ArticleSummary, HelpArticle, NewArticle,
};
use hearback_domain::help_category::{CategoryReference, HelpCategory};
use hearback_domain::help_collection::{CollectionReference, HelpCollection};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::slug::Slug;
use hearback_domain::text::{ShortText, Title};
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::page::{ArticlePlace, ByArticle, PageRequest};
use hearback_ports::{Answer, Limit, Receipt, Recorded, Unique};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};

/// All articles that a filter lets through, of one page.
async fn listed(
    stage: &Stage,
    organization: OrganizationId,
    filter: ArticleFilter,
) -> Vec<ArticleSummary> {
    let page = stage
        .ports
        .help_articles
        .page(organization, filter, ArticleSort::Newest, first_page())
        .await
        .unwrap();
    assert_eq!(page.next, None);
    page.items
}

async fn find(
    stage: &Stage,
    organization: OrganizationId,
    id: HelpArticleId,
) -> Option<ArticleDetails> {
    stage.ports.help_articles.find(organization, id).await.unwrap()
}

async fn insert(
    stage: &Stage,
    acme: &Tenant,
    new: &NewArticle,
    receipt: Option<Receipt>,
    expected: Recorded,
) {
    ends(expected, async || {
        stage.ports.help_articles.insert(acme.id(), new.clone(), receipt.clone()).await
    })
    .await;
}

/// Makes an article with no particular values; where it was placed.
async fn appended(stage: &Stage, acme: &Tenant, parent: ArticleParent) -> Position {
    let new = new(parent);
    insert(stage, acme, &new, None, Recorded::Done).await;
    find(stage, acme.id(), new.at(Position::START).id).await.unwrap().summary.seq_number
}

fn new(parent: ArticleParent) -> NewArticle {
    with_slug(parent, slug(fresh()))
}

fn with_slug(parent: ArticleParent, slug: Slug) -> NewArticle {
    let draft = draft(parent);
    let related_found = HashSet::from_iter(draft.related_article_ids.clone());
    ArticleCase { parent_found: true, related_found }.create(draft, fresh(), slug, at(0)).unwrap()
}

fn draft(parent: ArticleParent) -> ArticleDraft {
    ArticleDraft {
        parent,
        title: Title::parse("Signing in").unwrap(),
        content: String::new(),
        slug: None,
        excerpt: None,
        status: ArticleStatus::Draft,
        show_on_portal: true,
        is_favourite: false,
        published_at: None,
        related_article_ids: vec![],
    }
}

/// The article as lists show it.
pub(crate) fn summary(acme: &Tenant, article: &HelpArticle) -> ArticleSummary {
    let category = article.parent.category().map(|id| {
        let category =
            acme.all::<HelpCategory>().into_iter().find(|category| category.id == id).unwrap();
        CategoryReference {
            id,
            name: category.name,
            slug: category.slug,
            collection_id: category.collection_id,
        }
    });
    let collection_id = article
        .parent
        .collection()
        .or(category.as_ref().map(|category| category.collection_id))
        .unwrap();
    let collection = acme
        .all::<HelpCollection>()
        .into_iter()
        .find(|collection| collection.id == collection_id)
        .unwrap();
    let article = article.clone();
    ArticleSummary {
        id: article.id,
        title: article.title,
        slug: article.slug,
        excerpt: article.excerpt,
        status: article.status,
        show_on_portal: article.show_on_portal,
        collection: CollectionReference {
            id: collection.id,
            name: collection.name,
            slug: collection.slug,
        },
        category,
        is_favourite: article.is_favourite,
        seq_number: article.seq_number,
        published_at: article.published_at,
        related_article_ids: article.related_article_ids,
        author_id: article.author_id,
        view_count: article.view_count,
        helpful_count: article.helpful_count,
        not_helpful_count: article.not_helpful_count,
        created_at: article.created_at,
        updated_at: article.updated_at,
    }
}

/// The active articles that a filter lets through, in the order of a list.
pub(crate) fn expected(
    acme: &Tenant,
    filter: &ArticleFilter,
    sort: ArticleSort,
) -> Vec<ArticleSummary> {
    let collections: HashSet<_> = acme
        .all::<HelpCollection>()
        .into_iter()
        .filter(|collection| collection.is_active)
        .map(|found| found.id)
        .collect();
    let categories: HashSet<_> = acme
        .all::<HelpCategory>()
        .into_iter()
        .filter(|category| category.is_active)
        .map(|found| found.id)
        .collect();
    let articles = acme.all::<HelpArticle>().into_iter().filter(|article| article.is_active);
    let articles = articles.filter(|article| {
        filter.search.as_ref().is_none_or(|search| article.search_text().contains(search.as_str()))
            && filter.status.is_none_or(|status| article.status == status)
            && filter.show_on_portal.is_none_or(|flag| article.show_on_portal == flag)
            && filter.is_favourite.is_none_or(|flag| article.is_favourite == flag)
            && filter
                .category_id
                .is_none_or(|id| article.parent.category() == Some(id) && categories.contains(&id))
    });
    let mut summaries: Vec<_> = articles.map(|article| summary(acme, &article)).collect();
    summaries.retain(|article| {
        filter
            .collection_id
            .is_none_or(|id| article.collection.id == id && collections.contains(&id))
    });
    summaries.sort_by(|a, b| order(&ByArticle::of(a, sort), &ByArticle::of(b, sort), sort));
    summaries
}

/// How two places stand to each other in an order.
fn order(a: &ByArticle, b: &ByArticle, sort: ArticleSort) -> Ordering {
    let ascending = match (&a.place, &b.place) {
        (ArticlePlace::Time(a), ArticlePlace::Time(b)) => a.cmp(b),
        (ArticlePlace::Title(a), ArticlePlace::Title(b)) => a.cmp(b),
        (ArticlePlace::Position(a), ArticlePlace::Position(b)) => a.cmp(b),
        places => panic!("{places:?} are not of one order"),
    }
    .then(a.id.cmp(&b.id));
    match sort {
        ArticleSort::Updated | ArticleSort::Newest => ascending.reverse(),
        ArticleSort::Oldest | ArticleSort::Title | ArticleSort::Position => ascending,
    }
}

/// An organization with articles of few different times, titles and positions, so that identifiers decide, in each state and
/// each parent: two collections, of which one is deleted, and two categories of each, of which one is deleted.
async fn crowd(stage: &Stage, articles: usize) -> Imported {
    let mut acme = Tenant::new();
    let other = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let mut parents = Vec::new();
    for collection_id in [acme.collection.id, other.id] {
        parents.push(ArticleParent::Collection(collection_id));
        for is_active in [true, false] {
            let category =
                acme.add(HelpCategory { collection_id, is_active, ..acme.help_category() });
            parents.push(ArticleParent::Category(category.id));
        }
    }
    let titles = ["b", "B", "ä", "a", "z", "\u{ff5e}", "😀"];
    let article = |n: usize| HelpArticle {
        title: titles[n / 2 % titles.len()].to_owned(),
        status: if (n / 3).is_multiple_of(3) {
            ArticleStatus::Published
        } else {
            ArticleStatus::Draft
        },
        published_at: (n / 3).is_multiple_of(3).then(|| at(0)),
        show_on_portal: !(n / 6).is_multiple_of(3),
        is_favourite: (n / 4).is_multiple_of(4),
        parent: parents[n % parents.len()],
        seq_number: Position::from_ten_thousandths([20_000, -1, 5_000][n / 5 % 3]),
        is_active: !n.is_multiple_of(11),
        created_at: at(n as i64 % 4),
        updated_at: at(n as i64 / 3 % 5),
        ..acme.article()
    };
    acme.add_backwards((0..articles).map(article).collect());
    acme.import(&stage.ports).await
}

pub async fn an_article_is_found_and_listed_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let category =
        acme.add(HelpCategory { name: "Größe 😀".to_owned(), ..acme.help_category() });
    let left = acme.add(User { is_active: false, ..acme.user() });
    let mut ids: Vec<HelpArticleId> = (0..12)
        .map(|n| {
            acme.add(HelpArticle { is_active: n % 3 != 0, created_at: at(-1), ..acme.article() }).id
        })
        .collect();
    ids.reverse();
    ids.swap(2, 7);
    let bare =
        acme.add(HelpArticle { content: String::new(), created_at: at(0), ..acme.article() });
    let rich = acme.add(HelpArticle {
        title: "Größe 😀 \"quoted\" \\ \u{ffff}".to_owned(),
        content: "<p>\r\n\t&amp;</p> \u{fffe}".to_owned(),
        excerpt: Some(String::new()),
        status: ArticleStatus::Published,
        show_on_portal: false,
        is_favourite: true,
        parent: ArticleParent::Category(category.id),
        seq_number: Position::from_ten_thousandths(-12_345),
        author_id: Some(left.user_id),
        published_at: Some(Time::MIN),
        related_article_ids: ids.clone(),
        view_count: i64::MAX,
        helpful_count: 2,
        not_helpful_count: 3,
        created_at: at(1),
        updated_at: Time::MAX,
        ..acme.article()
    });
    let acme = acme.import(&stage.ports).await;
    for article in [&bare, &rich] {
        let expected =
            ArticleDetails { summary: summary(&acme, article), content: article.content.clone() };
        assert_eq!(find(&stage, acme.id(), article.id).await, Some(expected));
    }
    let newest = [summary(&acme, &rich), summary(&acme, &bare)];
    assert_eq!(listed(&stage, acme.id(), ArticleFilter::default()).await[..2], newest);
}

pub async fn inactive_articles_are_neither_found_nor_listed(stage: Stage) {
    let mut acme = Tenant::new();
    let deleted = acme.add(HelpArticle { is_active: false, ..acme.article() });
    let kept = acme.add(acme.article());
    let acme = acme.import(&stage.ports).await;
    assert_eq!(find(&stage, acme.id(), deleted.id).await, None);
    for search in [None, Some(Folded::new("signing")), Some(Folded::new("g"))] {
        let filter = ArticleFilter { search, ..ArticleFilter::default() };
        assert_eq!(listed(&stage, acme.id(), filter).await, [summary(&acme, &kept)]);
    }
}

pub async fn an_article_of_a_deleted_parent_is_found_and_listed_but_not_by_that_parent(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let gone = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let deleted = acme.add(HelpCategory { is_active: false, ..acme.help_category() });
    let orphan = acme.add(HelpCategory { collection_id: gone.id, ..acme.help_category() });
    let parents = [
        ArticleParent::Collection(gone.id),
        ArticleParent::Category(deleted.id),
        ArticleParent::Category(orphan.id),
    ];
    let articles = parents.map(|parent| acme.add(HelpArticle { parent, ..acme.article() }));
    let acme = acme.import(&stage.ports).await;
    for article in &articles {
        let found = find(&stage, acme.id(), article.id).await.map(|details| details.summary);
        assert_eq!(found, Some(summary(&acme, article)));
    }
    assert_eq!(listed(&stage, acme.id(), ArticleFilter::default()).await.len(), 3);
    let of = |collection_id, category_id| ArticleFilter {
        collection_id,
        category_id,
        ..ArticleFilter::default()
    };
    for (filter, expected) in [
        (of(Some(gone.id), None), vec![]),
        (of(None, Some(deleted.id)), vec![]),
        (of(Some(acme.collection.id), Some(deleted.id)), vec![]),
        (of(Some(gone.id), Some(orphan.id)), vec![]),
        // The category that is named is there, and so is the collection.
        (of(None, Some(orphan.id)), vec![summary(&acme, &articles[2])]),
        (of(Some(acme.collection.id), None), vec![summary(&acme, &articles[1])]),
    ] {
        assert_eq!(listed(&stage, acme.id(), filter.clone()).await, expected, "{filter:?}");
    }
}

pub async fn articles_are_listed_in_each_order_and_what_is_alike_by_id(stage: Stage) {
    let acme = crowd(&stage, 90).await;
    for &sort in ArticleSort::ALL {
        let expected = expected(&acme, &ArticleFilter::default(), sort);
        for limit in [1, 7, 81, 100] {
            let page = async |request| {
                stage
                    .ports
                    .help_articles
                    .page(acme.id(), ArticleFilter::default(), sort, request)
                    .await
            };
            assert_eq!(walk(limit, page).await, expected, "{sort:?} by {limit}");
        }
    }
}

pub async fn articles_are_listed_by_each_filter_in_each_order(stage: Stage) {
    let acme = crowd(&stage, 120).await;
    let (collections, categories) = (acme.all::<HelpCollection>(), acme.all::<HelpCategory>());
    let mut filters = Vec::new();
    for collection_id in [None, Some(collections[0].id), Some(collections[1].id), Some(fresh())] {
        for category_id in [
            None,
            Some(categories[0].id),
            Some(categories[1].id),
            Some(categories[2].id),
            Some(fresh()),
        ] {
            filters.push(ArticleFilter { collection_id, category_id, ..ArticleFilter::default() });
        }
    }
    // The first and the last ask for nothing else, the others for one state or flag more each.
    for n in 0..filters.len() {
        let filter = &mut filters[n];
        filter.status = [None, Some(ArticleStatus::Published), Some(ArticleStatus::Draft)][n % 3];
        filter.show_on_portal = [None, None, Some(true), Some(false)][n % 4];
        filter.is_favourite = [None, Some(false), None, None, Some(true)][n % 5];
    }
    for status in [None, Some(ArticleStatus::Published), Some(ArticleStatus::Draft)] {
        for show_on_portal in [None, Some(true), Some(false)] {
            for is_favourite in [None, Some(true), Some(false)] {
                let collection_id = is_favourite.map(|_| collections[0].id);
                filters.push(ArticleFilter {
                    status,
                    show_on_portal,
                    is_favourite,
                    collection_id,
                    ..ArticleFilter::default()
                });
            }
        }
    }
    for filter in filters {
        for &sort in ArticleSort::ALL {
            let expected = expected(&acme, &filter, sort);
            for limit in [20, 100] {
                let page = async |request| {
                    stage.ports.help_articles.page(acme.id(), filter.clone(), sort, request).await
                };
                assert_eq!(walk(limit, page).await, expected, "{filter:?} {sort:?} by {limit}");
            }
        }
    }
}

pub async fn a_page_of_articles_tells_where_the_next_one_begins(stage: Stage) {
    let acme = crowd(&stage, 12).await;
    for &sort in ArticleSort::ALL {
        let all = expected(&acme, &ArticleFilter::default(), sort);
        for limit in 1..=11 {
            let limit = Limit::new(limit).unwrap();
            let request = PageRequest { after: None, limit };
            let page = stage
                .ports
                .help_articles
                .page(acme.id(), ArticleFilter::default(), sort, request)
                .await
                .unwrap();
            let expected: Vec<_> = all.iter().take(limit.get()).cloned().collect();
            let next =
                (expected.len() < all.len()).then(|| ByArticle::of(&all[expected.len() - 1], sort));
            assert_eq!((page.items, page.next), (expected, next), "{sort:?} by {limit:?}");
        }
    }
}

pub async fn a_page_of_articles_begins_behind_a_place_where_none_is(stage: Stage) {
    let acme = crowd(&stage, 40).await;
    let all = acme.all::<HelpArticle>();
    for &sort in ArticleSort::ALL {
        let places: Vec<ArticlePlace> = match sort {
            ArticleSort::Updated | ArticleSort::Newest | ArticleSort::Oldest => {
                [Time::MIN, at(0), at(1), at(9), Time::MAX].map(ArticlePlace::Time).to_vec()
            }
            ArticleSort::Title => ["", "B", "a", "aa", "\u{10ffff}"]
                .map(|title| ArticlePlace::Title(title.to_owned()))
                .to_vec(),
            ArticleSort::Position => [-2, -1, 0, 5_000, 20_001]
                .map(|place| ArticlePlace::Position(Position::from_ten_thousandths(place)))
                .to_vec(),
        };
        for place in places {
            for id in [Uuid::nil(), all[5].id.0, all[20].id.0, fresh(), Uuid::max()] {
                let key = ByArticle { place: place.clone(), id };
                for collection_id in [None, Some(acme.collection.id)] {
                    let filter = ArticleFilter { collection_id, ..ArticleFilter::default() };
                    let mut expected = expected(&acme, &filter, sort);
                    expected.retain(|article| {
                        order(&ByArticle::of(article, sort), &key, sort) == Ordering::Greater
                    });
                    let page = stage
                        .ports
                        .help_articles
                        .page(acme.id(), filter, sort, behind(key.clone()))
                        .await
                        .unwrap();
                    assert_eq!(page.items, expected, "{sort:?} behind {key:?}");
                }
            }
        }
    }
}

pub async fn a_walk_over_articles_shows_each_once_whatever_is_written_meanwhile(stage: Stage) {
    let acme = crowd(&stage, 30).await;
    for &sort in ArticleSort::ALL {
        for limit in [2, 7, 25] {
            let page = async |request| {
                stage
                    .ports
                    .help_articles
                    .page(acme.id(), ArticleFilter::default(), sort, request)
                    .await
            };
            // Before, between and behind the others, whatever the order.
            let meanwhile = async || {
                let new = |(n, title): (i64, &str)| HelpArticle {
                    title: title.to_owned(),
                    seq_number: Position::from_ten_thousandths(n * 10_000),
                    created_at: at(n),
                    updated_at: at(n),
                    ..acme.article()
                };
                acme.append(
                    &stage.ports,
                    [(-1, ""), (1, "a"), (9, "\u{10ffff}")].map(new).to_vec(),
                )
                .await;
            };
            let walked = walk_while(limit, page, meanwhile).await;
            let first = expected(&acme, &ArticleFilter::default(), sort);
            assert!(
                first.iter().all(|article| walked.contains(article)),
                "{sort:?} by {limit}: none is skipped"
            );
            let is_sorted = walked.is_sorted_by(|a, b| {
                order(&ByArticle::of(a, sort), &ByArticle::of(b, sort), sort) == Ordering::Less
            });
            assert!(is_sorted, "{sort:?} by {limit}: none is shown twice");
        }
    }
}

pub async fn the_making_of_an_article_rests_on_its_parent_and_on_those_that_it_refers_to(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let gone = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let category = acme.add(acme.help_category());
    let deleted = acme.add(HelpCategory { is_active: false, ..acme.help_category() });
    let orphan = acme.add(HelpCategory { collection_id: gone.id, ..acme.help_category() });
    let articles = [true, false, true]
        .map(|is_active| acme.add(HelpArticle { is_active, ..acme.article() }).id);
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let parents = [
        (ArticleParent::Collection(acme.collection.id), true),
        (ArticleParent::Collection(gone.id), false),
        (ArticleParent::Collection(fresh()), false),
        (ArticleParent::Collection(globex.collection.id), false),
        (ArticleParent::Collection(category.id.0.into()), false),
        (ArticleParent::Category(category.id), true),
        (ArticleParent::Category(deleted.id), false),
        (ArticleParent::Category(orphan.id), true),
        (ArticleParent::Category(fresh()), false),
        (ArticleParent::Category(acme.collection.id.0.into()), false),
    ];
    let related = [
        vec![],
        vec![articles[0]],
        vec![articles[2], articles[0]],
        vec![articles[1]],
        vec![fresh(), articles[2], articles[1]],
    ];
    for (parent, parent_found) in parents {
        for related in related.clone() {
            let case = stage
                .ports
                .help_articles
                .article_case(acme.id(), parent, related.clone())
                .await
                .unwrap();
            let related_found = related
                .iter()
                .copied()
                .filter(|id| [articles[0], articles[2]].contains(id))
                .collect();
            assert_eq!(case, ArticleCase { parent_found, related_found }, "{parent:?} {related:?}");
        }
    }
    // More than a statement of any database takes as parameters.
    let mut many: Vec<HelpArticleId> = (0..70_000).map(|_| fresh()).collect();
    many.insert(1_000, articles[0]);
    let case = stage.ports.help_articles.article_case(acme.id(), parents[0].0, many).await.unwrap();
    assert_eq!(
        case,
        ArticleCase { parent_found: true, related_found: HashSet::from([articles[0]]) }
    );
}

pub async fn a_new_article_stands_at_the_end_of_its_parent_as_it_was_made(stage: Stage) {
    let mut acme = Tenant::new();
    let category = acme.add(acme.help_category());
    let parents =
        [ArticleParent::Collection(acme.collection.id), ArticleParent::Category(category.id)];
    let places = [[-50_000, 35_000, 20_000], [80_000, 90_001, 70_000]];
    let mut related = Vec::new();
    for (parent, places) in parents.into_iter().zip(places) {
        for place in places {
            let seq_number = Position::from_ten_thousandths(place);
            related.push(acme.add(HelpArticle { parent, seq_number, ..acme.article() }).id);
        }
    }
    related.swap(0, 4);
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let count = async || {
        stage
            .ports
            .help_categories
            .find(acme.id(), category.id)
            .await
            .unwrap()
            .unwrap()
            .article_count
    };
    assert_eq!(count().await, 3);
    for (parent, place) in parents.into_iter().zip([45_000, 100_001]) {
        let draft = ArticleDraft {
            title: Title::parse("Größe 😀").unwrap(),
            content: "<p>\u{ffff}</p>".to_owned(),
            excerpt: Some(ShortText::parse("").unwrap()),
            status: ArticleStatus::Published,
            show_on_portal: false,
            is_favourite: true,
            related_article_ids: related.clone(),
            ..draft(parent)
        };
        let case = stage
            .ports
            .help_articles
            .article_case(acme.id(), parent, related.clone())
            .await
            .unwrap();
        let new = case.create(draft, fresh(), slug(fresh()), at(7)).unwrap();
        insert(&stage, &acme, &new, None, Recorded::Done).await;
        let article = new.at(Position::from_ten_thousandths(place));
        let expected =
            ArticleDetails { summary: summary(&acme, &article), content: article.content.clone() };
        assert_eq!(find(&stage, acme.id(), article.id).await, Some(expected.clone()));
        assert!(
            listed(&stage, acme.id(), ArticleFilter::default()).await.contains(&expected.summary)
        );
        assert_eq!(
            appended(&stage, &acme, parent).await,
            Position::from_ten_thousandths(place).next()
        );
    }
    assert_eq!(count().await, 5);
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn an_articles_place_that_was_given_is_not_given_again(stage: Stage) {
    let mut acme = Tenant::new();
    let empty = acme.add(acme.help_category()).id;
    let full = acme.add(acme.help_category()).id;
    // Deleted ones keep their place.
    let third = Position::from_ten_thousandths(30_000);
    let kept = acme.add(HelpArticle { seq_number: third, is_active: false, ..acme.article() });
    let parent = ArticleParent::Category(full);
    acme.add(HelpArticle { parent, seq_number: Position::LAST, ..acme.article() });
    let acme = acme.import(&stage.ports).await;
    let here = ArticleParent::Collection(acme.collection.id);
    assert_eq!(appended(&stage, &acme, here).await, third.next());
    // What is refused took no place.
    insert(&stage, &acme, &with_slug(here, kept.slug), None, Recorded::Taken(Unique::Slug)).await;
    assert_eq!(appended(&stage, &acme, here).await, third.next().next());
    assert_eq!(
        appended(&stage, &acme, ArticleParent::Category(empty)).await,
        Position::START.next()
    );
    // Behind the last that can be written there is none.
    assert_eq!(appended(&stage, &acme, parent).await, Position::LAST);
}

pub async fn of_many_new_articles_at_once_no_two_of_a_parent_have_the_same_place(stage: Stage) {
    const EACH: usize = 30;
    let mut acme = Tenant::new();
    let category = acme.add(acme.help_category());
    let acme = acme.import(&stage.ports).await;
    let parents =
        [ArticleParent::Collection(acme.collection.id), ArticleParent::Category(category.id)];
    let add = async |n: usize| {
        let new = new(parents[n % 2]);
        settled(async || stage.ports.help_articles.insert(acme.id(), new.clone(), None).await).await
    };
    for added in join_all((0..2 * EACH).map(add)).await {
        assert_eq!(added, Recorded::Done);
    }
    let all = listed(&stage, acme.id(), ArticleFilter::default()).await;
    let expected: BTreeSet<_> =
        std::iter::successors(Some(Position::START.next()), |place| Some(place.next()))
            .take(EACH)
            .collect();
    for is_filed in [true, false] {
        let places = all
            .iter()
            .filter(|article| article.category.is_some() == is_filed)
            .map(|article| article.seq_number);
        assert_eq!(places.clone().count(), EACH);
        assert_eq!(places.collect::<BTreeSet<_>>(), expected);
    }
}

pub async fn a_new_article_is_stale_without_its_parent(stage: Stage) {
    let mut acme = Tenant::new();
    let gone = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let deleted = acme.add(HelpCategory { is_active: false, ..acme.help_category() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    for parent in [
        ArticleParent::Collection(gone.id),
        ArticleParent::Collection(fresh()),
        ArticleParent::Collection(globex.collection.id),
        ArticleParent::Category(deleted.id),
        ArticleParent::Category(fresh()),
    ] {
        insert(
            &stage,
            &acme,
            &new(parent),
            Some(receipt("a", Answer::Success, at(0))),
            Recorded::Stale,
        )
        .await;
    }
    assert_eq!(inventory(&stage, acme.id()).await, before);
    assert_eq!(listed(&stage, globex.id(), ArticleFilter::default()).await, []);
}

pub async fn a_new_articles_slug_that_another_has_is_refused_in_any_case(stage: Stage) {
    let mut acme = Tenant::new();
    let kept = acme.add(acme.article());
    let deleted = acme.add(HelpArticle { is_active: false, ..acme.article() });
    let longest =
        acme.add(HelpArticle { slug: Slug::parse(&"A".repeat(512)).unwrap(), ..acme.article() });
    let acme = acme.import(&stage.ports).await;
    let named = |slug: &str| {
        with_slug(ArticleParent::Collection(acme.collection.id), Slug::parse(slug).unwrap())
    };
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

pub async fn the_receipt_of_a_new_article_is_kept_with_it_and_a_taken_one_leaves_nothing(
    stage: Stage,
) {
    let acme = Tenant::new().import(&stage.ports).await;
    let parent = ArticleParent::Collection(acme.collection.id);
    let receipt = receipt("once", Answer::Created(fresh()), at(0));
    insert(&stage, &acme, &new(parent), Some(receipt.clone()), Recorded::Done).await;
    assert_eq!(kept(&stage, acme.id(), &receipt).await, Some(receipt.answer));
    let before = inventory(&stage, acme.id()).await;
    insert(&stage, &acme, &new(parent), Some(receipt), Recorded::Taken(Unique::Receipt)).await;
    assert_eq!(inventory(&stage, acme.id()).await, before);
    assert_eq!(
        appended(&stage, &acme, parent).await,
        Position::START.next().next(),
        "it took no place"
    );
}

pub async fn another_organizations_articles_are_as_unknown_ones(stage: Stage) {
    let mut acme = Tenant::new();
    let category = acme.add(acme.help_category());
    let filed =
        acme.add(HelpArticle { parent: ArticleParent::Category(category.id), ..acme.article() });
    let deleted = acme.add(HelpArticle { is_active: false, ..acme.article() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    for organization in [globex.id(), fresh()] {
        for id in [filed.id, deleted.id] {
            assert_eq!(find(&stage, organization, id).await, None);
        }
        for filter in [
            ArticleFilter::default(),
            ArticleFilter { search: Some(Folded::new("signing")), ..ArticleFilter::default() },
            ArticleFilter { category_id: Some(category.id), ..ArticleFilter::default() },
            ArticleFilter { collection_id: Some(acme.collection.id), ..ArticleFilter::default() },
        ] {
            assert_eq!(listed(&stage, organization, filter).await, []);
        }
        let case = stage
            .ports
            .help_articles
            .article_case(organization, filed.parent, vec![filed.id, deleted.id])
            .await
            .unwrap();
        assert_eq!(case, ArticleCase { parent_found: false, related_found: HashSet::new() });
    }
    // Where the same identifiers are, each organization has its own.
    let twin = find(&stage, acme.twin().id(), filed.id).await.unwrap().summary;
    assert_eq!(twin, summary(acme.twin(), &acme.twin().all::<HelpArticle>()[0]));
    assert_eq!(find(&stage, acme.opposite().id(), filed.id).await, None);
}
