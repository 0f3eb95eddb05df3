//! A database that goes away and comes back.

use crate::support::{Draft, Installation, Site, Store, error, eventually, now, time, until};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

// On two threads: the way to the database is open while one of them waits for the server to start.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_database_is_away_requests_are_told_to_try_again_and_then_served() {
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
        let answer = site.client().post(url).body(body.to_string()).send().await.expect("an answer");
        let retry_after = answer.headers().get("retry-after").map(|value| value.to_str().expect("text").to_owned());
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
    let ready = site.client().get(format!("{}/readyz", server.base())).send().await.expect("an answer");
    assert_eq!(ready.status(), 503);

    let (listener, _) = listen(port).await;
    let _way = forward(listener, site.installation().database_port());
    for (path, body) in &requests {
        assert_eq!(ask(path, body).await.0, 200, "{path}");
    }
}

// On two threads, as above.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_fell_due_while_the_database_was_away_is_published_when_it_is_back() {
    let installation = Installation::new(Store::Postgres, &[]).await;
    let acme = Draft::new().open_in(&installation).await;
    let (listener, port) = listen(0).await;
    let way = forward(listener, installation.database_port());
    let server = installation.server_by_port(port);
    let acme = acme.at(&server);
    let due = now().plus_millis(1_000);
    let entry = json!({"title": "Dark mode", "status_code": "scheduled", "scheduled_for": due.to_string()});
    acme.post("/changelog/create", entry).await.expect(200);

    way.abort();
    assert!(way.await.is_err_and(|ended| ended.is_cancelled()));
    until(due.plus_millis(1_000)).await;
    acme.post("/changelog/list", json!({})).await.expect(503);

    let back = now();
    let (listener, _) = listen(port).await;
    let _way = forward(listener, installation.database_port());
    let published_at = eventually("the entry is published", async || {
        let page = acme.post("/changelog/list", json!({})).await;
        let entry = (page.status == 200).then(|| page.expect(200)["items"][0].clone())?;
        (entry["status_code"] == "published").then(|| time(&entry["published_at"]))
    })
    .await;
    assert!(published_at >= back, "{published_at}");
}

async fn listen(port: u16) -> (TcpListener, u16) {
    let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

/// Carries connections to a port until it is aborted, which breaks them.
fn forward(listener: TcpListener, to: u16) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((mut near, _)) = listener.accept().await {
            connections.spawn(async move {
                let mut far = TcpStream::connect(("127.0.0.1", to)).await?;
                tokio::io::copy_bidirectional(&mut near, &mut far).await
            });
        }
    })
}
