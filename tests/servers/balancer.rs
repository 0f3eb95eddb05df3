//! Three servers behind haproxy, which gives each connection to the next server. They respond as a
//! single server does.

use super::support::{Balancer, Draft, Installation, Organization, Server, Store};
use futures_util::future::join_all;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

const SERVERS: usize = 3;

/// Servers on one store, with a balancer in front of them.
struct Site {
    installation: Installation,
    servers: Vec<Server>,
    balancer: Balancer,
}

impl Site {
    async fn new() -> Self {
        let installation = Installation::new(Store::Postgres, &[]).await;
        let servers: Vec<Server> = (0..SERVERS).map(|_| installation.serve()).collect();
        let balancer = Balancer::start(&servers);
        Self { installation, servers, balancer }
    }

    /// The site that all tests share, except the tests that kill a server.
    async fn shared() -> &'static Self {
        static SITE: OnceCell<Site> = OnceCell::const_new();
        SITE.get_or_init(Self::new).await
    }

    /// An organization that calls the balancer, each time over a new connection.
    async fn open(&self, draft: Draft) -> Organization {
        draft.open_in(&self.installation).await.through(self.balancer.port)
    }
}

/// For each server, the number of requests for a path to which it has responded.
async fn answered(site: &Site, path: &str) -> Vec<u64> {
    let counts = site.servers.iter().map(async |server| {
        let text = Client::new()
            .get(format!("{}/metrics", server.base()))
            .send()
            .await
            .expect("an answer")
            .text()
            .await;
        let series = format!(
            "hearback_http_request_duration_seconds_count{{path=\"/api/external/v1{path}\""
        );
        let text = text.expect("text");
        text.lines()
            .filter(|line| line.starts_with(&series))
            .map(|line| line.rsplit_once(' ').expect("a value").1.parse::<u64>())
            .map(|count| count.expect("a count"))
            .sum()
    });
    join_all(counts).await
}

#[tokio::test]
async fn exactly_half_of_an_even_number_of_toggles_through_three_servers_cast_the_vote() {
    let site = Site::shared().await;
    let mut acme = Draft::new();
    let (post, ada) = (acme.post(json!({})), acme.user(json!({})));
    acme.receiver();
    let acme = site.open(acme).await;
    let before = answered(site, "/votes/toggle").await;
    let body = json!({"user_id": ada, "post_id": post, "post_type": "feedback"});
    for round in 1..=3 {
        let toggles = (0..60).map(async |_| {
            acme.post("/votes/toggle", body.clone()).await.expect(200)["voted"] == true
        });
        assert_eq!(
            join_all(toggles).await.into_iter().filter(|voted| *voted).count(),
            30,
            "round {round}"
        );
        let voters = acme
            .post("/votes/voters", json!({"post_id": post, "post_type": "feedback"}))
            .await
            .expect(200);
        assert_eq!(voters["items"], json!([]));
    }
    assert_eq!(acme.events().await.len(), 180);
    let after = answered(site, "/votes/toggle").await;
    assert!(
        before.iter().zip(&after).all(|(before, after)| *after >= before + 40),
        "each server gets a third: {before:?}, {after:?}"
    );
}

#[tokio::test]
async fn a_write_that_is_repeated_on_other_servers_is_done_once() {
    let site = Site::shared().await;
    let mut acme = Draft::new();
    let (post, ada) = (acme.post(json!({})), acme.user(json!({})));
    let collection = acme.collection(json!({}));
    acme.receiver();
    let acme = site.open(acme).await;
    for (path, body) in [
        ("/votes/toggle", json!({"user_id": ada, "post_id": post, "post_type": "feedback"})),
        ("/help-categories/create", json!({"collection_id": collection, "name": "Made once"})),
        ("/changelog/create", json!({"title": "Made once", "status_code": "published"})),
    ] {
        let at_once = join_all((0..12).map(|_| acme.repeat(path, "once", body.clone()))).await;
        let first = at_once[0].expect(200);
        let mut answers = at_once;
        for _ in 0..SERVERS {
            answers.push(acme.repeat(path, "once", body.clone()).await);
        }
        assert!(answers.iter().all(|answer| answer.expect(200) == first), "{path}");
        let done = answers
            .iter()
            .filter(|answer| answer.headers.get("idempotent-replayed").is_none())
            .count();
        assert_eq!(done, 1, "{path}");
    }
    assert_eq!(acme.events().await.len(), 1, "one vote has one event");
    let made = acme
        .export()
        .await
        .into_iter()
        .filter(|record| [&record["name"], &record["title"]].contains(&&json!("Made once")));
    assert_eq!(made.count(), 2);
}

#[tokio::test]
async fn a_page_of_one_server_is_continued_by_the_next() {
    let site = Site::shared().await;
    let mut acme = Draft::new();
    let ada = acme.user(json!({}));
    let post = acme.post(json!({}));
    for n in 0..20 {
        acme.entry(json!({"title": format!("Entry {n}"), "created_at": format!("2026-01-{:02}", n % 7 + 1)}));
        acme.comment(
            &post,
            json!({"author_id": ada, "created_at": format!("2026-01-{:02}", n % 7 + 1)}),
        );
        acme.post(json!({"title": format!("Post {n}"), "created_at": format!("2026-01-{:02}", n % 7 + 1)}));
    }
    let acme = site.open(acme).await;
    let alone = acme.at(&site.servers[0]);
    for (path, body) in [
        ("/changelog/list", json!({"sort": "oldest"})),
        ("/comments/list", json!({"feedback_post_id": post})),
        ("/feedback-posts/list", json!({})),
        ("/feedback-posts/list", json!({"search": "post"})),
    ] {
        let whole = alone.walk(path, body.clone(), 100).await;
        assert!(whole.len() >= 20, "{path}");
        assert_eq!(acme.walk(path, body, 3).await, whole, "{path}");
    }
}

#[tokio::test]
async fn while_a_server_is_killed_the_others_go_on_and_every_write_is_done_once() {
    const VOTERS: usize = 120;
    let mut site = Site::new().await;
    let mut acme = Draft::new();
    let post = acme.post(json!({}));
    let voters: Vec<String> = (0..VOTERS).map(|_| acme.user(json!({}))).collect();
    acme.receiver();
    let acme = site.open(acme).await;
    let killed = site.servers.remove(1);
    let first_is_cast = tokio::sync::Notify::new();
    let casting = join_all((0..6).map(async |worker| {
        let mut cut_off = 0;
        for voter in voters.iter().skip(worker).step_by(6) {
            let body = json!({"api_key": acme.key(), "user_id": voter, "post_id": post, "post_type": "feedback"}).to_string();
            // A client that was cut off does not know the outcome of its write, and sends it again.
            let told: Value = loop {
                let request = acme.client().post(acme.url("/votes/toggle")).header("Idempotency-Key", voter);
                match request.body(body.clone()).send().await {
                    Ok(answer) => {
                        assert_eq!(answer.status(), 200);
                        break answer.json().await.expect("JSON");
                    }
                    Err(_) => cut_off += 1,
                }
            };
            assert_eq!(told, json!({"voted": true}));
            first_is_cast.notify_one();
        }
        cut_off
    }));
    let killing = async {
        first_is_cast.notified().await;
        killed.kill();
    };
    let (cut_off, ()) = tokio::join!(casting, killing);
    let cut_off: usize = cut_off.into_iter().sum();
    assert!(cut_off <= 6, "only requests to the killed server are cut off: {cut_off}");
    assert_eq!(acme.events().await.len(), VOTERS);
    let page =
        acme.walk("/votes/voters", json!({"post_id": post, "post_type": "feedback"}), 100).await;
    assert_eq!(page.len(), VOTERS);
}
