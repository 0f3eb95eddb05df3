//! The examples accept each delivery of Hearback, handle it once, and refuse all other requests.

use super::example::{Example, Language};
use super::forged::{signed, with_header, with_text, without_header};
use crate::support::{
    Acme, Caller, Receiver, Request, Site, Store, Subscription, eventually, now, subscribe, webhook,
};
use rstest::rstest;
use serde_json::json;

/// A secret in the form that `hearback webhook add` prints.
const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

#[rstest]
#[tokio::test]
async fn an_example_accepts_a_servers_deliveries(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values(Language::Python, Language::Node, Language::Rust)] language: Language,
) {
    let (site, mut acme, example) =
        (Site::of(store).await, Acme::new(), Example::start(language, SECRET).await);
    acme.subscribed_with(json!({"url": example.url(), "signing_secret": SECRET}));
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);

    assert!(caller.toggle(&acme).await);
    assert_eq!(example.says().await, "a vote for Dark mode");
    // The example ignores this event type.
    assert!(!caller.toggle(&acme).await);
    assert!(caller.toggle(&acme).await);
    assert_eq!(example.says().await, "a vote for Dark mode");

    let attempts = eventually("three deliveries", async || {
        let ledger =
            webhook(&site.installation, &acme, &["deliveries", "--state", "delivered"]).await;
        let attempts: Vec<Vec<String>> =
            ledger.lines().map(|line| columns(line, &[4, 5])).collect();
        (attempts.len() == 3).then_some(attempts)
    })
    .await;
    assert_eq!(attempts, [["1", "204"]; 3]);
}

/// The columns of a line with these numbers.
fn columns(line: &str, numbers: &[usize]) -> Vec<String> {
    let columns: Vec<&str> = line.split('\t').collect();
    numbers.iter().map(|number| columns[*number].to_owned()).collect()
}

#[rstest]
#[tokio::test]
async fn an_example_handles_a_repeated_delivery_once(
    #[values(Language::Python, Language::Node, Language::Rust)] language: Language,
) {
    let (delivery, secret) = delivery().await;
    let example = Example::start(language, &secret).await;

    assert_eq!(example.answers(&delivery).await, 204);
    assert_eq!(example.says().await, "a vote for Dark mode");
    assert_eq!(example.answers(&delivery).await, 204);
    let retry = signed(
        with_header(delivery.clone(), "webhook-timestamp", &seconds_from_now(-100)),
        &secret,
    );
    assert_eq!(example.answers(&retry).await, 204);
    let unknown = with_text(delivery.clone(), "vote.created", "board.painted");
    let unknown = with_header(unknown, "webhook-id", "36a3a9f2-12ae-5f1d-8d0e-a2c23b8d8a11");
    assert_eq!(example.answers(&signed(unknown, &secret)).await, 204);

    // The next line of its output is about the next delivery.
    let another = with_text(delivery, "Dark mode", "Größe \\\"L\\\" 👕");
    let another = with_header(another, "webhook-id", "0d5c9dd5-9ad1-5bd0-9f44-6cb7a1f4c1d7");
    assert_eq!(example.answers(&signed(another, &secret)).await, 204);
    assert_eq!(example.says().await, "a vote for Größe \"L\" 👕");
}

#[rstest]
#[tokio::test]
async fn an_example_refuses_a_changed_or_old_delivery(
    #[values(Language::Python, Language::Node, Language::Rust)] language: Language,
) {
    let (delivery, secret) = delivery().await;
    let example = Example::start(language, &secret).await;
    let of = |name: &str, value: &str| with_header(delivery.clone(), name, value);
    let at = |seconds| signed(of("webhook-timestamp", &seconds_from_now(seconds)), &secret);
    let tampered = with_text(delivery.clone(), "Dark mode", "Dork mode");
    let by_another = signed(delivery.clone(), SECRET);
    let another_body = signed(tampered.clone(), &secret);

    for (what, request) in [
        ("another body", tampered),
        ("another secret", by_another.clone()),
        (
            "another secret in one header",
            of("x-service-signature", by_another.header("x-service-signature")),
        ),
        (
            "another secret in the other",
            of("webhook-signature", by_another.header("webhook-signature")),
        ),
        (
            "a signature of another body",
            of("x-service-signature", another_body.header("x-service-signature")),
        ),
        (
            "the other signature of another body",
            of("webhook-signature", another_body.header("webhook-signature")),
        ),
        ("another delivery", of("webhook-id", "0d5c9dd5-9ad1-5bd0-9f44-6cb7a1f4c1d7")),
        ("another time", of("webhook-timestamp", &seconds_from_now(-10))),
        ("too old", at(-310)),
        ("too new", at(310)),
        ("no signature", without_header(delivery.clone(), "x-service-signature")),
        ("no other signature", without_header(delivery.clone(), "webhook-signature")),
        ("no identifier", without_header(delivery.clone(), "webhook-id")),
        ("no time", without_header(delivery.clone(), "webhook-timestamp")),
        ("an empty signature", of("x-service-signature", "")),
        ("another empty signature", of("webhook-signature", "v1,")),
        ("a malformed signature", of("x-service-signature", "sha256=é")),
        ("another malformed signature", of("webhook-signature", "é, v1 v1,é")),
        ("a malformed time", of("webhook-timestamp", "é")),
    ] {
        assert_eq!(example.answers(&request).await, 401, "{what}");
    }

    // The example has handled none of these, and still accepts a genuine delivery.
    let another = signed(with_text(delivery, "Dark mode", "Offline"), &secret);
    assert_eq!(example.answers(&another).await, 204);
    assert_eq!(example.says().await, "a vote for Offline");
}

/// A delivery of a server, with the secret that signs it.
async fn delivery() -> (Request, String) {
    let (site, acme, receiver) =
        (Site::of(Store::Sqlite).await, Acme::new(), Receiver::start().await);
    acme.import(&site.installation).await;
    let Subscription { secret, .. } =
        subscribe(&site.installation, &acme, &receiver.url(), &[]).await;
    assert!(Caller::of(&site.server).toggle(&acme).await);
    (receiver.received(1).await.swap_remove(0), secret)
}

fn seconds_from_now(seconds: i64) -> String {
    (now().unix_millis() / 1000 + seconds).to_string()
}
