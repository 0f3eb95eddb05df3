//! A simulation: many authors write to a real server, which is killed, cut off and filled up
//! meanwhile. At the end, all that was acknowledged is there, and nothing else.
//!
//! A seed gives the writes of each author and the order of the faults. Their meeting in time is the
//! machine's, so a seed that finds a fault finds it again in many runs, not in all.

#![expect(clippy::expect_used, clippy::panic, reason = "a failure in a helper must fail the test")]

mod checks;
mod faults;
mod history;
mod support;
mod upgrade;

use faults::{Clock, Postgres, Site};
use hearback_domain::ClosedSet;
use hearback_domain::event::EventType;
use hearback_tests::postgres::{self, Isolation};
use hearback_tests::system;
use history::{Author, Model, Numbers, World, Write};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{Draft, Installation, Organization, Receiver, Store, check};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The number of authors who write at once.
const AUTHORS: u64 = 8;

/// The seeds of a run that names none. A seed that found a fault stays here, under a name.
const CASES: [(&str, u64); 2] = [("the first", 1), ("the second", 2)];

/// The time of the writes of a case, if the run names none.
const SECONDS: u64 = 20;

/// The secret of the receiver.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_the_embedded_store() {
    cases(Store::Sqlite, Store::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_postgresql() {
    cases(Store::Postgres, Store::Sqlite).await;
}

async fn cases(store: Store, other: Store) {
    let time = Duration::from_secs(number("HEARBACK_TEST_SECONDS").unwrap_or(SECONDS));
    match number("HEARBACK_TEST_SEED") {
        Some(seed) => run(store, other, ("the given one", seed), time).await,
        None => {
            // All at once: a case lasts for `time`, however many run beside it.
            let mut runs = JoinSet::new();
            for case in CASES {
                runs.spawn(run(store, other, case, time));
            }
            runs.join_all().await;
        }
    }
}

/// A number of the environment.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}

async fn run(store: Store, other: Store, (name, seed): (&str, u64), time: Duration) {
    let began = Instant::now();
    println!("{store:?}, seed {seed} ({name})");
    let mut installation = install(Store::Sqlite).await;
    // The crash of a server ends all connections to it, so it is no other test's.
    let server = match store {
        Store::Sqlite => None,
        _ => Some(Postgres::start().await),
    };
    if let Some(server) = &server {
        installation.database_url =
            postgres::create_on(server.url(), Isolation::ReadCommitted).await;
    }
    let clock = Clock::of(&mut installation);
    let receiver = Receiver::start().await;
    let Stage { acme, webhook, authors } = Stage::set(&installation, &receiver, seed).await;

    let mut site = Site::open(installation, clock, server, receiver).await;
    let before = checks::listed(&acme.at(site.server())).await;
    let until = Instant::now() + time;
    let (mut writing, end) = (JoinSet::new(), watch::Sender::new(false));
    for author in authors {
        writing.spawn(write(author, acme.clone(), site.base(), end.subscribe()));
    }
    let faults = site.suffer(Numbers::of(seed, AUTHORS), until).await;
    end.send_replace(true);
    let authors = writing.join_all().await;
    println!("{store:?}, seed {seed}: written in {:?}, with {faults:?}", began.elapsed());
    let acme = acme.at(site.server());
    compare(&acme, &site.receiver, &webhook, &before, authors).await;

    let export = ["export", "--organization", acme.slug()];
    let exported = site.installation.command(&export).await;
    let copy = install(other).await;
    let file = copy.data_dir.join("copy.jsonl");
    std::fs::write(&file, &exported).expect("the file is written");
    copy.command(&["import", file.to_str().expect("a path in UTF-8")]).await;
    let again = copy.command(&export).await;
    let differs = exported.lines().zip(again.lines()).find(|(one, two)| one != two);
    assert_eq!(differs, None, "seed {seed}: the export of the other store differs");
    assert_eq!(exported.len(), again.len(), "seed {seed}: the other store has other records");
}

/// An empty store, whose servers deliver to receivers on this machine.
async fn install(store: Store) -> Installation {
    // No delivery fails for good, however long the receiver does.
    let schedule = ["1s"; 100].join(",");
    let settings = [
        ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true"),
        ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", schedule.as_str()),
    ];
    Installation::new(store, &settings).await
}

/// An organization before its authors write.
struct Stage {
    acme: Organization,
    /// The subscription to all events.
    webhook: String,
    authors: Vec<Author>,
}

impl Stage {
    /// Imports the organization into an installation.
    async fn set(installation: &Installation, receiver: &Receiver, seed: u64) -> Self {
        let mut draft = Draft::new();
        let event_types: Vec<&str> = EventType::ALL.iter().map(|it| it.code()).collect();
        let webhook = draft.webhook(
            json!({"url": receiver.url(), "event_types": event_types, "signing_secret": SECRET}),
        );
        let world = Arc::new(World::of(&mut draft));
        let authors =
            (0..AUTHORS).map(|number| Author::new(&world, &mut draft, seed, number)).collect();
        let acme = draft.open_in(installation).await;
        let ledger =
            ["organization", "set", "--organization", acme.slug(), "--events-ledger", "on"];
        installation.command(&ledger).await;
        Self { acme, webhook, authors }
    }
}

/// Waits until all events have arrived, and compares what is there with what was acknowledged.
/// `before` has the records that the authors found. Returns the model of all authors.
async fn compare(
    acme: &Organization,
    receiver: &Receiver,
    webhook: &str,
    before: &BTreeMap<String, Value>,
    authors: Vec<Author>,
) -> Model {
    let (mut model, mut history) = (Model::default(), Vec::new());
    for author in authors {
        model.add(author.model);
        history.extend(author.history);
    }
    let began = Instant::now();
    checks::settled(acme, receiver).await;
    let settled = began.elapsed();
    let ledger = acme.walk("/events/list", json!({}), 100).await;
    let listed = checks::listed(acme).await;
    let mut found = checks::of_records(&model, &listed, before);
    found.extend(checks::of_votes(acme, &model, &listed).await);
    found.extend(checks::of_events(&model, &ledger));
    found.extend(checks::of_deliveries(receiver, webhook, &ledger));
    println!("  acknowledged: {:?}", model.acknowledged);
    println!("  {} refused, {} sent again", model.refused, model.unanswered);
    let deliveries = receiver.count();
    println!("  {} events in {deliveries} deliveries, settled in {settled:?}", ledger.len());
    let told: Vec<String> = found
        .iter()
        .take(10)
        .map(|(id, what)| format!("{id} {what}\n{}", around(&history, id)))
        .collect();
    assert!(found.is_empty(), "{} deviations\n{}", found.len(), told.join("\n"));
    model
}

/// Does the writes of an author, one after the other, until the end.
async fn write(
    mut author: Author,
    acme: Organization,
    base: watch::Receiver<String>,
    end: watch::Receiver<bool>,
) -> Author {
    while !*end.borrow() {
        let Write { path, mut body, effect } = author.draw();
        let line = format!("{path} {body}");
        body["api_key"] = acme.key().into();
        let deadline = system::deadline();
        let (status, answer) = loop {
            // The server may be another one by now.
            let url = format!("{}/api/external/v1{path}", *base.borrow());
            let request = acme.client().post(url).header("Idempotency-Key", author.key());
            let request = request.timeout(Duration::from_secs(10)).json(&body);
            if let Some(answer) = ask(path, request).await {
                break answer;
            }
            author.model.unanswered += 1;
            assert!(Instant::now() < deadline, "no answer to {line}");
            sleep(Duration::from_millis(50)).await;
        };
        let line = format!("{} {line}: {status} {answer}", author.key());
        author.history.push(line.clone());
        let is_right = if effect.is_some() { status == 200 } else { (400..500).contains(&status) };
        assert!(is_right, "{line}\n{}", around_all(&author.history, &body));
        match effect {
            Some(effect) => {
                effect(&mut author.model, &answer);
                *author.model.acknowledged.entry(path).or_default() += 1;
            }
            None => author.model.refused += 1,
        }
    }
    author
}

/// The status and the body of an answer. `None` if the write has to be sent again.
async fn ask(path: &str, request: reqwest::RequestBuilder) -> Option<(u16, Value)> {
    let answer = request.send().await.ok()?;
    let status = answer.status().as_u16();
    let body = answer.bytes().await.ok()?;
    check(&format!("/api/external/v1{path}"), status, &body);
    (status < 500).then(|| (status, serde_json::from_slice(&body).expect("JSON")))
}

/// The last writes that name a record.
fn around(history: &[String], id: &str) -> String {
    let all: Vec<&str> =
        history.iter().filter(|line| line.contains(id)).map(String::as_str).collect();
    all[all.len().saturating_sub(30)..].join("\n")
}

/// The last writes that name the record of a body.
fn around_all(history: &[String], body: &Value) -> String {
    let ids = ["post_id", "comment_id", "entry_id", "article_id", "merge_post_id"];
    let id = ids.iter().find_map(|member| body[*member].as_str());
    around(history, id.unwrap_or_default())
}
