//! Scheduled entries: the servers publish each once, in the background and in time.

use crate::support::{Draft, Installation, Organization, Store, eventually, now, time, until};
use hearback_tests::smtp::SmtpServer;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeSet;

async fn schedule(acme: &Organization, at: &str) -> Value {
    let body = json!({"title": "Dark mode", "status_code": "scheduled", "scheduled_for": at});
    acme.post("/changelog/create", body).await.expect(200)["id"].clone()
}

async fn entries(acme: &Organization) -> Vec<Value> {
    acme.walk("/changelog/list", json!({"sort": "oldest"}), 100).await
}

/// All entries, once all of them are published.
async fn published(acme: &Organization) -> Vec<Value> {
    eventually("all entries are published", async || {
        let entries = entries(acme).await;
        entries.iter().all(|entry| entry["status_code"] == "published").then_some(entries)
    })
    .await
}

#[rstest]
#[tokio::test]
async fn an_entry_is_published_within_two_seconds_of_its_time_and_never_before(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let start = now();
    for millis in [1_000, 1_001, 1_400, 1_800, 2_200] {
        schedule(&acme, &start.plus_millis(millis).to_string()).await;
    }
    let mut seen = BTreeSet::new();
    let shown = eventually("all entries are published", async || {
        let entries = entries(&acme).await;
        let asked_until = now();
        for entry in &entries {
            if entry["status_code"] == "published" {
                assert!(
                    time(&entry["scheduled_at"]) <= asked_until,
                    "published too early: {entry}"
                );
                seen.insert((entry["id"].to_string(), entry["published_at"].to_string()));
            } else {
                assert_eq!(entry["status_code"], "scheduled");
                assert_eq!(entry["published_at"], Value::Null);
            }
        }
        entries.iter().all(|entry| entry["status_code"] == "published").then_some(entries)
    })
    .await;
    for (entry, millis) in shown.iter().zip([1_000, 1_001, 1_400, 1_800, 2_200]) {
        let scheduled_at = start.plus_millis(millis);
        assert_eq!(time(&entry["scheduled_at"]), scheduled_at, "the scheduled time stays");
        let in_time = scheduled_at..=scheduled_at.plus_millis(2_000);
        assert!(in_time.contains(&time(&entry["published_at"])), "{entry}");
        assert_eq!(entry["updated_at"], entry["published_at"]);
        assert!(time(&entry["created_at"]) < time(&entry["published_at"]));
    }
    assert_eq!(seen.len(), 5, "once published, an entry keeps its time");
}

#[rstest]
#[tokio::test]
async fn an_entry_whose_time_is_past_is_published_at_once(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    for past in ["2020-01-01", "0001-01-01T00:00:00.000Z", &now().to_string()] {
        schedule(&acme, past).await;
    }
    let drafts = [json!({"title": "x", "scheduled_for": "2020-01-01"}), json!({"title": "x"})];
    let mut kept = Vec::new();
    for draft in drafts {
        kept.push(acme.post("/changelog/create", draft).await.expect(200)["id"].clone());
    }
    kept.push(schedule(&acme, "2999-01-01").await);
    let entries = eventually("three entries are published", async || {
        let entries = entries(&acme).await;
        (entries.iter().filter(|entry| entry["status_code"] == "published").count() == 3)
            .then_some(entries)
    })
    .await;
    for entry in &entries[..3] {
        let created_at = time(&entry["created_at"]);
        assert!(
            (created_at..=created_at.plus_millis(2_000)).contains(&time(&entry["published_at"])),
            "{entry}"
        );
    }
    assert_eq!(entries[0]["scheduled_at"], "2020-01-01T00:00:00.000Z");
    assert_eq!(entries[1]["scheduled_at"], "0001-01-01T00:00:00.000Z");
    let others: Vec<&Value> = entries[3..].iter().map(|entry| &entry["status_code"]).collect();
    assert_eq!(json!(others), json!(["draft", "draft", "scheduled"]));
    assert_eq!(
        json!(entries[3..].iter().map(|entry| &entry["id"]).collect::<Vec<_>>()),
        json!(kept)
    );
}

#[rstest]
#[tokio::test]
async fn an_entry_that_fell_due_while_no_server_ran_is_published_by_the_next(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let installation = Installation::new(store, &[]).await;
    let mut acme = Draft::new();
    // A deleted entry is not published.
    let deleted_due = now().plus_millis(4_000);
    acme.entry(json!({"status_code": "scheduled", "scheduled_at": deleted_due.to_string(),
        "is_active": false}));
    let acme = acme.open_in(&installation).await;
    let server = installation.serve();
    let due = now().plus_millis(1_000);
    schedule(&acme.at(&server), &due.to_string()).await;
    server.kill();
    until(due.max(deleted_due).plus_millis(500)).await;
    let restarted_at = now();
    let server = installation.serve();
    let listening_at = now();
    let entries = published(&acme.at(&server)).await;
    assert_eq!(time(&entries[0]["scheduled_at"]), due);
    let published_at = time(&entries[0]["published_at"]);
    assert!(
        (restarted_at..=listening_at.plus_millis(2_000)).contains(&published_at),
        "{published_at}"
    );
    let deleted = acme
        .export()
        .await
        .into_iter()
        .find(|record| record["is_active"] == false)
        .expect("the deleted entry");
    assert_eq!(deleted["status_code"], "scheduled");
}

/// Three servers share entries that are due at the same moment. Each entry is published once, and
/// each subscriber gets one mail of each.
#[rstest]
#[tokio::test]
async fn three_servers_publish_two_hundred_entries_once_each_and_mail_each_subscriber_once(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let smtp = SmtpServer::start();
    let installation = Installation::new(store, &[("HEARBACK_SMTP_URL", &smtp.url())]).await;
    let mut acme = Draft::new();
    let mut subscribers: Vec<String> = (0..3)
        .map(|_| format!("{}@example.com", acme.user(json!({"is_subscribed": true}))))
        .collect();
    acme.user(json!({}));
    acme.user(json!({"is_subscribed": true, "is_active": false}));
    acme.user(json!({"is_subscribed": true, "email": ""}));
    let due = now().plus_millis(10_000);
    for n in 0..200 {
        acme.entry(json!({"title": format!("Entry {n}"), "status_code": "scheduled", "scheduled_at": due.to_string(),
            "notify": true, "created_at": "2026-01-03"}));
    }
    let acme = acme.open_in(&installation).await;
    let servers = [installation.serve(), installation.serve(), installation.serve()];
    assert!(now() < due, "the servers were slow to start");
    let acme = acme.at(&servers[0]);
    assert!(entries(&acme).await.iter().all(|entry| entry["status_code"] == "scheduled"));
    until(due).await;
    let entries = published(&acme).await;
    assert_eq!(entries.len(), 200);
    assert!(entries.iter().all(|entry| time(&entry["published_at"]) >= due));
    let mails = eventually("600 mails are sent", async || {
        let mails = smtp.received();
        (mails.len() >= 600).then_some(mails)
    })
    .await;
    let sent: BTreeSet<(String, String)> =
        mails.iter().map(|mail| (mail.to.join(" "), mail.header("Subject").to_owned())).collect();
    assert_eq!((mails.len(), sent.len()), (600, 600), "no mail is sent twice");
    let mut mailed: Vec<String> = sent.into_iter().map(|(to, _)| to).collect();
    mailed.dedup();
    subscribers.sort_unstable();
    assert_eq!(mailed, subscribers);
    // A later server publishes and mails nothing again.
    drop(servers);
    let server = installation.serve();
    assert_eq!(self::entries(&acme.at(&server)).await, entries);
    assert_eq!(smtp.received().len(), 600);
}

/// What becomes of entries while clients of three servers publish, schedule, unpublish and delete
/// each of them at once, and the servers publish those that are due.
#[rstest]
#[tokio::test]
async fn an_entry_that_many_change_at_once_has_an_event_a_publication_and_a_mail_a_subscriber(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let smtp = SmtpServer::start();
    let installation = Installation::new(store, &[("HEARBACK_SMTP_URL", &smtp.url())]).await;
    let mut acme = Draft::new();
    for _ in 0..2 {
        acme.user(json!({"is_subscribed": true}));
    }
    acme.receiver_of(json!(["changelog.published", "changelog.unpublished"]));
    let ids: [String; 12] =
        std::array::from_fn(|n| acme.entry(json!({"title": format!("Entry {n}")})));
    let acme = acme.open_in(&installation).await;
    let servers = [installation.serve(), installation.serve(), installation.serve()];
    let at = servers.each_ref().map(|server| acme.at(server));
    let work = ids.iter().enumerate().flat_map(|(n, id)| {
        let is_deleted = n % 4 == 3;
        at.iter().enumerate().map(move |(server, acme)| async move {
            for round in 0..4 {
                let mut body = json!({"entry_id": id});
                let verb = match (server + round) % 3 {
                    0 => "publish",
                    1 => "unpublish",
                    _ if is_deleted && round == 3 => "delete",
                    _ => {
                        body["scheduled_for"] = now().plus_millis(200).to_string().into();
                        "publish"
                    }
                };
                let answer = acme.post(&format!("/changelog/{verb}"), body).await;
                let is_expected = match verb {
                    "publish" => matches!(answer.status, 200 | 400),
                    _ => answer.status == 200,
                };
                let is_gone = is_deleted && answer.status == 404;
                assert!(is_expected || is_gone, "{verb}: {}", answer.text());
            }
        })
    });
    futures_util::future::join_all(work).await;
    let all = eventually("no entry waits for its time", async || {
        let all = entries(&acme.at(&servers[0])).await;
        all.iter().all(|entry| entry["status_code"] != "scheduled").then_some(all)
    })
    .await;
    assert!(all.len() >= 9, "entries are left");
    let events = acme.events().await;
    let count = |id: &Value, name: &str| {
        let of_it = |event: &&Value| event["event"] == name && event["data"]["id"] == *id;
        events.iter().filter(of_it).count()
    };
    for entry in &all {
        let id = &entry["id"];
        let is_out = entry["status_code"] == "published";
        assert_eq!(entry["published_at"].is_string(), is_out, "{entry}");
        let ended = count(id, "changelog.unpublished");
        assert_eq!(count(id, "changelog.published"), ended + usize::from(is_out), "{entry}");
    }
    // A mailing ends if its entry is unpublished before the mails are written.
    let stayed = all.iter().filter(|entry| entry["status_code"] == "published");
    let stayed = stayed.filter(|entry| count(&entry["id"], "changelog.unpublished") == 0).count();
    eventually("each entry that stayed published is mailed", async || {
        (smtp.received().len() >= 2 * stayed).then_some(())
    })
    .await;
    drop(servers);
    let mails = smtp.received();
    let sent: BTreeSet<(String, String)> =
        mails.iter().map(|mail| (mail.to.join(" "), mail.header("Subject").to_owned())).collect();
    assert_eq!(mails.len(), sent.len(), "no mail is sent twice");
}
