//! A long write of one organization beside the requests of another.

use crate::support::{Draft, Installation, Store, eventually};
use rstest::rstest;
use serde_json::json;
use std::fs;
use std::pin::pin;
use std::time::{Duration, Instant};

const USERS: usize = 20_000;

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_deletion_is_finished_while_other_organizations_write(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut large = Draft::new();
    let post = large.post(json!({}));
    let users: Vec<_> = (0..USERS).map(|_| large.user(json!({}))).collect();
    for user in users {
        large.vote(&user, &post, json!({}));
    }
    let mut small = Draft::new();
    let (voter, post) = (small.user(json!({})), small.post(json!({})));
    let installation = Installation::new(store, &[("HEARBACK_WORKERS", "2")]).await;
    let gone = installation.open(large.slug(), &large.lines()).await;
    let small = installation.open(small.slug(), &small.lines()).await;
    let server = installation.serve();
    let (gone, small) = (gone.at(&server), small.at(&server));
    let delete = ["organization", "delete", "--yes", "--organization", large.slug()];

    // The first command ends before it has removed the rows.
    let mut first = installation.start(&delete);
    eventually("the deletion", async || {
        let all = installation.command(&["organization", "list"]).await;
        (!all.contains(large.slug())).then_some(())
    })
    .await;
    first.kill().expect("the command is killed");
    first.wait().expect("the command ends");
    eventually("the refusal of the key", async || {
        (gone.post("/tags/list", json!({})).await.status == 401).then_some(())
    })
    .await;
    let file = installation.data_dir.join("large.jsonl");
    fs::write(&file, large.lines()).expect("the file is written");
    let import = ["import", file.to_str().expect("a path")];
    let refusal = installation.failure(&import).await;
    assert!(refusal.contains("line 1: id: "), "{refusal}");
    assert!(refusal.contains("a deleted one has rows left"), "{refusal}");

    // The same command finishes the deletion.
    let mut deletion = pin!(installation.command(&delete));
    let vote = json!({"user_id": voter, "post_id": post, "post_type": "feedback"});
    let mut slowest = Duration::ZERO;
    let all = Instant::now();
    loop {
        let began = Instant::now();
        tokio::select! {
            _ = &mut deletion => break,
            voted = small.post("/votes/toggle", vote.clone()) => voted.expect(200),
        };
        slowest = slowest.max(began.elapsed());
    }
    // If the deletion were one transaction, a vote would wait for nearly all of it.
    let took = all.elapsed();
    assert!(slowest * 4 < took, "a vote took {slowest:?} of {took:?}");
    installation.command(&import).await;
}
