//! A network that loses everything between a server and its database.

use crate::support::{Draft, Installation, Store, Way, error, eventually};
use futures_util::future::join_all;
use serde_json::json;
use std::time::{Duration, Instant};

/// The limits of a request and of the readiness probe are 5 and 3 seconds. The machine may be slow.
const REQUEST: Duration = Duration::from_secs(7);
const PROBE: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_answered_within_five_seconds_while_the_database_is_silent() {
    let installation = Installation::new(Store::Postgres, &[]).await;
    let mut acme = Draft::new();
    let (post, ada) = (acme.post(json!({})), acme.user(json!({})));
    let acme = acme.open_in(&installation).await;
    let way = Way::to(vec![installation.database_port()]).await;
    let server = installation.server_by_port(way.port);
    let acme = acme.at(&server);
    let requests = [
        ("/tags/list", json!({})),
        ("/feedback-posts/list", json!({"search": "dark"})),
        ("/votes/toggle", json!({"user_id": ada, "post_id": post, "post_type": "feedback"})),
        ("/changelog/create", json!({"title": "Dark mode"})),
    ];
    let ask = async |(path, body): &(&str, serde_json::Value)| {
        let began = Instant::now();
        (acme.post_once(path, body.clone()).await, began.elapsed())
    };
    for request in &requests {
        ask(request).await.0.expect(200);
    }
    way.set_open(false);
    for _ in 0..2 {
        let probe = async {
            let began = Instant::now();
            let url = format!("{}/readyz", server.base());
            let answer = acme.client().get(url).send().await.expect("an answer");
            assert_eq!(answer.status(), 503);
            assert!(began.elapsed() < PROBE, "{:?}", began.elapsed());
        };
        let (answers, ()) = tokio::join!(join_all(requests.iter().map(ask)), probe);
        for ((answer, took), (path, _)) in answers.into_iter().zip(&requests) {
            assert_eq!(answer.expect(503), error("temporarily unavailable"), "{path}");
            assert_eq!(answer.headers["retry-after"], "1", "{path}");
            assert!(took < REQUEST, "{path}: {took:?}");
        }
    }
    way.set_open(true);
    for request in &requests {
        eventually("an answer after the silence", async || {
            (ask(request).await.0.status == 200).then_some(())
        })
        .await;
    }
}
