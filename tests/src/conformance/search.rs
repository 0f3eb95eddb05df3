//! The searches of posts and of articles. `article_search` has the cases of articles alone.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, beside_reads, first_page, walk};
use crate::build::{OfKind, Tenant, at};
use crate::property::for_all;
use hearback_domain::Uuid;
use hearback_domain::feedback_post::{FeedbackPost, PostFilter, PostSort};
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{ArticleFilter, ArticleSort, HelpArticle};
use hearback_domain::id::OrganizationId;
use hearback_ports::Ports;
use proptest::prelude::*;
use std::cmp::Reverse;

/// A kind of records that can be searched.
trait Searched: OfKind {
    /// A record with these texts, `n` places from the list's beginning.
    fn of(acme: &Tenant, texts: [&str; 3], n: i64) -> Self;

    /// Whether one of its folded texts contains a query.
    fn contains(&self, query: &Folded) -> bool;

    /// The records of a page.
    async fn found(ports: &Ports, organization: OrganizationId, query: Folded) -> Vec<Uuid>;
}

impl Searched for FeedbackPost {
    fn of(acme: &Tenant, texts: [&str; 3], n: i64) -> Self {
        let [title, description, _] = texts.map(str::to_owned);
        Self { title, description, created_at: at(-n), ..acme.post() }
    }

    fn contains(&self, query: &Folded) -> bool {
        self.search_text().contains(query.as_str())
    }

    async fn found(ports: &Ports, organization: OrganizationId, query: Folded) -> Vec<Uuid> {
        let filter = PostFilter { search: Some(query), ..PostFilter::default() };
        let page = ports
            .feedback_posts
            .page(organization, filter, PostSort::Newest, first_page())
            .await
            .unwrap();
        page.items.into_iter().map(|details| details.post.id.0).collect()
    }
}

impl Searched for HelpArticle {
    fn of(acme: &Tenant, texts: [&str; 3], n: i64) -> Self {
        let [title, content, excerpt] = texts.map(str::to_owned);
        let excerpt = Some(excerpt).filter(|text| n % 2 == 0 || !text.is_empty());
        Self { title, content, excerpt, updated_at: at(-n), ..acme.article() }
    }

    fn contains(&self, query: &Folded) -> bool {
        self.search_text().contains(query.as_str())
    }

    async fn found(ports: &Ports, organization: OrganizationId, query: Folded) -> Vec<Uuid> {
        let filter = ArticleFilter { search: Some(query), ..ArticleFilter::default() };
        let (articles, sort) = (&ports.help_articles, ArticleSort::Updated);
        let page = articles.page(organization, filter, sort, first_page()).await.unwrap();
        page.items.into_iter().map(|article| article.id.0).collect()
    }
}

/// Expects that each query finds the records at these places of `texts`.
async fn finds<R: Searched>(stage: &Stage, texts: &[[&str; 3]], queries: &[(&str, &[usize])]) {
    let mut acme = Tenant::new();
    let all = texts.iter().enumerate().map(|(n, &texts)| R::of(&acme, texts, n as i64));
    let all: Vec<R> = all.collect();
    let ids: Vec<Uuid> = all.iter().map(|record| record.clone().into_record().id()).collect();
    all.into_iter().for_each(|record| drop(acme.add(record)));
    let acme = acme.import(&stage.ports).await;
    for &(query, places) in queries {
        let found = R::found(&stage.ports, acme.id(), Folded::new(query)).await;
        let expected: Vec<Uuid> = places.iter().map(|&place| ids[place]).collect();
        assert_eq!(found, expected, "{:?} of {:?}", query, R::KIND);
    }
}

/// [`finds`] with records that each have one text, in each of the three fields in turn.
async fn finds_each(stage: &Stage, texts: &[&str], queries: &[(&str, &[usize])]) {
    for turn in 0..3 {
        finds::<FeedbackPost>(stage, &placed(texts, turn, 2), queries).await;
        finds::<HelpArticle>(stage, &placed(texts, turn, 3), queries).await;
    }
}

/// The texts of records that each have one text, in one of `places` fields.
fn placed<'a>(texts: &[&'a str], turn: usize, places: usize) -> Vec<[&'a str; 3]> {
    let place = |(n, text): (usize, &&'a str)| {
        let mut all = [""; 3];
        all[(n + turn) % places] = *text;
        all
    };
    texts.iter().enumerate().map(place).collect()
}

pub async fn a_search_finds_one_and_two_characters_too(stage: Stage) {
    let texts = ["x", "xy", "üx", "zz", "😀", "y😀\u{10ffff}"];
    let queries: [(&str, &[usize]); _] = [
        ("x", &[0, 1, 2]),
        ("Xy", &[1]),
        ("ÜX", &[2]),
        ("yx", &[]),
        ("😀", &[4, 5]),
        ("y😀", &[5]),
        ("😀\u{10ffff}", &[5]),
        ("q", &[]),
    ];
    finds_each(&stage, &texts, &queries).await;
}

pub async fn a_search_folds_case_one_character_for_one_and_normalizes_nothing(stage: Stage) {
    let texts = [
        "GRÜẞE aus Köln",
        "Straße",
        "ÅLES",
        "A\u{30a}les",
        "ΣΊΣΥΦΟΣ",
        "🦀 Straẞe",
        "İstanbul",
        "K 273",
    ];
    let queries: [(&str, &[usize]); _] = [
        ("grüße AUS köln", &[0]),
        ("strasse", &[]),
        ("STRAẞE", &[1, 5]),
        ("åles", &[2]),
        ("a\u{30a}LES", &[3]),
        ("\u{30a}", &[3]),
        ("ales", &[]),
        ("σίσυφος", &[4]),
        ("🦀 s", &[5]),
        ("koln", &[]),
        ("istanbul", &[]),
        ("k 273", &[7]),
    ];
    finds_each(&stage, &texts, &queries).await;
}

pub async fn a_search_takes_every_character_literally(stage: Stage) {
    let texts = [
        "100% sure",
        "1000 sure",
        "snake_case",
        "snakeXcase",
        r"a\b",
        r"a\\b",
        "ab",
        "\"ab\" NEAR b",
        "it's",
        "a\nb\r\n\tc",
        "\u{fffe}x\u{ffff}y",
        "a* (b) ^c -d",
        "\u{1}\u{7f}",
        "   ",
    ];
    let queries: [(&str, &[usize]); _] = [
        ("100% s", &[0]),
        ("%", &[0]),
        ("%%", &[]),
        ("_", &[2]),
        ("e_c", &[2]),
        ("___", &[]),
        (r"\", &[4, 5]),
        (r"\\", &[5]),
        (r"\\\", &[]),
        (r"a\b", &[4]),
        (r"a\\b", &[5]),
        ("a%b", &[]),
        ("'", &[8]),
        ("it's", &[8]),
        ("''; --", &[]),
        ("\"", &[7]),
        ("\"ab\"", &[7]),
        ("\"ab", &[7]),
        ("ab\" near b", &[7]),
        ("ab OR sure", &[]),
        ("a*", &[11]),
        ("*", &[11]),
        ("a* (b) ^c -d", &[11]),
        ("title:ab", &[]),
        ("\n", &[9]),
        ("a\nb", &[9]),
        ("b\r\n\tc", &[9]),
        ("a b", &[]),
        // U+FFFE and U+FFFF are folded to the same character, which does not separate texts.
        ("\u{ffff}", &[10]),
        ("\u{fffe}", &[10]),
        ("x\u{ffff}y", &[10]),
        ("\u{fffe}x\u{fffe}", &[10]),
        ("\u{1}", &[12]),
        ("\u{1}\u{7f}", &[12]),
        ("  ", &[13]),
        ("   ", &[13]),
    ];
    finds_each(&stage, &texts, &queries).await;
}

pub async fn a_search_finds_nothing_across_two_texts(stage: Stage) {
    let texts = [["one", "two", "three"], ["onetwothree", "", ""], ["one", "", "three"]];
    let queries: [(&str, &[usize]); _] = [
        ("onetwo", &[1]),
        ("twothree", &[1]),
        ("onethree", &[]),
        ("one two", &[]),
        ("et", &[1]),
        ("e\u{ffff}t", &[]),
        ("e\u{fffe}t", &[]),
    ];
    finds::<FeedbackPost>(&stage, &texts, &queries).await;
    finds::<HelpArticle>(&stage, &texts, &queries).await;
}

pub async fn a_search_finds_rare_posts_at_any_place_of_the_list(stage: Stage) {
    // So many posts that an adapter may read them in several steps.
    const POSTS: i64 = 8_000;
    let mut acme = Tenant::new();
    let title = |n: i64| if n % 311 == 5 { format!("Needle {n}") } else { format!("Hay {n}") };
    let posts =
        (0..POSTS).map(|n| FeedbackPost { title: title(n), created_at: at(n / 10), ..acme.post() });
    acme.add_backwards(posts.collect());
    let acme = acme.import(&stage.ports).await;
    let mut expected: Vec<FeedbackPost> = acme.all();
    expected.retain(|post| post.title.starts_with("Needle"));
    expected.sort_by_key(|post| Reverse((post.created_at, post.id)));
    let expected: Vec<_> = expected.into_iter().map(|post| post.id).collect();
    assert_eq!(expected.len(), 26);
    let walked = async |query: &str, limit| {
        let filter = PostFilter { search: Some(Folded::new(query)), ..PostFilter::default() };
        let page = async |request| {
            stage
                .ports
                .feedback_posts
                .page(acme.id(), filter.clone(), PostSort::Newest, request)
                .await
        };
        let posts = walk(limit, page).await.into_iter().map(|details| details.post.id);
        posts.collect::<Vec<_>>()
    };
    // A store may find new posts another way until it has indexed them.
    for limits in [[5, 100], [2, 26]] {
        for (query, limit) in ["needle", "ee"].iter().flat_map(|it| limits.map(|n| (it, n))) {
            assert_eq!(walked(query, limit).await, expected, "{query} by {limit}");
        }
        while stage.ports.feedback_posts.index_posts().await.unwrap() > 0 {}
    }
    assert_eq!(walked("pin", 100).await, []);
    // A store may search another way while other reads run beside the search.
    assert_eq!(beside_reads(&stage, acme.id(), walked("ee", 5)).await, expected);
    assert_eq!(beside_reads(&stage, acme.id(), walked("qx", 100)).await, []);
}

/// A search finds the records whose folded texts contain the query. The texts have few letters, so
/// that queries match often. Each letter has other forms, or a meaning in patterns.
async fn finds_what_is_contained<R: Searched>(stage: &Stage) {
    let text = |length: std::ops::Range<usize>| {
        let letters = "aAbßẞé\u{301}%_\\\"'*\n 😀İi\u{fffe}\u{ffff}\u{10ffff}";
        let letters = prop::sample::select(letters.chars().collect::<Vec<_>>());
        prop::collection::vec(letters, length).prop_map(String::from_iter)
    };
    let records = prop::collection::vec((text(0..9), text(0..30), text(0..9)), 1..8);
    let queries = prop::collection::vec(text(1..6), 12);
    for_all(16, (records, queries), async |(records, queries)| {
        let mut acme = Tenant::new();
        for (n, (a, b, c)) in (0..).zip(&records) {
            acme.add(R::of(&acme, [a, b, c], n));
        }
        let acme = acme.import(&stage.ports).await;
        // Parts of the texts are queries too, which always match.
        let parts = records.iter().filter(|(_, text, _)| text.chars().count() > 4);
        let parts = parts.map(|(_, text, _)| {
            text.chars().skip(1).take(text.chars().count() - 2).collect::<String>()
        });
        for query in parts.chain(queries).map(|query| Folded::new(&query)) {
            let all = acme.all::<R>().into_iter().filter(|record| record.contains(&query));
            let expected: Vec<Uuid> = all.map(|record| record.into_record().id()).collect();
            let found = R::found(&stage.ports, acme.id(), query.clone()).await;
            assert_eq!(found, expected, "{query:?}");
        }
    });
}

pub async fn a_search_finds_the_records_whose_folded_texts_contain_it(stage: Stage) {
    finds_what_is_contained::<FeedbackPost>(&stage).await;
    finds_what_is_contained::<HelpArticle>(&stage).await;
}
