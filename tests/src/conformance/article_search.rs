//! The search of articles: orders, filters, and concurrent changes.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::lists::articles as expected;
use super::{
    Stage, applies, behind, beside_reads, change, delete_organization, first_page, make, walk,
};
use crate::build::{OfKind, Tenant, at, begin};
use crate::system::fresh;
use hearback_domain::draft::Draft;
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{
    ArticleDraft, ArticleFilter, ArticleParent, ArticleSort, ArticleStatus, HelpArticle,
};
use hearback_domain::help_category::HelpCategory;
use hearback_domain::id::HelpArticleId;
use hearback_domain::position::Position;
use hearback_domain::record::Step;
use hearback_domain::text::{ShortText, Title};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::Recorded;
use hearback_ports::import::Ending;
use hearback_ports::page::{ArticlePlace, ByArticle};

/// The filter that the API makes of a query.
fn searching(query: &str) -> ArticleFilter {
    ArticleFilter { search: Some(Folded::new(query)), ..ArticleFilter::default() }
}

/// The articles of a page, last updated first.
async fn found(stage: &Stage, acme: &Tenant, filter: ArticleFilter) -> Vec<HelpArticleId> {
    let page = stage
        .ports
        .help_articles
        .page(acme.id(), filter, ArticleSort::Updated, first_page())
        .await
        .unwrap();
    assert_eq!(page.next, None);
    page.items.into_iter().map(|article| article.id).collect()
}

pub async fn a_search_finds_long_queries_and_long_texts(stage: Stage) {
    let word = "Signing in is simple. ";
    let long = word.repeat(30_000);
    let needle = format!("{}Größe{}", word.repeat(11), word.repeat(11));
    let content = format!("{long}{needle}{long}");
    let mut acme = Tenant::new();
    let ids = [(content, 0), (long.clone(), -1)].map(|(content, millis)| {
        acme.add(HelpArticle { content, updated_at: at(millis), ..acme.article() }).id
    });
    let acme = acme.import(&stage.ports).await;
    let longest: String = needle.chars().chain(long.chars()).take(512).collect();
    assert_eq!(found(&stage, &acme, searching(&longest)).await, [ids[0]]);
    assert_eq!(
        found(&stage, &acme, searching(&longest.replace("Größe", "Grösse")[..511])).await,
        []
    );
    assert_eq!(found(&stage, &acme, searching(&long[..512])).await, ids);
    assert_eq!(found(&stage, &acme, searching("öß")).await, [ids[0]]);
}

pub async fn a_search_finds_rare_articles_at_any_place_of_the_list(stage: Stage) {
    let mut acme = Tenant::new();
    let title =
        |n: i64| if n % 1_410 == 1_395 { format!("Needle {n}") } else { format!("Hay {n}") };
    let article = |n: i64| HelpArticle {
        title: title(n),
        content: String::new(),
        seq_number: Position::from_ten_thousandths(n % 50),
        created_at: at(n / 10),
        updated_at: at(-n / 10),
        ..acme.article()
    };
    acme.add_backwards((0..5_650).map(article).collect());
    let acme = acme.import(&stage.ports).await;
    for query in ["needle", "needle 5", "ee", "d"] {
        let filter = searching(query);
        for &sort in ArticleSort::ALL {
            let expected = expected(&acme, &filter, sort);
            assert!((1..=4).contains(&expected.len()), "{query}: {}", expected.len());
            for limit in [1, 4] {
                let page = async |request| {
                    stage.ports.help_articles.page(acme.id(), filter.clone(), sort, request).await
                };
                assert_eq!(walk(limit, page).await, expected, "{query} {sort:?} by {limit}");
            }
        }
    }
    assert_eq!(found(&stage, &acme, searching("pin")).await, []);
    assert_eq!(found(&stage, &acme, searching("q")).await, []);
    // A store may search another way while other reads run beside the search.
    for &sort in ArticleSort::ALL {
        let filter =
            ArticleFilter { status: Some(acme.all::<HelpArticle>()[0].status), ..searching("ee") };
        let expected = expected(&acme, &filter, sort);
        assert_eq!(expected.len(), 4);
        let page = async |request| {
            stage.ports.help_articles.page(acme.id(), filter.clone(), sort, request).await
        };
        let walked = beside_reads(&stage, acme.id(), walk(2, page)).await;
        assert_eq!(walked, expected, "{sort:?}");
    }
    assert_eq!(beside_reads(&stage, acme.id(), found(&stage, &acme, searching("qx"))).await, []);
}

pub async fn a_search_finds_an_article_that_moves_meanwhile_once_or_not_at_all(stage: Stage) {
    const ARTICLES: usize = 1_000;
    const SEARCHES: usize = 16;
    let mut acme = Tenant::new();
    // The query has two letters, so that an adapter may have to walk through the list. The matches
    // are the first article, the last one, some between, and one that moves from one end to the
    // other and back.
    let article = |n: usize| HelpArticle {
        title: format!("m {n:05}"),
        content: if n.is_multiple_of(333) || n + 1 == ARTICLES { "qx" } else { "hay" }.to_owned(),
        ..acme.article()
    };
    let articles: Vec<_> = (0..ARTICLES).map(article).collect();
    acme.add_backwards(articles);
    let ends = ["a", "z"];
    let moving =
        HelpArticle { title: ends[0].to_owned(), content: "qx".to_owned(), ..acme.article() };
    let moving = acme.add(moving);
    let acme = acme.import(&stage.ports).await;
    let mut others = expected(&acme, &searching("qx"), ArticleSort::Title);
    others.retain(|article| article.id != moving.id);
    let others: Vec<_> = others.into_iter().map(|article| article.id).collect();
    let moves = async {
        let mut now = moving.clone();
        for title in ends.into_iter().rev().cycle() {
            let moved = HelpArticle { title: title.to_owned(), ..now.clone() };
            let (before, after) = (now.into_record(), moved.clone().into_record());
            let edit = change(vec![Step::Edit { before, after }], at(0));
            applies(&stage, acme.id(), &edit, Recorded::Done).await;
            now = moved;
            // A store that never waits would not let the searches run.
            tokio::task::yield_now().await;
        }
    };
    let searches = async {
        for _ in 0..SEARCHES {
            let page = stage.ports.help_articles.page(
                acme.id(),
                searching("qx"),
                ArticleSort::Title,
                first_page(),
            );
            let mut found: Vec<_> =
                page.await.unwrap().items.into_iter().map(|article| article.id).collect();
            let all = found.len();
            found.retain(|id| *id != moving.id);
            assert_eq!(found, others);
            assert!(all - found.len() <= 1, "found {} times", all - found.len());
        }
    };
    // Beside other reads a search may take longer.
    let searches = beside_reads(&stage, acme.id(), searches);
    tokio::select! {
        () = searches => {}
        () = moves => unreachable!("the moves have no end"),
    }
}

pub async fn a_search_with_thousands_of_hits_is_walked_in_each_order_with_each_filter(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.help_collection());
    let filed = acme.add(HelpCategory { collection_id: other.id, ..acme.help_category() });
    let parents = [
        ArticleParent::Collection(acme.collection.id),
        ArticleParent::Collection(other.id),
        ArticleParent::Category(filed.id),
    ];
    let words = ["Signing in", "signing out", "Größe", "grÖSSe", "in"];
    let article = |n: usize| HelpArticle {
        title: format!("{} {}", words[n % words.len()], n / 7 % 40),
        content: if n.is_multiple_of(13) { "signing".to_owned() } else { String::new() },
        status: if n.is_multiple_of(2) { ArticleStatus::Published } else { ArticleStatus::Draft },
        published_at: n.is_multiple_of(2).then(|| at(0)),
        show_on_portal: !n.is_multiple_of(7),
        is_favourite: n.is_multiple_of(17),
        parent: parents[n % 3],
        seq_number: Position::from_ten_thousandths(n as i64 % 90),
        is_active: !n.is_multiple_of(19),
        created_at: at(n as i64 % 100),
        updated_at: at(n as i64 / 3 % 200),
        ..acme.article()
    };
    acme.add_backwards((0..4_000).map(article).collect());
    let acme = acme.import(&stage.ports).await;
    for filter in [
        searching("signing"),
        searching("i"),
        searching("sign").public(),
        ArticleFilter { collection_id: Some(other.id), ..searching("in") },
        ArticleFilter { category_id: Some(filed.id), is_favourite: Some(true), ..searching("ing") },
        ArticleFilter {
            collection_id: Some(acme.collection.id),
            show_on_portal: Some(false),
            ..searching("n")
        },
    ] {
        for &sort in ArticleSort::ALL {
            let expected = expected(&acme, &filter, sort);
            assert!(expected.len() > 20);
            let page = async |request| {
                stage.ports.help_articles.page(acme.id(), filter.clone(), sort, request).await
            };
            assert_eq!(walk(97, page).await, expected, "{filter:?} {sort:?}");
        }
    }
}

pub async fn a_page_of_a_search_begins_behind_a_place_without_article(stage: Stage) {
    let mut acme = Tenant::new();
    let title = |n: i64| if n % 3 == 0 { "Signing in" } else { "Leaving" }.to_owned();
    acme.add_backwards(
        (0..300)
            .map(|n| HelpArticle { title: title(n), updated_at: at(n / 20), ..acme.article() })
            .collect(),
    );
    let acme = acme.import(&stage.ports).await;
    for query in ["signing", "si"] {
        let all = expected(&acme, &searching(query), ArticleSort::Updated);
        for time in [Time::MIN, at(0), at(7), at(14), at(15), Time::MAX] {
            for id in [Uuid::nil(), all[50].id.0, fresh()] {
                let key = ByArticle { place: ArticlePlace::Time(time), id };
                let page = stage
                    .ports
                    .help_articles
                    .page(acme.id(), searching(query), ArticleSort::Updated, behind(key))
                    .await;
                let expected: Vec<_> = all
                    .iter()
                    .filter(|article| (article.updated_at, article.id.0) < (time, id))
                    .cloned()
                    .collect();
                assert_eq!(page.unwrap().items, expected, "{query} behind {time} {id}");
            }
        }
    }
}

pub async fn a_new_article_is_found_at_once(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    assert_eq!(found(&stage, &acme, searching("newest")).await, []);
    let mut ids = Vec::new();
    for (n, (title, content, excerpt)) in
        [("The newest", "", None), ("x", "The NEWEST", Some("")), ("y", "", Some("A newest one"))]
            .into_iter()
            .enumerate()
    {
        let draft = ArticleDraft {
            parent: ArticleParent::Collection(acme.collection.id),
            title: Title::parse(title).unwrap(),
            content: content.to_owned(),
            slug: None,
            excerpt: excerpt.map(|text| ShortText::parse(text).unwrap()),
            status: ArticleStatus::Draft,
            show_on_portal: true,
            is_favourite: false,
            published_at: None,
            related_article_ids: vec![],
            author_id: None,
            external_id: None,
        };
        let id = fresh();
        let new = draft.create(id, crate::build::slug(fresh()), at(-(n as i64)));
        make(&stage, acme.id(), new).await;
        ids.push(id.into());
        for query in ["newest", "ew", "w"] {
            assert_eq!(found(&stage, &acme, searching(query)).await, ids, "{query}");
        }
    }
    for other in [acme.twin(), acme.opposite()] {
        assert_eq!(found(&stage, other, searching("newest")).await, []);
    }
}

pub async fn a_deleted_organizations_articles_are_found_no_more_until_they_are_imported_again(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let ids: Vec<_> = (0..300)
        .map(|n| acme.add(HelpArticle { updated_at: at(-n), ..acme.article() }).id)
        .collect();
    let acme = acme.import(&stage.ports).await;
    let all = async |organization| {
        let mut all = Vec::new();
        for query in ["signing", "ig"] {
            let page = async |request| {
                stage
                    .ports
                    .help_articles
                    .page(organization, searching(query), ArticleSort::Updated, request)
                    .await
            };
            all.push(
                walk(100, page).await.into_iter().map(|article| article.id).collect::<Vec<_>>(),
            );
        }
        all
    };
    let import = async |ending| {
        let mut import = begin(&stage.ports).await;
        acme.put(&mut *import).await.unwrap();
        import.finish(ending).await.unwrap();
    };
    assert_eq!(all(acme.id()).await, [&ids[..], &ids[..]]);
    delete_organization(&stage.ports, acme.id()).await;
    assert_eq!(all(acme.id()).await, [[], []]);
    import(Ending::Discard).await;
    assert_eq!(all(acme.id()).await, [[], []]);
    import(Ending::Commit).await;
    assert_eq!(all(acme.id()).await, [&ids[..], &ids[..]]);
    assert_eq!(all(acme.twin().id()).await, [&ids[..], &ids[..]]);
}
