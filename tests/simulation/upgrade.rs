//! An upgrade: servers of two releases on one database while authors write.

use crate::support::{Draft, Organization, Receiver, Store};
use crate::{Stage, checks, compare, install, write};
use hearback_tests::system;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::{JoinSet, block_in_place};
use tokio::time::sleep;

/// The variable with the path of the binary of the release before.
const BEFORE: &str = "HEARBACK_TEST_RELEASE_BEFORE";

/// The time before, between and after the steps.
const PAUSE: Duration = Duration::from_secs(5);

/// The number of posts of another organization, so that the new schema takes a while.
const POSTS: usize = 20_000;

/// The first server of the new release updates the schema while one of the release before serves.
/// Then both serve, then the new one alone. All requests are answered, and nothing is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_schema_is_updated_under_load() {
    let mut old = install(Store::Postgres).await;
    let new = old.clone();
    old.binary = std::env::var_os(BEFORE).unwrap_or_else(|| panic!("{BEFORE} is not set")).into();
    let mut others = Draft::new();
    let (board, author) = (others.board(json!({})), others.user(json!({})));
    for _ in 0..POSTS {
        let post = others.post(json!({"board_id": board, "author_id": author}));
        others.vote(&author, &post, json!({}));
    }
    others.open_in(&old).await;
    let receiver = Receiver::start().await;
    let Stage { acme, webhook, authors } = Stage::set(&old, &receiver, 1).await;
    let old = block_in_place(|| old.serve());
    let before = checks::listed(&acme.at(&old)).await;

    // Half of the callers move to the new server at first.
    let bases = [(); 2].map(|()| watch::Sender::new(old.base().to_owned()));
    let end = watch::Sender::new(false);
    let (mut writing, mut reading) = (JoinSet::new(), JoinSet::new());
    for (author, base) in authors.into_iter().zip(bases.iter().cycle()) {
        writing.spawn(write(author, acme.clone(), base.subscribe(), end.subscribe()));
    }
    for base in &bases {
        reading.spawn(read(acme.clone(), base.subscribe(), end.subscribe()));
    }
    sleep(PAUSE).await;
    let began = Instant::now();
    let new = block_in_place(|| new.serve());
    println!("the new server has started in {:?}", began.elapsed());
    for base in bases {
        base.send_replace(new.base().to_owned());
        sleep(PAUSE).await;
    }
    block_in_place(|| drop(old));
    sleep(PAUSE).await;
    end.send_replace(true);

    println!("{} reads", reading.join_all().await.iter().sum::<usize>());
    let authors = writing.join_all().await;
    let model = compare(&acme.at(&new), &receiver, &webhook, &before, authors).await;
    assert_eq!(model.unanswered, 0, "requests were not answered, or with an error");
}

/// Reads lists and a page until the end. Returns the number of requests.
async fn read(
    acme: Organization,
    base: watch::Receiver<String>,
    end: watch::Receiver<bool>,
) -> usize {
    let client = acme.client();
    let mut count = 0;
    while !*end.borrow() {
        let base = base.borrow().clone();
        // The proxy of the public host takes the path of the public address away.
        let page = client.get(format!("{base}/o/{}/", acme.slug()));
        let page = page.header("Host", "feedback.example");
        let lists = ["/feedback-posts/list", "/changelog/list", "/votes/list"].map(|path| {
            let body = json!({"api_key": acme.key()});
            client.post(format!("{base}/api/external/v1{path}")).json(&body)
        });
        for request in lists.into_iter().chain([page]) {
            let answer = request.timeout(system::PATIENCE).send().await.expect("an answer");
            assert_eq!(answer.status(), 200, "{}", answer.url());
            count += 1;
        }
    }
    count
}
