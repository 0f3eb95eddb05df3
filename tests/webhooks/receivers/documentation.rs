//! `docs/webhooks.md` agrees with the program.

use super::in_repository;
use crate::support::{
    Acme, Receiver, Request, Site, Store, Subscription, service_signature, standard_signature,
    subscribe, webhook,
};
use hearback_domain::ClosedSet;
use hearback_domain::delivery::DeliveryFailure;
use hearback_domain::event::EventType;
use std::collections::BTreeMap;
use std::fs;

fn page() -> String {
    fs::read_to_string(in_repository("docs/webhooks.md")).expect("the page")
}

/// The cells of each row of the page's tables.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let rows = page.lines().filter_map(|line| line.trim().strip_prefix('|')?.strip_suffix('|'));
    rows.map(|row| row.split('|').map(str::trim).collect()).collect()
}

/// The texts in backticks.
fn codes(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[tokio::test]
async fn the_page_has_the_members_of_each_event() {
    let (site, acme, receiver) =
        (Site::of(Store::Sqlite).await, Acme::new(), Receiver::start().await);
    acme.import(&site.installation).await;
    let Subscription { id, .. } = subscribe(&site.installation, &acme, &receiver.url(), &[]).await;
    let page = page();
    let told: BTreeMap<&str, Vec<&str>> = rows(&page)
        .iter()
        .filter(|row| row.len() == 3 && row[0].contains('.'))
        .map(|row| (row[0].trim_matches('`'), codes(row[2])))
        .collect();

    assert_eq!(told.len(), EventType::ALL.len());
    for (number, event_type) in (1..).zip(EventType::ALL) {
        webhook(&site.installation, &acme, &["test", "--id", &id, "--event", event_type.code()])
            .await;
        let delivery = receiver.received(number).await.swap_remove(number - 1);
        assert_eq!(delivery.header("x-service-event"), event_type.code());
        assert_eq!(told[event_type.code()], members(delivery.text()), "{event_type:?}");
    }
}

/// The names of the members of `data`, in their order.
fn members(body: &str) -> Vec<&str> {
    let (_, data) = body.split_once(r#""data":{"#).expect("data");
    // No string of an example contains quotation marks, and only names are followed by a colon.
    let quoted: Vec<&str> = data.split('"').collect();
    let names = quoted.windows(2).skip(1).step_by(2).filter(|pair| pair[1].starts_with(':'));
    names.map(|pair| pair[0]).collect()
}

#[test]
fn the_delivery_on_the_page_verifies_with_the_secret_on_the_page() {
    let page = page();
    let (head, body) =
        between(&page, "```http\n", "\n```").split_once("\n\n").expect("an empty line");
    let (line, headers) = head.split_once('\n').expect("headers");
    let headers = headers.lines().map(|header| header.split_once(": ").expect("a header"));
    let headers =
        headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
    let delivery =
        Request { at: 0, line: line.to_owned(), headers, body: body.as_bytes().to_vec() };
    let secret = between(&page, "signed with `", "`");

    assert_eq!(delivery.header("x-service-signature"), service_signature(secret, &delivery));
    assert_eq!(delivery.header("webhook-signature"), standard_signature(secret, &delivery));
    assert_eq!(delivery.header("webhook-id"), delivery.header("x-service-delivery-id"));
    assert_eq!(delivery.header("x-service-event"), delivery.json()["event"]);
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before}"));
    rest.split_once(after).unwrap_or_else(|| panic!("no {after} behind {before}")).0
}

#[test]
fn the_page_names_every_failure_and_links_every_example() {
    let page = page();
    let first: Vec<&str> =
        rows(&page).iter().map(|row| row[0].trim_matches('`')).collect::<Vec<_>>();
    for failure in DeliveryFailure::ALL {
        assert!(first.contains(&failure.code()), "{failure:?}");
    }
    let examples = fs::read_dir(in_repository("examples/webhook-receivers")).expect("the examples");
    let names =
        examples.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    let unlinked: Vec<String> = names
        .filter(|name| !page.contains(&format!("(../examples/webhook-receivers/{name})")))
        .collect();
    assert_eq!(unlinked, [""; 0]);
}
