//! A database that becomes unreachable and comes back.

use crate::support::forward::{forward, listen};
use crate::support::{Draft, Installation, Site, Store, error, eventually, now, time, until};
use futures_util::future::{join, join_all};
use hearback_tests::postgres;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

// Two threads: while one waits for the server to start, the other forwards its connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_during_an_outage_get_a_retry_after_and_are_then_served() {
    let mut acme = Draft::new();
    let (post, ada) = (acme.post(json!({})), acme.user(json!({})));
    let acme = acme.open(Store::Postgres).await;
    let site = Site::of(Store::Postgres).await;
    let (listener, port) = listen(0).await;
    let way = forward(listener, site.installation().database_port());
    let server = site.installation().server_by_port(port);

    let ask = async |path: &str, body: &Value| {
        let mut body = body.clone();
        body["api_key"] = acme.key().into();
        let url = format!("{}/api/external/v1{path}", server.base());
        let answer =
            site.client().post(url).body(body.to_string()).send().await.expect("an answer");
        let retry_after = answer
            .headers()
            .get("retry-after")
            .map(|value| value.to_str().expect("text").to_owned());
        (answer.status().as_u16(), retry_after, answer.json::<Value>().await.expect("JSON"))
    };
    let requests = [
        ("/tags/list", json!({})),
        ("/feedback-posts/list", json!({"search": "dark"})),
        ("/votes/toggle", json!({"user_id": ada, "post_id": post, "post_type": "feedback"})),
    ];
    for (path, body) in &requests {
        assert_eq!(ask(path, body).await.0, 200, "{path}");
    }

    way.abort();
    assert!(way.await.is_err_and(|ended| ended.is_cancelled()));
    for (path, body) in &requests {
        let expected = (503, Some("1".to_owned()), error("temporarily unavailable"));
        assert_eq!(ask(path, body).await, expected, "{path}");
    }
    let ready =
        site.client().get(format!("{}/readyz", server.base())).send().await.expect("an answer");
    assert_eq!(ready.status(), 503);

    let (listener, _) = listen(port).await;
    let _way = forward(listener, site.installation().database_port());
    for (path, body) in &requests {
        assert_eq!(ask(path, body).await.0, 200, "{path}");
    }
}

/// Each connection that breaks has many reads under way.
// Two threads, so that the reads do not hold up the queries of the test itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_go_on_at_once_when_the_database_ends_every_connection() {
    let installation = Installation::new(Store::Postgres, &[]).await;
    let server = installation.serve();
    let mut acme = Draft::new();
    let post = acme.post(json!({}));
    let acme = acme.open_in(&installation).await.at(&server);
    let database = postgres::connect(&installation.database_url).await;
    let (answered, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));

    let read = async || {
        let mut slowest = Duration::ZERO;
        while !is_over.load(Ordering::Relaxed) {
            let began = Instant::now();
            acme.post_once("/feedback-posts/retrieve", json!({"id": post})).await.expect(200);
            slowest = slowest.max(began.elapsed());
            answered.fetch_add(1, Ordering::Relaxed);
        }
        slowest
    };
    let end_connections = async {
        for _ in 0..10 {
            // After this many reads, each new connection has run one.
            let enough = answered.load(Ordering::Relaxed) + 200;
            eventually("reads are answered", async || {
                (answered.load(Ordering::Relaxed) > enough).then_some(())
            })
            .await;
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
            let ended = database.query(end, &[]).await.expect("connections end").len();
            assert!(ended >= 2, "{ended} connections");
        }
        is_over.store(true, Ordering::Relaxed);
    };
    let (slowest, ()) = join(join_all((0..16).map(|_| read())), end_connections).await;
    let slowest = slowest.into_iter().max().unwrap_or_default();
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
}

// Two threads, as in the first test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_entry_that_fell_due_during_an_outage_is_published_after_it() {
    let installation = Installation::new(Store::Postgres, &[]).await;
    let acme = Draft::new().open_in(&installation).await;
    let (listener, port) = listen(0).await;
    let way = forward(listener, installation.database_port());
    let server = installation.server_by_port(port);
    let acme = acme.at(&server);
    let due = now().plus_millis(1_000);
    let entry =
        json!({"title": "Dark mode", "status_code": "scheduled", "scheduled_for": due.to_string()});
    acme.post("/changelog/create", entry).await.expect(200);

    way.abort();
    assert!(way.await.is_err_and(|ended| ended.is_cancelled()));
    until(due.plus_millis(1_000)).await;
    acme.post_once("/changelog/list", json!({})).await.expect(503);

    let back = now();
    let (listener, _) = listen(port).await;
    let _way = forward(listener, installation.database_port());
    let published_at = eventually("the entry is published", async || {
        let page = acme.post_once("/changelog/list", json!({})).await;
        let entry = (page.status == 200).then(|| page.expect(200)["items"][0].clone())?;
        (entry["status_code"] == "published").then(|| time(&entry["published_at"]))
    })
    .await;
    assert!(published_at >= back, "{published_at}");
}
