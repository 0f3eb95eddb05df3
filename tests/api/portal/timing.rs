//! The time of an answer says nothing about an address.
//!
//! The requests take turns, and the medians are compared: a busy machine slows all of them down.

use super::{Browser, Portal};
use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;
use std::time::{Duration, Instant};

/// The most by which the medians differ.
const FACTOR: u32 = 2;

/// Sends a form, and returns the time until its answer.
async fn time(browser: &Browser, path: &str, token: &str, fields: &[(&str, &str)]) -> Duration {
    let fields = [fields, &[("form_token", token)]].concat();
    let began = Instant::now();
    let page = browser.send(path, &fields).await;
    let took = began.elapsed();
    assert_eq!(page.status, 200, "{}", page.text);
    took
}

#[track_caller]
fn assert_alike(kinds: &mut [Vec<Duration>]) {
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    let medians: Vec<Duration> = kinds.iter_mut().map(median).collect();
    let most = medians.iter().max().copied().unwrap_or_default();
    assert!(medians.iter().all(|median| most < *median * FACTOR), "{medians:?}");
}

#[rstest]
#[tokio::test]
async fn a_mail_is_asked_for_in_the_same_time_for_known_and_unknown_addresses(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    const EACH: usize = 60;
    let mut acme = Draft::new();
    for number in 0..EACH {
        acme.user(json!({"email": format!("known-{number}@example.com")}));
        acme.user(json!({"email": format!("block-{number}@example.com"), "is_blocked": true}));
    }
    let portal = Portal::new(store, acme).await;
    let browser = portal.browser();
    let token = browser.form_token("/news").await;
    let mut times = [const { Vec::new() }; 3];
    for number in 0..EACH {
        for (kind, times) in ["known", "block", "never"].iter().zip(&mut times) {
            let email = format!("{kind}-{number}@example.com");
            times.push(time(&browser, "/news/sign-in", &token, &[("email", &email)]).await);
        }
    }
    assert_alike(&mut times);
}

#[rstest]
#[tokio::test]
async fn a_password_is_refused_in_the_same_time_for_known_and_unknown_addresses(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::with(json!({"portal": {"signs_in_by_password": true}}));
    acme.user(json!({"email": "plain@example.com"}));
    let portal = Portal::new(store, acme).await;
    let ada = portal.signed_in("ada@example.com").await;
    let page = ada.post("/news/account/password", &[("password", "a quiet morning")]).await;
    assert_eq!(page.status, 303, "{}", page.text);

    let browser = portal.browser();
    let token = browser.form_token("/news").await;
    // A user with a password, a user without one, and nobody. Each has ten tries.
    let mut times = [const { Vec::new() }; 3];
    for number in 0..9 {
        for (email, times) in ["ada", "plain", "never"].iter().zip(&mut times) {
            let (email, guess) = (format!("{email}@example.com"), format!("guess number {number}"));
            let fields = [("email", &*email), ("password", &*guess)];
            times.push(time(&browser, "/news/sign-in/password", &token, &fields).await);
        }
    }
    assert_alike(&mut times);
}
