//! The Python library of the Standard Webhooks specification, as published on PyPI, verifies
//! Hearback's deliveries.

use super::forged::{with_header, with_text};
use super::{in_repository, interpreter};
use crate::support::{
    Acme, Caller, Receiver, Request, Site, Store, Subscription, service_signature, subscribe,
    webhook,
};
use rstest::rstest;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;

#[rstest]
#[tokio::test]
async fn a_delivery_verifies_as_it_is(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let (site, acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.import(&site.installation).await;
    let Subscription { secret, .. } =
        subscribe(&site.installation, &acme, &receiver.url(), &[]).await;
    assert!(Caller::of(&site.server).toggle(&acme).await);
    let delivery = receiver.received(1).await.swap_remove(0);

    let another = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    let earlier = (delivery.at / 1000 - 310).to_string();
    assert_eq!(verify(&secret, &delivery), Verdict::Verified(delivery.json()));
    assert_eq!(verify(another, &delivery), no_match());
    assert_eq!(verify(&secret, &with_text(delivery.clone(), "Dark mode", "Dork mode")), no_match());
    assert_eq!(
        verify(&secret, &with_header(delivery.clone(), "webhook-id", "another")),
        no_match()
    );
    let too_old = Verdict::Refused("Message timestamp too old".to_owned());
    assert_eq!(verify(&secret, &with_header(delivery, "webhook-timestamp", &earlier)), too_old);
}

#[rstest]
#[tokio::test]
async fn while_a_secret_is_replaced_a_delivery_verifies_with_the_old_one_and_with_the_new_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.import(&site.installation).await;
    let Subscription { id, secret: old } =
        subscribe(&site.installation, &acme, &receiver.url(), &[]).await;
    let caller = Caller::of(&site.server);
    assert!(caller.toggle(&acme).await);
    let before = receiver.received(1).await.swap_remove(0);
    let rotate = async || {
        webhook(&site.installation, &acme, &["rotate-secret", "--id", &id])
            .await
            .trim_end()
            .to_owned()
    };
    let new = rotate().await;
    assert!(!caller.toggle(&acme).await);
    let during = receiver.received(2).await.swap_remove(1);
    let newest = rotate().await;
    assert!(caller.toggle(&acme).await);
    let again = receiver.received(3).await.swap_remove(2);

    for (delivery, verifies, does_not) in
        [(&before, &[&old][..], &[&new][..]), (&during, &[&old, &new], &[&newest])]
    {
        for secret in verifies {
            assert_eq!(verify(secret, delivery), Verdict::Verified(delivery.json()));
        }
        for secret in does_not {
            assert_eq!(verify(secret, delivery), no_match());
        }
    }
    // Only one of the previous secrets still signs.
    assert_eq!(verify(&newest, &again), Verdict::Verified(again.json()));
    assert_eq!(verify(&new, &again), Verdict::Verified(again.json()));
    assert_eq!(verify(&old, &again), no_match());
    // The contract's header has one signature, by the newest secret.
    for (delivery, secret) in [(&before, &old), (&during, &new), (&again, &newest)] {
        assert_eq!(delivery.header("x-service-signature"), service_signature(secret, delivery));
    }
}

/// The library's verdict on a delivery.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// The library returned this value.
    Verified(Value),
    /// The library raised an error of its own with this text.
    Refused(String),
}

fn no_match() -> Verdict {
    Verdict::Refused("No matching signature found".to_owned())
}

fn verify(secret: &str, delivery: &Request) -> Verdict {
    let mut python = interpreter("python")
        .arg(in_repository("tests/webhooks/receivers/standard_webhooks.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let headers: BTreeMap<&str, &str> =
        delivery.headers.iter().map(|(name, value)| (&**name, &**value)).collect();
    let question =
        json!({"secret": secret, "headers": headers, "body": delivery.text()}).to_string();
    python.stdin.take().expect("its input").write_all(question.as_bytes()).expect("Python reads");
    let output = python.wait_with_output().expect("Python ends");
    serde_json::from_slice(&output.stdout).expect("a verdict; errors are on standard error")
}
