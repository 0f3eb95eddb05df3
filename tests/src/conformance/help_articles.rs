//! `HelpArticleRepository`: `article_search` is a file of its own.

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{Stage, behind, first_page, walk, walk_while};
use crate::build::{Imported, Tenant, at};
use crate::system::fresh;
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{
    ArticleDetails, ArticleFilter, ArticleParent, ArticleSort, ArticleStatus, ArticleSummary,
    HelpArticle,
};
use hearback_domain::help_category::{CategoryReference, HelpCategory};
use hearback_domain::help_collection::{CollectionReference, HelpCollection};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::Limit;
use hearback_ports::page::{ArticlePlace, ByArticle, PageRequest};
use std::cmp::Ordering;
use std::collections::HashSet;

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
    }
    // Where the same identifiers are, each organization has its own.
    let twin = find(&stage, acme.twin().id(), filed.id).await.unwrap().summary;
    assert_eq!(twin, summary(acme.twin(), &acme.twin().all::<HelpArticle>()[0]));
    assert_eq!(find(&stage, acme.opposite().id(), filed.id).await, None);
}
