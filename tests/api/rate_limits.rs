//! Rate limits. They are off by default.

use crate::support::{Draft, Installation, Server, Store, TestResponse, error};
use serde_json::{Value, json};

const PER_KEY: &str = "HEARBACK_RATE_LIMIT_PER_KEY";
const PER_ADDRESS: &str = "HEARBACK_RATE_LIMIT_PER_ADDRESS";
const TRUSTED_PROXIES: &str = "HEARBACK_TRUSTED_PROXIES";

/// Starts a server with limits by the hour, which do not refill while a test runs.
async fn serve(settings: &[(&'static str, &str)]) -> (Installation, Server) {
    let installation = Installation::new(Store::Sqlite, settings).await;
    let server = installation.serve();
    (installation, server)
}

/// The values of the headers `RateLimit-Limit` and `RateLimit-Remaining`.
fn told(answer: &TestResponse) -> [Option<&str>; 2] {
    ["ratelimit-limit", "ratelimit-remaining"]
        .map(|name| answer.headers.get(name).map(|value| value.to_str().expect("a text")))
}

#[tokio::test]
async fn a_write_above_the_limit_of_a_key_is_not_done() {
    let (installation, server) = serve(&[(PER_KEY, "3/h")]).await;
    let mut acme = Draft::new();
    let board = acme.board(json!({}));
    let (author, status) = (acme.user(json!({})), acme.status(json!({})));
    let post = acme.post(json!({"board_id": board, "author_id": author, "status_id": status}));
    let voter = acme.user(json!({}));
    let toggle = json!({"user_id": voter, "post_id": post, "post_type": "feedback"});
    let acme = acme.open_in(&installation).await.at(&server);

    for (voted, remaining) in [(true, "2"), (false, "1"), (true, "0")] {
        let answer = acme.post("/votes/toggle", toggle.clone()).await;
        assert_eq!(told(&answer), [Some("3"), Some(remaining)]);
        assert_eq!(answer.expect(200), json!({"voted": voted}));
    }
    for _ in 0..3 {
        let answer = acme.post("/votes/toggle", toggle.clone()).await;
        assert_eq!(told(&answer), [Some("3"), Some("0")]);
        let seconds = |name: &str| {
            answer.headers[name].to_str().expect("a text").parse::<u64>().expect("a number")
        };
        assert!((1..=1200).contains(&seconds("retry-after")), "{}", seconds("retry-after"));
        assert!(
            (2401..=3600).contains(&seconds("ratelimit-reset")),
            "{}",
            seconds("ratelimit-reset")
        );
        assert_eq!(answer.expect(429), error("rate limit exceeded"));
    }
    let votes: Vec<Value> =
        acme.export().await.into_iter().filter(|record| record["kind"] == "vote").collect();
    assert_eq!(votes.len(), 1, "{votes:?}");

    // Another organization has a limit of its own, and each server counts separately.
    let other = Draft::new().open_in(&installation).await.at(&server);
    other.post("/tags/list", json!({})).await.expect(200);
    let second = installation.serve();
    acme.at(&second).post("/tags/list", json!({})).await.expect(200);
}

#[tokio::test]
async fn an_address_has_a_limit_of_its_own_which_probes_do_not_use_up() {
    let (installation, server) = serve(&[(PER_ADDRESS, "2/h")]).await;
    let acme = Draft::new().open_in(&installation).await.at(&server);
    let get = async |path: &str| {
        acme.client()
            .get(format!("{}{path}", server.base()))
            .send()
            .await
            .expect("an answer")
            .status()
    };
    for path in ["/healthz", "/readyz", "/openapi.json", "/nowhere"] {
        assert_eq!(get(path).await, if path == "/nowhere" { 404 } else { 200 }, "{path}");
    }
    acme.post("/tags/list", json!({})).await.expect(200);
    assert_eq!(get("/unsubscribe/x").await, 404);
    assert_eq!(acme.post("/tags/list", json!({})).await.expect(429), error("rate limit exceeded"));
    assert_eq!(get("/unsubscribe/x").await, 429);
    for path in ["/healthz", "/readyz", "/openapi.json"] {
        assert_eq!(get(path).await, 200, "{path}");
    }
}

#[tokio::test]
async fn only_a_trusted_proxy_may_name_the_clients_address() {
    for (trusted, second) in [("127.0.0.0/8", 200), ("10.0.0.0/8", 429)] {
        let (installation, server) =
            serve(&[(PER_ADDRESS, "1/h"), (TRUSTED_PROXIES, trusted)]).await;
        let acme = Draft::new().open_in(&installation).await.at(&server);
        let body = json!({"api_key": acme.key()}).to_string();
        let url = format!("{}/api/external/v1/tags/list", server.base());
        for (client, status) in
            [("198.51.100.1", 200), ("198.51.100.2", second), ("1.1.1.1, 198.51.100.1", 429)]
        {
            let request =
                acme.client().post(&url).header("X-Forwarded-For", client).body(body.clone());
            assert_eq!(
                request.send().await.expect("an answer").status(),
                status,
                "{trusted} {client}"
            );
        }
    }
}
