//! `FeedbackPostRepository::page` with a search.

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{Stage, beside_reads, first_page, walk};
use crate::build::{Imported, Tenant, at};
use crate::property::for_all;
use hearback_domain::feedback_post::{FeedbackPost, PostFilter};
use hearback_domain::fold::Folded;
use hearback_domain::id::PostId;
use proptest::prelude::*;
use std::cmp::Reverse;

/// What the API makes of a query.
fn searching(query: &str) -> PostFilter {
    PostFilter { search: Some(Folded::new(query)), ..PostFilter::default() }
}

/// The posts of a page, newest first.
async fn found(stage: &Stage, acme: &Tenant, filter: PostFilter) -> Vec<PostId> {
    let page = stage.ports.feedback_posts.page(acme.id(), filter, first_page()).await.unwrap();
    page.items.into_iter().map(|details| details.post.id).collect()
}

/// An organization with a post of each title and description, the newest first.
async fn with_texts(stage: &Stage, texts: &[(&str, &str)]) -> (Imported, Vec<PostId>) {
    let mut acme = Tenant::new();
    let mut ids = Vec::new();
    for (n, (title, description)) in texts.iter().enumerate() {
        let (title, description) = ((*title).to_owned(), (*description).to_owned());
        let created_at = at(-i64::try_from(n).unwrap());
        ids.push(acme.add(FeedbackPost { title, description, created_at, ..acme.post() }).id);
    }
    (acme.import(&stage.ports).await, ids)
}

pub async fn a_search_looks_in_title_and_description(stage: Stage) {
    let (acme, ids) =
        with_texts(&stage, &[("Dark mode", ""), ("Night", "as in dark mode"), ("Light", "bright")])
            .await;
    assert_eq!(found(&stage, &acme, searching("dark mode")).await, ids[..2]);
    assert_eq!(found(&stage, &acme, searching("rk m")).await, ids[..2]);
    assert_eq!(found(&stage, &acme, searching("darkmode")).await, []);
}

pub async fn a_search_finds_one_and_two_characters_too(stage: Stage) {
    let (acme, ids) = with_texts(&stage, &[("x", ""), ("xy", "z"), ("", "üx")]).await;
    assert_eq!(found(&stage, &acme, searching("x")).await, ids);
    assert_eq!(found(&stage, &acme, searching("Xy")).await, [ids[1]]);
    assert_eq!(found(&stage, &acme, searching("ÜX")).await, [ids[2]]);
    assert_eq!(found(&stage, &acme, searching("yx")).await, []);
}

pub async fn a_search_folds_case_one_character_for_one_and_normalizes_nothing(stage: Stage) {
    let texts = [
        ("GRÜẞE aus Köln", ""),
        ("Straße", ""),
        ("ÅLES", ""),
        ("A\u{30a}les", ""),
        ("ΣΊΣΥΦΟΣ", ""),
        ("🦀 Straẞe", ""),
    ];
    let (acme, ids) = with_texts(&stage, &texts).await;
    for (query, expected) in [
        ("grüße AUS köln", vec![ids[0]]),
        ("strasse", vec![]),
        ("STRAẞE", vec![ids[1], ids[5]]),
        ("åles", vec![ids[2]]),
        ("a\u{30a}LES", vec![ids[3]]),
        ("σίσυφος", vec![ids[4]]),
        ("🦀 s", vec![ids[5]]),
        ("koln", vec![]),
    ] {
        assert_eq!(found(&stage, &acme, searching(query)).await, expected, "{query}");
    }
}

pub async fn a_search_takes_every_character_as_it_is(stage: Stage) {
    let texts = [
        ("100% sure", ""),
        ("1000 sure", ""),
        ("snake_case", ""),
        ("snakeXcase", ""),
        (r"a\b", ""),
        (r"a\\b", ""),
        ("ab", ""),
    ];
    let (acme, ids) = with_texts(&stage, &texts).await;
    for (query, expected) in [
        ("100% s", vec![ids[0]]),
        ("%", vec![ids[0]]),
        ("_", vec![ids[2]]),
        ("e_c", vec![ids[2]]),
        (r"\", vec![ids[4], ids[5]]),
        (r"\\", vec![ids[5]]),
        (r"a\b", vec![ids[4]]),
        (r"a\\b", vec![ids[5]]),
        ("a%b", vec![]),
        ("'", vec![]),
        ("''; --", vec![]),
        ("\"ab\"", vec![]),
        ("  ", vec![]),
        ("a*", vec![]),
    ] {
        assert_eq!(found(&stage, &acme, searching(query)).await, expected, "{query}");
    }
}

pub async fn a_search_finds_nothing_across_title_and_description(stage: Stage) {
    let (acme, ids) = with_texts(&stage, &[("one", "two"), ("onetwo", "")]).await;
    assert_eq!(found(&stage, &acme, searching("onetwo")).await, [ids[1]]);
    assert_eq!(found(&stage, &acme, searching("one two")).await, []);
}

pub async fn a_search_shows_no_inactive_post(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(FeedbackPost { is_active: false, ..acme.post() });
    let kept = acme.add(acme.post());
    let acme = acme.import(&stage.ports).await;
    assert_eq!(found(&stage, &acme, searching("dark mode")).await, [kept.id]);
    assert_eq!(found(&stage, &acme, searching("d")).await, [kept.id]);
}

pub async fn a_search_finds_rare_posts_however_far_down_they_are(stage: Stage) {
    // As many as an adapter may read in some whole steps.
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
    for query in ["needle", "ee"] {
        for limit in [2, 5, 26, 100] {
            let page = async |request| {
                stage.ports.feedback_posts.page(acme.id(), searching(query), request).await
            };
            let walked: Vec<_> =
                walk(limit, page).await.into_iter().map(|details| details.post.id).collect();
            assert_eq!(walked, expected, "{query} by {limit}");
        }
    }
    assert_eq!(found(&stage, &acme, searching("pin")).await, []);
    // A search that others read beside may go another way.
    let page =
        async |request| stage.ports.feedback_posts.page(acme.id(), searching("ee"), request).await;
    let walked = beside_reads(&stage, acme.id(), walk(5, page)).await;
    assert_eq!(walked.into_iter().map(|details| details.post.id).collect::<Vec<_>>(), expected);
    assert_eq!(beside_reads(&stage, acme.id(), found(&stage, &acme, searching("qx"))).await, []);
}

pub async fn a_search_finds_what_the_folded_texts_contain(stage: Stage) {
    // Few letters, so that queries match often; each with other forms, or with a meaning in patterns.
    let text = |length: std::ops::Range<usize>| {
        let letters = prop::sample::select(vec![
            'a', 'A', 'ß', 'ẞ', 'é', '\u{301}', '%', '_', '\\', ' ', '😀', 'İ', 'i',
        ]);
        prop::collection::vec(letters, length).prop_map(String::from_iter)
    };
    let posts = prop::collection::vec((text(0..8), text(0..8)), 1..6);
    let queries = prop::collection::vec(text(1..5), 8);
    for_all(12, (posts, queries), async |(posts, queries)| {
        let texts: Vec<_> = posts
            .iter()
            .map(|(title, description)| (title.as_str(), description.as_str()))
            .collect();
        let (acme, _) = with_texts(&stage, &texts).await;
        for query in queries {
            let contains =
                |post: &&FeedbackPost| post.search_text().contains(Folded::new(&query).as_str());
            let expected: Vec<_> = acme.all().iter().filter(contains).map(|post| post.id).collect();
            assert_eq!(found(&stage, &acme, searching(&query)).await, expected, "{query:?}");
        }
    });
}
