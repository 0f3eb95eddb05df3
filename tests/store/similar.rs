//! Both stores find and rank similar posts alike, by the labelled pairs of `tests/similar`.

use super::{Isolation, fresh_file, open_database, open_file, postgres};
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{OrganizationId, PostId};
use hearback_domain::similar::best;
use hearback_ports::Ports;
use hearback_tests::build::Tenant;
use hearback_tests::system::block_on;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A title, and another one for the same wish.
#[derive(Clone, Deserialize)]
struct Pair {
    language: String,
    title: String,
    query: String,
}

/// The number of posts of each language that are made of the words of others.
const DISTRACTORS: usize = 1_000;
/// The least share of pairs whose post is among the first five.
const RECALL: f64 = 0.8;

#[test]
fn similar_posts_are_found_despite_typos_and_the_order_of_words_and_ranked_alike() {
    block_on(async {
        let pairs: Vec<Pair> =
            serde_json::from_str(include_str!("../similar/pairs.json")).expect("the pairs");
        assert_eq!(pairs.len(), 100);
        let mut acme = Tenant::new();
        let post = |title: &String| FeedbackPost { title: title.clone(), ..acme.post() };
        let mut posts: Vec<FeedbackPost> = pairs.iter().map(|pair| post(&pair.title)).collect();
        posts.extend(distractors(&pairs).iter().map(post));
        let sought: Vec<PostId> = posts.iter().take(pairs.len()).map(|post| post.id).collect();
        posts.into_iter().for_each(|post| drop(acme.add(post)));
        let database = postgres::create(Isolation::ReadCommitted).await;
        let sqlite = open_file(&fresh_file("similar")).await.ports;
        let postgres = open_database(&database).await.ports;
        let id = acme.clone().import(&sqlite).await.id();
        acme.import(&postgres).await;

        let mut missed = BTreeMap::<&str, Vec<&str>>::new();
        for (pair, sought) in pairs.iter().zip(sought) {
            let found = ranked(&sqlite, id, &pair.query).await;
            assert_eq!(found, ranked(&postgres, id, &pair.query).await, "{}", pair.query);
            if !found.iter().take(5).any(|(post, _)| *post == sought) {
                missed.entry(&pair.language).or_default().push(&pair.query);
            }
        }
        let recall = 1.0 - missed.values().flatten().count() as f64 / pairs.len() as f64;
        assert!(recall >= RECALL, "a recall of {recall}: {missed:#?}");
    });
}

async fn ranked(ports: &Ports, organization: OrganizationId, title: &str) -> Vec<(PostId, f64)> {
    let found = ports.feedback_posts.candidates(organization, title.to_owned(), None).await;
    best(title, found.expect("candidates"), 20)
}

/// Titles of three to six words of the pairs of a language, the same on every run.
fn distractors(pairs: &[Pair]) -> Vec<String> {
    let mut titles = Vec::new();
    let mut state = 1_u64;
    let mut below = |bound: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    for of_one in pairs.chunk_by(|one, other| one.language == other.language) {
        let words: Vec<String> = of_one.iter().flat_map(|pair| words(&pair.title)).collect();
        for _ in 0..DISTRACTORS {
            let length = 3 + below(4);
            let title: Vec<&str> =
                (0..length).map(|_| words[below(words.len())].as_str()).collect();
            titles.push(title.join(" "));
        }
    }
    titles
}

/// The words of a title. A title without blanks has words of three characters.
fn words(title: &str) -> Vec<String> {
    if title.contains(' ') {
        return title.split(' ').map(str::to_owned).collect();
    }
    let characters: Vec<char> = title.chars().collect();
    characters.chunks(3).map(String::from_iter).collect()
}
