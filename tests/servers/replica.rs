//! `HEARBACK_READ_DATABASE_URL`: lists from a hot standby. They show every earlier write, made
//! through any server.

use super::support::{Draft, Installation, Organization, Server, Way, error, eventually};
use futures_util::future::join_all;
use hearback_tests::cluster::Cluster;
use hearback_tests::postgres::{self, Isolation};
use reqwest::Client;
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, MutexGuard, OnceCell};

const READ_DATABASE_URL: &str = "HEARBACK_READ_DATABASE_URL";

/// A primary and its standbys, with a database for one test. Tests run one after the other, since
/// all of them share the standbys.
struct Pair {
    cluster: &'static Cluster,
    database_url: String,
    _turn: MutexGuard<'static, ()>,
}

impl Pair {
    async fn take(isolation: Isolation) -> Self {
        static CLUSTER: OnceCell<Cluster> = OnceCell::const_new();
        static TURN: Mutex<()> = Mutex::const_new(());
        let turn = TURN.lock().await;
        let cluster = CLUSTER.get_or_init(async || Cluster::start(2)).await;
        Self {
            cluster,
            database_url: postgres::create_on(cluster.primary_url(), isolation).await,
            _turn: turn,
        }
    }

    /// A store whose servers read lists from the standby.
    fn installation(&self) -> Installation {
        self.reading_from(&self.standby_url())
    }

    /// An installation whose servers read lists from `url`.
    fn reading_from(&self, url: &str) -> Installation {
        // With port 0, the doctor always finds its port free.
        Installation::on(
            self.database_url.clone(),
            &[(READ_DATABASE_URL, url), ("HEARBACK_LISTEN", "127.0.0.1:0")],
        )
    }

    /// An installation whose servers reach the standbys in turn, through a [`Way`].
    async fn reading_by_a_way_to(&self, standbys: &[usize]) -> (Way, Installation) {
        let url = |standby| {
            reqwest::Url::parse(&self.cluster.at_standby(standby, &self.database_url))
                .expect("an address")
        };
        let way =
            Way::to(standbys.iter().map(|standby| url(*standby).port().expect("a port")).collect())
                .await;
        let mut url = url(1);
        url.set_port(Some(way.port)).expect("an address with a port");
        (way, self.reading_from(url.as_str()))
    }

    fn standby_url(&self) -> String {
        self.cluster.at_standby(1, &self.database_url)
    }

    /// Runs a statement on the first standby as superuser.
    async fn on_standby(&self, statement: &str) {
        self.cluster.standby(1).await.batch_execute(statement).await.expect("the statement runs");
    }
}

/// The number of list reads of a server, by the replica and by the primary in its place.
#[derive(Clone, Copy, Debug)]
struct Reads {
    replica: u64,
    primary: u64,
}

impl Reads {
    async fn of(server: &Server) -> Self {
        let page = Client::new()
            .get(format!("{}/metrics", server.base()))
            .send()
            .await
            .expect("an answer");
        let page = page.text().await.expect("text");
        let from = |whom: &str| {
            let series = format!("hearback_replica_reads_total{{from=\"{whom}\"}} ");
            page.lines()
                .find_map(|line| line.strip_prefix(&series))
                .expect("the counter")
                .parse()
                .expect("a count")
        };
        Self { replica: from("replica"), primary: from("primary") }
    }
}

/// Reads lists until the replica serves one.
async fn replica_is_used(server: &Server, acme: &Organization) {
    let before = Reads::of(server).await;
    eventually("the replica is read from", async || {
        acme.post("/tags/list", json!({})).await.expect(200);
        (Reads::of(server).await.replica > before.replica).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_of_one_server_shows_earlier_writes_through_another() {
    const WORKERS: usize = 6;
    const ROUNDS: usize = 80;
    let pair = Pair::take(Isolation::ReadCommitted).await;
    let installation = pair.installation();
    let servers = [installation.serve(), installation.serve()];
    let mut draft = Draft::new();
    let posts: Vec<String> = (0..WORKERS).map(|_| draft.post(json!({}))).collect();
    let (ada, collection) = (draft.user(json!({})), draft.collection(json!({})));
    draft.receiver();
    let acme = draft.open_in(&installation).await;
    join_all(posts.iter().enumerate().map(async |(worker, post)| {
        for round in 0..ROUNDS {
            let (writer, reader) = (acme.at(&servers[round % 2]), acme.at(&servers[1 - round % 2]));
            for is_cast in [true, false] {
                let body = json!({"user_id": ada, "post_id": post, "post_type": "feedback"});
                assert_eq!(writer.post("/votes/toggle", body).await.expect(200)["voted"], is_cast);
                let voters = reader
                    .post("/votes/voters", json!({"post_id": post, "post_type": "feedback"}))
                    .await
                    .expect(200);
                assert_eq!(
                    voters["items"].as_array().map(Vec::len),
                    Some(usize::from(is_cast)),
                    "{worker}: {round}"
                );
            }
            let word = format!("w{worker}x{round}");
            let article = json!({"collection_id": collection, "title": word});
            let id = writer.post("/help-articles/create", article).await.expect(200)["id"].clone();
            let found =
                reader.post("/help-articles/search", json!({"query": word})).await.expect(200);
            assert_eq!(found["items"][0]["id"], id, "{worker}: {round}");
            let listed = reader
                .post("/help-articles/list", json!({"sort": "newest", "limit": 50}))
                .await
                .expect(200);
            assert!(
                listed["items"].as_array().expect("items").iter().any(|item| item["id"] == id),
                "{worker}: {round}"
            );
        }
    }))
    .await;
    for server in &servers {
        let reads = Reads::of(server).await;
        assert!(reads.replica > 100, "{reads:?}");
    }
    // The standby itself counts its scans too.
    let standby = postgres::connect(&pair.standby_url()).await;
    let counted = standby
        .query_one(
            "SELECT seq_scan + idx_scan FROM pg_stat_user_tables WHERE relname = 'votes'",
            &[],
        )
        .await;
    assert!(counted.expect("statistics").get::<_, i64>(0) > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_replica_is_behind_lists_come_from_the_primary_at_once_and_keys_always_do() {
    let pair = Pair::take(Isolation::ReadCommitted).await;
    let installation = pair.installation();
    let server = installation.serve();
    let draft = Draft::new();
    let slug = draft.slug().to_owned();
    let acme = draft.open_in(&installation).await.at(&server);
    replica_is_used(&server, &acme).await;

    pair.on_standby("SELECT pg_wal_replay_pause()").await;
    let before = Reads::of(&server).await;
    let mut slowest = Duration::ZERO;
    for round in 1..=50 {
        acme.post("/changelog/create", json!({"title": "Dark mode"})).await.expect(200);
        let started = Instant::now();
        let page = acme.post("/changelog/list", json!({"limit": 100})).await.expect(200);
        slowest = slowest.max(started.elapsed());
        assert_eq!(page["items"].as_array().map(Vec::len), Some(round));
    }
    let after = Reads::of(&server).await;
    assert_eq!((after.replica, after.primary), (before.replica, before.primary + 50));
    assert!(slowest < Duration::from_millis(500), "{slowest:?}");

    // The standby's replay is paused, so it still has the old keys.
    installation.command(&["key", "revoke", "--organization", &slug]).await;
    assert_eq!(acme.post("/changelog/list", json!({})).await.expect(401), error("invalid api_key"));
    let key = installation.command(&["key", "generate", "--organization", &slug]).await;
    let body = json!({"api_key": key.trim()}).to_string();
    let answer = acme
        .client()
        .post(acme.url("/changelog/list"))
        .body(body.clone())
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status(), 200);

    pair.on_standby("SELECT pg_wal_replay_resume()").await;
    eventually("the replica is read from again", async || {
        let answer = acme
            .client()
            .post(acme.url("/changelog/list"))
            .body(body.clone())
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status(), 200);
        (Reads::of(&server).await.replica > after.replica).then_some(())
    })
    .await;
}

/// Reads lists and searches without pause until `done` ends. Each list and each search must show
/// all records.
async fn under_load(acme: &Organization, done: impl Future<Output = ()>) {
    let is_over = AtomicBool::new(false);
    let listing = join_all((0..4).map(async |worker| {
        let mut count = 0_u64;
        while !is_over.load(Ordering::Relaxed) {
            let body = if worker == 0 { json!({"search": "post"}) } else { json!({}) };
            let page = acme.post("/feedback-posts/list", body).await.expect(200);
            assert_eq!(page["items"].as_array().map(Vec::len), Some(5));
            count += 1;
        }
        count
    }));
    let done = async {
        done.await;
        is_over.store(true, Ordering::Relaxed);
    };
    let (counts, ()) = tokio::join!(listing, done);
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

/// An organization with five posts.
fn five_posts() -> Draft {
    let mut draft = Draft::new();
    for n in 0..5 {
        draft.post(json!({"title": format!("Post {n}")}));
    }
    draft
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_that_is_stopped_fails_no_request_and_is_used_again_when_it_is_back() {
    let pair = Pair::take(Isolation::Serializable).await;
    let installation = pair.installation();
    let server = installation.serve();
    let acme = five_posts().open_in(&installation).await.at(&server);
    replica_is_used(&server, &acme).await;
    under_load(&acme, async {
        for _ in 0..2 {
            pair.cluster.control("stop", 1).await;
            let before = Reads::of(&server).await;
            eventually("lists come from the primary", async || {
                let now = Reads::of(&server).await;
                (now.primary > before.primary + 20).then_some(())
            })
            .await;
            pair.cluster.control("start", 1).await;
            replica_is_used(&server, &acme).await;
        }
        // The database servers keep running. Only queries are cancelled, and then sessions end.
        for _ in 0..20 {
            pair.on_standby("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'hearback'").await;
        }
        pair.on_standby("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hearback'").await;
        replica_is_used(&server, &acme).await;
    })
    .await;
    let log = server.log();
    assert!(log.contains("lists are read from the primary"), "{log}");
    assert!(log.contains("lists are read from the replica again"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_standby_costs_two_seconds_once() {
    let pair = Pair::take(Isolation::ReadCommitted).await;
    let (way, installation) = pair.reading_by_a_way_to(&[1]).await;
    let server = installation.serve();
    let acme = five_posts().open_in(&installation).await.at(&server);
    replica_is_used(&server, &acme).await;
    way.set_open(false);
    let mut waited = Duration::ZERO;
    for _ in 0..20 {
        let started = Instant::now();
        acme.post("/feedback-posts/list", json!({})).await.expect(200);
        waited += started.elapsed();
    }
    // If each of the 20 reads waited for two seconds, they would take 40 seconds.
    assert!(waited < Duration::from_secs(20), "{waited:?}");
    way.set_open(true);
    replica_is_used(&server, &acme).await;
}

/// The standby's startup process cancels queries that hold up the replay.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_is_in_the_way_of_the_replay_is_answered_by_the_primary() {
    let pair = Pair::take(Isolation::ReadCommitted).await;
    let installation = pair.installation();
    let server = installation.serve();
    let acme = five_posts().open_in(&installation).await.at(&server);
    replica_is_used(&server, &acme).await;
    pair.on_standby("ALTER SYSTEM SET max_standby_streaming_delay = 0").await;
    pair.on_standby("SELECT pg_reload_conf()").await;
    let conflicts = async || {
        let standby = pair.cluster.standby(1).await;
        let row = standby
            .query_one("SELECT sum(confl_lock)::int8 FROM pg_stat_database_conflicts", &[])
            .await;
        row.expect("statistics").get::<_, i64>(0)
    };
    let before = conflicts().await;
    let primary = postgres::connect(&pair.database_url).await;
    under_load(&acme, async {
        eventually("a conflict", async || {
            for _ in 0..20 {
                let lock = "BEGIN; LOCK TABLE feedback_posts, votes, comments IN ACCESS EXCLUSIVE MODE; COMMIT";
                primary.batch_execute(lock).await.expect("the tables are locked");
            }
            (conflicts().await > before).then_some(())
        })
        .await;
    })
    .await;
    pair.on_standby("ALTER SYSTEM RESET max_standby_streaming_delay").await;
    pair.on_standby("SELECT pg_reload_conf()").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_starts_without_its_standby_and_takes_it_up_when_it_is_there() {
    let pair = Pair::take(Isolation::ReadCommitted).await;
    let installation = pair.installation();
    pair.cluster.control("stop", 1).await;
    let server = installation.serve();
    let acme = five_posts().open_in(&installation).await.at(&server);
    assert_eq!(acme.walk("/feedback-posts/list", json!({}), 100).await.len(), 5);
    let log = server.log();
    assert!(log.contains("lists are read from the primary"), "{log}");
    assert!(!log.contains(&password(&pair.standby_url())), "{log}");
    let said = installation.command(&["doctor"]).await;
    let told = format!(
        "warning  lists are not read from the replica {}: cannot connect",
        shown(&pair.standby_url())
    );
    assert!(said.contains(&told), "{said}");

    pair.cluster.control("start", 1).await;
    replica_is_used(&server, &acme).await;
    let said = installation.command(&["doctor"]).await;
    let told = format!(
        "ok       the replica {} is a standby of the database and has replayed its whole log",
        shown(&pair.standby_url())
    );
    assert!(said.contains(&told), "{said}");
}

/// An address without its secrets.
fn shown(url: &str) -> String {
    let (_, place) = url.split_once('@').expect("a user");
    format!("postgres://{place}")
}

fn password(url: &str) -> String {
    reqwest::Url::parse(url).expect("an address").password().expect("a password").to_owned()
}

#[tokio::test]
async fn a_server_with_another_database_is_refused() {
    let pair = Pair::take(Isolation::ReadCommitted).await;
    let of_another_cluster = postgres::create(Isolation::ReadCommitted).await;
    let beside = postgres::create_on(pair.cluster.primary_url(), Isolation::ReadCommitted).await;
    pair.cluster.has_caught_up(1).await;
    for other in [of_another_cluster, pair.cluster.at_standby(1, &beside)] {
        let installation = pair.reading_from(&other);
        let said = installation.failure(&["serve"]).await;
        let told = "it is a replica of another database than DATABASE_URL names, or of none";
        let line = format!(
            "hearback: cannot read lists from {} (HEARBACK_READ_DATABASE_URL): {told}",
            shown(&other)
        );
        assert_eq!(said.lines().last(), Some(&*line));
        assert!(!said.contains(&password(&other)), "{said}");
        let said = installation.failure(&["doctor"]).await;
        let line =
            format!("problem  lists are not read from the replica {}: {told}", shown(&other));
        assert!(said.lines().any(|said| said == line), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn standbys_that_take_turns_behind_one_address_are_not_read_from() {
    let pair = Pair::take(Isolation::ReadCommitted).await;
    let (_way, installation) = pair.reading_by_a_way_to(&[1, 2]).await;
    let server = installation.serve();
    let acme = five_posts().open_in(&installation).await.at(&server);
    for _ in 0..20 {
        assert_eq!(acme.walk("/feedback-posts/list", json!({}), 100).await.len(), 5);
    }
    let reads = Reads::of(&server).await;
    assert_eq!((reads.replica, reads.primary), (0, 20));
    let log = server.log();
    assert!(log.contains("its address leads to several servers"), "{log}");
}

/// The first of three standbys is promoted: the old primary does not have its later writes. A
/// server whose primary is the promoted standby must not read from the second standby, although the
/// second one has replayed a longer log. The two logs share only their beginning. The third standby
/// follows the promoted one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_that_was_promoted_is_not_read_from_nor_is_one_that_did_not_follow_it() {
    let cluster = Cluster::start(3);
    let database_url = postgres::create_on(cluster.primary_url(), Isolation::ReadCommitted).await;
    let reading_from = |standby| [(READ_DATABASE_URL, cluster.at_standby(standby, &database_url))];
    let [(name, url)] = &reading_from(1);
    let installation = Installation::on(database_url.clone(), &[(name, url)]);
    let server = installation.serve();
    let acme = five_posts().open_in(&installation).await.at(&server);
    replica_is_used(&server, &acme).await;
    for standby in 1..=3 {
        cluster.has_caught_up(standby).await;
    }
    cluster
        .standby(1)
        .await
        .batch_execute("SELECT pg_promote()")
        .await
        .expect("the standby is promoted");
    let promoted = postgres::connect(url).await;
    promoted
        .batch_execute("UPDATE feedback_posts SET title = 'Another history'")
        .await
        .expect("the server accepts writes");
    let before = Reads::of(&server).await;
    for _ in 0..20 {
        let page = acme.post("/feedback-posts/list", json!({})).await.expect(200);
        assert_eq!(page["items"][0]["title"], "Post 4");
    }
    let after = Reads::of(&server).await;
    assert_eq!((after.replica, after.primary), (before.replica, before.primary + 20));
    let log = server.log();
    assert!(log.contains("it is no standby, it takes writes by itself"), "{log}");

    let [(name, of_old)] = &reading_from(2);
    let server = Installation::on(url.clone(), &[(name, of_old)]).serve();
    let acme_there = acme.at(&server);
    cluster.follow(3, 1).await;
    // The old primary writes far more than the promoted standby.
    let old = postgres::connect(&database_url).await;
    old.batch_execute("CREATE TABLE more AS SELECT generate_series(1, 100000)")
        .await
        .expect("the server accepts writes");
    cluster.has_caught_up(2).await;
    for _ in 0..20 {
        let page = acme_there.post("/feedback-posts/list", json!({})).await.expect(200);
        assert_eq!(page["items"][0]["title"], "Another history");
    }
    assert_eq!(Reads::of(&server).await.replica, 0);
    let log = server.log();
    assert!(log.contains("it is not on the primary's timeline"), "{log}");

    let [(name, of_new)] = &reading_from(3);
    let server = Installation::on(url.clone(), &[(name, of_new)]).serve();
    // A checkpoint of the promoted standby becomes a restart point of its follower after the
    // follower has replayed it.
    promoted.batch_execute("CHECKPOINT").await.expect("the checkpoint is made");
    eventually("the one that followed is read from", async || {
        cluster.standby(3).await.batch_execute("CHECKPOINT").await.expect("the checkpoint is made");
        let page = acme.at(&server).post("/feedback-posts/list", json!({})).await.expect(200);
        assert_eq!(page["items"][0]["title"], "Another history");
        (Reads::of(&server).await.replica > 0).then_some(())
    })
    .await;
}
