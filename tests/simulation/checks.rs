//! The end of a run: what is there, compared with what was acknowledged.

use crate::SECRET;
use crate::history::{ARTICLES, COMMENTS, ENTRIES, Model, POSTS, USERS};
use crate::support::{Organization, Receiver, service_signature, standard_signature, uuid};
use hearback_domain::Uuid;
use hearback_domain::id::{DeliveryId, EventId, SubscriptionId};
use hearback_tests::system;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// A deviation: the record, and the difference.
pub(crate) type Deviation = (String, String);

/// All records that the lists show, by their identifiers.
pub(crate) async fn listed(acme: &Organization) -> BTreeMap<String, Value> {
    let mut listed = BTreeMap::new();
    for list in [POSTS, COMMENTS, ENTRIES, ARTICLES, USERS] {
        let all = json!(if list == COMMENTS { Some("2000-01-01") } else { None });
        for record in acme.walk(list, json!({"updated_after": all}), 100).await {
            listed.insert(text(&record["id"]), record);
        }
    }
    listed
}

/// Compares the records with the model, which has no record of `before`.
pub(crate) fn of_records(
    model: &Model,
    listed: &BTreeMap<String, Value>,
    before: &BTreeMap<String, Value>,
) -> Vec<Deviation> {
    let mut found = Vec::new();
    let mut note = |id: &str, what: String| found.push((id.to_owned(), what));
    for (id, record) in &model.records {
        match listed.get(id) {
            Some(shown) if record.is_active => {
                for (member, value) in record.members.as_object().expect("members") {
                    if shown[member] != *value {
                        note(id, format!("{member} is {}, and {value} is right", shown[member]));
                    }
                }
            }
            Some(_) => note(id, "was deleted, and is there".to_owned()),
            None if record.is_active => note(id, format!("is missing in {}", record.list)),
            None => {}
        }
    }
    for id in listed.keys() {
        if !model.records.contains_key(id) && !before.contains_key(id) {
            note(id, "was never acknowledged, and is there".to_owned());
        }
    }
    found
}

/// Compares the votes with the model, and the counts of posts with the votes and comments.
pub(crate) async fn of_votes(
    acme: &Organization,
    model: &Model,
    listed: &BTreeMap<String, Value>,
) -> Vec<Deviation> {
    let target = |post: &str| text_or(&listed[post]["merged_into_id"], post);
    let cast = model.votes.iter().filter(|(post, _)| listed.contains_key(post));
    let right: BTreeSet<_> = cast.map(|(post, user)| (target(post), user.clone())).collect();
    let votes = acme.walk("/votes/list", json!({}), 100).await;
    let votes = votes.iter().map(|vote| (text(&vote["post_id"]), text(&vote["user_id"])));
    let votes: Vec<_> = votes.filter(|(post, _)| listed.contains_key(post)).collect();
    let shown = BTreeSet::from_iter(votes.iter().cloned());
    let mut found = Vec::new();
    for (post, user) in right.difference(&shown) {
        found.push((post.clone(), format!("the vote of {user} is missing")));
    }
    for (post, user) in shown.difference(&right) {
        found.push((post.clone(), format!("the vote of {user} was never acknowledged")));
    }

    let (mut of_votes, mut of_comments) = (BTreeMap::new(), BTreeMap::new());
    for (post, _) in votes {
        *of_votes.entry(post).or_insert(0) += 1;
    }
    for record in listed.values() {
        if let Some(post) = record["feedback_post_id"].as_str() {
            *of_comments.entry(post.to_owned()).or_insert(0) += 1;
        }
    }
    let posts = listed.iter().filter(|(_, record)| record["vote_count"].is_number());
    for (id, post) in posts {
        for (member, counted) in [("vote_count", &of_votes), ("comment_count", &of_comments)] {
            let counted: i64 = counted.get(id).copied().unwrap_or_default();
            if post[member] != counted {
                found.push((id.clone(), format!("{member} is {} of {counted}", post[member])));
            }
        }
    }
    found
}

/// Compares the events of the ledger with the model.
pub(crate) fn of_events(model: &Model, ledger: &[Value]) -> Vec<Deviation> {
    let mut told: BTreeMap<(String, String), usize> = BTreeMap::new();
    for event in ledger {
        let (event, data) = (text(&event["event"]), &event["data"]);
        let about = if event.starts_with("vote.") { &data["post_id"] } else { &data["id"] };
        *told.entry((event, text(about))).or_default() += 1;
    }
    let mut found = Vec::new();
    let all: BTreeSet<_> = told.keys().chain(model.events.keys()).collect();
    for key in all {
        let count = |events: &BTreeMap<_, usize>| events.get(key).copied().unwrap_or_default();
        let (told, right) = (count(&told), count(&model.events));
        if told != right {
            found.push((key.1.clone(), format!("{told} of {right} {}", key.0)));
        }
    }
    found
}

/// Waits until nothing is left to deliver.
pub(crate) async fn settled(acme: &Organization, receiver: &Receiver) {
    let mut last = (receiver.count(), Instant::now());
    loop {
        let pending = json!({"state": "pending", "limit": 1});
        let page = acme.post("/deliveries/list", pending).await.expect(200);
        if page["items"] == json!([]) {
            return;
        }
        // A delivery that a killed server has claimed comes a minute later.
        if receiver.count() > last.0 {
            last = (receiver.count(), Instant::now());
        }
        assert!(last.1.elapsed() < system::PATIENCE, "deliveries wait: {page}");
        sleep(Duration::from_millis(200)).await;
    }
}

/// Compares the deliveries with the events of the ledger: each event arrives, with a right
/// signature, under one identifier and with one body, and nothing else does.
pub(crate) fn of_deliveries(
    receiver: &Receiver,
    webhook: &str,
    ledger: &[Value],
) -> Vec<Deviation> {
    let of_event = |event: &Value| {
        let id = EventId(uuid(&text(&event["id"])));
        DeliveryId::of(id, SubscriptionId(uuid(webhook))).0
    };
    let events: BTreeMap<Uuid, &Value> =
        ledger.iter().map(|event| (of_event(event), event)).collect();
    let mut found = Vec::new();
    let mut bodies = BTreeMap::new();
    for request in receiver.requests() {
        let id = request.delivery();
        let mut note = |what: &str| found.push((id.to_string(), what.to_owned()));
        let is_signed = request.header("x-service-signature")
            == service_signature(SECRET, &request)
            && request.header("webhook-signature") == standard_signature(SECRET, &request);
        if !is_signed {
            note("a delivery has a wrong signature");
        }
        let body = request.json();
        match events.get(&id) {
            Some(event) if event["event"] == body["event"] && event["data"] == body["data"] => {}
            Some(event) => note(&format!("a delivery of {event} has another body: {body}")),
            None => note(&format!("a delivery has no event: {body}")),
        }
        if *bodies.entry(id).or_insert_with(|| request.body.clone()) != request.body {
            note("a repeat has another body");
        }
    }
    let missing = events.iter().filter(|(id, _)| !bodies.contains_key(*id));
    found.extend(missing.map(|(id, event)| (id.to_string(), format!("{event} did not arrive"))));
    if events.len() != ledger.len() {
        found.push((String::new(), "two events of the ledger have one identifier".to_owned()));
    }
    found
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn text_or(value: &Value, other: &str) -> String {
    value.as_str().unwrap_or(other).to_owned()
}
